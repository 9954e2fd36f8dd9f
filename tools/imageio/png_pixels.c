/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pixels of a whole PNG file at once. libdeflate inflates in a third of zlib's time, but not in pieces, so rows that
 * come one by one stay with libpng, as do all files in which anything is unusual: libpng then says what.
 */
#include "png_pixels.h"

#ifdef WVL_HAVE_DEFLATE

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES 12u /* of a chunk beside its data: length, type, CRC */
#define LOADED_BYTES 8u /* of a pixel, whatever it has */

/* The data of the chunks that `bytes` hold, moved to their front. 0: a chunk is damaged. */
static size_t join_chunks(uint8_t *bytes, size_t byte_count)
{
    size_t joined = 0;

    for (size_t at = 0; at < byte_count;) {
        size_t left = byte_count - at, length = left < CHUNK_BYTES ? left : wvl_io_be32(bytes + at);
        const uint8_t *type = bytes + at + 4;
        if (left < CHUNK_BYTES || length > left - CHUNK_BYTES ||
            libdeflate_crc32(0, type, 4 + length) != wvl_io_be32(type + 4 + length)) {
            return 0;
        }
        memmove(bytes + joined, type + 4, length);
        joined += length;
        at += CHUNK_BYTES + length;
    }
    return joined;
}

static int inflate_chunks(wvl_io_source *source, uint64_t from, size_t byte_count, uint8_t *to, size_t to_bytes)
{
    uint8_t *bytes = malloc(byte_count);
    struct libdeflate_decompressor *d = bytes ? libdeflate_alloc_decompressor() : NULL;
    int is_read = d && wvl_io_source_read_at(source, from, bytes, byte_count) == 0;
    size_t joined = is_read ? join_chunks(bytes, byte_count) : 0;
    int is_whole = joined && libdeflate_zlib_decompress(d, bytes, joined, to, to_bytes, NULL) == LIBDEFLATE_SUCCESS;

    libdeflate_free_decompressor(d);
    free(bytes);
    return is_whole;
}

int wvl_io_open_png_pixels(wvl_io_png_pixels *p, wvl_io_source *source, uint64_t from, uint64_t end)
{
    size_t above = 1 + p->row_bytes, bytes = above * p->rows;
    int is_known = (p->memory = malloc(above + bytes + LOADED_BYTES)) != NULL;

    if (is_known) {
        memset(p->memory, 0, above); /* above the first row */
        is_known = inflate_chunks(source, from, (size_t)(end - from), p->memory + above, bytes);
    }
    for (uint32_t y = 0; y < p->rows && is_known; y++) {
        is_known = p->memory[above * (1 + y)] <= 4; /* the filter of a row stands in front of it */
    }
    if (!is_known) {
        wvl_io_close_png_pixels(p);
    }
    return is_known;
}

void wvl_io_close_png_pixels(wvl_io_png_pixels *p)
{
    free(p->memory);
    p->memory = NULL;
}

/* ---- Filters (PNG 9.2) ----------------------------------------------------------------------- */

/* A pixel, a word a byte: the bytes of one do not wait for each other. */
typedef uint8_t eight_bytes __attribute__((vector_size(8)));
typedef int16_t pixel __attribute__((vector_size(16)));

static inline pixel load(const uint8_t *at) /* LOADED_BYTES are there */
{
    eight_bytes v;

    memcpy(&v, at, sizeof v);
    return __builtin_convertvector(v, pixel);
}

static inline void store(uint8_t *at, pixel p, unsigned n)
{
    const eight_bytes v = __builtin_convertvector(p, eight_bytes);

    memcpy(at, &v, n);
}

static inline pixel choose(pixel mask, pixel yes, pixel no) { return (mask & yes) | (~mask & no); }
static inline pixel size_of(pixel v) { return choose(v < 0, -v, v); }

static inline pixel predict(pixel a, pixel b, pixel c) /* Paeth */
{
    pixel from_a = size_of(b - c), from_b = size_of(a - c), from_c = size_of(a + b - c - c);
    pixel is_b = from_b < from_a, best = choose(is_b, from_b, from_a);

    return choose(from_c < best, c, choose(is_b, b, a));
}

/* n: bytes of a pixel, a constant of the caller. */
static inline void undo(unsigned filter, uint8_t *row, const uint8_t *above, size_t bytes, unsigned n)
{
    pixel left = {0}, corner = {0};

    for (size_t x = 0; x < bytes; x += n) {
        pixel up = load(above + x), guess = left;
        if (filter == 3) {
            guess = (left + up) >> 1;
        } else if (filter == 4) {
            guess = predict(left, up, corner);
            corner = up;
        }
        left = (load(row + x) + guess) & 0xFF;
        store(row + x, left, n);
    }
}

static inline void undo_by_left(unsigned filter, uint8_t *row, const uint8_t *above, size_t bytes, unsigned n)
{
    switch (filter) {
    case 1: undo(1, row, above, bytes, n); break;
    case 3: undo(3, row, above, bytes, n); break;
    default: undo(4, row, above, bytes, n); break;
    }
}

static void undo_up(uint8_t *restrict row, const uint8_t *restrict above, size_t bytes)
{
    for (size_t x = 0; x < bytes; x++) {
        row[x] = (uint8_t)(row[x] + above[x]);
    }
}

const uint8_t *wvl_io_fetch_png_row(wvl_io_png_pixels *p, uint32_t y)
{
    uint8_t *above = p->memory + (1 + p->row_bytes) * y + 1, *row = above + 1 + p->row_bytes;
    unsigned filter = row[-1];

    if (filter == 2) {
        undo_up(row, above, p->row_bytes);
    } else if (filter) {
        switch (p->pixel_bytes) {
        case 1: undo_by_left(filter, row, above, p->row_bytes, 1); break;
        case 2: undo_by_left(filter, row, above, p->row_bytes, 2); break;
        case 3: undo_by_left(filter, row, above, p->row_bytes, 3); break;
        case 4: undo_by_left(filter, row, above, p->row_bytes, 4); break;
        case 6: undo_by_left(filter, row, above, p->row_bytes, 6); break;
        default: undo_by_left(filter, row, above, p->row_bytes, 8); break;
        }
    }
    return row;
}

#else
int wvl_io_open_png_pixels(wvl_io_png_pixels *p, wvl_io_source *source, uint64_t from, uint64_t end)
{
    (void)p, (void)source, (void)from, (void)end;
    return 0;
}

void wvl_io_close_png_pixels(wvl_io_png_pixels *p) { (void)p; }

const uint8_t *wvl_io_fetch_png_row(wvl_io_png_pixels *p, uint32_t y)
{
    (void)y;
    return p->memory;
}
#endif
