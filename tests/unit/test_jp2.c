/* SPDX-License-Identifier: BSD-2-Clause */
/* JP2 boxes: hand-worked bytes, and contents found again by an independent walker. */
#include "tests/unit/jp2_bench.h"

/* ---- Contents -------------------------------------------------------------------------------- */

TEST_FIXTURE(NULL, drop);

TEST(smallest_file_by_hand)
{
    static const uint8_t want[] = {0,   0,   0,   12,   'j', 'P', ' ', ' ',  0x0D, 0x0A, 0x87, 0x0A, 0,   0,   0,   20,
                                   'f', 't', 'y', 'p',  'j', 'p', '2', ' ',  0,    0,    0,    0,    'j', 'p', '2', ' ',
                                   0,   0,   0,   45,   'j', 'p', '2', 'h',  0,    0,    0,    22,   'i', 'h', 'd', 'r',
                                   0,   0,   1,   0xE0, 0,   0,   2,   0x80, 0,    1,    7,    7,    0,   0,   0,   0,
                                   0,   15,  'c', 'o',  'l', 'r', 1,   0,    0,    0,    0,    0,    17};
    start(1);
    build_from(NULL);
    ck_assert_uint_eq(built.bytes, sizeof want);
    ck_assert_mem_eq(built.data, want, sizeof want);
    build();
    ck_assert_mem_eq(built.data, want, sizeof want);
}

TEST(depths_differ)
{
    static const uint8_t want[] = {7, 0x8B, 0x25};
    start(3);
    components[1].depth = 12;
    components[1].is_signed = 1;
    components[2].depth = 38;
    info.color_unknown = 1;
    build();
    const uint8_t *ihdr = content(TYPE('i', 'h', 'd', 'r'), 14);
    ck_assert(ihdr[8] == 0 && ihdr[9] == 3 && ihdr[10] == 255 && ihdr[11] == 7 && ihdr[12] == 1 && ihdr[13] == 0);
    ck_assert_mem_eq(content(TYPE('b', 'p', 'c', 'c'), 3), want, 3);
    start(2);
    components[0].is_signed = components[1].is_signed = 1;
    info.color = WVL_COLOR_GREY;
    build();
    ck_assert(!has(TYPE('b', 'p', 'c', 'c')));
    ck_assert_uint_eq(content(TYPE('i', 'h', 'd', 'r'), 14)[10], 0x87);
}

static unsigned enumerated(void)
{
    const uint8_t *colr = content(TYPE('c', 'o', 'l', 'r'), 7);
    ck_assert(colr[0] == 1 && !colr[1] && !colr[2] && !colr[3] && !colr[4] && !colr[5]);
    return colr[6];
}

TEST(colours_by_channel_count)
{
    static const unsigned want[5] = {0, 17, 17, 16, 16};
    for (uint32_t n = 1; n <= 4; n++) {
        start(n);
        build();
        ck_assert_uint_eq(enumerated(), want[n]);
        ck_assert_int_eq(has(TYPE('c', 'd', 'e', 'f')), n == 2 || n == 4);
    }
    start(3);
    info.color = WVL_COLOR_SYCC;
    components[1].dx = components[2].dx = components[1].dy = components[2].dy = 2;
    build();
    ck_assert_uint_eq(enumerated(), 18);
    start(16384);
    info.color = WVL_COLOR_SRGB;
    build();
    ck_assert_uint_eq(enumerated(), 16);
    const uint8_t *cdef = content(TYPE('c', 'd', 'e', 'f'), 2 + 6 * 16384);
    static const uint8_t third[] = {0, 2, 0, 0, 0, 3}, fourth[] = {0, 3, 0xFF, 0xFF, 0xFF, 0xFF};
    ck_assert(cdef[0] == 0x40 && cdef[1] == 0);
    ck_assert_mem_eq(cdef + 2 + 6 * 2, third, 6);
    ck_assert_mem_eq(cdef + 2 + 6 * 3, fourth, 6);
}

