/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The JPEG reader, with files that libjpeg writes here. Their blocks are flat: at quality 100 a flat block comes back
 * exactly, whatever decodes it, so that samples are compared for equality.
 */
#include "imageio_bench.h"
#include "tiff_layout.h"

#include <math.h>

#include <jpeglib.h>

#define WIDTH 37u
#define HEIGHT 21u

typedef struct row {
    J_COLOR_SPACE space;
    int components, h, v; /* sampling factors of component 0 */
    int progressive, arithmetic, adobe, no_jfif;
    void (*mark)(struct jpeg_compress_struct *info);
} row;

/* Returns a sample of the stored component; one value for each block of its own grid. */
static unsigned stored(int component, uint32_t x, uint32_t y)
{
    return (40u * (unsigned)component + 7 * (x / 8) + 23 * (y / 8) + 30) & 255;
}

static void set_up(struct jpeg_compress_struct *info, const row *r)
{
    info->image_width = WIDTH;
    info->image_height = HEIGHT;
    info->input_components = r->components;
    info->in_color_space = r->space;
    jpeg_set_defaults(info);
    jpeg_set_colorspace(info, r->space);
    jpeg_set_quality(info, 100, TRUE);
    info->comp_info[0].h_samp_factor = r->h;
    info->comp_info[0].v_samp_factor = r->v;
    info->arith_code = r->arithmetic;
    info->write_Adobe_marker = r->adobe;
    info->write_JFIF_header = info->write_JFIF_header && !r->no_jfif;
    info->density_unit = 2;
    info->X_density = 118;
    info->Y_density = 59;
    if (r->progressive) {
        jpeg_simple_progression(info);
    }
    info->raw_data_in = TRUE;
}

static void write_groups(struct jpeg_compress_struct *info)
{
    static JSAMPLE lines[4][32][64];
    JSAMPROW rows[4][32];
    JSAMPARRAY planes[4];
    JDIMENSION high = (JDIMENSION)info->max_v_samp_factor * 8;
    for (JDIMENSION y0 = 0; y0 < HEIGHT; y0 += high) {
        for (int c = 0; c < info->num_components; c++) {
            uint32_t lines_of = (uint32_t)info->comp_info[c].v_samp_factor * 8;
            planes[c] = rows[c];
            for (uint32_t i = 0; i < lines_of; i++) {
                rows[c][i] = lines[c][i];
                for (uint32_t x = 0; x < 64; x++) {
                    lines[c][i][x] = (JSAMPLE)stored(c, x, y0 / high * lines_of + i);
                }
            }
        }
        (void)jpeg_write_raw_data(info, planes, high);
    }
}

static uint8_t *make_jpeg(const row *r, size_t *n)
{
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    unsigned char *at = NULL;
    unsigned long count = 0;
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &at, &count);
    set_up(&info, r);
    jpeg_start_compress(&info, TRUE);
    if (r->mark) {
        r->mark(&info);
    }
    write_groups(&info);
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    *n = count;
    return at;
}

static void read_row(const row *r, const wvl_io_options *options, wvl_io_picture *p)
{
    size_t n;
    uint8_t *file = make_jpeg(r, &n);
    read_bytes(p, file, n, "a.jpg", options);
    free(file);
}

static const wvl_io_options keep = {.keep_ycc = 1}, limited = {.max_samples = 1 << 20};

static const row layouts[] = {
    {JCS_YCbCr, 3, 1, 1, 0, 0, 0, 0, NULL}, {JCS_YCbCr, 3, 2, 1, 0, 0, 0, 0, NULL},
    {JCS_YCbCr, 3, 2, 2, 0, 0, 0, 0, NULL}, {JCS_YCbCr, 3, 1, 2, 1, 0, 0, 0, NULL},
    {JCS_YCbCr, 3, 4, 1, 1, 0, 0, 0, NULL}, {JCS_YCbCr, 3, 2, 2, 0, 1, 0, 0, NULL},
};

TEST_EACH(planes_come_as_they_are_stored, sizeof layouts / sizeof layouts[0])
{
    const row *r = &layouts[_i];
    wvl_io_picture p;
    read_row(r, &keep, &p);
    expect_shape(&p, WIDTH, HEIGHT, 3, 8, 0);
    ck_assert_int_eq(p.color, WVL_IO_YCC);
    ck_assert_int_eq(p.chroma_siting, 1);
    ck_assert_uint_eq(p.components[1].dx, (unsigned)r->h);
    ck_assert_uint_eq(p.components[2].dy, (unsigned)r->v);
    ck_assert_uint_eq(p.components[1].width, (WIDTH + (unsigned)r->h - 1) / (unsigned)r->h);
    for (int c = 0; c < 3; c++) {
        for (uint32_t y = 0; y < p.components[c].height; y++) {
            for (uint32_t x = 0; x < p.components[c].width; x++) {
                ck_assert_int_eq(sample_at(&p, (uint32_t)c, x, y), (int64_t)stored(c, x, y));
            }
        }
    }
    wvl_io_release_picture(&p);
}

