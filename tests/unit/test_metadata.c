/* SPDX-License-Identifier: BSD-2-Clause */
/* Metadata between picture files and boxes: texts in XMP, dates, sidecars, orientation, EXIF that is damaged. */
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/support.h"
#include "tools/metadata/boxes.h"
#include "tools/metadata/sidecar.h"
#include "tools/metadata/xmp.h"

static wvl_io_picture picture;
static wvl_metadata_boxes made;

/* A grey picture of 3 x 2 samples of 16 bits: 100 * row + column. */
static void start(void)
{
    static const uint8_t file[] = "P5 3 2 65535\n\0\x00\0\x01\0\x02\0\x64\0\x65\0\x66";
    char error[128];
    ck_assert_int_eq(wvl_io_read_memory(file, sizeof file - 1, "x.pgm", NULL, &picture, error, sizeof error),
                     WVL_IO_OK);
}

static void finish(void)
{
    wvl_metadata_release_boxes(&made);
    wvl_io_release_picture(&picture);
}

static void add_text(wvl_io_field field, const char *name, const char *value)
{
    wvl_io_metadata *m = &picture.metadata;
    m->texts = realloc(m->texts, (m->text_count + 1) * sizeof *m->texts);
    m->texts[m->text_count++] = (wvl_io_text){field, strdup(name), strdup(value)};
}

static void set_blob(wvl_io_blob_kind kind, const void *data, size_t bytes)
{
    wvl_io_blob *blob = &picture.metadata.blobs[kind];
    free(blob->data);
    blob->data = malloc(bytes ? bytes : 1);
    memcpy(blob->data, data, bytes);
    blob->bytes = bytes;
}

static void make(unsigned keep, int gml)
{
    wvl_metadata_release_boxes(&made);
    ck_assert_int_eq(wvl_metadata_make_boxes(&picture, keep, gml, &made), 0);
}

/* The content of the first box with this identifier, as text; NULL: there is none. */
static const char *content_of(uint8_t first_of_uuid)
{
    static char text[8192];
    for (size_t i = 0; i < made.count; i++) {
        if (made.boxes[i].uuid[0] == first_of_uuid) {
            ck_assert_uint_lt(made.boxes[i].bytes, sizeof text);
            memcpy(text, made.boxes[i].data, made.boxes[i].bytes);
            text[made.boxes[i].bytes] = '\0';
            return text;
        }
    }
    return NULL;
}

static const char *xmp(void) { return content_of(0xBE); }

static unsigned count_of(const char *text, const char *word)
{
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word)) {
        n++;
    }
    return n;
}

/* ---- XMP ------------------------------------------------------------------------------------- */

TEST(texts_make_a_packet)
{
    start();
    add_text(WVL_IO_FIELD_ARTIST, "Artist", "Ada & <Bob>");
    add_text(WVL_IO_FIELD_COPYRIGHT, "Copyright", "mine");
    add_text(WVL_IO_FIELD_MODIFIED, "DateTime", "2024:01:02 03:04:05");
    add_text(WVL_IO_FIELD_MAKE, "Make", "Acme");
    make(WVL_KEEP_ALL, 0);
    ck_assert_ptr_nonnull(xmp());
    ck_assert_ptr_nonnull(strstr(xmp(), "<rdf:Seq><rdf:li>Ada &amp; &lt;Bob&gt;</rdf:li></rdf:Seq></dc:creator>"));
    ck_assert_ptr_nonnull(strstr(xmp(), "<rdf:Alt><rdf:li xml:lang=\"x-default\">mine</rdf:li></rdf:Alt></dc:rights>"));
    ck_assert_ptr_nonnull(strstr(xmp(), ">2024-01-02T03:04:05</xmp:ModifyDate>"));
    ck_assert_ptr_nonnull(strstr(xmp(), "xmlns:tiff=\"http://ns.adobe.com/tiff/1.0/\">Acme</tiff:Make>"));
    ck_assert_ptr_nonnull(strstr(xmp(), "<?xpacket end=\"w\"?>"));
    ck_assert_str_eq(made.lost, "");
    make(WVL_KEEP_ALL & ~WVL_KEEP_TEXT, 0);
    ck_assert_ptr_null(xmp());
    finish();
}

#define HEAD                                                                                                           \
    "<?xpacket begin=\"\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?><x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><r:RDF "              \
    "xmlns:r=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
#define TAIL "</r:RDF></x:xmpmeta>"
#define PADDING_1K                                                                                                     \
    "                                                                                                                " \
    "                                                                                                                " \
    "                                                                                                                " \
    "                                                                                                                " \
    "                                                                                                                "

