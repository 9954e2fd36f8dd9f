/* SPDX-License-Identifier: BSD-2-Clause */
/* BMP: OS/2 and Windows headers, 1 to 32 bits, bit fields, RLE4 and RLE8. 5- and 6-bit fields keep their depth. */
#include "internal.h"

#include <stdlib.h>

enum { BI_RGB = 0, BI_RLE8 = 1, BI_RLE4 = 2, BI_BITFIELDS = 3, BI_ALPHABITFIELDS = 6 };

#define FILE_HEADER_BYTES 14u
#define LARGEST_HEADER 124u
/* Run-length data can skip pixels, so no claim follows from the file's size; more than this many pixels a byte
   is no picture. */
#define RLE_PIXELS_PER_BYTE 1024u

typedef struct bmp_header {
    uint32_t header_bytes, width, height, planes, bits, compression, colors;
    uint32_t x_per_metre, y_per_metre;
    uint32_t palette_entry_bytes;
    uint32_t masks[4];
    int top_down, is_srgb;
    uint64_t data_offset, profile_offset;
    uint32_t profile_bytes;
} bmp_header;

/* Heights are two's complement: negative means that the first row is the top one. */
static void parse_info(const uint8_t *p, bmp_header *h)
{
    uint32_t height = wvl_io_le32(p + 8);

    h->width = wvl_io_le32(p + 4);
    h->top_down = height >> 31 != 0;
    h->height = h->top_down ? 0u - height : height;
    h->planes = wvl_io_le16(p + 12);
    h->bits = wvl_io_le16(p + 14);
    h->compression = wvl_io_le32(p + 16);
    h->x_per_metre = wvl_io_le32(p + 24);
    h->y_per_metre = wvl_io_le32(p + 28);
    h->colors = wvl_io_le32(p + 32);
    h->palette_entry_bytes = 4;
}

static int read_header(wvl_io_context *context, bmp_header *h)
{
    uint8_t head[FILE_HEADER_BYTES + 4], info[LARGEST_HEADER + 12];

    memset(h, 0, sizeof *h);
    memset(info, 0, sizeof info);
    if (wvl_io_read_bytes(context, head, sizeof head, "header") != 0) {
        return -1;
    }
    h->data_offset = wvl_io_le32(head + 10);
    h->header_bytes = wvl_io_le32(head + FILE_HEADER_BYTES);
    if (h->header_bytes != 12 && h->header_bytes != 40 && h->header_bytes != 52 && h->header_bytes != 56 &&
        h->header_bytes != 64 && h->header_bytes != 108 && h->header_bytes != 124) {
        return wvl_io_fail(context, "header size %u: known are 12, 40, 52, 56, 64, 108, 124", h->header_bytes);
    }
    if (wvl_io_read_bytes(context, info + 4, h->header_bytes - 4, "header") != 0) {
        return -1;
    }
    if (h->header_bytes == 12) {
        h->width = wvl_io_le16(info + 4);
        h->height = wvl_io_le16(info + 6);
        h->planes = wvl_io_le16(info + 8);
        h->bits = wvl_io_le16(info + 10);
        h->palette_entry_bytes = 3;
    } else {
        parse_info(info, h);
    }
    if (h->header_bytes == 64 && h->compression >= BI_BITFIELDS) {
        return wvl_io_fail(context, "compression %u: OS/2 Huffman and 24-bit run lengths are not supported",
                           h->compression);
    }
    int has_masks = h->header_bytes >= 52 && h->header_bytes != 64;
    if (h->header_bytes == 40 && (h->compression == BI_BITFIELDS || h->compression == BI_ALPHABITFIELDS)) {
        has_masks = 1;
        if (wvl_io_read_bytes(context, info + 40, h->compression == BI_BITFIELDS ? 12 : 16, "bit field masks") != 0) {
            return -1;
        }
    }
    for (unsigned k = 0; has_masks && k < (h->header_bytes == 52 ? 3 : 4); k++) {
        h->masks[k] = wvl_io_le32(info + 40 + 4 * k);
    }
    if (h->header_bytes >= 108) {
        /* V4 and V5: colour space type at 56, the V5 profile's offset from the information header at 112. */
        static const uint8_t srgb[4] = {'B', 'G', 'R', 's'}, embedded[4] = {'D', 'E', 'B', 'M'};

        h->is_srgb = memcmp(info + 56, srgb, 4) == 0;
        if (h->header_bytes == 124 && memcmp(info + 56, embedded, 4) == 0) {
            h->profile_offset = (uint64_t)wvl_io_le32(info + 112) + FILE_HEADER_BYTES;
            h->profile_bytes = wvl_io_le32(info + 116);
        }
    }
    return 0;
}