/* JFIF 1.02: BT.601 with full range. In the middle of a block no filter of chroma mixes neighbours. */
static int64_t rgb_of(unsigned y, unsigned cb, unsigned cr, unsigned c)
{
    double blue = (double)cb - 128, red = (double)cr - 128;
    double v = y + (c == 0 ? 1.402 * red : 0.0) + (c == 2 ? 1.772 * blue : 0.0);
    v -= c == 1 ? 0.344136286 * blue + 0.714136286 * red : 0.0;
    return (int64_t)fmin(255.0, fmax(0.0, floor(v + 0.5)));
}

TEST_EACH(colours_become_rgb, sizeof layouts / sizeof layouts[0])
{
    const row *r = &layouts[_i];
    wvl_io_picture p;
    uint32_t x = 11, y = 11, h = (uint32_t)r->h, v = (uint32_t)r->v;
    read_row(r, NULL, &p);
    expect_shape(&p, WIDTH, HEIGHT, 3, 8, 0);
    ck_assert_int_eq(p.color, WVL_IO_RGB);
    ck_assert_uint_eq(p.components[1].dx, 1);
    for (uint32_t c = 0; c < 3; c++) {
        ck_assert_int_eq(sample_at(&p, c, x, y),
                         rgb_of(stored(0, x, y), stored(1, x / h, y / v), stored(2, x / h, y / v), c));
    }
    wvl_io_release_picture(&p);
}

TEST_EACH(other_colour_spaces, 5)
{
    static const struct {
        row r;
        wvl_io_color color;
        int inverted;
    } rows[] = {{{JCS_GRAYSCALE, 1, 1, 1, 0, 0, 0, 0, NULL}, WVL_IO_GREY, 0},
                {{JCS_GRAYSCALE, 1, 2, 2, 1, 0, 0, 0, NULL}, WVL_IO_GREY, 0},
                {{JCS_RGB, 3, 1, 1, 0, 0, 1, 0, NULL}, WVL_IO_RGB, 0},
                {{JCS_CMYK, 4, 1, 1, 0, 0, 1, 0, NULL}, WVL_IO_CMYK, 1},
                {{JCS_CMYK, 4, 1, 1, 0, 0, 0, 0, NULL}, WVL_IO_CMYK, 0}};
    wvl_io_picture p;
    read_row(&rows[_i].r, NULL, &p);
    expect_shape(&p, WIDTH, HEIGHT, (uint32_t)rows[_i].r.components, 8, 0);
    ck_assert_int_eq(p.color, rows[_i].color);
    for (uint32_t c = 0; c < p.component_count; c++) {
        unsigned v = stored((int)c, 20, 12);
        ck_assert_int_eq(sample_at(&p, c, 20, 12), (int64_t)(rows[_i].inverted ? 255 - v : v));
    }
    wvl_io_release_picture(&p);
}

/* YCCK is CMYK whose first three inks, as 255 - ink, are YCbCr. */
TEST(ycck_becomes_cmyk)
{
    static const row r = {JCS_YCCK, 4, 1, 1, 0, 0, 1, 0, NULL};
    wvl_io_picture p;
    read_row(&r, NULL, &p);
    ck_assert_int_eq(p.color, WVL_IO_CMYK);
    for (uint32_t c = 0; c < 3; c++) {
        ck_assert_int_eq(sample_at(&p, c, 4, 4), rgb_of(stored(0, 4, 4), stored(1, 4, 4), stored(2, 4, 4), c));
    }
    ck_assert_int_eq(sample_at(&p, 3, 4, 4), 255 - (int64_t)stored(3, 4, 4));
    wvl_io_release_picture(&p);
}

/* ---- Markers --------------------------------------------------------------------------------- */

static void write_marker(struct jpeg_compress_struct *info, int marker, const bytes *b)
{
    jpeg_write_marker(info, marker, b->at, (unsigned)b->count);
}