TEST(channels_are_defined)
{
    static const uint16_t alpha[] = {0, 0, 0, 1}, mixed[] = {2, 0, 65535, 0, 0}, plain[] = {0, 0, 0};
    static const uint8_t want_alpha[] = {0, 4, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 2, 0, 2, 0, 0, 0, 3, 0, 3, 0, 1, 0, 0};
    static const uint8_t want_mixed[] = {0,    5,    0,    0,    0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 2,
                                         0xFF, 0xFF, 0xFF, 0xFF, 0, 3, 0, 0, 0, 2, 0, 4, 0, 0, 0, 3};
    start(4);
    info.channel_types = alpha;
    info.channel_count = 4;
    build();
    ck_assert_mem_eq(content(TYPE('c', 'd', 'e', 'f'), sizeof want_alpha), want_alpha, sizeof want_alpha);
    ck_assert_uint_eq(enumerated(), 16);
    start(5);
    info.channel_types = mixed;
    info.channel_count = 5;
    build();
    ck_assert_mem_eq(content(TYPE('c', 'd', 'e', 'f'), sizeof want_mixed), want_mixed, sizeof want_mixed);
    start(3);
    info.channel_types = plain;
    info.channel_count = 3;
    build();
    ck_assert(!has(TYPE('c', 'd', 'e', 'f')));
    start(2);
    info.channel_types = alpha + 2;
    info.channel_count = 2;
    build();
    ck_assert_uint_eq(enumerated(), 17);
    ck_assert_uint_eq(content(TYPE('c', 'd', 'e', 'f'), 14)[11], 1);
}

TEST(palettes)
{
    static const uint16_t narrow[] = {1, 2, 3, 250, 251, 252}, wide[] = {0x123, 0xFFF};
    static const uint8_t want[] = {0, 2, 3, 7, 7, 7, 1, 2, 3, 250, 251, 252},
                         want_wide[] = {0, 2, 1, 11, 1, 0x23, 0x0F, 0xFF};
    static const uint8_t want_map[] = {0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 2, 0, 1, 0, 0};
    static const uint16_t types[] = {0, 0, 0, 1};
    start(2);
    info.palette_entries = 2;
    info.palette_columns = 3;
    info.palette_depth = 8;
    info.palette = narrow;
    info.channel_types = types;
    info.channel_count = 4;
    build();
    ck_assert_mem_eq(content(TYPE('p', 'c', 'l', 'r'), sizeof want), want, sizeof want);
    ck_assert_mem_eq(content(TYPE('c', 'm', 'a', 'p'), sizeof want_map), want_map, sizeof want_map);
    ck_assert_uint_eq(content(TYPE('c', 'd', 'e', 'f'), 26)[1], 4);
    ck_assert_uint_eq(enumerated(), 16);
    start(1);
    info.palette_entries = 2;
    info.palette_columns = 1;
    info.palette_depth = 12;
    info.palette = wide;
    build();
    ck_assert_mem_eq(content(TYPE('p', 'c', 'l', 'r'), sizeof want_wide), want_wide, sizeof want_wide);
    ck_assert_uint_eq(enumerated(), 17);
    ck_assert(has(TYPE('c', 'm', 'a', 'p')) && !has(TYPE('c', 'd', 'e', 'f')));
    static uint16_t largest[1024 * 255];
    info.palette_entries = 1024;
    info.palette_columns = 255;
    info.palette_depth = 16;
    info.palette = largest;
    info.color = WVL_COLOR_SRGB;
    memset(largest, 0xFF, sizeof largest);
    build();
    (void)content(TYPE('p', 'c', 'l', 'r'), 3 + 255 + 2 * 1024 * 255);
    (void)content(TYPE('c', 'm', 'a', 'p'), 4 * 255);
    (void)content(TYPE('c', 'd', 'e', 'f'), 2 + 6 * 255);
}

TEST(resolutions)
{
    /* 300 dpi = 15000/127 * 10^2; vertical first */
    static const uint8_t want[] = {0x1C, 0x20, 0, 1, 0x3A, 0x98, 0, 127, 0, 2};
    start(1);
    info.capture_x_per_metre = 300 / 0.0254;
    info.capture_y_per_metre = 7200;
    build();
    ck_assert_mem_eq(content(TYPE('r', 'e', 's', 'c'), 10), want, 10);
    ck_assert(has(TYPE('r', 'e', 's', ' ')) && !has(TYPE('r', 'e', 's', 'd')));
    info.display_x_per_metre = info.display_y_per_metre = 0.5;
    build();
    ck_assert_mem_eq(content(TYPE('r', 'e', 's', 'd'), 10), "\0\1\0\2\0\1\0\2\0\0", 10);
    ck_assert_uint_eq(content(TYPE('r', 'e', 's', ' '), 36)[7], 'c');
    info.capture_x_per_metre = info.capture_y_per_metre = 0;
    build();
    ck_assert(!has(TYPE('r', 'e', 's', 'c')) && has(TYPE('r', 'e', 's', 'd')));
    info.display_x_per_metre = 1e-30;
    build();
    ck_assert_uint_eq(content(TYPE('r', 'e', 's', 'd'), 10)[9],
                      (uint8_t)-26); /* 1/10000 * 10^-26: the exponent nearest to 0 */
}

