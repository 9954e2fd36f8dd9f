/* SPDX-License-Identifier: BSD-2-Clause */
#include "packets_case.h"

#include <stdlib.h>

#include "backend/backend_cpu.h"
#include "base/context.h"
#include "base/try.h"
#include "codec/write/finish.h"
#include "tests/support/one_block.h"
#include "tests/support/opened.h"

/* ---- The CPU's picture ----------------------------------------------------------------------- */

static int fail(packets_case *c, const char *what)
{
    snprintf(c->problem, sizeof c->problem, "%s: %s", what, c->context ? wvl_context_error(c->context) : "");
    return 0;
}

/* ---- Samples of HT blocks -------------------------------------------------------------------- */

static int has_ht_list(const wvl_plan *plan)
{
    int is_ht = !plan->test.all_sets && !plan->rate.follows_step && !plan->rate.rdoq && !plan->syntax.region_count;
    for (uint32_t i = 0; i < plan->syntax.coding_count; i++) {
        is_ht &= (plan->syntax.codings[i].style & WVL_STYLE_HT) != 0;
    }
    return is_ht;
}

static void list_band(ht_list *list, const wvl_plan *plan, const wvl_coefs *coefs, const wvl_tile_component *tc,
                      const wvl_tile_band *band, uint64_t samples)
{
    for (uint32_t k = 0; k < band->block_cols * band->block_rows; k++) {
        wvl_rect r = wvl_geom_block_rect(band, k % band->block_cols, k / band->block_cols);
        uint32_t bound = coefs->bounds[band->first_block + k];
        list->blocks[list->count] = (wvl_cuda_ht_block){.coefs = samples + wvl_coef_cell(band, k),
                                                        .bound = list->count,
                                                        .stride = band->cell_width,
                                                        .width = (uint16_t)wvl_rect_width(r),
                                                        .height = (uint16_t)wvl_rect_height(r),
                                                        .coef_bytes = band->coef_bytes,
                                                        .frac_bits = band->frac_bits,
                                                        .style = plan->syntax.codings[tc->coding].style & WVL_STYLE_VSC,
                                                        .max_passes = 255,
                                                        .set_passes = plan->rate.ht_passes,
                                                        .planes = (uint8_t)wvl_bit_length(bound >> band->frac_bits)};
        list->bounds[list->count++] = bound;
    }
}

/* Blocks of a tile, after those of the tiles before. */
static void list_tile(packets_case *c, const wvl_coefs *coefs)
{
    const wvl_tile_plan *tile = coefs->tile;
    ht_list *list = &c->list;
    uint64_t at = (list->sample_bytes + 63) & ~UINT64_C(63);
    list->room = list->count + (uint32_t)tile->block_count;
    list->blocks = realloc(list->blocks, list->room * sizeof *list->blocks + 1);
    list->bounds = realloc(list->bounds, list->room * sizeof *list->bounds + 1);
    list->sample_bytes = at + tile->coef_bytes;
    list->samples = realloc(list->samples, list->sample_bytes + 1);
    memcpy(list->samples + at, coefs->samples, tile->coef_bytes);
    for (uint32_t i = 0; i < tile->component_count; i++) {
        const wvl_tile_component *tc = &tile->components[i];
        const wvl_tile_resolution *first = &tile->resolutions[tc->first_resolution];
        uint32_t bands = 3u * tc->levels + 1;
        for (uint32_t b = 0; b < bands; b++) {
            list_band(list, c->plan, coefs, tc, &tile->bands[first->first_band + b], at);
        }
    }
}

/* ---- Coded blocks ---------------------------------------------------------------------------- */

static void put_segments(packets_case *c, wvl_cuda_packets_block *to, const wvl_pass *passes, uint32_t first,
                         uint32_t end)
{
    uint32_t from_bytes = 0, begin = first;
    for (uint32_t i = first; i < end; i++) {
        if (!(passes[i].flags & WVL_PASS_TERM) && i + 1 < end) {
            continue;
        }
        uint32_t to_bytes = i + 1 == end ? to->byte_count : passes[i].final_bytes,
                 segment = (i + 1 - begin) << 24 | (to_bytes - from_bytes);
        if (to->segment_count < 2) {
            to->segment[to->segment_count] = segment;
        } else {
            to->more = to->segment_count == 2 ? (uint32_t)c->segment_count : to->more;
            c->segments[c->segment_count++] = segment;
        }
        to->segment_count++;
        from_bytes = to_bytes;
        begin = i + 1;
    }
    to->passes = (uint8_t)(end - first);
}