/* Two parts of a profile of 200 bytes, the second one first. */
static void mark_icc(struct jpeg_compress_struct *info)
{
    for (unsigned part = 2; part > 0; part--) {
        bytes b = {.count = 0};
        put(&b, "ICC_PROFILE", 12);
        put(&b, &(uint8_t){(uint8_t)part}, 1);
        put(&b, "\2", 1);
        for (unsigned i = part == 1 ? 0 : 120; i < (part == 1 ? 120 : 200); i++) {
            put(&b, &(uint8_t){(uint8_t)(i == 3 ? 200 : i * (i > 3))}, 1);
        }
        write_marker(info, JPEG_APP0 + 2, &b);
    }
}

static void mark_half_icc(struct jpeg_compress_struct *info)
{
    bytes b = {.count = 0};
    put(&b, "ICC_PROFILE\0\1\2profile", 21);
    write_marker(info, JPEG_APP0 + 2, &b);
}

static void put_entry(bytes *b, unsigned tag, unsigned type, uint32_t value)
{
    put_le16(b, tag);
    put_le16(b, type);
    put_le32(b, 1);
    put_le32(b, value);
}

static void mark_exif(struct jpeg_compress_struct *info)
{
    bytes b = {.count = 0};
    put(&b, "Exif\0\0II*\0\10\0\0\0", 14);
    put_le16(&b, 6);
    put_entry(&b, 274, 3, 6);
    put_entry(&b, 282, 5, 104);
    put_entry(&b, 283, 5, 104);
    put_entry(&b, 296, 3, 3);
    put_entry(&b, 531, 3, 2);
    put_entry(&b, 34665, 4, 86);
    put_le32(&b, 0);
    put_le16(&b, 1);
    put_entry(&b, 40961, 3, 1);
    put_le32(&b, 0);
    put_le32(&b, 600);
    put_le32(&b, 5);
    write_marker(info, JPEG_APP0 + 1, &b);
}

#define XMP_HEAD "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"r\">"
#define GUID "0123456789ABCDEF0123456789ABCDEF"

static void mark_xmp(struct jpeg_compress_struct *info)
{
    bytes b = {.count = 0};
    static const char main_packet[] =
        XMP_HEAD "<rdf:Description xmlns:xmpNote=\"n\" xmpNote:HasExtendedXMP=\"" GUID "\" xmlns:a=\"a\" a:b=\"c\"/>"
                 "</rdf:RDF></x:xmpmeta>";
    static const char more[] = XMP_HEAD "<rdf:Description xmlns:d=\"e\" d:f=\"g\"/></rdf:RDF></x:xmpmeta>";
    size_t half = sizeof more / 2, whole = sizeof more - 1;
    put(&b, "http://ns.adobe.com/xap/1.0/", 29);
    put(&b, main_packet, sizeof main_packet - 1);
    write_marker(info, JPEG_APP0 + 1, &b);
    for (unsigned part = 2; part > 0; part--) {
        size_t from = part == 1 ? 0 : half, to = part == 1 ? half : whole;
        b.count = 0;
        put(&b, "http://ns.adobe.com/xmp/extension/", 35);
        put(&b, GUID, 32);
        put_word(&b, (uint32_t)whole, 1);
        put_word(&b, (uint32_t)from, 1);
        put(&b, more + from, to - from);
        write_marker(info, JPEG_APP0 + 1, &b);
    }
}

TEST(profiles_are_put_together)
{
    static const row r = {JCS_YCbCr, 3, 1, 1, 0, 0, 0, 0, mark_icc};
    static const row half = {JCS_YCbCr, 3, 1, 1, 0, 0, 0, 0, mark_half_icc};
    wvl_io_picture p;
    read_row(&r, NULL, &p);
    ck_assert_uint_eq(p.icc_bytes, 200);
    for (unsigned i = 4; i < 200; i++) {
        ck_assert_uint_eq(p.icc[i], i);
    }
    wvl_io_release_picture(&p);
    read_row(&half, NULL, &p);
    ck_assert_ptr_null(p.icc);
    ck_assert_ptr_nonnull(strstr(p.note, "parts in APP2 are not whole"));
    wvl_io_release_picture(&p);
}

TEST(exif_and_density_say_how_it_lies)
{
    row r = {JCS_YCbCr, 3, 2, 2, 0, 0, 0, 0, mark_exif};
    wvl_io_picture p;
    read_row(&r, &keep, &p);
    ck_assert_int_eq(p.orientation, 6);
    ck_assert_int_eq(p.color_declared, 1);
    ck_assert_int_eq(p.chroma_siting, 2);
    ck_assert_uint_eq(p.metadata.blobs[WVL_IO_EXIF].bytes, 112);
    ck_assert_double_eq_tol(p.x_pixels_per_metre, 11800, 1e-6);
    ck_assert_double_eq_tol(p.y_pixels_per_metre, 5900, 1e-6);
    wvl_io_release_picture(&p);
    r.no_jfif = 1;
    r.adobe = 1;
    read_row(&r, NULL, &p);
    ck_assert_double_eq_tol(p.x_pixels_per_metre, 12000, 1e-6);
    wvl_io_release_picture(&p);
}

