/* SPDX-License-Identifier: BSD-2-Clause */
/* The TIFF and PNG readers on files that the libraries write here. */
#include "imageio_bench.h"
#include "tiff_layout.h"

#include <tiffio.h>

#ifdef WVL_HAVE_PNG
#include <png.h>
#endif

#define WIDTH 37u
#define HEIGHT 21u

static void read_written(wvl_io_picture *p, const wvl_io_options *options)
{
    char error[256] = "";

    ck_assert_msg(wvl_io_read_picture(file_path, options, p, error, sizeof error) == 0, "%s", error);
    expect_rows_of_file(file_path, options, 0, p);
}

static void refuse_written(const char *reason)
{
    wvl_io_picture p;
    char error[256] = "";

    ck_assert_int_lt(wvl_io_read_picture(file_path, NULL, &p, error, sizeof error), 0);
    ck_assert_msg(strstr(error, reason) != NULL, "\"%s\" does not say \"%s\"", error, reason);
}

static void write_rows(TIFF *tiff, const layout *l)
{
    uint32_t planes = l->planar == PLANARCONFIG_SEPARATE ? l->samples : 1;
    uint8_t row[WIDTH * 4 * 4], tile[16 * 16 * 4 * 4];

    for (uint32_t c = 0; c < planes && !l->tiled; c++) {
        for (uint32_t y = 0; y < HEIGHT; y++) {
            fill_row(row, l, c, 0, y, WIDTH);
            ck_assert_int_eq(TIFFWriteScanline(tiff, row, y, (uint16_t)c), 1);
        }
    }
    for (uint32_t c = 0; c < planes && l->tiled; c++) {
        for (uint32_t y = 0; y < HEIGHT; y += 16) {
            for (uint32_t x = 0; x < WIDTH; x += 16) {
                size_t at = 0;

                for (uint32_t k = 0; k < 16; k++) {
                    at += fill_row(tile + at, l, c, x, y + k, 16);
                }
                ck_assert_int_gt(TIFFWriteTile(tiff, tile, x, y, 0, (uint16_t)c), 0);
            }
        }
    }
}

static TIFF *start_tiff(const layout *l)
{
    TIFF *tiff = open_layout(file_path, l, WIDTH, HEIGHT);
    ck_assert_ptr_nonnull(tiff);
    if (!l->tiled) {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 5);
    }
    return tiff;
}

static void expect_samples(const wvl_io_picture *p, const layout *l)
{
    uint32_t wrong = 0;

    expect_shape(p, WIDTH, HEIGHT, l->samples, l->depth, (int)l->is_signed);
    for (uint32_t c = 0; c < l->samples; c++) {
        for (uint32_t y = 0; y < HEIGHT; y++) {
            for (uint32_t x = 0; x < WIDTH; x++) {
                wrong += wvl_io_sample(&p->components[c], x, y) != expected_sample(l, c, x, y);
            }
        }
    }
    ck_assert_msg(wrong == 0, "%u samples differ: mode %s, %u bits, %u samples, signed %u, planar %u, tiled %u", wrong,
                  l->mode, l->depth, l->samples, l->is_signed, l->planar, l->tiled);
}

/* What lies in the file as a container of the interface stays so where that is asked for. */
static wvl_io_words words_of(const layout *l)
{
    if (l->is_signed || l->tiled || (l->planar == PLANARCONFIG_SEPARATE && l->samples > 1) ||
        l->photometric == PHOTOMETRIC_MINISWHITE || l->compression != COMPRESSION_NONE) {
        return WVL_IO_INTEGERS;
    }
    if (l->depth == 16) {
        return strchr(l->mode, 'b') ? WVL_IO_16_BE : WVL_IO_INTEGERS;
    }
    if (l->depth == 10) {
        return WVL_IO_PACKED10;
    }
    return l->depth == 12 ? WVL_IO_PACKED12 : WVL_IO_INTEGERS;
}