/* Puts what the committed packets send of the blocks of a band. */
static void put_band(packets_case *c, const wvl_coder *coder, const wvl_coded_tile *tile, const wvl_precinct_band *pb,
                     wvl_cuda_packets_block *blocks)
{
    for (uint64_t k = 0; k < wvl_precinct_blocks(pb); k++) {
        uint64_t b = wvl_precinct_block(pb, k);
        const wvl_coded_block *block = &tile->blocks[b];
        uint32_t sent = tile->states[b].sent_passes, first = sent && pb->has_sets ? (sent - 1) / 3 * 3 : 0;
        wvl_cuda_packets_block *to = &blocks[b];
        *to = (wvl_cuda_packets_block){.zero_planes = (uint8_t)(block->zero_planes + first / 3)};
        if (!sent) {
            to->zero_planes = pb->has_sets ? pb->planes : block->zero_planes;
            continue;
        }
        const wvl_pass *passes = wvl_block_passes(coder->layer_job.passes, block);
        uint32_t start = passes[sent - 1].flags & WVL_PASS_SET ? passes[sent - 1].safe_bytes : 0;
        to->byte_count = tile->states[b].sent_bytes;
        to->bytes = c->arena_bytes;
        c->segments = realloc(c->segments, (c->segment_count + sent) * sizeof *c->segments);
        c->arena = realloc(c->arena, c->arena_bytes + to->byte_count + 1);
        memcpy(c->arena + c->arena_bytes,
               (const uint8_t *)wvl_store_at(coder->layer_job.bytes, block->bytes_at) + start, to->byte_count);
        c->arena_bytes += to->byte_count;
        put_segments(c, to, passes, first, sent);
    }
}

static void put_blocks(packets_case *c, const wvl_coder *coder)
{
    uint64_t first = 0;
    c->blocks = calloc(c->assembly.block_count + 1u, sizeof *c->blocks);
    for (uint32_t t = 0; t < c->plan->syntax.tile_count; t++) {
        const wvl_coded_tile *tile = &coder->tiles[t];
        for (uint64_t p = 0; p < tile->precinct_count; p++) {
            for (unsigned i = 0; i < tile->precincts[p].band_count; i++) {
                put_band(c, coder, tile, &tile->precincts[p].band[i], c->blocks + first);
            }
        }
        first += tile->block_count;
    }
}

/* ---- Coding ---------------------------------------------------------------------------------- */

static wvl_status code_tile(packets_case *c, const wvl_image *image, wvl_coder *coder, const wvl_tile_plan *tile,
                            int is_first)
{
    wvl_pool *pool = c->context->pool;
    wvl_backend *cpu = NULL;
    wvl_backend_job *job = NULL;
    wvl_coefs coefs;
    wvl_status status = wvl_backend_cpu.open(&(wvl_backend_options){.pool = pool}, &cpu);
    TRY(status, wvl_backend_prepare_tiles(&wvl_backend_cpu, cpu, pool, c->plan, tile, 1));
    TRY(status, wvl_backend_cpu.submit(cpu, image, tile, 1, &job));
    TRY(status, wvl_backend_cpu.wait(job, WVL_EVENT_DONE, UINT32_MAX));
    TRY(status, wvl_backend_cpu.collect(job, &coefs));
    if (status == WVL_OK) {
        if (is_first && c->has_list) {
            list_tile(c, &coefs);
        }
        status = wvl_coder_code_tiles(coder, &coefs, 1);
        wvl_backend_cpu.release(job);
    }
    if (cpu) {
        wvl_backend_cpu.close(cpu);
    }
    return status;
}

static wvl_status code_picture(packets_case *c, const wvl_image *image, wvl_coder *coder, wvl_wave *wave)
{
    const wvl_tile_walk tiles = {c->plan, NULL, &wave->scratch};
    wvl_coder_options options = {.plan = c->plan, .pool = c->context->pool};
    wvl_status status = wvl_coder_init(coder, &options);
    for (int round = 0; status == WVL_OK && (!round || wvl_coder_wants_again(coder)); round++) {
        for (uint32_t t = 0; t < c->plan->syntax.tile_count && status == WVL_OK; t++) {
            wvl_tile_plan_build(c->plan, t, wave->tiles);
            status = code_tile(c, image, coder, wave->tiles, !round);
        }
        TRY(status, wvl_coder_finish(coder, &tiles, &wave->order));
    }
    return status;
}

