/* SPDX-License-Identifier: BSD-2-Clause */
/* Picture readers: hand-made files of the small formats, refusals, damage, and the test pictures where present.
   TIFF and PNG, written through their libraries, are in test_imageio_libs.c, and DPX in test_dpx.c. */
#include "imageio_bench.h"
#include "imageio_pictures.h"

#define SHAPE(...) ((const int[]){__VA_ARGS__})

TEST(pnm_text_and_binary)
{
    static const char plain[] = "P2 # grey\n# size\n3 2\n1000\n0 1 2 # three\n500 999 1000\n";
    static const uint8_t bits[] = {'P', '4', '\n', '1', '0', ' ', '2', '\n', 0xa5, 0x80, 0x00, 0x7f};
    wvl_io_picture p;

    check_picture(plain, sizeof plain - 1, "a.pgm", NULL, SHAPE(3, 2, 1, 10, 0, WVL_IO_GREY, -1), "0,1,1=999");
    /* 1 is black */
    check_picture("P1 5 2 10110\n0 1 1 0 1", 22, "a.pbm", NULL, SHAPE(5, 2, 1, 1, 0, WVL_IO_GREY, -1),
                  "0,0,0=0 0,1,0=1 0,2,0=0 0,3,0=0 0,4,0=1");
    check_picture(bits, sizeof bits, "a.pbm", NULL, SHAPE(10, 2, 1, 1, 0, WVL_IO_GREY, -1),
                  "0,0,0=0 0,1,0=1 0,2,0=0 0,3,0=1 0,4,0=1 0,5,0=0 0,6,0=1 0,7,0=0 0,8,0=0 0,9,0=1 0,8,1=1 0,9,1=0");
    check_picture("P6\n2 1\n255\nabcdef", 17, "a.ppm", NULL, SHAPE(2, 1, 3, 8, 0, WVL_IO_RGB, -1), "2,1,0=102");
    check_picture("P5 2 1 4095\n\x0f\xff\x01\x02", 16, "a.pgm", NULL, SHAPE(2, 1, 1, 12, 0, WVL_IO_GREY, -1),
                  "0,0,0=4095 0,1,0=258");
    read_bytes(&p, "P6\n2 1\n255\nabcdef", 17, "a.ppm", NULL);
    ck_assert_uint_eq(p.components[1].sample_stride_bytes, 3); /* interleaved as in the file */
    ck_assert_ptr_null(p.components[1].owned);
    wvl_io_release_picture(&p);
}

TEST(pnm_refusals)
{
    refuse_bytes("P5 2 1 100\n\x10\x65", 13, "a.pgm", NULL, "maxval 100");
    refuse_bytes("P2 2 1 100 7 101", 16, "a.pgm", NULL, "maxval 100");
    refuse_bytes("P2 2 1 70000 7 1", 16, "a.pgm", NULL, "maxval 70000");
    refuse_bytes("P5 2 1 0\nab", 11, "a.pgm", NULL, "maxval 0");
    refuse_bytes("P5 0 1 255\nab", 13, "a.pgm", NULL, "size 0 x 1");
    refuse_bytes("P5 x 1 255\nab", 13, "a.pgm", NULL, "width");
    refuse_bytes("P5 99999999999 1 255\nab", 23, "a.pgm", NULL, "4294967295");
    refuse_bytes("P5 2147483647 2147483647 255\nab", 31, "a.pgm", NULL, "limit of 8589934592 samples");
    refuse_bytes("P6 60000 40000 255\nab", 21, "a.ppm", NULL, "truncated: 7200000000 bytes needed");
    refuse_bytes("Pf\n2 2\n-1.0\n0123", 16, "a.pfm", NULL, "PFM: PF or Pf: floating point; --float-transfer");
}

