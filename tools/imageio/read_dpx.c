/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DPX (SMPTE 268M): one image element of luma, RGB, RGBA, ABGR or 4:4:4 CbYCr, 8, 10, 12 or 16 bits,
 * packed or filled, either byte order. Samples are taken as stored: printing density stays what it is.
 */
#include "internal.h"

#include <stdlib.h>

#define NEEDED_BYTES 852u  /* file header, and the image header as far as its first element */
#define HEADER_BYTES 1664u /* file, image and orientation headers */
#define UNDEFINED UINT32_MAX

enum { PACKED = 0, FILLED_A = 1, FILLED_B = 2 };

typedef struct dpx_header {
    int big_endian;
    uint32_t width, height, orientation, sign, descriptor, transfer, colorimetric, depth, packing, encoding;
    uint32_t data_offset, line_padding, header_bytes;
    uint32_t samples_per_pixel;
} dpx_header;

static uint32_t samples_of_descriptor(uint32_t descriptor)
{
    switch (descriptor) {
    case 1:
    case 2:
    case 3:
    case 4:
    case 6: /* single colour, alpha, luma */ return 1;
    case 50:
    case 102: /* RGB, CbYCr 4:4:4 */ return 3;
    case 51:
    case 52: /* RGBA, ABGR */ return 4;
    default: return 0;
    }
}

/* Image information header and first image element: SMPTE 268M tables 1 and 2. */
static int parse_header(wvl_io_context *context, const uint8_t *head, dpx_header *h)
{
    int big = memcmp(head, "SDPX", 4) == 0;
    uint32_t elements = wvl_io_get16(head + 770, big);

    h->big_endian = big;
    h->orientation = wvl_io_get16(head + 768, big);
    h->width = wvl_io_get32(head + 772, big);
    h->height = wvl_io_get32(head + 776, big);
    h->sign = wvl_io_get32(head + 780, big);
    h->descriptor = head[800];
    h->transfer = head[801];
    h->colorimetric = head[802];
    h->depth = head[803];
    h->packing = wvl_io_get16(head + 804, big);
    h->encoding = wvl_io_get16(head + 806, big);
    h->data_offset = wvl_io_get32(head + 808, big);
    h->line_padding = wvl_io_get32(head + 812, big);
    if (h->data_offset == UNDEFINED || h->data_offset == 0) {
        h->data_offset = wvl_io_get32(head + 4, big);
    }
    h->header_bytes = wvl_io_get32(head + 24, big); /* of file, image and orientation headers */
    if (h->header_bytes < NEEDED_BYTES || h->header_bytes > HEADER_BYTES) {
        h->header_bytes = HEADER_BYTES;
    }
    /* Writers fill what they leave undefined with ones (SMPTE 268M); these fields have one sensible value. */
    h->line_padding = h->line_padding == UNDEFINED ? 0 : h->line_padding;
    h->encoding = h->encoding == UINT16_MAX ? 0 : h->encoding;
    if (h->depth == 8 || h->depth == 16) { /* whole bytes are not packed */
        h->packing = h->packing == UINT16_MAX ? PACKED : h->packing;
    }
    if (h->sign == UNDEFINED) {
        h->sign = 0;
        wvl_io_note(context, "data sign: undefined; the samples are read as unsigned");
    }
    h->samples_per_pixel = samples_of_descriptor(h->descriptor);
    if (elements != 1) {
        return wvl_io_fail(context, "%u image elements: exactly 1 is supported", elements);
    }
    if (h->samples_per_pixel == 0) {
        return wvl_io_fail(context,
                           "descriptor %u: supported are 1-4 and 6 (one component), 50 RGB, 51 RGBA, "
                           "52 ABGR, 102 CbYCr 4:4:4",
                           h->descriptor);
    }
    return 0;
}

static int check_header(wvl_io_context *context, const dpx_header *h)
{
    if (h->depth == 32 || h->depth == 64) {
        return wvl_io_fail(context, "bit depth %u: floating-point samples are not supported", h->depth);
    }
    if (h->depth != 8 && h->depth != 10 && h->depth != 12 && h->depth != 16) {
        return wvl_io_fail(context, "bit depth %u: supported are 8, 10, 12, 16", h->depth);
    }
    if (h->packing > FILLED_B) {
        return wvl_io_fail(context, "packing %u: must be 0 to 2", h->packing);
    }
    if (h->encoding != 0) {
        return wvl_io_fail(context, "encoding %u: only 0 (no run lengths) is supported", h->encoding);
    }
    if (h->sign > 1) {
        return wvl_io_fail(context, "data sign %u: must be 0 or 1", h->sign);
    }
    if (h->line_padding > 65536) {
        return wvl_io_fail(context, "end-of-line padding %u: the limit is 65536 bytes", h->line_padding);
    }
    if (h->data_offset < h->header_bytes) {
        return wvl_io_fail(context, "offset to image data %u: lies inside the header of %u bytes", h->data_offset,
                           h->header_bytes);
    }
    return 0;
}

