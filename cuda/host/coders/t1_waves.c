/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Part 1 blocks of jobs of waves (wave_coder.h). All passes of every block are coded: rate control and packets of the
 * CPU take from them what they want.
 *
 * Blocks are coded in portions that follow one another in the stream. A portion has the memory at layout->work to
 * itself: tables, plane words, lists, codewords. What is coded leaves it for the memory at layout->coded
 * (wvl_t1_gather). So little memory means more portions, and one block is enough for a portion.
 */

#include "base/alloc.h"
#include "base/try.h"
#include "codec/core/t1_bound.h"
#include "cuda/host/coders/region_tables.h"
#include "cuda/host/coders/wave_coder.h"

#define QUEUED_SHARE 2u           /* queued portions get this share of what their blocks may need: D-device-17 */
#define MOST_WORK (1ull << 31)    /* bytes that a workspace asks for; more would not code faster */
#define PORTION_TABLES 12u        /* each on a place of its own: up to 256 bytes between two */
#define PORTION_BLOCKS (1u << 22) /* the kernels' limit */
#define ROOM_SLACK 32u            /* bytes of a codeword: its end, and what a short one takes beside its bits */

/* ---- Sizes ----------------------------------------------------------------------------------- */

static uint32_t count_passes(const wvl_cuda_t1_block *b) { return b->planes ? 3u * b->planes - 2 : 0; }

static uint64_t count_samples(const wvl_cuda_t1_block *b) { return (uint64_t)b->width * b->height; }

/* Measures scratch memory, whatever the samples are. */
static uint64_t measure_scratch(const wvl_plan *plan, const wvl_cuda_t1_block *b)
{
    return wvl_cuda_t1_measure_scratch(b) + (plan->rate.rate_control ? wvl_cuda_t1_measure_values(b) : 0);
}

/* Measures the tables of a portion. */
static uint64_t measure_tables(const wvl_plan *plan, const wvl_cuda_t1_block *b)
{
    uint64_t bytes = sizeof(wvl_cuda_t1_record) + sizeof(wvl_cuda_t1_state) + (1u + b->planes) * sizeof(uint32_t);
    if (plan->rate.rate_control) {
        bytes += sizeof(wvl_cuda_t1_gains) + WVL_CUDA_T1_MOST_PASSES * sizeof(wvl_cuda_t1_pass);
    }
    if (plan->syntax.region_count) {
        bytes += sizeof(wvl_cuda_t1_block) + sizeof(wvl_cuda_t1_lift);
    }
    return bytes + (wvl_cuda_t1_may_copy(b) ? count_samples(b) * sizeof(uint32_t) : 0);
}

static uint64_t measure_work(const wvl_plan *plan, const wvl_cuda_t1_block *b, uint32_t share)
{
    return measure_tables(plan, b) + wvl_align_up(measure_scratch(plan, b) / share, 16);
}

/* Measures the output: bytes, then passes. */
static uint64_t measure_coded(const wvl_plan *plan, const wvl_cuda_t1_block *b, uint64_t bytes)
{
    uint64_t pass_bytes = sizeof(wvl_pass) + (plan->rate.rate_control ? sizeof(int64_t) + sizeof(uint16_t) : 0);
    return wvl_align_up(bytes, 16) + wvl_align_up(count_passes(b) * pass_bytes, 16);
}

static uint64_t bound_coded(const wvl_plan *plan, const wvl_cuda_t1_block *b)
{
    return measure_coded(plan, b, wvl_t1_bound_bytes(b->width, b->height, b->planes, b->style));
}

/* Returns what it takes if coding saves nothing: samples with all of their bits. What takes more goes another way
 * (code_rest).
 */
static uint64_t expect_coded(const wvl_plan *plan, const wvl_cuda_t1_block *b)
{
    uint64_t ends = b->style & (WVL_STYLE_TERMALL | WVL_STYLE_BYPASS) ? 3u * count_passes(b) : 0;
    return wvl_min_u64(bound_coded(plan, b),
                       measure_coded(plan, b, count_samples(b) * (b->planes + 2u) / 8 + ends + ROOM_SLACK));
}

typedef struct sizes {
    uint64_t work, least_work, output, least_output, bound;
} sizes;

/* Returns the bytes of memory for these coded bytes, behind the list of its chunks. */
static uint64_t count_head(uint64_t bytes)
{
    return wvl_align_up(((bytes >> WVL_CHUNK_LOG2) + 1) * sizeof(uint8_t *), 16);
}