TEST(pam_tuples)
{
    static const char grey_alpha[] =
        "P7\nWIDTH 2\nHEIGHT 1\n# c\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\nabcd";
    static const char six[] = "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 6\nMAXVAL 3\nENDHDR\n\0\1\2\3\2\1";
    static const char liar[] = "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE RGB\nENDHDR\nab";

    check_picture(grey_alpha, sizeof grey_alpha - 1, "a.pam", NULL, SHAPE(2, 1, 2, 8, 0, WVL_IO_GREY, 1), "1,1,0=100");
    check_picture(six, sizeof six - 1, "a.pam", NULL, SHAPE(1, 1, 6, 2, 0, WVL_IO_UNKNOWN, -1), "3,0,0=3");
    refuse_bytes(liar, sizeof liar - 1, "a.pam", NULL, "DEPTH 2: TUPLTYPE RGB has 3");
    refuse_bytes("P7\nWIDTH 1\nENDHDR\na", 19, "a.pam", NULL, "must all be given");
}

TEST(pgx_orders_and_signs)
{
    check_picture("PG ML -12 2 1\n\xf8\x00\x07\xff", 18, "a.pgx", NULL, SHAPE(2, 1, 1, 12, 1, WVL_IO_GREY, -1),
                  "0,0,0=-2048 0,1,0=2047");
    check_picture("PG LM + 17 1 1\r\n\x01\x02\x01\x00", 20, "a.pgx", NULL, SHAPE(1, 1, 1, 17, 0, WVL_IO_GREY, -1),
                  "0,0,0=66049");
    refuse_bytes("PG ML 12 1 1\n\x10\x00", 15, "a.pgx", NULL, "outside unsigned 12 bits");
    refuse_bytes("PG ML -4 1 1\n\x08", 14, "a.pgx", NULL, "outside signed 4 bits");
    refuse_bytes("PG ML 33 1 1\nabcd", 17, "a.pgx", NULL, "depth");
    refuse_bytes("PG XL 8 1 1\na", 13, "a.pgx", NULL, "ML or LM");
    refuse_bytes("PG ML 8 1 \na", 12, "a.pgx", NULL, "size");
}

TEST(raw_planes)
{
    wvl_io_options o = {0};
    wvl_io_picture p;

    o.raw_format = "3,2,2,12,u@1x1:2x2";
    read_bytes(&p, "\0\1\0\2\0\3\0\4\0\5\0\6\x0f\xff\0\7", 16, "a.raw", &o);
    expect_shape(&p, 3, 2, 2, 12, 0);
    ck_assert_uint_eq(p.components[1].width, 2);
    ck_assert_uint_eq(p.components[1].height, 1);
    ck_assert_int_eq(sample_at(&p, 0, 2, 1), 6);
    ck_assert_int_eq(sample_at(&p, 1, 0, 0), 4095);
    wvl_io_release_picture(&p);
    refuse_bytes("\0\1\0\2\0\3\0\4\0\5\0\6\x0f\xff\0\7", 16, "a.rawl", &o, "outside unsigned 12 bits");
    refuse_bytes("\0\1\0\2", 4, "a.raw", &o, "truncated: 16 bytes needed");

    o.raw_format = "2,2,3,8,u@1x1:2x2"; /* the last pair goes on */
    refuse_bytes("abcdefABCDEF", 12, "b.yuv", &o, "2 pictures of this geometry; only one picture per input");
    refuse_bytes("abcdefABCDE", 11, "b.yuv", &o, "5 bytes follow the samples");
    o.ignore_rest = 1;
    read_bytes(&p, "abcdefABCDEF", 12, "b.yuv", &o);
    o.ignore_rest = 0;
    ck_assert_int_eq(p.color, WVL_IO_YCC);
    ck_assert_uint_eq(p.components[2].dx, 2);
    ck_assert_int_eq(sample_at(&p, 2, 0, 0), 'f');
    wvl_io_release_picture(&p);

    o.raw_format = "1,1,1,16,s";
    read_bytes(&p, "\xfe\xff", 2, "c.rawl", &o);
    ck_assert_int_eq(sample_at(&p, 0, 0, 0), -2);
    wvl_io_release_picture(&p);
    refuse_bytes("abcd", 4, "a.raw", NULL, "need their geometry");
    o.raw_format = "2,2,3,8";
    refuse_bytes("abcd", 4, "a.raw", &o, "raw geometry");
    o.raw_format = "2,2,3,8,u@1x1:0x1";
    refuse_bytes("abcd", 4, "a.raw", &o, "subsampling of component 1");
    o.raw_format = "2,2,1,39,u";
    refuse_bytes("abcd", 4, "a.raw", &o, "39 bits");
}

