/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of TIFF in portions that do not end where TIFF strips or tiles end: the band that holds them is kept. */
#include "read_tiff.h"

#include <stdlib.h>
#include <string.h>

static uint32_t rows_of_band(const wvl_io_tiff *t, uint32_t first)
{
    return t->height - first < t->band_rows ? t->height - first : t->band_rows;
}

void wvl_io_tiff_release_band(wvl_io_tiff *t)
{
    for (uint32_t i = 0; t->band && i < t->band_count; i++) {
        free(t->band[i].data);
    }
    free(t->band);
    t->band = NULL;
}

/* A block for each buffer, as high as a band. */
static int allocate_band(wvl_io_tiff *t)
{
    wvl_io_context *context = t->context;
    const wvl_io_component *list = context->picture->components;
    uint32_t rows = rows_of_band(t, 0);

    t->band_count = context->is_interleaved ? 1 : context->picture->component_count;
    t->band = calloc(t->band_count, sizeof *t->band);
    if (!t->band) {
        return wvl_io_fail_memory(context, "rows of a band", t->band_count * sizeof *t->band);
    }
    for (uint32_t i = 0; i < t->band_count; i++) {
        t->band[i].pitch_bytes = wvl_io_row_bytes(&list[i]);
        t->band[i].data = wvl_io_allocate(context, (uint64_t)t->band[i].pitch_bytes * rows, "rows of a band");
        if (!t->band[i].data) {
            return -1;
        }
    }
    return 0;
}

static int load_band(wvl_io_tiff *t, uint32_t first)
{
    wvl_io_context *context = t->context;
    const wvl_io_row_buffer *buffers = context->buffers;
    uint32_t window = context->window_first, count = rows_of_band(t, first);

    if (!t->band && allocate_band(t) != 0) {
        return -1;
    }
    wvl_io_aim(context, t->band, first);
    int result = wvl_io_tiff_read_bands(t, first, count);
    wvl_io_aim(context, buffers, window);
    t->band_first = first;
    t->band_held = result == 0 ? count : 0;
    return result;
}

/* Rows first .. end - 1 of the picture, all in the band. */
static void copy_rows(const wvl_io_tiff *t, uint32_t first, uint32_t end)
{
    for (uint32_t i = 0; i < t->band_count; i++) {
        const wvl_io_component *c = &t->context->picture->components[i];
        const wvl_io_row_buffer *band = &t->band[i];
        uint32_t top = wvl_io_rows_of_component(c, t->band_first), beyond = wvl_io_rows_of_component(c, end);
        for (uint32_t y = wvl_io_rows_of_component(c, first); y < beyond; y++) {
            memcpy(wvl_io_row(t->context, i, y), (uint8_t *)band->data + (y - top) * band->pitch_bytes,
                   band->pitch_bytes);
        }
    }
}

static int is_held(const wvl_io_tiff *t, uint32_t y) { return y >= t->band_first && y - t->band_first < t->band_held; }

int wvl_io_tiff_read_rows(wvl_io_tiff *t, uint32_t first, uint32_t count)
{
    uint32_t end = first + count;

    for (uint32_t y = first; y < end;) {
        uint32_t top = y / t->band_rows * t->band_rows, whole = (end - y) / t->band_rows * t->band_rows;
        whole = end == t->height ? end - y : whole;
        if (y == top && whole) {
            if (wvl_io_tiff_read_bands(t, y, whole) != 0) {
                return -1;
            }
            y += whole;
            continue;
        }
        if (!is_held(t, y) && load_band(t, top) != 0) {
            return -1;
        }
        uint32_t beyond = end - top < rows_of_band(t, top) ? end : top + rows_of_band(t, top);
        copy_rows(t, y, beyond);
        y = beyond;
    }
    return 0;
}
