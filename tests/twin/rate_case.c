/* SPDX-License-Identifier: BSD-2-Clause */
#include "rate_case.h"

#include <stdlib.h>

#include "base/context.h"
#include "base/try.h"
#include "codec/core/t1_pass.h"
#include "codec/write/assembly.h"
#include "codec/write/finish.h"
#include "codec/write/writer.h"
#include "tests/support/opened.h"

#define CODEWORD_UNITS(bytes) (((bytes) + 1 + 15) / 16) /* of a codeword and the byte before it */

/* ---- Plans ----------------------------------------------------------------------------------- */

int rate_case_open(rate_case *c, const wvl_image_format *format, const char *settings)
{
    const char *why = NULL;
    memset(c, 0, sizeof *c);
    if (test_open_plan(settings, 1, format, &c->context, &c->plan, c->problem) != WVL_OK) {
        return 0;
    }
    if (wvl_assembly_build(NULL, c->plan, wvl_assembly_whole(c->plan), &c->assembly, &why) != WVL_OK ||
        !wvl_cuda_choose_coder(c->plan, WVL_REACH_PACKETS, &why)) {
        snprintf(c->problem, sizeof c->problem, "assembly: %s", why ? why : "");
        return 0;
    }
    c->pictures = wvl_cuda_build_pictures(NULL, c->plan, &c->assembly, 0);
    const wvl_cuda_coder_view view = wvl_cuda_picture_view(c->pictures);
    c->cells = calloc(c->assembly.block_count + 1u, sizeof *c->cells);
    c->blocks = calloc(c->assembly.block_count + 1u, sizeof *c->blocks);
    c->sent = calloc(c->assembly.block_count + 1u, 1);
    c->layers = calloc(c->assembly.layer_count, sizeof *c->layers);
    c->pictures->coder->list_blocks(&view, 0, 0, c->cells);
    for (uint32_t i = 0; i < c->assembly.block_count; i++) {
        c->blocks[i].most_planes = c->cells[i].planes;
        c->blocks[i].style = c->cells[i].style;
    }
    return 1;
}

void rate_case_close(rate_case *c)
{
    if (c->pictures) {
        wvl_free(NULL, c->pictures, c->pictures->host_bytes);
    }
    free(c->cells);
    free(c->blocks);
    free(c->sent);
    free(c->layers);
    free(c->expected);
    wvl_assembly_free(NULL, &c->assembly);
    wvl_plan_release(c->plan);
    wvl_context_release(c->context);
}

/* ---- Codewords ------------------------------------------------------------------------------- */

static uint32_t codeword_bytes(const rate_block *b)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < b->pass_count; i++) {
        most = b->passes[i].final_bytes > most ? b->passes[i].final_bytes : most;
    }
    return most;
}

/* Bytes that say whose they are. */
static void put_codeword(uint32_t block, uint32_t bytes, uint8_t *to)
{
    for (uint32_t i = 0; i < bytes; i++) {
        to[i] = (uint8_t)(block * 31 + i * 7);
    }
}

/* ---- The CPU --------------------------------------------------------------------------------- */

static int keep_block(wvl_keeper *keeper, const rate_block *from, uint32_t index, wvl_coded_block *to)
{
    static wvl_store_writer none;
    wvl_store_writer bytes = none, passes = none;
    size_t n = from->pass_count;
    to->planes = from->planes;
    to->zero_planes = (uint8_t)(from->most_planes - from->planes);
    to->pass_count = from->pass_count;
    to->bytes = codeword_bytes(from);
    if (!n) {
        return 1;
    }
    to->bytes_at = wvl_store_reserve(&keeper->bytes, &bytes, to->bytes + 1);
    to->passes_at = wvl_store_reserve(&keeper->passes, &passes, wvl_block_passes_bytes(n, 1));
    if (to->bytes_at == UINT64_MAX || to->passes_at == UINT64_MAX) {
        return 0;
    }
    put_codeword(index, to->bytes, wvl_store_at(&keeper->bytes, to->bytes_at));
    wvl_pass *kept = wvl_store_at(&keeper->passes, to->passes_at);
    memcpy(kept, from->passes, n * sizeof *kept);
    memcpy(wvl_block_gains(&keeper->passes, to), from->gains, n * sizeof *from->gains);
    memcpy(wvl_block_slopes(&keeper->passes, to), from->slopes, n * sizeof *from->slopes);
    for (uint32_t i = 0; i < n; i++) {
        kept[i].flags = wvl_t1_pass_is_end(i, from->style) ? WVL_PASS_TERM : 0;
    }
    return 1;
}