TEST(bmp_direct)
{
    wvl_io_picture p;
    bytes b;

    start_bmp(&b, 2, -2, 24, 0, 0);
    put(&b, "\1\2\3\4\5\6\0\0\7\10\11\12\13\14\0\0", 16);
    read_bytes(&p, b.at, b.count, "a.bmp", NULL);
    expect_shape(&p, 2, 2, 3, 8, 0);
    ck_assert_int_eq(sample_at(&p, 0, 0, 0), 3); /* red is third, the first row on top */
    ck_assert_int_eq(sample_at(&p, 2, 1, 1), 10);
    ck_assert(p.x_pixels_per_metre == 2835);
    wvl_io_release_picture(&p);

    start_bmp(&b, 1, 2, 16, 3, 12);
    put_le32(&b, 0xf800);
    put_le32(&b, 0x07e0);
    put_le32(&b, 0x001f);
    put(&b, "\x01\x00\0\0\xe0\x07\0\0", 8);
    check_picture(b.at, b.count, "a.bmp", NULL, SHAPE(1, 2, 3, 5, 0, WVL_IO_RGB, -1),
                  "1,0,0=63 2,0,1=1"); /* bottom-up */
    read_bytes(&p, b.at, b.count, "a.bmp", NULL);
    ck_assert_int_eq(p.components[1].depth, 6);
    wvl_io_release_picture(&p);

    start_bmp(&b, 1, 1, 16, 3, 12);
    put_le32(&b, 0xf801);
    put_le32(&b, 0x07e0);
    put_le32(&b, 0x001f);
    put_le32(&b, 0);
    refuse_bytes(b.at, b.count, "a.bmp", NULL, "red mask");
    start_bmp(&b, 0x7fffffff, 0x7fffffff, 24, 0, 0);
    put_le32(&b, 0);
    refuse_bytes(b.at, b.count, "a.bmp", NULL, "truncated");
    start_bmp(&b, 4, 4, 0, 4, 0);
    refuse_bytes(b.at, b.count, "a.bmp", NULL, "0 bits with compression 4");
}