static void round_trip(const layout *l)
{
    TIFF *tiff = start_tiff(l);
    wvl_io_picture p;

    write_rows(tiff, l);
    TIFFClose(tiff);
    read_written(&p, NULL);
    expect_samples(&p, l);
    wvl_io_release_picture(&p);
    ck_assert_int_eq(
        wvl_io_read_picture(file_path, &(wvl_io_options){.keep_words = WVL_IO_KEEP_ALL_WORDS}, &p, NULL, 0), WVL_IO_OK);
    ck_assert_int_eq(p.words, words_of(l));
    ck_assert_int_eq(wvl_io_expand_words(&p), WVL_IO_OK);
    expect_samples(&p, l);
    wvl_io_release_picture(&p);
}

/* _i is the depth. */
TEST_RANGE(tiff_every_layout, 1, 33)
{
    static const char *const modes[] = {"wl", "wb", "w8"};

    const unsigned step = (unsigned)imageio_step(); /* other ones of each depth */
    make_file();
    for (unsigned k = (unsigned)_i % step; k < 3 * 2 * 2 * 2 * 2; k += step) {
        layout l = {modes[k % 3],
                    (unsigned)_i,
                    1,
                    k / 3 % 2,
                    k / 6 % 2 ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG,
                    k / 12 % 2,
                    PHOTOMETRIC_MINISBLACK,
                    COMPRESSION_NONE};

        if (k / 24 != 0) {
            l.samples = 3;
            l.photometric = PHOTOMETRIC_RGB;
        }
        round_trip(&l);
    }
    unlink(file_path);
}

TEST_EACH(tiff_min_is_white_and_coders, 6)
{
    static const layout layouts[] = {
        {"w", 1, 1, 0, PLANARCONFIG_CONTIG, 0, PHOTOMETRIC_MINISWHITE, COMPRESSION_CCITTFAX4},
        {"w", 1, 1, 0, PLANARCONFIG_CONTIG, 0, PHOTOMETRIC_MINISWHITE, COMPRESSION_NONE},
        {"w", 8, 1, 1, PLANARCONFIG_CONTIG, 1, PHOTOMETRIC_MINISWHITE, COMPRESSION_LZW},
        {"w", 12, 1, 0, PLANARCONFIG_CONTIG, 0, PHOTOMETRIC_MINISWHITE, COMPRESSION_LZW},
        {"w", 32, 1, 0, PLANARCONFIG_CONTIG, 0, PHOTOMETRIC_MINISWHITE, COMPRESSION_ADOBE_DEFLATE},
        {"w", 16, 4, 0, PLANARCONFIG_CONTIG, 0, PHOTOMETRIC_SEPARATED, COMPRESSION_PACKBITS},
    };

    make_file();
    round_trip(&layouts[_i]);
    unlink(file_path);
}

TEST(tiff_tags)
{
    static const layout l = {"w", 8, 4, 0, PLANARCONFIG_CONTIG, 0, PHOTOMETRIC_RGB, COMPRESSION_NONE};
    static const uint16_t extra[] = {EXTRASAMPLE_ASSOCALPHA};
    uint8_t profile[140] = {0, 0, 0, 136};
    wvl_io_picture p;
    TIFF *tiff;

    make_file();
    tiff = start_tiff(&l);
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, extra);
    TIFFSetField(tiff, TIFFTAG_ICCPROFILE, (uint32_t)sizeof profile, profile);
    TIFFSetField(tiff, TIFFTAG_XMLPACKET, 5u, "<x/>\n");
    TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH);
    TIFFSetField(tiff, TIFFTAG_XRESOLUTION, 300.0);
    TIFFSetField(tiff, TIFFTAG_YRESOLUTION, 150.0);
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_RIGHTTOP);
    write_rows(tiff, &l);
    TIFFClose(tiff);
    read_written(&p, NULL);
    expect_samples(&p, &l);
    ck_assert_int_eq(p.color, WVL_IO_RGB);
    ck_assert_int_eq(p.color_declared, 1);
    ck_assert_int_eq(p.alpha_component, 3);
    ck_assert_int_eq(p.alpha_premultiplied, 1);
    ck_assert_uint_eq(p.icc_bytes, 136); /* padding cut off */
    ck_assert_uint_eq(p.metadata.blobs[WVL_IO_XMP].bytes, 5);
    ck_assert_mem_eq(p.metadata.blobs[WVL_IO_XMP].data, "<x/>\n", 5);
    ck_assert(p.x_pixels_per_metre > 11811.02 && p.x_pixels_per_metre < 11811.03);
    ck_assert(p.y_pixels_per_metre > 5905.51 && p.y_pixels_per_metre < 5905.52);
    ck_assert_uint_eq(p.orientation, 6);
    wvl_io_release_picture(&p);
    unlink(file_path);
}

