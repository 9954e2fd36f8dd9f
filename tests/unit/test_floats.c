/* SPDX-License-Identifier: BSD-2-Clause */
/* Floating-point pictures: the curves, the range, and the readers of PFM, TIFF and OpenEXR, with files made here. */
#include "tools/imageio/float_samples.h"

#include "imageio_bench.h"

#include <math.h>
#include <tiffio.h>
#include <unistd.h>

static const wvl_io_options linear = {.float_transfer = WVL_IO_FLOAT_LINEAR},
                            kept = {.float_transfer = WVL_IO_FLOAT_KEPT};

static void expect_kept(const wvl_io_picture *p, uint32_t c, unsigned depth)
{
    const wvl_io_component *k = &p->components[c];
    ck_assert(k->depth == depth && k->sample_bytes == depth / 8 && k->is_signed && k->is_float);
}

static int64_t bits_of(float v)
{
    int32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static void put_float(bytes *b, float v, int big)
{
    uint32_t word;
    memcpy(&word, &v, sizeof word);
    put_word(b, word, big);
}

/* ---- Curves ---------------------------------------------------------------------------------- */

TEST(logarithms_and_powers_are_close)
{
    for (int i = -300; i < 300; i++) {
        double v = ldexp(1 + (i + 300) / 601.0, i / 3);
        ck_assert_double_eq_tol(wvl_io_log2(v), log2(v), 1e-14 * fmax(1, fabs(log2(v))));
        ck_assert_double_eq_tol(wvl_io_exp2(i / 3.0) / exp2(i / 3.0), 1, 1e-14);
    }
    ck_assert(wvl_io_log2(1.0) == 0 && wvl_io_log2(8.0) == 3 && wvl_io_exp2(-4.0) == 0.0625);
}

/* SMPTE ST 2084: light of 100 and 1000 of 10000 cd/m2 has code values of 0.508078 and 0.751827. */
TEST(curves_have_known_values)
{
    ck_assert_double_eq_tol(wvl_io_transfer_value(WVL_IO_FLOAT_PQ, 0, 100, 1), 0.508078421517399, 1e-12);
    ck_assert_double_eq_tol(wvl_io_transfer_value(WVL_IO_FLOAT_PQ, 0, 10, 1), 0.751827096247041, 1e-12);
    ck_assert(wvl_io_transfer_value(WVL_IO_FLOAT_PQ, 0, 2, 2) == 1);
    ck_assert_double_eq_tol(wvl_io_transfer_value(WVL_IO_FLOAT_LOG, 0.01, 100, 1), 0.5, 1e-12);
    ck_assert(wvl_io_transfer_value(WVL_IO_FLOAT_LOG, 0.01, 100, INFINITY) == 1);
    ck_assert(wvl_io_transfer_value(WVL_IO_FLOAT_LOG, 0.01, 100, -INFINITY) == 0);
    ck_assert(wvl_io_transfer_value(WVL_IO_FLOAT_LINEAR, -1, 3, 0) == 0.25);
    for (int t = WVL_IO_FLOAT_LINEAR; t <= WVL_IO_FLOAT_PQ; t++) {
        ck_assert(wvl_io_transfer_value((wvl_io_float_transfer)t, 1, 2, NAN) <
                  wvl_io_transfer_value((wvl_io_float_transfer)t, 1, 2, 1.001));
        ck_assert(wvl_io_transfer_value((wvl_io_float_transfer)t, 1, 2, INFINITY) == 1);
    }
}

TEST(halves_are_all_right)
{
    ck_assert(wvl_io_float_of_half(0x3C00) == 1.0f && wvl_io_float_of_half(0xC000) == -2.0f);
    ck_assert(wvl_io_float_of_half(1) == ldexpf(1, -24) && wvl_io_float_of_half(0x7BFF) == 65504.0f);
    ck_assert(isinf(wvl_io_float_of_half(0xFC00)) && isnan(wvl_io_float_of_half(0x7C01)));
}

/* ---- PFM ------------------------------------------------------------------------------------- */

/* Two columns, rows from the bottom: 0 0.25 / 0.5 1. */
static void make_pfm(bytes *b, int big, const float *values, size_t count, const char *head)
{
    b->count = 0;
    put(b, head, strlen(head));
    for (size_t i = 0; i < count; i++) {
        put_float(b, values[i], big);
    }
}

static const float four[4] = {0, 0.25f, 0.5f, 1};

TEST_EACH(rows_of_pfm_run_upwards, 2)
{
    bytes b;
    wvl_io_picture p;
    make_pfm(&b, _i, four, 4, _i ? "Pf\n2 2\n1.0\n" : "Pf\n2 2\n-1.0\n");
    read_bytes(&p, b.at, b.count, "a.pfm", &linear);
    expect_shape(&p, 2, 2, 1, 16, 0);
    ck_assert_int_eq(sample_at(&p, 0, 0, 1), 0);
    ck_assert_int_eq(sample_at(&p, 0, 1, 1), 16384); /* 16383.75 */
    ck_assert_int_eq(sample_at(&p, 0, 0, 0), 32768); /* 32767.5: halves go up */
    ck_assert_int_eq(sample_at(&p, 0, 1, 0), 65535);
    ck_assert_int_eq(p.float_transfer, WVL_IO_FLOAT_LINEAR);
    ck_assert(p.float_low == 0 && p.float_high == 1);
    wvl_io_release_picture(&p);
    expect_truncations_refused(b.at, b.count, "a.pfm", &linear);
    read_damaged(b.at, b.count, "a.pfm", &linear, 500);
    refuse_bytes(b.at, b.count, "a.pfm", NULL,
                 "PFM: PF or Pf: floating point; --float-transfer linear, log or pq makes 16-bit integers");
}

TEST(pfm_is_kept)
{
    bytes b;
    wvl_io_picture p;
    const float values[4] = {-0.0f, NAN, -INFINITY, 1e-44f};
    make_pfm(&b, 1, values, 4, "Pf\n2 2\n1.0\n");
    read_bytes(&p, b.at, b.count, "a.pfm", &kept);
    expect_kept(&p, 0, 32);
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_int_eq(sample_at(&p, 0, i & 1, 1 - i / 2), bits_of(values[i]));
    }
    wvl_io_release_picture(&p);
}