static void measure_band(void *user, const wvl_cuda_walk_band *at)
{
    sizes *s = user;
    const wvl_plan *plan = at->view->plan;
    wvl_cuda_t1_block cell = wvl_cuda_describe_t1_cell(at->band, at->coding);
    cell.in_region = at->coding->region == WVL_REGION_PART ? at->coding->region_shift : cell.in_region;
    s->work = wvl_add_saturate(s->work, wvl_mul_saturate(at->count, measure_work(plan, &cell, QUEUED_SHARE)));
    s->output = wvl_add_saturate(s->output, wvl_mul_saturate(at->count, expect_coded(plan, &cell)));
    s->least_work = wvl_max_u64(s->least_work, measure_work(plan, &cell, 1));
    s->least_output = wvl_max_u64(s->least_output, bound_coded(plan, &cell));
    s->bound = wvl_add_saturate(s->bound, wvl_mul_saturate(at->count, bound_coded(plan, &cell)));
}

void wvl_cuda_measure_t1_wave(const wvl_cuda_coder_view *v, wvl_cuda_layout *l)
{
    sizes s = {0, 0, 0, 0, 0};
    wvl_cuda_walk_bands(v, 0, 0, measure_band, &s);
    l->output_bytes = wvl_max_u64(s.output, s.least_output);
    l->coded_bytes = s.least_output; /* until memory that is free beside is known */
    l->work_least = s.least_work + PORTION_TABLES * 256;
    l->work_bytes = wvl_max_u64(wvl_min_u64(s.work, MOST_WORK) + PORTION_TABLES * 256, l->work_least);
    s.bound = wvl_add_saturate(s.bound, l->output_bytes);
    l->spill_bytes = wvl_add_saturate(s.bound, count_head(s.bound));
    l->rect_count = wvl_cuda_measure_regions(v).rects;
}

/* ---- Places ---------------------------------------------------------------------------------- */

static void place_up(const wvl_plan *plan, wvl_cuda_layout *l, uint64_t *end)
{
    if (plan->rate.rate_control) {
        l->code_weights = wvl_cuda_place(end, l->block_count, sizeof(wvl_cuda_t1_weight));
    }
    if (wvl_cuda_has_rects(plan)) {
        l->code_regions = wvl_cuda_place(end, l->block_count, sizeof(wvl_cuda_t1_region));
        l->code_rects = wvl_cuda_place(end, l->rect_count, sizeof(wvl_cuda_t1_rect));
    }
}

static void place_below(wvl_cuda_layout *l, uint64_t *end)
{
    l->coded_bytes = wvl_cuda_extend_coded(l, l->coded_bytes, end);
    l->coded_more = wvl_align_up(l->output_bytes - wvl_min_u64(l->output_bytes, l->coded_bytes), 256);
    l->device_least = *end;
    l->work = wvl_cuda_place(&l->device_least, l->work_least, 1);
    (void)wvl_cuda_place(end, wvl_add_saturate(l->coded_more, l->work_bytes), 1);
}

void wvl_cuda_place_t1_wave(const wvl_plan *plan, wvl_cuda_wave_part part, wvl_cuda_layout *l, uint64_t *end)
{
    switch (part) {
    case WVL_CUDA_PART_UP: place_up(plan, l, end); break;
    case WVL_CUDA_PART_DOWN:
        l->records = wvl_cuda_place(end, l->block_count, sizeof(wvl_cuda_t1_coded));
        l->counters = wvl_cuda_place(end, 1, sizeof(uint32_t));
        break;
    case WVL_CUDA_PART_BELOW: place_below(l, end); break;
    case WVL_CUDA_PART_HOST: break; /* passes come with the bytes */
    }
}

/* ---- Portions -------------------------------------------------------------------------------- */

static wvl_cuda_t1_block *blocks_of(const wvl_cuda_code *code)
{
    return (wvl_cuda_t1_block *)(void *)(code->pinned + code->layout->code_blocks);
}
static wvl_cuda_t1_weight *weights_of(const wvl_cuda_code *code)
{
    return (wvl_cuda_t1_weight *)(void *)(code->pinned + code->layout->code_weights);
}
static wvl_cuda_t1_region *regions_of(const wvl_cuda_code *code)
{
    return (wvl_cuda_t1_region *)(void *)(code->pinned + code->layout->code_regions);
}

/* How many blocks from `first` on, of `count`, have enough memory. room: of the output; UINT64_MAX: it does not count.
 */
static uint32_t fit_portion(const wvl_cuda_code *code, uint32_t first, uint32_t count, uint32_t share, uint64_t room)
{
    const wvl_cuda_t1_block *blocks = blocks_of(code);
    uint64_t work = PORTION_TABLES * 256, output = 0;
    uint32_t n = 0;
    for (; first + n < count && n < PORTION_BLOCKS; n++) {
        work += measure_work(code->plan, &blocks[first + n], share);
        output += room == UINT64_MAX ? 0 : bound_coded(code->plan, &blocks[first + n]);
        if (n && (work > code->work_bytes || output > room)) {
            break;
        }
    }
    return n;
}

