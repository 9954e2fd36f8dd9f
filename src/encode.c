/* SPDX-License-Identifier: BSD-2-Clause */
/* wvl_encode and wvl_encode_rows: the public calls for one picture. They read the structures of the caller and run a
 * session once. */
#include <stdio.h>
#include <string.h>

#include "base/structs.h"
#include "codec/sink.h"
#include "context.h"
#include "rows.h"
#include "session.h"
#include "strip_drive.h"

/* What the call was given, as this version knows it: an image, or a source of rows. */
typedef struct given {
    wvl_image image;
    wvl_row_source source;
    wvl_sink sink;
    wvl_control control;
    int has_image, has_source, has_sink, has_control;
} given;

static void take_image(given *g, const wvl_image *image)
{
    memset(g, 0, sizeof *g);
    g->has_image =
        image && wvl_struct_read(&g->image, sizeof g->image, image, WVL_STRUCT_UNTIL(wvl_image, release_user));
}

static void take_source(given *g, const wvl_row_source *source)
{
    memset(g, 0, sizeof *g);
    g->has_source =
        source && wvl_struct_read(&g->source, sizeof g->source, source, WVL_STRUCT_UNTIL(wvl_row_source, user));
}

static void take_output(given *g, const wvl_sink *sink, const wvl_control *control)
{
    g->has_sink = sink && wvl_struct_read(&g->sink, sizeof g->sink, sink, WVL_STRUCT_UNTIL(wvl_sink, user));
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
        (void)snprintf(error, error_bytes, "%s", text);
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
    take_image(&g, image);
    take_output(&g, sink, control);
    if (!plan || !g.has_image || !g.has_sink || !g.has_control || !g.sink.write) {
        return refuse(&g, sink, WVL_ERROR_ARGUMENT,
                      "wvl_encode: an argument is NULL, its struct_size is not set, or members that this version does "
                      "not know are",
                      error, error_bytes);
    }
    wvl_session *s = wvl_session_create(plan, "encode", 0, NULL);
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

static wvl_status encode_window(const wvl_plan *plan, given *g, wvl_row_window *window, wvl_sink *sink,
                                const wvl_session_picture *out)
{
    wvl_session *s = wvl_session_create(plan, "encode", 0, NULL);
    if (!s) {
        return refuse(g, sink, WVL_ERROR_MEMORY, wvl_status_text(WVL_ERROR_MEMORY), out->error, out->error_bytes);
    }
    wvl_session_picture picture = *out;
    picture.rows = window;
    picture.image = &window->image;
    picture.number = wvl_session_number(plan->context);
    wvl_status status = wvl_session_encode(s, &picture);
    wvl_session_release(s);
    give_sink_back(g, sink);
    return status;
}

/* WVL_OK: the window is open, and the source is its own. */
static wvl_status open_window(const wvl_plan *plan, given *g, wvl_row_window *window, const char **why)
{
    *why = wvl_rows_refuse(plan, &g->source);
    if (*why) {
        return WVL_ERROR_ARGUMENT;
    }
    if (plan->device.choice == WVL_DEVICE_CUDA_ONLY || plan->device.output) {
        *why = "rows are encoded on the CPU in this version, and the options device and output-memory forbid that: set "
               "device to auto";
        return WVL_ERROR_UNSUPPORTED;
    }
    wvl_status status = wvl_rows_open(
        window, plan, &g->source, wvl_strips_are_used(plan) ? wvl_strip_window_rows(plan) : wvl_rows_of_waves(plan));
    g->has_source = status != WVL_OK;
    *why = wvl_status_text(status);
    return status;
}

wvl_status wvl_encode_rows(const wvl_plan *plan, const wvl_row_source *source, wvl_sink *sink,
                           const wvl_control *control, wvl_result **result, char *error, size_t error_bytes)
{
    if (result) {
        *result = NULL;
    }
    given g;
    take_source(&g, source);
    take_output(&g, sink, control);
    if (!plan || !g.has_source || !g.has_sink || !g.has_control || !g.sink.write || !g.source.read) {
        return refuse(&g, sink, WVL_ERROR_ARGUMENT,
                      "wvl_encode_rows: an argument is NULL, its struct_size is not set, or members that this version "
                      "does not know are",
                      error, error_bytes);
    }
    const char *why;
    wvl_row_window window;
    wvl_status status = open_window(plan, &g, &window, &why);
    if (status != WVL_OK) {
        return refuse(&g, sink, status, why, error, error_bytes);
    }
    wvl_session_picture picture = {.sink = &g.sink,
                                   .control = control ? &g.control : NULL,
                                   .result = result,
                                   .error = error,
                                   .error_bytes = error_bytes};
    status = encode_window(plan, &g, &window, sink, &picture);
    wvl_rows_close(&window);
    return status;
}