TEST(odd_numbers_are_noted)
{
    static const float odd[6] = {NAN, INFINITY, -INFINITY, -1, 3, 9};
    const wvl_io_options given = {
        .float_transfer = WVL_IO_FLOAT_LINEAR, .float_range_given = 1, .float_low = -1, .float_high = 3};
    bytes b;
    wvl_io_picture p;
    make_pfm(&b, 0, odd, 6, "PF\n2 1\n-1\n");
    read_bytes(&p, b.at, b.count, "a.pfm", &given);
    expect_shape(&p, 2, 1, 3, 16, 0);
    static const int64_t codes[6] = {0, 65535, 0, 0, 65535, 65535};
    for (uint32_t i = 0; i < 6; i++) {
        ck_assert_int_eq(sample_at(&p, i % 3, i / 3, 0), codes[i]);
    }
    ck_assert_ptr_nonnull(strstr(p.note, "1 samples are no number"));
    ck_assert_ptr_nonnull(strstr(p.note, "2 samples are infinite"));
    ck_assert_ptr_nonnull(strstr(p.note, "1 samples lie outside the range"));
    ck_assert_int_eq(p.color, WVL_IO_UNKNOWN);
    wvl_io_release_picture(&p);
    read_bytes(&p, b.at, b.count, "a.pfm", &linear);
    ck_assert(p.float_low == -1 && p.float_high == 9);
    wvl_io_release_picture(&p);
}

