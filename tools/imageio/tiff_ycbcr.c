/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Subsampled YCbCr (TIFF 6.0 section 21): TIFF strips and tiles consist of data units of step_x * step_y luma samples
 * followed by one Cb and one Cr. The three planes are kept at their stored size; libtiff gives JPEG data in the
 * same form when it is not asked for RGB.
 */
#include "read_tiff.h"

#include <stdlib.h>
#include <string.h>

/* rows counts picture rows; x and y are multiples of the steps. */
static void place_units(const wvl_io_tiff *t, const uint8_t *unit, uint32_t x0, uint32_t y0, uint32_t units_across,
                        uint32_t rows)
{
    unsigned luma_count = (unsigned)t->step_x * t->step_y;

    for (uint32_t y = y0; y < y0 + rows; y += t->step_y) {
        for (uint32_t u = 0; u < units_across; u++, unit += luma_count + 2) {
            uint32_t x = x0 + u * t->step_x;

            if (x >= t->width) {
                continue; /* a tile's part beyond the picture */
            }
            for (unsigned k = 0; k < luma_count; k++) {
                uint32_t at_x = x + k % t->step_x, at_y = y + k / t->step_x;

                if (at_x < t->width && at_y < t->height) {
                    wvl_io_row(t->context, 0, at_y)[at_x] = unit[k];
                }
            }
            for (unsigned k = 1; k < 3; k++) {
                wvl_io_row(t->context, k, y / t->step_y)[x / t->step_x] = unit[luma_count + k - 1];
            }
        }
    }
}

static uint32_t units_of(uint32_t pixels, uint16_t step) { return (uint32_t)(((uint64_t)pixels + step - 1) / step); }

static uint64_t unit_bytes(const wvl_io_tiff *t) { return (uint64_t)t->step_x * t->step_y + 2; }

static int prepare_strips(wvl_io_tiff *t)
{
    uint32_t rows = t->rows_per_strip < t->height ? t->rows_per_strip : t->height;

    if (rows == 0 || (rows < t->height && rows % t->step_y != 0)) {
        return wvl_io_fail(t->context, "RowsPerStrip %u: must be a multiple of YCbCrSubSampling's %u", rows, t->step_y);
    }
    t->band_rows = rows;
    return wvl_io_tiff_need_chunk(t, units_of(t->width, t->step_x) * unit_bytes(t) * units_of(rows, t->step_y),
                                  "strip");
}

static int prepare_tiles(wvl_io_tiff *t)
{
    uint64_t bytes;

    if (wvl_io_tiff_tile_bytes(t, &bytes) != 0) {
        return -1;
    }
    if (t->tile_width % t->step_x != 0 || t->tile_height % t->step_y != 0) {
        return wvl_io_fail(t->context, "tiles of %u x %u: must be multiples of YCbCrSubSampling's %u, %u",
                           t->tile_width, t->tile_height, t->step_x, t->step_y);
    }
    if (bytes < (uint64_t)(t->tile_width / t->step_x) * (t->tile_height / t->step_y) * unit_bytes(t)) {
        return wvl_io_tiff_fail(t, "the size of the tiles contradicts width, length and subsampling");
    }
    t->band_rows = t->tile_height;
    return wvl_io_tiff_need_chunk(t, bytes, "tile");
}

/* Reads a TIFF strip or tile of `bytes` bytes, which begins at (x, y). */
static int read_chunk(wvl_io_tiff *t, uint32_t number, uint64_t bytes, uint32_t x, uint32_t y, uint32_t units_across,
                      uint32_t rows)
{
    if (wvl_io_tiff_is_missing(t, number)) {
        wvl_io_tiff_fill_units(t, t->chunk, (size_t)bytes);
    } else if (wvl_io_tiff_decode_chunk(t, number, bytes) != 0) {
        return -1;
    }
    place_units(t, t->chunk, x, y, units_across, rows);
    return 0;
}

/* Rows of one band. */
static int read_band(wvl_io_tiff *t, uint32_t y, uint32_t rows)
{
    uint32_t across = units_of(t->width, t->step_x);

    if (!t->is_tiled) {
        return read_chunk(t, TIFFComputeStrip(t->tiff, y, 0), across * unit_bytes(t) * units_of(rows, t->step_y), 0, y,
                          across, rows);
    }
    for (uint64_t x = 0; x < t->width; x += t->tile_width) {
        if (read_chunk(t, TIFFComputeTile(t->tiff, (uint32_t)x, y, 0, 0), t->chunk_bytes, (uint32_t)x, y,
                       t->tile_width / t->step_x, rows) != 0) {
            return -1;
        }
    }
    return 0;
}

int wvl_io_tiff_prepare_subsampled(wvl_io_tiff *t)
{
    if (wvl_io_describe(t->context, t->width, t->height, 3, 8, 0) != 0) {
        return -1;
    }
    for (uint32_t k = 1; k < 3; k++) {
        wvl_io_subsample(t->context->picture, k, (uint8_t)t->step_x, (uint8_t)t->step_y);
    }
    wvl_io_lay_out(t->context, 0);
    return t->is_tiled ? prepare_tiles(t) : prepare_strips(t);
}

int wvl_io_tiff_read_subsampled(wvl_io_tiff *t, uint32_t first, uint32_t count)
{
    uint64_t end = (uint64_t)first + count;

    for (uint64_t y = first; y < end; y += t->band_rows) {
        uint32_t rows = end - y < t->band_rows ? (uint32_t)(end - y) : t->band_rows;

        if (read_band(t, (uint32_t)y, rows) != 0) {
            return -1;
        }
    }
    return 0;
}
