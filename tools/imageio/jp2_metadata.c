/* SPDX-License-Identifier: BSD-2-Clause */
/* Metadata boxes of JP2 and JPH files: uuid, xml, asoc. What is taken can be written again as it is, and is legal
 * there. */
#include "read_jp2.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPE WVL_IO_JP2_TYPE
#define UUID_BYTES 16u
#define MOST_ASSOCIATIONS 16u /* within each other */

typedef wvl_io_jp2_box box;

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
    while (result > 0 && (more = wvl_io_jp2_next_box(parent->content, parent->byte_count, &at, &b)) != 0) {
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

int wvl_io_jp2_take_metadata(wvl_io_jp2 *j, const wvl_io_jp2_box *b)
{
    switch (b->type) {
    case TYPE('u', 'u', 'i', 'd'): return take_uuid(j, b);
    case TYPE('x', 'm', 'l', ' '): return take_xml(j, b);
    default: return take_association(j, b);
    }
}