TEST(ranges_are_found)
{
    static const float one[2] = {-4, -4}, none[2] = {NAN, INFINITY}, light[2] = {0.5f, 8};
    wvl_io_options options = linear;
    bytes b;
    wvl_io_picture p;
    make_pfm(&b, 0, one, 2, "Pf\n2 1\n-1\n");
    read_bytes(&p, b.at, b.count, "a.pfm", &options);
    ck_assert(p.float_low == -4 && p.float_high > -4);
    ck_assert_int_eq(sample_at(&p, 0, 0, 0), 0);
    wvl_io_release_picture(&p);
    options.float_transfer = WVL_IO_FLOAT_LOG;
    refuse_bytes(b.at, b.count, "a.pfm", &options, "no sample is a finite number above 0; give LO,HI");
    make_pfm(&b, 0, none, 2, "Pf\n2 1\n-1\n");
    refuse_bytes(b.at, b.count, "a.pfm", &linear, "no sample is a finite number; give LO,HI");
    make_pfm(&b, 0, light, 2, "Pf\n2 1\n-1\n");
    read_bytes(&p, b.at, b.count, "a.pfm", &options);
    ck_assert(p.float_low == 0.5 && p.float_high == 8);
    wvl_io_release_picture(&p);
    options.float_transfer = WVL_IO_FLOAT_PQ;
    read_bytes(&p, b.at, b.count, "a.pfm", &options);
    ck_assert(p.float_low == 0 && p.float_high == 8);
    wvl_io_release_picture(&p);
}

/* ---- TIFF ------------------------------------------------------------------------------------ */

static char path[] = "/tmp/wvl_floats_XXXXXX";

static void write_tiff(unsigned depth, int planar, int tiled, uint16_t compression)
{
    static const float values[2] = {0.5f, 2};
    TIFF *tiff = TIFFOpen(path, "w");
    uint8_t row[16 * 16 * 8 * 3];
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 2);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 1);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, depth);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 3);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, planar ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression);
    memset(row, 0, sizeof row);
    for (unsigned i = 0; i < 6; i++) { /* 0.5 in the left pixel, 2 in the right one */
        float v = values[planar ? i & 1 : i / 3];
        uint16_t half = v > 1 ? 0x4000 : 0x3800;
        double wide = (double)v;
        const void *from[5] = {NULL, &half, &v, NULL, &wide};
        memcpy(row + i * depth / 8, from[depth / 16], depth / 8);
    }
    if (tiled) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 16);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, 16);
    }
    for (uint16_t plane = 0; plane < (planar ? 3 : 1); plane++) {
        int good = tiled ? TIFFWriteTile(tiff, row, 0, 0, 0, plane) > 0 : TIFFWriteScanline(tiff, row, 0, plane) == 1;
        ck_assert(good);
    }
    TIFFClose(tiff);
}

TEST_EACH(tiff_of_floats, 12)
{
    static const unsigned depths[3] = {16, 32, 64};
    wvl_io_picture p;
    char error[256] = "";
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    close(file);
    write_tiff(depths[_i / 4], _i & 1, _i >> 1 & 1, _i & 1 ? COMPRESSION_NONE : COMPRESSION_ADOBE_DEFLATE);
    ck_assert_msg(wvl_io_read_picture(path, &linear, &p, error, sizeof error) == 0, "%s", error);
    expect_shape(&p, 2, 1, 3, 16, 0);
    for (uint32_t c = 0; c < 3; c++) {
        ck_assert_int_eq(sample_at(&p, c, 0, 0), 0);
        ck_assert_int_eq(sample_at(&p, c, 1, 0), 65535);
    }
    ck_assert(p.float_low == 0.5 && p.float_high == 2);
    wvl_io_rows *rows;
    ck_assert_int_eq(wvl_io_rows_open(path, &linear, &rows, error, sizeof error), 0);
    ck_assert_ptr_nonnull(strstr(wvl_io_rows_obstacle(rows), "floating point"));
    expect_rows_of(rows, &p);
    wvl_io_release_picture(&p);
    ck_assert_int_lt(wvl_io_read_picture(path, NULL, &p, error, sizeof error), 0);
    ck_assert_ptr_nonnull(strstr(error, "TIFF: SampleFormat 3: floating point; --float-transfer"));
    unlink(path);
}

