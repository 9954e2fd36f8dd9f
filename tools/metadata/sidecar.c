/* SPDX-License-Identifier: BSD-2-Clause */
#include "sidecar.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/imageio/tiff_tags.h"
#include "xml.h"

#define MOST_POINTS 10000u

/* The place and the system that the files give together. */
typedef struct place {
    int has_transform;
    double transform[6]; /* X = [0] + column * [1] + row * [2], Y = [3] + column * [4] + row * [5]; of pixel corners */
    uint16_t epsg;
    int is_geographic;
    double *points; /* GCPs: column, row, 0, X, Y, Z each */
    uint32_t point_count;
    char nodata[40];
} place;

/* ---- Numbers and texts ----------------------------------------------------------------------- */

/* `count` numbers with blanks or commas between them, and nothing else. */
static int read_numbers(wvl_xml_span text, double *values, unsigned count)
{
    char copy[512];
    if (text.bytes >= sizeof copy) {
        return 0;
    }
    memcpy(copy, text.at, text.bytes);
    copy[text.bytes] = '\0';
    char *at = copy;
    for (unsigned i = 0; i < count; i++) {
        char *end;
        at += strspn(at, " \t\r\n,");
        values[i] = strtod(at, &end);
        if (end == at || !isfinite(values[i])) {
            return 0;
        }
        at = end;
    }
    return at[strspn(at, " \t\r\n,")] == '\0';
}

/* ---- The coordinate system ------------------------------------------------------------------- */

static uint32_t digits_at(wvl_xml_span s, size_t at)
{
    uint32_t value = 0;
    while (at < s.bytes && (isspace((unsigned char)s.at[at]) || s.at[at] == '"' || s.at[at] == ',')) {
        at++;
    }
    for (; at < s.bytes && isdigit((unsigned char)s.at[at]) && value < 100000; at++) {
        value = value * 10 + (uint32_t)(s.at[at] - '0');
    }
    return value;
}

/* Well-known text, quotes as in the file or as &quot;: the authority of the outermost node, of EPSG. */
static uint32_t find_epsg(wvl_xml_span wkt)
{
    static const char *const words[] = {"AUTHORITY[\"EPSG\"", "ID[\"EPSG\""};
    int depth = 0, is_quoted = 0;
    for (size_t at = 0; at < wkt.bytes; at++) {
        for (size_t i = 0; !is_quoted && depth == 1 && i < 2; i++) {
            if (wvl_xml_begins(wkt, at, words[i])) {
                return digits_at(wkt, at + strlen(words[i]));
            }
        }
        is_quoted ^= wkt.at[at] == '"';
        depth += !is_quoted && wkt.at[at] == '[';
        depth -= !is_quoted && wkt.at[at] == ']';
    }
    return 0;
}

/* &quot; becomes a quote; the other entities stand in names only, which nobody reads here. */
static char *unquote(wvl_xml_span text, size_t *bytes)
{
    char *copy = malloc(text.bytes + 1);
    size_t n = 0;
    for (size_t at = 0; copy && at < text.bytes; at++) {
        int is_quote = wvl_xml_begins(text, at, "&quot;");
        copy[n++] = is_quote ? '"' : text.at[at];
        at += is_quote ? 5 : 0;
    }
    *bytes = n;
    return copy;
}

static int take_system(wvl_xml_span text, wvl_io_picture *io, place *p)
{
    size_t bytes;
    char *copy = unquote(text, &bytes);
    wvl_xml_span wkt = {copy, bytes};
    if (!copy) {
        return -1;
    }
    size_t start = 0;
    while (start < bytes && isspace((unsigned char)copy[start])) {
        start++;
    }
    uint32_t epsg = find_epsg(wkt);
    p->is_geographic = wvl_xml_begins(wkt, start, "GEOG");
    if (epsg >= 1024 && epsg <= 32766 && (p->is_geographic || wvl_xml_begins(wkt, start, "PROJ"))) {
        p->epsg = (uint16_t)epsg;
    } else {
        wvl_io_add_name(io->lost, sizeof io->lost, "coordinate system of .aux.xml (has no EPSG code)");
    }
    free(copy);
    return 0;
}