TEST(texts_join_a_packet)
{
    static const char packet[] = HEAD
        "<r:Description r:about='uuid:1' xmlns:d=\"http://purl.org/dc/elements/1.1/\" "
        "xmlns:t=\"http://ns.adobe.com/tiff/1.0/\" t:Make=\"Kept\"><d:creator>Kept</d:creator></r:Description>" TAIL
            PADDING_1K "\n<?xpacket end=\"w\"?>";
    start();
    set_blob(WVL_IO_XMP, packet, sizeof packet - 1);
    add_text(WVL_IO_FIELD_ARTIST, "Artist", "other");
    add_text(WVL_IO_FIELD_MAKE, "Make", "other");
    make(WVL_KEEP_ALL, 0);
    ck_assert_str_eq(xmp(), packet); /* all is there: byte for byte */
    add_text(WVL_IO_FIELD_MODEL, "Model", "X1");
    make(WVL_KEEP_ALL, 0);
    ck_assert_ptr_nonnull(strstr(xmp(), "xmlns:tiff=\"http://ns.adobe.com/tiff/1.0/\">X1</tiff:Model>"));
    ck_assert_ptr_nonnull(strstr(xmp(), "rdf:about='uuid:1'>"));
    ck_assert_uint_eq(count_of(xmp(), "other"), 0);
    ck_assert_uint_eq(count_of(xmp(), "Kept"), 2);
    ck_assert_uint_eq(strlen(xmp()), sizeof packet - 1); /* the padding gives way */
    ck_assert_ptr_nonnull(strstr(xmp(), "\n<?xpacket end=\"w\"?>"));
    finish();
}

TEST(packets_grow_without_padding)
{
    static const char packet[] = HEAD "<r:Description r:about=\"\"/>" TAIL "<?xpacket end=\"w\"?>";
    start();
    set_blob(WVL_IO_XMP, packet, sizeof packet - 1);
    add_text(WVL_IO_FIELD_TITLE, "Title", "T");
    make(WVL_KEEP_ALL, 0);
    ck_assert_ptr_nonnull(strstr(xmp(), "T</rdf:li></rdf:Alt></dc:title>"));
    ck_assert_ptr_nonnull(strstr(xmp(), TAIL "<?xpacket end=\"w\"?>"));
    finish();
}

/* What nobody can add to stays as it is, and the texts are named. */
TEST(odd_packets_stay)
{
    static const struct {
        const char *packet;
        size_t bytes;
    } odd[] = {{"<\0x\0/\0>\0", 8}, {"<x:xmpmeta/>", 12}, {"<a><b", 5}, {HEAD "<r:D a=\"", sizeof HEAD + 7}, {"x", 1}};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        start();
        set_blob(WVL_IO_XMP, odd[i].packet, odd[i].bytes);
        add_text(WVL_IO_FIELD_TITLE, "Title", "T");
        make(WVL_KEEP_ALL, 0);
        ck_assert_uint_eq(made.count, 1);
        ck_assert_uint_eq(made.boxes[0].bytes, odd[i].bytes);
        ck_assert_mem_eq(made.boxes[0].data, odd[i].packet, odd[i].bytes);
        ck_assert_str_eq(made.lost, "Title");
        finish();
    }
}

TEST(lost_texts_are_named)
{
    start();
    add_text(WVL_IO_FIELD_OTHER, "Warning", "hot");
    add_text(WVL_IO_FIELD_CREATED, "Creation Time", "yesterday");
    add_text(WVL_IO_FIELD_COMMENT, "Comment", "one");
    add_text(WVL_IO_FIELD_COMMENT, "Comment", "one");
    add_text(WVL_IO_FIELD_COMMENT, "Second", "two");
    make(WVL_KEEP_ALL, 0);
    ck_assert_str_eq(made.lost, "Warning, Creation Time, Second");
    ck_assert_uint_eq(count_of(xmp(), "UserComment"), 2);
    finish();
}