static uint32_t queued_portion(const wvl_cuda_code *code, uint32_t first)
{
    return fit_portion(code, first, (uint32_t)code->layout->block_count, QUEUED_SHARE, UINT64_MAX);
}

/* For coded bytes of a launch: on the device, and in pinned memory. */
static uint64_t count_room(const wvl_cuda_code *code)
{
    return wvl_min_u64(code->room_bytes, code->layout->output_bytes);
}

static uint64_t count_copies(const wvl_cuda_code *code, uint32_t first, uint32_t count)
{
    const wvl_cuda_t1_block *blocks = blocks_of(code);
    uint64_t bytes = 0;
    for (uint32_t i = first; i < first + count; i++) {
        bytes += wvl_cuda_t1_may_copy(&blocks[i]) ? count_samples(&blocks[i]) * sizeof(uint32_t) : 0;
    }
    return bytes;
}

/* Blocks as they are coded take the place of those that the host has listed. */
static void place_regions(const wvl_cuda_code *code, uint32_t first, uint32_t count, uint64_t *end,
                          wvl_cuda_t1_job *job)
{
    const wvl_cuda_layout *l = code->layout;
    job->originals = job->blocks;
    job->regions = code->address + l->code_regions + first * sizeof(wvl_cuda_t1_region);
    job->rects = code->address + l->code_rects;
    job->blocks = wvl_cuda_place(end, count, sizeof(wvl_cuda_t1_block));
    job->lifts = wvl_cuda_place(end, count, sizeof(wvl_cuda_t1_lift));
    job->copies = wvl_cuda_place(end, count_copies(code, first, count), 1) - regions_of(code)[first].copy;
}

/* The job of a portion whose tables are uploaded; the lists are sorted again where they are not given. */
static wvl_cuda_t1_job set_job(const wvl_cuda_code *code, uint32_t first, uint32_t count)
{
    const wvl_cuda_layout *l = code->layout;
    wvl_cuda_address at = code->address;
    uint64_t end = at + code->work_at, last = end + code->work_bytes;
    wvl_cuda_t1_job job = {.blocks = at + l->code_blocks + first * sizeof(wvl_cuda_t1_block),
                           .lists = at + l->code_order + first * sizeof(uint32_t),
                           .coded = at + l->records + first * sizeof(wvl_cuda_t1_coded),
                           .output = at + l->coded,
                           .output_units = (uint32_t)wvl_min_u64(count_room(code) / 16, UINT32_MAX),
                           .output_taken = at + l->counters};
    wvl_cuda_t1_sort(blocks_of(code) + first, count, NULL, &job);
    (void)wvl_cuda_set_pace(code->device, wvl_cuda_find_pace(code->plan, atomic_load(&code->device->in_flight)), &job,
                            NULL);
    job.records = wvl_cuda_place(&end, count, sizeof(wvl_cuda_t1_record));
    job.states = wvl_cuda_place(&end, count, sizeof(wvl_cuda_t1_state));
    job.order = wvl_cuda_place(&end, count, sizeof(uint32_t));
    job.items = wvl_cuda_place(&end, wvl_cuda_t1_count_items(&job), sizeof(uint32_t));
    job.counters = wvl_cuda_place(&end, WVL_CUDA_T1_COUNTERS, sizeof(uint32_t));
    if (code->plan->rate.rate_control) {
        job.gains = wvl_cuda_place(&end, count, sizeof(wvl_cuda_t1_gains));
        job.passes = wvl_cuda_place(&end, (uint64_t)count * WVL_CUDA_T1_MOST_PASSES, sizeof(wvl_cuda_t1_pass));
        job.hull_weights = at + l->code_weights + first * sizeof(wvl_cuda_t1_weight);
        job.gain_exponent = code->plan->rate.gain_exponent;
    }
    if (wvl_cuda_has_rects(code->plan)) {
        place_regions(code, first, count, &end, &job);
    }
    job.scratch = end;
    job.scratch_units = (uint32_t)wvl_min_u64(last > end ? (last - end) / 16 : 0, UINT32_MAX);
    return job;
}