/* Depth of the palette from how its entries were widened. */
TEST_EACH(tiff_palettes, 4)
{
    static const unsigned factors[] = {257, 256, 1, 258}, depths[] = {8, 8, 8, 16};
    layout l = {"w", 4, 1, 0, PLANARCONFIG_CONTIG, 0, PHOTOMETRIC_PALETTE, COMPRESSION_NONE};
    wvl_io_options keep = {0};
    uint16_t map[3][16];
    wvl_io_picture p;
    TIFF *tiff;
    uint32_t x = 5, y = 7;

    make_file();
    keep.keep_palette = 1;
    for (uint32_t k = 0; k < 48; k++) {
        map[k / 16][k % 16] = (uint16_t)((200 - 3 * k) * factors[_i]);
    }
    tiff = start_tiff(&l);
    TIFFSetField(tiff, TIFFTAG_COLORMAP, map[0], map[1], map[2]);
    write_rows(tiff, &l);
    TIFFClose(tiff);
    read_written(&p, NULL);
    expect_shape(&p, WIDTH, HEIGHT, 3, depths[_i], 0);
    for (uint32_t k = 0; k < 3; k++) {
        ck_assert_int_eq(sample_at(&p, k, x, y),
                         map[k][stored_bits(&l, 0, x, y)] / (depths[_i] == 16 ? 1 : factors[_i]));
    }
    wvl_io_release_picture(&p);
    read_written(&p, &keep);
    expect_samples(&p, &l);
    ck_assert_uint_eq(p.palette_entries, 16);
    ck_assert_uint_eq(p.palette_depth, depths[_i]);
    ck_assert_uint_eq(p.palette[3 * 9 + 2], map[2][9] / (depths[_i] == 16 ? 1 : factors[_i]));
    wvl_io_release_picture(&p);
    unlink(file_path);
}

/* Units of luma and chroma in TIFF strips and tiles, with parts beyond the right and lower edge. */
TEST_EACH(tiff_subsampled, 8)
{
    static const uint16_t steps[][2] = {{2, 1}, {2, 2}, {4, 2}, {1, 2}};
    unsigned sx = steps[_i / 2][0], sy = steps[_i / 2][1], tiled = _i % 2;
    layout l = {"w", 8, 3, 0, PLANARCONFIG_CONTIG, tiled, PHOTOMETRIC_YCBCR, COMPRESSION_LZW};
    uint32_t across = tiled ? 16 : (WIDTH + sx - 1) / sx * sx, down = tiled ? 16 : 8;
    static uint8_t chunk[64 * 64 * 3];
    TIFF *tiff;
    wvl_io_picture p;

    make_file();
    tiff = start_tiff(&l);
    TIFFSetField(tiff, TIFFTAG_YCBCRSUBSAMPLING, sx, sy);
    if (!tiled) {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, down);
    }
    for (uint32_t y0 = 0; y0 < HEIGHT; y0 += down) {
        for (uint32_t x0 = 0; x0 < WIDTH; x0 += across) {
            uint32_t rows = !tiled && HEIGHT - y0 < down ? HEIGHT - y0 : down;
            size_t n = 0;

            for (uint32_t y = 0; y < rows; y += sy) {
                for (uint32_t x = 0; x < across; x += sx) {
                    for (uint32_t k = 0; k < sx * sy; k++) {
                        chunk[n++] = (uint8_t)stored_bits(&l, 0, x0 + x + k % sx, y0 + y + k / sx);
                    }
                    chunk[n++] = (uint8_t)stored_bits(&l, 1, (x0 + x) / sx, (y0 + y) / sy);
                    chunk[n++] = (uint8_t)stored_bits(&l, 2, (x0 + x) / sx, (y0 + y) / sy);
                }
            }
            if (tiled) {
                ck_assert_int_gt(TIFFWriteEncodedTile(tiff, TIFFComputeTile(tiff, x0, y0, 0, 0), chunk, (tmsize_t)n),
                                 0);
            } else {
                ck_assert_int_gt(TIFFWriteEncodedStrip(tiff, y0 / down, chunk, (tmsize_t)n), 0);
            }
        }
    }
    TIFFClose(tiff);
    read_written(&p, NULL);
    ck_assert_int_eq(p.color, WVL_IO_YCC);
    ck_assert_int_eq(p.color_declared, 1);
    for (uint32_t c = 0; c < 3; c++) {
        const wvl_io_component *q = &p.components[c];

        ck_assert_uint_eq(q->dx, c == 0 ? 1 : sx);
        ck_assert_uint_eq(q->height, c == 0 ? HEIGHT : (HEIGHT + sy - 1) / sy);
        for (uint32_t y = 0; y < q->height; y++) {
            for (uint32_t x = 0; x < q->width; x++) {
                ck_assert_int_eq(wvl_io_sample(q, x, y), stored_bits(&l, c, x, y));
            }
        }
    }
    wvl_io_release_picture(&p);
    unlink(file_path);
}

