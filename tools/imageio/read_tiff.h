/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "internal.h"

#include <tiffio.h>

/* Codecs of libtiff 4.5 do not look whether they were given the memory of their state. */
#define WVL_IO_TIFF_RESERVE (UINT64_C(16) << 20)

/* Tiles of JPEG 2000: those of Aperio in YCbCr and in RGB, and those of Leadtools and others in any colours. */
enum { WVL_TIFF_JPEG2000_YCC = 33003, WVL_TIFF_JPEG2000_RGB = 33005, WVL_TIFF_JPEG2000 = 34712 };

/* How the numbers of the file are written. */
typedef struct wvl_io_tiff_form {
    int big_endian, is_big;                  /* BigTIFF */
    unsigned count_bytes, entry_bytes, wide; /* wide: of counts and offsets */
} wvl_io_tiff_form;

typedef struct wvl_io_tiff_directory {
    uint64_t at, next; /* next: 0: there is none */
    uint32_t count;
    uint8_t *entries; /* owned */
} wvl_io_tiff_directory;

typedef struct wvl_io_tiff_entry {
    uint16_t tag, type;
    uint64_t count, bytes; /* bytes: of all values; 0: the type is not known */
    uint64_t at;           /* where the values begin in the file */
} wvl_io_tiff_entry;

/* Bytes of the file. */
typedef struct wvl_io_tiff_span {
    uint64_t at, end;
} wvl_io_tiff_span;

/* More than there are tags of samples; further ones (a tag twice) are not kept. */
#define WVL_IO_TIFF_SPANS 32u

typedef struct wvl_io_tiff {
    wvl_io_context *context;
    TIFF *tiff;
    wvl_io_tiff_form form;
    uint64_t first, at,
        parent;    /* directories: of the file, of the picture, of the page if that is in a SubIFD (or 0) */
    uint8_t *view; /* what libtiff reads in place of the directory at view_at while it opens that; owned */
    uint64_t view_at, view_bytes;
    /* Where no samples lie: the header, the directory, and values of its tags. */
    wvl_io_tiff_span taken[WVL_IO_TIFF_SPANS];
    unsigned taken_count;
    int strict;        /* set while pixels are decoded */
    int error_seen;    /* libtiff reported an error, or a warning that amounts to one */
    char message[192]; /* the first of them */
    uint32_t width, height;
    uint16_t depth, samples, colors, photometric, planar, compression, sample_format;
    uint16_t step_x, step_y; /* YCbCr subsampling */
    int is_subsampled, inverts, is_float;
    int is_jpeg2000; /* OpenJPEG decodes TIFF strips and tiles, into samples of whole bytes */
    int makes_rgb;   /* of YCbCr in them, by these values (wvl_io_picture) */
    int ycc_tagged;
    uint8_t ycc_siting;
    float ycc_luma[3], ycc_range[6];
    int keeps_floats; /* bits of floating point, read as signed integers */
    int alpha_component, alpha_premultiplied;
    int is_tiled;
    /* 0: not given. TIFF strips of JPEG 2000 are tiles as wide as the picture. */
    uint32_t tile_width, tile_height, rows_per_strip;
    uint16_t fill_order;
    uint32_t missing;       /* TIFF strips or tiles that are not in the file */
    uint64_t fill;          /* bits of their samples */
    wvl_io_palette palette; /* entries 0: no palette picture */

    /* Rows come in bands: a row of tiles, or the TIFF strips of all planes that hold the same rows. */
    uint32_t band_rows; /* 1: rows can be read one by one */
    int is_stored;      /* rows are read from the file without libtiff */
    uint8_t *chunk;     /* a tile, a TIFF strip or a line: what libtiff decodes into; owned */
    uint64_t chunk_bytes;
    wvl_io_row_buffer *band; /* the present band, where rows are wanted in smaller portions; owned, with its blocks */
    uint32_t band_count, band_first, band_held; /* buffers; the rows that the band holds */
} wvl_io_tiff;

/* Bits of a sample in the chunk. */
static inline unsigned wvl_io_tiff_chunk_depth(const wvl_io_tiff *t)
{
    return t->is_jpeg2000 ? 8u * wvl_io_container_bytes(t->depth) : t->depth;
}

/* Fails with libtiff's own words where there are any. */
int wvl_io_tiff_fail(wvl_io_tiff *t, const char *otherwise);

/* read_tiff.c: where the first directory is, in a source that can be sought in. */
int wvl_io_tiff_find_first(wvl_io_tiff *t);

