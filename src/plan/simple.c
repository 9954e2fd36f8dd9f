/* SPDX-License-Identifier: BSD-2-Clause */
/* The conveniences of wavelane_simple.h, made of the calls of wavelane.h. */
#include "wavelane_simple.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/context.h"
#include "base/structs.h"
#include "geom/plan.h"

static wvl_status fail(wvl_status status, const char *text, char *error, size_t error_bytes)
{
    if (error && error_bytes) {
        snprintf(error, error_bytes, "%s", text);
    }
    return status;
}

/* Gives pixels back that no encode will take. */
static wvl_status fail_with_image(const wvl_image *image, wvl_status status, const char *text, char *error,
                                  size_t error_bytes)
{
    wvl_image taken;
    if (image && wvl_struct_read(&taken, sizeof taken, image, WVL_STRUCT_UNTIL(wvl_image, release_user)) &&
        taken.release) {
        taken.release(taken.release_user);
    }
    return fail(status, text, error, error_bytes);
}

/* ---- Growing memory -------------------------------------------------------------------------- */

static wvl_status encode_to_sink(const wvl_plan *plan, const wvl_image *image, const wvl_control *control,
                                 wvl_result **result, wvl_sink *sink, char *error, size_t error_bytes)
{
    wvl_status status = wvl_sink_open_memory(plan->context, sink);
    return status ? fail_with_image(image, status, "no memory for an output", error, error_bytes)
                  : wvl_encode(plan, image, sink, control, result, error, error_bytes);
}

wvl_status wvl_encode_to_memory(const wvl_plan *plan, const wvl_image *image, const wvl_control *control, void **data,
                                size_t *bytes, wvl_result **result, char *error, size_t error_bytes)
{
    wvl_sink sink;
    wvl_result *own = NULL;
    if (result) {
        *result = NULL;
    }
    if (data) {
        *data = NULL;
    }
    if (bytes) {
        *bytes = 0;
    }
    if (!plan || !data || !bytes) {
        return fail_with_image(image, WVL_ERROR_ARGUMENT, "wvl_encode_to_memory: an argument is NULL", error,
                               error_bytes);
    }
    wvl_status status = encode_to_sink(plan, image, control, result ? &own : NULL, &sink, error, error_bytes);
    if (status) {
        return status;
    }
    status = wvl_sink_take_memory(&sink, data, bytes);
    if (status) {
        wvl_sink_discard(&sink);
        wvl_result_release(own);
        return fail(status, "no memory for the output", error, error_bytes);
    }
    if (result) {
        *result = own;
    }
    return WVL_OK;
}

/* ---- Memory of the caller -------------------------------------------------------------------- */

typedef struct buffer_sink {
    uint8_t *data;
    size_t capacity, bytes; /* bytes: written so far */
    uint64_t needed;        /* of the whole output; 0: not known yet */
} buffer_sink;

static int buffer_reserve(void *user, uint64_t bytes)
{
    buffer_sink *b = user;
    b->needed = bytes;
    return bytes > b->capacity;
}

static int buffer_write(void *user, const void *data, size_t bytes)
{
    buffer_sink *b = user;
    if (bytes > b->capacity - b->bytes) {
        return 1;
    }
    if (bytes) {
        memcpy(b->data + b->bytes, data, bytes);
    }
    b->bytes += bytes;
    return 0;
}

wvl_status wvl_encode_to_buffer(const wvl_plan *plan, const wvl_image *image, const wvl_control *control, void *buffer,
                                size_t capacity, size_t *bytes, wvl_result **result, char *error, size_t error_bytes)
{
    if (result) {
        *result = NULL;
    }
    if (bytes) {
        *bytes = 0;
    }
    if (!plan || !bytes || (!buffer && capacity)) {
        return fail_with_image(image, WVL_ERROR_ARGUMENT, "wvl_encode_to_buffer: an argument is NULL", error,
                               error_bytes);
    }
    buffer_sink state = {buffer, capacity, 0, 0};
    wvl_sink sink = {.struct_size = sizeof sink, .write = buffer_write, .user = &state, .reserve = buffer_reserve};
    wvl_status status = wvl_encode(plan, image, &sink, control, result, error, error_bytes);
    if (status == WVL_OK) {
        *bytes = state.bytes;
    } else if (status == WVL_ERROR_SINK && state.needed > capacity) {
        *bytes = (size_t)state.needed;
        if (error && error_bytes) {
            snprintf(error, error_bytes, "the buffer has %zu bytes, and the output has %zu; give a larger one",
                     capacity, *bytes);
        }
    }
    return status;
}

/* ---- Pixels ---------------------------------------------------------------------------------- */

/* What wvl_encode_pixels was given, and what is made of it. */
typedef struct pixel_job {
    wvl_context *context;
    wvl_pixels pixels;
    wvl_component_format *components; /* [channels] */
    wvl_plane *planes;                /* [channels] */
    wvl_params *params;
    wvl_plan *plan;
    char *error;
    size_t error_bytes;
} pixel_job;

static uint8_t container_of_depth(uint8_t depth)
{
    if (depth > 16) {
        return WVL_SAMPLE_32;
    }
    return depth > 8 ? WVL_SAMPLE_16 : WVL_SAMPLE_8;
}

