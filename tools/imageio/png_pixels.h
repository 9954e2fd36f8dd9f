/* SPDX-License-Identifier: BSD-2-Clause */
/* Pixels of a whole PNG file, without libpng. */
#ifndef WVL_TOOLS_IMAGEIO_PNG_PIXELS_H
#define WVL_TOOLS_IMAGEIO_PNG_PIXELS_H

#include "internal.h"

typedef struct wvl_io_png_pixels {
    size_t row_bytes;
    uint32_t rows;
    unsigned pixel_bytes; /* 1, 2, 3, 4, 6 or 8 */
    uint8_t *memory;      /* rows as they are stored, behind one of zeros; NULL: libpng reads them */
} wvl_io_png_pixels;

/* Inflates the IDAT chunks in bytes from .. end - 1 of the file; the first three members are set. 0: they are damaged,
 * memory is short, or this build has no libdeflate; then nothing is held. */
int wvl_io_open_png_pixels(wvl_io_png_pixels *p, wvl_io_source *source, uint64_t from, uint64_t end);
void wvl_io_close_png_pixels(wvl_io_png_pixels *p);
/* Row y without its filter, of 16 bits big-endian; rows come in their order. */
const uint8_t *wvl_io_fetch_png_row(wvl_io_png_pixels *p, uint32_t y);

#endif
