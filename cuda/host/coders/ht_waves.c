/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/host/coders/wave_coder.h"

#include <string.h>

#include "base/alloc.h"
#include "base/intmath.h"
#include "codec/core/hull.h"
#include "cuda/host/coders/block_walk.h"
#include "geom/handover.h"

#define PASSES_ALL 255u  /* as wvl_block_input.max_passes */
#define SCRATCH_SHARE 2u /* of the most that blocks may need; ordinary pictures take a quarter of it */

/* ---- Plans ----------------------------------------------------------------------------------- */

/* NULL: HT blocks of the plan are coded on the device. */
static const char *refuse_ht(const wvl_plan *plan)
{
    if (plan->test.all_sets || plan->rate.rdoq || plan->rate.follows_step) {
        return "HT blocks with a target or a limit (bytes, PSNR, slope) are coded on the CPU in jobs of waves";
    }
    return plan->syntax.region_count || plan->syntax.layer_count > 1
               ? "HT blocks with regions or layers are coded on the CPU"
               : NULL;
}

static const char *refuse_t1(const wvl_plan *plan)
{
    if (plan->rate.rdoq) {
        return "blocks with rdoq follow a survey of slopes, which is made on the CPU in jobs of waves";
    }
    return plan->syntax.region_count > UINT16_MAX ? "blocks with more than 65535 regions are coded on the CPU" : NULL;
}

static const wvl_cuda_code_kind code_ht;

/* Blocks of a picture are all HT, or none is. */
const wvl_cuda_code_kind *wvl_cuda_choose_code(const wvl_plan *plan, const char **why)
{
    int is_ht = (plan->syntax.codings[0].style & WVL_STYLE_HT) != 0;
    const wvl_cuda_code_kind *kind = is_ht ? &code_ht : &wvl_cuda_code_t1;
    const char *refused = is_ht ? refuse_ht(plan) : refuse_t1(plan);
    *why = refused ? refused : *why;
    return refused ? NULL : kind;
}

/* A block of the band, of the shape of its slot: none is larger. */
static wvl_cuda_ht_block describe_slot(const wvl_plan *plan, const wvl_tile_band *band, const wvl_coding *coding)
{
    return (wvl_cuda_ht_block){
        .stride = band->slot_width,
        .width = (uint16_t)band->slot_width,
        .height = (uint16_t)band->slot_height,
        .coef_bytes = band->coef_bytes,
        .frac_bits = band->frac_bits,
        .style = (uint8_t)coding->style,
        .reversible = coding->reversible,
        .max_passes = PASSES_ALL,
        .set_passes = plan->rate.ht_passes,
        .planes = band->planes,
    };
}

/* Bytes of scratch memory and of output that hold whatever the blocks are: of all, and of the largest. */
static void measure_slots(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, uint64_t *scratch,
                          uint64_t *largest, uint64_t *output)
{
    *scratch = *largest = *output = 0;
    for (uint32_t t = 0; t < tile_count; t++) {
        for (uint32_t b = 0; b < tiles[t].band_count; b++) {
            const wvl_tile_band *band = &tiles[t].bands[b];
            uint64_t blocks = (uint64_t)band->block_cols * band->block_rows;
            wvl_cuda_ht_block slot = describe_slot(plan, band, &plan->syntax.codings[0]);
            wvl_cuda_ht_memory m = wvl_cuda_ht_measure(&slot, 1, 0);
            *scratch = blocks ? wvl_add_saturate(*scratch, wvl_mul_saturate(blocks, m.most_scratch)) : *scratch;
            *output = blocks ? wvl_add_saturate(*output, wvl_mul_saturate(blocks, m.most_output)) : *output;
            *largest = blocks ? wvl_max_u64(*largest, m.most_scratch) : *largest;
        }
    }
}

/* Scratch memory is such that few pictures need a second part. */
static void measure(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, wvl_cuda_layout *l)
{
    uint64_t scratch, largest;
    measure_slots(plan, tiles, tile_count, &scratch, &largest, &l->output_bytes);
    l->scratch_bytes = wvl_max_u64(scratch / SCRATCH_SHARE, largest);
}