static int is_known_layout(const bmp_header *h)
{
    switch (h->compression) {
    case BI_RGB: return h->bits == 1 || h->bits == 4 || h->bits == 8 || h->bits == 16 || h->bits == 24 || h->bits == 32;
    case BI_RLE8: return h->bits == 8 && !h->top_down;
    case BI_RLE4: return h->bits == 4 && !h->top_down;
    case BI_BITFIELDS:
    case BI_ALPHABITFIELDS: return h->bits == 16 || h->bits == 32;
    default: return 0;
    }
}

static int check_header(wvl_io_context *context, const bmp_header *h)
{
    if (h->planes != 1) {
        return wvl_io_fail(context, "planes %u: must be 1", h->planes);
    }
    if (h->width > INT32_MAX) {
        return wvl_io_fail(context, "width %d: must be positive", (int)(h->width - UINT32_MAX) - 1);
    }
    if (h->data_offset < wvl_io_source_position(&context->source)) {
        return wvl_io_fail(context, "offset to pixel data %llu: lies inside the headers, which end at %llu",
                           (unsigned long long)h->data_offset,
                           (unsigned long long)wvl_io_source_position(&context->source));
    }
    if (!is_known_layout(h)) {
        return wvl_io_fail(context,
                           "%u bits with compression %u%s: supported are 1, 4, 8, 16, 24, 32 plain, 8 and 4 "
                           "with run lengths bottom-up (1, 2), 16 and 32 with bit fields (3, 6)",
                           h->bits, h->compression, h->top_down ? ", top-down" : "");
    }
    return 0;
}

/* Up to 2^bits entries lie between the header and the pixels; colors 0 stands for all. */
static int read_palette(wvl_io_context *context, const bmp_header *h, wvl_io_palette *palette)
{
    uint32_t most = 1u << h->bits, entries = h->colors != 0 && h->colors < most ? h->colors : most;
    uint64_t here = wvl_io_source_position(&context->source);
    uint64_t room = h->data_offset > here ? (h->data_offset - here) / h->palette_entry_bytes : 0;
    uint8_t bytes[256 * 4];
    int is_grey = 1;

    if (h->colors > 65536) {
        return wvl_io_fail(context, "palette of %u colours: at most %u can be used", h->colors, most);
    }
    if (h->colors == 0 && room < entries) {
        entries = (uint32_t)room; /* OS/2 files may hold fewer than all */
    }
    if (entries == 0 || entries > room) {
        return wvl_io_fail(context, "palette of %u colours: %llu fit before the pixel data", entries,
                           (unsigned long long)room);
    }
    if (wvl_io_read_bytes(context, bytes, (size_t)entries * h->palette_entry_bytes, "palette") != 0) {
        return -1;
    }
    if (wvl_io_make_palette(context, palette, entries, 3, 8) != 0) {
        return -1;
    }
    for (uint32_t i = 0; i < entries; i++) {
        const uint8_t *e = bytes + (size_t)i * h->palette_entry_bytes;

        for (uint32_t k = 0; k < 3; k++) {
            palette->values[3 * i + k] = e[2 - k];
        }
        is_grey = is_grey && e[0] == e[1] && e[1] == e[2];
    }
    /* The only way for a BMP to be grey. */
    if (is_grey && !context->options.keep_palette) {
        for (uint32_t i = 0; i < entries; i++) {
            palette->values[i] = palette->values[3 * i];
        }
        palette->columns = 1;
    }
    return 0;
}

/* ---- Run lengths ----------------------------------------------------------------------------- */

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

/* Decodes RLE4 or RLE8 data from the present position into one byte an index; row 0 of indices is the top. */
static int decode_runs(wvl_io_context *context, const bmp_header *h, uint8_t *indices, size_t stride_bytes)
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

/* ---- Rows ------------------------------------------------------------------------------------ */

typedef struct bmp_rows {
    bmp_header header;
    uint64_t pitch; /* bytes of a line: < 2^33 */
    uint8_t *line;
    wvl_io_palette palette;
    uint32_t masks[4]; /* of direct pixels */
    unsigned shifts[4];
} bmp_rows;

static uint64_t data_bytes(const bmp_rows *s) { return s->pitch * s->header.height; } /* height <= 2^31 */

