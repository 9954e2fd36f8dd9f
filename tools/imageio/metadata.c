/* SPDX-License-Identifier: BSD-2-Clause */
/* Metadata on its way from a file into the picture: copies, limits, character sets. */
#include "metadata.h"
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>

const uint8_t wvl_io_uuids[WVL_IO_BLOB_KINDS][16] = {
    [WVL_IO_EXIF] = {'J', 'p', 'g', 'T', 'i', 'f', 'f', 'E', 'x', 'i', 'f', '-', '>', 'J', 'P', '2'},
    [WVL_IO_IPTC] = {0x33, 0xC7, 0xA4, 0xD2, 0xB8, 0x1D, 0x47, 0x23, 0xA0, 0xBA, 0xF1, 0xA3, 0xE0, 0x97, 0xAD, 0x38},
    [WVL_IO_XMP] = {0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC},
    [WVL_IO_GEO] = {0xB1, 0x4B, 0xF8, 0xBD, 0x08, 0x3D, 0x4B, 0x43, 0xA5, 0xAE, 0x8C, 0xD7, 0xD5, 0xA6, 0xCE, 0x03},
};

void wvl_io_release_metadata(wvl_io_metadata *metadata)
{
    for (unsigned i = 0; i < WVL_IO_BLOB_KINDS; i++) {
        free(metadata->blobs[i].data);
    }
    for (size_t i = 0; i < metadata->text_count; i++) {
        free(metadata->texts[i].name);
        free(metadata->texts[i].value);
    }
    for (size_t i = 0; i < metadata->box_count; i++) {
        free(metadata->boxes[i].data);
    }
    free(metadata->texts);
    free(metadata->boxes);
    memset(metadata, 0, sizeof *metadata);
}

void wvl_io_drop_blob(wvl_io_metadata *metadata, wvl_io_blob_kind kind)
{
    free(metadata->blobs[kind].data);
    metadata->blobs[kind] = (wvl_io_blob){NULL, 0};
}

