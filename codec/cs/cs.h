/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Codestream syntax (Annex A): the main header, tile-part headers and the end. Packets come from elsewhere; this room never sees their
 * bytes, only their lengths. A codestream is
 *   main header | { part header | packets } for every tile-part | end
 */
#ifndef WVL_CS_CS_H
#define WVL_CS_CS_H

#include <stdint.h>

#include "geom/plan.h"

#define WVL_CS_MAX_PARTS_PER_TILE 255u    /* TPsot is at most 254 (A.4.2) */
#define WVL_CS_MAX_PSOT UINT32_MAX        /* a longer tile-part can not be written; the caller refuses it */
#define WVL_CS_SOT_SOD_BYTES 14u          /* SOT segment and SOD */
#define WVL_CS_END_BYTES 2u               /* EOC */

typedef struct wvl_cs_part {
    uint32_t tile;         /* Isot */
    uint8_t index;         /* TPsot */
    uint8_t count;         /* TNsot: 1..255, or 0: not stated */
    uint32_t packet_first; /* index into the tile's packet lengths */
    uint32_t packet_count;
    uint64_t body_bytes;   /* packets */
    uint64_t psot;         /* part header + body, at most WVL_CS_MAX_PSOT; the caller sets it from the measured header */
} wvl_cs_part;

/* Bytes from SOC up to the first SOT, TLM included. */
uint64_t wvl_cs_measure_main_header(const wvl_plan *plan, uint64_t part_count);
/* Writes exactly that many bytes and returns their end. parts: every tile-part in codestream order, with tile and psot set; they are
 * read only when plan->tlm, and may then be given as NULL to reserve the space (lengths 0) and be patched in later. */
uint8_t *wvl_cs_put_main_header(const wvl_plan *plan, const wvl_cs_part *parts, uint64_t part_count, uint8_t *p);
/* TLM segments end the main header: they are its last wvl_cs_measure_part_lengths bytes. */
uint64_t wvl_cs_measure_part_lengths(const wvl_plan *plan, uint64_t part_count);
uint8_t *wvl_cs_put_part_lengths(const wvl_plan *plan, const wvl_cs_part *parts, uint64_t part_count, uint8_t *p);
/* 1 when TLM is off or can name that many tile-parts (Ztlm numbers at most 256 segments, A.7.1). Where it can not, the header is
 * written without TLM, which is legal but not what was asked for: callers refuse it first. */
int wvl_cs_tlm_fits(const wvl_plan *plan, uint64_t part_count);

/* Bytes from SOT to SOD of a part. tile_packet_bytes: lengths of the tile's packets in order, SOP, headers and EPH included; read only
 * when plan->plt. */
uint64_t wvl_cs_measure_part_header(const wvl_plan *plan, const wvl_cs_part *part, const uint32_t *tile_packet_bytes);
uint8_t *wvl_cs_put_part_header(const wvl_plan *plan, const wvl_cs_part *part, const uint32_t *tile_packet_bytes, uint8_t *p);
/* 1 when PLT is off or can name the part's packets (Zplt numbers at most 256 segments, A.7.3); else as for TLM. */
int wvl_cs_plt_fits(const wvl_plan *plan, const wvl_cs_part *part, const uint32_t *tile_packet_bytes);
/* No part of that many packets whose Psot is legal has a longer header. */
uint64_t wvl_cs_bound_part_header(const wvl_plan *plan, uint64_t packet_count);

uint8_t *wvl_cs_put_end(uint8_t *p);

#endif
