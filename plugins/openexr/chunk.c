/* SPDX-License-Identifier: BSD-2-Clause */
#include "chunk.h"

#include <stdio.h>
#include <strings.h>

#include "wavelane_simple.h"

/* As OpenEXR 3.5.2 and later write: blocks of 128x32 and resolutions that can be read by themselves. */
#define SETTINGS                                                                                                       \
    "reversible=yes, style=HT, levels=5, block='128,32', progression=RPCL, tile-parts=R, tlm=yes, container=j2k"

/* ---- Colours by name ------------------------------------------------------------------------- */

/* The part of a name behind the last dot. */
static const char *find_suffix(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

static int is_same_layer(const char *a, const char *b)
{
    size_t bytes = (size_t)(find_suffix(a) - a);
    return (size_t)(find_suffix(b) - b) == bytes && !memcmp(a, b, bytes);
}

static int is_same_format(const wvl_exr_channel *a, const wvl_exr_channel *b)
{
    return a->type == b->type && wvl_exr_step(a->x_sampling) == wvl_exr_step(b->x_sampling) &&
           wvl_exr_step(a->y_sampling) == wvl_exr_step(b->y_sampling);
}

/* Finds three channels of one layer, that of the first channel which has one of the names. */
static int find_triplet(const wvl_exr_channel *channels, uint32_t count, const char *const names[3], uint32_t found[3])
{
    uint32_t first = UINT32_MAX;
    int seen[3] = {0, 0, 0};
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            int fits = !strcasecmp(find_suffix(channels[i].name), names[k]) && !seen[k];
            if (fits && (first == UINT32_MAX || is_same_layer(channels[first].name, channels[i].name))) {
                first = first == UINT32_MAX ? i : first;
                found[k] = i;
                seen[k] = 1;
            }
        }
    }
    return seen[0] && seen[1] && seen[2] && is_same_format(&channels[found[0]], &channels[found[1]]) &&
           is_same_format(&channels[found[0]], &channels[found[2]]);
}

/* Red, green and blue become the first components; 1: they are there. */
static int order_channels(const wvl_exr_channel *channels, uint32_t count, uint16_t *channel_of)
{
    static const char *const short_names[3] = {"r", "g", "b"}, *const long_names[3] = {"red", "green", "blue"};
    uint32_t found[3] = {0, 0, 0}, next = 0;
    int is_color =
        find_triplet(channels, count, short_names, found) || find_triplet(channels, count, long_names, found);
    for (uint32_t k = 0; is_color && k < 3; k++) {
        channel_of[next++] = (uint16_t)found[k];
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!is_color || (i != found[0] && i != found[1] && i != found[2])) {
            channel_of[next++] = (uint16_t)i;
        }
    }
    return is_color;
}

int wvl_exr_are_alike(const wvl_exr_channel *a, const wvl_exr_channel *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!is_same_format(&a[i], &b[i]) || strcmp(a[i].name, b[i].name) != 0) {
            return 0;
        }
    }
    return 1;
}

/* ---- Plan ------------------------------------------------------------------------------------ */

static wvl_status refuse(char *error, size_t error_bytes, wvl_status status, const char *text)
{
    if (error_bytes) {
        snprintf(error, error_bytes, "%s", text);
    }
    return status;
}

/* A channel by itself decides nothing; a colour transform needs all channels at every point, as OpenEXR has it. */
static int is_subsampled(const wvl_component_format *components, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (components[i].dx > 1 || components[i].dy > 1) {
            return 1;
        }
    }
    return 0;
}

