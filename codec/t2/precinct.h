/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets of a tile. The geometry is condensed once into a table of precincts; headers are coded layer by layer against
 * a state that is either the real one (commit) or a scratch copy (measuring a candidate), by the same function.
 */
#pragma once

#include "codec/store/store.h"
#include "codec/t2/tag_tree.h"
#include "geom/handover.h"

typedef struct wvl_precinct_band {
    uint64_t first_block; /* tile block index of the top left block */
    uint64_t nodes_at;    /* inclusion tree, then zero-plane tree, in the tile's nodes */
    uint32_t stride;      /* blocks from row to row of the band */
    uint32_t cols, rows;  /* blocks of the precinct in the band; 0: nothing */
    uint8_t planes;       /* Mb */
    uint8_t coding_band;
    uint8_t has_sets;     /* HT: what is sent of a block is one set of passes, which fixes its zero planes */
    uint8_t has_segments; /* codewords end within blocks */
} wvl_precinct_band;

/* Blocks of the precinct in the band, and their tile block indices: by number in raster order, by place. */
static inline uint64_t wvl_precinct_blocks(const wvl_precinct_band *pb) { return (uint64_t)pb->cols * pb->rows; }
static inline uint64_t wvl_precinct_block(const wvl_precinct_band *pb, uint64_t k)
{
    return pb->first_block + k / pb->cols * pb->stride + k % pb->cols;
}
static inline uint64_t wvl_precinct_block_at(const wvl_precinct_band *pb, uint32_t col, uint32_t row)
{
    return pb->first_block + (uint64_t)row * pb->stride + col;
}

typedef struct wvl_precinct {
    uint16_t component;
    uint16_t coding; /* index into the plan's codings */
    uint8_t resolution, band_count;
    wvl_precinct_band band[3];
    uint64_t meter_at;  /* first of its chunks in the tile's (codec/t2/meter.h) */
    uint8_t is_metered; /* while a layer is filled: the chunks are those of the cuts as they stand */
} wvl_precinct;

/* What the packet headers have told of a block so far, and the cut proposed for the next layer. */
typedef struct wvl_block_state {
    uint32_t sent_bytes;              /* cumulative, over the layers committed */
    uint32_t next_bytes;              /* cumulative after the layer in question */
    uint16_t cut_least, cut_most;     /* slope thresholds that all make the present cut; cut_most 0: not known */
    uint8_t sent_passes, next_passes; /* of at most 112 */
    uint8_t lblock;
} wvl_block_state;

/* A packet without its markers. */
typedef struct wvl_t2_packet {
    uint64_t body_bytes;
    uint32_t header_bytes;
    uint32_t contribution_count; /* blocks that have something in it */
} wvl_t2_packet;

/* What the packets of a tile need, known from the tile plan. */
typedef struct wvl_t2_sizes {
    uint64_t nodes;         /* tag nodes of the tile */
    uint64_t scratch_nodes; /* of the largest precinct in one band */
    uint64_t header_bytes;  /* bound of the longest header */
    uint64_t meter_chunks;  /* of the tile (codec/t2/meter.h) */
    uint64_t most_blocks;   /* of any precinct */
} wvl_t2_sizes;

/* Fills precincts[tile->precinct_count] unless NULL. When the look (may be NULL) is over, not all of them. */
void wvl_t2_build_precincts(const wvl_plan *plan, const wvl_tile_plan *tile, wvl_precinct *precincts,
                            const wvl_look *look, wvl_t2_sizes *sizes);

/* The sizes alone, and those in a time that does not depend on the number of precincts. sizes->nodes and meter_chunks
 * grow by `times` what the component has; the others are the greatest ones. */
void wvl_t2_add_sizes(const wvl_plan *plan, const wvl_tile_plan *tile, uint32_t component, uint64_t times,
                      wvl_t2_sizes *sizes);

/* One tile's packets. */
typedef struct wvl_t2_tile {
    const wvl_precinct *precincts;
    uint64_t precinct_count;
    const wvl_coded_block *blocks;
    const wvl_store *passes;
    wvl_block_state *states;
    wvl_tag_node *nodes;
    uint8_t sop, eph;     /* markers around its packet headers */
    const wvl_look *look; /* may be NULL, asked row by row; once it is over, trees, states and headers do not count */
} wvl_t2_tile;

/* Sets up trees and block states of a precinct before the first layer: zero-plane values, nothing included. */
void wvl_t2_open_precinct(const wvl_t2_tile *tile, uint64_t precinct);

/* Never exceeded by a header of that many blocks and tag nodes (of both trees). */
uint64_t wvl_t2_header_bound(uint64_t blocks, uint64_t nodes, uint8_t style, uint32_t layer_count);

/*
 * Codes the header of the packet of `precinct` in `layer` with the cuts next_passes/next_bytes of its blocks. commit =
 * 0: nothing changes (nodes are worked on in `scratch`); commit = 1: trees and states take the layer in. Different
 * precincts may be coded at the same time.
 */
wvl_t2_packet wvl_t2_code_header(const wvl_t2_tile *tile, const wvl_precinct *precinct, uint32_t layer, int commit,
                                 wvl_tag_node *scratch, uint8_t *bytes);

/* Zero planes of the set that a block sends; nothing is sent of blocks that stay out, so that they do not lower what
 * the tree says of others. */
uint32_t wvl_t2_zero_planes(const wvl_t2_tile *tile, const wvl_precinct_band *pb, uint64_t block);
/* Puts what a header says of a block that joins, behind the trees: its passes, its Lblock and its lengths. Returns the
 * new Lblock. */
unsigned wvl_t2_put_contribution(const wvl_t2_tile *tile, const wvl_precinct_band *pb, uint64_t block,
                                 wvl_bit_writer *w);