/* ---- .aux.xml -------------------------------------------------------------------------------- */

static int take_point(const wvl_xml_tag *tag, place *p)
{
    static const char *const names[] = {"Pixel", "Line", "", "X", "Y", "Z"};
    double point[6] = {0, 0, 0, 0, 0, 0};
    unsigned found = 0;
    wvl_xml_span name, value;
    for (size_t at = 0; wvl_xml_next_attribute(tag, &at, &name, &value) > 0;) {
        for (unsigned i = 0; i < 6; i++) {
            found |= wvl_xml_is(name, names[i]) && read_numbers(value, &point[i], 1) ? 1u << i : 0;
        }
    }
    if ((found & 0x1B) != 0x1B || p->point_count == MOST_POINTS) {
        return 0;
    }
    double *larger = realloc(p->points, (p->point_count + 1) * sizeof point);
    if (!larger) {
        return -1;
    }
    p->points = larger;
    memcpy(p->points + 6 * (size_t)p->point_count, point, sizeof point);
    p->point_count++;
    return 0;
}

static int take_attribute_system(const wvl_xml_tag *tag, wvl_io_picture *io, place *p)
{
    wvl_xml_span name, value;
    for (size_t at = 0; wvl_xml_next_attribute(tag, &at, &name, &value) > 0;) {
        if (wvl_xml_is(name, "Projection") && value.bytes) {
            return take_system(value, io, p);
        }
    }
    return 0;
}

static int take_element(wvl_xml_span document, size_t at, const wvl_xml_tag *tag, wvl_io_picture *io, place *p)
{
    /* The content of a start tag up to the next tag. */
    const char *end = at < document.bytes ? memchr(document.at + at, '<', document.bytes - at) : NULL;
    wvl_xml_span content = (wvl_xml_span){document.at + at, end ? (size_t)(end - (document.at + at)) : 0};
    double value;
    if (tag->closes) {
        return 0;
    }
    if (wvl_xml_is(tag->name, "GCP")) {
        return take_point(tag, p);
    }
    if (wvl_xml_is(tag->name, "GCPList")) {
        return p->epsg ? 0 : take_attribute_system(tag, io, p);
    }
    if (wvl_xml_is(tag->name, "SRS")) {
        return p->epsg ? 0 : take_system(content, io, p);
    }
    if (wvl_xml_is(tag->name, "GeoTransform")) {
        p->has_transform = read_numbers(content, p->transform, 6);
    } else if (wvl_xml_is(tag->name, "NoDataValue") && read_numbers(content, &value, 1)) {
        snprintf(p->nodata, sizeof p->nodata, "%.17g", value);
    }
    return 0;
}

static int read_aux(wvl_xml_span document, wvl_io_picture *io, place *p)
{
    wvl_xml_tag tag;
    int found, result = 0, is_dataset = 0;
    for (size_t at = 0; result == 0 && (found = wvl_xml_next_tag(document, &at, &tag)) != 0;) {
        if (found < 0) {
            wvl_io_add_name(io->lost, sizeof io->lost, ".aux.xml (damaged)");
            return 0;
        }
        is_dataset |= wvl_xml_is(tag.name, "PAMDataset");
        result = is_dataset ? take_element(document, at, &tag, io, p) : 0;
    }
    return result;
}

/* The number that a line begins with, which may have a decimal comma, and words behind it. */
static int read_line(wvl_xml_span line, double *value)
{
    char copy[64], *end;
    size_t n = line.bytes < sizeof copy ? line.bytes : sizeof copy - 1;
    for (size_t i = 0; i < n; i++) {
        copy[i] = (char)(line.at[i] == ',' ? '.' : line.at[i]);
    }
    copy[n] = '\0';
    *value = strtod(copy, &end);
    return end != copy && isfinite(*value) && (!*end || isspace((unsigned char)*end));
}

