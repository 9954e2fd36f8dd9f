/* SPDX-License-Identifier: BSD-2-Clause */
/* TIFF strips by rows and tiles by blocks, of 1 to 32 bits, into interleaved or planar samples. */
#include "float_samples.h"

#include <stdlib.h>

#include "read_tiff.h"

/* ---- Uncompressed rows ----------------------------------------------------------------------- */

/*
 * Rows of uncompressed TIFF strips, as many at once as lie one behind the other. libtiff holds a whole TIFF strip, and
 * many writers make a single TIFF strip of the whole picture.
 */

/* The bytes of a 16-bit sample in an order that is not the host's are a container of the interface only where they are
 * big-endian, which is so on hosts of today. */
static wvl_io_words find_words(const wvl_io_tiff *t)
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

/* How many of at most `most` rows from y on lie one behind the other in the file. */
static uint32_t count_stored(const wvl_io_tiff *t, size_t line_bytes, uint32_t y, uint32_t most, uint16_t plane)
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

/* count: 1, or as that says. */
static int read_stored(wvl_io_tiff *t, uint8_t *line, size_t line_bytes, uint32_t y, uint32_t count, uint16_t plane)
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

/* ---- Places of samples ----------------------------------------------------------------------- */

#define PLAUSIBLE_TILE_BYTES (UINT64_C(1) << 30)
#define DECODER_BYTES 8u /* that OpenJPEG holds for each sample */

/* One plane, or all samples of a contiguous picture. */
typedef struct target {
    uint32_t component;    /* the first one */
    uint32_t per_pixel;    /* samples of a pixel in one row of the file's data */
    unsigned sample_bytes; /* container; of the index for palette pictures */
} target;

/* libtiff hands out 24-bit samples in host order, three bytes each. */
static void unpack_24(const uint8_t *from, uint8_t *to, size_t count)
{
    int is_little = wvl_io_is_little_endian();

    for (size_t i = 0; i < count; i++, from += 3) {
        uint32_t low = is_little ? from[0] : from[2], high = is_little ? from[2] : from[0];
        uint32_t sample = low | (uint32_t)from[1] << 8 | high << 16;

        memcpy(to + 4 * i, &sample, sizeof sample);
    }
}

/* Numbers of 16, 32 or 64 bits to floats. */
static void unpack_floats(unsigned depth, const uint8_t *from, uint8_t *to, size_t count)
{
    for (size_t i = 0; i < count; i++, from += depth / 8, to += 4) {
        float v = 0;
        uint16_t half;
        double wide;
        if (depth == 16) {
            memcpy(&half, from, sizeof half);
            v = wvl_io_float_of_half(half);
        } else if (depth == 64) {
            memcpy(&wide, from, sizeof wide);
            v = (float)wide;
        } else {
            memcpy(&v, from, sizeof v);
        }
        memcpy(to, &v, sizeof v);
    }
}

/* Turns decoded bytes into samples at row y from pixel x on; from may already be that place. */
static void place(const wvl_io_tiff *t, const target *to, const uint8_t *from, uint32_t x, uint32_t y, uint32_t pixels,
                  int inverts)
{
    uint8_t *row = wvl_io_row(t->context, to->component, y) + (size_t)x * to->per_pixel * to->sample_bytes;
    size_t count = (size_t)pixels * to->per_pixel;

    if (t->is_float) {
        unpack_floats(t->depth, from, row, count);
    } else if (wvl_io_tiff_chunk_depth(t) == 8 * to->sample_bytes) {
        if (row != from) {
            memcpy(row, from, count * to->sample_bytes);
        }
    } else {
        if (t->depth == 24) {
            unpack_24(from, row, count);
        } else {
            wvl_io_unpack_bits(from, t->depth, row, to->sample_bytes, count);
        }
        if (t->sample_format == SAMPLEFORMAT_INT) {
            wvl_io_extend_signs(row, to->sample_bytes, t->depth, count);
        }
    }
    if (inverts) {
        /* Min-is-white: v becomes 2^depth - 1 - v, for signed samples -1 - v; both flip the low bits. Extra samples
           (from `colors` on) mean what they meant. */
        uint32_t flip = t->sample_format == SAMPLEFORMAT_INT ? UINT32_MAX : (uint32_t)((UINT64_C(1) << t->depth) - 1);
        uint32_t per_pixel = to->per_pixel, colors = t->colors < per_pixel ? t->colors : per_pixel;

        for (size_t i = 0; i < pixels; i++) {
            for (uint32_t c = 0; c < colors; c++) {
                uint8_t *at = row + (i * per_pixel + c) * to->sample_bytes;

                wvl_io_store(at, to->sample_bytes, (uint32_t)wvl_io_load(at, to->sample_bytes, 0) ^ flip);
            }
        }
    }
}

