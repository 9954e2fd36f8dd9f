/* SPDX-License-Identifier: BSD-2-Clause */
/* PBM, PGM, PPM, text and binary, and PAM. Depth is the bits of maxval; samples are not rescaled. */
#include "internal.h"

#include <stdio.h>

#define MAXVAL_LIMIT 65535u

static unsigned bits_of(uint32_t maxval)
{
    unsigned bits = 0;

    for (; maxval != 0; maxval >>= 1) {
        bits++;
    }
    return bits;
}

static int is_space(int c) { return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r'; }

/* To the end of the line, which counts as white space. */
static void skip_comment(wvl_io_source *source)
{
    int c;

    do {
        c = wvl_io_source_byte(source);
    } while (c >= 0 && c != '\n' && c != '\r');
}

/* Next byte that is neither white space nor in a comment, or -1. */
static int next_mark(wvl_io_source *source)
{
    int c = wvl_io_source_byte(source);

    while (c == '#' || is_space(c)) {
        if (c == '#') {
            skip_comment(source);
        }
        c = wvl_io_source_byte(source);
    }
    return c;
}

/* A decimal number and the one byte behind it. */
static int read_number(wvl_io_context *context, const char *field, uint32_t *value)
{
    int c = next_mark(&context->source);
    uint64_t number = 0;

    if (c < 0) {
        return wvl_io_fail(context, "%s: truncated: the file ends before it", field);
    }
    if (c < '0' || c > '9') {
        return wvl_io_fail(context, "%s: byte 0x%02x instead of a decimal number", field, (unsigned)c);
    }
    for (; c >= '0' && c <= '9'; c = wvl_io_source_byte(&context->source)) {
        number = number * 10 + (uint64_t)(c - '0');
        if (number > UINT32_MAX) {
            return wvl_io_fail(context, "%s: more than the limit of 4294967295", field);
        }
    }
    if (c >= 0 && !is_space(c) && c != '#') {
        return wvl_io_fail(context, "%s: byte 0x%02x after the number", field, (unsigned)c);
    }
    if (c == '#') {
        skip_comment(&context->source);
    }
    *value = (uint32_t)number;
    return 0;
}

/* The form of the rows. */
typedef struct pnm_rows {
    uint32_t samples, maxval; /* samples: of a pixel */
    uint8_t type;             /* the digit: '1' to '7' */
} pnm_rows;

/* Rows without a gap between them all at once. */
static int read_binary_rows(wvl_io_context *context, const pnm_rows *s, uint32_t first_row, uint32_t end)
{
    const wvl_io_component *first = &context->picture->components[0];
    size_t count = (size_t)first->width * s->samples, bytes = count * first->sample_bytes;
    uint32_t at_once = context->buffers[0].pitch_bytes == bytes ? end - first_row : 1;

    for (uint32_t y = first_row; y < end; y += at_once) {
        uint8_t *row = wvl_io_pixels(context, y);
        if (wvl_io_read_bytes(context, row, bytes * at_once, "pixel data") != 0) {
            return -1;
        }
        if (!context->picture->words) {
            wvl_io_to_host_order(row, count * at_once, first->sample_bytes, 1);
        }
    }
    for (uint32_t y = first_row; s->maxval != 255 && s->maxval != MAXVAL_LIMIT && y < end; y++) {
        uint32_t highest = wvl_io_highest(wvl_io_pixels(context, y), count, first->sample_bytes);
        if (highest > s->maxval) {
            return wvl_io_fail(context, "row %u: sample %u is more than maxval %u", y, highest, s->maxval);
        }
    }
    return 0;
}

static int read_text_row(wvl_io_context *context, uint8_t *row, size_t count, unsigned bytes, uint32_t maxval)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t value;

        if (read_number(context, "pixel data", &value) != 0) {
            return -1;
        }
        if (value > maxval) {
            return wvl_io_fail(context, "pixel data: sample %u is more than maxval %u", value, maxval);
        }
        wvl_io_store(row + bytes * i, bytes, value);
    }
    return 0;
}

/* PBM text needs no white space between its digits; 1 is black. */
static int read_bit_row(wvl_io_context *context, uint8_t *row, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int c = next_mark(&context->source);

        if (c < 0) {
            return wvl_io_fail(context, "pixel data: truncated: the file ends before its last sample");
        }
        if (c != '0' && c != '1') {
            return wvl_io_fail(context, "pixel data: byte 0x%02x instead of 0 or 1", (unsigned)c);
        }
        row[i] = c == '0';
    }
    return 0;
}