/* The first six lines that are not blank, or one with all numbers; as GDAL, which does not mind more lines. */
static int read_lines(wvl_xml_span text, double v[6])
{
    size_t at = text.bytes >= 3 && !memcmp(text.at, "\xEF\xBB\xBF", 3) ? 3 : 0, count = 0, end;
    wvl_xml_span only = {NULL, 0};
    int are_numbers = 1;
    for (; at < text.bytes && count < 6; at = end + 1) {
        for (end = at; end < text.bytes && text.at[end] != '\n' && text.at[end] != '\r';) {
            end++;
        }
        while (at < end && isspace((unsigned char)text.at[at])) {
            at++;
        }
        if (at < end) {
            only = (wvl_xml_span){text.at + at, end - at};
            are_numbers &= read_line(only, &v[count++]);
        }
    }
    return count == 1 ? read_numbers(only, v, 6) : count == 6 && are_numbers;
}

/* Six lines: X a column, Y a column, X a row, Y a row, and the centre of the first pixel. */
static void read_world(wvl_xml_span text, wvl_io_picture *io, place *p)
{
    double v[6];
    if (p->has_transform || p->point_count) {
        return; /* .aux.xml counts more */
    }
    if (!read_lines(text, v) || v[0] * v[3] == v[1] * v[2]) {
        wvl_io_add_name(io->lost, sizeof io->lost, "world file (its numbers give no location)");
        return;
    }
    const double transform[6] = {v[4] - 0.5 * (v[0] + v[2]), v[0], v[2], v[5] - 0.5 * (v[1] + v[3]), v[1], v[3]};
    memcpy(p->transform, transform, sizeof transform);
    p->has_transform = 1;
}

/* ---- Tags ------------------------------------------------------------------------------------ */

static int add_keys(wvl_io_context *context, wvl_io_tags *tags, const place *p)
{
    /* GTModelType 1 projected, 2 geographic, 0 unknown; GTRasterType 1: pixels are areas. */
    const uint16_t model = p->is_geographic ? 2 : 1;
    const uint16_t with[] = {
        1, 1, 0, 3, 1024, 0, 1, model, 1025, 0, 1, 1, (uint16_t)(p->is_geographic ? 2048 : 3072), 0, 1, p->epsg};
    static const uint16_t without[] = {1, 1, 0, 1, 1025, 0, 1, 1};
    return p->epsg ? wvl_io_add_shorts(context, tags, WVL_TAG_GEO_KEYS, with, 16)
                   : wvl_io_add_shorts(context, tags, WVL_TAG_GEO_KEYS, without, 8);
}

static int add_transform(wvl_io_context *context, wvl_io_tags *tags, const double t[6])
{
    const double scale[3] = {t[1], -t[5], 0}, tie[6] = {0, 0, 0, t[0], t[3], 0};
    const double matrix[16] = {t[1], t[2], 0, t[0], t[4], t[5], 0, t[3], 0, 0, 0, 0, 0, 0, 0, 1};
    if (t[2] != 0.0 || t[4] != 0.0 || t[1] <= 0.0 || t[5] >= 0.0) {
        return wvl_io_add_doubles(context, tags, WVL_TAG_TRANSFORMATION, matrix, 16);
    }
    int result = wvl_io_add_doubles(context, tags, WVL_TAG_PIXEL_SCALE, scale, 3);
    return result == 0 ? wvl_io_add_doubles(context, tags, WVL_TAG_TIEPOINTS, tie, 6) : result;
}

/* ---- Tags of the picture ----------------------------------------------------------------------- */

static size_t find_tag(const wvl_io_tiff_block *s, unsigned tag)
{
    return wvl_io_find_entry(s, wvl_io_first_directory(s), tag);
}

int wvl_metadata_has_place(const wvl_io_blob *geo)
{
    wvl_io_tiff_block s = wvl_io_tiff_block_of(geo->data, geo->bytes);
    double value;
    size_t ties = geo->data ? find_tag(&s, WVL_TAG_TIEPOINTS) : 0;
    return geo->data && (find_tag(&s, WVL_TAG_TRANSFORMATION) || find_tag(&s, WVL_TAG_RPC) ||
                         (ties && (find_tag(&s, WVL_TAG_PIXEL_SCALE) || wvl_io_read_value(&s, ties, 6, &value))));
}

