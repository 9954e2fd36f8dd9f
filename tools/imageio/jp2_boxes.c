/* SPDX-License-Identifier: BSD-2-Clause */
/* Boxes of JP2 and JPH files: colour, resolution, metadata, and where the codestream lies. */
#include "read_jp2.h"

#include <math.h>
#include <string.h>

#define TYPE WVL_IO_JP2_TYPE

typedef wvl_io_jp2_box box;

int wvl_io_jp2_next_box(const uint8_t *bytes, uint64_t end, uint64_t *at, wvl_io_jp2_box *b)
{
    uint64_t left = end - *at, head = 8;
    if (left == 0) {
        return 0;
    }
    if (left < 8) {
        return -1;
    }
    uint64_t length = wvl_io_be32(bytes + *at);
    b->type = wvl_io_be32(bytes + *at + 4);
    if (length == 1 && left >= 16) {
        length = (uint64_t)wvl_io_be32(bytes + *at + 8) << 32 | wvl_io_be32(bytes + *at + 12);
        head = 16;
    } else if (length == 0) {
        length = left; /* to the end of the file (I.4) */
    }
    if (length < head || length > left) {
        return -1;
    }
    b->content = bytes + *at + head;
    b->byte_count = length - head;
    *at += length;
    return 1;
}

/* ---- Header boxes ---------------------------------------------------------------------------- */

static wvl_io_color color_of_number(uint32_t number)
{
    switch (number) {
    case 12: return WVL_IO_CMYK;
    case 16: return WVL_IO_RGB;
    case 17: return WVL_IO_GREY;
    case 18: return WVL_IO_YCC;
    default: return WVL_IO_UNKNOWN;
    }
}

/* The first colour that is understood counts (I.5.3.3). */
static int take_color(wvl_io_jp2 *j, const box *b)
{
    uint32_t method = b->byte_count ? b->content[0] : 0;
    if (j->has_color) {
        return 0;
    }
    if (method == 1 && b->byte_count >= 7) {
        uint32_t number = wvl_io_be32(b->content + 3);
        j->color = color_of_number(number);
        j->has_color = j->color != WVL_IO_UNKNOWN;
        j->context->picture->color_declared = j->has_color;
        if (!j->has_color) {
            wvl_io_note(
                j->context,
                "the colour space with the number %u (EnumCS) is not known to this reader; --color declares one",
                number);
        }
    } else if ((method == 2 || method == 3) && b->byte_count > 3 + 20) {
        int is_grey = memcmp(b->content + 3 + 16, "GRAY", 4) == 0, is_rgb = memcmp(b->content + 3 + 16, "RGB ", 4) == 0;
        j->color = is_grey ? WVL_IO_GREY : WVL_IO_UNKNOWN;
        j->color = is_rgb ? WVL_IO_RGB : j->color;
        j->has_color = 1;
        return wvl_io_take_icc(j->context, b->content + 3, (size_t)b->byte_count - 3);
    } else {
        wvl_io_note(j->context, "a colour specification of method %u is left out", method);
    }
    return 0;
}

/* resc or resd: numerators, denominators and exponents of vertical and horizontal resolution (I.5.3.7.1). */
static int take_resolution(wvl_io_jp2 *j, const box *b)
{
    wvl_io_picture *picture = j->context->picture;
    double v[2];
    int is_display = b->type == TYPE('r', 'e', 's', 'd');

    if ((b->type != TYPE('r', 'e', 's', 'c') && !is_display) || b->byte_count < 10 ||
        (is_display && picture->x_pixels_per_metre > 0)) {
        return 0;
    }
    for (unsigned i = 0; i < 2; i++) {
        const uint8_t *p = b->content + 4 * i;
        double denominator = wvl_io_be16(p + 2);
        v[i] = denominator > 0 ? wvl_io_be16(p) / denominator : 0;
        for (int e = (int8_t)b->content[8 + i]; e != 0; e += e > 0 ? -1 : 1) {
            v[i] = e > 0 ? v[i] * 10 : v[i] / 10;
        }
    }
    wvl_io_take_resolution(j->context, v[1], v[0]);
    return 0;
}

static int take_inside(wvl_io_jp2 *j, const box *parent, const char *name, int (*take)(wvl_io_jp2 *, const box *))
{
    uint64_t at = 0;
    box b;
    int more, result = 0;

    while (result == 0 && (more = wvl_io_jp2_next_box(parent->content, parent->byte_count, &at, &b)) != 0) {
        result = more > 0
                     ? take(j, &b)
                     : wvl_io_fail(j->context, "%s box: an inner box extends beyond it: the file is damaged", name);
    }
    return result;
}

static int take_header_box(wvl_io_jp2 *j, const box *b)
{
    switch (b->type) {
    case TYPE('c', 'o', 'l', 'r'): return take_color(j, b);
    case TYPE('r', 'e', 's', ' '): return take_inside(j, b, "res", take_resolution);
    case TYPE('p', 'c', 'l', 'r'): j->palette = b->content, j->palette_bytes = b->byte_count; break;
    case TYPE('c', 'm', 'a', 'p'): j->mapping = b->content, j->mapping_bytes = b->byte_count; break;
    case TYPE('c', 'd', 'e', 'f'): j->definition = b->content, j->definition_bytes = b->byte_count; break;
    default: break; /* ihdr and bpcc repeat what SIZ says */
    }
    return 0;
}

/* ---- The file -------------------------------------------------------------------------------- */

static void lose(wvl_io_jp2 *j, uint32_t type)
{
    char name[16] = "???? box";
    for (unsigned i = 0; i < 4; i++) {
        char c = (char)(type >> (24 - 8 * i));
        name[i] = (char)(c >= ' ' && c < 127 ? c : '?');
    }
    wvl_io_lose(j->context, name);
}

static int take_box(wvl_io_jp2 *j, const box *b)
{
    switch (b->type) {
    case TYPE('j', 'P', ' ', ' '):
    case TYPE('f', 't', 'y', 'p'):
    case TYPE('f', 'r', 'e', 'e'): return 0;
    case TYPE('j', 'p', '2', 'h'): return take_inside(j, b, "jp2h", take_header_box);
    case TYPE('u', 'u', 'i', 'd'):
    case TYPE('x', 'm', 'l', ' '):
    case TYPE('a', 's', 'o', 'c'): return wvl_io_jp2_take_metadata(j, b);
    case TYPE('j', 'p', '2', 'c'):
        if (j->codestream) {
            wvl_io_note(j->context, "the first of several codestreams is read");
            return 0;
        }
        j->codestream = b->content;
        j->codestream_bytes = b->byte_count;
        return 0;
    default: lose(j, b->type); return 0;
    }
}

int wvl_io_jp2_read_boxes(wvl_io_jp2 *j, const uint8_t *bytes, uint64_t byte_count)
{
    uint64_t at = 0;
    box b;
    int more, result = 0;
    while (result == 0 && (more = wvl_io_jp2_next_box(bytes, byte_count, &at, &b)) != 0) {
        if (more < 0) {
            return wvl_io_fail(j->context, "truncated: the box at offset %llu ends beyond the file",
                               (unsigned long long)at);
        }
        result = take_box(j, &b);
    }
    if (result == 0 && !j->codestream) {
        return wvl_io_fail(j->context, "no codestream: there is no jp2c box");
    }
    return result;
}
