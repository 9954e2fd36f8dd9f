/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of TIFF files of any depth and layout, and the samples that belong in them. */
#pragma once

#include <stdint.h>
#include <string.h>
#include <tiffio.h>

typedef struct layout {
    const char *mode; /* of TIFFOpen: byte order, BigTIFF */
    unsigned depth, samples, is_signed, planar, tiled, photometric, compression;
} layout;

/* A file to which rows are written; NULL: it cannot be opened. */
static inline TIFF *open_layout(const char *path, const layout *l, uint32_t width, uint32_t height)
{
    TIFF *tiff = TIFFOpen(path, l->mode);
    if (tiff) {
        TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, width);
        TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, height);
        TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, l->depth);
        TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, l->samples);
        TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, l->is_signed ? SAMPLEFORMAT_INT : SAMPLEFORMAT_UINT);
        TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, l->planar);
        TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, l->photometric);
        TIFFSetField(tiff, TIFFTAG_COMPRESSION, l->compression);
        if (l->tiled) {
            TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 16);
            TIFFSetField(tiff, TIFFTAG_TILELENGTH, 16);
        }
    }
    return tiff;
}

/* Returns what belongs at a place: any bits of the depth, the extremes among them. */
static inline uint32_t stored_bits(const layout *l, uint32_t c, uint32_t x, uint32_t y)
{
    uint32_t v = (x * 2654435761u ^ y * 40503u ^ (c + 1) * 2246822519u) * 2654435761u;

    if (x == 0 && y < 2) {
        v = y == 0 ? 0 : UINT32_MAX;
    }
    return l->depth == 32 ? v : v & ((UINT32_C(1) << l->depth) - 1);
}

static inline int64_t expected_sample(const layout *l, uint32_t c, uint32_t x, uint32_t y)
{
    uint32_t v = stored_bits(l, c, x, y);

    if (l->photometric == PHOTOMETRIC_MINISWHITE) {
        v = l->depth == 32 ? ~v : ~v & ((UINT32_C(1) << l->depth) - 1);
    }
    if (l->is_signed && v >> (l->depth - 1) != 0) {
        return (int64_t)v - (INT64_C(1) << l->depth);
    }
    return v;
}

/* Samples in host order of whole bytes, else from the top bit on. */
static inline void put_bits(uint8_t *row, const layout *l, size_t index, uint32_t v)
{
    const uint16_t probe = 1;
    unsigned whole = l->depth / 8;
    size_t at = index * l->depth;

    for (unsigned k = 0; l->depth % 8 == 0 && k < whole; k++) {
        row[index * whole + (*(const uint8_t *)&probe == 1 ? k : whole - 1 - k)] = (uint8_t)(v >> (8 * k));
    }
    for (unsigned k = l->depth; l->depth % 8 != 0 && k-- > 0; at++) {
        row[at / 8] = (uint8_t)(row[at / 8] | (v >> k & 1) << (7 - at % 8));
    }
}

static inline size_t fill_row(uint8_t *row, const layout *l, uint32_t c, uint32_t x0, uint32_t y, uint32_t pixels)
{
    uint32_t n = l->planar == PLANARCONFIG_SEPARATE ? 1 : l->samples;
    size_t size = ((size_t)pixels * n * l->depth + 7) / 8;

    memset(row, 0, size);
    for (uint32_t x = 0; x < pixels; x++) {
        for (uint32_t k = 0; k < n; k++) {
            put_bits(row, l, (size_t)x * n + k, stored_bits(l, c + k, x0 + x, y));
        }
    }
    return size;
}
