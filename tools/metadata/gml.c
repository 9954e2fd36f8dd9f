/* SPDX-License-Identifier: BSD-2-Clause */
#include "gml.h"

#include <math.h>

#include "tools/imageio/tiff_tags.h"

#define USER_DEFINED 32767u

/* ---- Axes of projected systems -------------------------------------------------------------------- */

/* Of a projected system, by its number. */
typedef enum wvl_metadata_axes {
    WVL_METADATA_EASTING_FIRST,
    WVL_METADATA_NORTHING_FIRST,
    WVL_METADATA_OTHER_AXES /* or not known */
} wvl_metadata_axes;

/* Northing first, then easting. */
static const uint16_t northing_first[][2] = {
    {2036, 2036},   {2044, 2045},   {2081, 2083},   {2085, 2086},   {2091, 2093},   {2096, 2098},   {2105, 2132},
    {2166, 2180},   {2193, 2193},   {2199, 2200},   {2206, 2212},   {2319, 2549},   {2551, 2735},   {2738, 2758},
    {2935, 2941},   {2953, 2953},   {3006, 3030},   {3034, 3035},   {3038, 3051},   {3058, 3059},   {3068, 3068},
    {3114, 3118},   {3120, 3120},   {3126, 3140},   {3146, 3147},   {3150, 3152},   {3300, 3301},   {3328, 3335},
    {3346, 3346},   {3350, 3352},   {3366, 3366},   {3386, 3390},   {3396, 3399},   {3407, 3407},   {3414, 3414},
    {3416, 3416},   {3764, 3764},   {3788, 3793},   {3795, 3796},   {3833, 3854},   {3873, 3885},   {3907, 3911},
    {4026, 4038},   {4417, 4417},   {4434, 4434},   {4491, 4554},   {4568, 4589},   {4652, 4822},   {4839, 4880},
    {5048, 5048},   {5105, 5188},   {5253, 5259},   {5269, 5275},   {5343, 5349},   {5367, 5367},   {5479, 5481},
    {5518, 5520},   {5562, 5588},   {5632, 5639},   {5651, 5653},   {6244, 6275},   {6362, 6362},   {6372, 6387},
    {6669, 6687},   {6707, 6709},   {6870, 6876},   {6962, 6962},   {7799, 7801},   {7825, 7831},   {8433, 8441},
    {9039, 9040},   {9221, 9254},   {9271, 9285},   {9377, 9377},   {9498, 9498},   {9821, 9821},   {9831, 9841},
    {9851, 9865},   {9895, 9895},   {10286, 10286}, {10288, 10288}, {10290, 10290}, {10306, 10306}, {10329, 10329},
    {11114, 11118}, {20004, 20032}, {20064, 20092}, {20904, 20932}, {21004, 21032}, {21207, 21264}, {21307, 21483},
    {21896, 21899}, {22171, 22197}, {22240, 22240}, {23301, 23333}, {25884, 25884}, {27205, 27232}, {27391, 27398},
    {27492, 27492}, {28402, 28492}, {29701, 29702}, {30161, 30179}, {30800, 30800}, {31251, 31259}, {31275, 31290},
    {31466, 31469}, {31700, 31700},
};

/* Other axes: westing or southing, and those of polar systems, which run along meridians. */
static const uint16_t others[][2] = {
    {2046, 2055}, {2065, 2065}, {2218, 2218},   {2221, 2221},   {2296, 2307},   {2963, 2963},   {2985, 2986},
    {3031, 3032}, {3052, 3053}, {3144, 3145},   {3173, 3173},   {3275, 3293},   {3408, 3409},   {3411, 3413},
    {3571, 3576}, {3973, 3974}, {3976, 3976},   {3995, 3996},   {5017, 5017},   {5041, 5042},   {5224, 5224},
    {5482, 5482}, {5513, 5513}, {5515, 5515},   {5890, 5890},   {5936, 5940},   {6931, 6932},   {8044, 8045},
    {8352, 8352}, {9354, 9354}, {22275, 22293}, {27702, 27702}, {29371, 29385}, {32661, 32661}, {32761, 32761},
};

/* Between these two numbers EPSG adds systems. */
#define LAST_OF_FIRST 11118u
#define FIRST_OF_SECOND 20000u

static int is_in(const uint16_t ranges[][2], size_t count, uint32_t epsg)
{
    for (size_t i = 0; i < count; i++) {
        if (epsg >= ranges[i][0] && epsg <= ranges[i][1]) {
            return 1;
        }
    }
    return 0;
}

static wvl_metadata_axes axes_of(uint32_t epsg)
{
    if (epsg < 2000 || epsg > 32766 || (epsg > LAST_OF_FIRST && epsg < FIRST_OF_SECOND) ||
        is_in(others, sizeof others / sizeof others[0], epsg)) {
        return WVL_METADATA_OTHER_AXES;
    }
    return is_in(northing_first, sizeof northing_first / sizeof northing_first[0], epsg) ? WVL_METADATA_NORTHING_FIRST
                                                                                         : WVL_METADATA_EASTING_FIRST;
}

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
    wvl_metadata_axes axes = projected ? axes_of(projected) : WVL_METADATA_NORTHING_FIRST;
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

static void put_vector(wvl_text *t, const grid *g, const double vector[2])
{
    char text[80];
    wvl_text_print(t, "         <gml:offsetVector" SYSTEM "%s</gml:offsetVector>\n", g->epsg,
                   print_pair(text, g, vector));
}

static void put_document(wvl_text *t, const grid *g, uint32_t width, uint32_t height)
{
    wvl_text_put(t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<gml:FeatureCollection xmlns:gml=\"http://www.opengis.net/gml\" "
                    "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
                    "xsi:schemaLocation=\"http://www.opengis.net/gml http://schemas.opengis.net/gml/3.1.1/profiles/"
                    "gmlJP2Profile/1.0.0/gmlJP2Profile.xsd\">\n");
    /* Bounds of the outer edges of all pixels. */
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
    wvl_text_put(t, "  <gml:featureMember>\n   <gml:FeatureCollection>\n    <gml:featureMember>\n"
                    "      <gml:RectifiedGridCoverage dimension=\"2\" gml:id=\"RGC0001\">\n");
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