uint64_t wvl_cuda_measure_most_scratch(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count)
{
    uint64_t scratch, largest, output;
    measure_slots(plan, tiles, tile_count, &scratch, &largest, &output);
    return scratch;
}

/* Of the pass of a block, with gain and slope where the plan has them. */
static uint64_t count_pass_bytes(const wvl_plan *plan)
{
    uint64_t bytes = sizeof(wvl_pass) + (plan->rate.rate_control ? sizeof(int64_t) + sizeof(uint16_t) : 0);
    return wvl_align_up(bytes, sizeof(int64_t));
}

static void place_up(const wvl_plan *plan, wvl_cuda_layout *l, uint64_t *end)
{
    (void)plan;
    l->code_blocks = wvl_cuda_place(end, l->block_count, sizeof(wvl_cuda_ht_block));
    l->code_order = wvl_cuda_place(end, l->block_count, sizeof(uint32_t));
    l->code_group = wvl_cuda_place(end, 1, sizeof(wvl_cuda_ht_group));
}

static void place_down(const wvl_plan *plan, wvl_cuda_layout *l, uint64_t *end)
{
    l->records = wvl_cuda_place(end, l->block_count, sizeof(wvl_cuda_ht_record));
    l->sums = wvl_cuda_place(end, plan->rate.rate_control ? l->block_count : 0, sizeof(wvl_cuda_ht_sums));
    l->counters = wvl_cuda_place(end, WVL_CUDA_HT_COUNTERS, sizeof(uint32_t));
}

/* A launch codes no more bytes than its scratch memory holds. */
static void place_below(const wvl_plan *plan, wvl_cuda_layout *l, uint64_t *end)
{
    (void)plan;
    l->coded_bytes = wvl_cuda_extend_coded(l, wvl_min_u64(l->scratch_bytes, l->output_bytes), end);
    l->parts = wvl_cuda_place(end, l->block_count, sizeof(wvl_cuda_ht_part));
    l->totals = wvl_cuda_place(end, l->block_count, sizeof(uint32_t));
    l->places = wvl_cuda_place(end, l->block_count, sizeof(uint64_t));
    l->scratch = wvl_cuda_place(end, l->scratch_bytes, 1);
    l->device_least = *end;
}

static void place_host(const wvl_plan *plan, wvl_cuda_layout *l, uint64_t *end)
{
    uint64_t pass_bytes = l->block_count * count_pass_bytes(plan);
    l->passes = wvl_cuda_place(end, pass_bytes, 1);
    l->pass_chunks = wvl_cuda_place(end, (pass_bytes >> WVL_CHUNK_LOG2) + 1, sizeof(uint8_t *));
}

/* ---- Tables ---------------------------------------------------------------------------------- */

typedef struct block_table {
    const wvl_plan *plan;
    wvl_cuda_ht_block *blocks;
} block_table;

static void put_block(void *user, uint64_t index, const wvl_cuda_walk_block *from)
{
    const block_table *table = user;
    wvl_cuda_ht_block *b = &table->blocks[index];
    *b = describe_slot(table->plan, from->band, from->coding);
    b->coefs = from->coefs;
    b->bound = from->bound;
    b->width = from->width;
    b->height = from->height;
}

void wvl_cuda_list_blocks(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, uint64_t coefs,
                          uint64_t bounds, wvl_cuda_ht_block *blocks)
{
    block_table table = {plan, blocks};
    wvl_cuda_walk_blocks(plan, tiles, tile_count, coefs, bounds, put_block, &table);
}

static wvl_cuda_ht_block *table_of(const wvl_cuda_code *code)
{
    return (wvl_cuda_ht_block *)(void *)(code->pinned + code->layout->code_blocks);
}

