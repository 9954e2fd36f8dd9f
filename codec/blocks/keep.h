/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the coded blocks of a picture are kept, and what is learnt from each of them, whatever coded it. A source of
 * blocks puts a block in three steps: wvl_keep_reserve(), fill the places, wvl_keep_record(). Results of a device come
 * as a whole: wvl_keep_batch().
 */
#pragma once

#include "base/pool.h"
#include "codec/rate/depth.h"
#include "codec/t2/coded_tile.h"

/* A writer's places in both stores, on cache lines of its own. */
typedef struct wvl_keep_writer {
    _Alignas(64) wvl_store_writer bytes, passes;
} wvl_keep_writer;

typedef struct wvl_keeper {
    const wvl_allocator *allocator;
    const wvl_coefs *coefs; /* of the wave at work: range.tile counts these */
    wvl_store bytes, passes;
    wvl_spill *spill;         /* of both; set before open; NULL: none */
    wvl_coded_tile *tiles;    /* [tile_count] of the plan, caller's */
    wvl_keep_writer *writers; /* [writer_count], caller's: one thread each */
    uint32_t writer_count;
    int has_gains; /* plan->rate.rate_control: passes come with gains and slopes */
    int lets_go;   /* blocks leave before all have come: those in a chunk are counted */
    wvl_depth *depth;
    _Atomic uint32_t decided[WVL_RATE_GROUPS]; /* the greatest `decided` of all blocks of the rate group */
    _Atomic uint32_t slope_least, slope_most;  /* on the hulls of all blocks, and of those coded before */
    /* Of the order at work: */
    int feeds_depth,
        feeds_survey;          /* its blocks count for the prediction of thresholds; for the survey of slopes (rdoq) */
    _Atomic uint64_t complete; /* blocks, where they count */
    void (*advance)(void *user, uint64_t complete); /* from any thread, after every block; NULL: none */
    void *advance_user;
    /* Those of the order, raised or lowered by advance(). A source may read them while it codes, or take those of the
     * order: the bytes sent are the same. */
    _Alignas(64) _Atomic uint32_t thresholds[WVL_RATE_GROUPS];
} wvl_keeper;

/* Where the parts of a block go. gains, slopes: one for each pass, NULL without has_gains. All NULL for a block without
 * passes. */
typedef struct wvl_keep_places {
    uint8_t *bytes;
    wvl_pass *passes;
    int64_t *gains;
    uint16_t *slopes;
} wvl_keep_places;

/* 0: no memory; wvl_keeper_close() is due all the same. */
int wvl_keeper_open(wvl_keeper *keeper, const wvl_allocator *allocator);
void wvl_keeper_close(wvl_keeper *keeper);
/* Drops all that is stored, to code every block again. 0: no memory. */
int wvl_keeper_clear(wvl_keeper *keeper);
static inline void wvl_keeper_count(const wvl_keeper *keeper, const wvl_coded_block *block, int by)
{
    if (block->bytes) {
        wvl_store_count(&keeper->bytes, block->bytes_at, by);
    }
    if (block->pass_count) {
        wvl_store_count(&keeper->passes, block->passes_at, by);
    }
}
/* The bytes and passes of a block are not needed any more: with lets_go. */
static inline void wvl_keeper_let_go(const wvl_keeper *keeper, const wvl_coded_block *block)
{
    wvl_keeper_count(keeper, block, -1);
}
/* While no block is coded: memory of blocks that were let go is used again; of all blocks. */
void wvl_keeper_reuse(wvl_keeper *keeper);
void wvl_keeper_reuse_all(wvl_keeper *keeper);

/* Room for a block's bytes and passes, as the record counts them; sets its places. 0: no memory. */
int wvl_keep_reserve(wvl_keeper *keeper, uint32_t writer, wvl_block_record *record, wvl_keep_places *places);
/* The block is complete. samples: in the block. From any thread. */
void wvl_keep_record(wvl_keeper *keeper, const wvl_block_range *range, uint32_t block, uint32_t samples,
                     const wvl_block_record *record);
/* Copies all blocks of a batch that answers the order, with all workers of the pool; NULL: this thread alone. rank: of
 * the picture. One call at a time. 0: no memory. */
int wvl_keep_batch(wvl_keeper *keeper, wvl_pool *pool, uint64_t rank, const wvl_block_order *order,
                   const wvl_block_batch *batch);

/* Says whether an order codes a block of the rate group that is kept as `block`, and the slope that the block is then
 * quantised for. */
int wvl_keep_is_wanted(const wvl_block_order *order, const wvl_coded_block *block, uint32_t group);
uint16_t wvl_keep_slope_of(const wvl_block_order *order, const wvl_coded_block *block, uint32_t group);

static inline wvl_coded_block *wvl_keeper_block(const wvl_keeper *keeper, const wvl_block_range *range, uint32_t block)
{
    const wvl_tile_plan *tile = keeper->coefs[range->tile].tile;
    return &keeper->tiles[tile->index].blocks[tile->bands[range->band].first_block + block];
}
