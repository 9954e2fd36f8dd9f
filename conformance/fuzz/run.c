/* SPDX-License-Identifier: BSD-2-Clause */
#include "run.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boxes.h"
#include "color.h"
#include "judge.h"
#include "rows.h"

/* ---- Books ----------------------------------------------------------------------------------- */

typedef struct ledger {
    _Atomic uint64_t live, peak, pieces, wrong_sizes;
} ledger;

#define LEAST_ALIGNMENT 64u

typedef struct piece {
    size_t bytes, alignment;
} piece;

static void *take(void *user, size_t bytes, size_t alignment, void *stream)
{
    ledger *l = user;
    (void)stream;
    alignment = alignment < LEAST_ALIGNMENT ? LEAST_ALIGNMENT : alignment;
    uint8_t *memory = aligned_alloc(alignment, alignment + (bytes + alignment - 1) / alignment * alignment);
    if (!memory) {
        return NULL;
    }
    memcpy(memory, &(piece){bytes, alignment}, sizeof(piece));
    memset(memory + alignment, 0xA5, bytes); /* nobody may count on zeros */
    uint64_t live = atomic_fetch_add(&l->live, bytes) + bytes, peak = atomic_load(&l->peak);
    while (live > peak && !atomic_compare_exchange_weak(&l->peak, &peak, live)) {
    }
    atomic_fetch_add(&l->pieces, 1);
    /* the caller's pointer is followed back through the word before it */
    memcpy(memory + alignment - sizeof alignment, &alignment, sizeof alignment);
    return memory + alignment;
}

static void give_back(void *user, void *memory, size_t bytes, void *stream)
{
    ledger *l = user;
    size_t alignment;
    piece noted;
    (void)stream;
    memcpy(&alignment, (uint8_t *)memory - sizeof alignment, sizeof alignment);
    memcpy(&noted, (uint8_t *)memory - alignment, sizeof noted);
    if (noted.bytes != bytes) {
        atomic_fetch_add(&l->wrong_sizes, 1);
    }
    atomic_fetch_sub(&l->live, noted.bytes);
    atomic_fetch_sub(&l->pieces, 1);
    free((uint8_t *)memory - alignment);
}

/* ---- Sink ------------------------------------------------------------------------------------ */

typedef struct output {
    uint8_t *data;
    size_t bytes, room;
    uint64_t finalized;
    int closed, complete, broken;
} output;

static int write_bytes(void *user, const void *data, size_t bytes)
{
    output *o = user;
    if (o->bytes + bytes > o->room) {
        size_t room = 2 * (o->bytes + bytes) + 4096;
        uint8_t *grown = realloc(o->data, room);
        if (!grown) {
            return 1;
        }
        o->data = grown;
        o->room = room;
    }
    if (bytes) {
        memcpy(o->data + o->bytes, data, bytes);
    }
    o->bytes += bytes;
    return 0;
}

static int patch_bytes(void *user, uint64_t offset, const void *data, size_t bytes)
{
    output *o = user;
    if (offset < o->finalized || offset + bytes > o->bytes) {
        o->broken = 1;
        return 1;
    }
    memcpy(o->data + offset, data, bytes);
    return 0;
}

static void note_finalized(void *user, uint64_t offset)
{
    output *o = user;
    o->broken |= offset < o->finalized || offset > o->bytes;
    o->finalized = offset;
}

static int note_close(void *user, int complete)
{
    output *o = user;
    o->closed++;
    o->complete = complete;
    return 0;
}

/* ---- Plan ------------------------------------------------------------------------------------ */

static void note_error(fuzz_run *run, fuzz_stage stage, wvl_status status, const char *text)
{
    run->status = status;
    run->stage = stage;
    snprintf(run->error, sizeof run->error, "%s", text);
}

static wvl_status set_tables(const fuzz_case *c, wvl_params *params)
{
    static fuzz_color_tables drawn;
    const char *seed = fuzz_case_get(c, "tables");
    if (!seed) {
        return WVL_OK;
    }
    fuzz_color_draw((uint32_t)strtoul(seed, NULL, 10), &drawn);
    return wvl_params_set_color(params, &drawn.tables);
}

static int is_yes(const char *value) { return value && !strcmp(value, "yes"); }

static void note_settings(wvl_params *params, fuzz_settings *s)
{
    const char *profile = wvl_params_get(params, "profile");
    snprintf(s->profile, sizeof s->profile, "%s", profile ? profile : "");
    const char *rate = wvl_params_get(params, "frame-rate");
    s->frames = rate ? (uint32_t)strtoul(rate, NULL, 10) : 0;
    s->seconds = rate && strchr(rate, '/') ? (uint32_t)strtoul(strchr(rate, '/') + 1, NULL, 10) : 1;
    s->is_stereo = is_yes(wvl_params_get(params, "stereo"));
    s->is_hfr = is_yes(wvl_params_get(params, "hfr"));
    s->is_reversible = is_yes(wvl_params_get(params, "reversible"));
}