TEST(tiff_refusals)
{
    static const layout plain = {"w", 8, 3, 0, PLANARCONFIG_CONTIG, 0, PHOTOMETRIC_RGB, COMPRESSION_NONE};
    layout l = plain;
    TIFF *tiff;

    make_file();
    l.photometric = PHOTOMETRIC_CIELAB;
    tiff = start_tiff(&l);
    write_rows(tiff, &l);
    TIFFClose(tiff);
    refuse_written("PhotometricInterpretation 8 (CIE L*a*b*)");
    l = plain;
    l.depth = 32;
    tiff = start_tiff(&l);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP);
    write_rows(tiff, &l);
    TIFFClose(tiff);
    refuse_written("SampleFormat 3: floating point; --float-transfer");
    unlink(file_path);
}

/* A directory and nothing else: width and height near 2^31, one TIFF strip at offset 8. */
TEST_EACH(tiff_claims, 2)
{
    static const uint16_t fields[][3] = {/* tag, type, value; 0xffff: the claim */
                                         {256, 4, 0xffff}, {257, 4, 0xffff}, {258, 3, 8}, {259, 3, 1},
                                         {262, 3, 1},      {273, 4, 8},      {279, 4, 64}};
    static const uint32_t claims[] = {0x7fffffff, 60000};
    static const char *const reasons[] = {"limit of 8589934592 samples", "truncated"};
    size_t n = sizeof fields / sizeof fields[0];
    bytes b;

    b.count = 0;
    put(&b, "II*\0", 4);
    put_le32(&b, 8);
    put_le16(&b, (unsigned)n);
    for (size_t k = 0; k < n; k++) {
        put_le16(&b, fields[k][0]);
        put_le16(&b, fields[k][1]);
        put_le32(&b, 1);
        put_le32(&b, fields[k][2] == 0xffff ? claims[_i] : fields[k][2]);
    }
    put_le32(&b, 0);
    refuse_bytes(b.at, b.count, "a.tif", NULL, _i == 0 ? "a.tif: TIFF: " : reasons[_i]);
}

TEST_EACH(tiff_damaged, 8)
{
    static const unsigned compressions[] = {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE,
                                            COMPRESSION_PACKBITS};
    layout l = {"w", 8, 3, 0, PLANARCONFIG_CONTIG, (unsigned)_i & 1, PHOTOMETRIC_RGB, compressions[_i / 2]};
    TIFF *tiff;
    bytes b;

    make_file();
    tiff = start_tiff(&l);
    TIFFSetField(tiff, TIFFTAG_ICCPROFILE, 16u, "0123456789abcdef");
    write_rows(tiff, &l);
    TIFFClose(tiff);
    load_file(&b);
    expect_truncations_refused(b.at, b.count, "a.tif", NULL);
    read_damaged(b.at, b.count, "a.tif", NULL, 1500);
    unlink(file_path);
}

