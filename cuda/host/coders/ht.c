/* SPDX-License-Identifier: BSD-2-Clause */
/* HT blocks, of which all bytes are sent: in jobs of waves and of whole pictures. */
#include "cuda/host/coders/wave_coder.h"

#include "base/try.h"

#define PASSES_ALL 255u  /* as wvl_block_input.max_passes */
#define SCRATCH_SHARE 2u /* of the most that blocks may need; ordinary pictures take a quarter of it */

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* A block of the band, of the shape of its cell: none is larger. */
static wvl_cuda_ht_block describe_cell(const wvl_plan *plan, const wvl_tile_band *band, const wvl_coding *coding)
{
    return (wvl_cuda_ht_block){
        .stride = band->cell_width,
        .width = (uint16_t)band->cell_width,
        .height = (uint16_t)band->cell_height,
        .coef_bytes = band->coef_bytes,
        .frac_bits = band->frac_bits,
        .style = (uint8_t)coding->style,
        .reversible = coding->reversible,
        .max_passes = PASSES_ALL,
        .set_passes = plan->rate.ht_passes,
        .planes = band->planes,
    };
}

static void put_block(void *blocks, uint64_t place, const wvl_cuda_walk_block *from)
{
    wvl_cuda_ht_block *b = (wvl_cuda_ht_block *)blocks + place;
    *b = describe_cell(from->in->view->plan, from->in->band, from->in->coding);
    b->coefs = from->coefs;
    b->bound = from->bound;
    b->width = from->width;
    b->height = from->height;
}

static void list_blocks(const wvl_cuda_coder_view *v, uint64_t coefs, uint64_t bounds, void *blocks)
{
    wvl_cuda_walk_blocks(v, coefs, bounds, put_block, blocks);
}

/* Bytes of scratch memory and of output that hold whatever the blocks are: of all, and of the largest. */
typedef struct sizes {
    uint64_t scratch, largest, output;
} sizes;

static void measure_band(void *user, const wvl_cuda_walk_band *at)
{
    sizes *s = user;
    wvl_cuda_ht_block cell = describe_cell(at->view->plan, at->band, at->coding);
    wvl_cuda_ht_memory m = wvl_cuda_ht_measure(&cell, 1, 0);
    s->scratch = wvl_add_saturate(s->scratch, wvl_mul_saturate(at->count, m.most_scratch));
    s->output = wvl_add_saturate(s->output, wvl_mul_saturate(at->count, m.most_output));
    s->largest = wvl_max_u64(s->largest, m.most_scratch);
}

static sizes measure(const wvl_cuda_coder_view *v)
{
    sizes s = {0, 0, 0};
    wvl_cuda_walk_bands(v, 0, 0, measure_band, &s);
    return s;
}

/* Returns the bytes of a block's pass, with gain and slope where the plan has them. */
static uint64_t count_pass_bytes(const wvl_plan *plan)
{
    uint64_t bytes = sizeof(wvl_pass) + (plan->rate.rate_control ? sizeof(int64_t) + sizeof(uint16_t) : 0);
    return wvl_align_up(bytes, sizeof(int64_t));
}

/* Scratch memory is such that few pictures need a second part. */
static void measure_wave(const wvl_cuda_coder_view *v, wvl_cuda_layout *l)
{
    const sizes s = measure(v);
    l->output_bytes = s.output;
    l->scratch_bytes = wvl_max_u64(s.scratch / SCRATCH_SHARE, s.largest);
}

/* A launch codes no more bytes than its scratch memory holds. */
static void place_below(wvl_cuda_layout *l, uint64_t *end)
{
    l->coded_bytes = wvl_cuda_extend_coded(l, wvl_min_u64(l->scratch_bytes, l->output_bytes), end);
    l->parts = wvl_cuda_place(end, l->block_count, sizeof(wvl_cuda_ht_part));
    l->totals = wvl_cuda_place(end, l->block_count, sizeof(uint32_t));
    l->places = wvl_cuda_place(end, l->block_count, sizeof(uint64_t));
    l->scratch = wvl_cuda_place(end, l->scratch_bytes, 1);
    l->device_least = *end;
}