TEST(extended_xmp_is_joined)
{
    static const char joined[] =
        XMP_HEAD "<rdf:Description xmlns:xmpNote=\"n\"  xmlns:a=\"a\" a:b=\"c\"/><rdf:Description xmlns:d=\"e\" "
                 "d:f=\"g\"/></rdf:RDF></x:xmpmeta>";
    static const row r = {JCS_GRAYSCALE, 1, 1, 1, 0, 0, 0, 0, mark_xmp};
    wvl_io_picture p;
    read_row(&r, NULL, &p);
    const wvl_io_blob *xmp = &p.metadata.blobs[WVL_IO_XMP];
    ck_assert_uint_eq(xmp->bytes, sizeof joined - 1);
    ck_assert_mem_eq(xmp->data, joined, sizeof joined - 1);
    wvl_io_release_picture(&p);
}

/* IPTC-IIM in a resource that two segments share, and a comment. */
static void mark_photoshop(struct jpeg_compress_struct *info)
{
    bytes b = {.count = 0};
    put(&b,
        "Photoshop 3.0\0"
        "8BIM\4\4\0\0\0\0\0\10\x1c\2",
        14 + 14);
    write_marker(info, JPEG_APP0 + 13, &b);
    b.count = 0;
    put(&b, "Photoshop 3.0\0\x78\0\3abc", 14 + 6);
    write_marker(info, JPEG_APP0 + 13, &b);
    jpeg_write_marker(info, JPEG_COM, (const JOCTET *)"a note", 6);
}

TEST(iptc_and_comments_are_handed_on)
{
    static const row r = {JCS_GRAYSCALE, 1, 1, 1, 0, 0, 0, 0, mark_photoshop};
    wvl_io_picture p;
    read_row(&r, NULL, &p);
    ck_assert_uint_eq(p.metadata.blobs[WVL_IO_IPTC].bytes, 8);
    ck_assert_mem_eq(p.metadata.blobs[WVL_IO_IPTC].data, "\x1c\2\x78\0\3abc", 8);
    ck_assert_uint_eq(p.metadata.text_count, 1);
    ck_assert_str_eq(p.metadata.texts[0].value, "a note");
    wvl_io_release_picture(&p);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static uint8_t *find_frame(uint8_t *file, size_t n)
{
    for (size_t i = 0; i + 20 < n; i++) {
        if (file[i] == 0xFF && file[i + 1] == 0xC0) {
            return file + i;
        }
    }
    ck_abort_msg("no SOF0");
}

TEST_EACH(what_is_not_whole_is_refused, sizeof layouts / sizeof layouts[0])
{
    size_t n;
    uint8_t *file = make_jpeg(&layouts[_i], &n);
    expect_truncations_refused(file, n, "a.jpg", NULL);
    read_damaged(file, n, "a.jpg", NULL, 300);
    read_damaged(file, n, "a.jpg", &keep, 300);
    free(file);
}

TEST(refusals_say_why)
{
    size_t n;
    uint8_t *file = make_jpeg(&layouts[2], &n), *frame = find_frame(file, n);
    frame[4] = 12;
    refuse_bytes(file, n, "a.jpg", NULL, "12 bits a sample: this libjpeg supports 8");
    frame[4] = 8;
    frame[11] = 0x31;
    frame[14] = 0x21;
    refuse_bytes(file, n, "a.jpg", &keep, "component 1: sampling factors 2, 1 of 3, 1 are no whole steps");
    frame[11] = 0x22;
    frame[14] = 0x11;
    memcpy(frame + 5, "\x80\0\x80\0", 4);
    refuse_bytes(file, n, "a.jpg", &limited, "--max-pixels");
    refuse_bytes(file, n, "a.jpg", NULL, "pixel data: truncated");
    memcpy(frame + 5, "\0\x15\0\x25", 4);
    memset(file + n - 12, 0, 10);
    refuse_bytes(file, n, "a.jpg", NULL, "pixel data: damaged: libjpeg: ");
    free(file);
}

/* Scans of one coefficient each, and of one more bit of it each. */
TEST(scans_are_limited)
{
    static jpeg_scan_info scans[1 + 63 * 10];
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    unsigned char *at = NULL;
    unsigned long count = 0;
    JSAMPLE line[8] = {0};
    JSAMPROW lines = line;
    int n = 0;
    scans[n++] = (jpeg_scan_info){1, {0}, 0, 0, 0, 0};
    for (int k = 1; k < 64; k++) {
        for (int bit = 9; bit >= 0; bit--) {
            scans[n++] = (jpeg_scan_info){1, {0}, k, k, bit == 9 ? 0 : bit + 1, bit};
        }
    }
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &at, &count);
    info.image_width = info.image_height = 8;
    info.input_components = 1;
    info.in_color_space = JCS_GRAYSCALE;
    jpeg_set_defaults(&info);
    info.scan_info = scans;
    info.num_scans = n;
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < 8) {
        (void)jpeg_write_scanlines(&info, &lines, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    refuse_bytes(at, count, "a.jpg", NULL, "more than 500 scans");
    free(at);
}

/* ---- In TIFF --------------------------------------------------------------------------------- */

static const int tiff_colors[3] = {200, 100, 50};

static void put_blocks(TIFF *tiff, int is_tiled)
{
    static uint8_t chunk[64 * 64 * 3];
    uint32_t blocks = is_tiled ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
    for (size_t i = 0; i < sizeof chunk; i++) {
        chunk[i] = (uint8_t)tiff_colors[i % 3];
    }
    for (uint32_t i = 0; i < blocks; i++) {
        uint32_t rows = HEIGHT - i * 16 < 16 ? HEIGHT - i * 16 : 16;
        tmsize_t n = is_tiled ? TIFFTileSize(tiff) : (tmsize_t)(rows * WIDTH * 3);
        ck_assert_int_gt(is_tiled ? TIFFWriteEncodedTile(tiff, i, chunk, n) : TIFFWriteEncodedStrip(tiff, i, chunk, n),
                         0);
    }
}

/* A picture of one colour, in YCbCr. */
static void write_tiff(int is_tiled, unsigned step_x, unsigned step_y)
{
    const layout l = {"w", 8, 3, 0, PLANARCONFIG_CONTIG, (unsigned)is_tiled, PHOTOMETRIC_YCBCR, COMPRESSION_JPEG};
    TIFF *tiff = open_layout(file_path, &l, WIDTH, HEIGHT);

    ck_assert_ptr_nonnull(tiff);
    TIFFSetField(tiff, TIFFTAG_YCBCRSUBSAMPLING, step_x, step_y);
    TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    if (!is_tiled) {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 16u);
    }
    put_blocks(tiff, is_tiled);
    TIFFClose(tiff);
}