#ifdef WVL_HAVE_PNG
typedef struct png_case {
    int depth, color_type, interlace, has_transparency;
} png_case;

static const png_case png_cases[] = {
    {1, PNG_COLOR_TYPE_GRAY, 0, 0},        {2, PNG_COLOR_TYPE_GRAY, 1, 1},       {4, PNG_COLOR_TYPE_GRAY, 0, 0},
    {8, PNG_COLOR_TYPE_GRAY, 1, 0},        {16, PNG_COLOR_TYPE_GRAY, 0, 1},      {8, PNG_COLOR_TYPE_GRAY_ALPHA, 0, 0},
    {16, PNG_COLOR_TYPE_GRAY_ALPHA, 1, 0}, {8, PNG_COLOR_TYPE_RGB, 0, 1},        {16, PNG_COLOR_TYPE_RGB, 1, 1},
    {8, PNG_COLOR_TYPE_RGB_ALPHA, 1, 0},   {16, PNG_COLOR_TYPE_RGB_ALPHA, 0, 0}, {1, PNG_COLOR_TYPE_PALETTE, 1, 0},
    {2, PNG_COLOR_TYPE_PALETTE, 0, 1},     {4, PNG_COLOR_TYPE_PALETTE, 1, 0},    {8, PNG_COLOR_TYPE_PALETTE, 0, 1},
};

static unsigned channels_of(int color_type)
{
    return color_type == PNG_COLOR_TYPE_PALETTE
               ? 1
               : ((color_type & PNG_COLOR_MASK_COLOR) != 0 ? 3u : 1u) + ((color_type & PNG_COLOR_MASK_ALPHA) != 0);
}

static layout png_layout(const png_case *k)
{
    layout l = {"", (unsigned)k->depth, 0, 0, PLANARCONFIG_CONTIG, 0, PHOTOMETRIC_RGB, 0};

    l.samples = channels_of(k->color_type);
    return l;
}

static void set_transparency(png_structp png, png_infop info, const png_case *k, const layout *l)
{
    static png_byte alphas[3] = {0, 77, 200};
    png_color_16 key;

    memset(&key, 0, sizeof key);
    key.gray = key.red = (png_uint_16)stored_bits(l, 0, 3, 3);
    key.green = (png_uint_16)stored_bits(l, 1, 3, 3);
    key.blue = (png_uint_16)stored_bits(l, 2, 3, 3);
    if (k->color_type == PNG_COLOR_TYPE_PALETTE) {
        png_set_tRNS(png, info, alphas, 3, NULL);
    } else {
        png_set_tRNS(png, info, NULL, 0, &key);
    }
}

static void set_palette(png_structp png, png_infop info, int depth)
{
    png_color colors[256];

    for (int i = 0; i < 1 << depth; i++) {
        colors[i].red = (png_byte)(255 - i);
        colors[i].green = (png_byte)i;
        colors[i].blue = (png_byte)(i ^ 0x5a);
    }
    png_set_PLTE(png, info, colors, 1 << depth);
}

static void set_metadata(png_structp png, png_infop info)
{
    static char key[] = "XML:com.adobe.xmp", text[] = "<x/>";
    png_text item;

    memset(&item, 0, sizeof item);
    item.compression = PNG_ITXT_COMPRESSION_NONE;
    item.key = key;
    item.text = text;
    item.itxt_length = 4;
    png_set_text(png, info, &item, 1);
    png_set_pHYs(png, info, 2835, 5670, PNG_RESOLUTION_METER);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
}