int packets_case_open_bound(packets_case *c, const wvl_image_format *format, const wvl_image *image,
                            const char *settings, uint64_t output_bytes_bound)
{
    wvl_coder coder;
    wvl_wave wave;
    uint64_t bytes;
    const char *why = NULL;
    void *data = NULL;
    memset(c, 0, sizeof *c);
    memset(&coder, 0, sizeof coder);
    if (test_open_plan(settings, 2, format, &c->context, &c->plan, c->problem) != WVL_OK) {
        return 0;
    }
    c->plan->memory.output_bytes_bound = wvl_max_u64(output_bytes_bound, c->plan->memory.output_bytes_bound);
    if (wvl_encode_to_memory(c->plan, image, NULL, &data, &c->expected_bytes, NULL, c->problem, sizeof c->problem) !=
        WVL_OK) {
        return 0;
    }
    c->expected = data;
    if (wvl_assembly_build(NULL, c->plan, wvl_assembly_whole(c->plan), &c->assembly, &why) != WVL_OK) {
        return fail(c, why ? why : "assembly");
    }
    c->has_list = has_ht_list(c->plan);
    void *memory = test_open_wave(c->plan, &wave, &bytes);
    int fine = code_picture(c, image, &coder, &wave) == WVL_OK;
    if (fine) {
        put_blocks(c, &coder);
    }
    wvl_coder_fini(&coder);
    wvl_free(NULL, memory, bytes);
    return fine || fail(c, "coder");
}

int packets_case_open(packets_case *c, const wvl_image_format *format, const wvl_image *image, const char *settings)
{
    return packets_case_open_bound(c, format, image, settings, 0);
}

void packets_case_close(packets_case *c)
{
    ht_list_clear(&c->list);
    free(c->blocks);
    free(c->segments);
    free(c->arena);
    wvl_assembly_free(NULL, &c->assembly);
    if (c->expected) {
        wvl_memory_release(c->context, c->expected, c->expected_bytes);
    }
    wvl_plan_release(c->plan);
    wvl_context_release(c->context);
}

/* ---- Device memory --------------------------------------------------------------------------- */

/* Records `pictures` times, with addresses. */
static void take_blocks(packets_load *load, const ht_device *d, const packets_case *c, uint32_t pictures)
{
    uint64_t count = c->assembly.block_count, all = count * pictures;
    wvl_cuda_packets_block *blocks = calloc(all + 1, sizeof *blocks);
    wvl_cuda_address arena = ht_take(&load->taken, d, c->arena_bytes, c->arena, 0),
                     segments = ht_take(&load->taken, d, c->segment_count * sizeof *c->segments, c->segments, 0);
    for (uint64_t i = 0; i < all; i++) {
        blocks[i] = c->blocks[i % count];
        blocks[i].bytes += arena;
        blocks[i].more = segments + blocks[i].more * sizeof *c->segments;
    }
    load->job.blocks = ht_take(&load->taken, d, all * sizeof *blocks, blocks, 0);
    free(blocks);
}

/* The list `pictures` times; samples are shared. */
static int open_ht(packets_load *load, const ht_device *d, const packets_case *c, uint32_t pictures)
{
    ht_list list = c->list;
    uint32_t count = list.count;
    list.count = count * pictures;
    list.blocks = calloc(list.count + 1u, sizeof *list.blocks);
    for (uint32_t i = 0; i < list.count; i++) {
        list.blocks[i] = c->list.blocks[i % count];
    }
    list.bounds = calloc(list.count + 1u, sizeof *list.bounds);
    memcpy(list.bounds, c->list.bounds, count * sizeof *list.bounds);
    int fine = ht_load_open(&load->ht, d, &list, pictures, 0, 1000, 1000);
    load->job.ht_records = load->ht.job.records;
    load->job.ht_parts = load->ht.job.parts;
    load->job.ht_scratch = load->ht.job.scratch;
    free(list.blocks);
    free(list.bounds);
    return fine;
}

static void take_output(packets_load *load, const ht_device *d, uint32_t pictures, uint64_t room, int is_pinned)
{
    wvl_cuda_packets_picture *p = calloc(pictures, sizeof *p);
    ht_memory *m = &load->taken;
    load->room = room;
    load->output_each = (room + 256 + 255) & ~UINT64_C(255);
    if (is_pinned) {
        TRY(m->status, d->runtime->malloc_pinned((void **)&load->pinned, load->output_each * pictures, 0));
        TRY(m->status, d->runtime->pinned_address(&load->output, load->pinned, 0));
    } else {
        load->output = ht_take(m, d, load->output_each * pictures, NULL, 1);
    }
    load->results = ht_take(m, d, pictures * sizeof(wvl_cuda_packets_result), NULL, 1);
    for (uint32_t i = 0; i < pictures; i++) {
        p[i] = (wvl_cuda_packets_picture){.output = load->output + i * load->output_each,
                                          .output_bytes = room,
                                          .result = load->results + i * sizeof(wvl_cuda_packets_result)};
    }
    load->job.pictures = ht_take(m, d, pictures * sizeof *p, p, 0);
    free(p);
}