/* Range of the slopes on all hulls. */
static void note_slopes(wvl_keeper *keeper, const rate_case *c)
{
    uint32_t least = WVL_SLOPES, most = 0;
    for (uint32_t i = 0; i < c->assembly.block_count; i++) {
        for (uint32_t p = 0; p < c->blocks[i].pass_count; p++) {
            uint32_t slope = c->blocks[i].slopes[p];
            least = slope && slope < least ? slope : least;
            most = slope > most ? slope : most;
        }
    }
    atomic_store(&keeper->slope_least, least);
    atomic_store(&keeper->slope_most, most);
}

static int keep_blocks(wvl_coder *coder, const rate_case *c)
{
    uint32_t index = 0;
    int fine = 1;
    for (uint32_t t = 0; t < c->plan->syntax.tile_count; t++) {
        for (uint64_t b = 0; b < coder->tiles[t].block_count; b++, index++) {
            fine &= keep_block(&coder->blocks.keeper, &c->blocks[index], index, &coder->tiles[t].blocks[b]);
        }
    }
    note_slopes(&coder->blocks.keeper, c);
    return fine && index == c->assembly.block_count;
}

/* Tiles of nothing but zeros: the coder makes its tables. */
static wvl_status code_nothing(wvl_coder *coder, const wvl_cuda_pictures *p)
{
    wvl_status status = WVL_OK;
    for (uint32_t t = 0; t < p->tile_count && status == WVL_OK; t++) {
        wvl_coefs coefs = {&p->tiles[t], calloc(1, p->tiles[t].coef_bytes + 64),
                           calloc(p->tiles[t].block_count + 1, sizeof(uint32_t)), NULL};
        status = wvl_coder_code_tiles(coder, &coefs, 1);
        free(coefs.samples);
        free(coefs.bounds);
    }
    return status;
}

static int put_bytes(void *user, const void *data, size_t bytes)
{
    rate_case *c = user;
    if (c->expected_bytes + bytes > c->expected_room) {
        c->expected_room = 2 * (c->expected_bytes + bytes);
        c->expected = realloc(c->expected, c->expected_room);
    }
    memcpy(c->expected + c->expected_bytes, data, bytes);
    c->expected_bytes += bytes;
    return 0;
}

static void note_sent(rate_case *c, const wvl_coder *coder)
{
    uint32_t index = 0;
    for (uint32_t t = 0; t < c->plan->syntax.tile_count; t++) {
        for (uint64_t b = 0; b < coder->tiles[t].block_count; b++) {
            c->sent[index++] = coder->tiles[t].states[b].sent_passes;
        }
    }
}

static wvl_status choose_and_write(rate_case *c, wvl_coder *coder, wvl_wave *wave)
{
    const wvl_tile_walk tiles = {c->plan, NULL, &wave->scratch};
    wvl_coder_options options = {.plan = c->plan, .pool = c->context->pool};
    wvl_status status = wvl_coder_init(coder, &options);
    TRY(status, code_nothing(coder, c->pictures));
    status = status || keep_blocks(coder, c) ? status : WVL_ERROR_MEMORY;
    TRY(status, wvl_coder_finish(coder, &tiles, &wave->order));
    if (status == WVL_OK) {
        memcpy(c->layers, coder->layers, c->assembly.layer_count * sizeof *c->layers);
        note_sent(c, coder);
        status = wvl_coder_write(coder, &tiles, &wave->order, put_bytes, c);
    }
    return status;
}

int rate_case_expect(rate_case *c)
{
    wvl_coder coder;
    wvl_wave wave;
    uint64_t bytes;
    memset(&coder, 0, sizeof coder);
    void *memory = test_open_wave(c->plan, &wave, &bytes);
    c->expected_bytes = 0;
    c->status = choose_and_write(c, &coder, &wave);
    int fine = c->status == WVL_OK || c->status == WVL_ERROR_UNREACHABLE;
    if (!fine) {
        snprintf(c->problem, sizeof c->problem, "the CPU says %d: %s", c->status, coder.problem);
    }
    wvl_coder_fini(&coder);
    wvl_free(NULL, memory, bytes);
    return fine;
}