static void write_png(const png_case *k, const layout *l)
{
    static uint8_t image[HEIGHT][WIDTH * 8];
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    FILE *file = fopen(file_path, "wb");
    png_bytep rows[HEIGHT];
    const uint16_t probe = 1;

    ck_assert_ptr_nonnull(file);
    png_init_io(png, file);
    png_set_IHDR(png, info, WIDTH, HEIGHT, k->depth, k->color_type, k->interlace ? PNG_INTERLACE_ADAM7 : 0, 0, 0);
    if (k->color_type == PNG_COLOR_TYPE_PALETTE) {
        set_palette(png, info, k->depth);
    }
    if (k->has_transparency) {
        set_transparency(png, info, k, l);
    }
    set_metadata(png, info);
    png_write_info(png, info);
    if (k->depth == 16 && *(const uint8_t *)&probe == 1) {
        png_set_swap(png);
    }
    for (uint32_t y = 0; y < HEIGHT; y++) {
        fill_row(image[y], l, 0, 0, y, WIDTH);
        rows[y] = image[y];
    }
    png_write_image(png, rows);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    fclose(file);
}

static int64_t expected_png(const png_case *k, const layout *l, uint32_t c, uint32_t x, uint32_t y)
{
    static const uint8_t alphas[3] = {0, 77, 200};
    uint32_t v = stored_bits(l, 0, x, y), n = l->samples, same = 0;

    if (k->color_type == PNG_COLOR_TYPE_PALETTE) {
        return c == 0 ? 255 - v : c == 1 ? v : c == 2 ? (v ^ 0x5a) : v < 3 ? alphas[v] : 255;
    }
    if (c < n) {
        return stored_bits(l, c, x, y);
    }
    for (uint32_t i = 0; i < n; i++) {
        same += stored_bits(l, i, x, y) == stored_bits(l, i, 3, 3);
    }
    return same == n ? 0 : (1 << k->depth) - 1;
}

TEST_EACH(png_every_kind, sizeof png_cases / sizeof png_cases[0])
{
    const png_case *k = &png_cases[_i];
    layout l = png_layout(k);
    int is_palette = k->color_type == PNG_COLOR_TYPE_PALETTE;
    uint32_t n = (is_palette ? 3 : l.samples) + (k->has_transparency ? 1u : 0u), wrong = 0;
    wvl_io_options keep = {0};
    wvl_io_picture p;
    bytes b;

    make_file();
    keep.keep_palette = 1;
    write_png(k, &l);
    read_written(&p, NULL);
    expect_shape(&p, WIDTH, HEIGHT, n, is_palette ? 8 : l.depth, 0);
    for (uint32_t c = 0; c < n; c++) {
        for (uint32_t y = 0; y < HEIGHT; y++) {
            for (uint32_t x = 0; x < WIDTH; x++) {
                wrong += wvl_io_sample(&p.components[c], x, y) != expected_png(k, &l, c, x, y);
            }
        }
    }
    ck_assert_uint_eq(wrong, 0);
    ck_assert_int_eq(p.alpha_component, n == 2 || n == 4 ? (int)n - 1 : -1);
    ck_assert_int_eq(p.color, n <= 2 ? WVL_IO_GREY : WVL_IO_RGB);
    ck_assert_int_eq(p.color_declared, 1);
    ck_assert(p.x_pixels_per_metre == 2835 && p.y_pixels_per_metre == 5670);
    ck_assert_uint_eq(p.metadata.blobs[WVL_IO_XMP].bytes, 4);
    wvl_io_release_picture(&p);
    read_written(&p, &keep);
    if (is_palette) {
        expect_samples(&p, &l);
    }
    ck_assert_uint_eq(p.palette_columns, is_palette ? n : 0);
    wvl_io_release_picture(&p);
    load_file(&b);
    expect_truncations_refused(b.at, b.count, "a.png", NULL);
    read_damaged(b.at, b.count, "a.png", NULL, 200);
    b.at[16] = 0x7f; /* width 2^31 - something, with a wrong checksum */
    refuse_bytes(b.at, b.count, "a.png", NULL, "libpng: ");
    set_32(&b, 29, crc_of_bytes(0, b.at + 12, 17), 1);
    refuse_bytes(b.at, b.count, "a.png", NULL, "IHDR");
    unlink(file_path);
}
#endif

TEST_MAIN("imageio with libraries")
