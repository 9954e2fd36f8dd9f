/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Subsampled YCbCr (TIFF 6.0 section 21): strips and tiles consist of data units of step_x * step_y luma samples
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
    const wvl_io_component *c = t->context->picture->components;
    unsigned luma_count = (unsigned)t->step_x * t->step_y, k;
    uint32_t y, u;

    for (y = y0; y < y0 + rows; y += t->step_y)
        for (u = 0; u < units_across; u++, unit += luma_count + 2) {
            uint32_t x = x0 + u * t->step_x;

            if (x >= t->width)
                continue; /* a tile's part beyond the picture */
            for (k = 0; k < luma_count; k++) {
                uint32_t at_x = x + k % t->step_x, at_y = y + k / t->step_x;

                if (at_x < t->width && at_y < t->height)
                    ((uint8_t *)c[0].data)[(size_t)at_y * c[0].stride_bytes + at_x] = unit[k];
            }
            for (k = 1; k < 3; k++)
                ((uint8_t *)c[k].data)[(size_t)(y / t->step_y) * c[k].stride_bytes + x / t->step_x] =
                    unit[luma_count + k - 1];
        }
}

static uint32_t units_of(uint32_t pixels, uint16_t step) { return (uint32_t)(((uint64_t)pixels + step - 1) / step); }

static int read_strips(wvl_io_tiff *t)
{
    uint32_t rows_per_strip = 0, across = units_of(t->width, t->step_x);
    uint64_t unit_bytes = (uint64_t)t->step_x * t->step_y + 2, most, y;
    uint8_t *strip;
    int result = 0;

    TIFFGetFieldDefaulted(t->tiff, TIFFTAG_ROWSPERSTRIP, &rows_per_strip);
    if (rows_per_strip > t->height)
        rows_per_strip = t->height;
    if (rows_per_strip == 0 || (rows_per_strip < t->height && rows_per_strip % t->step_y != 0))
        return wvl_io_fail(t->context, "RowsPerStrip %u: must be a multiple of YCbCrSubSampling's %u", rows_per_strip,
                           t->step_y);
    most = across * unit_bytes * units_of(rows_per_strip, t->step_y);
    strip = wvl_io_allocate(t->context, most, "strip");
    if (strip == NULL)
        return -1;
    for (y = 0; y < t->height && result == 0; y += rows_per_strip) {
        uint32_t rows = t->height - (uint32_t)y < rows_per_strip ? t->height - (uint32_t)y : rows_per_strip;
        tmsize_t bytes = (tmsize_t)(across * unit_bytes * units_of(rows, t->step_y));
        uint32_t number = TIFFComputeStrip(t->tiff, (uint32_t)y, 0);

        if (TIFFReadEncodedStrip(t->tiff, number, strip, bytes) != bytes || t->error_seen)
            result = wvl_io_tiff_fail(t, "pixel data");
        else
            place_units(t, strip, 0, (uint32_t)y, across, rows);
    }
    free(strip);
    return result;
}

static int read_tiles(wvl_io_tiff *t)
{
    uint32_t tile_width = 0, tile_height = 0;
    uint64_t bytes, needed, x, y;
    uint8_t *tile;
    int result = 0;

    TIFFGetField(t->tiff, TIFFTAG_TILEWIDTH, &tile_width);
    TIFFGetField(t->tiff, TIFFTAG_TILELENGTH, &tile_height);
    if (wvl_io_tiff_tile_bytes(t, &bytes) != 0)
        return -1;
    if (tile_width % t->step_x != 0 || tile_height % t->step_y != 0)
        return wvl_io_fail(t->context, "tiles of %u x %u: must be multiples of YCbCrSubSampling's %u, %u", tile_width,
                           tile_height, t->step_x, t->step_y);
    needed = (uint64_t)(tile_width / t->step_x) * (tile_height / t->step_y) * ((uint64_t)t->step_x * t->step_y + 2);
    if (bytes < needed)
        return wvl_io_tiff_fail(t, "tiles are not as large as width, length and subsampling say");
    tile = wvl_io_allocate(t->context, bytes, "tile");
    if (tile == NULL)
        return -1;
    for (y = 0; y < t->height && result == 0; y += tile_height)
        for (x = 0; x < t->width && result == 0; x += tile_width) {
            uint32_t number = TIFFComputeTile(t->tiff, (uint32_t)x, (uint32_t)y, 0, 0);
            uint32_t rows = t->height - (uint32_t)y < tile_height ? t->height - (uint32_t)y : tile_height;

            if (TIFFReadEncodedTile(t->tiff, number, tile, (tmsize_t)bytes) != (tmsize_t)bytes || t->error_seen)
                result = wvl_io_tiff_fail(t, "pixel data");
            else
                place_units(t, tile, (uint32_t)x, (uint32_t)y, tile_width / t->step_x, rows);
        }
    free(tile);
    return result;
}

int wvl_io_tiff_read_subsampled(wvl_io_tiff *t)
{
    uint32_t k;

    if (wvl_io_describe(t->context, t->width, t->height, 3, 8, 0) != 0)
        return -1;
    for (k = 1; k < 3; k++)
        wvl_io_subsample(t->context->picture, k, (uint8_t)t->step_x, (uint8_t)t->step_y);
    if (wvl_io_allocate_planar(t->context) != 0)
        return -1;
    return TIFFIsTiled(t->tiff) ? read_tiles(t) : read_strips(t);
}