static wvl_status build_plan(wvl_context *context, const char *device, const wvl_component_format *components,
                             int is_color, wvl_exr_chunk *chunk, char *error, size_t error_bytes)
{
    wvl_params *params = NULL;
    wvl_image_format format = {.struct_size = sizeof format,
                               .x1 = chunk->width,
                               .y1 = chunk->height,
                               .component_count = chunk->channel_count,
                               .components = components};
    int is_transformed = is_color && !is_subsampled(components, chunk->channel_count);
    wvl_status status = wvl_params_create(context, &params);
    status = status ? status : wvl_params_parse(params, SETTINGS);
    status = status ? status : wvl_params_set(params, "mct", is_transformed ? "on" : "off");
    status = status ? status : wvl_params_set(params, "device", device ? device : "auto");
    if (status) {
        (void)refuse(error, error_bytes, status, params ? wvl_params_error(params) : wvl_status_text(status));
    } else {
        wvl_plan_request request = {.struct_size = sizeof request,
                                    .context = context,
                                    .params = params,
                                    .format = &format,
                                    .error = error,
                                    .error_bytes = error_bytes};
        status = wvl_plan_build(&request, &chunk->plan);
    }
    wvl_params_release(params);
    return status;
}

wvl_status wvl_exr_plan_chunk(wvl_context *context, const char *device, const wvl_exr_channel *channels,
                              uint32_t channel_count, uint32_t width, uint32_t height, wvl_exr_chunk *chunk,
                              char *error, size_t error_bytes)
{
    static const uint16_t one = 1;
    memset(chunk, 0, sizeof *chunk);
    if (!*(const uint8_t *)&one) {
        return refuse(error, error_bytes, WVL_ERROR_UNSUPPORTED, "OpenEXR: this machine is not little-endian");
    }
    chunk->width = width;
    chunk->height = height;
    chunk->channel_count = channel_count;
    chunk->channel_of = malloc(channel_count * sizeof *chunk->channel_of);
    wvl_component_format *components = calloc(channel_count, sizeof *components);
    wvl_status status = WVL_ERROR_MEMORY;
    if (chunk->channel_of && components) {
        int is_color = order_channels(channels, channel_count, chunk->channel_of);
        for (uint32_t i = 0; i < channel_count; i++) {
            const wvl_exr_channel *from = &channels[chunk->channel_of[i]];
            components[i].depth = (uint8_t)(8 * wvl_exr_sample_bytes(from));
            components[i].is_signed = from->type == WVL_EXR_UINT ? WVL_SAMPLE_UNSIGNED : WVL_SAMPLE_FLOAT;
            components[i].dx = (uint8_t)wvl_exr_step(from->x_sampling);
            components[i].dy = (uint8_t)wvl_exr_step(from->y_sampling);
        }
        status = build_plan(context, device, components, is_color, chunk, error, error_bytes);
    } else {
        (void)refuse(error, error_bytes, status, "out of memory");
    }
    free(components);
    return status;
}

void wvl_exr_release_chunk(wvl_exr_chunk *chunk)
{
    wvl_plan_release(chunk->plan);
    free(chunk->channel_of);
    memset(chunk, 0, sizeof *chunk);
}

/* ---- Bytes and pixels ------------------------------------------------------------------------ */

static uint8_t *put_big_endian(uint8_t *to, uint32_t value, unsigned bytes)
{
    for (unsigned i = bytes; i-- > 0;) {
        *to++ = (uint8_t)(value >> (8 * i));
    }
    return to;
}

void wvl_exr_put_map(const wvl_exr_chunk *chunk, uint8_t *to)
{
    *to++ = 'H';
    *to++ = 'T';
    to = put_big_endian(to, 2 + 2 * chunk->channel_count, 4);
    to = put_big_endian(to, chunk->channel_count, 2);
    for (uint32_t i = 0; i < chunk->channel_count; i++) {
        to = put_big_endian(to, chunk->channel_of[i], 2);
    }
}

void wvl_exr_point_planes(const wvl_exr_chunk *chunk, const wvl_exr_channel *channels, const void *const *rows,
                          wvl_plane *planes)
{
    for (uint32_t i = 0; i < chunk->channel_count; i++) {
        const wvl_exr_channel *from = &channels[chunk->channel_of[i]];
        planes[i] = (wvl_plane){.data = rows[chunk->channel_of[i]],
                                .pitch_bytes = from->pitch_bytes,
                                .container = from->type == WVL_EXR_HALF ? WVL_SAMPLE_16 : WVL_SAMPLE_32};
    }
}