/* Allocates the chunk; what: for the message. */
static int need_chunk(wvl_io_tiff *t, uint64_t byte_count, const char *what)
{
    t->chunk_bytes = byte_count;
    t->context->held_bytes += byte_count;
    if (t->is_jpeg2000) { /* components of a tile here and as the child hands them out, and the child's own */
        t->context->held_bytes += byte_count * 2 + byte_count / wvl_io_container_bytes(t->depth) * DECODER_BYTES;
    }
    t->chunk = wvl_io_allocate(t->context, byte_count, what);
    if (!t->chunk) {
        return -1;
    }
    /* LERC holds a TIFF strip or tile up to three times. */
    return t->compression == COMPRESSION_NONE
               ? 0
               : wvl_io_reserve(t->context, WVL_IO_TIFF_RESERVE + 4 * byte_count, "libtiff");
}

/* Decodes a TIFF strip or tile into the chunk; byte_count: of what it must hold. */
static int decode_chunk(wvl_io_tiff *t, uint32_t number, uint64_t byte_count)
{
    tmsize_t bytes = (tmsize_t)byte_count;

    if (t->is_jpeg2000) {
        return wvl_io_tiff_decode_jpeg2000(t, number);
    }
    if (t->compression != COMPRESSION_NONE) { /* libtiff may leave bytes of a damaged one as they are, and not say so */
        memset(t->chunk, 0, (size_t)t->chunk_bytes);
    }
    tmsize_t got = t->is_tiled ? TIFFReadEncodedTile(t->tiff, number, t->chunk, bytes)
                               : TIFFReadEncodedStrip(t->tiff, number, t->chunk, bytes);
    return got == bytes && !t->error_seen ? 0 : wvl_io_tiff_fail(t, "pixel data");
}

static uint32_t samples_of_row(const wvl_io_tiff *t) /* in the file, of one pixel */
{
    return t->planar == PLANARCONFIG_SEPARATE ? 1 : t->samples;
}

static unsigned container_bytes(const wvl_io_tiff *t) { return t->is_float ? 4 : wvl_io_container_bytes(t->depth); }

/* Rows come straight to their place when the file's layout is ours, else through one line. */
static int is_direct(const wvl_io_tiff *t) { return !t->is_float && t->depth == 8 * container_bytes(t); }

static int prepare_strips(wvl_io_tiff *t)
{
    uint64_t line_bytes = TIFFScanlineSize64(t->tiff), samples = (uint64_t)t->width * samples_of_row(t);

    if (line_bytes != (samples * t->depth + 7) / 8) {
        return wvl_io_tiff_fail(t, "the length of the rows contradicts width, samples and bits");
    }
    /* Without libtiff, which would hold a whole TIFF strip. */
    t->is_stored = (t->context->by_rows || wvl_io_may_keep_words(t->context)) && t->compression == COMPRESSION_NONE &&
                   !t->is_subsampled && !t->is_tiled;
    wvl_io_settle_words(t->context, find_words(t), (size_t)line_bytes);
    t->band_rows = 1;
    /* libtiff holds one TIFF strip: planes that took turns with each row would have it read TIFF strips again and
     * again. */
    if (samples_of_row(t) != t->samples && !t->is_stored) {
        t->band_rows = t->rows_per_strip != 0 && t->rows_per_strip < t->height ? t->rows_per_strip : t->height;
    }
    return is_direct(t) ? 0 : need_chunk(t, line_bytes, "line");
}

