/* SPDX-License-Identifier: BSD-2-Clause */
/* The contents of the application segments of a JPEG file: ICC, EXIF, XMP, IPTC, resolution. */
#include "read_jpeg.h"

#include <stdlib.h>

/* ---- Extended XMP ---------------------------------------------------------------------------- */

/*
 * Extended XMP of JPEG files: the descriptions of the extension go before the end of the main packet's rdf:RDF. RDF
 * takes several rdf:Description of one resource. Only namespaces that the extension declares within these go along, so
 * it is refused where its rdf:RDF or what stands around it declares others.
 */

typedef struct span {
    const char *at;
    size_t bytes;
} span;

static const char *find_text(span in, const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; length <= in.bytes && i <= in.bytes - length; i++) {
        if (memcmp(in.at + i, text, length) == 0) {
            return in.at + i;
        }
    }
    return NULL;
}

static span between(const char *from, const char *to) { return (span){from, (size_t)(to - from)}; }

/* xmlns of other prefixes than x and rdf. */
static int declares_others(span head)
{
    const char *at = find_text(head, "xmlns:");
    while (at) {
        span left = between(at + 6, head.at + head.bytes);
        int known =
            (left.bytes >= 2 && memcmp(left.at, "x=", 2) == 0) || (left.bytes >= 4 && memcmp(left.at, "rdf=", 4) == 0);
        if (!known) {
            return 1;
        }
        at = find_text(left, "xmlns:");
    }
    return 0;
}

/* The content of rdf:RDF; at NULL: there is none, or it must not be moved. */
static span descriptions_of(span packet)
{
    span none = {NULL, 0};
    const char *open = find_text(packet, "<rdf:RDF"), *end = packet.at + packet.bytes;
    const char *begin = open ? find_text(between(open, end), ">") : NULL;
    const char *close = begin ? find_text(between(begin, end), "</rdf:RDF>") : NULL;
    if (!close || begin[-1] == '/' || declares_others(between(packet.at, begin))) {
        return none;
    }
    return between(begin + 1, close);
}

/* The property that names the extension, as an attribute or an element; bytes 0: none. It goes, as the specification
   asks. */
static span pointer_of(span packet)
{
    const char *at = find_text(packet, "xmpNote:HasExtendedXMP"), *end = packet.at + packet.bytes;
    if (!at || at == packet.at) {
        return (span){packet.at, 0};
    }
    if (at[-1] == '<') {
        const char *close = find_text(between(at, end), "</xmpNote:HasExtendedXMP>");
        return close ? between(at - 1, close + strlen("</xmpNote:HasExtendedXMP>")) : (span){packet.at, 0};
    }
    const char *quote = at + strlen("xmpNote:HasExtendedXMP") + 1;
    if (quote >= end || quote[-1] != '=' || (*quote != '"' && *quote != '\'')) {
        return (span){packet.at, 0};
    }
    const char mark[2] = {*quote, '\0'}, *close = find_text(between(quote + 1, end), mark);
    return close ? between(at, close + 1) : (span){packet.at, 0};
}

/* A packet with the properties of the main one and of its extension (XMP Part 3, 1.1.3.1). 1: *merged
   is allocated; 0: the two cannot be joined; -1: no memory. */
static int merge_xmp(const uint8_t *main_packet, size_t main_bytes, const uint8_t *extension, size_t extension_bytes,
                     uint8_t **merged, size_t *merged_bytes)
{
    span packet = {(const char *)main_packet, main_bytes}, pointer = pointer_of(packet);
    span more = descriptions_of((span){(const char *)extension, extension_bytes});
    const char *close = find_text(packet, "</rdf:RDF>"), *behind = pointer.at + pointer.bytes;
    if (!pointer.bytes || !more.at || !close || close < behind) {
        return 0;
    }
    *merged_bytes = main_bytes - pointer.bytes + more.bytes;
    uint8_t *to = *merged = malloc(*merged_bytes);
    if (!to) {
        return -1;
    }
    const span parts[] = {between(packet.at, pointer.at), between(behind, close), more,
                          between(close, packet.at + packet.bytes)};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        memcpy(to, parts[i].at, parts[i].bytes);
        to += parts[i].bytes;
    }
    return 1;
}

/* ---- Segments -------------------------------------------------------------------------------- */

#define ICC_HEAD_BYTES 14u       /* name, number and count of the part (ICC.1 Annex B.4) */
#define EXTENSION_HEAD_BYTES 75u /* name, GUID of 32 bytes, whole length, offset (XMP Part 3, 1.1.3.1) */
#define GUID_BYTES 32u

static const char icc_name[12] = "ICC_PROFILE", exif_name[6] = "Exif\0", xmp_name[29] = "http://ns.adobe.com/xap/1.0/",
                  extension_name[35] = "http://ns.adobe.com/xmp/extension/", photoshop_name[14] = "Photoshop 3.0",
                  mpf_name[4] = "MPF";