/* tiff_directory.c: from the first 4 bytes of a file. The place of its first directory follows at `wide`. */
wvl_io_tiff_form wvl_io_tiff_form_of(const uint8_t *head);
/* An entry that lies at `at` in the file. */
wvl_io_tiff_entry wvl_io_tiff_parse_entry(const wvl_io_tiff_form *form, const uint8_t *raw, uint64_t at);
/* The caller releases the directory after success. */
int wvl_io_tiff_load_directory(wvl_io_tiff *t, uint64_t at, wvl_io_tiff_directory *directory);
void wvl_io_tiff_release_directory(wvl_io_tiff_directory *directory);
wvl_io_tiff_entry wvl_io_tiff_entry_of(const wvl_io_tiff *t, const wvl_io_tiff_directory *directory, uint32_t index);
/* 1, or 0 with an entry without values. */
int wvl_io_tiff_find_entry(const wvl_io_tiff *t, const wvl_io_tiff_directory *directory, unsigned tag,
                           wvl_io_tiff_entry *entry);
/* 1: value `index` is a whole number without a sign, and there. */
int wvl_io_tiff_entry_number(wvl_io_tiff *t, const wvl_io_tiff_entry *entry, uint64_t index, uint64_t *value);
/* The first value of a tag where it is such a number, else `otherwise`. */
uint64_t wvl_io_tiff_number_of(wvl_io_tiff *t, const wvl_io_tiff_directory *directory, unsigned tag,
                               uint64_t otherwise);
/* Lets libtiff read the directory, as far as it says what the samples are. */
int wvl_io_tiff_open_directory(wvl_io_tiff *t, uint64_t at);
/* Bytes of the file from `at` on, on their way to libtiff. */
void wvl_io_tiff_apply_view(const wvl_io_tiff *t, uint64_t at, uint8_t *bytes, size_t count);

static inline int wvl_io_is_among(unsigned tag, const uint16_t *tags, size_t count)
{
    while (count != 0 && tags[count - 1] != tag) {
        count--;
    }
    return count != 0;
}
/* tiff_pages.c: sets at and parent: the page that the options name, or the only full picture. */
int wvl_io_tiff_choose_page(wvl_io_tiff *t);

/* tiff_fields.c: reads and judges the tags, fills everything after `message`. */
int wvl_io_tiff_read_fields(wvl_io_tiff *t);
/* Colour and alpha, once the picture has been described. */
void wvl_io_tiff_take_color(wvl_io_tiff *t);

/* tiff_copy.c: profile, XMP, resolution, orientation, EXIF, GeoTIFF, IPTC and texts. A picture in a SubIFD gets what it
   lacks of these from its page, unless that depends on the size. */
int wvl_io_tiff_take_metadata(wvl_io_tiff *t);

/* tiff_extent.c: whether all there is to read is the first directory: no other page, no SubIFD, no thumbnail. */
int wvl_io_tiff_is_alone(const uint8_t *bytes, uint64_t used);
/* The bytes that the first directory and its picture need, as far as the first `used` ones say it, a
   header among them; UINT64_MAX: not known. */
uint64_t wvl_io_tiff_extent(const uint8_t *bytes, uint64_t used);

/* tiff_pixels.c: describes and checks the picture, and decides how its rows are read. */
int wvl_io_tiff_prepare_pixels(wvl_io_tiff *t);
/* Whole bands, or any rows where band_rows is 1. */
int wvl_io_tiff_read_bands(wvl_io_tiff *t, uint32_t first, uint32_t count);

/* tiff_jpeg2000.c, and tiff_fields.c for builds without OpenJPEG. Sets what the directory does not say: the size of
   TIFF strips, and the steps of chroma in the first of them. */
int wvl_io_tiff_open_jpeg2000(wvl_io_tiff *t);
/* Decodes a TIFF strip or tile into the chunk, as far as its codestream goes. */
int wvl_io_tiff_decode_jpeg2000(wvl_io_tiff *t, uint32_t number);

/* tiff_sparse.c: whether the file leaves a TIFF strip or tile out. */
int wvl_io_tiff_is_missing(const wvl_io_tiff *t, uint32_t chunk);
/* Sets missing and fill, and tells. */
void wvl_io_tiff_prepare_missing(wvl_io_tiff *t, uint32_t missing, uint32_t count);
/* A row of a missing block, as libtiff would decode it: samples of `component` and those behind it. */
void wvl_io_tiff_fill_row(const wvl_io_tiff *t, uint8_t *row, size_t row_bytes, uint32_t component, uint32_t per_pixel,
                          uint32_t pixels);
/* The same of data units of subsampled YCbCr. */
void wvl_io_tiff_fill_units(const wvl_io_tiff *t, uint8_t *units, size_t bytes);
