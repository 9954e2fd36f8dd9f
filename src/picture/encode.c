/* SPDX-License-Identifier: BSD-2-Clause */
/* wvl_encode and wvl_encode_rows: the public calls for one picture. They read the structures of the caller and run a
 * session once. */
#include <stdio.h>

#include "base/structs.h"
#include "codec/sink/sink.h"
#include "picture/session.h"
#include "waves/rows_memory.h"
#include "way/leaving.h"

/* What the call was given, as this version knows it: an image, or a source of rows. */
typedef struct given {
    wvl_image image;
    wvl_row_source source;
    wvl_sink sink;
    wvl_control control;
    int has_image, has_source, has_sink, has_control;
    int is_spent; /* the sink serves another encode, and stays as it is */
} given;

static void take_output(given *g, const wvl_sink *sink, const wvl_control *control)
{
    g->has_sink = sink && wvl_struct_read(&g->sink, sizeof g->sink, sink, WVL_STRUCT_UNTIL(wvl_sink, user));
    g->is_spent = g->has_sink && wvl_sink_is_taken(&g->sink);
    if (g->is_spent) {
        g->has_sink = 0;
    } else if (g->has_sink) {
        wvl_sink_take(&g->sink);
    }
    g->has_control =
        !control || wvl_struct_read(&g->control, sizeof g->control, control, WVL_STRUCT_UNTIL(wvl_control, cancel));
}

/* A sink of the library's that was closed is emptied: the caller's structure must not be closed again. */
static void give_sink_back(const given *g, wvl_sink *sink)
{
    if (sink->close && !g->sink.close) {
        memset(sink, 0, WVL_STRUCT_UNTIL(wvl_sink, user));
    }
}

/* For calls that fail before there is a session: the sink is closed and the pixels are given back, as far as they can
 * be recognised. */
static wvl_status refuse(given *g, wvl_sink *sink, wvl_status status, const char *text, char *error, size_t error_bytes)
{
    if (g->has_image && g->image.release) {
        g->image.release(g->image.release_user);
    }
    if (g->has_source && g->source.release) {
        g->source.release(g->source.user);
    }
    if (g->has_sink) {
        (void)wvl_sink_finish(&g->sink, 0, NULL, 0);
        give_sink_back(g, sink);
    }
    if (error && error_bytes) {
        snprintf(error, error_bytes, "%s",
                 g->is_spent ? "the sink was given to another encode: open one for each" : text);
    }
    return status;
}