/* Rows from y on that lie one behind the other in the file, and will in memory. */
static uint32_t count_run(const wvl_io_tiff *t, size_t line_bytes, const target *to, uint32_t y, uint32_t end)
{
    size_t pitch = t->context->picture->components[to->component].stride_bytes;
    int is_one = t->is_stored && t->missing == 0 && pitch == line_bytes;
    return is_one ? count_stored(t, line_bytes, y, end - y, (uint16_t)to->component) : 1;
}

/* count: more than one only as count_run() says. */
static int load_lines(wvl_io_tiff *t, const target *to, uint8_t *bytes, size_t line_bytes, uint32_t y, uint32_t count)
{
    uint16_t plane = (uint16_t)to->component;

    if (t->missing != 0 && wvl_io_tiff_is_missing(t, TIFFComputeStrip(t->tiff, y, plane))) {
        wvl_io_tiff_fill_row(t, bytes, line_bytes, to->component, to->per_pixel, t->width);
        return 0;
    }
    if (t->is_stored) {
        return read_stored(t, bytes, line_bytes, y, count, plane);
    }
    if (t->compression != COMPRESSION_NONE) {
        memset(bytes, 0, line_bytes); /* as decode_chunk() */
    }
    return TIFFReadScanline(t->tiff, bytes, y, plane) == 1 && !t->error_seen ? 0 : wvl_io_tiff_fail(t, "pixel data");
}

static int read_lines(wvl_io_tiff *t, const target *to, uint32_t first, uint32_t count, int inverts)
{
    size_t line_bytes = (size_t)TIFFScanlineSize64(t->tiff);

    if (t->context->picture->words) {
        /* Rows that stay as they lie in the file. */
        for (uint32_t y = first, n; y < first + count; y += n) {
            n = count_run(t, line_bytes, to, y, first + count);
            if (read_stored(t, wvl_io_row(t->context, 0, y), line_bytes, y, n, 0) != 0) {
                return -1;
            }
        }
        return 0;
    }
    for (uint32_t y = first, n; y < first + count; y += n) {
        uint8_t *bytes = is_direct(t) ? wvl_io_row(t->context, to->component, y) : t->chunk;
        n = is_direct(t) ? count_run(t, line_bytes, to, y, first + count) : 1;
        if (load_lines(t, to, bytes, line_bytes, y, n) != 0) {
            return -1;
        }
        for (uint32_t i = 0; i < n; i++) {
            place(t, to, bytes + i * line_bytes, 0, y + i, t->width, inverts);
        }
    }
    return 0;
}

/* Bytes of a row of a tile. */
static size_t tile_pitch(const wvl_io_tiff *t)
{
    return (size_t)(((uint64_t)t->tile_width * samples_of_row(t) * wvl_io_tiff_chunk_depth(t) + 7) / 8);
}

static uint64_t tile_bytes_of(const wvl_io_tiff *t)
{
    uint64_t pitch = tile_pitch(t);

    if (!t->is_jpeg2000 || t->is_subsampled) {
        return TIFFTileSize64(t->tiff);
    }
    return pitch != 0 && t->tile_height <= UINT64_MAX / pitch ? pitch * t->tile_height : 0;
}

/* Bytes of a tile as it is decoded, refused when out of proportion. */
static int measure_tile(wvl_io_tiff *t, uint64_t *byte_count)
{
    uint64_t picture_bytes = wvl_io_sample_count(t->context->picture) * 4;

    *byte_count = tile_bytes_of(t);
    if (*byte_count == 0 || t->tile_width == 0 || t->tile_height == 0) {
        return wvl_io_tiff_fail(t, "TileWidth or TileLength is 0 or too large");
    }
    if (*byte_count > PLAUSIBLE_TILE_BYTES && *byte_count / 2 > picture_bytes) {
        return wvl_io_fail(t->context, "tiles of %u x %u: too large for a picture of %u x %u; the file is damaged",
                           t->tile_width, t->tile_height, t->width, t->height);
    }
    return 0;
}