static int begins(const jpeg_saved_marker_ptr m, int code, const char *name, size_t name_bytes, size_t least)
{
    return m->marker == code && m->data_length >= least && memcmp(m->data, name, name_bytes) == 0;
}

static int is_photoshop(const jpeg_saved_marker_ptr m)
{
    return begins(m, JPEG_APP0 + 13, photoshop_name, sizeof photoshop_name, sizeof photoshop_name);
}

static const struct jpeg_marker_struct *find(const wvl_io_jpeg *j, int code, const char *name, size_t name_bytes)
{
    for (jpeg_saved_marker_ptr m = j->info.marker_list; m; m = m->next) {
        if (begins(m, code, name, name_bytes, name_bytes)) {
            return m;
        }
    }
    return NULL;
}

/* ---- ICC: parts in any order ----------------------------------------------------------------- */

static const struct jpeg_marker_struct *icc_part(const wvl_io_jpeg *j, unsigned number)
{
    for (jpeg_saved_marker_ptr m = j->info.marker_list; m; m = m->next) {
        if (begins(m, JPEG_APP0 + 2, icc_name, sizeof icc_name, ICC_HEAD_BYTES) && m->data[12] == number) {
            return m;
        }
    }
    return NULL;
}

/* Bytes of all parts; 0: some part is missing, or their counts differ. */
static size_t icc_bytes(const wvl_io_jpeg *j, unsigned count)
{
    size_t bytes = 0;
    for (unsigned n = 1; n <= count; n++) {
        const struct jpeg_marker_struct *part = icc_part(j, n);
        if (!part || part->data[13] != count) {
            return 0;
        }
        bytes += part->data_length - ICC_HEAD_BYTES;
    }
    return bytes;
}

static int take_icc(wvl_io_jpeg *j)
{
    const struct jpeg_marker_struct *any = find(j, JPEG_APP0 + 2, icc_name, sizeof icc_name);
    if (!any) {
        return 0;
    }
    unsigned count = any->data_length >= ICC_HEAD_BYTES ? any->data[13] : 0;
    size_t bytes = icc_bytes(j, count), at = 0;
    if (!bytes) {
        wvl_io_note(j->context, "the ICC profile is left out: its parts in APP2 are not whole");
        return 0;
    }
    uint8_t *profile = wvl_io_allocate(j->context, bytes, "ICC profile");
    for (unsigned n = 1; profile && n <= count; n++) {
        const struct jpeg_marker_struct *part = icc_part(j, n);
        memcpy(profile + at, part->data + ICC_HEAD_BYTES, part->data_length - ICC_HEAD_BYTES);
        at += part->data_length - ICC_HEAD_BYTES;
    }
    int result = profile ? wvl_io_take_icc(j->context, profile, bytes) : -1;
    free(profile);
    return result;
}

/* ---- XMP ------------------------------------------------------------------------------------- */

/* The extension with this GUID: parts in any order, each at its offset. Returns NULL where it is not whole. */
static uint8_t *gather_extension(wvl_io_jpeg *j, const uint8_t *guid, size_t whole_bytes)
{
    uint8_t *extension = wvl_io_allocate(j->context, whole_bytes, "extended XMP");
    uint64_t filled = 0;
    for (jpeg_saved_marker_ptr m = j->info.marker_list; extension && m; m = m->next) {
        if (!begins(m, JPEG_APP0 + 1, extension_name, sizeof extension_name, EXTENSION_HEAD_BYTES) ||
            memcmp(m->data + sizeof extension_name, guid, GUID_BYTES) != 0) {
            continue;
        }
        size_t offset = wvl_io_be32(m->data + 71), bytes = m->data_length - EXTENSION_HEAD_BYTES;
        if (offset > whole_bytes || bytes > whole_bytes - offset) {
            filled = UINT64_MAX / 2;
            break;
        }
        memcpy(extension + offset, m->data + EXTENSION_HEAD_BYTES, bytes);
        filled += bytes;
    }
    if (filled != whole_bytes) {
        free(extension);
        return NULL;
    }
    return extension;
}

/* Length of the extension, as its first segment says; at most what the segments hold. */
static size_t extension_bytes(const wvl_io_jpeg *j, const struct jpeg_marker_struct *first)
{
    uint64_t held = 0;
    for (jpeg_saved_marker_ptr m = j->info.marker_list; m; m = m->next) {
        held += m->data_length;
    }
    size_t claimed = first->data_length >= EXTENSION_HEAD_BYTES ? wvl_io_be32(first->data + 67) : 0;
    return claimed <= held ? claimed : 0;
}