TEST_EACH(tiff_is_kept, 12)
{
    static const unsigned depths[3] = {16, 32, 64};
    wvl_io_picture p;
    wvl_io_rows *rows;
    char error[256] = "";
    int file = mkstemp(path), depth = (int)depths[_i / 4];
    ck_assert_int_ge(file, 0);
    close(file);
    write_tiff((unsigned)depth, _i & 1, _i >> 1 & 1, _i & 1 ? COMPRESSION_NONE : COMPRESSION_ADOBE_DEFLATE);
    int result = wvl_io_read_picture(path, &kept, &p, error, sizeof error);
    if (depth == 64) {
        ck_assert_ptr_nonnull(strstr(error, "keep takes 16 and 32"));
        unlink(path);
        return;
    }
    ck_assert_msg(result == 0, "%s", error);
    for (uint32_t c = 0; c < 3; c++) {
        expect_kept(&p, c, (unsigned)depth);
        ck_assert_int_eq(sample_at(&p, c, 0, 0), depth == 16 ? 0x3800 : bits_of(0.5f));
        ck_assert_int_eq(sample_at(&p, c, 1, 0), depth == 16 ? 0x4000 : bits_of(2));
    }
    ck_assert_int_eq(wvl_io_rows_open(path, &kept, &rows, error, sizeof error), 0);
    ck_assert_ptr_null(wvl_io_rows_obstacle(rows));
    expect_rows_of(rows, &p);
    wvl_io_release_picture(&p);
    unlink(path);
}

/* ---- OpenEXR --------------------------------------------------------------------------------- */

#ifdef WVL_TEST_OPENEXR

static void put_attribute(bytes *b, const char *name, const char *type, const void *value, size_t n)
{
    put(b, name, strlen(name) + 1);
    put(b, type, strlen(type) + 1);
    put_le32(b, (uint32_t)n);
    put(b, value, n);
}

static void put_channel(bytes *b, const char *name, uint32_t type)
{
    put(b, name, strlen(name) + 1);
    put_le32(b, type);
    put_le32(b, 0);
    put_le32(b, 1);
    put_le32(b, 1);
}

/* 3 x 2, not compressed, data window from (5, 7): channels A B G R of halves, and Z of floats. */
static void make_exr(bytes *b, int tiled)
{
    bytes list = {.count = 0}, box = {.count = 0}, tile = {.count = 0};
    static const char names[5][2] = {"A", "B", "G", "R", "Z"};
    for (unsigned i = 0; i < 5; i++) {
        put_channel(&list, names[i], i == 4 ? 2 : 1);
    }
    put(&list, "", 1);
    for (unsigned i = 0; i < 4; i++) {
        put_le32(&box, (const uint32_t[4]){5, 7, 7, 8}[i]);
    }
    put_le32(&tile, 16);
    put_le32(&tile, 16);
    put(&tile, "\0", 1);
    b->count = 0;
    put(b, "\x76\x2f\x31\x01\2", 5);
    put(b, tiled ? "\2\0\0" : "\0\0\0", 3);
    put_attribute(b, "channels", "chlist", list.at, list.count);
    put_attribute(b, "compression", "compression", "\0", 1);
    put_attribute(b, "dataWindow", "box2i", box.at, 16);
    put_attribute(b, "displayWindow", "box2i", box.at, 16);
    put_attribute(b, "lineOrder", "lineOrder", "\0", 1);
    put_attribute(b, "pixelAspectRatio", "float", "\0\0\x80\x3f", 4);
    put_attribute(b, "screenWindowCenter", "v2f", "\0\0\0\0\0\0\0\0", 8);
    put_attribute(b, "screenWindowWidth", "float", "\0\0\x80\x3f", 4);
    put_attribute(b, "owner", "string", "somebody", 8);
    if (tiled) {
        put_attribute(b, "tiles", "tiledesc", tile.at, tile.count);
    }
    put(b, "", 1);
}