/* One group: all bytes side by side. */
static void build_order(wvl_cuda_code *code, uint32_t count)
{
    const wvl_cuda_layout *l = code->layout;
    wvl_cuda_ht_sort(table_of(code), count, (uint32_t *)(void *)(code->pinned + l->code_order), &code->job);
    *(wvl_cuda_ht_group *)(void *)(code->pinned + l->code_group) =
        (wvl_cuda_ht_group){.output = code->address + l->coded,
                            .output_bytes = wvl_min_u64(code->room_bytes, l->output_bytes - code->output_used),
                            .count = count};
    code->job.group_count = 1;
    code->job.group_most = count;
}

static void build_job(wvl_cuda_code *code)
{
    const wvl_cuda_layout *l = code->layout;
    wvl_cuda_address at = code->address;
    code->job = (wvl_cuda_ht_job){.blocks = at + l->code_blocks,
                                  .order = at + l->code_order,
                                  .groups = at + l->code_group,
                                  .records = at + l->records,
                                  .sums = code->plan->rate.rate_control ? at + l->sums : 0,
                                  .parts = at + l->parts,
                                  .totals = at + l->totals,
                                  .places = at + l->places,
                                  .scratch = at + l->scratch,
                                  .counters = at + l->counters,
                                  .scratch_units = (uint32_t)wvl_min_u64(l->scratch_bytes / 16, UINT32_MAX)};
}

static void build(wvl_cuda_code *code)
{
    wvl_cuda_list_blocks(code->plan, code->tiles, code->tile_count, code->address + code->layout->coefs,
                         code->address + code->layout->bounds, table_of(code));
    build_job(code);
    build_order(code, (uint32_t)code->layout->block_count);
}

static wvl_cuda_status queue(wvl_cuda_code *code)
{
    return wvl_cuda_ht_launch(&code->device->ht, &code->job, wvl_cuda_to_stream(code->stream));
}

/* ---- Results --------------------------------------------------------------------------------- */

/* What the CPU's coder says of the block. sums NULL: gains are not wanted. */
static void describe(const wvl_cuda_ht_block *block, const wvl_cuda_ht_record *record, const wvl_cuda_ht_sums *sums,
                     wvl_cuda_done *done)
{
    wvl_pass passes[WVL_CUDA_HT_MOST_PASSES];
    wvl_block_output out = {.passes = passes};
    wvl_cuda_ht_describe(block, record, &out);
    if (sums) {
        wvl_cuda_ht_weigh(block, sums, &out);
    }
    *done = (wvl_cuda_done){.bytes = out.length,
                            .samples = (uint16_t)(block->width * block->height),
                            .pass_count = (uint8_t)out.pass_count,
                            .planes = (uint8_t)out.planes,
                            .zero_planes = (uint8_t)(block->planes - out.planes),
                            .energy_shift = out.energy_shift,
                            .energy = out.energy,
                            .gain_quarters = out.pass_count ? passes[0].gain_quarters : 0};
}

/* Takes over what a part has coded, behind the parts before, and how many bytes that are. index NULL: it had all
 * blocks. Returns how many are left: they become the first of the table, and their numbers go to left[], which may be
 * index. */
static uint32_t take_part(wvl_cuda_code *code, uint32_t count, const uint32_t *index, uint32_t *left, uint64_t *bytes)
{
    const wvl_cuda_layout *l = code->layout;
    wvl_cuda_ht_block *blocks = table_of(code);
    const wvl_cuda_ht_record *records = (const wvl_cuda_ht_record *)(const void *)(code->pinned + l->records);
    const wvl_cuda_ht_sums *sums = (const wvl_cuda_ht_sums *)(const void *)(code->pinned + l->sums);
    wvl_cuda_done *done = (wvl_cuda_done *)(void *)(code->host + l->done);
    uint64_t used = 0;
    uint32_t left_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = index ? index[i] : i;
        if (records[i].flags & WVL_CUDA_HT_LEFT) {
            blocks[left_count] = blocks[i];
            left[left_count++] = id;
            code->built_count = 0;
            continue;
        }
        describe(&blocks[i], &records[i], code->plan->rate.rate_control ? &sums[i] : NULL, &done[id]);
        done[id].bytes_at = code->output_used + records[i].offset;
        done[id].passes_at = id * count_pass_bytes(code->plan);
        used = wvl_max_u64(used, done[id].bytes ? records[i].offset + done[id].bytes : 0);
    }
    *bytes = used;
    return left_count;
}