/* ---- The device ------------------------------------------------------------------------------ */

/* Memory of a device, with what the block coder would have left there. */
typedef struct load {
    ht_memory taken;
    wvl_cuda_address shared, workspace, scratch, target, output;
    uint64_t output_bytes, scratch_bytes;
    wvl_cuda_coder_job job;
    wvl_cuda_packets_job packets;
} load;

static void put(load *l, const ht_device *d, wvl_cuda_address to, const void *from, uint64_t bytes)
{
    if (bytes) {
        TRY(l->taken.status, d->runtime->upload(to, from, bytes, d->stream));
        TRY(l->taken.status, d->runtime->stream_wait(d->stream));
    }
}

static uint64_t value_units(const rate_block *b)
{
    return (WVL_CUDA_T1_VALUE_BYTES * (uint64_t)b->pass_count + 15) / 16;
}

/* Of the block the device has some passes: what has not left the coder is different from what it is going to be. */
static void forget_passes(const rate_block *b, uint8_t *codeword, wvl_cuda_t1_record *r, wvl_cuda_t1_gains *g)
{
    const wvl_pass *last = &b->passes[b->known - 1];
    uint32_t left = last->final_bytes - last->tail_count;
    memset(codeword + left, 0, r->bytes - left);
    r->bytes = last->final_bytes;
    r->passes = b->known;
    g->unsettled = b->unsettled;
}

/* Codeword and values of a block in scratch memory, its record and its passes. */
static void put_block(const rate_case *c, uint32_t i, uint64_t *unit, uint8_t *scratch, wvl_cuda_t1_record *r,
                      wvl_cuda_t1_gains *g, wvl_cuda_t1_pass *passes)
{
    const rate_block *b = &c->blocks[i];
    uint32_t bytes = codeword_bytes(b);
    size_t n = b->pass_count;
    *r =
        (wvl_cuda_t1_record){.bytes = bytes, .codeword = (uint32_t)*unit, .planes = b->planes, .passes = b->pass_count};
    put_codeword(i, bytes, scratch + 16 * *unit + 1);
    *unit += CODEWORD_UNITS(bytes);
    *g = (wvl_cuda_t1_gains){.values = (uint32_t)*unit};
    if (b->known) {
        forget_passes(b, scratch + 16ull * r->codeword + 1, r, g);
    }
    uint8_t *values = scratch + 16 * *unit;
    memcpy(values + 8 * n, b->gains, 8 * n);
    memcpy(values + 16 * n, b->slopes, 2 * n);
    *unit += value_units(b);
    for (uint32_t p = 0; p < n; p++) {
        passes[p].safe_bytes = b->passes[p].safe_bytes;
        passes[p].final_bytes = b->passes[p].final_bytes;
        passes[p].flags = wvl_t1_pass_is_end(p, b->style) ? WVL_PASS_TERM : 0;
        passes[p].tail_count = b->passes[p].tail_count;
        memcpy(passes[p].tail, b->passes[p].tail, sizeof passes[p].tail);
    }
}

static void put_blocks(const rate_case *c, const ht_device *d, load *l)
{
    uint32_t n = c->assembly.block_count;
    const wvl_cuda_t1_job *t1 = &l->job.t1;
    uint64_t unit = 0, pass_bytes = WVL_CUDA_T1_MOST_PASSES * sizeof(wvl_cuda_t1_pass);
    uint8_t *scratch = calloc(1, l->scratch_bytes);
    wvl_cuda_t1_record *records = calloc(n + 1u, sizeof *records);
    wvl_cuda_t1_gains *gains = calloc(n + 1u, sizeof *gains);
    wvl_cuda_t1_pass *passes = calloc(n + 1u, pass_bytes);
    for (uint32_t i = 0; i < n; i++) {
        put_block(c, i, &unit, scratch, &records[i], &gains[i], passes + (size_t)i * WVL_CUDA_T1_MOST_PASSES);
    }
    put(l, d, t1->scratch, scratch, l->scratch_bytes);
    put(l, d, t1->records, records, n * sizeof *records);
    put(l, d, t1->gains, gains, n * sizeof *gains);
    put(l, d, t1->passes, passes, n * pass_bytes);
    put(l, d, t1->blocks, c->cells, n * sizeof *c->cells);
    free(scratch);
    free(records);
    free(gains);
    free(passes);
}