static void place_wave(const wvl_plan *plan, wvl_cuda_wave_part part, wvl_cuda_layout *l, uint64_t *end)
{
    uint64_t pass_bytes = l->block_count * count_pass_bytes(plan);
    switch (part) {
    case WVL_CUDA_PART_UP: l->code_group = wvl_cuda_place(end, 1, sizeof(wvl_cuda_ht_group)); break;
    case WVL_CUDA_PART_DOWN:
        l->records = wvl_cuda_place(end, l->block_count, sizeof(wvl_cuda_ht_record));
        l->sums = wvl_cuda_place(end, plan->rate.rate_control ? l->block_count : 0, sizeof(wvl_cuda_ht_sums));
        l->counters = wvl_cuda_place(end, WVL_CUDA_HT_COUNTERS, sizeof(uint32_t));
        break;
    case WVL_CUDA_PART_BELOW: place_below(l, end); break;
    case WVL_CUDA_PART_HOST:
        l->passes = wvl_cuda_place(end, pass_bytes, 1);
        l->pass_chunks = wvl_cuda_place(end, (pass_bytes >> WVL_CHUNK_LOG2) + 1, sizeof(uint8_t *));
        break;
    }
}

/* ---- Jobs of waves --------------------------------------------------------------------------- */

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

static void build_wave(wvl_cuda_code *code)
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
    build_order(code, (uint32_t)l->block_count);
}

static wvl_cuda_status queue_wave(wvl_cuda_code *code)
{
    return wvl_cuda_ht_launch(&code->device->ht, &code->job, wvl_cuda_to_stream(code->stream));
}

/* ---- Results --------------------------------------------------------------------------------- */

/* Says what the CPU's coder says of the block. sums NULL: gains are not wanted. */
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
    TRY(status, queue_wave(code));
    TRY(status, rt->download(code->pinned + l->records, code->address + l->records, (size_t)(l->coefs - l->records),
                             code->stream));
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

static wvl_status settle_wave(wvl_cuda_code *code)
{
    const wvl_cuda_layout *l = code->layout;
    const wvl_cuda_ht_block *blocks = table_of(code);
    for (uint64_t i = 0; i < l->block_count; i++) {
        if (!wvl_cuda_is_bounded(code, i, blocks[i].frac_bits, blocks[i].planes)) {
            return WVL_ERROR_INTERNAL;
        }
    }
    code->passes = code->host + l->passes;
    code->pass_room = l->block_count * count_pass_bytes(code->plan);
    code->pass_chunks = (const uint8_t **)(void *)(code->host + l->pass_chunks);
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

/* ---- Jobs of pictures ------------------------------------------------------------------------ */

static uint64_t place(const wvl_cuda_coder_view *v, wvl_cuda_coder_places *l, wvl_cuda_coder_job *job,
                      wvl_cuda_packets_job *packets)
{
    wvl_cuda_ht_job *ht = &job->ht;
    ht->is_cleared = 1;
    ht->order = l->shared + l->lists;
    ht->blocks = l->workspace + l->blocks;
    ht->records = packets->ht_records = wvl_cuda_take_place(l, v->block_count, sizeof(wvl_cuda_ht_record));
    ht->parts = packets->ht_parts = wvl_cuda_take_place(l, v->block_count, sizeof(wvl_cuda_ht_part));
    ht->totals = wvl_cuda_take_place(l, v->block_count, sizeof(uint32_t));
    ht->scratch = packets->ht_scratch = l->workspace + l->scratch;
    ht->counters = l->workspace + l->counters;
    ht->scratch_units = (uint32_t)wvl_min_u64(l->scratch_bytes / 16, UINT32_MAX);
    ht->weights = l->shared + l->weights;
    ht->errors = packets->errors = v->plan->rate.rate_control ? l->workspace + l->errors : 0;
    packets->unbounded = ht->counters + WVL_CUDA_HT_UNBOUNDED * sizeof(uint32_t);
    return measure(v).scratch;
}

static void sort(const void *blocks, uint32_t count, uint32_t *lists, wvl_cuda_coder_job *job)
{
    wvl_cuda_ht_sort(blocks, count, lists, &job->ht);
}

static wvl_cuda_status launch(const wvl_device *device, const wvl_cuda_coder_job *job,
                              const wvl_cuda_packets_job *packets, wvl_cuda_route route)
{
    (void)packets;
    return wvl_cuda_ht_launch(&device->ht, &job->ht, route);
}

const wvl_cuda_coder wvl_cuda_coder_ht = {.block_bytes = sizeof(wvl_cuda_ht_block),
                                          .counter_count = WVL_CUDA_HT_COUNTERS,
                                          .list_blocks = list_blocks,
                                          .pieces = WVL_CUDA_PACKETS_CLEANUP_PIECES,
                                          .streams = WVL_CUDA_COMPUTE_STREAMS,
                                          .list_count = 1,
                                          .scratch_parts = 1,
                                          .place = place,
                                          .sort = sort,
                                          .launch = launch,
                                          .measure_wave = measure_wave,
                                          .place_wave = place_wave,
                                          .build_wave = build_wave,
                                          .queue_wave = queue_wave,
                                          .settle_wave = settle_wave,
                                          .put_passes = put_passes};
