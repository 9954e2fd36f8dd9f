/* SPDX-License-Identifier: BSD-2-Clause */
/* Strips by rows and tiles by blocks, of 1 to 32 bits, into interleaved or planar samples. */
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
    const uint16_t probe = 1;
    int is_little = *(const uint8_t *)&probe == 1;

    for (size_t i = 0; i < count; i++, from += 3) {
        uint32_t low = is_little ? from[0] : from[2], high = is_little ? from[2] : from[0];
        uint32_t sample = low | (uint32_t)from[1] << 8 | high << 16;

        memcpy(to + 4 * i, &sample, sizeof sample);
    }
}

static uint32_t load(const uint8_t *at, unsigned bytes)
{
    uint32_t whole;
    uint16_t half;

    if (bytes == 1) {
        return *at;
    }
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

    if (bytes == 1) {
        *at = (uint8_t)sample;
    } else if (bytes == 2) {
        memcpy(at, &half, sizeof half);
    } else {
        memcpy(at, &sample, sizeof sample);
    }
}

/* Two's complement of depth bits to that of the container. */
static void extend_signs(uint8_t *row, unsigned bytes, unsigned depth, size_t count)
{
    uint32_t sign = UINT32_C(1) << (depth - 1);

    for (size_t i = 0; i < count; i++, row += bytes) {
        store(row, bytes, (load(row, bytes) ^ sign) - sign);
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

            store(at, to->sample_bytes, load(at, to->sample_bytes) ^ flip);
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
            extend_signs(row, to->sample_bytes, t->depth, count);
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
    /* LERC holds a strip or tile up to three times. */
    return t->compression == COMPRESSION_NONE
               ? 0
               : wvl_io_reserve(t->context, WVL_IO_TIFF_RESERVE + 4 * byte_count, "libtiff");
}

void wvl_io_tiff_clear_chunk(wvl_io_tiff *t)
{
    if (t->compression != COMPRESSION_NONE) {
        memset(t->chunk, 0, (size_t)t->chunk_bytes);
    }
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
    uint32_t rows = 0;

    if (line_bytes != (samples * t->depth + 7) / 8) {
        return wvl_io_tiff_fail(t, "rows are not as long as width, samples and bits say");
    }
    t->is_stored = wvl_io_tiff_is_stored(t);
    wvl_io_settle_words(t->context, wvl_io_tiff_find_words(t), (size_t)line_bytes);
    TIFFGetFieldDefaulted(t->tiff, TIFFTAG_ROWSPERSTRIP, &rows);
    t->band_rows = 1;
    /* libtiff holds one strip: planes that took turns with each row would have it read strips again and again. */
    if (samples_of_row(t) != t->samples && !t->is_stored) {
        t->band_rows = rows != 0 && rows < t->height ? rows : t->height;
    }
    return is_direct(t) ? 0 : wvl_io_tiff_need_chunk(t, line_bytes, "line");
}

/* Rows that stay as they lie in the file. */
static int read_words(wvl_io_tiff *t, size_t line_bytes, uint32_t first, uint32_t count)
{
    for (uint32_t y = first; y < first + count; y++) {
        if (wvl_io_tiff_read_stored(t, wvl_io_row(t->context, 0, y), line_bytes, y, 0) != 0) {
            return -1;
        }
    }
    return 0;
}

static int load_line(wvl_io_tiff *t, const target *to, uint8_t *bytes, size_t line_bytes, uint32_t y)
{
    uint16_t plane = (uint16_t)to->component;

    if (t->missing != 0 && wvl_io_tiff_is_missing(t, TIFFComputeStrip(t->tiff, y, plane))) {
        wvl_io_tiff_fill_row(t, bytes, line_bytes, to->component, to->per_pixel, t->width);
        return 0;
    }
    if (t->is_stored) {
        return wvl_io_tiff_read_stored(t, bytes, line_bytes, y, plane);
    }
    if (t->compression != COMPRESSION_NONE) {
        memset(bytes, 0, line_bytes); /* as wvl_io_tiff_clear_chunk() */
    }
    return TIFFReadScanline(t->tiff, bytes, y, plane) == 1 && !t->error_seen ? 0 : wvl_io_tiff_fail(t, "pixel data");
}

static int read_lines(wvl_io_tiff *t, const target *to, uint32_t first, uint32_t count, int inverts)
{
    size_t line_bytes = (size_t)TIFFScanlineSize64(t->tiff);

    if (t->context->picture->words) {
        return read_words(t, line_bytes, first, count);
    }
    for (uint32_t y = first; y < first + count; y++) {
        uint8_t *bytes = is_direct(t) ? wvl_io_row(t->context, to->component, y) : t->chunk;
        if (load_line(t, to, bytes, line_bytes, y) != 0) {
            return -1;
        }
        place(t, to, bytes, 0, y, t->width, inverts);
    }
    return 0;
}

int wvl_io_tiff_tile_bytes(wvl_io_tiff *t, uint64_t *byte_count)
{
    uint64_t picture_bytes = wvl_io_sample_count(t->context->picture) * 4;
    uint32_t width = 0, height = 0;

    TIFFGetField(t->tiff, TIFFTAG_TILEWIDTH, &width);
    TIFFGetField(t->tiff, TIFFTAG_TILELENGTH, &height);
    *byte_count = TIFFTileSize64(t->tiff);
    if (*byte_count == 0 || width == 0 || height == 0) {
        return wvl_io_tiff_fail(t, "TileWidth or TileLength is 0 or too large");
    }
    if (*byte_count > PLAUSIBLE_TILE_BYTES && *byte_count / 2 > picture_bytes) {
        return wvl_io_fail(t->context, "tiles of %u x %u: too large for a picture of %u x %u; the file is damaged",
                           width, height, t->width, t->height);
    }
    return 0;
}

static void place_tile(const wvl_io_tiff *t, const target *to, const uint8_t *tile, uint32_t x, uint32_t y,
                       uint32_t tile_width, uint32_t tile_height, int inverts)
{
    size_t pitch = (size_t)(((uint64_t)tile_width * to->per_pixel * t->depth + 7) / 8);
    uint32_t pixels = t->width - x < tile_width ? t->width - x : tile_width;
    uint32_t rows = t->height - y < tile_height ? t->height - y : tile_height;

    for (uint32_t k = 0; k < rows; k++) {
        place(t, to, tile + (size_t)k * pitch, x, y + k, pixels, inverts);
    }
}

static int prepare_tiles(wvl_io_tiff *t)
{
    uint32_t tile_width = 0, tile_height = 0;
    uint64_t tile_bytes;

    TIFFGetField(t->tiff, TIFFTAG_TILEWIDTH, &tile_width);
    TIFFGetField(t->tiff, TIFFTAG_TILELENGTH, &tile_height);
    if (wvl_io_tiff_tile_bytes(t, &tile_bytes) != 0) {
        return -1;
    }
    uint64_t line_bytes = ((uint64_t)tile_width * samples_of_row(t) * t->depth + 7) / 8;
    if (tile_bytes < line_bytes * tile_height) {
        return wvl_io_tiff_fail(t, "tiles are not as large as width, length, samples and bits say");
    }
    t->band_rows = tile_height;
    return wvl_io_tiff_need_chunk(t, tile_bytes, "tile");
}

static int load_tile(wvl_io_tiff *t, const target *to, uint32_t number, uint32_t tile_width)
{
    tmsize_t bytes = (tmsize_t)t->chunk_bytes;
    size_t pitch = (size_t)(((uint64_t)tile_width * to->per_pixel * t->depth + 7) / 8);

    if (wvl_io_tiff_is_missing(t, number)) {
        for (uint32_t k = 0; k < t->band_rows; k++) {
            wvl_io_tiff_fill_row(t, t->chunk + k * pitch, pitch, to->component, to->per_pixel, tile_width);
        }
        return 0;
    }
    wvl_io_tiff_clear_chunk(t);
    if (TIFFReadEncodedTile(t->tiff, number, t->chunk, bytes) != bytes || t->error_seen) {
        return wvl_io_tiff_fail(t, "pixel data");
    }
    return 0;
}

static int read_tiles(wvl_io_tiff *t, const target *to, uint32_t first, uint32_t count, int inverts)
{
    uint32_t tile_width = 0;

    TIFFGetField(t->tiff, TIFFTAG_TILEWIDTH, &tile_width);
    for (uint64_t y = first; y < (uint64_t)first + count; y += t->band_rows) {
        for (uint64_t x = 0; x < t->width; x += tile_width) {
            uint32_t number = TIFFComputeTile(t->tiff, (uint32_t)x, (uint32_t)y, 0, (uint16_t)to->component);

            if (load_tile(t, to, number, tile_width) != 0) {
                return -1;
            }
            place_tile(t, to, t->chunk, (uint32_t)x, (uint32_t)y, tile_width, t->band_rows, inverts);
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
    wvl_io_lay_out(t->context, t->planar != PLANARCONFIG_SEPARATE);
    return 0;
}

/* A strip or tile outside the file, or one with a place and without bytes, is a truncated file whatever the coder would
   make of it. */
static int check_chunk(wvl_io_tiff *t, uint32_t i, uint32_t count)
{
    uint64_t size = t->context->source.size, offset = TIFFGetStrileOffset(t->tiff, i);
    uint64_t chunk_bytes = TIFFGetStrileByteCount(t->tiff, i);

    if (chunk_bytes == 0 || offset > size || chunk_bytes > size - offset) {
        return wvl_io_fail(t->context, "%s %u of %u: truncated: %llu bytes at offset %llu, the file has %llu",
                           TIFFIsTiled(t->tiff) ? "tile" : "strip", i, count, (unsigned long long)chunk_bytes,
                           (unsigned long long)offset, (unsigned long long)size);
    }
    return 0;
}

/* Also the claim of uncompressed data against the file, before anything is allocated. */
static int check_chunks(wvl_io_tiff *t)
{
    uint64_t size = t->context->source.size;
    uint32_t count = TIFFIsTiled(t->tiff) ? TIFFNumberOfTiles(t->tiff) : TIFFNumberOfStrips(t->tiff), missing = 0;
    uint64_t row_bytes = TIFFIsTiled(t->tiff) ? TIFFTileSize64(t->tiff) : TIFFScanlineSize64(t->tiff);
    uint64_t rows = TIFFIsTiled(t->tiff)               ? count
                    : t->planar == PLANARCONFIG_CONTIG ? t->height
                                                       : (uint64_t)t->height * t->samples;

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

/* Where the directory of the page ends; 0: not known. */
static uint64_t end_of_directory(wvl_io_tiff *t, uint64_t at, int is_big)
{
    unsigned count_bytes = is_big ? 8 : 2, entry_bytes = is_big ? 20 : 12, link_bytes = is_big ? 8 : 4;
    uint8_t count[8];

    if (wvl_io_source_seek(&t->context->source, at) != 0 ||
        wvl_io_source_read_some(&t->context->source, count, count_bytes) != count_bytes) {
        return 0;
    }
    uint64_t entries = wvl_io_tiff_number(count, TIFFIsBigEndian(t->tiff), count_bytes);
    return entries <= UINT16_MAX ? at + count_bytes + entries * entry_bytes + link_bytes : 0;
}

/* Strips and tiles inside the header of the file or the directory would give their bytes as samples. */
static int check_places(wvl_io_tiff *t)
{
    int is_big = TIFFIsBigTIFF(t->tiff), is_tiled = TIFFIsTiled(t->tiff);
    uint64_t header_bytes = is_big ? 16 : 8;
    uint64_t directory = TIFFCurrentDirOffset(t->tiff), directory_end = end_of_directory(t, directory, is_big);
    uint32_t count = is_tiled ? TIFFNumberOfTiles(t->tiff) : TIFFNumberOfStrips(t->tiff);

    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = TIFFGetStrileOffset(t->tiff, i), bytes = TIFFGetStrileByteCount(t->tiff, i);
        if (bytes != 0 && (at < header_bytes || (at < directory_end && at + bytes > directory))) {
            return wvl_io_fail(t->context, "%s %u of %u: offset %llu: lies inside the header or the directory",
                               is_tiled ? "tile" : "strip", i, count, (unsigned long long)at);
        }
    }
    return 0;
}

static int read_plane(wvl_io_tiff *t, uint32_t component, uint32_t first, uint32_t count)
{
    int inverts = t->inverts && component < t->colors;
    target to = {component, samples_of_row(t), container_bytes(t)};

    return TIFFIsTiled(t->tiff) ? read_tiles(t, &to, first, count, inverts) : read_lines(t, &to, first, count, inverts);
}

/* Some writers fill the last strip up to RowsPerStrip. Where all of such a strip is asked for at once, libtiff has
   libdeflate decode it, which may then write less than it could and is believed; zlib gives what fits. */
static void choose_inflater(wvl_io_tiff *t)
{
    uint32_t rows = 0;

    TIFFGetFieldDefaulted(t->tiff, TIFFTAG_ROWSPERSTRIP, &rows);
    if ((t->compression == COMPRESSION_ADOBE_DEFLATE || t->compression == COMPRESSION_DEFLATE) &&
        !TIFFIsTiled(t->tiff) && rows != 0 && t->height % rows != 0 && (t->is_subsampled || t->height % rows == 1)) {
        TIFFSetField(t->tiff, TIFFTAG_DEFLATE_SUBCODEC, DEFLATE_SUBCODEC_ZLIB);
    }
}

int wvl_io_tiff_prepare_pixels(wvl_io_tiff *t)
{
    if (check_chunks(t) != 0 || check_places(t) != 0) {
        return -1;
    }
    choose_inflater(t);
    if (t->is_subsampled) {
        return wvl_io_tiff_prepare_subsampled(t);
    }
    if (describe(t) != 0) {
        return -1;
    }
    return TIFFIsTiled(t->tiff) ? prepare_tiles(t) : prepare_strips(t);
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
