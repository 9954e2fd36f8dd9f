/* SPDX-License-Identifier: BSD-2-Clause */
/* PGX, the reference format of ISO/IEC 15444-4: "PG ML [+|-]depth width height", one component. */
#include "internal.h"

#define HEADER_LIMIT 128u

/* Past blanks; the header's only separators. */
static const char *past_blanks(const char *p) { return p + strspn(p, " \t"); }

static int read_header_line(wvl_io_context *context, char *line)
{
    size_t used = 0;
    int c;

    while ((c = wvl_io_source_byte(&context->source)) != '\n') {
        if (c < 0) {
            return wvl_io_fail(context, "header: truncated");
        }
        if (c == 0 || used + 1 == HEADER_LIMIT) {
            return wvl_io_fail(context, "header: not a line of text of at most %u bytes", HEADER_LIMIT - 1);
        }
        line[used++] = (char)c;
    }
    if (used != 0 && line[used - 1] == '\r') {
        used--;
    }
    line[used] = '\0';
    return 0;
}

typedef struct pgx_header {
    int big_endian, is_signed;
    uint32_t depth, width, height;
} pgx_header;

static int parse_header(wvl_io_context *context, const char *line, pgx_header *header)
{
    const char *p = past_blanks(line + 2);

    if (strncmp(line, "PG", 2) != 0 || p == line + 2) {
        return wvl_io_fail(context, "header: does not begin with PG");
    }
    if (strncmp(p, "ML", 2) != 0 && strncmp(p, "LM", 2) != 0) {
        return wvl_io_fail(context, "byte order: must be ML or LM");
    }
    header->big_endian = p[0] == 'M';
    p = past_blanks(p + 2);
    header->is_signed = *p == '-';
    if (*p == '+' || *p == '-') {
        p = past_blanks(p + 1);
    }
    p = wvl_io_parse_number(p, &header->depth);
    if (!p || header->depth == 0 || header->depth > 32) {
        return wvl_io_fail(context, "depth: must be a number of 1 to 32");
    }
    p = wvl_io_parse_number(past_blanks(p), &header->width);
    if (p) {
        p = wvl_io_parse_number(past_blanks(p), &header->height);
    }
    if (!p || *past_blanks(p) != '\0') {
        return wvl_io_fail(context, "size: must be two numbers, at most 4294967295, that end the line");
    }
    return 0;
}

static int begin(wvl_io_context *context)
{
    wvl_io_picture *picture = context->picture;
    char line[HEADER_LIMIT];
    pgx_header *header = context->state;

    if (read_header_line(context, line) != 0 || parse_header(context, line, header) != 0 ||
        wvl_io_describe(context, header->width, header->height, 1, header->depth, header->is_signed) != 0) {
        return -1;
    }
    wvl_io_lay_out(context, 0);
    wvl_io_set_color(picture, WVL_IO_GREY, 0, -1);
    return wvl_io_require_bytes(context, wvl_io_sample_count(picture) * picture->components[0].sample_bytes, "samples");
}

static int read_rows(wvl_io_context *context, uint32_t first, uint32_t count)
{
    const pgx_header *header = context->state;

    if (wvl_io_read_stored_rows(context, 0, first, first + count, header->big_endian, "samples") != 0) {
        return -1;
    }
    return wvl_io_check_range(context, 0, first, first + count);
}

const wvl_io_row_format wvl_io_pgx_rows = {begin, read_rows, NULL, NULL, sizeof(pgx_header)};
