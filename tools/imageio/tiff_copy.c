/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metadata of a TIFF directory: EXIF and GeoTIFF, copied tag by tag into streams of their own, and texts. libtiff
 * leaves out tags of EXIF that it does not know, so the bytes are read here.
 */
#include "read_tiff.h"
#include "tiff_tags.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ENTRIES 4096u /* of one directory */

/* How the numbers of the file are written. */
typedef struct layout {
    int big_endian, is_big; /* BigTIFF */
    unsigned count_bytes, entry_bytes, wide;
    size_t copied; /* bytes so far, of all tags of all directories */
} layout;

static int read_at(wvl_io_context *context, uint64_t at, void *bytes, size_t byte_count)
{
    return wvl_io_source_seek(&context->source, at) == 0 &&
           wvl_io_source_read_some(&context->source, bytes, byte_count) == byte_count;
}

static uint64_t number(const layout *l, const uint8_t *p, unsigned byte_count)
{
    return wvl_io_tiff_number(p, l->big_endian, byte_count);
}

static int read_layout(wvl_io_context *context, layout *l)
{
    uint8_t head[4];
    memset(l, 0, sizeof *l);
    if (!read_at(context, 0, head, sizeof head)) {
        return 0;
    }
    l->big_endian = head[0] == 'M';
    l->is_big = number(l, head + 2, 2) == 43;
    l->count_bytes = l->is_big ? 8 : 2;
    l->entry_bytes = l->is_big ? 20 : 12;
    l->wide = l->is_big ? 8 : 4;
    return 1;
}

typedef int (*wanted_tag)(unsigned tag);

/* Types that classic TIFF lacks stay behind: 16 to 18 are of eight bytes. */
static int is_copied_type(uint64_t type) { return wvl_io_tiff_type_bytes(type) != 0 && type <= 13; }

/* One entry; what is damaged is left out, and *damaged set. */
static int copy_entry(wvl_io_context *context, layout *l, const uint8_t *entry, wvl_io_tags *list, int *damaged)
{
    uint64_t type = number(l, entry + 2, 2), count = number(l, entry + 4, l->wide);
    unsigned value_bytes = wvl_io_tiff_type_bytes(type);
    if (!is_copied_type(type) || count == 0 || count > WVL_IO_MAX_METADATA_BYTES / value_bytes) {
        *damaged |= count != 0;
        return 0;
    }
    size_t bytes = (size_t)count * value_bytes;
    uint64_t at = number(l, entry + 4 + l->wide, l->wide), size = context->source.size;
    if (bytes <= l->wide) {
        return wvl_io_add_tag(context, list, (unsigned)number(l, entry, 2), (unsigned)type, (uint32_t)count,
                              entry + 4 + l->wide);
    }
    if (bytes > WVL_IO_MAX_METADATA_BYTES - l->copied || at > size || bytes > size - at) {
        *damaged = 1;
        return 0;
    }
    l->copied += bytes;
    uint8_t *data = wvl_io_allocate(context, bytes, "tag");
    if (!data) {
        return -1;
    }
    int result = 0;
    if (read_at(context, at, data, bytes)) {
        result = wvl_io_add_tag(context, list, (unsigned)number(l, entry, 2), (unsigned)type, (uint32_t)count, data);
    } else {
        *damaged = 1;
    }
    free(data);
    return result;
}

/* The wanted tags of the directory at `at`. */
static int copy_directory(wvl_io_context *context, layout *l, uint64_t at, wanted_tag is_wanted, wvl_io_tags *list,
                          int *damaged)
{
    uint8_t head[8], entry[20];
    list->big_endian = l->big_endian;
    uint64_t count = read_at(context, at, head, l->count_bytes) ? number(l, head, l->count_bytes) : UINT64_MAX;
    if (count > MOST_ENTRIES) {
        *damaged = 1;
        return 0;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (!read_at(context, at + l->count_bytes + i * l->entry_bytes, entry, l->entry_bytes)) {
            *damaged = 1;
            return 0;
        }
        if (is_wanted((unsigned)number(l, entry, 2)) && copy_entry(context, l, entry, list, damaged) != 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- EXIF ------------------------------------------------------------------------------------ */

/* Of the first directory: what EXIF keeps there (Exif 2.32, table 4), and the names that Windows adds. */
static int is_kept_in_exif(unsigned tag)
{
    static const uint16_t tags[] = {270, 271, 272, 274, 282, 283, 296, 305, 306, 315, 316, 33432};
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        if (tags[i] == tag) {
            return 1;
        }
    }
    return (tag >= 40091 && tag <= 40095) || tag == WVL_TAG_EXIF || tag == WVL_TAG_GPS;
}

static int is_any(unsigned tag)
{
    (void)tag;
    return 1;
}

/* A pointer to a directory; 0: none. */
static uint64_t pointer_of(const wvl_io_tags *list, unsigned tag)
{
    const wvl_io_tag *t = wvl_io_find_tag(list, tag);
    int is_number = t && t->count == 1 && (t->type == WVL_TIFF_LONG || t->type == 13);
    return is_number ? wvl_io_tiff_number(t->data, list->big_endian, 4) : 0;
}

static int drop_tag(wvl_io_tags *list, unsigned tag)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->tags[i].tag == tag) {
            free(list->tags[i].data);
            memmove(list->tags + i, list->tags + i + 1, (list->count - i - 1) * sizeof *list->tags);
            list->count--;
            return 1;
        }
    }
    return 0;
}

