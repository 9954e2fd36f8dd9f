/* SPDX-License-Identifier: BSD-2-Clause */
/* Boxes of JP2 and JPH files: colour, resolution, metadata, and where the codestream lies. */
#include "read_jp2.h"

#include <stdio.h>
#include <stdlib.h>

#define TYPE WVL_IO_JP2_TYPE

typedef wvl_io_jp2_box box;

/* The box at *at of bytes 0..end; 1: there is one, and *at moves behind it; 0: the end; -1: damaged. */
static int next_box(const uint8_t *bytes, uint64_t end, uint64_t *at, wvl_io_jp2_box *b)
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

/* ---- Metadata -------------------------------------------------------------------------------- */

/* Metadata boxes of JP2 and JPH files: uuid, xml, asoc. What is taken can be written again as it is, and is legal
 * there. */

#define UUID_BYTES 16u
#define MOST_ASSOCIATIONS 16u /* within each other */

/* ---- XML ------------------------------------------------------------------------------------- */

/* 1: it may be kept, and *byte_count is without NULs at the end; 0: it is left out, and was named; -1: no memory. */
static int check_xml(wvl_io_jp2 *j, const char *name, const uint8_t *bytes, size_t *byte_count)
{
    char reason[128], lost[64];
    int result = wvl_io_check_xml(bytes, byte_count, reason, sizeof reason);
    if (result < 0) {
        return wvl_io_fail_memory(j->context, name, *byte_count);
    }
    if (result > 0) {
        snprintf(lost, sizeof lost, "%s (not well-formed XML)", name);
        wvl_io_lose(j->context, lost);
    }
    return result == 0;
}

static int take_xml(wvl_io_jp2 *j, const box *b)
{
    size_t n = (size_t)b->byte_count;
    int result = check_xml(j, "XML box", b->content, &n);
    return result > 0 ? wvl_io_take_box(j->context, b->type, NULL, b->content, n) : result;
}

/* ---- Associations ---------------------------------------------------------------------------- */

static void put_head(uint8_t *to, size_t all_bytes, uint32_t type)
{
    for (unsigned i = 0; i < 4; i++) {
        to[i] = (uint8_t)(all_bytes >> (24 - 8 * i));
        to[4 + i] = (uint8_t)(type >> (24 - 8 * i));
    }
}

/* The bytes of a box, which is no association, that are copied. Results as of check_xml. XML and labels (15444-2
 * M.11.13) without NULs at the end. */
static int check_content(wvl_io_jp2 *j, const box *b, size_t *byte_count)
{
    if (b->type == TYPE('x', 'm', 'l', ' ')) {
        return check_xml(j, "XML in an association box", b->content, byte_count);
    }
    while (b->type == TYPE('l', 'b', 'l', ' ') && *byte_count && !b->content[*byte_count - 1]) {
        --*byte_count;
    }
    return 1;
}

/* Copies the boxes of an association to `to`; no copy is longer than its box. 1: done, and *used counts on; 0: left
 * out, and named; -1: no memory. */
static int copy_boxes(wvl_io_jp2 *j, const box *parent, unsigned depth, uint8_t *to, size_t *used)
{
    uint64_t at = 0;
    box b;
    int more, result = 1;
    while (result > 0 && (more = next_box(parent->content, parent->byte_count, &at, &b)) != 0) {
        if (more < 0 || depth > MOST_ASSOCIATIONS) {
            wvl_io_lose(j->context, "association box (damaged)");
            return 0;
        }
        size_t head = *used, n = (size_t)b.byte_count;
        *used += 8;
        if (b.type == TYPE('a', 's', 'o', 'c')) {
            result = copy_boxes(j, &b, depth + 1, to, used);
        } else {
            result = check_content(j, &b, &n);
            memcpy(to + *used, b.content, n);
            *used += n;
        }
        put_head(to + head, *used - head, b.type);
    }
    return result;
}

