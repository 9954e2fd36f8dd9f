/* SPDX-License-Identifier: BSD-2-Clause */
#include "waves/source_wave.h"

#include "base/alloc.h"

/* ---- Orders for the jobs of strips ----------------------------------------------------------- */

typedef struct strip_order {
    wvl_block_order order; /* for the job */
    const wvl_drive *drive;
    const wvl_strip_view *view; /* NULL: jobs are waves, and nothing differs */
    wvl_block_batch batch;
    wvl_block_range *ranges;
    uint32_t *blocks;
    uint64_t range_room, block_room;
} strip_order;

static const wvl_allocator *host_of(const strip_order *s) { return &s->drive->plan->context->host; }

/* from: an order for tile `tile` of the job that was handed over last. WVL_ERROR_MEMORY: close is due all the same. */
static wvl_status open_strip(strip_order *s, const wvl_drive *drive, uint32_t tile, const wvl_block_order *from)
{
    *s = (strip_order){.order = *from, .drive = drive};
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

/* The answer of the job, as the codec counts; until close. */
static const wvl_block_batch *take_strip(strip_order *s, const wvl_block_batch *batch)
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

/* ---- Orders for a backend -------------------------------------------------------------------- */

/* An order that names blocks one by one becomes one that wants all of its ranges: a backend does not know what is kept.
 */
typedef struct plain_order {
    wvl_block_order order;
    wvl_block_range *ranges; /* NULL: those of the order given */
    uint16_t *slopes;
    uint64_t range_room, slope_room;
} plain_order;

static int is_wanted(const wvl_block_order *order, const wvl_keeper *keeper, const wvl_block_range *range,
                     uint32_t block)
{
    return wvl_keep_is_wanted(order, wvl_keeper_block(keeper, range, block), range->rate_group);
}

/* The ranges of blocks that are wanted, and their number. out NULL: counts. */
static uint64_t list_ranges(const wvl_block_order *order, const wvl_keeper *keeper, wvl_block_range *out,
                            uint64_t *blocks)
{
    uint64_t count = 0;
    *blocks = 0;
    for (uint64_t i = 0; i < order->range_count; i++) {
        const wvl_block_range *range = &order->ranges[i];
        uint32_t end = range->first + range->count, length = 0;
        for (uint32_t b = range->first; b < end; b++) {
            length = is_wanted(order, keeper, range, b) ? length + 1 : 0;
            *blocks += length != 0;
            count += length == 1;
            if (length && out) {
                out[count - 1] = *range;
                out[count - 1].first = b + 1 - length;
                out[count - 1].count = length;
            }
        }
    }
    return count;
}

static void close_plain(const wvl_allocator *host, plain_order *plain)
{
    wvl_free(host, plain->ranges, plain->range_room * sizeof *plain->ranges);
    wvl_free(host, plain->slopes, plain->slope_room * sizeof *plain->slopes);
}

static wvl_status open_plain(const wvl_plan *plan, const wvl_block_order *order, const wvl_keeper *keeper,
                             plain_order *plain)
{
    const wvl_allocator *host = &plan->context->host;
    uint64_t blocks = 0;
    *plain = (plain_order){.order = *order};
    plain->order.which = WVL_BLOCKS_ALL;
    if (order->which != WVL_BLOCKS_ALL || plan->rate.rdoq) {
        plain->range_room = list_ranges(order, keeper, NULL, &blocks);
        plain->slope_room = plan->rate.rdoq ? blocks : 0;
        plain->ranges = plain->range_room ? wvl_alloc(host, plain->range_room * sizeof *plain->ranges) : NULL;
        plain->slopes = plain->slope_room ? wvl_alloc(host, plain->slope_room * sizeof *plain->slopes) : NULL;
        if ((plain->range_room && !plain->ranges) || (plain->slope_room && !plain->slopes)) {
            close_plain(host, plain);
            return WVL_ERROR_MEMORY;
        }
        plain->order.range_count = list_ranges(order, keeper, plain->ranges, &blocks);
        plain->order.ranges = plain->ranges;
        plain->order.block_slopes = plain->slopes;
    }
    if (plain->slopes) {
        uint64_t n = 0;
        for (uint64_t i = 0; i < plain->order.range_count; i++) {
            const wvl_block_range *range = &plain->order.ranges[i];
            for (uint32_t b = range->first; b < range->first + range->count; b++) {
                plain->slopes[n++] = wvl_keep_slope_of(order, wvl_keeper_block(keeper, range, b), range->rate_group);
            }
        }
    }
    return WVL_OK;
}

/* ---- The source ------------------------------------------------------------------------------ */

/* *is_done: the status is the answer; else the device could not do it, for the reason that the status names. */
static wvl_status code_there(const wvl_wave_source *s, const wvl_block_order *order, wvl_keeper *keeper, int *is_done)
{
    const wvl_allocator *host = &s->drive->plan->context->host;
    plain_order plain;
    wvl_block_batch batch;
    wvl_status status = open_plain(s->drive->plan, order, keeper, &plain);
    *is_done = 1;
    if (status != WVL_OK) {
        return status;
    }
    wvl_drive_submit_ahead(s->drive);
    strip_order strip;
    status = open_strip(&strip, s->drive, s->tile, &plain.order);
    if (status == WVL_OK) {
        status = wvl_drive_code(s->drive, &strip.order, &batch);
        *is_done = status != WVL_ERROR_MEMORY && status != WVL_ERROR_DEVICE && status != WVL_ERROR_UNSUPPORTED;
    }
    const wvl_pool_source *pool = s->pool.self;
    if (status == WVL_OK && !wvl_keep_batch(keeper, pool->pool, pool->rank, &plain.order, take_strip(&strip, &batch))) {
        status = WVL_ERROR_MEMORY;
    }
    wvl_free(host_of(&strip), strip.ranges, strip.range_room * sizeof *strip.ranges);
    wvl_free(host_of(&strip), strip.blocks, strip.block_room * sizeof *strip.blocks);
    close_plain(host, &plain);
    return status == WVL_OK && wvl_look_is_over(s->drive->look) ? WVL_CANCELLED : status;
}

static wvl_status lower(wvl_wave_source *s, wvl_status why)
{
    wvl_status status = s->is_lowered ? WVL_OK : wvl_drive_lower(s->drive, why);
    s->is_lowered |= status == WVL_OK;
    return status;
}

static wvl_status code(void *self, const wvl_block_order *order, wvl_keeper *keeper)
{
    wvl_wave_source *s = self;
    int is_done = 0;
    wvl_status status = s->is_lowered ? WVL_OK : code_there(s, order, keeper, &is_done);
    if (is_done) {
        return status;
    }
    status = lower(s, status);
    return status == WVL_OK ? s->pool.code(s->pool.self, order, keeper) : status;
}

static wvl_status weigh(void *self, const wvl_block_order *order, wvl_keeper *keeper, uint32_t *weights)
{
    wvl_wave_source *s = self;
    wvl_status status = lower(s, WVL_ERROR_UNSUPPORTED);
    return status == WVL_OK ? s->pool.weigh(s->pool.self, order, keeper, weights) : status;
}

wvl_block_source wvl_wave_source_open(wvl_wave_source *s, wvl_drive *drive, wvl_blocks *blocks)
{
    *s = (wvl_wave_source){.drive = drive, .pool = wvl_pool_source_of(&blocks->pool)};
    return drive->reach < WVL_REACH_BLOCKS ? s->pool : (wvl_block_source){s, 1, weigh, code};
}
