/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coded blocks as they pass from whatever codes them (the CPU's workers, later a device) to the codec. Plain data:
 * offsets in place of pointers into stores, so that records can come from a device as they are.
 */
#pragma once

#include "geom/plan.h"

/* How far a backend goes with a job. The codec goes on from there. */
typedef enum wvl_reach {
    WVL_REACH_NONE = 0,   /* it does not take such pictures */
    WVL_REACH_COEFS = 1,  /* quantised coefficients (wvl_coefs) */
    WVL_REACH_BLOCKS = 2, /* coded blocks (wvl_block_batch) */
    WVL_REACH_PACKETS = 3 /* finished pictures (wvl_finished) */
} wvl_reach;

/* A range of blocks of one band, in raster order. Orders are made of ranges: of a whole tile, or of the block rows that
 * are there so far. */
typedef struct wvl_block_range {
    uint32_t tile;         /* of the wave: index into its coefs */
    uint32_t band;         /* index into the bands of the tile plan */
    uint32_t first, count; /* blocks, counted from the band's first */
    uint16_t component;
    uint8_t rate_group; /* wvl_plan_rate_group() of the band */
    uint8_t is_fine;    /* of the two finest resolutions: their bytes are predicted apart from the others' */
} wvl_block_range;

/* Which blocks of the ranges are coded. */
enum {
    WVL_BLOCKS_ALL = 0,
    /* Those that are not decided for `wanted`; with sets_slopes also those quantised for slopes too far off. */
    WVL_BLOCKS_OPEN = 1
};

/*
 * All that may differ between two codings of the same coefficients, and between two pictures of one plan. A block's
 * bytes depend on its coefficients, its slope, the codings and the factors. Thresholds decide how many passes are
 * coded, never a byte of those that are sent.
 */
typedef struct wvl_block_order {
    const wvl_block_range *ranges; /* in the order in which they should be coded: what takes longest comes first */
    uint64_t range_count;
    uint8_t which;       /* WVL_BLOCKS_* */
    uint8_t sets_slopes; /* blocks are quantised for `slopes`; 0: for the slope that the block has (end_slope) */
    uint8_t first_set;   /* HT: one more than the plane of the first set; 0: the block's top plane */
    uint32_t thresholds[WVL_RATE_GROUPS]; /* a block may end when it is decided for its group's; 0: with its last pass.
                                             A snapshot */
    uint32_t wanted[WVL_RATE_GROUPS];     /* OPEN */
    uint32_t slopes[WVL_RATE_GROUPS];     /* to quantise for (rdoq); 0: as it is */
    uint32_t stale; /* OPEN: a slope farther than this from the one wanted is too far off; UINT32_MAX: none is */
    /*
     * For a backend, which knows nothing of kept blocks: the conductor's wrapper lists the open blocks as ranges
     * (wvl_keep_is_wanted), sets `which` to ALL, and gives the slope of every block of the ranges, in their order
     * (wvl_keep_slope_of). NULL: no block is quantised for a slope.
     */
    const uint16_t *block_slopes;
    const wvl_coding *codings;                /* [plan->syntax.coding_count]: steps and weights to code by */
    const uint64_t (*factors)[WVL_MAX_BANDS]; /* [plan->syntax.coding_count]: magnitudes are multiplied by these, in
                                                 1/2^32; NULL: as they are */
} wvl_block_order;

/* A block as it was coded. */
typedef struct wvl_block_record {
    uint64_t bytes_at;  /* where its codeword begins: in the batch's chunks, in a keeper's store */
    uint64_t passes_at; /* its passes; then, with rate control, their cumulative weighted gains and hull slopes
                           (codec/t2/coded_tile.h) */
    uint64_t energy;    /* sum of magnitude^2 before rdoq, divided by 4^energy_shift */
    uint32_t bytes;     /* of the whole codeword, all HT sets included */
    uint16_t pass_count;
    uint16_t decided;    /* coded far enough for slope thresholds from here on; 0: all passes are there */
    uint16_t end_slope;  /* what it is quantised for; 0: as it is */
    uint8_t planes;      /* coded magnitude planes P */
    uint8_t zero_planes; /* above them (of HT blocks in their first set): Mb - P, with a region Mb + s - P where
                            background is among it */
    uint8_t
        lift; /* s where samples of a region and others are coded together, else 0: the region's planes begin there */
    uint8_t energy_shift;
    uint8_t is_changed; /* quantised for end_slope, or without candidates far beyond it */
} wvl_block_record;

/* Pieces of memory that stand for one. No piece of data straddles two of them. */
#define WVL_CHUNK_LOG2 20u
#define WVL_CHUNK_BYTES ((uint64_t)1 << WVL_CHUNK_LOG2)
typedef struct wvl_chunks {
    const uint8_t *const *chunks; /* WVL_CHUNK_BYTES each, aligned to 8 */
    uint64_t count;
} wvl_chunks;

static inline const void *wvl_chunks_at(const wvl_chunks *chunks, uint64_t at)
{
    return chunks->chunks[at >> WVL_CHUNK_LOG2] + (at & (WVL_CHUNK_BYTES - 1));
}

/*
 * What a backend gives for an order: complete, or the call failed and nothing counts. The memory is the job's until its
 * next call. Blocks that the order leaves out (wvl_block_order.which) have no record.
 */
typedef struct wvl_block_batch {
    const wvl_block_record *records; /* [count] */
    const uint32_t *ranges;          /* [count]: the range of the order that the block lies in; rising */
    const uint32_t *blocks;          /* [count]: the block, counted from the band's first; rising within a range */
    uint64_t count;
    wvl_chunks bytes, passes;
} wvl_block_batch;