static void put_tables(const rate_case *c, const ht_device *d, load *l)
{
    const wvl_cuda_pictures *p = c->pictures;
    const wvl_assembly *a = &c->assembly;
    const wvl_cuda_coder_view view = wvl_cuda_picture_view(p);
    uint64_t bytes = p->coder->measure_tables(&view);
    void *tables = calloc(1, bytes + 1), *weights = calloc(a->block_count + 1u, sizeof(double));
    p->coder->fill_tables(&view, tables);
    put(l, d, l->shared + p->layout.coder.tables, tables, bytes);
    put(l, d, l->shared + p->layout.coder.weights, weights, a->block_count * sizeof(double));
    put(l, d, l->packets.packets, a->packets, a->packet_count * sizeof *a->packets);
    put(l, d, l->packets.parts, a->parts, a->part_count * sizeof *a->parts);
    put(l, d, l->packets.places, a->places, a->place_count * sizeof *a->places);
    put(l, d, l->packets.bytes, a->bytes, a->byte_count);
    put(l, d, l->packets.order, p->packet_order, a->packet_count * sizeof(uint32_t));
    free(tables);
    free(weights);
}

/* Sets a job as cuda/host/pictures/plan.c and queue.c do. */
static void set_job(const rate_case *c, load *l)
{
    const wvl_cuda_pictures *p = c->pictures;
    const wvl_cuda_picture_layout *at = &p->layout;
    const wvl_cuda_coder_view view = wvl_cuda_picture_view(p);
    l->job = p->blocks;
    l->packets = p->job;
    l->packets.packets = l->shared + at->packets;
    l->packets.parts = l->shared + at->packet_parts;
    l->packets.places = l->shared + at->places;
    l->packets.bytes = l->shared + at->bytes;
    l->packets.order = l->shared + at->packet_order;
    l->packets.picture_count = 1;
    l->packets.memory = l->workspace + at->work;
    l->packets.pictures = l->target;
    wvl_cuda_coder_places places = at->coder;
    places.workspace = l->workspace;
    places.shared = l->shared;
    (void)p->coder->place(&view, &places, &l->job, &l->packets);
    l->packets.unbounded = l->packets.left = 0;
    l->job.t1.block_count = c->assembly.block_count;
    l->job.t1.scratch = l->scratch;
    l->job.rate.t1 = l->job.t1;
    l->job.rate.packets = l->packets;
    l->job.rate.is_wide = (uint32_t)c->is_wide;
}

static int open_load(const rate_case *c, const ht_device *d, load *l)
{
    uint64_t units = 1;
    ht_memory *m = &l->taken;
    memset(l, 0, sizeof *l);
    for (uint32_t i = 0; i < c->assembly.block_count; i++) {
        units += CODEWORD_UNITS(codeword_bytes(&c->blocks[i])) + value_units(&c->blocks[i]);
    }
    l->scratch_bytes = 16 * units;
    l->output_bytes = c->expected_bytes + 64;
    l->shared = ht_take(m, d, c->pictures->layout.shared_end, NULL, 1);
    l->workspace = ht_take(m, d, c->pictures->layout.device_end, NULL, 1);
    l->scratch = ht_take(m, d, l->scratch_bytes, NULL, 1);
    l->output = ht_take(m, d, l->output_bytes, NULL, 1);
    l->target = ht_take(m, d, sizeof(wvl_cuda_packets_picture) + sizeof(wvl_cuda_packets_result), NULL, 1);
    const wvl_cuda_packets_picture to = {
        .output = l->output, .output_bytes = l->output_bytes, .result = l->target + sizeof to};
    set_job(c, l);
    put(l, d, l->target, &to, sizeof to);
    put_tables(c, d, l);
    put_blocks(c, d, l);
    return !m->status;
}

