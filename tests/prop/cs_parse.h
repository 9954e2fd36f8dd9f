/* SPDX-License-Identifier: BSD-2-Clause */
/* A strict walker over what was written, for tests. It shares no code with the library: every length, count and index
 * in a codestream (Annex A) or a chain of JP2 boxes (Annex I) is read again and must agree with the bytes it speaks of.
 * It decodes no packet. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct cs_component {
    unsigned depth, is_signed, dx, dy;                                    /* SIZ */
    unsigned has_coc, user_precincts, levels, xcb, ycb, style, transform; /* COC, else COD; xcb, ycb as exponents */
    unsigned precinct[33];                                 /* PPx | PPy << 4; 0xFF where none is written */
    unsigned has_qcc, quant_style, guard_bits, step_count; /* QCC, else QCD */
    unsigned step[97];                                     /* as written: 8 bits (style 0) or 16 */
    unsigned has_rgn, shift;                               /* RGN: SPrgn */
    unsigned nlt;                                          /* Tnlt; 0 without */
} cs_component;

typedef struct cs_comment {
    unsigned rcom;
    size_t offset, bytes;
} cs_comment;

typedef struct cs_tile_part {
    unsigned tile, index, count;    /* Isot, TPsot, TNsot */
    size_t offset, bytes;           /* from SOT; bytes = Psot */
    size_t body_offset, body_bytes; /* after SOD */
    unsigned plt_segments;
    int has_lengths;                   /* PLT, or PLM */
    size_t first_packet, packet_count; /* into packet_bytes; only with lengths */
    uint8_t *headers;                  /* packed packet headers of the part, PPM or PPT */
    size_t header_bytes;
} cs_tile_part;

#define CS_ALL_TILES 65535u

/* An entry of POC; ends are exclusive, and as large as written (256 or 16384 for 0). */
typedef struct cs_volume {
    unsigned tile, r0, c0, layer_end, r_end, c_end, order;
} cs_volume;

/* What COD and the others say of a tile. */
typedef struct cs_scope {
    unsigned tile, scod, order, mct;
    cs_component *components;
} cs_scope;

typedef struct cs_stream {
    unsigned rsiz, pcap, ccap15; /* pcap 0: no CAP */
    uint32_t x1, y1, x0, y0, tile_width, tile_height, tile_x0, tile_y0;
    uint64_t tile_count;
    unsigned component_count;
    cs_component *components;
    unsigned scod, order, layers, mct;
    size_t comment_count, part_count, packet_count, tlm_segments, tlm_count;
    cs_comment *comments;
    cs_tile_part *parts;
    uint32_t *packet_bytes;
    struct cs_tlm {
        unsigned tile;
        uint32_t bytes;
    } *tlm;
    size_t main_header_bytes;
    cs_volume *volumes; /* in the order written; tile CS_ALL_TILES: of the main header */
    size_t volume_count;
    unsigned *registration; /* CRG: x, y of every component; NULL without */
    unsigned packed;        /* 1 PPM, 2 PPT */
    cs_scope *scopes;       /* of tiles whose headers say something of their own; has_coc and the like tell what */
    size_t scope_count, tile_segments; /* COD, COC, QCD, QCC and RGN of tile headers */
    size_t plm_segments, ppm_segments;
    uint8_t *plm, *ppm; /* content of all marker segments */
    size_t plm_bytes, plm_at, ppm_bytes, ppm_at;
} cs_stream;

/* 1: SOC..EOC fill data exactly and agree with themselves. 0: error says what does not, and where. Release with cs_free
 * either way. */
int cs_parse(const uint8_t *data, size_t bytes, cs_stream *stream, char *error, size_t error_bytes);
void cs_free(cs_stream *stream);
/* Returns what holds for a tile: its own headers' words, or those of the main header. */
cs_scope cs_scope_of(const cs_stream *stream, unsigned tile);

typedef struct cs_box {
    uint32_t type;
    unsigned depth; /* 0: at the top, 1: inside a jp2h, 2: inside its res */
    size_t offset, header_bytes, content_bytes;
} cs_box;

/* Walks boxes that must fill data exactly. Returns 1 and their number (at most max_count), in file order, parents
 * first. */
int cs_parse_boxes(const uint8_t *data, size_t bytes, cs_box *boxes, size_t max_count, size_t *count, char *error,
                   size_t error_bytes);
