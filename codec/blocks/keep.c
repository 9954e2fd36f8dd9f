/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/blocks/keep.h"

#include "codec/core/rdoq.h"

#define BLOCKS_OF_A_PIECE 256u /* a few hundred kB to copy */

int wvl_keeper_open(wvl_keeper *k, const wvl_allocator *allocator)
{
    k->allocator = allocator;
    atomic_store(&k->slope_least, WVL_SLOPES);
    return wvl_store_init(&k->bytes, allocator, k->spill) && wvl_store_init(&k->passes, allocator, k->spill);
}

void wvl_keeper_close(wvl_keeper *k)
{
    wvl_store_fini(&k->bytes);
    wvl_store_fini(&k->passes);
}

int wvl_keeper_clear(wvl_keeper *k)
{
    memset(k->writers, 0, k->writer_count * sizeof *k->writers);
    wvl_keeper_close(k);
    if (k->spill) {
        wvl_spill_reset(k->spill);
    }
    for (unsigned g = 0; g < WVL_RATE_GROUPS; g++) {
        atomic_store(&k->decided[g], 0);
    }
    return wvl_store_init(&k->bytes, k->allocator, k->spill) && wvl_store_init(&k->passes, k->allocator, k->spill);
}

void wvl_keeper_reuse(wvl_keeper *k)
{
    wvl_store_free_chunks(&k->bytes, &k->writers[0].bytes, k->writer_count, sizeof *k->writers);
    wvl_store_free_chunks(&k->passes, &k->writers[0].passes, k->writer_count, sizeof *k->writers);
}

void wvl_keeper_reuse_all(wvl_keeper *k)
{
    memset(k->writers, 0, k->writer_count * sizeof *k->writers);
    wvl_store_empty(&k->bytes);
    wvl_store_empty(&k->passes);
}

static void find_places(const wvl_keeper *k, const wvl_block_record *record, wvl_keep_places *places)
{
    places->bytes = wvl_store_at(&k->bytes, record->bytes_at);
    places->passes = wvl_store_at(&k->passes, record->passes_at);
    if (k->has_gains) {
        places->gains = (int64_t *)(void *)(places->passes + record->pass_count);
        places->slopes = (uint16_t *)(void *)(places->gains + record->pass_count);
    }
}

int wvl_keep_reserve(wvl_keeper *k, uint32_t writer, wvl_block_record *record, wvl_keep_places *places)
{
    wvl_keep_writer *w = &k->writers[writer];
    *places = (wvl_keep_places){NULL, NULL, NULL, NULL};
    record->bytes_at = record->passes_at = 0;
    if (!record->pass_count) {
        return 1;
    }
    record->bytes_at = wvl_store_reserve(&k->bytes, &w->bytes, record->bytes);
    record->passes_at =
        wvl_store_reserve(&k->passes, &w->passes, wvl_block_passes_bytes(record->pass_count, k->has_gains));
    if (record->bytes_at == UINT64_MAX || record->passes_at == UINT64_MAX) {
        return 0;
    }
    find_places(k, record, places);
    return 1;
}

static void raise_to(_Atomic uint32_t *most, uint32_t value)
{
    uint32_t known = atomic_load_explicit(most, memory_order_relaxed);
    while (value > known && !atomic_compare_exchange_weak(most, &known, value)) {
    }
}

/* Slopes fall along the hull; 0: the pass is not on it. */
static void note_slopes(wvl_keeper *k, const uint16_t *slopes, uint32_t count)
{
    uint32_t least = 0, most = 0;
    for (uint32_t i = 0; i < count; i++) {
        most = most ? most : slopes[i];
        least = slopes[i] ? slopes[i] : least;
    }
    raise_to(&k->slope_most, most);
    uint32_t value = least ? least : WVL_SLOPES;
    uint32_t known = atomic_load_explicit(&k->slope_least, memory_order_relaxed);
    while (value < known && !atomic_compare_exchange_weak(&k->slope_least, &known, value)) {
    }
}