static uint64_t samples_of_line(const dpx_header *h) { return (uint64_t)h->width * h->samples_per_pixel; }

/* Bytes of one line's samples, up to the last used bit rounded as the layout needs. samples < 2^35. */
static uint64_t line_bytes(const dpx_header *h, uint64_t samples)
{
    if (h->depth == 8) {
        return samples;
    }
    if (h->depth == 16 || (h->depth == 12 && h->packing != PACKED)) {
        return samples * 2;
    }
    if (h->depth == 10 && h->packing != PACKED) {
        return (samples + 2) / 3 * 4;
    }
    return (samples * h->depth + 31) / 32 * 4;
}

/* Packed words hold the first sample in their lowest bits, and a sample may span two of them. */
static void unpack_words(const uint8_t *line, const dpx_header *h, uint16_t *out, size_t count)
{
    uint64_t held = 0;
    unsigned bits = 0;

    for (size_t i = 0; i < count; i++) {
        if (bits < h->depth) {
            held |= (uint64_t)wvl_io_get32(line, h->big_endian) << bits;
            bits += 32;
            line += 4;
        }
        out[i] = (uint16_t)(held & ((1u << h->depth) - 1));
        held >>= h->depth;
        bits -= h->depth;
    }
}

/* Three 10-bit samples a word, two bits unused: the low ones in method A, the high ones in B. Of several
   components the first lies highest; a single component fills from the low end. */
static inline void unpack_word(uint32_t word, const dpx_header *h, uint16_t samples[3])
{
    word >>= h->packing == FILLED_A ? 2 : 0;
    uint16_t low = word & 0x3ff;
    uint16_t high = word >> 20 & 0x3ff;
    samples[0] = h->samples_per_pixel == 1 ? low : high;
    samples[1] = word >> 10 & 0x3ff;
    samples[2] = h->samples_per_pixel == 1 ? high : low;
}

static void unpack_filled_10(const uint8_t *line, const dpx_header *h, uint16_t *out, size_t count)
{
    const dpx_header layout = *h; /* a copy that `out` cannot change: its members stay in registers */
    uint16_t last[3];
    size_t i;

    for (i = 0; i + 3 <= count; i += 3, line += 4) {
        unpack_word(wvl_io_get32(line, layout.big_endian), &layout, out + i);
    }
    if (i < count) {
        unpack_word(wvl_io_get32(line, layout.big_endian), &layout, last);
        memcpy(out + i, last, (count - i) * sizeof *last);
    }
}

/* Unpacks samples of 10 or 12 bits. */
static void unpack_line(const uint8_t *line, const dpx_header *h, uint8_t *row, size_t count)
{
    uint16_t *wide = (uint16_t *)(void *)row; /* rows of 16-bit containers are 2-aligned in a malloc block */

    if (h->packing == PACKED) {
        unpack_words(line, h, wide, count);
    } else if (h->depth == 10) {
        unpack_filled_10(line, h, wide, count);
    } else {
        /* 16-bit words, 12 bits used: the high ones in method A, the low ones in B. */
        unsigned shift = h->packing == FILLED_A ? 4 : 0;

        for (size_t i = 0; i < count; i++) {
            wide[i] = (uint16_t)(wvl_io_get16(line + 2 * i, h->big_endian) >> shift & 0xfff);
        }
    }
    if (h->sign) {
        wvl_io_extend_signs(row, 2, h->depth, count);
    }
}

/*
 * Lines end on a 32-bit word, but some writers do not pad: taken so when the file is too short for the
 * padding and long enough without it.
 */
static int line_layout(wvl_io_context *context, const dpx_header *h, uint64_t *used, uint64_t *pitch)
{
    uint64_t here = wvl_io_source_position(&context->source), size = context->source.size;
    uint64_t left = size > here ? size - here : 0;

    *used = line_bytes(h, samples_of_line(h));
    uint64_t plain = *used + h->line_padding;
    *pitch = (*used + 3) / 4 * 4 + h->line_padding;
    if (size != WVL_IO_SIZE_UNKNOWN && *pitch * (h->height - 1) + *used > left &&
        plain * (h->height - 1) + *used <= left) {
        *pitch = plain;
    }
    return wvl_io_require_bytes(context, *pitch * (h->height - 1) + *used, "pixel data");
}

/* ---- Words that stay ------------------------------------------------------------------------- */