TEST(bmp_palettes_and_runs)
{
    static const uint8_t runs[] = {3, 1, 0, 3, 0, 2, 1, 0, 0, 0, /* 1 1 1 0 2 1 */
                                   0, 2, 1, 0, 2, 2, 0, 1};      /* skip 1, 2 2 */
    wvl_io_options keep = {0};
    wvl_io_picture p;
    bytes b;

    keep.keep_palette = 1;
    start_bmp(&b, 6, 2, 8, 1, 12);
    put(&b, "\0\0\0\0\1\2\3\0\x10\x20\x30\0", 12);
    put(&b, runs, sizeof runs);
    check_picture(b.at, b.count, "a.bmp", NULL, SHAPE(6, 2, 3, 8, 0, WVL_IO_RGB, -1),
                  "0,4,1=48 0,2,1=3 1,0,0=0 1,2,0=32");
    read_bytes(&p, b.at, b.count, "a.bmp", &keep);
    expect_shape(&p, 6, 2, 1, 8, 0);
    ck_assert_uint_eq(p.palette_entries, 3);
    ck_assert_uint_eq(p.palette[2 * 3 + 2], 0x10);
    ck_assert_int_eq(sample_at(&p, 0, 4, 1), 2);
    wvl_io_release_picture(&p);
    b.at[b.count - sizeof runs] = 9; /* a run of nine does not fit */
    refuse_bytes(b.at, b.count, "a.bmp", NULL, "run lengths: 9 pixels at column 0");

    start_bmp(&b, 5, 1, 4, 2, 8);
    put(&b, "\0\0\0\0\x07\x07\x07\0\3\x10\0\0\0\1", 14); /* grey palette: one component */
    check_picture(b.at, b.count, "a.bmp", NULL, SHAPE(5, 1, 1, 8, 0, WVL_IO_GREY, -1), "0,0,0=7 0,1,0=0 0,2,0=7");

    start_bmp(&b, 9, 1, 1, 0, 4);
    put(&b, "\1\1\1\0\0\0\0\0", 8);
    read_bytes(&p, b.at, b.count, "a.bmp", NULL);
    wvl_io_release_picture(&p);
    b.at[b.count - 4] = 1; /* index 1 of one entry */
    refuse_bytes(b.at, b.count, "a.bmp", NULL, "palette index 1, the palette has 1 entries");
    start_bmp(&b, 60000, 60000, 8, 1, 4);
    put(&b, "\0\0\0\0\0\1", 6);
    refuse_bytes(b.at, b.count, "a.bmp", NULL, "cannot hold this picture");
}

TEST(tga_types)
{
    bytes b;

    start_tga(&b, 10, 3, 2, 32, 8); /* run lengths across the line, bottom-up, alpha */
    put(&b, "\x83\1\2\3\4\1abcdABCD", 14);
    check_picture(b.at, b.count, "a.tga", NULL, SHAPE(3, 2, 4, 8, 0, WVL_IO_RGB, 3),
                  "0,0,1=3 0,0,0=3 0,1,0=99 3,2,0=68");
    start_tga(&b, 1, 2, 1, 8, 0x30); /* palette from index 10, right to left */
    put(&b, "\1\2\3\4\5\6\12\13", 8);
    check_picture(b.at, b.count, "a.tga", NULL, SHAPE(2, 1, 3, 8, 0, WVL_IO_RGB, -1), "0,0,0=6 0,1,0=3");
    b.at[b.count - 1] = 9;
    refuse_bytes(b.at, b.count, "a.tga", NULL, "the palette begins at 10");
    start_tga(&b, 2, 1, 1, 16, 1);
    put(&b, "\x01\xfc", 2);
    check_picture(b.at, b.count, "a.tga", NULL, SHAPE(1, 1, 4, 5, 0, WVL_IO_RGB, 3), "0,0,0=31 3,0,0=1");
    start_tga(&b, 3, 2, 1, 8, 0);
    put(&b, "ab", 2);
    check_picture(b.at, b.count, "a.TGA", NULL, SHAPE(2, 1, 1, 8, 0, WVL_IO_GREY, -1), "0,0,0=97 0,1,0=98");
    start_tga(&b, 11, 65535, 65535, 8, 0);
    refuse_bytes(b.at, b.count, "a.tga", NULL, "truncated");
    start_tga(&b, 33, 1, 1, 8, 0);
    refuse_bytes(b.at, b.count, "a.tga", NULL, "image type 33");
}