void wvl_keep_record(wvl_keeper *k, const wvl_block_range *range, uint32_t index, uint32_t samples,
                     const wvl_block_record *r)
{
    wvl_coded_block *block = wvl_keeper_block(k, range, index);
    wvl_keep_places places = {NULL, NULL, NULL, NULL};
    if (k->lets_go) {
        wvl_keeper_let_go(k, block); /* coded before */
    }
    *block = (wvl_coded_block){
        .bytes_at = r->bytes_at,
        .passes_at = r->passes_at,
        .energy = r->energy,
        .bytes = r->bytes,
        .weight = block->weight,
        .pass_count = r->pass_count,
        .decided = r->decided,
        .end_slope = r->end_slope,
        .planes = r->planes,
        .zero_planes = r->zero_planes,
        .lift = r->lift,
        .energy_shift = r->energy_shift,
        .is_changed = r->is_changed,
    };
    if (r->pass_count) {
        find_places(k, r, &places);
    }
    if (k->lets_go) {
        wvl_keeper_count(k, block, 1);
    }
    if (places.slopes) {
        note_slopes(k, places.slopes, r->pass_count);
    }
    raise_to(&k->decided[range->rate_group], r->decided);
    uint32_t passes = places.slopes ? block->pass_count : 0;
    if (k->feeds_depth) {
        wvl_depth_put_block(wvl_depth_part_of(k->depth, range->rate_group, range->is_fine), places.passes,
                            places.slopes, passes, samples);
    }
    if (k->feeds_survey) {
        wvl_depth_put_block(wvl_depth_survey_of(k->depth, range->rate_group, range->is_fine), places.passes,
                            places.slopes, passes, block->weight);
    }
    if (k->feeds_depth) {
        uint64_t complete = atomic_fetch_add_explicit(&k->complete, 1, memory_order_relaxed) + 1;
        if (k->advance) {
            k->advance(k->advance_user, complete);
        }
    }
}

/* ---- Which blocks, for which slopes ---------------------------------------------------------- */

static int is_stale(const wvl_block_order *order, const wvl_coded_block *block, uint32_t group)
{
    return order->sets_slopes && wvl_rdoq_is_stale(block->end_slope, order->slopes[group], order->stale);
}

int wvl_keep_is_wanted(const wvl_block_order *order, const wvl_coded_block *block, uint32_t group)
{
    return order->which == WVL_BLOCKS_ALL || block->decided > order->wanted[group] || is_stale(order, block, group);
}

uint16_t wvl_keep_slope_of(const wvl_block_order *order, const wvl_coded_block *block, uint32_t group)
{
    int is_new = order->sets_slopes && (order->which == WVL_BLOCKS_ALL || is_stale(order, block, group));
    return is_new ? (uint16_t)order->slopes[group] : block->end_slope;
}

/* ---- Batches --------------------------------------------------------------------------------- */

static uint32_t count_samples(const wvl_keeper *k, const wvl_block_range *range, uint32_t index)
{
    const wvl_tile_band *band = &k->coefs[range->tile].tile->bands[range->band];
    wvl_rect rect = wvl_geom_block_rect(band, index % band->block_cols, index / band->block_cols);
    return wvl_rect_width(rect) * wvl_rect_height(rect);
}

/* A batch for all workers, in pieces. */
typedef struct batch_work {
    wvl_keeper *keeper;
    const wvl_block_order *order;
    const wvl_block_batch *batch;
    _Atomic int failed;
} batch_work;

static int keep_block(const batch_work *w, uint64_t i, uint32_t worker)
{
    wvl_keeper *k = w->keeper;
    const wvl_block_batch *batch = w->batch;
    wvl_block_record record = batch->records[i];
    const wvl_block_range *range = &w->order->ranges[batch->ranges[i]];
    wvl_keep_places places;
    if (!wvl_keep_reserve(k, worker, &record, &places)) {
        return 0;
    }
    if (record.pass_count) {
        memcpy(places.bytes, wvl_chunks_at(&batch->bytes, batch->records[i].bytes_at), record.bytes);
        memcpy(places.passes, wvl_chunks_at(&batch->passes, batch->records[i].passes_at),
               wvl_block_passes_bytes(record.pass_count, k->has_gains));
    }
    wvl_keep_record(k, range, batch->blocks[i], count_samples(k, range, batch->blocks[i]), &record);
    return 1;
}

static void keep_piece(void *arg, uint32_t index, uint32_t worker)
{
    batch_work *w = arg;
    uint64_t first = (uint64_t)index * BLOCKS_OF_A_PIECE, end = wvl_min_u64(first + BLOCKS_OF_A_PIECE, w->batch->count);
    for (uint64_t i = first; i < end && !atomic_load_explicit(&w->failed, memory_order_relaxed); i++) {
        if (!keep_block(w, i, worker)) {
            atomic_store(&w->failed, 1);
        }
    }
}

int wvl_keep_batch(wvl_keeper *k, wvl_pool *pool, uint64_t rank, const wvl_block_order *order,
                   const wvl_block_batch *batch)
{
    batch_work work = {.keeper = k, .order = order, .batch = batch};
    uint32_t pieces = (uint32_t)wvl_ceil_div(batch->count, BLOCKS_OF_A_PIECE);
    if (pool && pieces > 1) {
        wvl_pool_run_ranked(pool, rank, pieces, keep_piece, &work);
    } else {
        for (uint32_t i = 0; i < pieces; i++) {
            keep_piece(&work, i, 0);
        }
    }
    return !atomic_load(&work.failed);
}
