/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/blocks/blocks.h"

#include "base/alloc.h"

static uint64_t measure_work(const wvl_plan *plan)
{
    wvl_carver carver = {NULL, 0};
    wvl_work_memory unused;
    wvl_work_carve(plan, &carver, &unused);
    return carver.used;
}

uint64_t wvl_blocks_base_bytes(const wvl_plan *plan, uint32_t concurrency)
{
    return wvl_alloc_size(concurrency * sizeof(wvl_keep_writer)) + wvl_alloc_size(wvl_depth_memory_bytes(plan)) +
           wvl_alloc_size(measure_work(plan));
}

int wvl_blocks_init(wvl_blocks *b, const wvl_allocator *allocator, const wvl_plan *plan, wvl_coded_tile *tiles)
{
    wvl_keeper *k = &b->keeper;
    b->allocator = allocator;
    int has_stores = wvl_keeper_open(k, allocator);
    b->depth_bytes = wvl_depth_memory_bytes(plan);
    b->depth_memory = wvl_alloc_zeroed(allocator, b->depth_bytes);
    wvl_depth_init(&b->depth, plan, b->depth_memory);
    b->work_bytes = measure_work(plan);
    b->work_memory = wvl_alloc(allocator, b->work_bytes);
    wvl_carver carver = {b->work_memory, 0};
    wvl_work_carve(plan, &carver, &b->work);
    k->tiles = tiles;
    k->writer_count = b->pool.workers;
    k->writers = wvl_alloc_zeroed(allocator, k->writer_count * sizeof *k->writers);
    k->has_gains = plan->rate.rate_control;
    k->depth = &b->depth;
    b->source = wvl_pool_source_of(&b->pool);
    return has_stores && b->depth_memory && b->work_memory && k->writers;
}

void wvl_blocks_fini(wvl_blocks *b)
{
    wvl_keeper_close(&b->keeper);
    wvl_free(b->allocator, b->keeper.writers, b->keeper.writer_count * sizeof *b->keeper.writers);
    wvl_free(b->allocator, b->depth_memory, b->depth_bytes);
    wvl_free(b->allocator, b->work_memory, b->work_bytes);
    wvl_pool_source_drop(&b->pool);
}