TEST(dates)
{
    static const char *const rows[][2] = {{"2024:01:02 03:04:05", "2024-01-02T03:04:05"},
                                          {"2004:05:06:07:08:09:+0100", "2004-05-06T07:08:09+01:00"},
                                          {"2004:05:06:07:08:09:CET", "2004-05-06T07:08:09"},
                                          {"2024-01-02 03:04:05", "2024-01-02T03:04:05"},
                                          {"2024", "2024"},
                                          {"2024-01-02T03:04:05.25Z", "2024-01-02T03:04:05.25Z"},
                                          {"2024-01-02T03:04-05:00", "2024-01-02T03:04-05:00"},
                                          {"Tue, 27 Jun 2006 11:58:42 GMT", "2006-06-27T11:58:42Z"},
                                          {"7 Jun 2006 11:58:42 +0200", "2006-06-07T11:58:42+02:00"}};
    static const char *const none[] = {"",         "0000:00:00 00:00:00", "    :  :     :  :  ", "yesterday",
                                       "20240102", "2024-01-02X",         "7 Foo 2006 11:58:42", "2024:13:01 00:00:00"};
    char out[40];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_msg(wvl_metadata_convert_date(rows[i][0], out), "%s", rows[i][0]);
        ck_assert_str_eq(out, rows[i][1]);
    }
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        ck_assert_msg(!wvl_metadata_convert_date(none[i], out), "%s", none[i]);
    }
}

TEST(lists_of_what_is_kept)
{
    unsigned keep;
    ck_assert(wvl_metadata_parse_keep("exif,icc", &keep) && keep == (WVL_KEEP_EXIF | WVL_KEEP_ICC));
    ck_assert(wvl_metadata_parse_keep("all", &keep) && keep == WVL_KEEP_ALL);
    ck_assert(wvl_metadata_parse_keep("none", &keep) && keep == 0);
    ck_assert(!wvl_metadata_parse_keep("", &keep) && !wvl_metadata_parse_keep("exif,", &keep));
    ck_assert(!wvl_metadata_parse_keep("exi", &keep) && !wvl_metadata_parse_keep("exif;xmp", &keep));
}

/* ---- Orientation ----------------------------------------------------------------------------- */

/* Finds where the sample of a stored row and column is seen (TIFF 6.0, section 8), of a picture of `rows` and
 * `columns`. */
static void seen_at(int orientation, int r, int c, int rows, int columns, int *seen_r, int *seen_c)
{
    const int places[9][2] = {{r, c},
                              {r, c},
                              {r, columns - 1 - c},
                              {rows - 1 - r, columns - 1 - c},
                              {rows - 1 - r, c},
                              {c, r},
                              {c, rows - 1 - r},
                              {columns - 1 - c, rows - 1 - r},
                              {columns - 1 - c, r}};
    *seen_r = places[orientation][0];
    *seen_c = places[orientation][1];
}

TEST_RANGE(samples_are_turned, 1, 9)
{
    char error[128];
    int seen_r, seen_c;
    start();
    picture.orientation = (uint8_t)_i;
    picture.x_pixels_per_metre = 1;
    picture.y_pixels_per_metre = 2;
    ck_assert_int_eq(wvl_io_orient_picture(&picture, error, sizeof error), WVL_IO_OK);
    ck_assert_uint_eq(picture.orientation, 1);
    ck_assert_uint_eq(picture.width, _i >= 5 ? 2 : 3);
    ck_assert(picture.x_pixels_per_metre == (_i >= 5 ? 2 : 1) && picture.y_pixels_per_metre == (_i >= 5 ? 1 : 2));
    for (int r = 0; r < 2; r++) {
        for (int c = 0; c < 3; c++) {
            seen_at(_i, r, c, 2, 3, &seen_r, &seen_c);
            ck_assert_int_eq(wvl_io_sample(&picture.components[0], (uint32_t)seen_c, (uint32_t)seen_r), 100 * r + c);
        }
    }
    finish();
}

TEST(incomplete_groups_are_refused)
{
    char error[160];
    start();
    picture.components[0].dx = 2; /* as if: 3 is no multiple of 2 */
    picture.orientation = 2;
    ck_assert_int_eq(wvl_io_orient_picture(&picture, error, sizeof error), WVL_IO_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error, "no multiple"));
    ck_assert_uint_eq(picture.orientation, 2);
    finish();
}