static int take_association(wvl_io_jp2 *j, const box *b)
{
    size_t used = 0;
    if (b->byte_count > WVL_IO_MAX_METADATA_BYTES) {
        wvl_io_lose(j->context, "association box (too long)");
        return 0;
    }
    uint8_t *copy = wvl_io_allocate(j->context, b->byte_count, "association box");
    int result = copy ? copy_boxes(j, b, 0, copy, &used) : -1;
    if (result > 0) {
        result = wvl_io_take_box(j->context, b->type, NULL, copy, used);
    }
    free(copy);
    return result;
}

/* ---- UUID ------------------------------------------------------------------------------------ */

static int take_other_uuid(wvl_io_jp2 *j, const box *b, int is_xmp)
{
    const uint8_t *bytes = b->content + UUID_BYTES;
    size_t n = (size_t)b->byte_count - UUID_BYTES;
    if (!n) {
        wvl_io_lose(j->context, "UUID box (empty)");
        return 0;
    }
    int result = is_xmp ? check_xml(j, "second XMP", bytes, &n) : 1;
    return result > 0 ? wvl_io_take_box(j->context, b->type, b->content, bytes, n) : result;
}

static int take_exif(wvl_io_jp2 *j, const uint8_t *bytes, size_t n)
{
    uint16_t orientation = wvl_io_read_exif(bytes, n).orientation;

    j->context->picture->orientation = (uint8_t)(orientation ? orientation : 1);
    return wvl_io_take_exif(j->context, bytes, n);
}

static int take_uuid(wvl_io_jp2 *j, const box *b)
{
    const uint8_t *bytes = b->content + UUID_BYTES;

    if (b->byte_count < UUID_BYTES) {
        wvl_io_lose(j->context, "UUID box (damaged)");
        return 0;
    }
    for (wvl_io_blob_kind kind = 0; kind < WVL_IO_GML; kind++) {
        size_t n = (size_t)b->byte_count - UUID_BYTES;
        if (memcmp(b->content, wvl_io_uuids[kind], UUID_BYTES) == 0 &&
            !j->context->picture->metadata.blobs[kind].data) {
            return kind == WVL_IO_EXIF ? take_exif(j, bytes, n) : wvl_io_take_blob(j->context, kind, bytes, n);
        }
    }
    return take_other_uuid(j, b, memcmp(b->content, wvl_io_uuids[WVL_IO_XMP], UUID_BYTES) == 0);
}

/* Takes a uuid, xml or asoc box into the picture. 0, or -1 with the reason. */
static int take_metadata(wvl_io_jp2 *j, const wvl_io_jp2_box *b)
{
    switch (b->type) {
    case TYPE('u', 'u', 'i', 'd'): return take_uuid(j, b);
    case TYPE('x', 'm', 'l', ' '): return take_xml(j, b);
    default: return take_association(j, b);
    }
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

    while (result == 0 && (more = next_box(parent->content, parent->byte_count, &at, &b)) != 0) {
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
    case TYPE('a', 's', 'o', 'c'): return take_metadata(j, b);
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
    while (result == 0 && (more = next_box(bytes, byte_count, &at, &b)) != 0) {
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

int wvl_io_jp2_find_codestream(wvl_io_jp2 *j, const uint8_t *bytes, uint64_t byte_count)
{
    uint64_t at = 0;
    box b;
    if (byte_count > 1 && wvl_io_be16(bytes) == 0xFF4F) {
        j->codestream = bytes;
        j->codestream_bytes = byte_count;
        return 0;
    }
    while (next_box(bytes, byte_count, &at, &b) > 0) {
        if (b.type == TYPE('j', 'p', '2', 'c')) {
            j->codestream = b.content;
            j->codestream_bytes = b.byte_count;
            return 0;
        }
    }
    return wvl_io_fail(j->context, "neither a codestream nor a JP2 file with one");
}
