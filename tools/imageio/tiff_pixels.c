/* SPDX-License-Identifier: BSD-2-Clause */
/* TIFF strips by rows and tiles by blocks, of 1 to 32 bits, into interleaved or planar samples. */
#include "float_samples.h"
#include "read_tiff.h"

#include <stdlib.h>
#include <string.h>

#define PLAUSIBLE_TILE_BYTES (UINT64_C(1) << 30)

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

/* Min-is-white: v becomes 2^depth - 1 - v, for signed samples -1 - v; both flip the low bits. Extra samples
   (from `colors` on) mean what they meant. */
static void invert(const wvl_io_tiff *t, uint8_t *row, const target *to, size_t pixels)
{
    uint32_t flip = t->sample_format == SAMPLEFORMAT_INT ? UINT32_MAX : (uint32_t)((UINT64_C(1) << t->depth) - 1);
    uint32_t per_pixel = to->per_pixel, colors = t->colors < per_pixel ? t->colors : per_pixel;

    for (size_t x = 0; x < pixels; x++) {
        for (uint32_t c = 0; c < colors; c++) {
            uint8_t *at = row + (x * per_pixel + c) * to->sample_bytes;

            wvl_io_store(at, to->sample_bytes, (uint32_t)wvl_io_load(at, to->sample_bytes, 0) ^ flip);
        }
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
    } else if (t->depth == 8 * to->sample_bytes) {
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
        invert(t, row, to, pixels);
    }
}

int wvl_io_tiff_need_chunk(wvl_io_tiff *t, uint64_t byte_count, const char *what)
{
    t->chunk_bytes = byte_count;
    t->context->held_bytes += byte_count;
    t->chunk = wvl_io_allocate(t->context, byte_count, what);
    if (!t->chunk) {
        return -1;
    }
    /* LERC holds a TIFF strip or tile up to three times. */
    return t->compression == COMPRESSION_NONE
               ? 0
               : wvl_io_reserve(t->context, WVL_IO_TIFF_RESERVE + 4 * byte_count, "libtiff");
}

int wvl_io_tiff_decode_chunk(wvl_io_tiff *t, uint32_t number, uint64_t byte_count)
{
    tmsize_t bytes = (tmsize_t)byte_count;

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
    t->is_stored = wvl_io_tiff_is_stored(t);
    wvl_io_settle_words(t->context, wvl_io_tiff_find_words(t), (size_t)line_bytes);
    t->band_rows = 1;
    /* libtiff holds one TIFF strip: planes that took turns with each row would have it read TIFF strips again and
     * again. */
    if (samples_of_row(t) != t->samples && !t->is_stored) {
        t->band_rows = t->rows_per_strip != 0 && t->rows_per_strip < t->height ? t->rows_per_strip : t->height;
    }
    return is_direct(t) ? 0 : wvl_io_tiff_need_chunk(t, line_bytes, "line");
}

/* Rows from y on that lie one behind the other in the file, and will in memory. */
static uint32_t count_run(const wvl_io_tiff *t, size_t line_bytes, const target *to, uint32_t y, uint32_t end)
{
    size_t pitch = t->context->picture->components[to->component].stride_bytes;
    int is_one = t->is_stored && t->missing == 0 && pitch == line_bytes;
    return is_one ? wvl_io_tiff_count_run(t, line_bytes, y, end - y, (uint16_t)to->component) : 1;
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
        return wvl_io_tiff_read_stored(t, bytes, line_bytes, y, count, plane);
    }
    if (t->compression != COMPRESSION_NONE) {
        memset(bytes, 0, line_bytes); /* as wvl_io_tiff_decode_chunk() */
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
            if (wvl_io_tiff_read_stored(t, wvl_io_row(t->context, 0, y), line_bytes, y, n, 0) != 0) {
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

int wvl_io_tiff_tile_bytes(wvl_io_tiff *t, uint64_t *byte_count)
{
    uint64_t picture_bytes = wvl_io_sample_count(t->context->picture) * 4;

    *byte_count = TIFFTileSize64(t->tiff);
    if (*byte_count == 0 || t->tile_width == 0 || t->tile_height == 0) {
        return wvl_io_tiff_fail(t, "TileWidth or TileLength is 0 or too large");
    }
    if (*byte_count > PLAUSIBLE_TILE_BYTES && *byte_count / 2 > picture_bytes) {
        return wvl_io_fail(t->context, "tiles of %u x %u: too large for a picture of %u x %u; the file is damaged",
                           t->tile_width, t->tile_height, t->width, t->height);
    }
    return 0;
}

/* Bytes of a row of a tile. */
static size_t tile_pitch(const wvl_io_tiff *t)
{
    return (size_t)(((uint64_t)t->tile_width * samples_of_row(t) * t->depth + 7) / 8);
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

    if (wvl_io_tiff_tile_bytes(t, &tile_bytes) != 0) {
        return -1;
    }
    if (tile_bytes < (uint64_t)tile_pitch(t) * t->tile_height) {
        return wvl_io_tiff_fail(t, "the size of the tiles contradicts width, length, samples and bits");
    }
    t->band_rows = t->tile_height;
    return wvl_io_tiff_need_chunk(t, tile_bytes, "tile");
}

static int load_tile(wvl_io_tiff *t, const target *to, uint32_t number)
{
    if (!wvl_io_tiff_is_missing(t, number)) {
        return wvl_io_tiff_decode_chunk(t, number, t->chunk_bytes);
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
            uint32_t number = TIFFComputeTile(t->tiff, (uint32_t)x, (uint32_t)y, 0, (uint16_t)to->component);

            if (load_tile(t, to, number) != 0) {
                return -1;
            }
            place_tile(t, to, (uint32_t)x, (uint32_t)y, inverts);
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

static int read_plane(wvl_io_tiff *t, uint32_t component, uint32_t first, uint32_t count)
{
    int inverts = t->inverts && component < t->colors;
    target to = {component, samples_of_row(t), container_bytes(t)};

    return t->is_tiled ? read_tiles(t, &to, first, count, inverts) : read_lines(t, &to, first, count, inverts);
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
        return wvl_io_tiff_prepare_subsampled(t);
    }
    if (describe(t) != 0) {
        return -1;
    }
    return t->is_tiled ? prepare_tiles(t) : prepare_strips(t);
}

int wvl_io_tiff_read_bands(wvl_io_tiff *t, uint32_t first, uint32_t count)
{
    uint32_t planes = samples_of_row(t) == t->samples ? 1 : t->samples;

    if (t->is_subsampled) {
        return wvl_io_tiff_read_subsampled(t, first, count);
    }
    for (uint32_t i = 0; i < planes; i++) {
        if (read_plane(t, i, first, count) != 0) {
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
