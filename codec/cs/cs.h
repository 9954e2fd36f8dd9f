/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Codestream syntax (Annex A): the main header, tile-part headers and the end. Packets come from elsewhere; this room
 * never sees their bytes, only their lengths. A codestream is main header | { part header | packets } for every
 * tile-part | end
 */
#pragma once

#include "geom/plan.h"

#define WVL_CS_MAX_PARTS_PER_TILE 255u   /* TPsot is at most 254 (A.4.2) */
#define WVL_CS_MAX_PSOT UINT32_MAX       /* a longer tile-part cannot be written; the caller divides it */
#define WVL_CS_SOT_SOD_BYTES 14u         /* SOT marker segment and SOD */
#define WVL_CS_SOD_BYTES 2u              /* the last of a part header */
#define WVL_CS_END_BYTES 2u              /* EOC */
#define WVL_CS_SEGMENT_HEAD_BYTES 5u     /* marker, length and index of PLM, PPM, PPT */
#define WVL_CS_SEGMENT_DATA_BYTES 65532u /* what follows the index, at most */
#define WVL_CS_MAX_SEGMENTS 256u         /* of one kind: the index has eight bits */
#define WVL_CS_MIXED UINT32_MAX
#define WVL_CS_MAX_NPLM 255u /* most bytes of packet lengths of a tile-part in PLM */

typedef struct wvl_cs_part {
    uint32_t tile;         /* Isot */
    uint8_t index;         /* TPsot */
    uint8_t count;         /* TNsot: 1..255, or 0: not stated */
    uint32_t packet_first; /* index into the tile's packet lengths */
    uint32_t packet_count;
    uint64_t body_bytes; /* packets, without headers that are packed elsewhere */
    uint64_t psot;       /* part header + body, at most WVL_CS_MAX_PSOT; the caller sets it from the measured header */
    uint64_t header_bytes; /* packet headers with their EPH */
    uint32_t length_bytes; /* packet lengths in the code of PLM and PLT */
    uint32_t cap_group;    /* of wvl_plan_cap_group(), or WVL_CS_MIXED where it may hold several components */
} wvl_cs_part;

/* The most bytes of a tile-part. */
static inline uint64_t wvl_cs_most_psot(const wvl_plan *plan)
{
    return plan->test.part_bytes ? plan->test.part_bytes : WVL_CS_MAX_PSOT;
}

/* Bytes from SOC up to the first SOT, TLM included, PLM and PPM not. */
uint64_t wvl_cs_measure_main_header(const wvl_plan *plan, uint64_t part_count);
/* Writes exactly that many bytes and returns their end. parts: every tile-part in codestream order, with tile and psot
 * set; they are read only when plan->syntax.tlm, and may then be given as NULL to reserve the space (lengths 0) and be
 * patched in later. */
uint8_t *wvl_cs_put_main_header(const wvl_plan *plan, const wvl_cs_part *parts, uint64_t part_count, uint8_t *p);
/* TLM marker segments end the main header: they are its last wvl_cs_measure_part_lengths bytes. */
uint64_t wvl_cs_measure_part_lengths(const wvl_plan *plan, uint64_t part_count);
uint8_t *wvl_cs_put_part_lengths(const wvl_plan *plan, const wvl_cs_part *parts, uint64_t part_count, uint8_t *p);
/* Returns where the length of a part (Ptlm, four bytes) stands among them; with plan->tlm. */
uint64_t wvl_cs_part_length_at(const wvl_plan *plan, uint64_t index);
/* 1 when TLM is off or can name that many tile-parts (Ztlm numbers at most 256 marker segments, A.7.1). Where it
 * cannot, the header is written without TLM, which is legal but not what was asked for: callers refuse it first. */
int wvl_cs_tlm_fits(const wvl_plan *plan, uint64_t part_count);

/*
 * PLM, PPM and PPT grow with the packets, so their content is not held in memory: the caller that has it writes a head,
 * then that many bytes. PLM and PPM go into the main header before TLM, PPT into a part header before SOD. PLM: {Nplm
 * (8 bits), lengths} for every tile-part; an entry stays whole. PPM: {Nppm (32 bits), headers} for every tile-part, cut
 * anywhere.   PPT: the headers of the part, cut anywhere.
 */
typedef enum wvl_cs_pointer { WVL_CS_PLM = 0, WVL_CS_PPM = 1, WVL_CS_PPT = 2 } wvl_cs_pointer;
uint8_t *wvl_cs_put_segment_head(wvl_cs_pointer kind, unsigned index, uint32_t data_bytes, uint8_t *p);
/* PPM or PPT with that content: marker segments, and bytes with their heads. */
uint64_t wvl_cs_packed_segments(uint64_t data_bytes);
uint64_t wvl_cs_measure_packed(uint64_t data_bytes);
/* All PLM marker segments of these parts (length_bytes set); UINT64_MAX: they do not fit (A.7.2). */
uint64_t wvl_cs_measure_plm(const wvl_cs_part *parts, uint64_t part_count);
/* Content of the marker segment that begins with parts[0], and how many parts are in it. */
uint32_t wvl_cs_plm_segment_bytes(const wvl_cs_part *parts, uint64_t part_count, uint64_t *taken);
uint64_t wvl_cs_measure_lengths(const uint32_t *packet_bytes, uint32_t count);
uint8_t *wvl_cs_put_length(uint32_t packet_bytes, uint8_t *p);
/* COD to POC of a tile's first part header, 0 where the tile has nothing of its own. */
uint64_t wvl_cs_measure_tile_segments(const wvl_plan *plan, uint32_t tile);

/* Bytes from SOT to SOD of a part, PPT excepted. tile_packet_bytes: lengths of the tile's packets in order, SOP,
 * headers and EPH included; read only when plan->syntax.plt. */
uint64_t wvl_cs_measure_part_header(const wvl_plan *plan, const wvl_cs_part *part, const uint32_t *tile_packet_bytes);
uint8_t *wvl_cs_put_part_header(const wvl_plan *plan, const wvl_cs_part *part, const uint32_t *tile_packet_bytes,
                                uint8_t *p);
/* 1 when PLT is off or can name the part's packets (Zplt numbers at most 256 marker segments, A.7.3); else as for TLM.
 */
int wvl_cs_plt_fits(const wvl_plan *plan, const wvl_cs_part *part, const uint32_t *tile_packet_bytes);
/* No part of that many packets whose Psot is legal has a longer header, COD to POC and PPT excepted. */
uint64_t wvl_cs_bound_part_header(const wvl_plan *plan, uint64_t packet_count);

uint8_t *wvl_cs_put_end(uint8_t *p);