static wvl_status set_all(const fuzz_case *c, wvl_params *params, fuzz_run *run)
{
    const char *preset = fuzz_case_get(c, "preset");
    wvl_status status = preset ? wvl_params_preset(params, preset) : WVL_OK;
    status = status == WVL_OK ? set_tables(c, params) : status;
    for (uint32_t i = 0; i < c->count && status == WVL_OK; i++) {
        if (!fuzz_case_is_picture_key(c->pairs[i].key)) {
            status = wvl_params_set(params, c->pairs[i].key, c->pairs[i].value);
        }
    }
    if (status != WVL_OK) {
        note_error(run, FUZZ_AT_PARAMS, status, wvl_params_error(params));
    }
    note_settings(params, &run->settings);
    return status;
}

static wvl_plan *make_plan(const fuzz_case *c, wvl_context *context, const wvl_image_format *format,
                           const wvl_jp2_info *jp2, fuzz_run *run)
{
    wvl_params *params = NULL;
    wvl_plan *plan = NULL;
    wvl_status status = wvl_params_create(context, &params);
    if (status == WVL_OK && set_all(c, params, run) == WVL_OK) {
        status = wvl_plan_create(context, params, format, jp2, &plan);
        note_error(run, FUZZ_AT_PLAN, status, status == WVL_OK ? "" : wvl_context_error(context));
    }
    wvl_params_release(params);
    return plan;
}

static const wvl_jp2_info *describe(const fuzz_case *c, const fuzz_picture *p, fuzz_boxes *boxes)
{
    const char *words = fuzz_case_get(c, "jp2");
    if (!words) {
        return NULL;
    }
    fuzz_boxes_make(words, p, boxes);
    return &boxes->info;
}

/* ---- Encode ---------------------------------------------------------------------------------- */

static void take_result(wvl_result *result, fuzz_run *run)
{
    run->codestream = wvl_result_codestream(result);
    run->layers = wvl_result_layer_count(result);
    snprintf(run->backend, sizeof run->backend, "%s", wvl_result_backend(result));
    run->packet_bytes = wvl_result_packet_bytes(result, UINT32_MAX, UINT32_MAX, UINT32_MAX);
    for (uint32_t i = 0; i < run->layers && i < FUZZ_MAX_LAYERS_TOLD; i++) {
        run->layer[i].bytes = wvl_result_layer_bytes(result, i);
        run->layer[i].slope = wvl_result_layer_slope(result, i);
        run->layer[i].psnr = wvl_result_layer_psnr(result, i);
        run->layer[i].is_measured = wvl_result_layer_is_measured(result, i);
    }
    run->is_last_measured = wvl_result_layer_is_measured(result, run->layers - 1);
    run->last_psnr = wvl_result_layer_psnr(result, run->layers - 1);
    run->last_slope = wvl_result_layer_slope(result, run->layers - 1);
    if (wvl_result_bytes(result) != run->bytes) {
        snprintf(run->broken, sizeof run->broken, "the result says %llu bytes of %zu",
                 (unsigned long long)wvl_result_bytes(result), run->bytes);
    }
}

/* peak, live: of the encode, without what the context keeps for a device. */
static void check_promises(const wvl_plan_memory *m, uint64_t peak, uint64_t live, uint64_t before, const output *o,
                           fuzz_run *run)
{
    peak -= before;
    if (live != before) {
        snprintf(run->broken, sizeof run->broken, "memory: %llu bytes are held after the encode, %llu before",
                 (unsigned long long)live, (unsigned long long)before);
    } else if (peak > m->base_bytes + m->coded_bytes_bound) {
        snprintf(run->broken, sizeof run->broken, "memory: peak %llu, promised base %llu and at most %llu coded",
                 (unsigned long long)peak, (unsigned long long)m->base_bytes, (unsigned long long)m->coded_bytes_bound);
    } else if (o->bytes > m->output_bytes_bound) {
        snprintf(run->broken, sizeof run->broken, "memory: %zu bytes of output, promised at most %llu", o->bytes,
                 (unsigned long long)m->output_bytes_bound);
    } else if (o->broken || o->closed != 1 || o->complete != (run->status == WVL_OK)) {
        snprintf(run->broken, sizeof run->broken, "sink: closed %d times, complete %d, %s", o->closed, o->complete,
                 o->broken ? "patched beyond its bounds" : "");
    }
}

uint32_t fuzz_run_reach(const char *backend)
{
    if (!strchr(backend, ':') || strstr(backend, "cpu")) {
        return 0;
    }
    return FUZZ_WAS_ON_DEVICE | (strstr(backend, " blocks") ? FUZZ_WAS_BLOCKS : 0) |
           (strstr(backend, " packets") ? FUZZ_WAS_PACKETS : 0);
}

uint64_t fuzz_run_kept(uint64_t before, uint64_t after, uint64_t again, const char *backend)
{
    return again == after && after > before && strcmp(backend, "cpu") != 0 ? after - before : 0;
}

