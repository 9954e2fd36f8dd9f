/* SPDX-License-Identifier: BSD-2-Clause */
#include "gml.h"

#include <math.h>
#include <stdio.h>

#include "tools/imageio/tiff_tags.h"

#define USER_DEFINED 32767u

/* X = origin[0] + column * per_column[0] + row * per_row[0], Y likewise; pixel centres have whole numbers. */
typedef struct grid {
    double origin[2], per_column[2], per_row[2];
    uint32_t epsg;
    int is_northing_first; /* in the document: all geographic systems, and many projected ones */
} grid;

/* ---- From GeoTIFF ---------------------------------------------------------------------------- */

/* The SHORT value of a key; 0: there is none. */
static uint32_t read_key(const wvl_io_tiff_block *s, size_t keys, unsigned wanted)
{
    double count = 0, key, place, value;
    if (!wvl_io_read_value(s, keys, 3, &count)) {
        return 0;
    }
    for (uint32_t i = 1; i <= (uint32_t)count; i++) {
        if (!wvl_io_read_value(s, keys, 4 * i, &key) || !wvl_io_read_value(s, keys, 4 * i + 1, &place) ||
            !wvl_io_read_value(s, keys, 4 * i + 3, &value)) {
            return 0;
        }
        if ((unsigned)key == wanted && place == 0.0) {
            return (uint32_t)value;
        }
    }
    return 0;
}

static int read_values(const wvl_io_tiff_block *s, unsigned tag, uint32_t count, double *values)
{
    size_t entry = wvl_io_find_entry(s, wvl_io_first_directory(s), tag);
    for (uint32_t i = 0; i < count; i++) {
        if (!entry || !wvl_io_read_value(s, entry, i, &values[i]) || !isfinite(values[i])) {
            return 0;
        }
    }
    return 1;
}

/* Corner (0, 0) of GeoTIFF is the corner of the first pixel, or its centre where the raster is of points. */
static int read_place(const wvl_io_tiff_block *s, int is_point, grid *g)
{
    double m[16], scale[3], tie[6], beyond[1], centre = is_point ? 0.0 : 0.5;
    size_t ties = wvl_io_find_entry(s, wvl_io_first_directory(s), WVL_TAG_TIEPOINTS);
    memset(g, 0, sizeof *g);
    if (read_values(s, WVL_TAG_TRANSFORMATION, 16, m)) {
        for (int i = 0; i < 2; i++) {
            g->per_column[i] = m[4 * i];
            g->per_row[i] = m[4 * i + 1];
            g->origin[i] = m[4 * i + 3];
        }
    } else if (read_values(s, WVL_TAG_PIXEL_SCALE, 3, scale) && read_values(s, WVL_TAG_TIEPOINTS, 6, tie) &&
               !wvl_io_read_value(s, ties, 6, beyond)) {
        g->per_column[0] = scale[0];
        g->per_row[1] = -scale[1];
        g->origin[0] = tie[3] - tie[0] * scale[0];
        g->origin[1] = tie[4] + tie[1] * scale[1];
    } else {
        return 0;
    }
    for (int i = 0; i < 2; i++) {
        g->origin[i] += centre * (g->per_column[i] + g->per_row[i]);
    }
    return 1;
}

static int read_grid(const wvl_io_blob *geo, grid *g, char *why, size_t why_bytes)
{
    wvl_io_tiff_block s = wvl_io_tiff_block_of(geo->data, geo->bytes);
    size_t keys = geo->data ? wvl_io_find_entry(&s, wvl_io_first_directory(&s), WVL_TAG_GEO_KEYS) : 0;
    if (!keys || !read_place(&s, read_key(&s, keys, WVL_KEY_RASTER_TYPE) == WVL_KEY_RASTER_IS_POINT, g)) {
        snprintf(why, why_bytes, "--gml needs a location: a scale with one tiepoint, or a transformation");
        return 0;
    }
    uint32_t projected = read_key(&s, keys, WVL_KEY_PROJECTED), geographic = read_key(&s, keys, WVL_KEY_GEOGRAPHIC);
    g->epsg = projected ? projected : geographic;
    wvl_metadata_axes axes = projected ? wvl_metadata_axes_of(projected) : WVL_METADATA_NORTHING_FIRST;
    g->is_northing_first = axes == WVL_METADATA_NORTHING_FIRST;
    if (!g->epsg || g->epsg == USER_DEFINED) {
        snprintf(why, why_bytes, "--gml needs a coordinate system with an EPSG code");
        return 0;
    }
    if (axes == WVL_METADATA_OTHER_AXES) {
        snprintf(why, why_bytes, "the axes of EPSG:%u are not known to be easting and northing", (unsigned)g->epsg);
        return 0;
    }
    return 1;
}

/* ---- The document ---------------------------------------------------------------------------- */

/* The shortest of 15 and 17 digits that gives the number back. */
static void print_number(char text[40], double value)
{
    snprintf(text, 40, "%.15g", value);
    if (strtod(text, NULL) != value) {
        snprintf(text, 40, "%.17g", value);
    }
}

/* Two numbers in the order of the system. */
static const char *print_pair(char text[80], const grid *g, const double pair[2])
{
    char first[40], second[40];
    print_number(first, pair[g->is_northing_first ? 1 : 0]);
    print_number(second, pair[g->is_northing_first ? 0 : 1]);
    snprintf(text, 80, "%s %s", first, second);
    return text;
}

