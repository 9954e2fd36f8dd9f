/* SPDX-License-Identifier: BSD-2-Clause */
#include "read_bmp.h"

enum { END_OF_LINE = 0, END_OF_PICTURE = 1, DELTA = 2 };

typedef struct run_pen {
    wvl_io_context *context;
    uint8_t *indices;
    size_t stride_bytes;
    uint32_t width, height;
    uint32_t padded_width; /* some writers code the padding of plain rows too; it is skipped */
    unsigned bits;         /* 4 or 8 */
    uint32_t x, y;         /* y counts from the bottom, as the runs do */
} run_pen;

static int next_byte(run_pen *pen)
{
    int c = wvl_io_source_byte(&pen->context->source);

    if (c < 0) {
        wvl_io_fail(pen->context, "run lengths: truncated: no end of picture");
    }
    return c;
}

static uint8_t *pen_row(const run_pen *pen)
{
    return pen->indices + (size_t)(pen->height - 1 - pen->y) * pen->stride_bytes;
}

static int check_room(run_pen *pen, uint32_t count)
{
    if (pen->y < pen->height && count <= pen->padded_width - pen->x) {
        return 0;
    }
    return wvl_io_fail(pen->context, "run lengths: %u pixels at column %u of line %u lie outside %u x %u", count,
                       pen->x, pen->y, pen->width, pen->height);
}

/* count pixels of one byte; with 4 bits its two halves take turns. */
static int draw_run(run_pen *pen, uint32_t count, unsigned value)
{
    if (check_room(pen, count) != 0) {
        return -1;
    }
    uint8_t *row = pen_row(pen) + pen->x;
    for (uint32_t i = 0; i < count && pen->x + i < pen->width; i++) {
        row[i] = (uint8_t)(pen->bits == 8 ? value : (i & 1) != 0 ? value & 15 : value >> 4);
    }
    pen->x += count;
    return 0;
}

/* count literal pixels, padded to an even number of bytes. */
static int draw_literal(run_pen *pen, uint32_t count)
{
    uint32_t byte_count = pen->bits == 8 ? count : (count + 1) / 2, padded = (byte_count + 1) & ~1u;
    uint32_t per_byte = 8 / pen->bits;

    if (check_room(pen, count) != 0) {
        return -1;
    }
    for (uint32_t i = 0; i < padded; i++) {
        int c = next_byte(pen);
        uint32_t left = i < byte_count ? count - i * per_byte : 0;

        if (c < 0 || (left != 0 && draw_run(pen, left < per_byte ? left : per_byte, (unsigned)c) != 0)) {
            return -1;
        }
    }
    return 0;
}

static int move_pen(run_pen *pen)
{
    int right = next_byte(pen), up = right < 0 ? -1 : next_byte(pen);

    if (up < 0) {
        return -1;
    }
    if ((uint32_t)right > pen->padded_width - pen->x || (uint32_t)up > pen->height - pen->y) {
        return wvl_io_fail(pen->context, "run lengths: a move of %d, %d from column %u of line %u leaves the picture",
                           right, up, pen->x, pen->y);
    }
    pen->x += (uint32_t)right;
    pen->y += (uint32_t)up;
    return 0;
}

static int start_line(run_pen *pen)
{
    if (pen->y >= pen->height) {
        return wvl_io_fail(pen->context, "run lengths: more than %u lines", pen->height);
    }
    pen->x = 0;
    pen->y++;
    return 0;
}

int wvl_io_decode_bmp_runs(wvl_io_context *context, const bmp_header *h, uint8_t *indices, size_t stride_bytes)
{
    run_pen pen = {context, indices, stride_bytes, h->width, h->height, 0, h->bits, 0, 0};
    uint32_t per_word = 32 / h->bits;

    pen.padded_width = (h->width + per_word - 1) / per_word * per_word; /* width < 2^31 */
    for (;;) {
        int count = next_byte(&pen), value = count < 0 ? -1 : next_byte(&pen), result;

        if (value < 0) {
            return -1;
        }
        if (count == 0 && value == END_OF_PICTURE) {
            return 0;
        }
        if (count != 0) {
            result = draw_run(&pen, (uint32_t)count, (unsigned)value);
        } else if (value == END_OF_LINE) {
            result = start_line(&pen);
        } else if (value == DELTA) {
            result = move_pen(&pen);
        } else {
            result = draw_literal(&pen, (uint32_t)value);
        }
        if (result != 0) {
            return -1;
        }
    }
}
