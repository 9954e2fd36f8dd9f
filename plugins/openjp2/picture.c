/* SPDX-License-Identifier: BSD-2-Clause */
/* opj_image and its JP2 contents for Wavelane, and the encode of planes in memory. */
#define _GNU_SOURCE
#include "codec.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The context ----------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void log_text(void *user, wvl_log_level level, const char *text)
{
    (void)user;
    real_say(0, "%s%s", level <= WVL_LOG_WARNING ? "warning: " : "", text);
}

/* One context for each number of threads is kept for the life of the process, because a device takes long to open. A
 * child process has none of its parent's threads, so it makes its own. */
static wvl_params *make_params(int threads, wvl_context **made)
{
    static struct {
        pid_t process;
        int threads;
        wvl_context *context;
    } kept[4];
    enum { KEPT = sizeof kept / sizeof kept[0] };
    wvl_context *context = NULL;
    wvl_params *params = NULL;
    pthread_mutex_lock(&lock);
    unsigned i = 0;
    while (i < KEPT - 1 && kept[i].context && (kept[i].process != getpid() || kept[i].threads != threads)) {
        i++;
    }
    if (!kept[i].context || kept[i].process != getpid() || kept[i].threads != threads) {
        wvl_context_options options = {
            .struct_size = sizeof options, .threads = (uint32_t)threads, .log = log_text, .log_level = WVL_LOG_INFO};
        if (wvl_context_create(&options, &context) == WVL_OK) {
            if (kept[i].context && kept[i].process == getpid()) {
                wvl_context_release(kept[i].context); /* its plans keep it */
            }
            kept[i].process = getpid();
            kept[i].threads = threads;
            kept[i].context = context;
        }
    } else {
        context = kept[i].context;
    }
    /* Params hold the context; without them another thread may release it. */
    if (context && wvl_params_create(context, &params) != WVL_OK) {
        params = NULL;
    }
    *made = context;
    pthread_mutex_unlock(&lock);
    return params;
}

/* WAVELANE_THREADS, else what the host asked for, else OPJ_NUM_THREADS as libopenjp2 reads it, else one. 0: all. */
static int threads_of(const codec_entry *c)
{
    const char *own = getenv("WAVELANE_THREADS"), *other = getenv("OPJ_NUM_THREADS");
    if (own && *own) {
        return strcmp(own, "all") ? abs(atoi(own)) : 0;
    }
    if (c->threads <= 0 && other && !strcmp(other, "ALL_CPUS")) {
        return 0;
    }
    int threads = c->threads > 0 || !other ? c->threads : atoi(other);
    return threads > 1 ? threads : 1;
}

/* ---- Format and boxes ------------------------------------------------------------------------ */

static uint32_t ceil_div(uint32_t a, uint32_t b) { return (uint32_t)(((uint64_t)a + b - 1) / b); }

uint32_t picture_width(const opj_image *image, const opj_component *c)
{
    return ceil_div(image->x1, c->dx) - ceil_div(image->x0, c->dx);
}

/* A host may give sizes that do not follow from the reference grid, as opj_compress does for subsampled raw pictures.
 * libopenjp2 takes no notice of them; where they are less, it reads past the samples. */
static const char *fill_format(const opj_image *image, wvl_component_format *components)
{
    for (uint32_t i = 0; i < image->numcomps; i++) {
        const opj_component *c = &image->comps[i];
        if (!c->dx || !c->dy || c->dx > 255 || c->dy > 255) {
            return "a component without a subsampling of 1 to 255";
        }
        uint32_t width = picture_width(image, c), height = ceil_div(image->y1, c->dy) - ceil_div(image->y0, c->dy);
        int is_wide = c->w != width && ceil_div(image->x1 - image->x0, c->dx) != width; /* its rows of tiles differ */
        if (c->w < width || c->h < height || is_wide) {
            return "a component whose size does not follow from the reference grid";
        }
        if (c->prec < 1 || c->prec > 28) {
            return "samples of more than 28 bits";
        }
        components[i] = (wvl_component_format){(uint8_t)c->prec, c->sgnd != 0, (uint8_t)c->dx, (uint8_t)c->dy};
    }
    return NULL;
}

/* One alpha channel behind the colours of a known colour space becomes a cdef box, as in libopenjp2. */
static void fill_channels(const opj_image *image, uint16_t *types, wvl_jp2_info *jp2)
{
    uint32_t alpha = image->numcomps, count = 0, colors = 0;
    if (image->color_space == OPJ_COLOR_GREY) {
        colors = 1;
    } else if (image->color_space == OPJ_COLOR_SRGB || image->color_space == OPJ_COLOR_SYCC) {
        colors = 3;
    }
    for (uint32_t i = 0; i < image->numcomps; i++) {
        types[i] = i < colors ? WVL_CHANNEL_COLOR : WVL_CHANNEL_UNSPECIFIED;
        if (image->comps[i].alpha) {
            types[i] = WVL_CHANNEL_OPACITY;
            alpha = i;
            count++;
        }
    }
    if (count != 1 || !colors || alpha < colors || image->icc_profile_len) {
        return;
    }
    jp2->channel_types = types;
    jp2->channel_count = image->numcomps;
}