static void put_row(bytes *b, unsigned y)
{
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned x = 0; x < 3; x++) { /* 1 + x/8 + y/4 + c/2, but for A: 0.5 */
            unsigned fraction = (x * 128 + y * 256 + c * 512) >> (c == 2);
            put_le16(b, c ? 0x3C00 + fraction % 1024 : 0x3800);
        }
    }
    for (unsigned x = 0; x < 3; x++) {
        put_float(b, 5, 0);
    }
}

static void finish_exr(bytes *b, int tiled)
{
    uint64_t table = b->count;
    size_t row_bytes = 3 * (4 * 2 + 4);
    for (unsigned i = 0; i < (tiled ? 1 : 2); i++) {
        put_le32(b, (uint32_t)(table + (tiled ? 8 : 16) + i * (8 + row_bytes)));
        put_le32(b, 0);
    }
    for (unsigned y = 0; y < 2; y++) {
        if (tiled && y == 0) {
            for (unsigned i = 0; i < 4; i++) {
                put_le32(b, 0);
            }
            put_le32(b, (uint32_t)(2 * row_bytes));
        } else if (!tiled) {
            put_le32(b, 7 + y);
            put_le32(b, (uint32_t)row_bytes);
        }
        put_row(b, y);
    }
}

TEST_EACH(openexr_of_rows_and_tiles, 2)
{
    const wvl_io_options given = {
        .float_transfer = WVL_IO_FLOAT_LINEAR, .float_range_given = 1, .float_low = 1, .float_high = 2};
    bytes b;
    wvl_io_picture p;
    make_exr(&b, _i);
    finish_exr(&b, _i);
    read_bytes(&p, b.at, b.count, "a.exr", &given);
    expect_shape(&p, 3, 2, 4, 16, 0);
    ck_assert_int_eq(p.alpha_component, 3);
    ck_assert_int_eq(p.alpha_premultiplied, 1);
    ck_assert_ptr_nonnull(strstr(p.note, "channels left out: Z"));
    ck_assert_uint_eq(p.metadata.text_count, 1);
    for (uint32_t y = 0; y < 2; y++) {
        for (uint32_t x = 0; x < 3; x++) {
            for (uint32_t c = 0; c < 3; c++) { /* R, G, B of the picture are channels 3, 2, 1 of the file */
                uint32_t k = 3 - c, half = (x * 128 + y * 256 + k * 512) / (k == 2 ? 2 : 1) % 1024;
                ck_assert_int_eq(sample_at(&p, c, x, y), (int64_t)floor(half / 1024.0 * 65535 + 0.5));
            }
            ck_assert_int_eq(sample_at(&p, 3, x, y), 32768);
        }
    }
    wvl_io_release_picture(&p);
    expect_truncations_refused(b.at, b.count, "a.exr", &given);
    read_damaged(b.at, b.count, "a.exr", &linear, 3000);
    refuse_bytes(b.at, b.count, "a.exr", NULL, "OpenEXR: half or float: floating point; --float-transfer");
}

/* Halves, and beside them floats where there is no RGB. */
TEST_EACH(openexr_is_kept, 2)
{
    bytes b;
    wvl_io_picture p;
    make_exr(&b, _i);
    finish_exr(&b, _i);
    read_bytes(&p, b.at, b.count, "a.exr", &kept);
    for (uint32_t c = 0; c < 4; c++) {
        expect_kept(&p, c, 16);
    }
    for (uint32_t y = 0; y < 2; y++) {
        for (uint32_t x = 0; x < 3; x++) {
            ck_assert_int_eq(sample_at(&p, 0, x, y), 0x3C00 + (x * 128 + y * 256 + 3 * 512) % 1024);
            ck_assert_int_eq(sample_at(&p, 3, x, y), 0x3800);
        }
    }
    wvl_io_release_picture(&p);
    uint8_t *r = memchr(b.at + 24 + 40, 'R', 64);
    ck_assert_ptr_nonnull(r);
    *r = 'P'; /* no RGB: all channels are read, the last one of floats */
    read_bytes(&p, b.at, b.count, "a.exr", &kept);
    expect_shape(&p, 3, 2, 5, 16, 1);
    expect_kept(&p, 3, 16);
    expect_kept(&p, 4, 32);
    ck_assert_int_eq(sample_at(&p, 4, 2, 1), bits_of(5));
    wvl_io_release_picture(&p);
}

