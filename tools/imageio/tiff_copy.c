/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metadata of a TIFF directory: EXIF and GeoTIFF, copied tag by tag into streams of their own, texts, blocks and
 * numbers. libtiff leaves out tags of EXIF that it does not know, and takes a bad value of a tag for an error, so the
 * bytes are read here.
 */
#include "read_tiff.h"
#include "tiff_tags.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Copies of tags on their way. */
typedef struct copier {
    wvl_io_tiff *t;
    size_t copied; /* bytes so far, of all tags of all directories */
} copier;

typedef int (*wanted_tag)(unsigned tag);

/* Types that classic TIFF lacks stay behind: 16 to 18 are of eight bytes. */
static int is_copied_type(uint64_t type) { return wvl_io_tiff_type_bytes(type) != 0 && type <= 13; }

/* The values of an entry as they are stored, owned by the caller; NULL: they are not there, or there is no memory. */
static uint8_t *load_values(copier *l, const wvl_io_tiff_entry *e)
{
    wvl_io_source *source = &l->t->context->source;
    if (e->bytes == 0 || e->bytes > WVL_IO_MAX_METADATA_BYTES - l->copied || e->at > source->size ||
        e->bytes > source->size - e->at) {
        return NULL;
    }
    uint8_t *data = wvl_io_allocate(l->t->context, e->bytes, "tag");
    l->copied += (size_t)e->bytes;
    if (data && wvl_io_source_read_at(source, e->at, data, (size_t)e->bytes) != 0) {
        free(data);
        return NULL;
    }
    return data;
}

/* One entry; what is damaged is left out, and *damaged set. */
static int copy_entry(copier *l, const wvl_io_tiff_entry *e, wvl_io_tags *list, int *damaged)
{
    uint8_t *data = is_copied_type(e->type) ? load_values(l, e) : NULL;
    if (!data) {
        *damaged |= e->count != 0;
        return l->t->context->no_memory ? -1 : 0;
    }
    int result = wvl_io_add_tag(l->t->context, list, e->tag, e->type, (uint32_t)e->count, data);
    free(data);
    return result;
}

/* The wanted tags of a directory; is_wanted NULL: all. */
static int copy_tags(copier *l, const wvl_io_tiff_directory *d, wanted_tag is_wanted, wvl_io_tags *list, int *damaged)
{
    int result = 0;
    list->big_endian = l->t->form.big_endian;
    for (uint32_t i = 0; result == 0 && i < d->count; i++) {
        wvl_io_tiff_entry e = wvl_io_tiff_entry_of(l->t, d, i);
        if (!is_wanted || is_wanted(e.tag)) {
            result = copy_entry(l, &e, list, damaged);
        }
    }
    return result;
}

/* All tags of the directory at `at`, which may be damaged. */
static int copy_directory(copier *l, uint64_t at, wvl_io_tags *list, int *damaged)
{
    wvl_io_tiff_directory d;
    list->big_endian = l->t->form.big_endian;
    if (wvl_io_tiff_load_directory(l->t, at, &d) != 0) {
        *damaged = 1;
        return l->t->context->no_memory ? -1 : 0;
    }
    int result = copy_tags(l, &d, NULL, list, damaged);
    wvl_io_tiff_release_directory(&d);
    return result;
}

static void lose_tag(wvl_io_context *context, const char *name, const char *why)
{
    char text[64];
    snprintf(text, sizeof text, "%s (%s)", name, why);
    wvl_io_lose(context, text);
}

/* ---- Orientation, resolution, profile, XMP --------------------------------------------------- */

/* A whole number that must be 1 to `most`; 0: there is none, or it is bad, which is told. */
static unsigned take_number(copier *l, const wvl_io_tiff_directory *d, unsigned tag, const char *name, unsigned most)
{
    wvl_io_tiff_entry e;
    uint64_t value = 0;
    char why[32] = "damaged";
    if (!wvl_io_tiff_find_entry(l->t, d, tag, &e)) {
        return 0;
    }
    int is_number = e.count == 1 && wvl_io_tiff_entry_number(l->t, &e, 0, &value);
    if (is_number && value >= 1 && value <= most) {
        return (unsigned)value;
    }
    if (is_number) {
        snprintf(why, sizeof why, "%llu", (unsigned long long)value);
    }
    lose_tag(l->t->context, name, why);
    return 0;
}