static const char *fill_jp2(const opj_image *image, uint16_t *types, wvl_jp2_info *jp2)
{
    jp2->color = WVL_COLOR_AUTO;
    if (image->icc_profile_buf && image->icc_profile_len) {
        jp2->icc = image->icc_profile_buf;
        jp2->icc_bytes = image->icc_profile_len;
    } else if (image->color_space == OPJ_COLOR_SRGB) {
        jp2->color = WVL_COLOR_SRGB;
    } else if (image->color_space == OPJ_COLOR_GREY) {
        jp2->color = WVL_COLOR_GREY;
    } else if (image->color_space == OPJ_COLOR_SYCC) {
        jp2->color = WVL_COLOR_SYCC;
    } else if (image->color_space == OPJ_COLOR_EYCC || image->color_space == OPJ_COLOR_CMYK) {
        return "a colour space that a JP2 file cannot name (e-YCC or CMYK)";
    }
    fill_channels(image, types, jp2);
    return NULL;
}

/* NULL, or the reason. params are made for the picture. */
static const char *build_plan(codec_entry *c, const wvl_component_format *components, const wvl_jp2_info *jp2,
                              int has_user, int *is_refused, char *room, size_t room_bytes)
{
    const opj_image *image = &c->image;
    wvl_context *context = NULL;
    wvl_params *params = make_params(threads_of(c), &context);
    const char *reason = params ? settings_apply(c, params, has_user, is_refused, room, room_bytes) : "memory is short";
    if (!reason) {
        wvl_image_format format = {.struct_size = sizeof format,
                                   .x0 = image->x0,
                                   .y0 = image->y0,
                                   .x1 = image->x1,
                                   .y1 = image->y1,
                                   .component_count = image->numcomps,
                                   .components = components};
        wvl_plan_request request = {.struct_size = sizeof request,
                                    .context = context,
                                    .params = params,
                                    .format = &format,
                                    .jp2 = jp2,
                                    .error = room,
                                    .error_bytes = room_bytes};
        reason = wvl_plan_build(&request, &c->plan) == WVL_OK ? NULL : room;
    }
    wvl_params_release(params);
    return reason;
}

const char *picture_plan(codec_entry *c, int *is_refused, char *room, size_t room_bytes)
{
    const opj_image *image = &c->image;
    wvl_component_format *components = calloc(image->numcomps, sizeof *components);
    uint16_t *types = calloc(image->numcomps, sizeof *types);
    wvl_jp2_info jp2 = {.struct_size = sizeof jp2};
    const wvl_jp2_info *boxes = c->format == OPJ_FORMAT_JP2 ? &jp2 : NULL;
    const char *reason = components && types ? NULL : "memory is short";
    int has_user = settings_has_user();
    *is_refused = 0;
    reason = reason ? reason : fill_format(image, components);
    reason = reason || !boxes ? reason : fill_jp2(image, types, &jp2);
    if (!reason) {
        reason = build_plan(c, components, boxes, has_user, is_refused, room, room_bytes);
        /* Where the host's settings alone are fine, the user's are wrong. */
        char other[1024];
        int ignored;
        if (reason && !*is_refused && has_user && !build_plan(c, components, boxes, 0, &ignored, other, sizeof other)) {
            wvl_plan_release(c->plan);
            c->plan = NULL;
            *is_refused = 1;
        }
    }
    free(types);
    free(components);
    return reason;
}

/* ---- The encode ------------------------------------------------------------------------------ */

typedef struct output {
    const stream_entry *stream;
    uint64_t written;
} output;

static int write_output(void *user, const void *data, size_t bytes)
{
    output *o = user;
    o->written += bytes;
    return stream_write(o->stream, data, bytes);
}

wvl_status picture_encode(codec_entry *c, const wvl_plane *planes, uint64_t *written, char *error, size_t error_bytes)
{
    output o = {.stream = c->stream};
    /* Without patch no byte leaves before the picture is coded: a failure leaves the host's stream as it was. */
    wvl_sink sink = {.struct_size = sizeof sink, .write = write_output, .user = &o};
    wvl_image image = {.struct_size = sizeof image, .planes = planes, .plane_count = c->image.numcomps};
    wvl_result *result = NULL;
    wvl_status status = wvl_encode(c->plan, &image, &sink, NULL, &result, error, error_bytes);
    if (status == WVL_OK) {
        real_say(0, "%u x %u, %u components: %llu bytes by Wavelane (%s)", c->image.x1 - c->image.x0,
                 c->image.y1 - c->image.y0, c->image.numcomps, (unsigned long long)o.written,
                 wvl_result_backend(result));
        if (stream_flush(c->stream)) {
            status = WVL_ERROR_SINK;
            snprintf(error, error_bytes, "the file could not take all bytes");
        }
    }
    wvl_result_release(result);
    *written = o.written;
    return status;
}