static wvl_cuda_status launch(const wvl_cuda_code *code, uint32_t first, uint32_t count)
{
    const wvl_device *device = code->device;
    wvl_cuda_route route = wvl_cuda_to_stream(code->stream);
    wvl_cuda_t1_job job = set_job(code, first, count);
    wvl_cuda_status status = wvl_cuda_t1_launch_lifts(&device->t1, &job, route);
    TRY(status, wvl_cuda_t1_launch_words(&device->t1, &job, route));
    if (job.gains) {
        TRY(status, wvl_cuda_t1_launch_settled(&device->t1, &job, route));
    }
    TRY(status, wvl_cuda_t1_launch_lists(&device->t1, &job, route));
    TRY(status, wvl_cuda_t1_launch_mq(&device->t1, &job, route));
    if (job.gains) {
        TRY(status, wvl_cuda_t1_launch_hulls(&device->t1, &job, route));
    }
    return status ? status : wvl_cuda_t1_launch_gather(&device->t1, &job, route);
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

static void sort_portion(const wvl_cuda_code *code, uint32_t first, uint32_t count)
{
    wvl_cuda_t1_job unused;
    wvl_cuda_t1_sort(blocks_of(code) + first, count,
                     (uint32_t *)(void *)(code->pinned + code->layout->code_order) + first, &unused);
}

void wvl_cuda_build_t1_wave(wvl_cuda_code *code)
{
    const wvl_cuda_layout *l = code->layout;
    const wvl_cuda_coder_view view = {.plan = code->plan, .tiles = code->tiles, .tile_count = code->tile_count};
    if (code->plan->rate.rate_control) {
        wvl_cuda_walk_blocks(&view, 0, 0, wvl_cuda_put_t1_weight, weights_of(code));
    }
    if (wvl_cuda_has_rects(code->plan)) {
        wvl_cuda_fill_regions(&view, regions_of(code), (wvl_cuda_t1_rect *)(void *)(code->pinned + l->code_rects));
    }
    for (uint32_t first = 0, n; first < l->block_count; first += n) {
        n = queued_portion(code, first);
        sort_portion(code, first, n);
    }
}

static wvl_cuda_status clear_output(const wvl_cuda_code *code)
{
    return code->device->runtime->fill(code->address + code->layout->counters, 0, sizeof(uint32_t), code->stream);
}

wvl_cuda_status wvl_cuda_queue_t1_wave(wvl_cuda_code *code)
{
    wvl_cuda_status status = clear_output(code);
    for (uint32_t first = 0, n; first < code->layout->block_count && !status; first += n) {
        n = queued_portion(code, first);
        status = launch(code, first, n);
    }
    return status;
}

/* ---- Results --------------------------------------------------------------------------------- */

static wvl_cuda_done describe(const wvl_cuda_t1_coded *coded, uint64_t base)
{
    return (wvl_cuda_done){.bytes_at = base + 16ull * coded->place,
                           .passes_at = base + 16ull * coded->place + wvl_align_up(coded->bytes, 16),
                           .bytes = coded->bytes,
                           .pass_count = coded->passes,
                           .planes = coded->planes,
                           .zero_planes = coded->zero_planes,
                           .lift = coded->lift,
                           .energy_shift = coded->energy_shift,
                           .energy = coded->energy};
}

/* Moves a block, so that the first of the table are those that are left. */
static void move_block(const wvl_cuda_code *code, uint32_t from, uint32_t to)
{
    blocks_of(code)[to] = blocks_of(code)[from];
    if (code->plan->rate.rate_control) {
        weights_of(code)[to] = weights_of(code)[from];
    }
    if (wvl_cuda_has_rects(code->plan)) {
        regions_of(code)[to] = regions_of(code)[from];
    }
}

/* Takes over the first `done` of `count` blocks of the table, which a launch has coded. index NULL: they are the blocks
 * of the job. Returns how many are left: the first of the table, whose numbers go to left[], which may be index. */
static uint32_t take_blocks(wvl_cuda_code *code, uint32_t done, uint32_t count, const uint32_t *index, uint32_t *left)
{
    const wvl_cuda_layout *l = code->layout;
    const wvl_cuda_t1_coded *coded = (const wvl_cuda_t1_coded *)(const void *)(code->pinned + l->records);
    wvl_cuda_done *to = (wvl_cuda_done *)(void *)(code->host + l->done);
    uint32_t left_count = 0;
    code->output_used = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = index ? index[i] : i;
        if (i >= done || coded[i].flags & WVL_CUDA_T1_LEFT) {
            move_block(code, i, left_count);
            left[left_count++] = id;
            code->built_count = 0;
            continue;
        }
        to[id] = describe(&coded[i], code->spill_used);
        if (coded[i].passes) {
            uint64_t end = to[id].passes_at - code->spill_used + measure_coded(code->plan, &blocks_of(code)[i], 0);
            code->output_used = wvl_max_u64(code->output_used, wvl_min_u64(end, count_room(code)));
        }
    }
    return left_count;
}