/* P4: rows of whole bytes, first sample in the top bit, 1 is black. */
static int read_packed_row(wvl_io_context *context, uint8_t *row, size_t width)
{
    size_t packed_bytes = (width + 7) / 8, x;
    uint8_t *packed = row + (width - packed_bytes);

    /* Packed bytes wait at the row's end: sample x is written at x, and byte x / 8 lies at or beyond it. */
    if (wvl_io_read_bytes(context, packed, packed_bytes, "pixel data") != 0) {
        return -1;
    }
    for (x = 0; x < width; x += 8) {
        unsigned eight = packed[x / 8] ^ 0xffu;

        for (unsigned k = 0; k < 8 && x + k < width; k++) {
            row[x + k] = (uint8_t)(eight >> (7 - k) & 1u);
        }
    }
    return 0;
}

static int read_row(wvl_io_context *context, const pnm_rows *s, uint32_t y)
{
    const wvl_io_component *first = &context->picture->components[0];
    uint8_t *row = wvl_io_pixels(context, y);
    size_t count = (size_t)first->width * s->samples;

    switch (s->type) {
    case '1': return read_bit_row(context, row, count);
    case '2':
    case '3': return read_text_row(context, row, count, first->sample_bytes, s->maxval);
    default: return read_packed_row(context, row, count);
    }
}

static int read_rows(wvl_io_context *context, uint32_t first, uint32_t count)
{
    const pnm_rows *s = context->state;

    if (s->type >= '5') {
        return read_binary_rows(context, s, first, first + count);
    }
    for (uint32_t y = first; y < first + count; y++) {
        if (read_row(context, s, y) != 0) {
            return -1;
        }
    }
    return 0;
}

/* Fewest bytes of the body. In text, a sample is a digit, and but for bitmaps a space before all save the first. */
static uint64_t least_bytes(const wvl_io_picture *picture, uint8_t type)
{
    uint64_t samples = wvl_io_sample_count(picture);

    switch (type) {
    case '1': return samples;
    case '2':
    case '3': return samples * 2 - 1;
    case '4': return ((uint64_t)picture->width + 7) / 8 * picture->height;
    default: return samples * picture->components[0].sample_bytes;
    }
}

/* Describes, and checks the claim against the file. */
static int begin_rows(wvl_io_context *context, uint8_t type, uint32_t width, uint32_t height, uint32_t n,
                      uint32_t maxval)
{
    pnm_rows *s = context->state;

    *s = (pnm_rows){n, maxval, type};
    if (wvl_io_describe(context, width, height, n, bits_of(maxval), 0) != 0 ||
        wvl_io_require_bytes(context, least_bytes(context->picture, type), "pixel data") != 0) {
        return -1;
    }
    wvl_io_lay_out(context, 1);
    if (type >= '5' && maxval == MAXVAL_LIMIT && wvl_io_may_keep_words(context)) {
        wvl_io_settle_words(context, WVL_IO_16_BE, context->picture->components[0].stride_bytes);
    }
    return 0;
}

static int begin_pnm(wvl_io_context *context)
{
    uint32_t width, height, maxval = 1;
    uint8_t type[2];

    if (wvl_io_read_bytes(context, type, 2, "header") != 0) {
        return -1;
    }
    if (type[0] != 'P' || type[1] < '1' || type[1] > '6') {
        return wvl_io_fail(context, "header: does not begin with P1 to P6");
    }
    uint32_t n = type[1] == '3' || type[1] == '6' ? 3 : 1;
    if (read_number(context, "width", &width) != 0 || read_number(context, "height", &height) != 0) {
        return -1;
    }
    if (type[1] != '1' && type[1] != '4' && read_number(context, "maxval", &maxval) != 0) {
        return -1;
    }
    if (maxval == 0 || maxval > MAXVAL_LIMIT) {
        return wvl_io_fail(context, "maxval %u: must be 1 to %u", maxval, MAXVAL_LIMIT);
    }
    if (begin_rows(context, type[1], width, height, n, maxval) != 0) {
        return -1;
    }
    wvl_io_set_color(context->picture, n == 3 ? WVL_IO_RGB : WVL_IO_GREY, 0, -1);
    return 0;
}

const wvl_io_row_format wvl_io_pnm_rows = {begin_pnm, read_rows, NULL, NULL, sizeof(pnm_rows)};

typedef struct pam_header {
    uint32_t width, height, depth, maxval;
    char type[64];
} pam_header;

/* One line without its end, cut to fit. -1 at the end of the file. */
static int read_line(wvl_io_source *source, char *line, size_t room)
{
    size_t used = 0;
    int c = wvl_io_source_byte(source);

    if (c < 0) {
        return -1;
    }
    for (; c >= 0 && c != '\n'; c = wvl_io_source_byte(source)) {
        if (used + 1 < room) {
            line[used++] = (char)c;
        }
    }
    while (used != 0 && is_space(line[used - 1])) {
        used--;
    }
    line[used] = '\0';
    return 0;
}