static int take_extended(wvl_io_jpeg *j, const struct jpeg_marker_struct *first)
{
    wvl_io_blob *xmp = &j->context->picture->metadata.blobs[WVL_IO_XMP];
    size_t bytes = extension_bytes(j, first), merged_bytes = 0;
    uint8_t *merged = NULL, *extension = bytes ? gather_extension(j, first->data + sizeof extension_name, bytes) : NULL;
    int result = 0;
    if (extension) {
        result = merge_xmp(xmp->data, xmp->bytes, extension, bytes, &merged, &merged_bytes);
    }
    free(extension);
    if (result > 0) {
        char reason[128];
        int fault = wvl_io_check_xml(merged, &merged_bytes, reason, sizeof reason);
        if (fault == 0) {
            free(xmp->data);
            xmp->data = merged;
            xmp->bytes = merged_bytes;
            return 0;
        }
        free(merged);
        result = fault < 0 ? -1 : 0;
    }
    wvl_io_lose(j->context, "extended XMP");
    return result < 0 ? wvl_io_fail_memory(j->context, "extended XMP", bytes) : 0;
}

static int take_xmp(wvl_io_jpeg *j)
{
    const struct jpeg_marker_struct *m = find(j, JPEG_APP0 + 1, xmp_name, sizeof xmp_name);
    const struct jpeg_marker_struct *extension = find(j, JPEG_APP0 + 1, extension_name, sizeof extension_name);
    if (m && m->data_length > sizeof xmp_name &&
        wvl_io_take_xmp(j->context, m->data + sizeof xmp_name, m->data_length - sizeof xmp_name) != 0) {
        return -1;
    }
    if (extension && j->context->picture->metadata.blobs[WVL_IO_XMP].data) {
        return take_extended(j, extension);
    }
    return 0;
}

/* ---- EXIF, resolution, IPTC ------------------------------------------------------------------ */

static int take_exif(const wvl_io_jpeg *j)
{
    wvl_io_picture *picture = j->context->picture;
    const struct jpeg_marker_struct *m = find(j, JPEG_APP0 + 1, exif_name, sizeof exif_name);
    wvl_io_exif_fields exif = {0};

    if (m) {
        exif = wvl_io_read_exif(m->data + sizeof exif_name, m->data_length - sizeof exif_name);
    }
    picture->orientation = (uint8_t)(exif.orientation ? exif.orientation : 1);
    picture->color_declared |= exif.color_space == 1;
    if (picture->color == WVL_IO_YCC) {
        /* JFIF centres the chroma samples (JFIF 1.02, Spatial Relationship of Components). */
        picture->chroma_siting = (uint8_t)(exif.positioning ? exif.positioning : 1);
    }
    wvl_io_take_resolution(j->context, exif.x_pixels_per_metre, exif.y_pixels_per_metre);
    if (j->info.saw_JFIF_marker && (j->info.density_unit == 1 || j->info.density_unit == 2)) {
        double units_per_metre = j->info.density_unit == 1 ? 1.0 / 0.0254 : 100.0;
        wvl_io_take_resolution(j->context, j->info.X_density * units_per_metre, j->info.Y_density * units_per_metre);
    }
    return m ? wvl_io_take_exif(j->context, m->data, m->data_length) : 0;
}

/* Image resources of Photoshop may run through several segments. */
static int take_photoshop(const wvl_io_jpeg *j)
{
    size_t bytes = 0, at = 0;
    for (jpeg_saved_marker_ptr m = j->info.marker_list; m; m = m->next) {
        bytes += is_photoshop(m) ? m->data_length - sizeof photoshop_name : 0;
    }
    uint8_t *joined = bytes ? wvl_io_allocate(j->context, bytes, "Photoshop resources") : NULL;
    for (jpeg_saved_marker_ptr m = j->info.marker_list; joined && m; m = m->next) {
        if (is_photoshop(m)) {
            memcpy(joined + at, m->data + sizeof photoshop_name, m->data_length - sizeof photoshop_name);
            at += m->data_length - sizeof photoshop_name;
        }
    }
    int result = joined ? wvl_io_take_photoshop(j->context, joined, bytes) : -(bytes != 0);
    free(joined);
    return result;
}

static int take_comments(const wvl_io_jpeg *j)
{
    int result = 0;
    for (jpeg_saved_marker_ptr m = j->info.marker_list; !result && m; m = m->next) {
        if (m->marker == JPEG_COM) {
            result = wvl_io_take_text(j->context, WVL_IO_FIELD_COMMENT, "comment", m->data, m->data_length);
        }
    }
    return result;
}

int wvl_io_jpeg_take_markers(wvl_io_jpeg *j)
{
    /* Further pictures follow the first one in the file. */
    const struct jpeg_marker_struct *m = find(j, JPEG_APP0 + 2, mpf_name, sizeof mpf_name);
    uint32_t count = m ? wvl_io_read_mpf_count(m->data + sizeof mpf_name, m->data_length - sizeof mpf_name) : 0;
    j->has_index = count > 1;
    if (count > 1) {
        wvl_io_note(j->context, "the first of %u pictures (MPF) is read", count);
    }
    int failed = take_exif(j) || take_photoshop(j) || take_comments(j) || take_icc(j) || take_xmp(j);
    return failed ? -1 : 0;
}
