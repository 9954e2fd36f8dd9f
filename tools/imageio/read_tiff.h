/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_TOOLS_IMAGEIO_READ_TIFF_H
#define WVL_TOOLS_IMAGEIO_READ_TIFF_H

#include "internal.h"

#include <tiffio.h>

/* Codecs of libtiff 4.5 do not look whether they were given the memory of their state. */
#define WVL_IO_TIFF_RESERVE (UINT64_C(16) << 20)

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
    wvl_io_palette palette; /* entries 0: no palette picture */

    /* Rows come in bands: a row of tiles, or the strips of all planes that hold the same rows. */
    uint32_t band_rows; /* 1: rows can be read one by one */
    int is_stored;      /* rows are read from the file without libtiff */
    uint8_t *chunk;     /* a tile, a strip or a line: what libtiff decodes into; owned */
    uint64_t chunk_bytes;
    wvl_io_row_buffer *band; /* the present band, where rows are wanted in smaller portions; owned, with its blocks */
    uint32_t band_count, band_first, band_held; /* buffers; the rows that the band holds */
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

/* tiff_pixels.c: describes and checks the picture, and decides how its rows are read. */
int wvl_io_tiff_prepare_pixels(wvl_io_tiff *t);
/* Whole bands, or any rows where band_rows is 1. */
int wvl_io_tiff_read_bands(wvl_io_tiff *t, uint32_t first, uint32_t count);
/* Bytes of a tile as it is decoded, refused when out of proportion. */
int wvl_io_tiff_tile_bytes(wvl_io_tiff *t, uint64_t *byte_count);
/* Allocates the chunk; what: for the message. */
int wvl_io_tiff_need_chunk(wvl_io_tiff *t, uint64_t byte_count, const char *what);

/* Before a compressed chunk is decoded: libtiff may leave bytes of a damaged one as they are, and not say so. */
void wvl_io_tiff_clear_chunk(wvl_io_tiff *t);

/* tiff_bands.c: any rows, with a band in between where they are parts of bands. */
int wvl_io_tiff_read_rows(wvl_io_tiff *t, uint32_t first, uint32_t count);
void wvl_io_tiff_release_band(wvl_io_tiff *t);

/* tiff_stored.c: uncompressed rows. Whether they are read without libtiff, which would hold a whole strip. */
int wvl_io_tiff_is_stored(const wvl_io_tiff *t);
/* How its samples may stay, where that was asked for. is_stored is set. */
wvl_io_words wvl_io_tiff_find_words(const wvl_io_tiff *t);
int wvl_io_tiff_read_stored(wvl_io_tiff *t, uint8_t *line, size_t line_bytes, uint32_t y, uint16_t plane);

/* tiff_ycbcr.c: the subsampled case, into three planes of their stored size. */
int wvl_io_tiff_prepare_subsampled(wvl_io_tiff *t);
int wvl_io_tiff_read_subsampled(wvl_io_tiff *t, uint32_t first, uint32_t count);

#endif