wvl_status wvl_encode(const wvl_plan *plan, const wvl_image *image, wvl_sink *sink, const wvl_control *control,
                      wvl_result **result, char *error, size_t error_bytes)
{
    if (result) {
        *result = NULL;
    }
    given g;
    memset(&g, 0, sizeof g);
    g.has_image = image && wvl_struct_read(&g.image, sizeof g.image, image, WVL_STRUCT_UNTIL(wvl_image, release_user));
    take_output(&g, sink, control);
    if (!plan || !g.has_image || !g.has_sink || !g.has_control || !g.sink.write) {
        return refuse(&g, sink, WVL_ERROR_ARGUMENT,
                      "wvl_encode: an argument is NULL, its struct_size is not set, or members are set that this "
                      "version does not know",
                      error, error_bytes);
    }
    wvl_session *s = wvl_session_create(plan, "encode", 0, 0, NULL);
    if (!s) {
        return refuse(&g, sink, WVL_ERROR_MEMORY, wvl_status_text(WVL_ERROR_MEMORY), error, error_bytes);
    }
    wvl_session_picture picture = {.image = &g.image,
                                   .sink = &g.sink,
                                   .control = control ? &g.control : NULL,
                                   .result = result,
                                   .number = wvl_session_number(plan->context),
                                   .error = error,
                                   .error_bytes = error_bytes};
    wvl_status status = wvl_session_encode(s, &picture);
    wvl_session_release(s);
    give_sink_back(&g, sink);
    return status;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* What an encode of rows holds beside its session. */
typedef struct row_encode {
    const wvl_plan *plan;
    given g;
    wvl_rows_options options;
    wvl_way way;
    wvl_row_window window;
    wvl_spill spill;
    char why[512];
} row_encode;

static wvl_status fail_rows(row_encode *e, wvl_status status, const char *text)
{
    snprintf(e->why, sizeof e->why, "%s", text);
    return status;
}

/* Finds what the limit leaves for coded blocks. */
static wvl_status find_limit(row_encode *e, const wvl_way *way, uint64_t *limit)
{
    wvl_rows_memory m;
    *limit = UINT64_MAX;
    if (!e->options.memory_bytes) {
        return WVL_OK;
    }
    wvl_rows_find_memory(e->plan, &e->g.source, way, &m);
    if (m.base_bytes == UINT64_MAX) {
        return fail_rows(e, WVL_ERROR_MEMORY, wvl_status_text(WVL_ERROR_MEMORY));
    }
    if (wvl_early_is_taken(e->plan, wvl_early_find_kind(e->plan, 1), e->g.sink.patch != NULL)) {
        m.least_bytes = m.early_least_bytes;
    }
    *limit = e->options.memory_bytes - m.least_bytes;
    if (e->options.memory_bytes < m.least_bytes && e->plan->rate.keep_coefs) {
        snprintf(e->why, sizeof e->why,
                 "memory_bytes is %llu, and a picture whose PSNR is a target, or is measured, stays in memory "
                 "as a whole, which takes %llu: give a rate in place of psnr, and set measure-psnr to no",
                 (unsigned long long)e->options.memory_bytes, (unsigned long long)m.least_bytes);
        return WVL_ERROR_PARAMETER;
    }
    if (e->options.memory_bytes < m.least_bytes) {
        snprintf(e->why, sizeof e->why, "memory_bytes is %llu, and the least for this picture is %llu",
                 (unsigned long long)e->options.memory_bytes, (unsigned long long)m.least_bytes);
        return WVL_ERROR_PARAMETER;
    }
    return WVL_OK;
}

/* The way of the rows, and what memory_bytes leaves on it. */
static wvl_status choose_way(row_encode *e, uint64_t *limit)
{
    wvl_way *way = &e->way;
    wvl_way_source source = {.rows = &e->g.source};
    int needs_device = e->plan->device.choice == WVL_DEVICE_CUDA_ONLY || e->plan->device.output;
    *way = wvl_choose_way(e->plan, &source);
    if (needs_device && way->kind != WVL_WAY_JOBS) {
        snprintf(e->why, sizeof e->why,
                 "no device takes the rows of this picture: %s. The options device and output-memory forbid the "
                 "CPU; set device to auto",
                 way->why);
        return WVL_ERROR_UNSUPPORTED;
    }
    wvl_status status = find_limit(e, way, limit);
    if (status == WVL_ERROR_PARAMETER && way->kind == WVL_WAY_JOBS && !needs_device) {
        source.failed = 1u << WVL_WAY_JOBS;
        *way = wvl_choose_way(e->plan, &source);
        status = find_limit(e, way, limit);
    }
    return status;
}

/* WVL_OK: window and spill are open, and the source is the window's. */
static wvl_status open_rows(row_encode *e)
{
    const wvl_plan *plan = e->plan;
    const char *why = wvl_rows_refuse(plan, &e->g.source);
    uint64_t limit;
    if (why) {
        return fail_rows(e, WVL_ERROR_ARGUMENT, why);
    }
    wvl_status status = choose_way(e, &limit);
    if (status != WVL_OK) {
        return status;
    }
    if (!wvl_spill_open(&e->spill, &plan->context->host, e->options.spill_folder, limit)) {
        return fail_rows(e, WVL_ERROR_MEMORY, wvl_status_text(WVL_ERROR_MEMORY));
    }
    status = wvl_rows_open(&e->window, plan, &e->g.source, &e->way);
    if (status != WVL_OK) {
        wvl_spill_close(&e->spill);
        return fail_rows(e, status, wvl_status_text(status));
    }
    e->g.has_source = 0;
    return WVL_OK;
}

static int take_rows(row_encode *e, const wvl_row_source *source, const wvl_rows_options *options, const wvl_sink *sink,
                     const wvl_control *control)
{
    memset(&e->options, 0, sizeof e->options);
    memset(&e->g, 0, sizeof e->g);
    e->g.has_source =
        source && wvl_struct_read(&e->g.source, sizeof e->g.source, source, WVL_STRUCT_UNTIL(wvl_row_source, user));
    take_output(&e->g, sink, control);
    int has_options = !options || wvl_struct_read(&e->options, sizeof e->options, options,
                                                  WVL_STRUCT_UNTIL(wvl_rows_options, spill_folder));
    const given *g = &e->g;
    return has_options && g->has_source && g->has_sink && g->has_control && g->sink.write && g->source.read;
}

wvl_status wvl_encode_rows(const wvl_plan *plan, const wvl_row_source *source, const wvl_rows_options *options,
                           wvl_sink *sink, const wvl_control *control, wvl_result **result, char *error,
                           size_t error_bytes)
{
    row_encode e = {.plan = plan};
    if (result) {
        *result = NULL;
    }
    if (!take_rows(&e, source, options, sink, control) || !plan) {
        return refuse(&e.g, sink, WVL_ERROR_ARGUMENT,
                      "wvl_encode_rows: an argument is NULL, its struct_size is not set, or members that this version "
                      "does not know are",
                      error, error_bytes);
    }
    wvl_status status = open_rows(&e);
    if (status != WVL_OK) {
        return refuse(&e.g, sink, status, e.why, error, error_bytes);
    }
    wvl_session *s = wvl_session_create(plan, "encode", 0, 0, NULL);
    if (s) {
        wvl_session_picture picture = {.image = &e.window.image,
                                       .rows = &e.window,
                                       .way = &e.way,
                                       .spill = &e.spill,
                                       .sink = &e.g.sink,
                                       .control = control ? &e.g.control : NULL,
                                       .result = result,
                                       .number = wvl_session_number(plan->context),
                                       .error = error,
                                       .error_bytes = error_bytes};
        status = wvl_session_encode(s, &picture);
        wvl_session_release(s);
        give_sink_back(&e.g, sink);
        /* Why there was no memory, if the file was the reason. */
        char reason[64] = "";
        if (status == WVL_ERROR_MEMORY && e.spill.code && picture.error && picture.error_bytes) {
            (void)strerror_r(e.spill.code, reason, sizeof reason);
            snprintf(picture.error, picture.error_bytes,
                     "coded blocks that exceed memory_bytes do not fit a file in %s: %s. Free space there, name "
                     "another spill_folder, or raise memory_bytes",
                     e.spill.folder, reason);
        }
    } else {
        status = refuse(&e.g, sink, WVL_ERROR_MEMORY, wvl_status_text(WVL_ERROR_MEMORY), error, error_bytes);
    }
    wvl_rows_close(&e.window);
    wvl_spill_close(&e.spill);
    return status;
}