/* ---- Blocks that found no room --------------------------------------------------------------- */

/* Memory for all that is coded, what is there and the most that is to come. 0: there is none. */
static int open_spill(wvl_cuda_code *code, uint32_t left_count)
{
    uint64_t room = code->output_used;
    for (uint32_t i = 0; i < left_count; i++) {
        room = wvl_add_saturate(room, bound_coded(code->plan, &blocks_of(code)[i]));
    }
    uint64_t head = count_head(room);
    code->spill_bytes = wvl_add_saturate(head, room);
    code->spill = wvl_alloc(&code->device->host, code->spill_bytes);
    if (!code->spill) {
        return 0;
    }
    code->chunks = code->pass_chunks = (const uint8_t **)(void *)code->spill;
    code->bytes = code->passes = code->spill + head;
    code->byte_room = code->pass_room = room;
    return 1;
}

static void keep_output(wvl_cuda_code *code)
{
    memcpy(code->bytes + code->spill_used, code->pinned + code->layout->output, (size_t)code->output_used);
    code->spill_used += code->output_used;
}

/* Copies of samples lie side by side. */
static void set_copies(const wvl_cuda_code *code, uint32_t count)
{
    uint64_t copy = 0;
    for (uint32_t i = 0; wvl_cuda_has_rects(code->plan) && i < count; i++) {
        regions_of(code)[i].copy = copy;
        copy += count_copies(code, i, 1);
    }
}

static wvl_cuda_status run_portion(wvl_cuda_code *code, uint32_t count)
{
    const wvl_cuda_layout *l = code->layout;
    const wvl_cuda_runtime *rt = code->device->runtime;
    wvl_cuda_status status = rt->upload(code->address + l->code_blocks, code->pinned + l->code_blocks,
                                        (size_t)(l->items - l->code_blocks), code->stream);
    TRY(status, clear_output(code));
    TRY(status, launch(code, 0, count));
    TRY(status, rt->download(code->pinned + l->records, code->address + l->records, count * sizeof(wvl_cuda_t1_coded),
                             code->stream));
    return wvl_cuda_await_code(code, status);
}

/* In portions for which there is room whatever the samples are. What the output holds leaves it before each. */
static wvl_status code_rest(wvl_cuda_code *code, uint32_t left_count)
{
    uint32_t *left = (uint32_t *)(void *)(code->host + code->layout->left);
    if (left_count && !open_spill(code, left_count)) {
        return WVL_ERROR_MEMORY;
    }
    while (left_count) {
        uint32_t before = left_count, count = fit_portion(code, 0, left_count, 1, count_room(code));
        keep_output(code);
        set_copies(code, left_count);
        sort_portion(code, 0, count);
        wvl_cuda_status failed = wvl_cuda_enter(code->device);
        if (!failed) {
            failed = run_portion(code, count);
            wvl_cuda_leave(code->device);
        }
        if (failed) {
            return wvl_cuda_note_status(code->device, failed);
        }
        left_count = take_blocks(code, count, left_count, left, left);
        wvl_status status = left_count < before ? wvl_cuda_fetch_output(code, 0, code->output_used) : WVL_ERROR_MEMORY;
        if (status != WVL_OK) {
            return status;
        }
    }
    if (code->spill) {
        keep_output(code);
    }
    return WVL_OK;
}

/* Blocks that may be copied have planes beside those of their bounds. */
static int are_bounded(const wvl_cuda_code *code)
{
    const wvl_cuda_t1_block *blocks = blocks_of(code);
    for (uint64_t i = 0; i < code->layout->block_count; i++) {
        unsigned more = wvl_cuda_t1_may_copy(&blocks[i]) ? blocks[i].in_region : 0;
        if (!wvl_cuda_is_bounded(code, i, blocks[i].frac_bits, blocks[i].planes - more)) {
            return 0;
        }
    }
    return 1;
}

wvl_status wvl_cuda_settle_t1_wave(wvl_cuda_code *code)
{
    uint32_t count = (uint32_t)code->layout->block_count;
    if (!are_bounded(code)) {
        return WVL_ERROR_INTERNAL;
    }
    code->passes = code->bytes;
    code->pass_room = code->byte_room;
    code->pass_chunks = code->chunks;
    uint32_t left_count = take_blocks(code, count, count, NULL, (uint32_t *)(void *)(code->host + code->layout->left));
    wvl_status status = wvl_cuda_fetch_output(code, 0, code->output_used);
    return status == WVL_OK ? code_rest(code, left_count) : status;
}