static int begin_runs(wvl_io_context *context, const bmp_header *h)
{
    uint64_t size = context->source.size, pixels = (uint64_t)h->width * h->height;

    if (size != WVL_IO_SIZE_UNKNOWN && pixels / RLE_PIXELS_PER_BYTE > size) {
        return wvl_io_fail(context, "size %u x %u: the file's %llu bytes cannot hold this picture", h->width, h->height,
                           (unsigned long long)size);
    }
    context->needs_all = "run lengths may skip rows; convert the picture to BMP without compression";
    return 0;
}

static int begin_indexed(wvl_io_context *context, bmp_rows *s)
{
    const bmp_header *h = &s->header;

    if (read_palette(context, h, &s->palette) != 0 ||
        wvl_io_go_to(context, h->data_offset, "offset to pixel data") != 0 ||
        (h->compression == BI_RGB ? wvl_io_require_bytes(context, data_bytes(s), "pixel data")
                                  : begin_runs(context, h)) != 0 ||
        wvl_io_describe_indexed(context, h->width, h->height, h->bits, &s->palette) != 0) {
        return -1;
    }
    wvl_io_settle_palette(context, &s->palette);
    return 0;
}

static int read_runs(wvl_io_context *context, const bmp_rows *s)
{
    const bmp_header *h = &s->header;
    const wvl_io_component *first = &context->picture->components[0];

    memset(first->data, 0, first->stride_bytes * h->height); /* pixels that are skipped have index 0 */
    if (decode_runs(context, h, first->data, first->stride_bytes) != 0) {
        return -1;
    }
    for (uint32_t y = 0; y < h->height; y++) {
        if (wvl_io_finish_indexed_row(context, y, 1, &s->palette) != 0) {
            return -1;
        }
    }
    return 0;
}

static int read_line(wvl_io_context *context, const bmp_rows *s, uint32_t row)
{
    const bmp_header *h = &s->header;

    if (wvl_io_read_bytes(context, s->line, (size_t)s->pitch, "pixel data") != 0) {
        return -1;
    }
    if (h->bits > 8) {
        wvl_io_unpack_fields(context, row, s->line, h->bits / 8, s->masks, s->shifts);
        return 0;
    }
    wvl_io_unpack_bits(s->line, h->bits, wvl_io_row(context, 0, row), 1, h->width);
    return wvl_io_finish_indexed_row(context, row, 1, &s->palette);
}

/* Lines in the order of the file: where the first one is the bottom, a portion is read from its last row on. */
static int read_rows(wvl_io_context *context, uint32_t first, uint32_t count)
{
    const bmp_rows *s = context->state;
    const bmp_header *h = &s->header;
    uint64_t line = h->top_down ? first : h->height - first - count;

    if (h->compression == BI_RLE4 || h->compression == BI_RLE8) {
        return read_runs(context, s);
    }
    if (wvl_io_go_to(context, h->data_offset + line * s->pitch, "pixel data") != 0) {
        return -1;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (read_line(context, s, h->top_down ? first + i : first + count - 1 - i) != 0) {
            return -1;
        }
    }
    return 0;
}

static int measure_mask(wvl_io_context *context, uint32_t mask, unsigned bits, unsigned k, unsigned *shift,
                        unsigned *depth)
{
    static const char *const names[] = {"red", "green", "blue", "alpha"};

    *shift = *depth = 0;
    while (mask != 0 && (mask >> *shift & 1) == 0) {
        ++*shift;
    }
    while (*shift + *depth < 32 && (mask >> (*shift + *depth) & 1) != 0) {
        ++*depth;
    }
    if (*depth == 0 || *depth > 16 || *shift + *depth > bits || mask != ((1u << *depth) - 1) << *shift) {
        return wvl_io_fail(context, "%s mask 0x%08x: must be 1 to 16 adjacent bits of %u", names[k], mask, bits);
    }
    return 0;
}

static int describe_fields(wvl_io_context *context, const bmp_header *h, const uint32_t *masks, unsigned *shifts)
{
    unsigned n = masks[3] != 0 ? 4 : 3, depth;
    int mixed = 0;

    if (wvl_io_describe(context, h->width, h->height, n, 8, 0) != 0) {
        return -1;
    }
    for (unsigned k = 0; k < n; k++) {
        wvl_io_component *component = &context->picture->components[k];

        if (measure_mask(context, masks[k], h->bits, k, &shifts[k], &depth) != 0) {
            return -1;
        }
        component->depth = (uint8_t)depth;
        component->sample_bytes = wvl_io_container_bytes(depth);
        mixed |= component->sample_bytes != context->picture->components[0].sample_bytes;
    }
    wvl_io_set_color(context->picture, WVL_IO_RGB, 0, n == 4 ? 3 : -1);
    if (h->bits == 32 && h->compression == BI_RGB) {
        wvl_io_note(context, "the fourth byte of each pixel is undefined and left out");
    }
    wvl_io_lay_out(context, !mixed);
    return 0;
}

