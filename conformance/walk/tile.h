/* SPDX-License-Identifier: BSD-2-Clause */
/* One tile at a time: its geometry, its packets in order, the state of its precincts. */
#pragma once

#include "tag.h"
#include "walk.h"

typedef struct wvl_walk_rect {
    uint64_t x0, y0, x1, y1;
} wvl_walk_rect;

typedef struct wvl_walk_block {
    uint8_t included, has_data; /* has_data: HT, a segment with bytes has come */
    uint8_t lblock, is_classic; /* is_classic: HT declared mixed, this one is not */
    int16_t planes;             /* P: Mb less the zero bit-planes; 0 and less after a complaint */
    uint16_t passes;
} wvl_walk_block;

/* Where an HT block's segments lie, while refinement may come with a later packet. Bytes 0: there is none, or it is
 * unsound. */
typedef struct wvl_walk_ht_coded {
    uint64_t cleanup_at, refinement_at;
    uint16_t cleanup_bytes, refinement_bytes;
} wvl_walk_ht_coded;

typedef struct wvl_walk_band {
    uint32_t cols, rows;
    int mb;
    wvl_walk_rect area; /* in the band's coordinates */
    uint8_t xcb, ycb;   /* clipped by the precinct */
    uint8_t level;      /* n_b of B.5 */
    uint8_t orient;     /* 0: LL, 1: HL, 2: LH, 3: HH */
    uint32_t root;      /* of the inclusion tree while there is nothing else */
    /* Inclusion, then zero bit-planes: wvl_check_tag_nodes() of each; NULL until a block may be included. */
    uint32_t *nodes;
    wvl_walk_block *blocks;
    wvl_walk_ht_coded *coded; /* HT blocks in several layers; NULL elsewhere */
} wvl_walk_band;

typedef struct wvl_walk_precinct {
    wvl_walk_band *bands; /* NULL before the first packet that is not empty, and after the last */
    uint32_t next_layer;
} wvl_walk_precinct;

/* A resolution of a tile-component that has precincts. */
typedef struct wvl_walk_resolution {
    uint32_t component;
    uint8_t r, levels, ppx, ppy;
    wvl_walk_rect component_rect, rect;
    uint64_t wide, high;     /* precincts */
    uint64_t step_x, step_y; /* distance of precincts on the reference grid */
    wvl_walk_precinct *precincts;
    uint64_t complete; /* precincts whose layers have all come */
} wvl_walk_resolution;

/* ---- Order of packets (progression.c) -------------------------------------------------------- */

typedef struct wvl_walk_cursor {
    wvl_walk_resolution *resolution;
    uint64_t k, col, x, y; /* the next precinct, its column, its place on the reference grid */
} wvl_walk_cursor;

typedef struct wvl_walk_sequence {
    wvl_walk_volume volume;
    wvl_walk_cursor *cursors;       /* those of the volume, in the order of the progression; room for all of the tile */
    size_t count, group, group_end; /* [group, group_end): those that are merged or nested at present */
    size_t live;                    /* positional: cursors in the heap, from group on */
    size_t entry;
    uint64_t k;
    uint32_t layer;
    int started;
} wvl_walk_sequence;

typedef struct wvl_walk_contribution {
    uint32_t bytes;
    uint8_t kind;   /* 0: MQ or raw, 1: HT cleanup, 2: HT refinement */
    uint8_t passes; /* of the HT set, with this one: 1..3 */
} wvl_walk_contribution;

/* A block that the packet includes, and what it adds to it. */
typedef struct wvl_walk_inclusion {
    const wvl_walk_band *band;
    uint32_t block;
    uint32_t passes;
    uint64_t bytes;
} wvl_walk_inclusion;

/* Whose an HT contribution is. */
typedef struct wvl_walk_ht_part {
    const wvl_walk_band *band;
    uint32_t block;
    uint16_t set; /* its number in the block, placeholders counted */
} wvl_walk_ht_part;