/* Fills in what zero stands for. 0: the sizes are out of range, or a row is longer than memory. */
static int complete_pixels(wvl_pixels *p)
{
    p->channels = p->channels ? p->channels : 1;
    p->depth = p->depth ? p->depth : 8;
    uint64_t sample_bytes = (uint64_t)1 << (container_of_depth(p->depth) - WVL_SAMPLE_8);
    uint64_t row = p->width * sample_bytes * (p->planar ? 1 : p->channels); /* below 2^48 */
    if (!p->data || !p->width || !p->height || p->channels > 16384 || p->planar > 1 || row > PTRDIFF_MAX) {
        return 0;
    }
    uint64_t apart = p->plane_bytes < 0 ? 0 - (uint64_t)p->plane_bytes : (uint64_t)p->plane_bytes;
    if (p->planar && apart > (uint64_t)PTRDIFF_MAX / p->channels) {
        return 0;
    }
    p->row_bytes = p->row_bytes ? p->row_bytes : (ptrdiff_t)row;
    if (!p->plane_bytes && p->planar) {
        uint64_t pitch = p->row_bytes < 0 ? 0 - (uint64_t)p->row_bytes : (uint64_t)p->row_bytes;
        if (pitch > (uint64_t)PTRDIFF_MAX / p->height / p->channels) {
            return 0;
        }
        p->plane_bytes = (ptrdiff_t)(pitch * p->height);
    }
    return 1;
}

static wvl_status build_plan(pixel_job *j, const char *options)
{
    wvl_status status = wvl_params_create(j->context, &j->params);
    if (status) {
        return fail(status, wvl_status_text(status), j->error, j->error_bytes);
    }
    status = options ? wvl_params_parse(j->params, options) : WVL_OK;
    if (status) {
        return fail(status, wvl_params_error(j->params), j->error, j->error_bytes);
    }
    wvl_image_format format = {.struct_size = sizeof format,
                               .x1 = j->pixels.width,
                               .y1 = j->pixels.height,
                               .component_count = j->pixels.channels,
                               .components = j->components};
    wvl_plan_request request = {.struct_size = sizeof request,
                                .context = j->context,
                                .params = j->params,
                                .format = &format,
                                .error = j->error,
                                .error_bytes = j->error_bytes};
    return wvl_plan_build(&request, &j->plan);
}

static wvl_status encode_pixels(pixel_job *j, const char *options, void **data, size_t *bytes)
{
    const wvl_pixels *p = &j->pixels;
    for (uint32_t c = 0; c < p->channels; c++) {
        const uint8_t *pixels = p->data;
        j->components[c] = (wvl_component_format){p->depth, p->is_signed, 1, 1};
        j->planes[c] = (wvl_plane){.data = p->planar ? pixels + (ptrdiff_t)c * p->plane_bytes : pixels,
                                   .pitch_bytes = p->row_bytes,
                                   .sample_stride = p->planar ? 1 : p->channels,
                                   .first_sample = p->planar ? 0 : c,
                                   .container = container_of_depth(p->depth)};
    }
    wvl_status status = build_plan(j, options);
    if (!status) {
        wvl_image image = {.struct_size = sizeof image, .planes = j->planes, .plane_count = j->pixels.channels};
        status = wvl_encode_to_memory(j->plan, &image, NULL, data, bytes, NULL, j->error, j->error_bytes);
    }
    wvl_plan_release(j->plan);
    wvl_params_release(j->params);
    return status;
}

wvl_status wvl_encode_pixels(wvl_context *context, const wvl_pixels *pixels, const char *options, void **data,
                             size_t *bytes, char *error, size_t error_bytes)
{
    pixel_job j = {.context = context, .error = error, .error_bytes = error_bytes};
    if (data) {
        *data = NULL;
    }
    if (bytes) {
        *bytes = 0;
    }
    if (!context || !pixels || !data || !bytes ||
        !wvl_struct_read(&j.pixels, sizeof j.pixels, pixels, WVL_STRUCT_UNTIL(wvl_pixels, plane_bytes))) {
        return fail(WVL_ERROR_ARGUMENT,
                    "wvl_encode_pixels: an argument is NULL, struct_size is not set, or members are set that this "
                    "version does not know",
                    error, error_bytes);
    }
    if (!complete_pixels(&j.pixels)) {
        return fail(WVL_ERROR_ARGUMENT,
                    "wvl_encode_pixels: data is NULL, width or height is 0, there are more than 16384 channels, planar "
                    "is neither 0 nor 1, or the rows do not fit memory",
                    error, error_bytes);
    }
    uint64_t channels = j.pixels.channels, bytes_of_channel = sizeof *j.components + sizeof *j.planes;
    j.planes = wvl_alloc(&context->host, channels * bytes_of_channel);
    if (!j.planes) {
        return fail(WVL_ERROR_MEMORY, "no memory for a description of the picture", error, error_bytes);
    }
    j.components = (wvl_component_format *)(j.planes + channels);
    wvl_status status = encode_pixels(&j, options, data, bytes);
    wvl_free(&context->host, j.planes, channels * bytes_of_channel);
    return status;
}