/* Copies the directory that `tag` of `parent` points to, with its own Interoperability directory, to the end of the
 * stream, and lets `parent` point there. Without one nothing is done. Directories elsewhere are no EXIF. */
static int move_directory(wvl_io_context *context, layout *l, wvl_io_tags *parent, unsigned tag,
                          wvl_io_tiff_stream *stream, int *damaged)
{
    wvl_io_tags list = {NULL, 0, 0};
    uint64_t from = pointer_of(parent, tag);
    uint32_t at = 0;
    if (!drop_tag(parent, tag)) {
        return 0;
    }
    int result = copy_directory(context, l, from, is_any, &list, damaged);
    (void)drop_tag(&list, WVL_TAG_EXIF);
    (void)drop_tag(&list, WVL_TAG_GPS);
    if (result == 0 && tag == WVL_TAG_EXIF) {
        result = move_directory(context, l, &list, WVL_TAG_INTEROP, stream, damaged);
    } else {
        (void)drop_tag(&list, WVL_TAG_INTEROP);
    }
    if (result == 0 && list.count) {
        result = wvl_io_add_directory(context, stream, &list, 0, &at);
        result = result == 0 ? wvl_io_add_long(context, parent, tag, at) : result;
    }
    wvl_io_release_tags(&list);
    return result;
}

static int has_directories(const wvl_io_tags *list)
{
    return wvl_io_find_tag(list, WVL_TAG_EXIF) || wvl_io_find_tag(list, WVL_TAG_GPS);
}

static int take_exif(wvl_io_context *context, layout *l, uint64_t at)
{
    wvl_io_tags list = {NULL, 0, 0};
    wvl_io_tiff_stream stream = {NULL, 0, 0, 0};
    uint32_t first;
    int damaged = 0;
    int result = copy_directory(context, l, at, is_kept_in_exif, &list, &damaged);
    if (result == 0 && has_directories(&list)) {
        result = wvl_io_start_stream(context, &stream, l->big_endian);
        if (result == 0) {
            result = move_directory(context, l, &list, WVL_TAG_EXIF, &stream, &damaged);
        }
        if (result == 0) {
            result = move_directory(context, l, &list, WVL_TAG_GPS, &stream, &damaged);
        }
        if (result == 0) {
            result = wvl_io_add_directory(context, &stream, &list, 1, &first);
        }
        if (result == 0 && has_directories(&list)) {
            result = wvl_io_take_exif(context, stream.data, stream.bytes);
        }
        if (damaged) {
            wvl_io_lose(context, "damaged tags of EXIF");
        }
    }
    free(stream.data);
    wvl_io_release_tags(&list);
    return result;
}

/* ---- GeoTIFF --------------------------------------------------------------------------------- */

static int is_geo(unsigned tag)
{
    static const uint16_t tags[] = {WVL_TAG_PIXEL_SCALE, WVL_TAG_TIEPOINTS, WVL_TAG_TRANSFORMATION, WVL_TAG_GEO_KEYS,
                                    WVL_TAG_GEO_DOUBLES, WVL_TAG_GEO_TEXTS, WVL_TAG_GDAL_NODATA,    WVL_TAG_RPC};
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        if (tags[i] == tag) {
            return 1;
        }
    }
    return 0;
}