static int begin_direct(wvl_io_context *context, bmp_rows *s)
{
    const bmp_header *h = &s->header;

    /* Masks where the header gives none: 5-5-5 and 8-8-8. */
    static const uint32_t by_16[4] = {0x7c00, 0x03e0, 0x001f, 0}, by_32[4] = {0xff0000, 0x00ff00, 0x0000ff, 0};

    if (h->compression == BI_RGB) {
        memcpy(s->masks, h->bits == 16 ? by_16 : by_32, 4 * sizeof *s->masks);
    } else {
        memcpy(s->masks, h->masks, 4 * sizeof *s->masks);
    }
    return wvl_io_go_to(context, h->data_offset, "offset to pixel data") != 0 ||
                   wvl_io_require_bytes(context, data_bytes(s), "pixel data") != 0
               ? -1
               : describe_fields(context, h, s->masks, s->shifts);
}

static int read_profile(wvl_io_context *context, const bmp_header *h)
{
    if (h->profile_bytes == 0) {
        return 0;
    }
    if (wvl_io_go_to(context, h->profile_offset, "ICC profile") != 0 ||
        wvl_io_require_bytes(context, h->profile_bytes, "ICC profile") != 0) {
        return -1;
    }
    uint8_t *bytes = wvl_io_allocate(context, h->profile_bytes, "ICC profile");
    if (!bytes) {
        return -1;
    }
    int result = wvl_io_read_bytes(context, bytes, h->profile_bytes, "ICC profile");
    TRY(result, wvl_io_take_icc(context, bytes, h->profile_bytes));
    free(bytes);
    return result;
}

/* A profile within the headers or the pixels is none. How long run lengths are is not known. */
static void judge_profile(wvl_io_context *context, bmp_rows *s, uint64_t headers_end)
{
    bmp_header *h = &s->header;
    int has_runs = h->compression == BI_RLE4 || h->compression == BI_RLE8;
    uint64_t pixels_end = h->data_offset + (has_runs ? 0 : data_bytes(s)), end = h->profile_offset + h->profile_bytes;

    if (h->profile_bytes == 0 ||
        (h->profile_offset >= headers_end && (end <= h->data_offset || h->profile_offset >= pixels_end))) {
        return;
    }
    wvl_io_note(context, "the ICC profile is left out: it would lie inside the headers or the pixels");
    h->profile_bytes = 0;
}

static void release(wvl_io_context *context)
{
    bmp_rows *s = context->state;

    free(s->line);
    free(s->palette.values);
}

static int begin(wvl_io_context *context)
{
    wvl_io_picture *picture = context->picture;
    bmp_rows *s = context->state;

    bmp_header *h = &s->header;
    if (read_header(context, h) != 0 || check_header(context, h) != 0) {
        return -1;
    }
    s->pitch = ((uint64_t)h->width * h->bits + 31) / 32 * 4;
    judge_profile(context, s, wvl_io_source_position(&context->source));
    if ((h->bits <= 8 ? begin_indexed(context, s) : begin_direct(context, s)) != 0) {
        return -1;
    }
    if (!h->top_down && !context->source.seekable && !context->needs_all) {
        context->needs_all = "the file begins with the bottom row, and a pipe cannot be rewound; give a file";
    }
    picture->color_declared = h->is_srgb;
    if (h->x_per_metre <= INT32_MAX && h->y_per_metre <= INT32_MAX) {
        wvl_io_take_resolution(context, h->x_per_metre, h->y_per_metre);
    }
    context->held_bytes = s->pitch;
    s->line = wvl_io_allocate(context, s->pitch, "line");
    /* The description is complete before the pixels where the file can be sought in. */
    return s->line && (!context->source.seekable || read_profile(context, h) == 0) ? 0 : -1;
}

/* Behind the pixels, where the profile of a pipe lies. */
static int end(wvl_io_context *context)
{
    const bmp_rows *s = context->state;
    const bmp_header *h = &s->header;

    if ((h->compression == BI_RGB || h->bits > 8) &&
        wvl_io_go_to(context, h->data_offset + data_bytes(s), "pixel data") != 0) {
        return -1;
    }
    if (!context->picture->icc || h->profile_bytes == 0) {
        return read_profile(context, h);
    }
    return wvl_io_go_to(context, h->profile_offset + h->profile_bytes, "ICC profile");
}

const wvl_io_row_format wvl_io_bmp_rows = {begin, read_rows, end, release, sizeof(bmp_rows)};