/* Without SigProp and MagRef three pieces do; five do always. */
static uint32_t choose_pieces(const packets_case *c, int codes_blocks)
{
    uint32_t five = c->plan->rate.ht_passes == 2;
    for (uint32_t i = 0; i < c->list.count; i++) {
        five |= c->list.blocks[i].cleanup_plane;
    }
    five = five ? WVL_CUDA_PACKETS_HT_PIECES : WVL_CUDA_PACKETS_CLEANUP_PIECES;
    return codes_blocks ? five : 1;
}

int packets_load_open(packets_load *load, const ht_device *d, const packets_case *c, uint32_t pictures, uint64_t room,
                      unsigned flags)
{
    const wvl_assembly *a = &c->assembly;
    wvl_cuda_packets_job *job = &load->job;
    uint32_t *order = malloc(a->packet_count * sizeof *order + 1);
    ht_memory *m = &load->taken;
    memset(load, 0, sizeof *load);
    load->codes_blocks = flags & PACKETS_CODES_BLOCKS;
    m->status = wvl_cuda_packets_open(&load->packets, d->runtime, d->module, d->ordinal);
    int fine = wvl_cuda_packets_measure(a, choose_pieces(c, load->codes_blocks), order, job);
    job->packets = ht_take(m, d, a->packet_count * sizeof *a->packets, a->packets, 0);
    job->parts = ht_take(m, d, a->part_count * sizeof *a->parts, a->parts, 0);
    job->places = ht_take(m, d, a->place_count * sizeof *a->places, a->places, 0);
    job->bytes = ht_take(m, d, a->byte_count, a->bytes, 0);
    job->order = ht_take(m, d, a->packet_count * sizeof *order, order, 0);
    job->memory = ht_take(m, d, job->work.all_bytes * pictures, NULL, 0);
    job->picture_count = pictures;
    take_output(load, d, pictures, room, flags & PACKETS_PINNED);
    if (load->codes_blocks) {
        fine &= open_ht(load, d, c, pictures);
    } else {
        take_blocks(load, d, c, pictures);
    }
    free(order);
    return fine && !m->status;
}

void packets_load_close(packets_load *load, const ht_device *d)
{
    ht_give(&load->taken, d);
    if (load->pinned) {
        (void)d->runtime->free_pinned(load->pinned);
    }
    if (load->codes_blocks) {
        ht_load_close(&load->ht, d);
    }
}

wvl_cuda_status packets_load_run(packets_load *load, const ht_device *d)
{
    wvl_cuda_status status = load->codes_blocks
                                 ? wvl_cuda_ht_launch(&load->ht.ht, &load->ht.job, wvl_cuda_to_stream(d->stream))
                                 : WVL_CUDA_SUCCESS;
    return status ? status : wvl_cuda_packets_launch(&load->packets, &load->job, wvl_cuda_to_stream(d->stream));
}

/* ---- Comparison ------------------------------------------------------------------------------ */

static const char *check_bytes(packets_case *c, const uint8_t *got, uint64_t from, uint64_t end, int is_written,
                               uint32_t picture)
{
    for (uint64_t i = from; i < end; i++) {
        uint8_t want = is_written && i < c->expected_bytes ? c->expected[i] : HT_POISON;
        if (got[i] != want) {
            snprintf(c->problem, sizeof c->problem, "picture %u, byte %llu of %zu: %02X in place of %02X", picture,
                     (unsigned long long)i, c->expected_bytes, got[i], want);
            return c->problem;
        }
    }
    return NULL;
}