/* Packet lengths of the part at hand, from PLT or PLM. */
typedef struct wvl_walk_lengths {
    wvl_check_rule_id length_rule, count_rule, bytes_rule;
    const char *name;
    int active;
    const uint8_t *data;
    uint64_t at, end;        /* of data: within the codestream, or within the gathered PLM lists */
    size_t item;             /* PLT: the segment after the one at hand */
    uint64_t offset, values; /* of the segment; lengths taken */
} wvl_walk_lengths;

struct wvl_walk_tile_walk {
    wvl_walk *w;
    uint32_t tile;
    wvl_walk_rect rect;
    wvl_walk_resolution *resolutions; /* by component, then resolution */
    size_t resolution_count, resolution_room;
    uint64_t precinct_count, bytes; /* bytes: of all its tile-parts, an upper bound of its packets */
    wvl_walk_list volumes;          /* wvl_walk_volume, still to come */
    size_t volume;                  /* the next one to open */
    wvl_walk_sequence sequence;

    wvl_walk_part *part;
    uint64_t at;      /* in the part's data */
    uint64_t packets; /* of the tile */
    int stop;         /* nothing more can be read */

    int is_packed; /* headers come from PPM or PPT */
    const wvl_walk_gathered *packed;
    wvl_walk_gathered ppt;
    uint64_t packed_at, packed_end;
    unsigned next_zppt;
    wvl_walk_list plt, ppt_items; /* wvl_walk_series_item of the part */
    int has_poc;                  /* a POC governs the tile */
    uint64_t excess;              /* offset of data after the last packet; 0: none */
    wvl_walk_lengths from_plt, from_plm;
    uint64_t packed_used; /* header bytes taken for the part */

    wvl_walk_list contributions; /* of the packet at hand */
    wvl_walk_list ht_parts;      /* wvl_walk_ht_part: of its HT contributions, in turn */
    wvl_walk_list inclusions;    /* wvl_walk_inclusion: of the packet at hand, for the caller's `block` */
    uint64_t header_start;
};

/* 0: the tile is not walked further. */
int wvl_check_open_tile(wvl_walk_tile_walk *t);
void wvl_check_close_tile(wvl_walk_tile_walk *t);
int wvl_check_open_bands(wvl_walk_tile_walk *t, wvl_walk_resolution *res, uint64_t k);
void wvl_check_close_bands(wvl_walk_tile_walk *t, wvl_walk_resolution *res, uint64_t k);
/* Makes blocks and trees of a band. */
int wvl_check_fill_band(wvl_walk_tile_walk *t, wvl_walk_band *band, int is_ht);

/* The precinct whose next layer comes now; NULL when the volumes are exhausted (or a limit is hit). */
wvl_walk_resolution *wvl_check_next_packet(wvl_walk_tile_walk *t, uint64_t *k);

/* packet.c: reads one; 0 when the tile cannot be walked further. */
int wvl_check_read_packet(wvl_walk_tile_walk *t, wvl_walk_resolution *res, uint64_t k);
/* packet_header.c: bits of one header at *at of data[0..end); adds to t->contributions. 0 after a complaint that ends
 * the tile's walk. */
int wvl_check_read_packet_header(wvl_walk_tile_walk *t, wvl_walk_resolution *res, uint64_t k, const uint8_t *data,
                                 uint64_t *at, uint64_t end, int *is_empty);
uint64_t wvl_check_packed_origin(const wvl_walk_tile_walk *t, uint64_t at);

/* ht_segments.c: the contributions of a packet whose body is at `at`; is_last: of the precinct. */
void wvl_check_judge_ht(wvl_walk_tile_walk *t, const wvl_walk_resolution *res, uint64_t at, int is_last);

/* tile.c: ends the part at hand and begins the tile's next one; 0 when there is none. */
int wvl_check_enter_next_part(wvl_walk_tile_walk *t);

/* lengths.c: PLT and PLM. */
void wvl_check_start_lengths(wvl_walk_tile_walk *t);
void wvl_check_compare_length(wvl_walk_tile_walk *t, uint64_t bytes);
void wvl_check_finish_lengths(wvl_walk_tile_walk *t);