/* A fraction, or a whole number. 0: it is none; a denominator of 0 makes 0. */
static int real_of(copier *l, const wvl_io_tiff_entry *e, double *value)
{
    uint8_t *p = e->count == 1 ? load_values(l, e) : NULL;
    uint64_t word = p ? wvl_io_number(p, l->t->form.big_endian, e->bytes < 8 ? (unsigned)e->bytes : 8) : 0;
    uint64_t upper = p ? wvl_io_number(p, l->t->form.big_endian, e->bytes < 4 ? (unsigned)e->bytes : 4) : 0;
    uint64_t lower = p && e->bytes == 8 ? wvl_io_number(p + 4, l->t->form.big_endian, 4) : 0;
    uint32_t half = (uint32_t)word;
    float single;
    int is_real = p != NULL;
    free(p);
    switch (e->type) {
    case TIFF_SHORT:
    case TIFF_LONG: *value = (double)word; return is_real;
    case TIFF_RATIONAL: *value = lower ? (double)upper / (double)lower : 0; return is_real;
    case TIFF_SRATIONAL: *value = lower ? (double)(int32_t)upper / (double)(int32_t)lower : 0; return is_real;
    case TIFF_FLOAT:
        memcpy(&single, &half, sizeof single);
        *value = single;
        return is_real;
    case TIFF_DOUBLE: memcpy(value, &word, sizeof *value); return is_real;
    default: return 0;
    }
}

static double per_metre(copier *l, const wvl_io_tiff_directory *d, unsigned tag, const char *name, unsigned unit)
{
    wvl_io_tiff_entry e;
    double value = 0;
    if (!wvl_io_tiff_find_entry(l->t, d, tag, &e)) {
        return 0;
    }
    if (!real_of(l, &e, &value) || !isfinite(value) || value < 0) {
        lose_tag(l->t->context, name, "damaged");
        return 0;
    }
    return (double)(float)value * (unit == RESUNIT_INCH ? 1.0 / 0.0254 : 100.0); /* as TIFF has it */
}

/* A block that the metadata takes; a damaged one is named. */
static int take_block(copier *l, const wvl_io_tiff_directory *d, unsigned tag, const char *name,
                      int (*take)(wvl_io_context *, const void *, size_t))
{
    wvl_io_context *context = l->t->context;
    wvl_io_tiff_entry e;

    if (!wvl_io_tiff_find_entry(l->t, d, tag, &e)) {
        return 0;
    }
    if (wvl_io_tiff_type_bytes(e.type) != 1) {
        lose_tag(context, name, "wrong type");
        return 0;
    }
    uint8_t *data = load_values(l, &e);
    if (!data && !context->no_memory) {
        lose_tag(context, name, e.count ? "damaged" : "empty");
    }
    int result = data ? take(context, data, (size_t)e.bytes) : 0;
    free(data);
    return context->no_memory ? -1 : result;
}

static int take_basics(copier *l, const wvl_io_tiff_directory *d, int is_own)
{
    wvl_io_context *context = l->t->context;
    unsigned orientation = take_number(l, d, TIFFTAG_ORIENTATION, "Orientation", 8);
    int result = 0;

    if (orientation && context->picture->orientation == 1) {
        context->picture->orientation = (uint8_t)orientation;
    }
    if (is_own) {
        wvl_io_tiff_entry e;
        int is_told = wvl_io_tiff_find_entry(l->t, d, TIFFTAG_RESOLUTIONUNIT, &e);
        unsigned unit = is_told ? take_number(l, d, TIFFTAG_RESOLUTIONUNIT, "ResolutionUnit", 3) : RESUNIT_INCH;
        if (unit == RESUNIT_INCH || unit == RESUNIT_CENTIMETER) {
            double across = per_metre(l, d, TIFFTAG_XRESOLUTION, "XResolution", unit);
            wvl_io_take_resolution(l->t->context, across, per_metre(l, d, TIFFTAG_YRESOLUTION, "YResolution", unit));
        }
        result = take_block(l, d, TIFFTAG_ICCPROFILE, "ICC profile", wvl_io_take_icc);
    }
    TRY(result, take_block(l, d, TIFFTAG_XMLPACKET, "XMP", wvl_io_take_xmp));
    return result;
}

/* ---- EXIF ------------------------------------------------------------------------------------ */

/* Tags that EXIF keeps in the first directory (Exif 2.32, table 4), and those that Windows adds. */
static int is_kept_in_exif(unsigned tag)
{
    static const uint16_t tags[] = {270, 271, 272, 274, 282, 283, 296, 305, 306, 315, 316, 33432};
    return wvl_io_is_among(tag, tags, sizeof tags / sizeof tags[0]) || (tag >= 40091 && tag <= 40095) ||
           tag == WVL_TAG_EXIF || tag == WVL_TAG_GPS;
}