static wvl_cuda_status run_part(wvl_cuda_code *code)
{
    const wvl_cuda_layout *l = code->layout;
    const wvl_cuda_runtime *rt = code->device->runtime;
    wvl_cuda_status status = rt->upload(code->address + l->code_blocks, code->pinned + l->code_blocks,
                                        (size_t)(l->items - l->code_blocks), code->stream);
    status = status ? status : queue(code);
    status = status ? status
                    : rt->download(code->pinned + l->records, code->address + l->records,
                                   (size_t)(l->coefs - l->records), code->stream);
    return wvl_cuda_await_code(code, status);
}

static wvl_status fetch_part(wvl_cuda_code *code, uint64_t bytes)
{
    wvl_status status = wvl_cuda_fetch_output(code, code->output_used, bytes);
    code->output_used += bytes;
    return status;
}

/* Blocks that are left, again and again: scratch memory holds any one of them, so each part codes some. */
static wvl_status code_rest(wvl_cuda_code *code, uint32_t left_count)
{
    uint32_t *left = (uint32_t *)(void *)(code->host + code->layout->left);
    while (left_count) {
        uint32_t count = left_count;
        uint64_t bytes;
        build_order(code, count);
        wvl_cuda_status failed = wvl_cuda_enter(code->device);
        if (!failed) {
            failed = run_part(code);
            wvl_cuda_leave(code->device);
        }
        if (failed) {
            return wvl_cuda_note_status(code->device, failed);
        }
        left_count = take_part(code, count, left, left, &bytes);
        wvl_status status = left_count < count ? fetch_part(code, bytes) : WVL_ERROR_MEMORY;
        if (status != WVL_OK) {
            return status;
        }
    }
    return WVL_OK;
}

static wvl_status settle(wvl_cuda_code *code)
{
    const wvl_cuda_layout *l = code->layout;
    const wvl_cuda_ht_block *blocks = table_of(code);
    for (uint64_t i = 0; i < l->block_count; i++) {
        if (!wvl_cuda_is_bounded(code, i, blocks[i].frac_bits, blocks[i].planes)) {
            return WVL_ERROR_INTERNAL;
        }
    }
    uint64_t bytes;
    uint32_t *left = (uint32_t *)(void *)(code->host + l->left),
             left_count = take_part(code, (uint32_t)l->block_count, NULL, left, &bytes);
    wvl_status status = fetch_part(code, bytes);
    return status == WVL_OK ? code_rest(code, left_count) : status;
}

/* The pass with its gain, and its place on the hull of one pass. */
static void put_passes(const wvl_cuda_code *code, const wvl_band_coding *band, const wvl_cuda_done *done, uint8_t *at)
{
    wvl_pass pass = {
        .gain_quarters = done->gain_quarters, .final_bytes = done->bytes, .flags = WVL_PASS_SET | WVL_PASS_TERM};
    memcpy(at, &pass, sizeof pass);
    if (code->plan->rate.rate_control) {
        wvl_hull hull;
        int64_t energy = wvl_rate_weigh_energy(band, code->plan->rate.gain_exponent, done->energy, done->energy_shift);
        wvl_hull_init(&hull, band, code->plan->rate.gain_exponent, done->planes, energy, done->samples);
        wvl_hull_put_pass(&hull, &pass);
        wvl_hull_fetch(&hull, (uint16_t *)(void *)(at + sizeof pass + sizeof(int64_t)),
                       (int64_t *)(void *)(at + sizeof pass));
    }
}

static const wvl_cuda_code_kind code_ht = {.measure = measure,
                                           .place_up = place_up,
                                           .place_down = place_down,
                                           .place_below = place_below,
                                           .place_host = place_host,
                                           .build = build,
                                           .queue = queue,
                                           .settle = settle,
                                           .put_passes = put_passes};