/* Header bytes are no pixels, and pixels are neither a profile nor an extension area. */
TEST(offsets_into_headers)
{
    static const uint32_t inside[] = {0, 14, 53};
    static const uint8_t footer[18] = "TRUEVISION-XFILE.";
    wvl_io_picture p;
    bytes b;

    for (unsigned i = 0; i < 3; i++) {
        start_bmp(&b, 1, 1, 24, 0, 0);
        put_le32(&b, 0);
        b.at[10] = (uint8_t)inside[i];
        refuse_bytes(b.at, b.count, "a.bmp", NULL, "lies inside the headers, which end at 54");
    }
    start_bmp(&b, 2, 1, 16, 3, 0); /* masks behind the header */
    put(&b, "\0\xf8\0\0\xe0\7\0\0\x1f\0\0\0", 12);
    put_le32(&b, 0);
    refuse_bytes(b.at, b.count, "a.bmp", NULL, "lies inside the headers, which end at 66");
    start_bmp(&b, 4, 64, 8, 1, 4); /* run lengths */
    put(&b, "\0\0\0\0\0\1", 6);
    b.at[10] = 30;
    refuse_bytes(b.at, b.count, "a.bmp", NULL, "lies inside the headers, which end at 54");
    for (unsigned at = 0; at <= 128; at += 64) { /* a profile in the header, in the pixels and behind them */
        start_bmp(&b, 16, 16, 24, 0, 0);
        b.at[14] = 124;
        b.at[10] = 14 + 124;
        put(&b, "BGRs", 4);
        b.count = 14 + 124 + 16 * 48 + 256;
        memset(b.at + 54, 0, b.count - 54);
        memcpy(b.at + 14 + 56, "DEBM", 4);
        b.at[14 + 112] = (uint8_t)(at == 128 ? 124 : 64 + at);
        b.at[14 + 113] = at == 128 ? 3 : 0;
        b.at[14 + 116] = 132;
        read_bytes(&p, b.at, b.count, "a.bmp", NULL);
        ck_assert_msg(!strstr(p.note, "inside the headers") == (at == 128), "%u: %s", at, p.note);
        wvl_io_release_picture(&p);
    }
    for (uint32_t at = 0; at < 600; at += 520) { /* an extension area among the pixels, and behind them */
        start_tga(&b, 2, 12, 11, 32, 8);
        b.count += 528 + 495;
        memset(b.at + 20, 4, 528);
        memset(b.at + 548, 0, 495);
        memcpy(b.at + 548, "\xef\1", 2);
        b.at[548 + 494] = 4;
        put_le32(&b, at ? 548 : 20);
        put_le32(&b, 0);
        put(&b, footer, sizeof footer);
        read_bytes(&p, b.at, b.count, "a.tga", NULL);
        ck_assert_int_eq(p.alpha_premultiplied, at != 0);
        wvl_io_release_picture(&p);
    }
}

TEST(merging)
{
    static const uint8_t steps[] = {1, 1, 3, 2}, wrong[] = {1, 1, 2, 2};
    wvl_io_picture parts[2], out;
    char error[200];

    read_bytes(&parts[0], "PG ML 8 5 2\nabcdefghij", 22, "a.pgx", NULL);
    read_bytes(&parts[1], "PG ML -4 2 1\n\1\2", 15, "b.pgx", NULL);
    ck_assert_int_lt(wvl_io_merge_components(parts, 2, wrong, &out, error, sizeof error), 0);
    ck_assert_ptr_nonnull(strstr(error, "of 4 x 2")); /* 2 samples of step 2 never reach a width of 5 */
    ck_assert_uint_eq(parts[0].component_count, 1);
    ck_assert_int_eq(wvl_io_merge_components(parts, 2, steps, &out, error, sizeof error), 0);
    ck_assert_uint_eq(out.component_count, 2);
    ck_assert_uint_eq(out.width, 5);
    ck_assert_uint_eq(parts[0].component_count, 0);
    ck_assert_int_eq(sample_at(&out, 1, 1, 0), 2);
    wvl_io_release_picture(&out);

    read_bytes(&parts[0], "PG ML 8 5 2\nabcdefghij", 22, "a.pgx", NULL);
    read_bytes(&parts[1], "PG ML 8 4 1\nabcd", 16, "b.pgx", NULL);
    ck_assert_int_lt(wvl_io_merge_components(parts, 2, NULL, &out, error, sizeof error), 0); /* 5 -> 4: no step */
    wvl_io_release_picture(&parts[1]);
    read_bytes(&parts[1], "PG ML 8 2 1\nab", 14, "b.pgx", NULL);
    ck_assert_int_eq(wvl_io_merge_components(parts, 2, NULL, &out, error, sizeof error), 0);
    ck_assert_uint_eq(out.components[1].dx, 3);
    ck_assert_uint_eq(out.components[1].dy, 2);
    wvl_io_release_picture(&out);
}