/* A pointer to a directory; 0: none. */
static uint64_t pointer_of(const wvl_io_tags *list, unsigned tag)
{
    const wvl_io_tag *t = wvl_io_find_tag(list, tag);
    int is_number = t && t->count == 1 && (t->type == WVL_TIFF_LONG || t->type == 13);
    return is_number ? wvl_io_number(t->data, list->big_endian, 4) : 0;
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
static int move_directory(copier *l, wvl_io_tags *parent, unsigned tag, wvl_io_tiff_stream *stream, int *damaged)
{
    wvl_io_context *context = l->t->context;
    wvl_io_tags list = {NULL, 0, 0};
    uint64_t from = pointer_of(parent, tag);
    uint32_t at = 0;
    if (!drop_tag(parent, tag)) {
        return 0;
    }
    int result = copy_directory(l, from, &list, damaged);
    (void)drop_tag(&list, WVL_TAG_EXIF);
    (void)drop_tag(&list, WVL_TAG_GPS);
    if (result == 0 && tag == WVL_TAG_EXIF) {
        result = move_directory(l, &list, WVL_TAG_INTEROP, stream, damaged);
    } else {
        (void)drop_tag(&list, WVL_TAG_INTEROP);
    }
    if (result == 0 && list.count) {
        result = wvl_io_add_directory(context, stream, &list, 0, &at);
        TRY(result, wvl_io_add_long(context, parent, tag, at));
    }
    wvl_io_release_tags(&list);
    return result;
}

static int has_directories(const wvl_io_tags *list)
{
    return wvl_io_find_tag(list, WVL_TAG_EXIF) || wvl_io_find_tag(list, WVL_TAG_GPS);
}

/* A value that take_number() refused is no value of EXIF either. */
static void drop_bad_number(wvl_io_tags *list, unsigned tag, unsigned most)
{
    const wvl_io_tag *t = wvl_io_find_tag(list, tag);
    unsigned bytes = t && t->type == WVL_TIFF_SHORT ? 2 : 4;
    int is_number = t && t->count == 1 && (t->type == WVL_TIFF_SHORT || t->type == WVL_TIFF_LONG);
    uint64_t value = is_number ? wvl_io_number(t->data, list->big_endian, bytes) : 0;
    if (value < 1 || value > most) {
        (void)drop_tag(list, tag);
    }
}

static int take_exif(copier *l, const wvl_io_tiff_directory *d)
{
    wvl_io_context *context = l->t->context;
    wvl_io_tags list = {NULL, 0, 0};
    wvl_io_tiff_stream stream = {NULL, 0, 0};
    uint32_t first;
    int damaged = 0;
    int result = copy_tags(l, d, is_kept_in_exif, &list, &damaged);
    drop_bad_number(&list, TIFFTAG_ORIENTATION, 8);
    drop_bad_number(&list, TIFFTAG_RESOLUTIONUNIT, 3);
    if (result == 0 && has_directories(&list)) {
        result = wvl_io_start_stream(context, &stream, l->t->form.big_endian);
        TRY(result, move_directory(l, &list, WVL_TAG_EXIF, &stream, &damaged));
        TRY(result, move_directory(l, &list, WVL_TAG_GPS, &stream, &damaged));
        TRY(result, wvl_io_add_directory(context, &stream, &list, 1, &first));
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

/* Tags of GeoTIFF, and the type that they must have. */
static const uint16_t geo_tags[][2] = {{WVL_TAG_PIXEL_SCALE, WVL_TIFF_DOUBLE},    {WVL_TAG_TIEPOINTS, WVL_TIFF_DOUBLE},
                                       {WVL_TAG_TRANSFORMATION, WVL_TIFF_DOUBLE}, {WVL_TAG_GEO_KEYS, WVL_TIFF_SHORT},
                                       {WVL_TAG_GEO_DOUBLES, WVL_TIFF_DOUBLE},    {WVL_TAG_GEO_TEXTS, WVL_TIFF_ASCII},
                                       {WVL_TAG_GDAL_NODATA, WVL_TIFF_ASCII},     {WVL_TAG_RPC, WVL_TIFF_DOUBLE}};

static int is_geo(unsigned tag)
{
    for (size_t i = 0; i < sizeof geo_tags / sizeof geo_tags[0]; i++) {
        if (geo_tags[i][0] == tag) {
            return 1;
        }
    }
    return 0;
}

/* Leaves out those of another type; 1: one was, or one is there without values. */
static int drop_bad_geo(copier *l, const wvl_io_tiff_directory *d, wvl_io_tags *list)
{
    int is_bad = 0;
    for (size_t i = 0; i < sizeof geo_tags / sizeof geo_tags[0]; i++) {
        wvl_io_tiff_entry e;
        const wvl_io_tag *t = wvl_io_find_tag(list, geo_tags[i][0]);
        is_bad |= !t && wvl_io_tiff_find_entry(l->t, d, geo_tags[i][0], &e);
        is_bad |= t && t->type != geo_tags[i][1] && drop_tag(list, geo_tags[i][0]);
    }
    return is_bad;
}

static int take_geo(copier *l, const wvl_io_tiff_directory *d)
{
    wvl_io_context *context = l->t->context;
    wvl_io_tags list = {NULL, 0, 0};
    int damaged = 0;
    int result = copy_tags(l, d, is_geo, &list, &damaged);
    if (result == 0 && drop_bad_geo(l, d, &list)) {
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
    int found = tag == TAG_IPTC || tag == TAG_PHOTOSHOP;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        found |= texts[i].tag == tag;
    }
    return found;
}

static int take_blocks(copier *l, const wvl_io_tiff_directory *d, const wvl_io_tags *list)
{
    wvl_io_context *context = l->t->context;
    const wvl_io_tag *iptc = wvl_io_find_tag(list, TAG_IPTC), *photoshop = wvl_io_find_tag(list, TAG_PHOTOSHOP);
    wvl_io_tiff_entry e;
    int result = 0;
    if (iptc) {
        /* Some writers declare IPTC-IIM as LONG and turn each word round with the byte order of the file: turned back
         * when the first tag marker then comes first. */
        if (iptc->type == WVL_TIFF_LONG && iptc->data[0] != 0x1C && iptc->data[3] == 0x1C) {
            for (size_t at = 0; at + 4 <= iptc->bytes; at += 4) {
                uint8_t *p = iptc->data + at, first = p[0], second = p[1];
                p[0] = p[3];
                p[1] = p[2];
                p[2] = second;
                p[3] = first;
            }
        }
        result = wvl_io_take_blob(context, WVL_IO_IPTC, iptc->data, iptc->bytes);
    } else if (wvl_io_tiff_find_entry(l->t, d, TAG_IPTC, &e)) {
        lose_tag(context, "IPTC", "damaged");
    }
    if (result == 0 && photoshop) {
        result = wvl_io_take_photoshop(context, photoshop->data, photoshop->bytes);
    } else if (wvl_io_tiff_find_entry(l->t, d, TAG_PHOTOSHOP, &e)) {
        lose_tag(context, "Photoshop resources", "damaged");
    }
    if (wvl_io_tiff_find_entry(l->t, d, WVL_TAG_GDAL_METADATA, &e)) {
        wvl_io_lose(context, "GDAL_METADATA");
    }
    return result;
}

/* A tag that is there and was not copied, or is no text. */
static int is_lost(copier *l, const wvl_io_tiff_directory *d, const wvl_io_tags *list, unsigned tag, const char *name)
{
    wvl_io_tiff_entry e;
    const wvl_io_tag *t = wvl_io_find_tag(list, tag);
    int is_bytes = t && wvl_io_tiff_type_bytes(t->type) == 1;
    if (!is_bytes && wvl_io_tiff_find_entry(l->t, d, tag, &e)) {
        lose_tag(l->t->context, name, t ? "wrong type" : "damaged");
    }
    return !is_bytes;
}

/* 1: the picture, which lies in a SubIFD, has this field itself; then that of its page does not count. */
static int is_said(const wvl_io_metadata *m, wvl_io_field field)
{
    for (size_t i = 0; i < m->text_count; i++) {
        if (m->texts[i].field == field) {
            return 1;
        }
    }
    return 0;
}

static int take_texts(copier *l, const wvl_io_tiff_directory *d, int is_own)
{
    wvl_io_context *context = l->t->context;
    wvl_io_tags list = {NULL, 0, 0};
    int damaged = 0;
    int result = copy_tags(l, d, is_text_or_block, &list, &damaged);
    for (size_t i = 0; result == 0 && i < sizeof texts / sizeof texts[0]; i++) {
        const wvl_io_tag *t = wvl_io_find_tag(&list, texts[i].tag);
        int is_known = !is_own && is_said(&context->picture->metadata, texts[i].field);
        if (!is_lost(l, d, &list, texts[i].tag, texts[i].name) && !is_known) {
            result = wvl_io_take_text(context, texts[i].field, texts[i].name, t->data, t->bytes);
        }
    }
    TRY(result, take_blocks(l, d, &list));
    wvl_io_release_tags(&list);
    return result;
}

/* The place of a picture depends on its size, so that of a thumbnail is not taken. */
static int take_directory(copier *l, uint64_t at, int is_own)
{
    wvl_io_tiff_directory d;
    if (wvl_io_tiff_load_directory(l->t, at, &d) != 0) {
        return -1;
    }
    int result = take_basics(l, &d, is_own);
    TRY(result, take_exif(l, &d));
    TRY(result, is_own ? take_geo(l, &d) : 0);
    TRY(result, take_texts(l, &d, is_own));
    wvl_io_tiff_release_directory(&d);
    return result;
}

int wvl_io_tiff_take_metadata(wvl_io_tiff *t)
{
    copier l = {t, 0};
    int result = take_directory(&l, t->at, 1);
    return result == 0 && t->parent ? take_directory(&l, t->parent, 0) : result;
}
