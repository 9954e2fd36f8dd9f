/* SPDX-License-Identifier: BSD-2-Clause */
#include "waves/source_strip.h"

#include "base/alloc.h"

static const wvl_allocator *host_of(const wvl_strip_order *s) { return &s->drive->plan->context->host; }

wvl_status wvl_strip_order_open(wvl_strip_order *s, const wvl_drive *drive, uint32_t tile, const wvl_block_order *from)
{
    *s = (wvl_strip_order){.order = *from, .drive = drive};
    if (!drive->cut.strip_rows || !from->range_count) {
        return WVL_OK;
    }
    s->view = &drive->views.views[tile];
    s->range_room = from->range_count;
    for (uint64_t i = 0; i < from->range_count; i++) {
        s->block_room += from->ranges[i].count;
    }
    s->ranges = wvl_alloc(host_of(s), s->range_room * sizeof *s->ranges);
    s->blocks = wvl_alloc(host_of(s), s->block_room * sizeof *s->blocks);
    if (!s->ranges || !s->blocks) {
        return WVL_ERROR_MEMORY;
    }
    for (uint64_t i = 0; i < from->range_count; i++) {
        s->ranges[i] = from->ranges[i];
        s->ranges[i].tile = tile;
        s->ranges[i].first -= s->view->shifts[from->ranges[i].band];
    }
    s->order.ranges = s->ranges;
    return WVL_OK;
}

const wvl_block_batch *wvl_strip_order_take(wvl_strip_order *s, const wvl_block_batch *batch)
{
    if (!s->view) {
        return batch;
    }
    for (uint64_t i = 0; i < batch->count; i++) {
        s->blocks[i] = batch->blocks[i] + s->view->shifts[s->ranges[batch->ranges[i]].band];
    }
    s->batch = *batch;
    s->batch.blocks = s->blocks;
    return &s->batch;
}

void wvl_strip_order_close(wvl_strip_order *s)
{
    wvl_free(host_of(s), s->ranges, s->range_room * sizeof *s->ranges);
    wvl_free(host_of(s), s->blocks, s->block_room * sizeof *s->blocks);
}