#define SYSTEM " srsName=\"urn:ogc:def:crs:EPSG::%u\">"

/* Bounds of the outer edges of all pixels. */
static void put_bounds(wvl_text *t, const grid *g, uint32_t width, uint32_t height)
{
    double low[2], high[2];
    char lower[80], upper[80];
    for (int i = 0; i < 2; i++) {
        double corner = g->origin[i] - 0.5 * (g->per_column[i] + g->per_row[i]);
        double across = g->per_column[i] * width, down = g->per_row[i] * height;
        low[i] = corner + (across < 0 ? across : 0) + (down < 0 ? down : 0);
        high[i] = corner + (across > 0 ? across : 0) + (down > 0 ? down : 0);
    }
    wvl_text_print(t,
                   "  <gml:boundedBy>\n   <gml:Envelope" SYSTEM "\n    <gml:lowerCorner>%s</gml:lowerCorner>\n"
                   "    <gml:upperCorner>%s</gml:upperCorner>\n   </gml:Envelope>\n  </gml:boundedBy>\n",
                   g->epsg, print_pair(lower, g, low), print_pair(upper, g, high));
}

static void put_vector(wvl_text *t, const grid *g, const double vector[2])
{
    char text[80];
    wvl_text_print(t, "         <gml:offsetVector" SYSTEM "%s</gml:offsetVector>\n", g->epsg,
                   print_pair(text, g, vector));
}

static void put_grid(wvl_text *t, const grid *g, uint32_t width, uint32_t height)
{
    char origin[80];
    wvl_text_print(t,
                   "       <gml:rectifiedGridDomain>\n        <gml:RectifiedGrid dimension=\"2\">\n"
                   "         <gml:limits><gml:GridEnvelope><gml:low>0 0</gml:low><gml:high>%u %u</gml:high>"
                   "</gml:GridEnvelope></gml:limits>\n"
                   "         <gml:axisName>x</gml:axisName>\n         <gml:axisName>y</gml:axisName>\n"
                   "         <gml:origin>\n          <gml:Point gml:id=\"P0001\"" SYSTEM
                   "<gml:pos>%s</gml:pos></gml:Point>\n"
                   "         </gml:origin>\n",
                   width - 1, height - 1, g->epsg, print_pair(origin, g, g->origin));
    put_vector(t, g, g->per_column);
    put_vector(t, g, g->per_row);
    wvl_text_put(t, "        </gml:RectifiedGrid>\n       </gml:rectifiedGridDomain>\n");
}

static void put_document(wvl_text *t, const grid *g, uint32_t width, uint32_t height)
{
    wvl_text_put(t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<gml:FeatureCollection xmlns:gml=\"http://www.opengis.net/gml\" "
                    "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
                    "xsi:schemaLocation=\"http://www.opengis.net/gml http://schemas.opengis.net/gml/3.1.1/profiles/"
                    "gmlJP2Profile/1.0.0/gmlJP2Profile.xsd\">\n");
    put_bounds(t, g, width, height);
    wvl_text_put(t, "  <gml:featureMember>\n   <gml:FeatureCollection>\n    <gml:featureMember>\n"
                    "      <gml:RectifiedGridCoverage dimension=\"2\" gml:id=\"RGC0001\">\n");
    put_grid(t, g, width, height);
    wvl_text_put(t, "       <gml:rangeSet>\n        <gml:File>\n         <gml:rangeParameters/>\n"
                    "         <gml:fileName>gmljp2://codestream/0</gml:fileName>\n"
                    "         <gml:fileStructure>Record Interleaved</gml:fileStructure>\n"
                    "        </gml:File>\n       </gml:rangeSet>\n      </gml:RectifiedGridCoverage>\n"
                    "    </gml:featureMember>\n   </gml:FeatureCollection>\n  </gml:featureMember>\n"
                    "</gml:FeatureCollection>\n");
}

/* ---- The boxes ------------------------------------------------------------------------------- */

static void put_header(wvl_text *t, size_t content_bytes, const char *type)
{
    size_t all = content_bytes + 8;
    const uint8_t header[8] = {(uint8_t)(all >> 24), (uint8_t)(all >> 16), (uint8_t)(all >> 8), (uint8_t)all,
                               (uint8_t)type[0],     (uint8_t)type[1],     (uint8_t)type[2],    (uint8_t)type[3]};
    wvl_text_put_bytes(t, header, sizeof header);
}

static void put_label(wvl_text *t, const char *label)
{
    put_header(t, strlen(label), "lbl ");
    wvl_text_put(t, label);
}

int wvl_metadata_make_gml(const wvl_io_picture *io, wvl_text *out, char *why, size_t why_bytes)
{
    static const char data[] = "gml.data", root[] = "gml.root-instance";
    const wvl_io_blob *given = &io->metadata.blobs[WVL_IO_GML];
    wvl_text document = {NULL, 0, 0, 0};
    grid g;
    if (given->data) {
        wvl_text_put_bytes(&document, given->data, given->bytes);
    } else if (read_grid(&io->metadata.blobs[WVL_IO_GEO], &g, why, why_bytes)) {
        put_document(&document, &g, io->width, io->height);
    } else {
        return 0;
    }
    put_label(out, data);
    put_header(out, 8 + strlen(root) + 8 + document.bytes, "asoc");
    put_label(out, root);
    put_header(out, document.bytes, "xml ");
    wvl_text_put_bytes(out, document.data, document.bytes);
    out->failed |= document.failed;
    free(document.data);
    return 1;
}
