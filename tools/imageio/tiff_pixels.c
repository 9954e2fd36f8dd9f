/* SPDX-License-Identifier: BSD-2-Clause */
/* Strips by rows and tiles by blocks, of 1 to 32 bits, into interleaved or planar samples. */
#include "float_samples.h"
#include "read_tiff.h"

#include <stdlib.h>
#include <string.h>

#define PLAUSIBLE_TILE_BYTES (UINT64_C(1) << 30)

/* Where one plane, or all samples of a contiguous picture, go. */
typedef struct target {
    uint8_t *base;
    size_t row_bytes;
    uint32_t per_pixel;    /* samples of a pixel in one row of the file's data */
    unsigned sample_bytes; /* container; of the index for palette pictures */
} target;

/* Most significant bit first, rows padded to whole bytes; count <= 2^48. */
static void unpack_bits(const uint8_t *from, unsigned depth, uint8_t *to, unsigned sample_bytes, size_t count)
{
    uint64_t held = 0, mask = (UINT64_C(1) << depth) - 1;
    unsigned bits = 0;
    size_t i;

    for (i = 0; i < count; i++) {
        uint32_t sample;
        uint16_t half;

        for (; bits < depth; bits += 8)
            held = held << 8 | *from++;
        bits -= depth;
        sample = (uint32_t)(held >> bits & mask);
        half = (uint16_t)sample;
        if (sample_bytes == 1)
            to[i] = (uint8_t)sample;
        else if (sample_bytes == 2)
            memcpy(to + 2 * i, &half, sizeof half);
        else
            memcpy(to + 4 * i, &sample, sizeof sample);
    }
}

/* libtiff hands out 24-bit samples in host order, three bytes each. */
static void unpack_24(const uint8_t *from, uint8_t *to, size_t count)
{
    const uint16_t probe = 1;
    int is_little = *(const uint8_t *)&probe == 1;
    size_t i;

    for (i = 0; i < count; i++, from += 3) {
        uint32_t low = is_little ? from[0] : from[2], high = is_little ? from[2] : from[0];
        uint32_t sample = low | (uint32_t)from[1] << 8 | high << 16;

        memcpy(to + 4 * i, &sample, sizeof sample);
    }
}

static uint32_t load(const uint8_t *at, unsigned bytes)
{
    uint32_t whole;
    uint16_t half;

    if (bytes == 1)
        return *at;
    if (bytes == 2) {
        memcpy(&half, at, sizeof half);
        return half;
    }
    memcpy(&whole, at, sizeof whole);
    return whole;
}

static void store(uint8_t *at, unsigned bytes, uint32_t sample)
{
    uint16_t half = (uint16_t)sample;

    if (bytes == 1)
        *at = (uint8_t)sample;
    else if (bytes == 2)
        memcpy(at, &half, sizeof half);
    else
        memcpy(at, &sample, sizeof sample);
}

/* Two's complement of depth bits to that of the container. */
static void extend_signs(uint8_t *row, unsigned bytes, unsigned depth, size_t count)
{
    uint32_t sign = UINT32_C(1) << (depth - 1);
    size_t i;

    for (i = 0; i < count; i++, row += bytes)
        store(row, bytes, (load(row, bytes) ^ sign) - sign);
}

/* Min-is-white: v becomes 2^depth - 1 - v, for signed samples -1 - v; both flip the low bits. Extra samples
   (from `colors` on) mean what they meant. */
