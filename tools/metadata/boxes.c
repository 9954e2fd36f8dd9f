/* SPDX-License-Identifier: BSD-2-Clause */
#include "boxes.h"

#include "gml.h"
#include "xmp.h"

#define BOX_UUID 0x75756964u
#define BOX_ASOC 0x61736F63u

int wvl_metadata_is_xmp_uuid(const uint8_t uuid[16]) { return !memcmp(uuid, wvl_io_uuids[WVL_IO_XMP], 16); }

/* ---- What is kept ---------------------------------------------------------------------------- */

static const struct {
    const char *word;
    unsigned bits;
} words[] = {{"exif", WVL_KEEP_EXIF},
             {"iptc", WVL_KEEP_IPTC},
             {"xmp", WVL_KEEP_XMP},
             {"geo", WVL_KEEP_GEO},
             {"text", WVL_KEEP_TEXT},
             {"icc", WVL_KEEP_ICC},
             {"boxes", WVL_KEEP_BOXES},
             {"all", WVL_KEEP_ALL},
             {"resolution", WVL_KEEP_RESOLUTION},
             {"none", 0}};

int wvl_metadata_parse_keep(const char *list, unsigned *keep)
{
    *keep = 0;
    for (;;) {
        size_t length = strcspn(list, ","), i = 0, count = sizeof words / sizeof words[0];
        while (i < count && (strlen(words[i].word) != length || memcmp(words[i].word, list, length) != 0)) {
            i++;
        }
        if (i == count) {
            return 0;
        }
        *keep |= words[i].bits;
        if (!list[length]) {
            return 1;
        }
        list += length + 1;
    }
}

void wvl_metadata_name_kinds(const wvl_io_metadata *metadata, unsigned keep, char *text, size_t bytes)
{
    static const struct {
        wvl_io_blob_kind kind;
        unsigned bit;
        const char *name;
    } kinds[] = {{WVL_IO_EXIF, WVL_KEEP_EXIF, "EXIF"},
                 {WVL_IO_IPTC, WVL_KEEP_IPTC, "IPTC"},
                 {WVL_IO_XMP, WVL_KEEP_XMP, "XMP"},
                 {WVL_IO_GEO, WVL_KEEP_GEO, "GeoTIFF"}};
    text[0] = '\0';
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (metadata->blobs[kinds[i].kind].data && (keep & kinds[i].bit)) {
            wvl_io_add_name(text, bytes, kinds[i].name);
        }
    }
    for (size_t i = 0; (keep & WVL_KEEP_TEXT) && i < metadata->text_count; i++) {
        wvl_io_add_name(text, bytes, metadata->texts[i].name);
    }
    if (metadata->box_count && (keep & WVL_KEEP_BOXES)) {
        wvl_io_add_name(text, bytes, "boxes");
    }
}

/* ---- Boxes ----------------------------------------------------------------------------------- */

static void add_uuid(wvl_metadata_boxes *out, wvl_io_blob_kind kind, const void *data, size_t bytes)
{
    wvl_box *box = &out->boxes[out->count++];
    *box = (wvl_box){.type = BOX_UUID, .data = data, .bytes = bytes};
    memcpy(box->uuid, wvl_io_uuids[kind], sizeof box->uuid);
}

static int add_xmp(const wvl_io_metadata *m, unsigned keep, wvl_metadata_boxes *out)
{
    static const wvl_io_blob none = {NULL, 0};
    wvl_io_blob packet = keep & WVL_KEEP_XMP ? m->blobs[WVL_IO_XMP] : none;
    wvl_text made = {NULL, 0, 0, 0};
    int result = 0;
    if ((keep & WVL_KEEP_TEXT) && m->text_count) {
        result = wvl_metadata_add_to_xmp(packet, m, &made, out->lost, sizeof out->lost);
    }
    out->owned[0] = (uint8_t *)made.data;
    if (result == 0 && made.bytes) {
        add_uuid(out, WVL_IO_XMP, made.data, made.bytes);
    } else if (result == 0 && packet.data) {
        add_uuid(out, WVL_IO_XMP, packet.data, packet.bytes);
    }
    return result;
}

static void add_blob(const wvl_io_metadata *m, wvl_io_blob_kind kind, unsigned is_kept, wvl_metadata_boxes *out)
{
    if (is_kept && m->blobs[kind].data) {
        add_uuid(out, kind, m->blobs[kind].data, m->blobs[kind].bytes);
    }
}

static int add_gml(const wvl_io_picture *io, wvl_metadata_boxes *out)
{
    wvl_text content = {NULL, 0, 0, 0};
    char why[96] = "", name[112];
    int made = wvl_metadata_make_gml(io, &content, why, sizeof why);
    out->owned[1] = (uint8_t *)content.data;
    if (content.failed) {
        return -1;
    }
    if (made) {
        out->boxes[out->count++] = (wvl_box){.type = BOX_ASOC, .data = content.data, .bytes = content.bytes};
    } else {
        snprintf(name, sizeof name, "GML (%s)", why);
        wvl_io_add_name(out->lost, sizeof out->lost, name);
    }
    return 0;
}

int wvl_metadata_make_boxes(const wvl_io_picture *io, unsigned keep, int gml, wvl_metadata_boxes *out)
{
    const wvl_io_metadata *m = &io->metadata;
    memset(out, 0, sizeof *out);
    out->boxes = calloc(WVL_IO_BLOB_KINDS + m->box_count, sizeof *out->boxes);
    if (!out->boxes || add_xmp(m, keep, out) != 0) {
        return -1;
    }
    add_blob(m, WVL_IO_EXIF, keep & WVL_KEEP_EXIF, out);
    add_blob(m, WVL_IO_IPTC, keep & WVL_KEEP_IPTC, out);
    add_blob(m, WVL_IO_GEO, keep & WVL_KEEP_GEO, out);
    if (gml && (keep & WVL_KEEP_GEO) && add_gml(io, out) != 0) {
        return -1;
    }
    if (keep & WVL_KEEP_BOXES) {
        for (size_t i = 0; i < m->box_count; i++) {
            const wvl_io_box *from = &m->boxes[i];
            wvl_box *box = &out->boxes[out->count++];
            *box = (wvl_box){.type = from->type, .data = from->data, .bytes = from->bytes};
            memcpy(box->uuid, from->uuid, sizeof box->uuid);
        }
    }
    return 0;
}

void wvl_metadata_release_boxes(wvl_metadata_boxes *out)
{
    free(out->boxes);
    free(out->owned[0]);
    free(out->owned[1]);
    memset(out, 0, sizeof *out);
}