static size_t make_profile(uint8_t *profile, const char *class_and_space, const char *tags)
{
    size_t count = strlen(tags) / 4, size = 132 + 12 * count;
    bytes b;

    memset(profile, 0, size);
    b.count = 0;
    memset(b.at, 0, size);
    set_32(&b, 0, (uint32_t)size, 1);
    memcpy(b.at + 12, class_and_space, 12); /* class, colour space, PCS */
    memcpy(b.at + 36, "acsp", 4);
    set_32(&b, 128, (uint32_t)count, 1);
    for (size_t i = 0; i < count; i++) {
        memcpy(b.at + 132 + 12 * i, tags + 4 * i, 4);
        set_32(&b, 132 + 12 * i + 4, 128, 1);
        set_32(&b, 132 + 12 * i + 8, 4, 1);
    }
    memcpy(profile, b.at, size);
    return size;
}

TEST(icc_kinds)
{
    static const char matrix[] = "rXYZgXYZbXYZrTRCgTRCbTRC";
    static const struct {
        const char *class_and_space, *tags;
        wvl_io_icc kind;
    } rows[] = {{"scnrGRAYXYZ ", "kTRC", WVL_IO_ICC_GREY},
                {"prtrRGB XYZ ", matrix, WVL_IO_ICC_OTHER},
                {"mntrRGB Lab ", matrix, WVL_IO_ICC_OTHER},
                {"mntrRGB XYZ ", "A2B0rXYZgXYZbXYZrTRCgTRCbTRC", WVL_IO_ICC_OTHER},
                {"mntrRGB XYZ ", "rXYZgXYZbXYZ", WVL_IO_ICC_OTHER}};
    uint8_t profile[512];
    size_t size = make_profile(profile, "mntrRGB XYZ ", matrix);

    ck_assert_int_eq(wvl_io_icc_kind(profile, size), WVL_IO_ICC_RGB);
    ck_assert_int_eq(wvl_io_icc_kind(profile, size - 1), WVL_IO_ICC_BROKEN);
    profile[132 + 4] = 1; /* the first tag's offset leaves the profile */
    ck_assert_int_eq(wvl_io_icc_kind(profile, size), WVL_IO_ICC_BROKEN);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size = make_profile(profile, rows[i].class_and_space, rows[i].tags);
        ck_assert_int_eq(wvl_io_icc_kind(profile, size), rows[i].kind);
    }
    ck_assert_int_eq(wvl_io_icc_kind(NULL, 0), WVL_IO_ICC_BROKEN);
}

TEST(files_and_names)
{
    wvl_io_picture p;
    char error[256];

    ck_assert_int_lt(wvl_io_read_picture("no/such/file.ppm", NULL, &p, error, sizeof error), 0);
    ck_assert_ptr_nonnull(strstr(error, "no/such/file.ppm: cannot be opened: No such file"));
    ck_assert_int_lt(wvl_io_read_picture(".", NULL, &p, error, sizeof error), 0);
    ck_assert_str_eq(error, ".: is a directory; give the name of a file");
    refuse_bytes("", 0, "empty.tif", NULL, "empty.tif: the file is empty");
    refuse_bytes("hello, world", 12, "a.txt", NULL, "not recognised");
    refuse_bytes("GIF89a", 6, "a.tif", NULL, "GIF: files of this format are not read: convert the picture");
}