static void expect_rgb(void)
{
    wvl_io_picture p;
    char error[256];
    ck_assert_msg(wvl_io_read_picture(file_path, NULL, &p, error, sizeof error) == 0, "%s", error);
    ck_assert_int_eq(p.color, WVL_IO_RGB);
    ck_assert_int_eq(p.was_ycc, 1);
    ck_assert_msg(strstr(p.note, "YCbCr of JPEG data became RGB") != NULL, "\"%s\"", p.note);
    for (unsigned c = 0; c < 3; c++) {
        int64_t v = wvl_io_sample(&p.components[c], WIDTH - 1, HEIGHT - 1);
        ck_assert_uint_eq(p.components[c].dx, 1);
        ck_assert_msg(v > tiff_colors[c] - 6 && v < tiff_colors[c] + 6, "component %u: %d", c, (int)v);
    }
    wvl_io_release_picture(&p);
}

/* It becomes RGB, whatever its steps, in TIFF strips and in tiles; the planes stay where libtiff gives them. */
TEST_EACH(jpeg_in_tiff_becomes_rgb, 6)
{
    static const uint16_t steps[][2] = {{1, 1}, {2, 1}, {2, 2}};
    unsigned sx = steps[_i / 2][0], sy = steps[_i / 2][1];
    int is_tiled = _i % 2, gives_planes = sx * sy == 1 || (sx * sy == 4) == is_tiled;
    char error[256];
    wvl_io_picture p;
    make_file();
    if (TIFFIsCODECConfigured(COMPRESSION_JPEG)) {
        write_tiff(is_tiled, sx, sy);
        expect_rgb();
        int result = wvl_io_read_picture(file_path, &(wvl_io_options){.keep_ycc = 1}, &p, error, sizeof error);
        ck_assert_int_eq(result == 0, gives_planes);
        ck_assert(gives_planes || strstr(error, "leave --jpeg-ycc keep out"));
        ck_assert(!gives_planes || (p.color == WVL_IO_YCC && p.components[1].dx == sx && p.components[1].dy == sy));
        wvl_io_release_picture(&p);
    }
    unlink(file_path);
}

TEST_MAIN("jpeg")
