/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples without a header, plane after plane or (raw_interleaved) pixel after pixel, described from outside as
 * opj_compress has it: "w,h,n,bits,{s,u,f}@1x1:2x2:2x2"; f is floating point, as bits 16 or 32. Up to 8 bits a sample
 * takes one byte, up to 16 two, else four.
 */
#include "internal.h"

typedef struct geometry {
    uint32_t width, height, count, depth;
    int is_signed, is_float;
    const char *steps; /* after the @, or NULL */
} geometry;

static int parse_geometry(wvl_io_context *context, geometry *g)
{
    const char *text = context->options.raw_format, *p = text;
    uint32_t *const fields[] = {&g->width, &g->height, &g->count, &g->depth};

    if (!text) {
        return wvl_io_fail(context, "raw samples need their geometry: -F w,h,n,bits,{s,u,f}[@dxxdy:dxxdy...]");
    }
    for (size_t i = 0; i < 4 && p; i++) {
        p = wvl_io_parse_number(p, fields[i]);
        p = p && *p == ',' ? p + 1 : NULL;
    }
    if (!p || (*p != 's' && *p != 'u' && *p != 'f') || (p[1] != '\0' && p[1] != '@')) {
        return wvl_io_fail(context, "raw geometry \"%.60s\": must read w,h,n,bits,{s,u,f}[@dxxdy:dxxdy...]", text);
    }
    g->is_signed = *p != 'u';
    g->is_float = *p == 'f';
    g->steps = p[1] == '@' ? p + 2 : NULL;
    return 0;
}

/* "1x1:2x2:2x2": a pair for each component; where they end early the last one goes on, as in opj_compress. */
static int declare_steps(wvl_io_context *context, const geometry *g)
{
    const char *p = g->steps;
    uint32_t dx = 1, dy = 1;

    for (uint32_t c = 0; c < g->count; c++) {
        const char *pair = p;

        if (p) {
            p = wvl_io_parse_number(p, &dx);
            p = p && *p == 'x' ? wvl_io_parse_number(p + 1, &dy) : NULL;
            if (!p || dx == 0 || dx > 255 || dy == 0 || dy > 255 || (*p != ':' && *p != '\0')) {
                return wvl_io_fail(context, "raw geometry: subsampling of component %u, \"%.20s\": must be %s", c, pair,
                                   "dxxdy with steps of 1 to 255");
            }
            p = *p == ':' ? p + 1 : NULL;
        }
        wvl_io_subsample(context->picture, c, (uint8_t)dx, (uint8_t)dy);
    }
    return !p ? 0 : wvl_io_fail(context, "raw geometry: more subsampling pairs than %u components", g->count);
}

static int is_subsampled(const wvl_io_picture *picture)
{
    for (uint32_t c = 0; c < picture->component_count; c++) {
        if (picture->components[c].dx != picture->components[0].dx ||
            picture->components[c].dy != picture->components[0].dy) {
            return 1;
        }
    }
    return 0;
}

/* The size is known: what follows the picture is named before it is read. */
static int check_remainder(wvl_io_context *context, uint64_t picture_bytes)
{
    uint64_t size = context->source.size, left = size - picture_bytes;

    if (size == WVL_IO_SIZE_UNKNOWN || left == 0 || context->options.ignore_rest) {
        return 0;
    }
    if (size % picture_bytes == 0) {
        return wvl_io_fail(context,
                           "%llu pictures of this geometry; only one picture per input is read: divide "
                           "the input",
                           (unsigned long long)(size / picture_bytes));
    }
    return wvl_io_fail(context, "%llu bytes follow the samples: the geometry does not fit the file",
                       (unsigned long long)left);
}

static uint64_t plane_bytes(const wvl_io_component *c) { return (uint64_t)c->width * c->height * c->sample_bytes; }

static int check_lines(wvl_io_context *context, uint32_t first, uint32_t count)
{
    for (uint32_t c = 0; c < context->picture->component_count; c++) {
        const wvl_io_component *k = &context->picture->components[c];
        if (wvl_io_check_range(context, c, wvl_io_rows_of_component(k, first),
                               wvl_io_rows_of_component(k, first + count)) != 0) {
            return -1;
        }
    }
    return 0;
}