/* Keys and the like, which have no place with them. */
static int keep_given(wvl_io_context *context, wvl_io_tags *tags, const wvl_io_blob *geo)
{
    static const uint16_t kept[] = {WVL_TAG_GEO_KEYS, WVL_TAG_GEO_DOUBLES, WVL_TAG_GEO_TEXTS, WVL_TAG_GDAL_NODATA};
    wvl_io_tiff_block s = wvl_io_tiff_block_of(geo->data, geo->bytes);
    int result = 0;
    tags->big_endian = geo->data && s.big_endian;
    for (size_t i = 0; geo->data && result == 0 && i < sizeof kept / sizeof kept[0]; i++) {
        size_t entry = find_tag(&s, kept[i]), bytes = 0, at = entry ? wvl_io_find_values(&s, entry, &bytes) : 0;
        if (bytes) {
            unsigned number = (unsigned)wvl_io_number_at(&s, entry + 2, 2);
            result = wvl_io_add_tag(context, tags, kept[i], number, (uint32_t)(bytes / wvl_io_tiff_type_bytes(number)),
                                    s.bytes + at);
        }
    }
    return result;
}

static int make_tags(wvl_io_picture *io, place *p)
{
    wvl_io_context context = {.picture = io, .name = ""};
    wvl_io_tags tags = {NULL, 0, 0};
    /* If keys of the picture say that its raster is of points, places are those of their centres. */
    const wvl_io_blob *geo = &io->metadata.blobs[WVL_IO_GEO];
    wvl_io_tiff_block s = wvl_io_tiff_block_of(geo->data, geo->bytes);
    size_t keys = geo->data ? find_tag(&s, WVL_TAG_GEO_KEYS) : 0;
    double key = 0, value = 0;
    for (uint32_t i = 4; keys && p->has_transform && wvl_io_read_value(&s, keys, i + 3, &value); i += 4) {
        if (wvl_io_read_value(&s, keys, i, &key) && key == WVL_KEY_RASTER_TYPE && value == WVL_KEY_RASTER_IS_POINT) {
            p->transform[0] += 0.5 * (p->transform[1] + p->transform[2]);
            p->transform[3] += 0.5 * (p->transform[4] + p->transform[5]);
        }
    }
    int result = keep_given(&context, &tags, &io->metadata.blobs[WVL_IO_GEO]);
    TRY(result, add_keys(&context, &tags, p));
    if (result == 0 && p->has_transform) {
        result = add_transform(&context, &tags, p->transform);
    } else if (result == 0 && p->point_count) {
        result = wvl_io_add_doubles(&context, &tags, WVL_TAG_TIEPOINTS, p->points, 6 * p->point_count);
    }
    if (result == 0 && p->nodata[0]) {
        result = wvl_io_add_tag(&context, &tags, WVL_TAG_GDAL_NODATA, WVL_TIFF_ASCII, (uint32_t)strlen(p->nodata) + 1,
                                p->nodata);
    }
    if (result == 0) {
        wvl_io_drop_blob(&io->metadata, WVL_IO_GEO);
        result = wvl_io_take_geo_tags(&context, &tags);
    }
    wvl_io_release_tags(&tags);
    return result;
}

int wvl_metadata_take_sidecars(const char *aux, size_t aux_bytes, const char *world, size_t world_bytes,
                               wvl_io_picture *io)
{
    place p = {0};
    int result = 0;
    if (aux) {
        result = read_aux((wvl_xml_span){aux, aux_bytes}, io, &p);
    }
    if (result == 0 && world) {
        read_world((wvl_xml_span){world, world_bytes}, io, &p);
    }
    if (result == 0 && (p.has_transform || p.point_count || p.epsg || p.nodata[0])) {
        result = make_tags(io, &p);
    }
    free(p.points);
    return result;
}
