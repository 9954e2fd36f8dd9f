/* SPDX-License-Identifier: BSD-2-Clause */
/* Block coding of a picture: waves come in, are listed as ranges (blocks/work.h), ordered from a source
 * (blocks/source.h), and kept (blocks/keep.h). */
#pragma once

#include "codec/blocks/source_pool.h"
#include "codec/blocks/work.h"

/* With plan->rate.rdoq: slopes to quantise for, by rate group, found from surveyed blocks that were coded for slopes
 * from `floors` on. */
typedef struct wvl_survey {
    uint32_t slopes[WVL_RATE_GROUPS], floors[WVL_RATE_GROUPS];
    int is_begun;
} wvl_survey;

typedef struct wvl_blocks {
    const wvl_allocator *allocator;
    wvl_keeper keeper;
    wvl_depth depth;
    void *depth_memory, *work_memory;
    uint64_t depth_bytes, work_bytes;
    wvl_work_memory work;
    wvl_survey survey;
    wvl_pool_source pool; /* always there */
    wvl_block_source
        source;          /* codes the waves; may be set before each: the bytes are the same. After init the pool's */
    const char *problem; /* of the last failure; NULL: its status says all */
} wvl_blocks;

/* Exact: held from init to fini, beside the scratch of workers. */
uint64_t wvl_blocks_base_bytes(const wvl_plan *plan, uint32_t concurrency);
/* tiles: [plan->syntax.tile_count], filled by the caller before the wave that has them. pool: opened. 0: no memory;
 * fini is due all the same. */
int wvl_blocks_init(wvl_blocks *blocks, const wvl_allocator *allocator, const wvl_plan *plan, wvl_coded_tile *tiles);
void wvl_blocks_fini(wvl_blocks *blocks);

/*
 * Codes a wave by an order without ranges, which get the blocks of these tiles. is_first: the first coding of the
 * picture, in phases where it pays: thresholds and slopes are then found, and those of the order do not count. The
 * coefficients may go afterwards.
 */
wvl_status wvl_blocks_code_wave(wvl_blocks *blocks, const wvl_plan *plan, const wvl_coefs *coefs, uint32_t tile_count,
                                const wvl_block_order *order, int is_first);