/* Bytes that the context keeps since `before`, because the first encode opened a device. */
static uint64_t find_kept(const wvl_plan *plan, const fuzz_input *in, const ledger *l, uint64_t before)
{
    uint64_t after = l->live;
    char backend[64] = "";
    output o = {0};
    wvl_result *result = NULL;
    wvl_sink sink = {.struct_size = sizeof sink, .write = write_bytes, .close = note_close, .user = &o};
    if (after == before) {
        return 0;
    }
    (void)wvl_encode(plan, &in->image, &sink, NULL, &result, NULL, 0);
    if (result) {
        snprintf(backend, sizeof backend, "%s", wvl_result_backend(result));
    }
    wvl_result_release(result);
    free(o.data);
    return fuzz_run_kept(before, after, l->live, backend);
}

static void encode(const fuzz_case *c, const wvl_plan *plan, const fuzz_input *in, unsigned turn, ledger *l,
                   fuzz_run *run)
{
    output o = {0};
    char error[2048] = "";
    wvl_result *result = NULL;
    wvl_plan_memory memory = {.struct_size = sizeof memory};
    wvl_sink sink = {.struct_size = sizeof sink, .write = write_bytes, .close = note_close, .user = &o};
    if (turn) {
        sink.patch = patch_bytes;
        sink.finalized = note_finalized;
    }
    (void)wvl_plan_measure(plan, &memory);
    uint64_t before = l->live;
    l->peak = before;
    int by_rows = turn && fuzz_case_get(c, "rows");
    wvl_status status;
    if (by_rows) {
        memory.coded_bytes_bound = 0;
        status = fuzz_rows_encode(c, plan, in, &sink, &memory.base_bytes, error, sizeof error);
    } else { /* the result is measured on its own: it outlives the encode */
        status = wvl_encode(plan, &in->image, &sink, NULL, turn ? NULL : &result, error, sizeof error);
    }
    note_error(run, FUZZ_AT_ENCODE, status, error);
    run->data = o.data;
    run->bytes = o.bytes;
    if (result) {
        take_result(result, run);
        wvl_result_release(result);
    }
    if (!run->broken[0]) {
        uint64_t peak = l->peak, live = l->live, kept = by_rows ? 0 : find_kept(plan, in, l, before);
        check_promises(&memory, peak - kept, live - kept, before, &o, run);
    }
}

static void run_with(const fuzz_case *c, const wvl_image_format *format, const wvl_jp2_info *jp2, const fuzz_input *in,
                     unsigned turn, fuzz_run *run)
{
    ledger l = {0};
    uint32_t threads[2] = {1, 3};
    wvl_context *context = NULL;
    memset(run, 0, sizeof *run);
    fuzz_case_pair(c, "threads", &threads[0], &threads[1]);
    wvl_context_options options = {
        .struct_size = sizeof options, .host = {take, give_back, &l}, .threads = threads[turn] ? threads[turn] : 1};
    wvl_status status = wvl_context_create(&options, &context);
    if (status != WVL_OK) {
        note_error(run, FUZZ_AT_PARAMS, status, "no context");
        return;
    }
    uint64_t before = l.live;
    l.peak = before;
    if (turn) {
        fuzz_rows_begin(c);
    }
    wvl_plan *plan = make_plan(c, context, format, jp2, run);
    fuzz_rows_end();
    run->plan_peak_bytes = l.peak - before;
    if (plan && in) {
        encode(c, plan, in, turn, &l, run);
    }
    wvl_plan_release(plan);
    wvl_context_release(context);
    if (!run->broken[0] && (l.live || l.pieces || l.wrong_sizes)) {
        snprintf(run->broken, sizeof run->broken,
                 "memory: %llu bytes in %llu pieces stay, %llu releases of a wrong size", (unsigned long long)l.live,
                 (unsigned long long)l.pieces, (unsigned long long)l.wrong_sizes);
    }
}

void fuzz_run_encode(const fuzz_case *c, const fuzz_picture *p, unsigned turn, fuzz_run *run)
{
    char layouts[2][16] = {"planar", "wide"};
    const char *given = fuzz_case_get(c, "layouts");
    fuzz_boxes boxes;
    fuzz_input in;
    if (given) {
        snprintf(layouts[0], sizeof layouts[0], "%.*s", (int)strcspn(given, ","), given);
        snprintf(layouts[1], sizeof layouts[1], "%s", strchr(given, ',') ? strchr(given, ',') + 1 : layouts[0]);
    }
    fuzz_input_open(p, layouts[turn], &in);
    run_with(c, &in.format, describe(c, p, &boxes), &in, turn, run);
    fuzz_input_close(&in);
}

void fuzz_run_plan_of(const fuzz_case *c, const wvl_image_format *format, const wvl_jp2_info *jp2, fuzz_run *run)
{
    run_with(c, format, jp2, NULL, 0, run);
}

void fuzz_run_free(fuzz_run *run)
{
    free(run->data);
    run->data = NULL;
}
