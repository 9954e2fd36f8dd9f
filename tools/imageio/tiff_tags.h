/* SPDX-License-Identifier: BSD-2-Clause */
/* Tags of TIFF as plain data, and small TIFF streams made of them: EXIF and degenerate GeoTIFF. */
#pragma once

#include "internal.h"

enum {
    WVL_TIFF_BYTE = 1,
    WVL_TIFF_ASCII = 2,
    WVL_TIFF_SHORT = 3,
    WVL_TIFF_LONG = 4,
    WVL_TIFF_UNDEFINED = 7,
    WVL_TIFF_DOUBLE = 12,
    WVL_TAG_EXIF = 34665,
    WVL_TAG_GPS = 34853,
    WVL_TAG_INTEROP = 40965,
    /* GeoTIFF 1.1 and its neighbours */
    WVL_TAG_PIXEL_SCALE = 33550,
    WVL_TAG_TIEPOINTS = 33922,
    WVL_TAG_TRANSFORMATION = 34264,
    WVL_TAG_GEO_KEYS = 34735,
    WVL_TAG_GEO_DOUBLES = 34736,
    WVL_TAG_GEO_TEXTS = 34737,
    WVL_TAG_GDAL_METADATA = 42112,
    WVL_TAG_GDAL_NODATA = 42113,
    WVL_TAG_RPC = 50844,
    /* keys of GeoTIFF */
    WVL_KEY_RASTER_TYPE = 1025,
    WVL_KEY_RASTER_IS_POINT = 2, /* its value */
    WVL_KEY_GEOGRAPHIC = 2048,
    WVL_KEY_PROJECTED = 3072
};

/* A TIFF stream in memory. What lies beyond its bytes reads as 0. */
typedef struct wvl_io_tiff_block {
    const uint8_t *bytes;
    size_t byte_count;
    int big_endian;
} wvl_io_tiff_block;

wvl_io_tiff_block wvl_io_tiff_block_of(const uint8_t *bytes, size_t byte_count);
uint64_t wvl_io_number_at(const wvl_io_tiff_block *block, size_t at, unsigned byte_count);
static inline uint32_t wvl_io_first_directory(const wvl_io_tiff_block *block)
{
    return (uint32_t)wvl_io_number_at(block, 4, 4);
}
/* The place of the entry of the tag in the directory at `directory`; 0: there is none. */
size_t wvl_io_find_entry(const wvl_io_tiff_block *block, uint32_t directory, unsigned tag);
/* Number `index` of the values of an entry of BYTE, SHORT, LONG or DOUBLE: 1, or 0 when there is none. */
int wvl_io_read_value(const wvl_io_tiff_block *block, size_t entry, uint32_t index, double *value);
/* The place of the values of an entry, and their number of bytes. */
size_t wvl_io_find_values(const wvl_io_tiff_block *block, size_t entry, size_t *byte_count);

typedef struct wvl_io_tag {
    uint16_t tag, type;
    uint32_t count;
    uint8_t *data; /* owned, in the byte order of its list */
    size_t bytes;
} wvl_io_tag;

/* One directory: sorted by tag, each once. */
typedef struct wvl_io_tags {
    wvl_io_tag *tags;
    size_t count;
    int big_endian;
} wvl_io_tags;

typedef struct wvl_io_tiff_stream {
    uint8_t *data; /* owned */
    size_t bytes;
    int big_endian;
} wvl_io_tiff_stream;

/* Each returns 0, or -1 for want of memory with the reason set. A tag that is there already stays as it is. */
int wvl_io_add_tag(wvl_io_context *context, wvl_io_tags *list, unsigned tag, unsigned type, uint32_t count,
                   const void *data);
int wvl_io_add_shorts(wvl_io_context *context, wvl_io_tags *list, unsigned tag, const uint16_t *values, uint32_t count);
int wvl_io_add_long(wvl_io_context *context, wvl_io_tags *list, unsigned tag, uint32_t value);
int wvl_io_add_doubles(wvl_io_context *context, wvl_io_tags *list, unsigned tag, const double *values, uint32_t count);
const wvl_io_tag *wvl_io_find_tag(const wvl_io_tags *list, unsigned tag);
void wvl_io_release_tags(wvl_io_tags *list);

/* A stream: header first, then directories. The last one added with is_first is the first directory of the file.
 *at: where the directory begins. */
int wvl_io_start_stream(wvl_io_context *context, wvl_io_tiff_stream *stream, int big_endian);
int wvl_io_add_directory(wvl_io_context *context, wvl_io_tiff_stream *stream, const wvl_io_tags *list, int is_first,
                         uint32_t *at);

/* Makes the degenerate GeoTIFF of the picture's metadata out of GeoTIFF tags: adds one sample of 8 bits. */
int wvl_io_take_geo_tags(wvl_io_context *context, wvl_io_tags *list);