static int take_pam_number(wvl_io_context *context, const char *key, const char *text, uint32_t *value)
{
    const char *p = wvl_io_parse_number(text, value);
    if (!p || *p != '\0' || *value == 0) {
        return wvl_io_fail(context, "%s: \"%.40s\" is not a number of 1 to 4294967295", key, text);
    }
    return 0;
}

static int take_pam_line(wvl_io_context *context, char *line, pam_header *header)
{
    size_t key_length = strcspn(line, " \t");
    char *text = line + key_length + strspn(line + key_length, " \t");
    size_t used = strlen(header->type);

    line[key_length] = '\0'; /* text begins after it, or both are the closing zero */
    if (line[0] == '\0' || line[0] == '#') {
        return 0;
    }
    if (strcmp(line, "WIDTH") == 0) {
        return take_pam_number(context, line, text, &header->width);
    }
    if (strcmp(line, "HEIGHT") == 0) {
        return take_pam_number(context, line, text, &header->height);
    }
    if (strcmp(line, "DEPTH") == 0) {
        return take_pam_number(context, line, text, &header->depth);
    }
    if (strcmp(line, "MAXVAL") == 0) {
        return take_pam_number(context, line, text, &header->maxval);
    }
    if (strcmp(line, "TUPLTYPE") != 0) {
        return wvl_io_fail(context, "header: unknown line \"%.40s\"", line);
    }
    snprintf(header->type + used, sizeof header->type - used, "%s%s", used != 0 ? " " : "", text);
    return 0;
}

static int read_pam_header(wvl_io_context *context, pam_header *header)
{
    char line[256];

    memset(header, 0, sizeof *header);
    if (read_line(&context->source, line, sizeof line) != 0 || strcmp(line, "P7") != 0) {
        return wvl_io_fail(context, "header: does not begin with a line P7");
    }
    for (;;) {
        if (read_line(&context->source, line, sizeof line) != 0) {
            return wvl_io_fail(context, "header: truncated: no ENDHDR line");
        }
        if (strcmp(line, "ENDHDR") == 0) {
            break;
        }
        if (take_pam_line(context, line, header) != 0) {
            return -1;
        }
    }
    if (header->width == 0 || header->height == 0 || header->depth == 0 || header->maxval == 0) {
        return wvl_io_fail(context, "header: WIDTH, HEIGHT, DEPTH and MAXVAL must all be given");
    }
    if (header->maxval > MAXVAL_LIMIT) {
        return wvl_io_fail(context, "MAXVAL %u: must be 1 to %u", header->maxval, MAXVAL_LIMIT);
    }
    return 0;
}

static int begin_pam(wvl_io_context *context)
{
    pam_header header;

    if (read_pam_header(context, &header) != 0 ||
        begin_rows(context, '7', header.width, header.height, header.depth, header.maxval) != 0) {
        return -1;
    }
    /* The tuple types of the format's definition, and what Ghostscript adds. Others are just bands. */
    static const struct {
        const char *type;
        uint32_t depth;
        wvl_io_color color;
    } types[] = {
        {"BLACKANDWHITE", 1, WVL_IO_GREY},
        {"GRAYSCALE", 1, WVL_IO_GREY},
        {"RGB", 3, WVL_IO_RGB},
        {"CMYK", 4, WVL_IO_CMYK},
    };

    wvl_io_set_color(context->picture,
                     header.type[0] != '\0' ? WVL_IO_UNKNOWN
                     : header.depth == 1    ? WVL_IO_GREY
                     : header.depth == 3    ? WVL_IO_RGB
                                            : WVL_IO_UNKNOWN,
                     0, -1);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        size_t length = strlen(types[i].type);
        int alpha = strcmp(header.type + (strlen(header.type) >= length ? length : 0), "_ALPHA") == 0;

        if (strncmp(header.type, types[i].type, length) != 0 || (!alpha && header.type[length] != '\0')) {
            continue;
        }
        if (header.depth != types[i].depth + (uint32_t)alpha) {
            return wvl_io_fail(context, "DEPTH %u: TUPLTYPE %s has %u", header.depth, header.type,
                               types[i].depth + (uint32_t)alpha);
        }
        wvl_io_set_color(context->picture, types[i].color, 0, alpha ? (int)types[i].depth : -1);
    }
    return 0;
}

const wvl_io_row_format wvl_io_pam_rows = {begin_pam, read_rows, NULL, NULL, sizeof(pnm_rows)};