static const struct {
    uint32_t depth, packing;
    wvl_io_words words[2]; /* little-endian, big-endian */
} kept[] = {
    {10, FILLED_A, {WVL_IO_FILLED10_LE, WVL_IO_FILLED10_BE}},
    {12, FILLED_A, {WVL_IO_FILLED12_LE, WVL_IO_FILLED12_BE}},
    {10, PACKED, {WVL_IO_WORDS10_LE, WVL_IO_WORDS10_BE}},
    {12, PACKED, {WVL_IO_WORDS12_LE, WVL_IO_WORDS12_BE}},
    {16, PACKED, {WVL_IO_INTEGERS, WVL_IO_16_BE}}, /* the little-endian ones are integers already */
    {16, FILLED_A, {WVL_IO_INTEGERS, WVL_IO_16_BE}},
    {16, FILLED_B, {WVL_IO_INTEGERS, WVL_IO_16_BE}},
};
#define KEPT (sizeof kept / sizeof kept[0])

static const uint8_t *order_of_components(uint32_t descriptor);

/* Words lie in memory of the integers that would take their place. */
static wvl_io_words find_words(const wvl_io_context *context, const dpx_header *h)
{
    uint64_t samples = samples_of_line(h);
    int fills_upwards = h->samples_per_pixel == 1 && h->depth == 10 && h->packing != PACKED;
    if (!wvl_io_may_keep_words(context) || h->sign || fills_upwards || order_of_components(h->descriptor) ||
        line_bytes(h, samples) > 2 * samples) {
        return WVL_IO_INTEGERS;
    }
    for (size_t i = 0; i < KEPT; i++) {
        if (h->depth == kept[i].depth && h->packing == kept[i].packing) {
            return kept[i].words[h->big_endian];
        }
    }
    return WVL_IO_INTEGERS;
}

/* words: of DPX. */
static dpx_header describe_words(wvl_io_words words)
{
    dpx_header h = {.width = 0};
    for (size_t i = 0; i < 2 * KEPT; i++) {
        if (kept[i / 2].words[i % 2] == words) {
            h.depth = kept[i / 2].depth;
            h.packing = kept[i / 2].packing;
            h.big_endian = (int)(i % 2);
        }
    }
    return h;
}

size_t wvl_io_dpx_word_bytes(wvl_io_words words, uint64_t samples)
{
    dpx_header h = describe_words(words);

    return (size_t)line_bytes(&h, samples);
}