/* With a transfer and without it the same is said: it does not help. */
TEST(openexr_of_whole_numbers)
{
    bytes b;
    make_exr(&b, 0);
    finish_exr(&b, 0);
    uint8_t *g = memchr(b.at + 24 + 40, 'G', 16);
    ck_assert_ptr_nonnull(g);
    g[2] = 0;
    refuse_bytes(b.at, b.count, "a.exr", NULL, "channel G: integers (UINT)");
    refuse_bytes(b.at, b.count, "a.exr", &linear, "channel G: integers (UINT)");
}

/* Blocks of noise in every compression: damage is never want of memory. */
TEST_EACH(openexr_damaged_blocks, 10)
{
    uint32_t state = 12345 + (uint32_t)_i;
    for (unsigned n = 0; n < 400; n++) {
        bytes b;
        make_exr(&b, 0);
        static const char name[] = "compression";
        uint8_t *at = b.at;
        while (memcmp(at, name, sizeof name) != 0) {
            at++;
        }
        at[2 * sizeof name + 4] = (uint8_t)_i;
        put_le32(&b, (uint32_t)b.count + 8);
        put_le32(&b, 0);
        put_le32(&b, 7);
        unsigned length = 1 + n % 71;
        put_le32(&b, length);
        for (unsigned i = 0; i < length; i++) {
            state = state * 1664525 + 1013904223;
            uint8_t byte = i < 8 && n % 3 ? (uint8_t)(state >> 30) : (uint8_t)(state >> 24);
            put(&b, &byte, 1);
        }
        uint8_t *copy = exact_copy(b.at, b.count);
        wvl_io_picture p;
        char error[256] = "";
        int result = wvl_io_read_memory(copy, b.count, "a.exr", &linear, &p, error, sizeof error);
        ck_assert_msg(result != WVL_IO_ERROR_MEMORY, "compression %d, %u: %s", _i, n, error);
        wvl_io_release_picture(&p);
        free(copy);
    }
}

/* An entry of the table that points to a block which an attribute of the header forges: OpenEXR finds the true one. */
TEST(openexr_blocks_in_the_header)
{
    bytes b;
    wvl_io_picture p;
    make_exr(&b, 0);
    b.count--; /* the end of the header */
    bytes block = {.count = 0};
    put_le32(&block, 7);
    put_le32(&block, 36);
    for (unsigned i = 0; i < 9; i++) {
        put_le32(&block, 0x3C003C00);
    }
    put_attribute(&b, "comments", "string", block.at, block.count);
    size_t forged = b.count - block.count, table = b.count + 1;
    put(&b, "", 1);
    finish_exr(&b, 0);
    for (unsigned i = 0; i < 4; i++) {
        b.at[table + i] = (uint8_t)(forged >> (8 * i));
    }
    read_bytes(&p, b.at, b.count, "a.exr", &linear);
    ck_assert_int_ne(sample_at(&p, 0, 0, 0), sample_at(&p, 0, 1, 0)); /* the forged one has one value */
    wvl_io_release_picture(&p);
}

/* OpenEXR's own routines for three channels write through NULL where the file has others too. */
TEST(openexr_with_channels_left_out)
{
    bytes b;
    wvl_io_picture p;
    make_exr(&b, 0);
    finish_exr(&b, 0);
    uint8_t *a = memchr(b.at + 24, 'A', 16);
    ck_assert_ptr_nonnull(a);
    *a = '0';
    read_bytes(&p, b.at, b.count, "a.exr", &linear);
    expect_shape(&p, 3, 2, 3, 16, 0);
    ck_assert_int_eq(p.alpha_component, -1);
    ck_assert_ptr_nonnull(strstr(p.note, "channels left out: 0, Z"));
    wvl_io_release_picture(&p);
}

#endif

TEST_MAIN("floats")
