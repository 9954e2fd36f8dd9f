/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader of DPX: hand-made files of all depths and packings, in both byte orders. */
#include "imageio_bench.h"

TEST_EACH(dpx_layouts, 6)
{
    int big = _i & 1, packing = _i >> 1;
    const uint32_t v[4] = {1, 0x3fe, 0x155, 0x200};
    wvl_io_picture p;
    bytes b;

    start_dpx(&b, big, 1, 2, 50, 10, (unsigned)packing);
    if (packing == 0) {
        put_word(&b, v[0] | v[1] << 10 | v[2] << 20, big);
    } else {
        put_word(&b, (v[0] << 20 | v[1] << 10 | v[2]) << (packing == 1 ? 2 : 0), big);
    }
    put_word(&b, 0, big);
    read_bytes(&p, b.at, b.count, "a.dpx", NULL);
    expect_shape(&p, 1, 2, 3, 10, 0);
    ck_assert_int_eq(sample_at(&p, 0, 0, 0), 1);
    ck_assert_int_eq(sample_at(&p, 1, 0, 0), 0x3fe);
    ck_assert_int_eq(sample_at(&p, 2, 0, 0), 0x155);
    wvl_io_release_picture(&p);

    start_dpx(&b, big, 1, 1, 51, 12, (unsigned)packing);
    if (packing == 0) {
        put_word(&b, 0xabc | 0x123u << 12 | (0x789u & 0xff) << 24, big);
        put_word(&b, 0x7 | 0xdefu << 4, big);
    } else {
        put_le32(&b, 0);
        put_le32(&b, 0);
        set_16(&b, 2048, packing == 1 ? 0xabc0 : 0x0abc, big);
        set_16(&b, 2050, packing == 1 ? 0x1230 : 0x0123, big);
        set_16(&b, 2052, packing == 1 ? 0x7890 : 0x0789, big);
        set_16(&b, 2054, packing == 1 ? 0xdef0 : 0x0def, big);
    }
    read_bytes(&p, b.at, b.count, "a.dpx", NULL);
    expect_shape(&p, 1, 1, 4, 12, 0);
    ck_assert_int_eq(sample_at(&p, 0, 0, 0), 0xabc);
    ck_assert_int_eq(sample_at(&p, 1, 0, 0), 0x123);
    ck_assert_int_eq(sample_at(&p, 2, 0, 0), 0x789);
    ck_assert_int_eq(sample_at(&p, 3, 0, 0), 0xdef);
    wvl_io_release_picture(&p);

    start_dpx(&b, big, 1, 2, 52, 8, (unsigned)packing); /* ABGR */
    put(&b, "\1\2\3\4\5\6\7\10", 8);
    read_bytes(&p, b.at, b.count, "a.dpx", NULL);
    ck_assert_int_eq(sample_at(&p, 0, 0, 1), 8);
    ck_assert_int_eq(sample_at(&p, 3, 0, 1), 5);
    wvl_io_release_picture(&p);
    set_16(&b, 808, big ? 0 : 1024, big); /* image data inside the header, and where a short header says that it ends */
    set_16(&b, 810, big ? 1024 : 0, big);
    refuse_bytes(b.at, b.count, "a.dpx", NULL, "offset to image data 1024: lies inside the header of 1664 bytes");
    set_16(&b, 24, big ? 0 : 1024, big);
    set_16(&b, 26, big ? 1024 : 0, big);
    read_bytes(&p, b.at, b.count, "a.dpx", NULL);
    wvl_io_release_picture(&p);
    set_16(&b, 806, 1, big);
    refuse_bytes(b.at, b.count, "a.dpx", NULL, "encoding 1");
    start_dpx(&b, big, 1, 2, 50, 32, (unsigned)packing);
    refuse_bytes(b.at, b.count, "a.dpx", NULL, "floating-point");
    start_dpx(&b, big, 0xffffffff, 0xffffffff, 50, 16, (unsigned)packing);
    refuse_bytes(b.at, b.count, "a.dpx", NULL, "limit of");
}