/* IFD0 at 8 with Orientation 6, XResolution, YResolution and the pointer to an EXIF directory at 62, with the size. */
static const uint8_t exif[] = {
    'M',  'M',  0,    42, 0, 0, 0, 8,                           /* header */
    0,    4,                                                    /* IFD0 */
    1,    18,   0,    3,  0, 0, 0, 1, 0, 6, 0, 0,               /* Orientation */
    1,    26,   0,    5,  0, 0, 0, 1, 0, 0, 0, 92,              /* XResolution */
    1,    27,   0,    5,  0, 0, 0, 1, 0, 0, 0, 100,             /* YResolution */
    0x87, 0x69, 0,    4,  0, 0, 0, 1, 0, 0, 0, 62,  0, 0, 0, 0, /* EXIF at 62 */
    0,    2,    0xA0, 2,  0, 3, 0, 0, 0, 1, 0, 3,   0, 0,       /* PixelXDimension 3 */
    0xA0, 3,    0,    3,  0, 0, 0, 1, 0, 2, 0, 0,   0, 0, 0, 0, /* PixelYDimension 2 */
    0,    0,    0,    72, 0, 0, 0, 1, 0, 0, 0, 96,  0, 0, 0, 1, /* 72/1, 96/1 */
};

TEST(orientation_is_reset)
{
    static const char packet[] =
        "<a xmlns:t=\"http://ns.adobe.com/tiff/1.0/\" t:Orientation=\"6\"><t:Orientation>6</t:Orientation>"
        "<t:Orientation>66</t:Orientation><u:Orientation>6</u:Orientation></a>";
    static const char wanted[] =
        "<a xmlns:t=\"http://ns.adobe.com/tiff/1.0/\" t:Orientation=\"1\"><t:Orientation>1</t:Orientation>"
        "<t:Orientation>16</t:Orientation><u:Orientation>6</u:Orientation></a>";
    start();
    set_blob(WVL_IO_EXIF, exif, sizeof exif);
    set_blob(WVL_IO_XMP, packet, sizeof packet - 1);
    ck_assert_uint_eq(wvl_io_read_exif(exif, sizeof exif).orientation, 6);
    wvl_metadata_reset_orientation(&picture.metadata, 1);
    const uint8_t *e = picture.metadata.blobs[WVL_IO_EXIF].data;
    ck_assert_uint_eq(wvl_io_read_exif(e, sizeof exif).orientation, 1);
    ck_assert(e[33] == 100 && e[45] == 92); /* resolutions change places */
    ck_assert(e[73] == 2 && e[85] == 3);    /* and sizes */
    ck_assert(strncmp((const char *)picture.metadata.blobs[WVL_IO_XMP].data, wanted, 98) == 0);
    finish();
}

/* ---- EXIF ------------------------------------------------------------------------------------ */

TEST(damaged_exif_is_found)
{
    uint8_t bytes[sizeof exif];
    ck_assert(wvl_io_is_exif_sound(exif, sizeof exif));
    for (size_t n = 0; n < sizeof exif; n++) {
        uint8_t *cut = malloc(n ? n : 1); /* so that a sanitizer sees what is read beyond */
        memcpy(cut, exif, n);
        ck_assert_msg(!wvl_io_is_exif_sound(cut, n), "of %zu bytes", n);
        free(cut);
    }
    memcpy(bytes, exif, sizeof exif);
    bytes[57] = 8; /* EXIF is IFD0: a loop */
    ck_assert(!wvl_io_is_exif_sound(bytes, sizeof bytes));
}

/* ---- Sidecars -------------------------------------------------------------------------------- */

#define SRS                                                                                                            \
    "<SRS>PROJCS[&quot;WGS 84 / UTM zone 33N&quot;,GEOGCS[&quot;WGS "                                                  \
    "84&quot;,AUTHORITY[&quot;EPSG&quot;,&quot;4326&quot;]],"                                                          \
    "AUTHORITY[&quot;EPSG&quot;,&quot;32633&quot;]]</SRS>"
#define AUX "<PAMDataset>" SRS "<GeoTransform> 5.0e+05, 10, 0, 4e6, 0, -20</GeoTransform></PAMDataset>"

static void take(const char *aux, const char *world)
{
    ck_assert_int_eq(wvl_metadata_take_sidecars(aux, aux ? strlen(aux) : 0, world, world ? strlen(world) : 0, &picture),
                     0);
}

static const char *gml(void)
{
    make(WVL_KEEP_ALL, 1);
    for (size_t i = 0; i < made.count; i++) {
        if (made.boxes[i].type == 0x61736F63) {
            static char text[8192];
            size_t skip = 16 + 8 + 25 + 8; /* lbl, asoc, lbl, xml */
            ck_assert_uint_lt(made.boxes[i].bytes - skip, sizeof text);
            memcpy(text, (const char *)made.boxes[i].data + skip, made.boxes[i].bytes - skip);
            text[made.boxes[i].bytes - skip] = '\0';
            return text;
        }
    }
    return "";
}

