/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of uncompressed TIFF strips, as many at once as lie one behind the other. libtiff holds a whole TIFF strip, and
 * many writers make a single TIFF strip of the whole picture.
 */
#include "read_tiff.h"

int wvl_io_tiff_is_stored(const wvl_io_tiff *t)
{
    return (t->context->by_rows || wvl_io_may_keep_words(t->context)) && t->compression == COMPRESSION_NONE &&
           !t->is_subsampled && !t->is_tiled;
}

/* The bytes of a 16-bit sample in an order that is not the host's are a container of the interface only where they are
 * big-endian, which is so on hosts of today. */
wvl_io_words wvl_io_tiff_find_words(const wvl_io_tiff *t)
{
    if (!wvl_io_may_keep_words(t->context) || !t->is_stored || t->missing != 0 || t->fill_order != FILLORDER_MSB2LSB ||
        t->is_float || t->inverts || t->palette.entries != 0 || t->sample_format == SAMPLEFORMAT_INT ||
        (t->planar == PLANARCONFIG_SEPARATE && t->samples != 1)) {
        return WVL_IO_INTEGERS;
    }
    switch (t->depth) {
    case 10: return WVL_IO_PACKED10;
    case 12: return WVL_IO_PACKED12;
    case 16: return TIFFIsBigEndian(t->tiff) && TIFFIsByteSwapped(t->tiff) ? WVL_IO_16_BE : WVL_IO_INTEGERS;
    default: return WVL_IO_INTEGERS;
    }
}

/* Puts the bits of a byte and the bytes of a sample in the order of the host, as libtiff does. */
static void put_in_order(const wvl_io_tiff *t, uint8_t *line, size_t line_bytes)
{
    if (t->fill_order == FILLORDER_LSB2MSB) {
        TIFFReverseBits(line, (tmsize_t)line_bytes);
    }
    if (!TIFFIsByteSwapped(t->tiff)) {
        return;
    }
    if (t->depth == 16) {
        TIFFSwabArrayOfShort((uint16_t *)(void *)line, (tmsize_t)(line_bytes / 2));
    } else if (t->depth == 24) {
        TIFFSwabArrayOfTriples(line, (tmsize_t)(line_bytes / 3));
    } else if (t->depth == 32) {
        TIFFSwabArrayOfLong((uint32_t *)(void *)line, (tmsize_t)(line_bytes / 4));
    }
}

uint32_t wvl_io_tiff_count_run(const wvl_io_tiff *t, size_t line_bytes, uint32_t y, uint32_t most, uint16_t plane)
{
    uint32_t rows = t->rows_per_strip != 0 && t->rows_per_strip < t->height ? t->rows_per_strip : t->height;
    uint32_t strip = TIFFComputeStrip(t->tiff, y, plane), count = rows - y % rows;
    uint64_t bytes = (uint64_t)rows * line_bytes;

    while (count < most && TIFFGetStrileByteCount(t->tiff, strip) == bytes &&
           TIFFGetStrileOffset(t->tiff, strip + 1) == TIFFGetStrileOffset(t->tiff, strip) + bytes) {
        count += rows;
        strip++;
    }
    return count < most ? count : most;
}

/* Says whether the strip of the last row has it. */
static int has_row(wvl_io_tiff *t, size_t line_bytes, uint32_t y, uint16_t plane)
{
    uint32_t strip = TIFFComputeStrip(t->tiff, y, plane);

    uint64_t at = (uint64_t)(t->rows_per_strip != 0 ? y % t->rows_per_strip : y) * line_bytes;
    if (at + line_bytes > TIFFGetStrileByteCount(t->tiff, strip)) {
        (void)wvl_io_fail(t->context, "strip %u: truncated: row %u lies beyond its %llu bytes", strip, y,
                          (unsigned long long)TIFFGetStrileByteCount(t->tiff, strip));
        return 0;
    }
    return 1;
}

int wvl_io_tiff_read_stored(wvl_io_tiff *t, uint8_t *line, size_t line_bytes, uint32_t y, uint32_t count,
                            uint16_t plane)
{
    uint32_t strip = TIFFComputeStrip(t->tiff, y, plane);

    uint64_t at = (uint64_t)(t->rows_per_strip != 0 ? y % t->rows_per_strip : y) * line_bytes;
    if (!has_row(t, line_bytes, y + count - 1, plane) ||
        wvl_io_go_to(t->context, TIFFGetStrileOffset(t->tiff, strip) + at, "pixel data") != 0 ||
        wvl_io_read_bytes(t->context, line, line_bytes * count, "pixel data") != 0) {
        return -1;
    }
    if (!t->context->picture->words) {
        put_in_order(t, line, line_bytes * count);
    }
    return 0;
}
