/* SPDX-License-Identifier: BSD-2-Clause */
#include "internal.h"

#include <stdlib.h>

/* Smallest step d in 1..255 with ceil(whole / d) == part, or 0. */
static uint8_t step_for(uint32_t whole, uint32_t part)
{
    for (uint32_t d = 1; d <= 255; d++) {
        if (((uint64_t)whole + d - 1) / d == part) {
            return (uint8_t)d;
        }
    }
    return 0;
}

/* ceil(whole / step) == part holds exactly for whole in (part - 1) * step + 1 .. part * step: the size is
   the smallest upper end, and no lower end may lie above it. */
static uint64_t upper_end(uint32_t part, uint8_t step) { return (uint64_t)part * step; }

static int declare_steps(wvl_io_context *context, wvl_io_component *list, uint32_t n, const uint8_t *steps)
{
    uint64_t width = UINT32_MAX, height = UINT32_MAX;

    for (uint32_t c = 0; c < n; c++) {
        list[c].dx = steps[2 * c];
        list[c].dy = steps[2 * c + 1];
        if (list[c].dx == 0 || list[c].dy == 0) {
            return wvl_io_fail(context, "component %u: a declared subsampling of 0: must be 1 to 255", c);
        }
        if (upper_end(list[c].width, list[c].dx) < width) {
            width = upper_end(list[c].width, list[c].dx);
        }
        if (upper_end(list[c].height, list[c].dy) < height) {
            height = upper_end(list[c].height, list[c].dy);
        }
    }
    context->picture->width = (uint32_t)width;
    context->picture->height = (uint32_t)height;
    return 0;
}

static int derive_steps(wvl_io_context *context, wvl_io_component *list, uint32_t n)
{
    wvl_io_picture *out = context->picture;

    for (uint32_t c = 0; c < n; c++) {
        out->width = list[c].width > out->width ? list[c].width : out->width;
        out->height = list[c].height > out->height ? list[c].height : out->height;
    }
    for (uint32_t c = 0; c < n; c++) {
        list[c].dx = step_for(out->width, list[c].width);
        list[c].dy = step_for(out->height, list[c].height);
    }
    return 0;
}

static int check_steps(wvl_io_context *context, const wvl_io_component *list, uint32_t n)
{
    const wvl_io_picture *out = context->picture;

    for (uint32_t c = 0; c < n; c++) {
        const wvl_io_component *k = &list[c];

        if (k->dx == 0 || k->dy == 0 || ((uint64_t)out->width + k->dx - 1) / k->dx != k->width ||
            ((uint64_t)out->height + k->dy - 1) / k->dy != k->height) {
            return wvl_io_fail(
                context,
                "component %u is %u x %u: no %s subsampling of 1 to 255 gives this size from a picture of %u x %u", c,
                k->width, k->height, k->dx != 0 && k->dy != 0 ? "declared" : "sampling", out->width, out->height);
        }
    }
    return 0;
}

static int count_components(wvl_io_context *context, const wvl_io_picture *parts, size_t count, uint32_t *n)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        sum += parts[i].component_count;
        if (parts[i].palette) {
            return wvl_io_fail(context,
                               "picture %llu has palette indices: pictures that are put together must have samples; "
                               "convert it to grey or RGB",
                               (unsigned long long)i);
        }
        if (parts[i].component_count == 0 || sum > WVL_IO_MAX_COMPONENTS) {
            return wvl_io_fail(context, "%llu components: must be 1 to %u, at least one for each picture",
                               (unsigned long long)sum, WVL_IO_MAX_COMPONENTS);
        }
    }
    *n = (uint32_t)sum;
    return sum != 0 ? 0 : wvl_io_fail(context, "no picture: give at least one");
}

/* Takes over what all parts have in common; several greys have no declared meaning together. */
static void inherit(wvl_io_context *context, wvl_io_picture *parts, size_t count)
{
    wvl_io_picture *out = context->picture;

    memcpy(out->format, parts[0].format, sizeof out->format);
    out->orientation = parts[0].orientation;
    out->x_pixels_per_metre = parts[0].x_pixels_per_metre;
    out->y_pixels_per_metre = parts[0].y_pixels_per_metre;
    wvl_io_set_color(out, count == 1 ? parts[0].color : WVL_IO_UNKNOWN, 0, -1);
    for (size_t i = 0; i < count; i++) {
        if (parts[i].icc || !wvl_io_is_metadata_empty(&parts[i].metadata)) {
            wvl_io_note(context, "the profile and the metadata of part %llu are left out", (unsigned long long)i);
        }
        if (parts[i].lost[0] != '\0' && !strstr(out->lost, parts[i].lost)) {
            wvl_io_lose(context, parts[i].lost);
        }
        free(parts[i].components);
        parts[i].components = NULL;
        parts[i].component_count = 0;
        wvl_io_release_picture(&parts[i]);
    }
}

int wvl_io_merge_components(wvl_io_picture *parts, size_t count, const uint8_t *steps, wvl_io_picture *out, char *error,
                            size_t error_bytes)
{
    wvl_io_context context = {.name = "merging components", .picture = out, .error = error, .error_bytes = error_bytes};
    wvl_io_component *list = NULL;
    uint32_t n = 0;

    wvl_io_clear_picture(out);
    int result = count_components(&context, parts, count, &n);
    if (result == 0 && !(list = calloc(n, sizeof *list))) {
        result = wvl_io_fail_memory(&context, "components", (uint64_t)n * sizeof *list);
    }
    if (result == 0) {
        uint32_t at = 0;
        for (size_t i = 0; i < count; at += parts[i++].component_count) {
            memcpy(list + at, parts[i].components, parts[i].component_count * sizeof *list);
        }
        result = steps ? declare_steps(&context, list, n, steps) : derive_steps(&context, list, n);
    }
    TRY(result, check_steps(&context, list, n));
    if (result != 0) {
        free(list);
        wvl_io_clear_picture(out);
        return wvl_io_result_of(&context, result);
    }
    out->components = list;
    out->component_count = n;
    inherit(&context, parts, count);
    return 0;
}