/* Fields of ones are undefined. */
TEST_EACH(dpx_undefined_fields, 4)
{
    int big = _i & 1;
    unsigned depth = _i >> 1 ? 16 : 8;
    wvl_io_picture p, whole;
    bytes b;
    start_dpx(&b, big, 1, 1, 50, depth, 0);
    put_word(&b, 0x01020304, big);
    put_word(&b, 0x05060708, big);
    read_bytes(&whole, b.at, b.count, "a.dpx", NULL);
    set_32(&b, 780, UINT32_MAX, big);
    set_32(&b, 804, UINT32_MAX, big); /* packing and encoding */
    read_bytes(&p, b.at, b.count, "a.dpx", NULL);
    ck_assert_msg(strstr(p.note, "data sign: undefined") != NULL, "%s", p.note);
    for (uint32_t c = 0; c < 3; c++) {
        ck_assert_int_eq(wvl_io_sample(&p.components[c], 0, 0), wvl_io_sample(&whole.components[c], 0, 0));
    }
    wvl_io_release_picture(&p);
    wvl_io_release_picture(&whole);
    set_32(&b, 780, 2, big);
    refuse_bytes(b.at, b.count, "a.dpx", NULL, "data sign 2");
    start_dpx(&b, big, 1, 1, 50, 10, UINT16_MAX);
    refuse_bytes(b.at, b.count, "a.dpx", NULL, "packing 65535");
}

/* Lines that do not fill their last word, of one component and of four. */
TEST_EACH(dpx_last_words, 4)
{
    int big = _i & 1, packing = 1 + (_i >> 1), shift = packing == 1 ? 2 : 0;
    wvl_io_picture p;
    bytes b;

    start_dpx(&b, big, 5, 2, 6, 10, (unsigned)packing); /* the first sample lies lowest */
    for (uint32_t y = 0; y < 2; y++) {
        put_word(&b, ((100 * y + 1) | (100 * y + 2) << 10 | (100 * y + 903) << 20) << shift, big);
        put_word(&b, ((100 * y + 4) | (100 * y + 5) << 10 | 0x3ffu << 20) << shift, big);
    }
    read_bytes(&p, b.at, b.count, "a.dpx", NULL);
    expect_shape(&p, 5, 2, 1, 10, 0);
    for (uint32_t y = 0; y < 2; y++) {
        const int wanted[5] = {1, 2, 903, 4, 5};
        for (uint32_t x = 0; x < 5; x++) {
            ck_assert_int_eq(sample_at(&p, 0, x, y), wanted[x] + 100 * (int)y);
        }
    }
    wvl_io_release_picture(&p);

    start_dpx(&b, big, 1, 2, 51, 10, (unsigned)packing); /* the first sample lies highest */
    for (uint32_t y = 0; y < 2; y++) {
        put_word(&b, ((y + 11) << 20 | 22 << 10 | 33) << shift, big);
        put_word(&b, ((y + 44) << 20 | 0x3ff << 10 | 0x3ff) << shift, big);
    }
    read_bytes(&p, b.at, b.count, "a.dpx", NULL);
    expect_shape(&p, 1, 2, 4, 10, 0);
    for (uint32_t y = 0; y < 2; y++) {
        ck_assert_int_eq(sample_at(&p, 0, 0, y), 11 + (int)y);
        ck_assert_int_eq(sample_at(&p, 1, 0, y), 22);
        ck_assert_int_eq(sample_at(&p, 2, 0, y), 33);
        ck_assert_int_eq(sample_at(&p, 3, 0, y), 44 + (int)y);
    }
    wvl_io_release_picture(&p);
}

TEST(dpx_lines)
{
    wvl_io_picture p;
    bytes b;

    start_dpx(&b, 1, 3, 2, 6, 8, 0); /* lines of 3 bytes, padded to 4 */
    put(&b, "abc\0def", 7);
    read_bytes(&p, b.at, b.count, "a.dpx", NULL);
    ck_assert_int_eq(sample_at(&p, 0, 0, 1), 'd');
    wvl_io_release_picture(&p);
    start_dpx(&b, 1, 3, 2, 6, 8, 0); /* not padded, as the size tells */
    put(&b, "abcdef", 6);
    read_bytes(&p, b.at, b.count, "a.dpx", NULL);
    ck_assert_int_eq(sample_at(&p, 0, 0, 1), 'd');
    wvl_io_release_picture(&p);
}

TEST_MAIN("dpx")