const char *packets_load_check(const packets_load *load, const ht_device *d, packets_case *c)
{
    uint32_t pictures = load->job.picture_count;
    uint64_t all = load->output_each * pictures;
    uint8_t *got = malloc(all);
    wvl_cuda_packets_result *results = calloc(pictures, sizeof *results);
    const char *wrong = "a download failed";
    int is_filled = !getenv("WVL_CUDA_UNPOISONED") && !load->pinned;
    if (ht_fetch(d, results, load->results, pictures * sizeof *results) &&
        (load->pinned || ht_fetch(d, got, load->output, all))) {
        wrong = NULL;
    }
    for (uint32_t p = 0; p < pictures && !wrong; p++) {
        const wvl_cuda_packets_result *r = &results[p];
        int is_written = load->room >= c->expected_bytes;
        if (r->bytes != c->expected_bytes || r->flags != (is_written ? 0u : (unsigned)WVL_CUDA_PACKETS_SHORT)) {
            snprintf(c->problem, sizeof c->problem, "picture %u: %llu bytes, flags %u; %zu bytes expected", p,
                     (unsigned long long)r->bytes, r->flags, c->expected_bytes);
            wrong = c->problem;
            break;
        }
        const uint8_t *bytes = (load->pinned ? load->pinned : got) + p * load->output_each;
        wrong = check_bytes(c, bytes, 0, is_filled ? load->output_each : is_written * c->expected_bytes, is_written, p);
    }
    free(got);
    free(results);
    return wrong;
}

/* ---- Other passes ---------------------------------------------------------------------------- */

/* Mb of every block. */
static uint8_t *list_planes(const wvl_assembly *a)
{
    uint8_t *planes = calloc(a->block_count + 1u, 1);
    for (uint32_t i = 0; i < a->packet_count; i++) {
        for (unsigned b = 0; b < a->packets[i].band_count; b++) {
            const wvl_assembly_band *band = &a->packets[i].band[b];
            for (uint32_t k = 0; k < band->cols * band->rows; k++) {
                planes[band->first_block + k / band->cols * band->stride + k % band->cols] = (uint8_t)band->planes;
            }
        }
    }
    return planes;
}

static void code_again(packets_case *c, uint32_t index, unsigned planes)
{
    const wvl_cuda_ht_block *b = &c->list.blocks[index];
    const wvl_block_coder *coder = &wvl_ht_block_coder;
    wvl_pass passes[3 * 32];
    uint8_t *bytes = malloc(coder->bytes_bound(b->width, b->height, 31, WVL_STYLE_HT));
    void *scratch = wvl_alloc(NULL, coder->scratch_bytes(b->width, b->height, 31));
    wvl_block_input in = ht_list_describe(&c->list, b);
    wvl_block_output out = {.bytes = bytes, .passes = passes};
    wvl_cuda_packets_block *to = &c->blocks[index];
    wvl_ht_encode_block(scratch, &in, &out);
    *to = (wvl_cuda_packets_block){
        .bytes = c->arena_bytes, .byte_count = out.length, .zero_planes = (uint8_t)(planes - out.planes)};
    c->arena = realloc(c->arena, c->arena_bytes + out.length + 1);
    memcpy(c->arena + c->arena_bytes, bytes, out.length);
    c->arena_bytes += out.length;
    put_segments(c, to, passes, 0, out.pass_count);
    wvl_free(NULL, scratch, coder->scratch_bytes(b->width, b->height, 31));
    free(bytes);
}

/* What the device makes of the blocks becomes what is expected. */
static int expect_own(packets_case *c, const ht_device *d)
{
    const wvl_assembly *a = &c->assembly;
    packets_load load;
    wvl_cuda_packets_result result = {.flags = 1};
    int fine = packets_load_open(&load, d, c, 1,
                                 c->arena_bytes + a->head_bytes + a->part_header_bytes + a->byte_count + 64, 0) &&
               !packets_load_run(&load, d) && ht_fetch(d, &result, load.results, sizeof result) && !result.flags;
    if (fine) {
        wvl_memory_release(c->context, c->expected, c->expected_bytes);
        c->expected_bytes = result.bytes;
        c->expected = wvl_alloc(&c->context->host, result.bytes);
        fine = ht_fetch(d, c->expected, load.output, result.bytes);
    }
    packets_load_close(&load, d);
    return fine;
}

int packets_case_refine(packets_case *c, const ht_device *d, unsigned plane, unsigned max_passes)
{
    uint8_t *planes = list_planes(&c->assembly);
    c->arena_bytes = c->segment_count = 0;
    for (uint32_t i = 0; i < c->list.count; i++) {
        wvl_cuda_ht_block *b = &c->list.blocks[i];
        b->cleanup_plane = (uint8_t)plane;
        b->max_passes = (uint8_t)max_passes;
        b->set_passes = 3;
        b->planes = (uint8_t)wvl_bit_length(c->list.bounds[b->bound] >> (b->frac_bits + plane));
        code_again(c, i, planes[i]);
    }
    free(planes);
    return expect_own(c, d);
}
