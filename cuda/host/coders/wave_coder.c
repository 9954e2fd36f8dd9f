/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/host/coders/wave_coder.h"

#include "base/alloc.h"
#include "base/try.h"

/* ---- Output ----------------------------------------------------------------------------------
 *
 * Coded bytes of a job of waves to memory of the host. Kernels leave them on the device, and the copy engine brings
 * them down: beside it, other jobs go up and are coded. Kernels that write to pinned memory are slower than it, and
 * slow uploads down (D-device-09).
 */

#define SHARE_LOG2 16u /* forecasts are in 2^-16 of the bytes of coefficients: waves and strips differ in size */

static uint64_t count_coefs(const wvl_cuda_layout *l) { return l->down_end - l->coefs; }

/* Expects what the jobs before have taken. The first ones get half of what the pixels take. */
static uint64_t predict(const wvl_cuda_code *code)
{
    const wvl_cuda_layout *l = code->layout;
    uint64_t share = wvl_cuda_predict_size(&code->device->coded),
             bytes = share ? wvl_mul_saturate(share, (count_coefs(l) >> SHARE_LOG2) + 1) : (l->planes - l->staging) / 2;
    return wvl_min_u64(wvl_align_up(bytes, 256), wvl_min_u64(code->room_bytes, l->output_bytes));
}

static void note(const wvl_cuda_code *code, uint64_t bytes)
{
    wvl_cuda_note_size(&code->device->coded, bytes / ((count_coefs(code->layout) >> SHARE_LOG2) + 1) + 1);
}

static wvl_cuda_status copy(const wvl_cuda_code *code, uint64_t to, uint64_t from, uint64_t bytes)
{
    const wvl_cuda_layout *l = code->layout;
    return bytes ? code->device->runtime->download(code->pinned + l->output + to, code->address + l->coded + from,
                                                   (size_t)bytes, code->stream)
                 : WVL_CUDA_SUCCESS;
}

wvl_cuda_status wvl_cuda_queue_output(wvl_cuda_code *code)
{
    code->fetched_bytes = predict(code);
    code->is_predicted = 1;
    return copy(code, 0, 0, code->fetched_bytes);
}

wvl_cuda_status wvl_cuda_await_code(const wvl_cuda_code *code, wvl_cuda_status queued)
{
    const wvl_cuda_runtime *rt = code->device->runtime;
    wvl_cuda_status status = queued ? queued : rt->event_record(code->event, code->stream);
    TRY(status, rt->event_wait(code->event));
    if (status) {
        (void)rt->stream_wait(code->stream);
    }
    return status;
}

static wvl_cuda_status copy_rest(const wvl_cuda_code *code, uint64_t to, uint64_t bytes)
{
    uint64_t from = code->fetched_bytes;
    wvl_cuda_status status = wvl_cuda_enter(code->device);
    if (status) {
        return status;
    }
    status = wvl_cuda_await_code(code, copy(code, to + from, from, bytes - from));
    wvl_cuda_leave(code->device);
    return status;
}