/* Standard input as a pipe: nothing can be sought, sizes are unknown. */
TEST_EACH(from_a_pipe, 2)
{
    static const char *const pictures[] = {"P6\n2 1\n255\nabcdef", "P6\n2 1\n255\nabcde"};
    wvl_io_picture p;
    char error[256];
    feed(pictures[_i], strlen(pictures[_i]));
    int result = wvl_io_read_picture("-", NULL, &p, error, sizeof error);
    if (_i == 0) {
        ck_assert_int_eq(result, 0);
        ck_assert_int_eq(sample_at(&p, 2, 1, 0), 'f');
        wvl_io_release_picture(&p);
    } else {
        ck_assert_int_lt(result, 0);
        ck_assert_str_eq(error, "standard input: PNM: pixel data: truncated: 6 bytes needed, the file ends after 5");
    }
}

/* One picture of each small format; whatever is cut off must be missed, and no damage may do harm. */
static void damage(const bytes *b, const char *name, const wvl_io_options *options)
{
    expect_truncations_refused(b->at, b->count, name, options);
    read_damaged(b->at, b->count, name, options, 400);
}

TEST(damaged_files)
{
    static const struct {
        const char *file, *name;
        size_t count;
    } rows[] = {{"P5 4 3 255\nabcdefghijkl", "a.pgm", 23},
                {"P1 4 2 0 1 0 1 1 1 1 1", "a.pbm", 22},
                {"PG LM -9 2 2\n\0\0\1\0\2\0\3\0", "a.pgx", 21},
                {"\0\1\0\2\0\3\0\4\0\5\0\6\x0f\xff\0\7", "a.raw", 16}};
    wvl_io_options o = {0};
    bytes b;

    o.raw_format = "3,2,2,12,u@1x1:2x2";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        b.count = 0;
        put(&b, rows[i].file, rows[i].count);
        damage(&b, rows[i].name, &o);
    }
    start_bmp(&b, 5, 2, 8, 1, 12);
    put(&b, "\0\0\0\0\1\2\3\0\x10\x20\x30\0\5\1\0\0\0\3\2\1\0\0\0\1", 24);
    damage(&b, "a.bmp", &o);
    start_bmp(&b, 3, 2, 24, 0, 0);
    put(&b, "abcdefghi\0\0\0ABCDEFGHI\0\0\0", 24);
    damage(&b, "a.bmp", &o);
    start_tga(&b, 10, 3, 2, 32, 8);
    put(&b, "\x83\1\2\3\4\1abcdABCD", 14);
    damage(&b, "a.tga", &o);
    start_tga(&b, 1, 2, 1, 8, 0x30);
    put(&b, "\1\2\3\4\5\6\12\13", 8);
    damage(&b, "a.tga", &o);
    start_dpx(&b, 1, 2, 2, 50, 10, 1);
    put(&b, "0123456789abcdef", 16);
    damage(&b, "a.dpx", &o);
}

TEST_EACH(known_picture_samples, sizeof known_pictures / sizeof known_pictures[0])
{
    const struct known_picture *k = &known_pictures[_i];
    wvl_io_options o = {0};
    wvl_io_picture p;
    char path[1024], error[512] = "";
    const char *folder = getenv("WVL_TEST_PICTURES");

    snprintf(path, sizeof path, "%s/%s", folder ? folder : "WVL_TEST_PICTURES is not set:", k->file);
    if (access(path, R_OK) != 0) {
        printf("%s is not there: skipped\n", path);
        return;
    }
    o.raw_format = k->raw_format;
    o.ignore_rest = 1; /* one of them is a moving picture */
    o.keep_palette = strcmp(k->file, "cog_cmap.tif") == 0;
    ck_assert_msg(wvl_io_read_picture(path, &o, &p, error, sizeof error) == 0, "%s", error);
    expect_shape(&p, k->width, k->height, k->components, k->depth, (int)k->is_signed);
    ck_assert_uint_eq(crc_of_picture(&p), k->crc);
    expect_rows_of_file(path, &o, row_portions[_i % 5], &p);
    wvl_io_release_picture(&p);
}

TEST_MAIN("imageio")