TEST(sidecars_give_a_place)
{
    start();
    take(AUX, NULL);
    ck_assert_ptr_nonnull(picture.metadata.blobs[WVL_IO_GEO].data);
    ck_assert(wvl_io_is_exif_sound(picture.metadata.blobs[WVL_IO_GEO].data, picture.metadata.blobs[WVL_IO_GEO].bytes));
    ck_assert_ptr_nonnull(strstr(gml(), "srsName=\"urn:ogc:def:crs:EPSG::32633\"><gml:pos>500005 3999990</gml:pos>"));
    ck_assert_ptr_nonnull(strstr(gml(), ">10 0</gml:offsetVector>"));
    ck_assert_ptr_nonnull(strstr(gml(), ">0 -20</gml:offsetVector>"));
    ck_assert_ptr_nonnull(strstr(gml(), "<gml:lowerCorner>500000 3999960</gml:lowerCorner>"));
    ck_assert_ptr_nonnull(strstr(gml(), "<gml:high>2 1</gml:high>"));
    finish();
    start();
    take("<PAMDataset>" SRS "</PAMDataset>", "10\n0\n0\n-20\n500005\n3999990\n"); /* centre of the first pixel */
    ck_assert_ptr_nonnull(strstr(gml(), "<gml:pos>500005 3999990</gml:pos>"));
    finish();
}

TEST(sidecars_without_a_system)
{
    start();
    take(NULL, "10 0 0 -20 500005 3999990");
    ck_assert_ptr_nonnull(picture.metadata.blobs[WVL_IO_GEO].data);
    ck_assert_str_eq(gml(), "");
    ck_assert_ptr_nonnull(strstr(made.lost, "GML"));
    finish();
}

TEST(odd_sidecars_are_named)
{
    start();
    take("<PAMDataset><SRS>LOCAL_CS[\"x\"]</SRS></PAMDataset>", NULL);
    take("<PAMDataset><a", NULL);
    take(NULL, "1 2 3 4 5");
    ck_assert_ptr_nonnull(strstr(picture.lost, "has no EPSG code"));
    ck_assert_ptr_nonnull(strstr(picture.lost, ".aux.xml (damaged)"));
    ck_assert_ptr_nonnull(strstr(picture.lost, "world file"));
    ck_assert_ptr_null(picture.metadata.blobs[WVL_IO_GEO].data);
    take("<Other><GeoTransform>1,2,3,4,5,6</GeoTransform></Other>", NULL); /* somebody else's file */
    ck_assert_ptr_null(picture.metadata.blobs[WVL_IO_GEO].data);
    finish();
}

/* Only a file that is not there says nothing: what cannot be read is named, and without descriptors the run ends. */
TEST(sidecars_that_cannot_be_read)
{
    char folder[] = "sidecars.XXXXXX", path[64], name[64];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.tif", folder);
    start();
    ck_assert_int_eq(wvl_metadata_read_sidecars(path, &picture), 0);
    ck_assert_str_eq(picture.lost, "");
    snprintf(name, sizeof name, "%s/x.tfw", folder);
    ck_assert_int_eq(mkdir(name, 0700), 0);
    ck_assert_int_eq(wvl_metadata_read_sidecars(path, &picture), 0);
    ck_assert_str_eq(picture.lost, "world file (cannot be read)");
    ck_assert_int_eq(rmdir(name), 0);

    struct rlimit old, none;
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &old), 0);
    none = old;
    none.rlim_cur = 0;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    int result = wvl_metadata_read_sidecars(path, &picture);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &old), 0);
    ck_assert_int_eq(result, -1);
    ck_assert_int_eq(rmdir(folder), 0);
    finish();
}

TEST(axes_of_unknown_order_make_no_gml)
{
    start();
    take("<PAMDataset><SRS>PROJCS[\"x\",AUTHORITY[\"EPSG\",\"3031\"]]</SRS>"
         "<GeoTransform>1,1,0,1,0,-1</GeoTransform></PAMDataset>",
         NULL);
    ck_assert_str_eq(gml(), "");
    finish();
    start();
    take("<PAMDataset><SRS>GEOGCS[\"x\",AUTHORITY[\"EPSG\",\"4326\"]]</SRS>"
         "<GeoTransform>8,0.5,0,50,0,-0.25</GeoTransform></PAMDataset>",
         NULL);
    ck_assert_ptr_nonnull(strstr(gml(), "<gml:pos>49.875 8.25</gml:pos>")); /* latitude first */
    finish();
}

TEST_MAIN("metadata")