static int take_geo(wvl_io_context *context, layout *l, uint64_t at)
{
    wvl_io_tags list = {NULL, 0, 0};
    int damaged = 0;
    int result = copy_directory(context, l, at, is_geo, &list, &damaged);
    if (result == 0 && damaged) {
        wvl_io_lose(context, "damaged tags of GeoTIFF");
    }
    if (result == 0 && list.count == 1 && list.tags[0].tag == WVL_TAG_GDAL_NODATA) {
        wvl_io_lose(context, "GDAL_NODATA"); /* GeoJP2 is for pictures that have a place */
    } else if (result == 0 && list.count) {
        result = wvl_io_take_geo_tags(context, &list);
    }
    wvl_io_release_tags(&list);
    return result;
}

/* ---- Texts and blocks ------------------------------------------------------------------------ */

static const struct {
    uint16_t tag;
    wvl_io_field field;
    const char *name;
} texts[] = {
    {270, WVL_IO_FIELD_DESCRIPTION, "ImageDescription"},
    {271, WVL_IO_FIELD_MAKE, "Make"},
    {272, WVL_IO_FIELD_MODEL, "Model"},
    {305, WVL_IO_FIELD_SOFTWARE, "Software"},
    {306, WVL_IO_FIELD_MODIFIED, "DateTime"},
    {315, WVL_IO_FIELD_ARTIST, "Artist"},
    {33432, WVL_IO_FIELD_COPYRIGHT, "Copyright"},
    {269, WVL_IO_FIELD_TITLE, "DocumentName"},
    {285, WVL_IO_FIELD_OTHER, "PageName"},
    {316, WVL_IO_FIELD_OTHER, "HostComputer"},
};

#define TAG_IPTC 33723u
#define TAG_PHOTOSHOP 34377u

static int is_text_or_block(unsigned tag)
{
    int found = tag == TAG_IPTC || tag == TAG_PHOTOSHOP || tag == WVL_TAG_GDAL_METADATA;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        found |= texts[i].tag == tag;
    }
    return found;
}

/* Some writers declare IPTC-IIM as LONG and turn each word round with the byte order of the file: turned back when the
 * first tag marker then comes first. */
static void mend_iptc(const wvl_io_tag *t)
{
    if (t->type != WVL_TIFF_LONG || t->data[0] == 0x1C || t->data[3] != 0x1C) {
        return;
    }
    for (size_t at = 0; at + 4 <= t->bytes; at += 4) {
        uint8_t *p = t->data + at, first = p[0], second = p[1];
        p[0] = p[3];
        p[1] = p[2];
        p[2] = second;
        p[3] = first;
    }
}

static int take_blocks(wvl_io_context *context, const wvl_io_tags *list)
{
    const wvl_io_tag *iptc = wvl_io_find_tag(list, TAG_IPTC), *photoshop = wvl_io_find_tag(list, TAG_PHOTOSHOP);
    int result = 0;
    if (iptc) {
        mend_iptc(iptc);
        result = wvl_io_take_blob(context, WVL_IO_IPTC, iptc->data, iptc->bytes);
    }
    if (result == 0 && photoshop) {
        result = wvl_io_take_photoshop(context, photoshop->data, photoshop->bytes);
    }
    if (wvl_io_find_tag(list, WVL_TAG_GDAL_METADATA)) {
        wvl_io_lose(context, "GDAL_METADATA");
    }
    return result;
}

static int take_texts(wvl_io_context *context, layout *l, uint64_t at)
{
    wvl_io_tags list = {NULL, 0, 0};
    int damaged = 0;
    int result = copy_directory(context, l, at, is_text_or_block, &list, &damaged);
    for (size_t i = 0; result == 0 && i < sizeof texts / sizeof texts[0]; i++) {
        const wvl_io_tag *t = wvl_io_find_tag(&list, texts[i].tag);
        if (t && t->type == WVL_TIFF_ASCII) {
            result = wvl_io_take_text(context, texts[i].field, texts[i].name, t->data, t->bytes);
        }
    }
    if (result == 0) {
        result = take_blocks(context, &list);
    }
    if (damaged) {
        wvl_io_lose(context, "damaged tags");
    }
    wvl_io_release_tags(&list);
    return result;
}

int wvl_io_tiff_take_metadata(wvl_io_tiff *t)
{
    layout l;
    uint64_t at = TIFFCurrentDirOffset(t->tiff);
    if (!read_layout(t->context, &l)) {
        return 0; /* read by libtiff a moment ago: the file shrinks under us */
    }
    int result = take_exif(t->context, &l, at);
    if (result == 0) {
        result = take_geo(t->context, &l, at);
    }
    return result == 0 ? take_texts(t->context, &l, at) : result;
}