static void place_tile(const wvl_io_tiff *t, const target *to, uint32_t x, uint32_t y, int inverts)
{
    uint32_t pixels = t->width - x < t->tile_width ? t->width - x : t->tile_width;
    uint32_t rows = t->height - y < t->tile_height ? t->height - y : t->tile_height;

    for (uint32_t k = 0; k < rows; k++) {
        place(t, to, t->chunk + k * tile_pitch(t), x, y + k, pixels, inverts);
    }
}

static int prepare_tiles(wvl_io_tiff *t)
{
    uint64_t tile_bytes;

    if (measure_tile(t, &tile_bytes) != 0) {
        return -1;
    }
    if (tile_bytes < (uint64_t)tile_pitch(t) * t->tile_height) {
        return wvl_io_tiff_fail(t, "the size of the tiles contradicts width, length, samples and bits");
    }
    t->band_rows = t->tile_height;
    return need_chunk(t, tile_bytes, "tile");
}

static int load_tile(wvl_io_tiff *t, const target *to, uint32_t number)
{
    if (!wvl_io_tiff_is_missing(t, number)) {
        return decode_chunk(t, number, t->chunk_bytes);
    }
    for (uint32_t k = 0; k < t->tile_height; k++) {
        wvl_io_tiff_fill_row(t, t->chunk + k * tile_pitch(t), tile_pitch(t), to->component, to->per_pixel,
                             t->tile_width);
    }
    return 0;
}

static int read_tiles(wvl_io_tiff *t, const target *to, uint32_t first, uint32_t count, int inverts)
{
    for (uint64_t y = first; y < (uint64_t)first + count; y += t->tile_height) {
        for (uint64_t x = 0; x < t->width; x += t->tile_width) {
            uint16_t plane = (uint16_t)to->component;
            uint32_t number = t->is_tiled ? TIFFComputeTile(t->tiff, (uint32_t)x, (uint32_t)y, 0, plane)
                                          : TIFFComputeStrip(t->tiff, (uint32_t)y, plane);

            if (load_tile(t, to, number) != 0) {
                return -1;
            }
            place_tile(t, to, (uint32_t)x, (uint32_t)y, inverts);
        }
    }
    return 0;
}

/* ---- Subsampled YCbCr ------------------------------------------------------------------------ */

/*
 * Subsampled YCbCr (TIFF 6.0 section 21): TIFF strips and tiles consist of data units of step_x * step_y luma samples
 * followed by one Cb and one Cr. The three planes are kept at their stored size; libtiff gives JPEG data in the
 * same form when it is not asked for RGB.
 */

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

static int prepare_unit_strips(wvl_io_tiff *t)
{
    uint32_t rows = t->rows_per_strip < t->height ? t->rows_per_strip : t->height;

    if (rows == 0 || (rows < t->height && rows % t->step_y != 0)) {
        return wvl_io_fail(t->context, "RowsPerStrip %u: must be a multiple of YCbCrSubSampling's %u", rows, t->step_y);
    }
    t->band_rows = rows;
    return need_chunk(t, units_of(t->width, t->step_x) * unit_bytes(t) * units_of(rows, t->step_y), "strip");
}