/* Where rate control asks for more passes there are no packets. */
static wvl_cuda_status run(rate_case *c, const ht_device *d, const load *l)
{
    uint32_t notes = 0;
    wvl_cuda_rate rate;
    wvl_cuda_packets packets;
    wvl_cuda_status status = wvl_cuda_rate_open(&rate, d->runtime, d->module);
    TRY(status, wvl_cuda_packets_open(&packets, d->runtime, d->module, d->ordinal));
    TRY(status, wvl_cuda_rate_launch(&rate, &l->job.rate, wvl_cuda_to_stream(d->stream)));
    TRY(status, !ht_fetch(d, &notes, l->job.rate.packets.notes, sizeof notes));
    if (status || (notes & WVL_CUDA_PACKETS_LEFT)) {
        c->asked += !status;
        return status;
    }
    return wvl_cuda_packets_launch(&packets, &l->packets, wvl_cuda_to_stream(d->stream));
}

/* ---- Comparison ------------------------------------------------------------------------------ */

typedef struct results {
    wvl_cuda_packets_result result;
    wvl_cuda_rate_cut *cuts;
    wvl_assembly_layer *layers; /* of several */
    uint8_t *bytes;
} results;

static int fetch(const rate_case *c, const ht_device *d, const load *l, results *r)
{
    uint64_t n = c->assembly.block_count, layers = c->assembly.layer_count;
    r->cuts = calloc(n + 1u, sizeof *r->cuts);
    r->bytes = malloc(l->output_bytes);
    r->layers = calloc(layers, sizeof *r->layers);
    return ht_fetch(d, &r->result, l->target + sizeof(wvl_cuda_packets_picture), sizeof r->result) &&
           ht_fetch(d, r->cuts, l->job.rate.cuts, n * sizeof *r->cuts) &&
           ht_fetch(d, r->bytes, l->output, l->output_bytes) &&
           (layers == 1 || ht_fetch(d, r->layers, l->packets.layers, (layers - 1) * sizeof *r->layers));
}

static const char *differ(rate_case *c, const char *what, uint64_t at, uint64_t got, uint64_t want)
{
    snprintf(c->problem, sizeof c->problem, "%s %llu: %llu in place of %llu", what, (unsigned long long)at,
             (unsigned long long)got, (unsigned long long)want);
    return c->problem;
}

/* Layers before the last one. */
static const char *compare_layers(rate_case *c, const results *r)
{
    for (uint32_t i = 0; i + 1 < c->assembly.layer_count; i++) {
        if (r->layers[i].threshold != c->layers[i].slope) {
            return differ(c, "threshold of layer", i, r->layers[i].threshold, c->layers[i].slope);
        }
        if (r->layers[i].bytes != c->layers[i].bytes) {
            return differ(c, "bytes up to layer", i, r->layers[i].bytes, c->layers[i].bytes);
        }
    }
    return NULL;
}

static const char *compare(rate_case *c, const results *r)
{
    uint32_t flags = c->status == WVL_OK ? 0 : WVL_CUDA_PACKETS_OVER;
    if ((r->result.flags & ~(uint32_t)(flags ? WVL_CUDA_PACKETS_SHORT : 0)) != flags) {
        return differ(c, "flags", 0, r->result.flags, flags);
    }
    const char *wrong = flags ? NULL : compare_layers(c, r);
    if (wrong || flags) {
        return wrong;
    }
    for (uint32_t i = 0; i < c->assembly.block_count; i++) {
        if (r->cuts[i].passes != c->sent[i]) {
            return differ(c, "passes of block", i, r->cuts[i].passes, c->sent[i]);
        }
    }
    uint32_t threshold = c->layers[c->assembly.layer_count - 1].slope;
    if (r->result.outcome.threshold != threshold) {
        return differ(c, "threshold", 0, r->result.outcome.threshold, threshold);
    }
    if (r->result.bytes != c->expected_bytes) {
        return differ(c, "bytes of", 0, r->result.bytes, c->expected_bytes);
    }
    for (uint64_t i = 0; i < c->expected_bytes; i++) {
        if (r->bytes[i] != c->expected[i]) {
            return differ(c, "byte", i, r->bytes[i], c->expected[i]);
        }
    }
    return NULL;
}

const char *rate_case_check(rate_case *c, const ht_device *d)
{
    load l;
    results r = {.cuts = NULL};
    uint32_t asked = c->asked;
    const char *wrong = "a call of the driver failed";
    if (open_load(c, d, &l) && !run(c, d, &l) && fetch(c, d, &l, &r)) {
        wrong = c->asked > asked ? NULL : compare(c, &r);
    }
    free(r.cuts);
    free(r.layers);
    free(r.bytes);
    ht_give(&l.taken, d);
    return wrong;
}