TEST(xml_and_uuid_in_order)
{
    static const wvl_box given[] = {
        {TYPE('x', 'm', 'l', ' '), {0}, "<a/>", 4},
        {TYPE('u', 'u', 'i', 'd'), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, "xyz", 3},
        {TYPE('u', 'u', 'i', 'd'), {16}, NULL, 0},
        {TYPE('x', 'm', 'l', ' '), {0}, "<b></b>", 7}};
    start(1);
    info.boxes = given;
    info.box_count = 4;
    build();
    ck_assert_uint_eq(box_count, 9);
    for (size_t i = 0; i < 4; i++) {
        const cs_box *box = &boxes[5 + i];
        size_t id = given[i].type == TYPE('u', 'u', 'i', 'd') ? 16 : 0;
        const uint8_t *p = built.data + box->offset + box->header_bytes;
        ck_assert(box->depth == 0 && box->type == given[i].type && box->content_bytes == given[i].bytes + id);
        ck_assert(!id || !memcmp(p, given[i].uuid, 16));
        ck_assert(!given[i].bytes || !memcmp(p + id, given[i].data, given[i].bytes));
    }
}

/* lbl "a", and an xml box: what GMLJP2 puts into an asoc box. */
#define INNER "\0\0\0\x09lbl a\0\0\0\x0Cxml <a/>"

TEST(associations_hold_boxes)
{
    static const wvl_box given[] = {{TYPE('a', 's', 'o', 'c'), {0}, INNER, sizeof INNER - 1}};
    start(1);
    info.boxes = given;
    info.box_count = 1;
    build();
    ck_assert_mem_eq(content(TYPE('a', 's', 'o', 'c'), sizeof INNER - 1), INNER, sizeof INNER - 1);
}

TEST(colours_by_parameters)
{
    static const uint8_t cicp[4] = {9, 16, 0, 1}, wanted[10] = {5, 0, 0, 0, 9, 0, 16, 0, 0, 0x80};
    start(3);
    plan.syntax.jp2 = WVL_CONTAINER_JPH;
    info.cicp = cicp;
    build();
    ck_assert_mem_eq(content(TYPE('c', 'o', 'l', 'r'), 10), wanted, 10);
    ck_assert(!has(TYPE('c', 'd', 'e', 'f')));
}

/* ---- The codestream box ---------------------------------------------------------------------- */

static uint64_t big_endian(const uint8_t *p, int bytes)
{
    uint64_t v = 0;
    while (bytes--) {
        v = v << 8 | *p++;
    }
    return v;
}

TEST(codestream_box_grows_to_64_bits)
{
    static const uint64_t cases[] = {2,          100,         0xFFFFFFF6, 0xFFFFFFF7, 0xFFFFFFF8,
                                     0xFFFFFFFF, 0x100000000, 5000000000, 1ull << 63};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t out[18];
        memset(out, 0xA5, sizeof out);
        size_t bytes = wvl_jp2_put_codestream_header(out, cases[i]);
        int wide = cases[i] >= 0xFFFFFFF8; /* 8 + n >= 2^32 */
        ck_assert_uint_eq(bytes, wide ? 16 : 8);
        ck_assert_uint_eq(big_endian(out, 4), wide ? 1 : cases[i] + 8);
        ck_assert_mem_eq(out + 4, "jp2c", 4);
        ck_assert(!wide || big_endian(out + 8, 8) == cases[i] + 16);
        ck_assert_uint_eq(out[bytes], 0xA5);
        /* The length was not known in time. */
        ck_assert_uint_eq(wvl_jp2_put_long_codestream_header(out, cases[i]), 16);
        ck_assert(big_endian(out, 4) == 1 && big_endian(out + 8, 8) == cases[i] + 16 && out[16] == 0xA5);
    }
}

/* ---- The structure, memory ------------------------------------------------------------------- */

TEST(structures_before_0_2_are_refused)
{
    start(1);
    info.struct_size = offsetof(wvl_jp2_info, boxes);
    refuse("struct_size", 1);
    info.struct_size = 0;
    refuse("struct_size", 1);
}

TEST_MAIN("jp2")
