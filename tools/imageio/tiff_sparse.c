/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sparse TIFF, as GDAL writes it: a TIFF strip or tile with neither bytes nor a place is not in the file, and its
 * samples are those of GDAL_NODATA where that can be a sample, else 0.
 */
#include "float_samples.h"
#include "read_tiff.h"
#include "tiff_tags.h"

#include <math.h>
#include <stdlib.h>

int wvl_io_tiff_is_missing(const wvl_io_tiff *t, uint32_t chunk)
{
    return TIFFGetStrileByteCount(t->tiff, chunk) == 0 && TIFFGetStrileOffset(t->tiff, chunk) == 0;
}

/* The bits of a sample of this value; 0 and *fits 0 where there is none. */
static uint64_t bits_of(const wvl_io_tiff *t, double value, int *fits)
{
    int is_float = t->is_float || t->keeps_floats;
    double least = 0, most = ldexp(1, (int)t->depth) - 1;
    float single = (float)value;
    uint64_t bits = 0;
    uint32_t word;
    *fits = 1;
    if (is_float && t->depth == 64) {
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    if (is_float && t->depth == 32) {
        memcpy(&word, &single, sizeof word);
        return word;
    }
    for (uint32_t half = 0; is_float && half <= UINT16_MAX; half++) {
        if (wvl_io_float_of_half((uint16_t)half) == single) {
            return half;
        }
    }
    if (t->sample_format == SAMPLEFORMAT_INT) {
        least = -ldexp(1, (int)t->depth - 1);
        most = -least - 1;
    }
    *fits = !is_float && value >= least && value <= most && floor(value) == value;
    return *fits ? (uint64_t)(int64_t)value & (UINT64_MAX >> (64 - wvl_io_tiff_chunk_depth(t))) : 0;
}

/* GDAL_NODATA is text. */
static int read_nodata(wvl_io_tiff *t, double *value)
{
    wvl_io_tiff_directory d;
    wvl_io_tiff_entry e;
    char text[64] = "", *end = text;
    if (wvl_io_tiff_load_directory(t, t->at, &d) != 0) {
        return 0;
    }
    if (wvl_io_tiff_find_entry(t, &d, WVL_TAG_GDAL_NODATA, &e) && e.type == WVL_TIFF_ASCII && e.bytes < sizeof text &&
        wvl_io_source_read_at(&t->context->source, e.at, text, (size_t)e.bytes) == 0) {
        *value = strtod(text, &end);
    }
    wvl_io_tiff_release_directory(&d);
    return end != text;
}

void wvl_io_tiff_prepare_missing(wvl_io_tiff *t, uint32_t missing, uint32_t count)
{
    double value = 0;
    int fits = 1, has_value = read_nodata(t, &value);
    t->missing = missing;
    t->fill = has_value ? bits_of(t, value, &fits) : 0;
    if (!has_value || !fits) {
        value = 0;
    }
    wvl_io_note(t->context, "%u of %u %s are not in the file (sparse): their samples are %.9g", missing, count,
                t->is_tiled ? "tiles" : "strips", value);
}

/* Chroma of no colour is in the middle. */
static uint64_t fill_of(const wvl_io_tiff *t, uint32_t component)
{
    int is_chroma = t->photometric == PHOTOMETRIC_YCBCR && (component == 1 || component == 2);
    return is_chroma ? UINT64_C(1) << (t->depth - 1) : t->fill;
}

/* Stores a sample as libtiff hands it out: whole bytes in host order, else from the top bit on. The row is clear. */
static void put_sample(uint8_t *row, unsigned depth, size_t index, uint64_t bits)
{
    int is_little = wvl_io_is_little_endian();
    unsigned whole = depth / 8;
    size_t at = index * depth;
    for (unsigned k = 0; depth % 8 == 0 && k < whole; k++) {
        row[index * whole + (is_little ? k : whole - 1 - k)] = (uint8_t)(bits >> (8 * k));
    }
    for (unsigned k = depth; depth % 8 != 0 && k-- > 0; at++) {
        row[at / 8] = (uint8_t)(row[at / 8] | (bits >> k & 1) << (7 - at % 8));
    }
}

void wvl_io_tiff_fill_row(const wvl_io_tiff *t, uint8_t *row, size_t row_bytes, uint32_t component, uint32_t per_pixel,
                          uint32_t pixels)
{
    memset(row, 0, row_bytes);
    for (uint32_t x = 0; x < pixels; x++) {
        for (uint32_t c = 0; c < per_pixel; c++) {
            put_sample(row, wvl_io_tiff_chunk_depth(t), (size_t)x * per_pixel + c, fill_of(t, component + c));
        }
    }
}

void wvl_io_tiff_fill_units(const wvl_io_tiff *t, uint8_t *units, size_t bytes)
{
    size_t luma = (size_t)t->step_x * t->step_y;
    for (size_t i = 0; i < bytes; i++) {
        units[i] = (uint8_t)fill_of(t, i % (luma + 2) < luma ? 0 : 1);
    }
}