static void invert(const wvl_io_tiff *t, uint8_t *row, const target *to, size_t pixels)
{
    uint32_t flip = t->sample_format == SAMPLEFORMAT_INT ? UINT32_MAX : (uint32_t)((UINT64_C(1) << t->depth) - 1);
    uint32_t per_pixel = to->per_pixel, colors = t->colors < per_pixel ? t->colors : per_pixel, c;
    size_t x;

    for (x = 0; x < pixels; x++)
        for (c = 0; c < colors; c++) {
            uint8_t *at = row + (x * per_pixel + c) * to->sample_bytes;

            store(at, to->sample_bytes, load(at, to->sample_bytes) ^ flip);
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
    uint8_t *row = to->base + (size_t)y * to->row_bytes + (size_t)x * to->per_pixel * to->sample_bytes;
    size_t count = (size_t)pixels * to->per_pixel;

    if (t->is_float) {
        unpack_floats(t->depth, from, row, count);
    } else if (t->depth == 8 * to->sample_bytes) {
        if (row != from)
            memcpy(row, from, count * to->sample_bytes);
    } else {
        if (t->depth == 24)
            unpack_24(from, row, count);
        else
            unpack_bits(from, t->depth, row, to->sample_bytes, count);
        if (t->sample_format == SAMPLEFORMAT_INT)
            extend_signs(row, to->sample_bytes, t->depth, count);
    }
    if (inverts)
        invert(t, row, to, pixels);
}

/* Rows come straight to their place when the file's layout is ours, else through one line. */
static int read_rows(wvl_io_tiff *t, const target *to, uint16_t plane, int inverts)
{
    uint64_t line_bytes = TIFFScanlineSize64(t->tiff), samples = (uint64_t)t->width * to->per_pixel;
    int direct = !t->is_float && t->depth == 8 * to->sample_bytes;
    uint8_t *line = NULL;
    uint32_t y;

    if (line_bytes != (samples * t->depth + 7) / 8)
        return wvl_io_tiff_fail(t, "rows are not as long as width, samples and bits say");
    if (!direct) {
        line = wvl_io_allocate(t->context, line_bytes, "line");
        if (line == NULL)
            return -1;
    }
    for (y = 0; y < t->height; y++) {
        uint8_t *bytes = direct ? to->base + (size_t)y * to->row_bytes : line;

        if (TIFFReadScanline(t->tiff, bytes, y, plane) != 1 || t->error_seen)
            break;
        place(t, to, bytes, 0, y, t->width, inverts);
    }
    free(line);
    return y == t->height ? 0 : wvl_io_tiff_fail(t, "pixel data");
}

int wvl_io_tiff_tile_bytes(wvl_io_tiff *t, uint64_t *byte_count)
{
    uint64_t picture_bytes = wvl_io_sample_count(t->context->picture) * 4;
    uint32_t width = 0, height = 0;

    TIFFGetField(t->tiff, TIFFTAG_TILEWIDTH, &width);
    TIFFGetField(t->tiff, TIFFTAG_TILELENGTH, &height);
    *byte_count = TIFFTileSize64(t->tiff);
    if (*byte_count == 0 || width == 0 || height == 0)
        return wvl_io_tiff_fail(t, "TileWidth or TileLength is 0 or too large");
    if (*byte_count > PLAUSIBLE_TILE_BYTES && *byte_count / 2 > picture_bytes)
        return wvl_io_fail(t->context, "tiles of %u x %u: too large for a picture of %u x %u; the file is damaged",
                           width, height, t->width, t->height);
    return 0;
}

static void place_tile(const wvl_io_tiff *t, const target *to, const uint8_t *tile, uint32_t x, uint32_t y,
                       uint32_t tile_width, uint32_t tile_height, int inverts)
{
    size_t pitch = (size_t)(((uint64_t)tile_width * to->per_pixel * t->depth + 7) / 8);
    uint32_t pixels = t->width - x < tile_width ? t->width - x : tile_width;
    uint32_t rows = t->height - y < tile_height ? t->height - y : tile_height, k;

    for (k = 0; k < rows; k++)
        place(t, to, tile + (size_t)k * pitch, x, y + k, pixels, inverts);
}

static int read_tiles(wvl_io_tiff *t, const target *to, uint16_t plane, int inverts)
{
    uint32_t tile_width = 0, tile_height = 0;
    uint64_t tile_bytes, x, y;
    uint8_t *tile;
    int result = 0;

    TIFFGetField(t->tiff, TIFFTAG_TILEWIDTH, &tile_width);
    TIFFGetField(t->tiff, TIFFTAG_TILELENGTH, &tile_height);
    if (wvl_io_tiff_tile_bytes(t, &tile_bytes) != 0)
        return -1;
    if (tile_bytes < ((uint64_t)tile_width * to->per_pixel * t->depth + 7) / 8 * tile_height)
        return wvl_io_tiff_fail(t, "tiles are not as large as width, length, samples and bits say");
    tile = wvl_io_allocate(t->context, tile_bytes, "tile");
    if (tile == NULL)
        return -1;
    for (y = 0; y < t->height && result == 0; y += tile_height)
        for (x = 0; x < t->width && result == 0; x += tile_width) {
            uint32_t number = TIFFComputeTile(t->tiff, (uint32_t)x, (uint32_t)y, 0, plane);

            if (TIFFReadEncodedTile(t->tiff, number, tile, (tmsize_t)tile_bytes) != (tmsize_t)tile_bytes ||
                t->error_seen)
                result = wvl_io_tiff_fail(t, "pixel data");
            else
                place_tile(t, to, tile, (uint32_t)x, (uint32_t)y, tile_width, tile_height, inverts);
        }
    free(tile);
    return result;
}

static int describe(wvl_io_tiff *t)
{
    unsigned is_signed = t->sample_format == SAMPLEFORMAT_INT;

    if (t->palette.values != NULL)
        return wvl_io_describe_indexed(t->context, t->width, t->height, t->depth, &t->palette);
    if (wvl_io_describe(t->context, t->width, t->height, t->samples, t->is_float ? 32 : t->depth, (int)is_signed) != 0)
        return -1;
    return t->planar == PLANARCONFIG_SEPARATE ? wvl_io_allocate_planar(t->context)
                                              : wvl_io_allocate_interleaved(t->context);
}

/* A strip or tile outside the file, or without bytes, is a truncated file whatever the coder would make of it.
   Also the claim of uncompressed data against the file, before anything is allocated. */
static int check_chunks(wvl_io_tiff *t)
{
    uint64_t size = t->context->source.size, chunk_bytes;
    uint32_t count = TIFFIsTiled(t->tiff) ? TIFFNumberOfTiles(t->tiff) : TIFFNumberOfStrips(t->tiff), i;
    uint64_t row_bytes = TIFFIsTiled(t->tiff) ? TIFFTileSize64(t->tiff) : TIFFScanlineSize64(t->tiff);
    uint64_t rows = TIFFIsTiled(t->tiff)               ? count
                    : t->planar == PLANARCONFIG_CONTIG ? t->height
                                                       : (uint64_t)t->height * t->samples;

    if (count == 0 || row_bytes == 0)
        return wvl_io_tiff_fail(t, "strips or tiles: the file has none, or says lengths that it cannot hold");
    if (t->compression == COMPRESSION_NONE && !t->is_subsampled && row_bytes > size / rows)
        return wvl_io_fail(t->context,
                           "truncated: %u x %u, %u samples of %u bits, uncompressed: the file has %llu bytes", t->width,
                           t->height, t->samples, t->depth, (unsigned long long)size);
    for (i = 0; i < count; i++) {
        uint64_t offset = TIFFGetStrileOffset(t->tiff, i);

        chunk_bytes = TIFFGetStrileByteCount(t->tiff, i);
        if (chunk_bytes == 0 || offset > size || chunk_bytes > size - offset)
            return wvl_io_fail(t->context, "%s %u of %u: truncated: %llu bytes at offset %llu, the file has %llu",
                               TIFFIsTiled(t->tiff) ? "tile" : "strip", i, count, (unsigned long long)chunk_bytes,
                               (unsigned long long)offset, (unsigned long long)size);
    }
    return 0;
}

static int read_plane(wvl_io_tiff *t, uint32_t component, uint32_t per_pixel)
{
    wvl_io_component *c = &t->context->picture->components[component];
    int inverts = t->inverts && component < t->colors;
    target to;

    to.base = c->data;
    to.row_bytes = c->stride_bytes;
    to.per_pixel = per_pixel;
    to.sample_bytes = t->is_float ? 4 : wvl_io_container_bytes(t->depth);
    return TIFFIsTiled(t->tiff) ? read_tiles(t, &to, (uint16_t)component, inverts)
                                : read_rows(t, &to, (uint16_t)component, inverts);
}

int wvl_io_tiff_read_pixels(wvl_io_tiff *t)
{
    int separate = t->planar == PLANARCONFIG_SEPARATE && t->samples > 1;
    uint32_t i, count = separate ? t->samples : 1;

    if (check_chunks(t) != 0)
        return -1;
    if (t->is_subsampled)
        return wvl_io_tiff_read_subsampled(t);
    if (describe(t) != 0)
        return -1;
    for (i = 0; i < count; i++)
        if (read_plane(t, i, separate ? 1 : t->samples) != 0)
            return -1;
    for (i = 0; t->palette.values != NULL && i < t->height; i++)
        if (wvl_io_finish_indexed_row(t->context, i, wvl_io_container_bytes(t->depth), &t->palette) != 0)
            return -1;
    return 0;
}
