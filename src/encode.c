/* SPDX-License-Identifier: BSD-2-Clause */
/* wvl_encode: the public call for one picture. It reads the structures of the caller and runs a session once. */
#include <stdio.h>
#include <string.h>

#include "base/structs.h"
#include "codec/sink.h"
#include "context.h"
#include "session.h"

/* What wvl_encode was given, as this version knows it. */
typedef struct given {
    wvl_image image;
    wvl_sink sink;
    wvl_control control;
    int has_image, has_sink, has_control;
} given;

static void take_arguments(given *g, const wvl_image *image, const wvl_sink *sink, const wvl_control *control)
{
    memset(g, 0, sizeof *g);
    g->has_image =
        image && wvl_struct_read(&g->image, sizeof g->image, image, WVL_STRUCT_UNTIL(wvl_image, release_user));
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
    take_arguments(&g, image, sink, control);
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