wvl_status wvl_cuda_fetch_output(wvl_cuda_code *code, uint64_t to, uint64_t bytes)
{
    wvl_cuda_status status = bytes > code->fetched_bytes ? copy_rest(code, to, bytes) : WVL_CUDA_SUCCESS;
    if (code->is_predicted) {
        note(code, bytes);
    }
    code->fetched_bytes = 0;
    code->is_predicted = 0;
    return wvl_cuda_note_status(code->device, status);
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

void wvl_cuda_drop_code(wvl_cuda_code *code)
{
    if (code->spill) {
        wvl_free(&code->device->host, code->spill, code->spill_bytes);
    }
    code->spill = NULL;
    code->spill_bytes = code->spill_used = 0;
}

/* What a workspace has beyond the least is for coded bytes and work as the plan has it; both get less where it has
 * less. */
static uint64_t share_spare(const wvl_cuda_code *code)
{
    const wvl_cuda_layout *l = code->layout;
    uint64_t spare = code->spare_bytes > l->work_least ? code->spare_bytes - l->work_least : 0,
             whole = l->coded_more + l->work_bytes - l->work_least;
    return spare >= whole ? l->coded_more : l->coded_more / 256 * (spare / 256) / (whole / 256 + 1) * 256;
}

static void start(wvl_cuda_code *code)
{
    const wvl_cuda_layout *l = code->layout;
    uint64_t more = share_spare(code);
    wvl_cuda_drop_code(code);
    code->room_bytes = l->coded_bytes + more;
    code->work_at = l->work + more;
    code->work_bytes = code->spare_bytes - more;
    code->fetched_bytes = 0;
    code->is_predicted = 0;
    code->is_settled = 0;
    code->status = WVL_OK;
    code->output_used = 0;
    code->bytes = code->pinned + l->output;
    code->byte_room = l->output_bytes;
    code->chunks = (const uint8_t **)(void *)(code->host + l->chunks);
}

void wvl_cuda_build_code(wvl_cuda_code *code)
{
    start(code);
    if (code->built_count == code->tile_count && code->built_tile == code->tiles[0].index &&
        code->built_strip == code->tiles[0].strip &&
        !memcmp(&code->built_layout, code->layout, sizeof code->built_layout)) {
        return; /* of the picture before */
    }
    wvl_cuda_coder_view view = {.plan = code->plan, .tiles = code->tiles, .tile_count = code->tile_count};
    code->coder->list_blocks(&view, code->address + code->layout->coefs, code->address + code->layout->bounds,
                             code->pinned + code->layout->code_blocks);
    code->coder->build_wave(code);
    code->built_tile = code->tiles[0].index;
    code->built_strip = code->tiles[0].strip;
    code->built_layout = *code->layout;
    code->built_count = code->tile_count;
}

int wvl_cuda_is_bounded(const wvl_cuda_code *code, uint64_t block, unsigned frac_bits, unsigned planes)
{
    const uint32_t *bounds = (const uint32_t *)(const void *)(code->pinned + code->layout->bounds);
    return wvl_bit_length(bounds[block] >> frac_bits) <= planes;
}

/* ---- Orders ---------------------------------------------------------------------------------- */

/* Batches point into memory that is one piece: its chunks follow one another. */
static wvl_chunks list_chunks(uint8_t *memory, uint64_t bytes, const uint8_t **chunks)
{
    uint64_t count = (bytes >> WVL_CHUNK_LOG2) + 1;
    for (uint64_t i = 0; i < count; i++) {
        chunks[i] = memory + (i << WVL_CHUNK_LOG2);
    }
    return (wvl_chunks){chunks, count};
}

static void put_record(const wvl_cuda_code *code, const wvl_block_order *order, const wvl_block_range *range,
                       uint64_t id, wvl_block_record *record)
{
    const wvl_cuda_layout *l = code->layout;
    const wvl_tile_plan *tile = &code->tiles[range->tile];
    const wvl_band_coding *band =
        &order->codings[tile->components[range->component].coding].band[tile->bands[range->band].coding_band];
    const wvl_cuda_done *done = (const wvl_cuda_done *)(const void *)(code->host + l->done) + id;
    *record = (wvl_block_record){.bytes_at = done->bytes_at,
                                 .passes_at = done->passes_at,
                                 .energy = done->energy,
                                 .bytes = done->bytes,
                                 .pass_count = done->pass_count,
                                 .planes = done->planes,
                                 .zero_planes = done->zero_planes,
                                 .lift = done->lift,
                                 .energy_shift = done->energy_shift};
    if (done->pass_count && code->coder->put_passes) {
        code->coder->put_passes(code, band, done, code->passes + record->passes_at);
    }
}

/* Refuses what these orders never ask for (wvl_cuda_choose_coder). */
static int can_answer(const wvl_cuda_code *code, const wvl_block_order *order)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < order->range_count; i++) {
        count += order->ranges[i].count;
    }
    return count <= code->layout->block_count && order->which == WVL_BLOCKS_ALL && !order->block_slopes &&
           !order->factors && !order->first_set;
}

wvl_status wvl_cuda_answer_order(wvl_cuda_code *code, const wvl_block_order *order, wvl_block_batch *batch)
{
    const wvl_cuda_layout *l = code->layout;
    wvl_block_record *records = (wvl_block_record *)(void *)(code->host + l->batch_records);
    uint32_t *ranges = (uint32_t *)(void *)(code->host + l->batch_ranges);
    uint32_t *blocks = (uint32_t *)(void *)(code->host + l->batch_blocks);
    if (!can_answer(code, order)) {
        return WVL_ERROR_UNSUPPORTED;
    }
    if (!code->is_settled) {
        code->is_settled = 1;
        code->status = code->coder->settle_wave(code);
    }
    if (code->status != WVL_OK) {
        return code->status;
    }
    *batch = (wvl_block_batch){.records = records,
                               .ranges = ranges,
                               .blocks = blocks,
                               .bytes = list_chunks(code->bytes, code->byte_room, code->chunks),
                               .passes = list_chunks(code->passes, code->pass_room, code->pass_chunks)};
    for (uint64_t i = 0; i < order->range_count; i++) {
        const wvl_block_range *range = &order->ranges[i];
        uint64_t first = 0;
        for (uint32_t t = 0; t < range->tile; t++) {
            first += code->tiles[t].block_count;
        }
        first += code->tiles[range->tile].bands[range->band].first_block;
        for (uint32_t b = range->first; b < range->first + range->count; b++, batch->count++) {
            put_record(code, order, range, first + b, &records[batch->count]);
            ranges[batch->count] = (uint32_t)i;
            blocks[batch->count] = b;
        }
    }
    return WVL_OK;
}