/* ---- Jobs ------------------------------------------------------------------------------------ */

void wvl_cuda_drop_code(wvl_cuda_code *code)
{
    if (code->spill) {
        wvl_free(&code->device->host, code->spill, code->spill_bytes);
    }
    code->spill = NULL;
    code->spill_bytes = code->spill_used = 0;
}

/* What a slot has beyond the least is for coded bytes and work as the plan has it; both get less where it has less. */
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
    code->passes = code->host + l->passes;
    code->pass_room = l->block_count * count_pass_bytes(code->plan);
    code->pass_chunks = (const uint8_t **)(void *)(code->host + l->pass_chunks);
}

void wvl_cuda_build_code(wvl_cuda_code *code)
{
    start(code);
    if (code->built_count == code->tile_count && code->built_tile == code->tiles[0].index &&
        code->built_strip == code->tiles[0].strip &&
        !memcmp(&code->built_layout, code->layout, sizeof code->built_layout)) {
        return; /* of the picture before */
    }
    code->kind->build(code);
    code->built_tile = code->tiles[0].index;
    code->built_strip = code->tiles[0].strip;
    code->built_layout = *code->layout;
    code->built_count = code->tile_count;
}

wvl_cuda_status wvl_cuda_queue_code(wvl_cuda_code *code) { return code->kind->queue(code); }

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

static void put_record(const wvl_cuda_code *code, const wvl_block_order *order, const wvl_block_run *run, uint64_t id,
                       wvl_block_record *record)
{
    const wvl_cuda_layout *l = code->layout;
    const wvl_tile_plan *tile = &code->tiles[run->tile];
    const wvl_band_coding *band =
        &order->codings[tile->components[run->component].coding].band[tile->bands[run->band].coding_band];
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
    if (done->pass_count && code->kind->put_passes) {
        code->kind->put_passes(code, band, done, code->passes + record->passes_at);
    }
}

/* What these orders never ask for (wvl_cuda_can_code_blocks). */
static int can_answer(const wvl_cuda_code *code, const wvl_block_order *order)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < order->run_count; i++) {
        count += order->runs[i].count;
    }
    return count <= code->layout->block_count && order->which == WVL_BLOCKS_ALL && !order->block_slopes &&
           !order->factors && !order->first_set;
}

wvl_status wvl_cuda_answer_order(wvl_cuda_code *code, const wvl_block_order *order, wvl_block_batch *batch)
{
    const wvl_cuda_layout *l = code->layout;
    wvl_block_record *records = (wvl_block_record *)(void *)(code->host + l->batch_records);
    uint32_t *runs = (uint32_t *)(void *)(code->host + l->batch_runs);
    uint32_t *blocks = (uint32_t *)(void *)(code->host + l->batch_blocks);
    if (!can_answer(code, order)) {
        return WVL_ERROR_UNSUPPORTED;
    }
    if (!code->is_settled) {
        code->is_settled = 1;
        code->status = code->kind->settle(code);
    }
    if (code->status != WVL_OK) {
        return code->status;
    }
    *batch = (wvl_block_batch){.records = records,
                               .runs = runs,
                               .blocks = blocks,
                               .bytes = list_chunks(code->bytes, code->byte_room, code->chunks),
                               .passes = list_chunks(code->passes, code->pass_room, code->pass_chunks)};
    for (uint64_t i = 0; i < order->run_count; i++) {
        const wvl_block_run *run = &order->runs[i];
        uint64_t first = 0;
        for (uint32_t t = 0; t < run->tile; t++) {
            first += code->tiles[t].block_count;
        }
        first += code->tiles[run->tile].bands[run->band].first_block;
        for (uint32_t b = run->first; b < run->first + run->count; b++, batch->count++) {
            put_record(code, order, run, first + b, &records[batch->count]);
            runs[batch->count] = (uint32_t)i;
            blocks[batch->count] = b;
        }
    }
    return WVL_OK;
}