static int read_rows(wvl_io_context *context, uint32_t first, uint32_t count)
{
    const wvl_io_picture *picture = context->picture;
    const int *big_endian = context->state;
    uint64_t plane_at = 0;

    if (context->is_interleaved) {
        return wvl_io_read_stored_rows(context, 0, first, first + count, *big_endian, "samples") != 0
                   ? -1
                   : check_lines(context, first, count);
    }
    for (uint32_t c = 0; c < picture->component_count; c++) {
        const wvl_io_component *k = &picture->components[c];
        uint32_t y = wvl_io_rows_of_component(k, first), end = wvl_io_rows_of_component(k, first + count);
        if (end > y && (wvl_io_go_to(context, plane_at + (uint64_t)y * wvl_io_row_bytes(k), "samples") != 0 ||
                        wvl_io_read_stored_rows(context, c, y, end, *big_endian, "samples") != 0)) {
            return -1;
        }
        plane_at += plane_bytes(k);
    }
    return check_lines(context, first, count);
}

int wvl_io_describe_raw(wvl_io_context *context, uint64_t *bytes)
{
    wvl_io_picture *picture = context->picture;
    geometry g = {0, 0, 0, 0, 0, 0, NULL};

    if (parse_geometry(context, &g) != 0 ||
        wvl_io_describe(context, g.width, g.height, g.count, g.depth, g.is_signed) != 0) {
        return -1;
    }
    for (uint32_t c = 0; c < g.count; c++) {
        picture->components[c].is_float = (uint8_t)g.is_float;
    }
    if (g.steps && declare_steps(context, &g) != 0) {
        return -1;
    }
    if (context->options.raw_interleaved && is_subsampled(picture)) {
        return wvl_io_fail(context, "interleaved samples must have the same subsampling in all components; use %s",
                           "--raw-layout planar");
    }
    *bytes = wvl_io_sample_count(picture) * picture->components[0].sample_bytes;
    return 0;
}

static int begin_headerless(wvl_io_context *context, int big_endian, int is_yuv)
{
    int *order = context->state;
    uint64_t bytes;

    if (wvl_io_describe_raw(context, &bytes) != 0) {
        return -1;
    }
    *order = big_endian;
    if (wvl_io_require_bytes(context, bytes, "samples") != 0 || check_remainder(context, bytes) != 0) {
        return -1;
    }
    if (!context->options.raw_interleaved && context->picture->component_count > 1 && !context->source.seekable) {
        context->needs_all =
            "the planes follow one another, and a pipe cannot be rewound; give a file, or interleaved samples";
    }
    wvl_io_lay_out(context, context->options.raw_interleaved);
    wvl_io_picture *picture = context->picture;
    uint32_t n = picture->component_count;
    wvl_io_color color = n < 3 ? WVL_IO_GREY : WVL_IO_RGB;

    if (n >= 3 && (is_yuv || is_subsampled(picture))) {
        color = WVL_IO_YCC;
    }
    if (color == WVL_IO_YCC && context->options.raw_video_range) {
        /* Black and white as BT.601 has them: 16 and 235, chroma 16 to 240 around 128, at 8 bits. */
        static const float codes[6] = {16, 235, 128, 240, 128, 240}, luma[3] = {0.299f, 0.587f, 0.114f};

        for (unsigned i = 0; i < 6; i++) {
            picture->ycc_range[i] = codes[i] * (float)(UINT64_C(1) << (picture->components[0].depth)) / 256;
        }
        memcpy(picture->ycc_luma, luma, sizeof luma);
        picture->ycc_tagged = 1;
    }
    wvl_io_set_color(picture, color, 0, -1);
    return 0;
}

static int begin_raw(wvl_io_context *context) { return begin_headerless(context, 1, 0); }

static int begin_rawl(wvl_io_context *context) { return begin_headerless(context, 0, 0); }

static int begin_yuv(wvl_io_context *context) { return begin_headerless(context, 0, 1); }

/* Interleaved rows end where the source is; planes end with the last one. */
static int end(wvl_io_context *context)
{
    return wvl_io_go_to(context, wvl_io_sample_count(context->picture) * context->picture->components[0].sample_bytes,
                        "samples");
}

const wvl_io_row_format wvl_io_raw_rows = {begin_raw, read_rows, end, NULL, sizeof(int)};
const wvl_io_row_format wvl_io_rawl_rows = {begin_rawl, read_rows, end, NULL, sizeof(int)};
const wvl_io_row_format wvl_io_yuv_rows = {begin_yuv, read_rows, end, NULL, sizeof(int)};