void wvl_io_dpx_expand_words(wvl_io_words words, const uint8_t *line, uint8_t *row, size_t samples)
{
    dpx_header h = describe_words(words);

    h.samples_per_pixel = 3; /* words of a single component that are filled the other way were not kept */
    unpack_line(line, &h, row, samples);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

typedef struct dpx_rows {
    dpx_header header;
    uint64_t used, pitch; /* bytes of a line: with samples, and to the next line */
    uint8_t *line;
} dpx_rows;

/* Rows whose bytes in the file are those of their samples, or become so by an exchange of bytes; without a gap between
   them all at once. */
static int read_in_place(wvl_io_context *context, uint32_t first, uint32_t end)
{
    dpx_rows *s = context->state;
    const dpx_header *h = &s->header;
    size_t used = (size_t)s->used, gap = (size_t)(s->pitch - s->used);
    uint32_t at_once = gap == 0 && used == context->buffers[0].pitch_bytes ? end - first : 1;

    for (uint32_t y = first; y < end; y += at_once) {
        uint8_t *row = wvl_io_pixels(context, y);
        if (wvl_io_read_bytes(context, row, used * at_once, "pixel data") != 0 ||
            (y + 1 < h->height && wvl_io_read_bytes(context, s->line, gap, "pixel data") != 0)) {
            return -1;
        }
        if (context->picture->words == WVL_IO_INTEGERS && h->depth == 16) {
            wvl_io_to_host_order(row, used / 2 * at_once, 2, h->big_endian);
        }
    }
    return 0;
}

static int read_rows(wvl_io_context *context, uint32_t first, uint32_t count)
{
    dpx_rows *s = context->state;
    const dpx_header *h = &s->header;

    if (context->picture->words || h->depth == 8 || h->depth == 16) {
        return read_in_place(context, first, first + count);
    }
    for (uint32_t y = first; y < first + count; y++) {
        size_t bytes = (size_t)(y + 1 < h->height ? s->pitch : s->used);
        if (wvl_io_read_bytes(context, s->line, bytes, "pixel data") != 0) {
            return -1;
        }
        unpack_line(s->line, h, wvl_io_pixels(context, y), (size_t)samples_of_line(h));
    }
    return 0;
}

/* ABGR and CbYCr into the order that everybody else uses: the descriptors move, the samples stay. */
static const uint8_t *order_of_components(uint32_t descriptor)
{
    static const uint8_t orders[2][4] = {{3, 2, 1, 0}, {1, 0, 2, 3}};

    return descriptor == 52 || descriptor == 102 ? orders[descriptor == 102] : NULL;
}

/*
 * SMPTE 268M tables 5A and 5B: 5 is SMPTE 274M and 6 ITU-R 709-4, 7 and 8 are ITU-R 601-5 of 625 and 525 lines. The
 * space is named by either field; printing densities and logarithmic data have none.
 */
static void name_space(wvl_io_picture *picture, const dpx_header *h)
{
    static const char *const spaces[9] = {NULL, NULL, NULL, NULL, NULL, "rec709", "rec709", "rec601-625", "rec601-525"};
    uint32_t code = h->transfer >= 5 && h->transfer <= 8 ? h->transfer : h->colorimetric;

    if (picture->color != WVL_IO_RGB || code > 8 || h->transfer == 1 || h->transfer == 3) {
        return;
    }
    picture->space = spaces[code];
    picture->transfer = h->transfer == 2 && spaces[code] ? "linear" : NULL;
}

/*
 * Texts of the file header (SMPTE 268M table 1) and, where the header is long enough, of the orientation header (table
 * 3). Undefined ones are empty or filled with 0xFF.
 */
static int take_texts(wvl_io_context *context, const uint8_t *header, size_t byte_count)
{
    static const struct {
        uint16_t at, byte_count;
        wvl_io_field field;
        const char *name;
    } texts[] = {
        {136, 24, WVL_IO_FIELD_CREATED, "creation time"}, {160, 100, WVL_IO_FIELD_SOFTWARE, "creator"},
        {260, 200, WVL_IO_FIELD_PROJECT, "project"},      {460, 200, WVL_IO_FIELD_COPYRIGHT, "copyright"},
        {1556, 32, WVL_IO_FIELD_MODEL, "input device"},   {1588, 32, WVL_IO_FIELD_SERIAL, "input device number"}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const uint8_t *p = header + texts[i].at;
        if ((size_t)texts[i].at + texts[i].byte_count <= byte_count && *p != 0xFF &&
            wvl_io_take_text(context, texts[i].field, texts[i].name, p, texts[i].byte_count) != 0) {
            return -1;
        }
    }
    return 0;
}

/* The header as far as the pixels, up to the end of the orientation header. */
static int read_texts(wvl_io_context *context, const uint8_t *head, const dpx_header *h)
{
    uint8_t header[HEADER_BYTES];
    size_t byte_count = h->data_offset < sizeof header ? h->data_offset : sizeof header;
    memcpy(header, head, NEEDED_BYTES);
    if (wvl_io_read_bytes(context, header + NEEDED_BYTES, byte_count - NEEDED_BYTES, "header") != 0) {
        return -1;
    }
    return take_texts(context, header, byte_count);
}

static int begin(wvl_io_context *context)
{
    dpx_rows *s = context->state;
    uint8_t head[NEEDED_BYTES];

    dpx_header *h = &s->header;
    if (wvl_io_read_bytes(context, head, sizeof head, "header") != 0 || parse_header(context, head, h) != 0 ||
        check_header(context, h) != 0 || read_texts(context, head, h) != 0 ||
        wvl_io_go_to(context, h->data_offset, "offset to image data") != 0 ||
        wvl_io_describe(context, h->width, h->height, h->samples_per_pixel, h->depth, (int)h->sign) != 0 ||
        line_layout(context, h, &s->used, &s->pitch) != 0) {
        return -1;
    }
    wvl_io_lay_out(context, 1);
    context->order = order_of_components(h->descriptor);
    wvl_io_settle_words(context, find_words(context, h), (size_t)s->used);
    context->held_bytes = s->pitch;
    static const uint8_t tiff_orientation[8] = {1, 2, 4, 3, 5, 6, 8, 7};
    wvl_io_picture *picture = context->picture;
    int alpha = h->samples_per_pixel == 4 ? 3 : -1;

    wvl_io_set_color(picture,
                     h->samples_per_pixel == 1 ? WVL_IO_GREY
                     : h->descriptor == 102    ? WVL_IO_YCC
                                               : WVL_IO_RGB,
                     0, alpha);
    if (h->orientation < 8) {
        picture->orientation = tiff_orientation[h->orientation];
    }
    name_space(picture, h);
    if (h->transfer == 1 || h->transfer == 3) {
        wvl_io_note(context, "transfer characteristic %u: %s", h->transfer,
                    h->transfer == 1 ? "printing density" : "logarithmic");
    } else if (h->transfer == 2) {
        wvl_io_note(context, "transfer characteristic 2: linear");
    }
    s->line = wvl_io_allocate(context, s->pitch, "line");
    return s->line ? 0 : -1;
}

static void release(wvl_io_context *context)
{
    dpx_rows *s = context->state;
    free(s->line);
}

const wvl_io_row_format wvl_io_dpx_rows = {begin, read_rows, NULL, release, sizeof(dpx_rows)};