int wvl_io_is_metadata_empty(const wvl_io_metadata *metadata)
{
    for (unsigned i = 0; i < WVL_IO_BLOB_KINDS; i++) {
        if (metadata->blobs[i].data) {
            return 0;
        }
    }
    return !metadata->text_count && !metadata->box_count;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static const char *name_of_kind(wvl_io_blob_kind kind)
{
    static const char *const names[WVL_IO_BLOB_KINDS] = {"EXIF", "IPTC", "XMP", "GeoTIFF keys", "GML"};
    return names[kind];
}

/* Results as of wvl_io_check_xml. Bytes behind "<?xpacket end=...?>" are no part of the packet: programs that write a
 * shorter one over a longer one leave the end of that there. */
static int check_packet(const uint8_t *bytes, size_t *byte_count, char *reason, size_t reason_bytes)
{
    static const char end[] = "<?xpacket end=";
    size_t all = *byte_count, at = 0, n = sizeof end - 1;
    int result = wvl_io_check_xml(bytes, byte_count, reason, reason_bytes);
    while (result > 0 && at + n <= all && memcmp(bytes + at, end, n) != 0) {
        at++;
    }
    const uint8_t *last = result > 0 && at + n <= all ? memchr(bytes + at, '>', all - at) : NULL;
    if (last) {
        *byte_count = (size_t)(last + 1 - bytes);
        result = wvl_io_check_xml(bytes, byte_count, reason, reason_bytes);
    }
    return result;
}

/* NULL: it may be kept, and *byte_count is without what the file has too much. Else why it is left out; "": memory is
 * short. */
static const char *find_fault(wvl_io_blob_kind kind, const uint8_t *bytes, size_t *byte_count)
{
    char reason[128];
    int result = 0;
    if (*byte_count > WVL_IO_MAX_METADATA_BYTES) {
        return "too long";
    }
    switch (kind) {
    case WVL_IO_EXIF: return wvl_io_is_exif_sound(bytes, *byte_count) ? NULL : "damaged";
    case WVL_IO_IPTC: return *byte_count >= 5 && bytes[0] == 0x1C ? NULL : "damaged";
    case WVL_IO_XMP: result = check_packet(bytes, byte_count, reason, sizeof reason); break;
    case WVL_IO_GML: result = wvl_io_check_xml(bytes, byte_count, reason, sizeof reason); break;
    default: break;
    }
    if (result < 0) {
        return "";
    }
    return result ? "not well-formed XML" : NULL;
}

int wvl_io_take_blob(wvl_io_context *context, wvl_io_blob_kind kind, const void *bytes, size_t byte_count)
{
    wvl_io_blob *blob = &context->picture->metadata.blobs[kind];
    char lost[64];
    if (!byte_count || blob->data) {
        return 0; /* the first one counts */
    }
    const char *fault = find_fault(kind, bytes, &byte_count);
    if (fault && fault[0]) {
        snprintf(lost, sizeof lost, "%s (%s)", name_of_kind(kind), fault);
        wvl_io_lose(context, lost);
        return 0;
    }
    if (fault) {
        return wvl_io_fail_memory(context, name_of_kind(kind), byte_count);
    }
    blob->data = wvl_io_allocate(context, byte_count, name_of_kind(kind));
    if (!blob->data) {
        return -1;
    }
    memcpy(blob->data, bytes, byte_count);
    blob->bytes = byte_count;
    return 0;
}

#define EXIF_PREFIX_BYTES 6u /* "Exif\0\0" of JPEG's APP1 */

int wvl_io_take_exif(wvl_io_context *context, const void *bytes, size_t byte_count)
{
    const uint8_t *p = bytes;
    if (byte_count > EXIF_PREFIX_BYTES && !memcmp(p, "Exif\0", 5)) {
        p += EXIF_PREFIX_BYTES;
        byte_count -= EXIF_PREFIX_BYTES;
    }
    int result = wvl_io_take_blob(context, WVL_IO_EXIF, p, byte_count);
    wvl_io_blob *blob = &context->picture->metadata.blobs[WVL_IO_EXIF];
    uint16_t orientation = blob->data ? wvl_io_read_exif(blob->data, blob->bytes).orientation : 0;
    if (orientation && context->picture->orientation == 1) {
        context->picture->orientation = (uint8_t)orientation;
    }
    return result;
}

void wvl_io_take_resolution(wvl_io_context *context, double across, double down)
{
    const double least = 1e-6, most = 1e12;
    if (across > least && down > least && across < most && down < most) {
        context->picture->x_pixels_per_metre = across;
        context->picture->y_pixels_per_metre = down;
    } else if (across != 0 || down != 0) {
        wvl_io_lose(context, "resolution (damaged)");
    }
}

int wvl_io_take_xmp(wvl_io_context *context, const void *bytes, size_t byte_count)
{
    return wvl_io_take_blob(context, WVL_IO_XMP, bytes, byte_count);
}

#define RESOURCE_IPTC 0x0404u

int wvl_io_take_photoshop(wvl_io_context *context, const void *bytes, size_t byte_count)
{
    const uint8_t *p = bytes;
    size_t at = 0;
    int others = 0;
    /* "8BIM", a number, a name of an even length with its count byte, a length, and as many bytes to an even count. */
    while (byte_count - at >= 12 && !memcmp(p + at, "8BIM", 4)) {
        uint32_t number = wvl_io_be16(p + at + 4);
        size_t name = ((size_t)p[at + 6] + 2) & ~(size_t)1;
        if (byte_count - at < 10 + name) {
            break;
        }
        size_t content = at + 10 + name, length = wvl_io_be32(p + at + 6 + name);
        if (length > byte_count - content) {
            break;
        }
        if (number == RESOURCE_IPTC && wvl_io_take_blob(context, WVL_IO_IPTC, p + content, length) != 0) {
            return -1;
        }
        others |= number != RESOURCE_IPTC;
        at = content + length + (length & 1);
        at = at < byte_count ? at : byte_count;
    }
    if (others) {
        wvl_io_lose(context, "Photoshop resources");
    }
    return 0;
}

int wvl_io_take_box(wvl_io_context *context, uint32_t type, const uint8_t uuid[16], const void *bytes,
                    size_t byte_count)
{
    wvl_io_metadata *m = &context->picture->metadata;
    wvl_io_box *larger =
        m->box_count < WVL_IO_MAX_TEXTS ? realloc(m->boxes, (m->box_count + 1) * sizeof *larger) : NULL;
    if (m->box_count == WVL_IO_MAX_TEXTS || byte_count > WVL_IO_MAX_METADATA_BYTES) {
        wvl_io_lose(context, "boxes");
        m->boxes = larger ? larger : m->boxes;
        return 0;
    }
    if (!larger) {
        return wvl_io_fail_memory(context, "boxes", (m->box_count + 1) * sizeof *larger);
    }
    m->boxes = larger;
    wvl_io_box *box = &m->boxes[m->box_count];
    *box = (wvl_io_box){.type = type, .bytes = byte_count, .data = wvl_io_allocate(context, byte_count, "box")};
    if (!box->data) {
        return -1;
    }
    if (uuid) {
        memcpy(box->uuid, uuid, sizeof box->uuid);
    }
    if (byte_count) {
        memcpy(box->data, bytes, byte_count);
    }
    m->box_count++;
    return 0;
}

/* ---- Texts ----------------------------------------------------------------------------------- */

uint32_t wvl_io_utf8_point(const uint8_t *p, size_t left, unsigned *length)
{
    static const uint8_t lengths[16] = {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 3, 4};
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned n = lengths[p[0] >> 4];
    uint32_t point = n > 1 ? p[0] & (0xFFu >> n) : p[0];
    *length = n ? n : 1;
    for (unsigned i = 1; i < n; i++) {
        if (i == left || (p[i] & 0xC0) != 0x80) {
            *length = 1;
            return 0;
        }
        point = point << 6 | (p[i] & 0x3F);
    }
    int is_character = point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF) && point != 0xFFFE && point != 0xFFFF;
    return n && point >= least[n] && is_character ? point : 0;
}

