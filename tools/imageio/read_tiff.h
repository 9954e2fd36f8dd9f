/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_TOOLS_IMAGEIO_READ_TIFF_H
#define WVL_TOOLS_IMAGEIO_READ_TIFF_H

#include "internal.h"

#include <tiffio.h>

typedef struct wvl_io_tiff {
    wvl_io_context *context;
    TIFF *tiff;
    int strict;        /* set while pixels are decoded */
    int error_seen;    /* libtiff reported an error, or a warning that amounts to one */
    char message[192]; /* the first of them */
    uint32_t width, height;
    uint16_t depth, samples, colors, photometric, planar, compression, sample_format;
    uint16_t step_x, step_y; /* YCbCr subsampling */
    int is_subsampled, inverts, is_float;
    int alpha_component, alpha_premultiplied;
    wvl_io_palette palette; /* values NULL: no palette picture */
} wvl_io_tiff;

/* Fails with libtiff's own words where there are any. */
int wvl_io_tiff_fail(wvl_io_tiff *t, const char *otherwise);

/* tiff_directory.c: what libtiff only warns of. */
int wvl_io_tiff_check_directory(wvl_io_tiff *t);

/* tiff_fields.c: reads and judges the tags, fills everything after `message`. */
int wvl_io_tiff_read_fields(wvl_io_tiff *t);
/* Colour, alpha, profile, XMP, resolution, orientation, once the picture has been described. */
int wvl_io_tiff_take_meaning(wvl_io_tiff *t);

/* tiff_copy.c: EXIF, GeoTIFF, IPTC and texts of the directory that was read. */
int wvl_io_tiff_take_metadata(wvl_io_tiff *t);

/* tiff_extent.c: the bytes that the first directory and its picture need, as far as the first `used` ones say it, a
   header among them; UINT64_MAX: not known. */
uint64_t wvl_io_tiff_extent(const uint8_t *bytes, uint64_t used);
uint64_t wvl_io_tiff_number(const uint8_t *p, int big_endian, unsigned byte_count);

/* tiff_pixels.c: describes, allocates and reads. */
int wvl_io_tiff_read_pixels(wvl_io_tiff *t);
/* Decoded bytes of one tile, refused when out of proportion. */
int wvl_io_tiff_tile_bytes(wvl_io_tiff *t, uint64_t *byte_count);

/* tiff_ycbcr.c: the subsampled case, into three planes of their stored size. */
int wvl_io_tiff_read_subsampled(wvl_io_tiff *t);

#endif