static int prepare_unit_tiles(wvl_io_tiff *t)
{
    uint64_t bytes;

    if (measure_tile(t, &bytes) != 0) {
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
    return need_chunk(t, bytes, "tile");
}

/* Reads a TIFF strip or tile of `bytes` bytes, which begins at (x, y). */
static int read_chunk(wvl_io_tiff *t, uint32_t number, uint64_t bytes, uint32_t x, uint32_t y, uint32_t units_across,
                      uint32_t rows)
{
    if (wvl_io_tiff_is_missing(t, number)) {
        wvl_io_tiff_fill_units(t, t->chunk, (size_t)bytes);
    } else if (decode_chunk(t, number, bytes) != 0) {
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

/* The subsampled case, into three planes of their stored size. */
static int prepare_subsampled(wvl_io_tiff *t)
{
    if (wvl_io_describe(t->context, t->width, t->height, 3, 8, 0) != 0) {
        return -1;
    }
    for (uint32_t k = 1; k < 3; k++) {
        wvl_io_subsample(t->context->picture, k, (uint8_t)t->step_x, (uint8_t)t->step_y);
    }
    wvl_io_lay_out(t->context, 0);
    return t->is_tiled ? prepare_unit_tiles(t) : prepare_unit_strips(t);
}

static int read_subsampled(wvl_io_tiff *t, uint32_t first, uint32_t count)
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

static int describe(wvl_io_tiff *t)
{
    unsigned is_signed = t->sample_format == SAMPLEFORMAT_INT;

    if (t->palette.entries != 0) {
        if (wvl_io_describe_indexed(t->context, t->width, t->height, t->depth, &t->palette) != 0) {
            return -1;
        }
        wvl_io_settle_palette(t->context, &t->palette);
        return 0;
    }
    if (wvl_io_describe(t->context, t->width, t->height, t->samples, t->is_float ? 32 : t->depth, (int)is_signed) !=
        0) {
        return -1;
    }
    for (uint32_t c = 0; t->keeps_floats && c < t->samples; c++) {
        wvl_io_keep_floats(&t->context->picture->components[c], t->depth);
    }
    wvl_io_lay_out(t->context, t->planar != PLANARCONFIG_SEPARATE);
    return 0;
}

/* Bytes that samples are read from: uncompressed ones may be said to be more than they are. */
static uint64_t read_bytes_of(const wvl_io_tiff *t, uint32_t i, uint64_t bytes)
{
    uint32_t per_plane = TIFFNumberOfStrips(t->tiff) / (t->planar == PLANARCONFIG_SEPARATE ? t->samples : 1u);
    uint32_t rows = t->rows_per_strip < t->height ? t->rows_per_strip : t->height;

    if (t->compression != COMPRESSION_NONE) {
        return bytes;
    }
    if (!t->is_tiled && per_plane != 0 && i % per_plane == per_plane - 1 && rows != 0) {
        rows = t->height - (per_plane - 1) * rows < rows ? t->height - (per_plane - 1) * rows : rows;
    }
    uint64_t needed = t->is_tiled ? TIFFTileSize64(t->tiff) : TIFFVStripSize64(t->tiff, rows);
    return needed != 0 && needed < bytes ? needed : bytes;
}

/* A TIFF strip or tile outside the file, or one with a place and without bytes, is a truncated file whatever the coder
   would make of it. Inside the header of the file, the directory or its values it would give their bytes as samples. */
static int check_chunk(wvl_io_tiff *t, uint32_t i, uint32_t count)
{
    uint64_t size = t->context->source.size, offset = TIFFGetStrileOffset(t->tiff, i);
    uint64_t bytes = TIFFGetStrileByteCount(t->tiff, i);
    const char *name = t->is_tiled ? "tile" : "strip";

    if (bytes == 0 || offset > size || bytes > size - offset) {
        return wvl_io_fail(t->context, "%s %u of %u: truncated: %llu bytes at offset %llu, the file has %llu", name, i,
                           count, (unsigned long long)bytes, (unsigned long long)offset, (unsigned long long)size);
    }
    bytes = read_bytes_of(t, i, bytes);
    for (unsigned k = 0; k < t->taken_count; k++) {
        if (offset < t->taken[k].end && offset + bytes > t->taken[k].at) {
            return wvl_io_fail(t->context, "%s %u of %u: offset %llu: lies inside the header or the directory%s", name,
                               i, count, (unsigned long long)offset, k > 1 ? ", or the values of its tags" : "");
        }
    }
    return 0;
}

/* Also the claim of uncompressed data against the file, before anything is allocated. */
static int check_chunks(wvl_io_tiff *t)
{
    uint64_t size = t->context->source.size;
    uint32_t count = t->is_tiled ? TIFFNumberOfTiles(t->tiff) : TIFFNumberOfStrips(t->tiff), missing = 0;
    uint64_t row_bytes = t->is_tiled ? TIFFTileSize64(t->tiff) : TIFFScanlineSize64(t->tiff);
    uint64_t planes = t->planar == PLANARCONFIG_CONTIG ? 1 : t->samples;
    uint64_t rows = t->is_tiled ? count : t->height * planes;

    if (count == 0 || row_bytes == 0) {
        return wvl_io_tiff_fail(t, "strips or tiles: the file has none, or says lengths that it cannot hold");
    }
    for (uint32_t i = 0; i < count; i++) {
        missing += (uint32_t)wvl_io_tiff_is_missing(t, i);
    }
    if (t->compression == COMPRESSION_NONE && !t->is_subsampled && missing == 0 && row_bytes > size / rows) {
        return wvl_io_fail(t->context,
                           "truncated: %u x %u, %u samples of %u bits, uncompressed: the file has %llu bytes", t->width,
                           t->height, t->samples, t->depth, (unsigned long long)size);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!wvl_io_tiff_is_missing(t, i) && check_chunk(t, i, count) != 0) {
            return -1;
        }
    }
    if (missing != 0) {
        wvl_io_tiff_prepare_missing(t, missing, count);
    }
    return t->context->no_memory ? -1 : 0;
}

static int comes_in_tiles(const wvl_io_tiff *t) { return t->is_tiled || t->is_jpeg2000; }

static int read_plane(wvl_io_tiff *t, uint32_t component, uint32_t first, uint32_t count)
{
    int inverts = t->inverts && component < t->colors;
    target to = {component, samples_of_row(t), container_bytes(t)};

    return comes_in_tiles(t) ? read_tiles(t, &to, first, count, inverts) : read_lines(t, &to, first, count, inverts);
}

int wvl_io_tiff_prepare_pixels(wvl_io_tiff *t)
{
    if (check_chunks(t) != 0) {
        return -1;
    }
    /* Some writers fill the last TIFF strip up to RowsPerStrip. Where all of such a TIFF strip is asked for at once,
     * libtiff has libdeflate decode it, which may then write less than it could and is believed; zlib gives what fits.
     */
    uint32_t rows = t->rows_per_strip;

    if ((t->compression == COMPRESSION_ADOBE_DEFLATE || t->compression == COMPRESSION_DEFLATE) && !t->is_tiled &&
        rows != 0 && t->height % rows != 0 && (t->is_subsampled || t->height % rows == 1)) {
        TIFFSetField(t->tiff, TIFFTAG_DEFLATE_SUBCODEC, DEFLATE_SUBCODEC_ZLIB);
    }
    if (t->is_subsampled) {
        return prepare_subsampled(t);
    }
    if (describe(t) != 0) {
        return -1;
    }
    return comes_in_tiles(t) ? prepare_tiles(t) : prepare_strips(t);
}

int wvl_io_tiff_read_bands(wvl_io_tiff *t, uint32_t first, uint32_t count)
{
    uint32_t planes = samples_of_row(t) == t->samples ? 1 : t->samples;

    if (t->is_subsampled) {
        return read_subsampled(t, first, count);
    }
    for (uint32_t i = 0; i < planes; i++) {
        if (read_plane(t, i, first, count) != 0) {
            return -1;
        }
    }
    /* The guard's child may have been harmed. */
    for (uint32_t c = 0; t->is_jpeg2000 && t->palette.entries == 0 && c < t->samples; c++) {
        if (wvl_io_check_range(t->context, c, first, first + count) != 0) {
            return -1;
        }
    }
    for (uint32_t y = first; t->palette.entries != 0 && y < first + count; y++) {
        if (wvl_io_finish_indexed_row(t->context, y, wvl_io_container_bytes(t->depth), &t->palette) != 0) {
            return -1;
        }
    }
    return 0;
}