static int is_utf8(const uint8_t *p, size_t n)
{
    unsigned step;
    for (size_t at = 0; at < n; at += step) {
        if (!wvl_io_utf8_point(p + at, n - at, &step)) {
            return 0;
        }
    }
    return 1;
}

#define NO_CHARACTER 0xFFFDu /* U+FFFD stands for it */

/* Bytes 0x80 to 0x9F of Windows-1252, which are control characters in Latin-1. */
static const uint16_t of_windows[32] = {0x20AC, NO_CHARACTER, 0x201A,       0x0192, 0x201E, 0x2026, 0x2020,
                                        0x2021, 0x02C6,       0x2030,       0x0160, 0x2039, 0x0152, NO_CHARACTER,
                                        0x017D, NO_CHARACTER, NO_CHARACTER, 0x2018, 0x2019, 0x201C, 0x201D,
                                        0x2022, 0x2013,       0x2014,       0x02DC, 0x2122, 0x0161, 0x203A,
                                        0x0153, NO_CHARACTER, 0x017E,       0x0178};

/* A character above 127 of Windows-1252, which is Latin-1 from 0xA0 on. */
static char *put_of_windows(uint8_t byte, char *to)
{
    unsigned code = byte < 0xA0 ? of_windows[byte - 0x80] : byte;
    if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
    } else {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
    }
    *to++ = (char)(0x80 | (code & 0x3F));
    return to;
}

/* The bytes as UTF-8, out of Windows-1252 where they are none; without what XML cannot hold. `to` has 3 * n + 1 bytes.
 */
static void clean_text(const uint8_t *p, size_t n, char *to)
{
    int good = is_utf8(p, n);
    for (size_t i = 0; i < n; i++) {
        if (p[i] == 0x7F || (p[i] < 32 && p[i] != '\t' && p[i] != '\n' && p[i] != '\r')) {
            continue;
        }
        if (good || p[i] < 0x80) {
            *to++ = (char)p[i];
        } else {
            to = put_of_windows(p[i], to);
        }
    }
    *to = '\0';
}

static char *make_text(const void *bytes, size_t n)
{
    char *text = malloc(3 * n + 1);
    if (text) {
        clean_text(bytes, n, text);
        /* Without white space at both ends. */
        size_t end = strlen(text), skip = strspn(text, " \t\r\n");
        while (end > skip && strchr(" \t\r\n", text[end - 1])) {
            end--;
        }
        memmove(text, text + skip, end - skip);
        text[end - skip] = '\0';
    }
    return text;
}

int wvl_io_take_text(wvl_io_context *context, wvl_io_field field, const char *name, const void *value,
                     size_t value_bytes)
{
    wvl_io_metadata *m = &context->picture->metadata;
    const char *end = value_bytes ? memchr(value, 0, value_bytes) : NULL;
    size_t n = end ? (size_t)(end - (const char *)value) : value_bytes;
    if (n > WVL_IO_MAX_METADATA_BYTES || m->text_count == WVL_IO_MAX_TEXTS) {
        wvl_io_lose(context, n > WVL_IO_MAX_METADATA_BYTES ? name : "texts beyond the 256th");
        return 0;
    }
    wvl_io_text *larger = realloc(m->texts, (m->text_count + 1) * sizeof *larger);
    if (!larger) {
        return wvl_io_fail_memory(context, "text", n);
    }
    m->texts = larger;
    wvl_io_text text = {field, make_text(name, strlen(name)), make_text(value, n)};
    if (text.name && text.value && text.value[0]) {
        m->texts[m->text_count++] = text;
        return 0;
    }
    int is_empty = text.name && text.value;
    free(text.name);
    free(text.value);
    return is_empty ? 0 : wvl_io_fail_memory(context, "text", n);
}
