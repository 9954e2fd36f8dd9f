/* SPDX-License-Identifier: BSD-2-Clause */
/* JP2 boxes: hand-worked bytes, contents found again by an independent walker, every refusal with its reason. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "codec/jp2/jp2.h"
#include "codec/jp2/resolve.h"
#include "tests/prop/cs_parse.h"

#define MAX_BOXES 64
#define TYPE(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

static uint64_t rng_state;

static uint32_t rnd(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (uint32_t)(rng_state >> 32);
}

/* ---- A plan, a description, the boxes they make --------------------------------------------------------------------------------- */

static wvl_plan plan;
static wvl_plan_component components[16384];
static wvl_jp2_info info;
static wvl_blob built;
static cs_box boxes[MAX_BOXES];
static size_t box_count;
static char text[4096];

static void start(uint32_t component_count)
{
    memset(&plan, 0, sizeof plan);
    memset(&info, 0, sizeof info);
    info.struct_size = sizeof info;
    plan.image = (wvl_rect){100, 200, 740, 680};
    plan.component_count = component_count;
    plan.components = components;
    for (uint32_t i = 0; i < component_count; i++) {
        components[i] = (wvl_plan_component){8, 0, 1, 1, 0, {0, 0, 0, 0}};
    }
}

static void drop(void)
{
    wvl_free(NULL, built.data, built.bytes);
    built = (wvl_blob){NULL, 0};
}

static void build_from(const wvl_jp2_info *given)
{
    drop();
    wvl_status status = wvl_jp2_build_boxes(NULL, &plan, given, &built, text, sizeof text);
    ck_assert_msg(status == WVL_OK && !*text, "%s", text);
    ck_assert_msg(cs_parse_boxes(built.data, (size_t)built.bytes, boxes, MAX_BOXES, &box_count, text, sizeof text), "%s", text);
}

static void build(void) { build_from(&info); }

/* Content of the only box of a type; its presence and size are checked. */
static const uint8_t *content(uint32_t type, size_t bytes)
{
    const cs_box *found = NULL;
    for (size_t i = 0; i < box_count; i++) {
        if (boxes[i].type == type) {
            ck_assert_msg(!found, "box %08x twice", type);
            found = &boxes[i];
        }
    }
    ck_assert_msg(found != NULL, "no box %08x", type);
    ck_assert_uint_eq(found->content_bytes, bytes);
    return built.data + found->offset + found->header_bytes;
}

static int has(uint32_t type)
{
    for (size_t i = 0; i < box_count; i++) {
        if (boxes[i].type == type) {
            return 1;
        }
    }
    return 0;
}

/* Refused, with exactly `lines` lines, one of which contains reason. */
static void refuse(const char *reason, unsigned lines)
{
    drop();
    wvl_report report = {NULL, NULL, 0};
    ck_assert_int_eq(wvl_jp2_check_info(&plan, &info, &report), 0);
    ck_assert_int_eq(wvl_jp2_build_boxes(NULL, &plan, &info, &built, text, sizeof text), WVL_ERROR_PARAMETER);
    ck_assert(built.data == NULL && built.bytes == 0);
    unsigned count = 1;
    for (const char *p = text; *p; p++) {
        count += *p == '\n';
    }
    ck_assert_msg(strstr(text, reason) != NULL, "'%s' is not in: %s", reason, text);
    ck_assert_msg(count == lines && report.count == lines, "%u lines, %u reports, %u wanted: %s", count, report.count, lines, text);
}

/* ---- Contents ---------------------------------------------------------------------------------------------------------------- */

START_TEST(smallest_file_by_hand)
{
    static const uint8_t want[] = {0, 0, 0, 12, 'j', 'P', ' ', ' ', 0x0D, 0x0A, 0x87, 0x0A,
                                   0, 0, 0, 20, 'f', 't', 'y', 'p', 'j', 'p', '2', ' ', 0, 0, 0, 0, 'j', 'p', '2', ' ',
                                   0, 0, 0, 45, 'j', 'p', '2', 'h',
                                   0, 0, 0, 22, 'i', 'h', 'd', 'r', 0, 0, 1, 0xE0, 0, 0, 2, 0x80, 0, 1, 7, 7, 0, 0,
                                   0, 0, 0, 15, 'c', 'o', 'l', 'r', 1, 0, 0, 0, 0, 0, 17};
    start(1);
    build_from(NULL);
    ck_assert_uint_eq(built.bytes, sizeof want);
    ck_assert_mem_eq(built.data, want, sizeof want);
    build();
    ck_assert_mem_eq(built.data, want, sizeof want);
    drop();
}
END_TEST

START_TEST(depths_differ)
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
    drop();
}
END_TEST

static unsigned enumerated(void)
{
    const uint8_t *colr = content(TYPE('c', 'o', 'l', 'r'), 7);
    ck_assert(colr[0] == 1 && !colr[1] && !colr[2] && !colr[3] && !colr[4] && !colr[5]);
    return colr[6];
}

START_TEST(colours_by_channel_count)
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
    drop();
}
END_TEST

START_TEST(channels_are_defined)
{
    static const uint16_t alpha[] = {0, 0, 0, 1}, mixed[] = {2, 0, 65535, 0, 0}, plain[] = {0, 0, 0};
    static const uint8_t want_alpha[] = {0, 4, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 2, 0, 2, 0, 0, 0, 3, 0, 3, 0, 1, 0, 0};
    static const uint8_t want_mixed[] = {0, 5, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 0xFF, 0xFF, 0xFF, 0xFF,
                                         0, 3, 0, 0, 0, 2, 0, 4, 0, 0, 0, 3};
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
    drop();
}
END_TEST

START_TEST(palettes)
{
    static const uint16_t narrow[] = {1, 2, 3, 250, 251, 252}, wide[] = {0x123, 0xFFF};
    static const uint8_t want[] = {0, 2, 3, 7, 7, 7, 1, 2, 3, 250, 251, 252}, want_wide[] = {0, 2, 1, 11, 1, 0x23, 0x0F, 0xFF};
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
    drop();
}
END_TEST

START_TEST(resolutions)
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
    ck_assert_uint_eq(content(TYPE('r', 'e', 's', 'd'), 10)[9], (uint8_t)-26); /* 1/10000 * 10^-26: the exponent nearest to 0 */
    drop();
}
END_TEST

START_TEST(xml_and_uuid_in_order)
{
    static const wvl_box given[] = {{TYPE('x', 'm', 'l', ' '), {0}, "<a/>", 4},
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
    drop();
}
END_TEST

/* ---- The codestream box -------------------------------------------------------------------------------------------------------- */

static uint64_t big_endian(const uint8_t *p, int bytes)
{
    uint64_t v = 0;
    while (bytes--) {
        v = v << 8 | *p++;
    }
    return v;
}

START_TEST(codestream_box_grows_to_64_bits)
{
    static const uint64_t cases[] = {2, 100, 0xFFFFFFF6, 0xFFFFFFF7, 0xFFFFFFF8, 0xFFFFFFFF, 0x100000000, 5000000000, 1ull << 63};
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
    }
}
END_TEST

/* ---- Ratios -------------------------------------------------------------------------------------------------------------------- */

static double value_of(const wvl_jp2_ratio *r) { return r->numerator / (double)r->denominator * pow(10, r->exponent); }

START_TEST(ratios_of_known_values)
{
    static const struct { double value; unsigned n, d; int e; } cases[] = {
        {1, 1, 1, 0}, {300, 300, 1, 0}, {0.5, 1, 2, 0}, {65535, 65535, 1, 0}, {65536, 32768, 5, 1}, {1e6, 10000, 1, 2}, {72 / 0.0254, 36000, 127, 1},
        {96 / 0.0254, 48000, 127, 1}, {600 / 0.0254, 30000, 127, 2}, {1.0 / 3, 1, 3, 0}, {1e-6, 1, 10000, -2}, {1.0 / 65535, 2, 13107, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wvl_jp2_ratio r;
        ck_assert_int_eq(wvl_jp2_find_ratio(cases[i].value, &r), 1);
        ck_assert_msg(r.numerator == cases[i].n && r.denominator == cases[i].d && r.exponent == cases[i].e, "%g: %u/%u e%d", cases[i].value,
                      r.numerator, r.denominator, r.exponent);
    }
}
END_TEST

/* No denominator at any exponent comes closer. */
START_TEST(ratios_are_the_best)
{
    for (int i = 0; i < 12; i++) {
        wvl_jp2_ratio r;
        double value = ldexp(1 + rnd() / 4294967296.0, (int)(rnd() % 40) - 20), least = 1;
        ck_assert_int_eq(wvl_jp2_find_ratio(value, &r), 1);
        double error = fabs(value_of(&r) / value - 1);
        for (int e = -12; e <= 12; e++) {
            double x = value / pow(10, e);
            for (unsigned d = 1; d <= 65535 && x >= 1e-4 && x <= 65535; d++) {
                double n = floor(x * d + 0.5);
                least = n >= 1 && n <= 65535 ? fmin(least, fabs(n / d / x - 1)) : least;
            }
        }
        ck_assert_msg(error <= least + 2e-12, "%.17g: error %g, %g is possible", value, error, least);
    }
}
END_TEST

/* The widest gap of 16-bit fractions lies beside 1: 65535 / 65534. */
START_TEST(ratios_of_any_size)
{
    static const double refused[] = {0, -1, NAN, INFINITY, -INFINITY, 1e133, 1e-133, 1e308, 5e-324};
    for (int e = -125; e <= 125; e++) {
        for (int i = 0; i < 20; i++) {
            wvl_jp2_ratio r;
            double value = (1 + rnd() / 4294967296.0 * 9) * pow(10, e);
            ck_assert_msg(wvl_jp2_find_ratio(value, &r), "%g", value);
            ck_assert_msg(fabs(value_of(&r) / value - 1) < 0.8e-5, "%.17g: %u/%u e%d", value, r.numerator, r.denominator, r.exponent);
        }
    }
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        wvl_jp2_ratio r;
        ck_assert_msg(!wvl_jp2_find_ratio(refused[i], &r), "%g", refused[i]);
    }
}
END_TEST

/* ---- Profiles ------------------------------------------------------------------------------------------------------------------ */

#define MAX_PROFILE 400

typedef struct profile { uint8_t bytes[MAX_PROFILE]; size_t size; } profile;

static void store(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 24);
    p[1] = (uint8_t)(v >> 16);
    p[2] = (uint8_t)(v >> 8);
    p[3] = (uint8_t)v;
}

/* tags: names of four letters, one after the other; all share the last 16 bytes. */
static profile make_profile(const char *kind, const char *space, const char *tags)
{
    profile f;
    uint32_t count = (uint32_t)strlen(tags) / 4;
    memset(&f, 0, sizeof f);
    f.size = 132 + 12 * count + 16;
    store(f.bytes, (uint32_t)f.size);
    memcpy(f.bytes + 12, kind, 4);
    memcpy(f.bytes + 16, space, 4);
    memcpy(f.bytes + 20, "XYZ ", 4);
    memcpy(f.bytes + 36, "acsp", 4);
    store(f.bytes + 128, count);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(f.bytes + 132 + 12 * i, tags + 4 * i, 4);
        store(f.bytes + 136 + 12 * i, (uint32_t)f.size - 16);
        store(f.bytes + 140 + 12 * i, 16);
    }
    return f;
}

#define RGB_TAGS "rXYZgXYZbXYZrTRCgTRCbTRC"

static void use_profile(const profile *f)
{
    info.icc = f->bytes;
    info.icc_bytes = f->size;
}

START_TEST(restricted_profiles_are_carried)
{
    profile rgb = make_profile("mntr", "RGB ", "desc" RGB_TAGS), grey = make_profile("scnr", "GRAY", "kTRC");
    start(3);
    use_profile(&rgb);
    build();
    const uint8_t *colr = content(TYPE('c', 'o', 'l', 'r'), 3 + rgb.size);
    ck_assert(colr[0] == 2 && colr[1] == 0 && colr[2] == 0);
    ck_assert_mem_eq(colr + 3, rgb.bytes, rgb.size);
    start(1);
    use_profile(&grey);
    info.color = WVL_COLOR_GREY;
    build();
    ck_assert_mem_eq(content(TYPE('c', 'o', 'l', 'r'), 3 + grey.size) + 3, grey.bytes, grey.size);
    drop();
}
END_TEST

static void refuse_profile(profile f, const char *reason)
{
    start(3);
    use_profile(&f);
    refuse(reason, 1);
}

START_TEST(other_profiles_are_refused)
{
    const profile good = make_profile("mntr", "RGB ", RGB_TAGS);
    profile f = good;
    f.size--;
    store(f.bytes, (uint32_t)f.size + 1);
    start(3);
    use_profile(&f);
    refuse("size field says 220 bytes, there are 219", 2); /* and its last tag is cut */
    f = good;
    store(f.bytes, 0);
    refuse_profile(f, "size field says 0 bytes, there are 220");
    f = good;
    memcpy(f.bytes + 36, "ACSP", 4);
    refuse_profile(f, "'acsp' is missing");
    refuse_profile(make_profile("prtr", "RGB ", RGB_TAGS), "class 'prtr'");
    refuse_profile(make_profile("spac", "RGB ", RGB_TAGS), "class 'spac'");
    refuse_profile(make_profile("mntr", "CMYK", RGB_TAGS), "colour space 'CMYK'");
    refuse_profile(make_profile("mntr", "RGB ", RGB_TAGS "A2B0"), "'A2B0' is not allowed");
    refuse_profile(make_profile("mntr", "RGB ", "rXYZgXYZbXYZrTRCgTRC"), "needs the tag 'bTRC'");
    refuse_profile(make_profile("mntr", "RGB ", "rXYZgXYZrTRCgTRCbTRC"), "needs the tag 'bXYZ'");
    f = good;
    memcpy(f.bytes + 20, "Lab ", 4);
    refuse_profile(f, "connection space 'Lab '");
    f = good;
    store(f.bytes + 128, 0x10000000);
    refuse_profile(f, "268435456 tags are announced");
    f = good;
    store(f.bytes + 132 + 12 + 4, 0xFFFFFFF0);
    refuse_profile(f, "tag 'gXYZ' reaches beyond");
    f = good;
    f.size = 131;
    refuse_profile(f, "131 bytes are too few");
    f.size = 0;
    refuse_profile(f, "0 bytes are too few");
    f = make_profile("mntr", "GRAY", "desc");
    start(1);
    use_profile(&f);
    refuse("needs the tag 'kTRC'", 1);
}
END_TEST

START_TEST(profile_and_picture_must_agree)
{
    profile rgb = make_profile("mntr", "RGB ", RGB_TAGS), grey = make_profile("mntr", "GRAY", "kTRC");
    static const uint16_t types[] = {0, 0, 1};
    start(1);
    use_profile(&rgb);
    refuse("the ICC profile has 3 colour channels, the picture has 1", 1);
    start(3);
    use_profile(&grey);
    info.channel_types = types;
    info.channel_count = 3;
    refuse("the ICC profile has 1 colour channel, the picture has 2", 1);
    info.channel_types = NULL;
    info.channel_count = 0;
    refuse("the ICC profile has 1 colour channel, the picture has 3", 1);
    start(4);
    use_profile(&rgb);
    build();
    ck_assert(has(TYPE('c', 'd', 'e', 'f')));
    start(3);
    use_profile(&rgb);
    info.color = WVL_COLOR_SYCC;
    refuse("18 is named beside an ICC profile", 1);
    info.color = WVL_COLOR_GREY;
    refuse("17 is named beside an ICC profile", 1);
    info.color = WVL_COLOR_SRGB;
    build();
    info.icc = NULL;
    refuse("no data is given", 1);
    drop();
}
END_TEST

/* ---- Other refusals ---------------------------------------------------------------------------------------------------------- */

START_TEST(colours_are_refused)
{
    static const uint16_t two[] = {0, 0, 1, 65535}, unknown[] = {0, 0, 0, 3}, twice[] = {0, 0, 0, 1, 2};
    start(5);
    refuse("5 channels", 1);
    start(4);
    info.channel_types = two;
    info.channel_count = 4;
    refuse("4 channels, 2 of them colour", 1);
    info.color = WVL_COLOR_SRGB;
    refuse("sRGB has 3 colour channels, the picture has 2", 1);
    info.channel_types = unknown;
    refuse("channel 3: type 3", 1);
    info.channel_count = 3;
    refuse("channels: 3 are described, components and palette make 4", 1);
    info.channel_types = NULL;
    refuse("channels: 3 are described", 1);
    start(5);
    info.channel_types = twice;
    info.channel_count = 5;
    refuse("channels: 2 are opacity", 1);
    start(1);
    info.color = WVL_COLOR_SYCC;
    refuse("sYCC has 3 colour channels, the picture has 1", 1);
    start(3);
    info.color = (wvl_color)12;
    refuse("colour: 12 is none of", 1);
}
END_TEST

START_TEST(palettes_are_refused)
{
    static const uint16_t values[] = {0, 256, 1, 1, 1, 1};
    start(1);
    info.palette = values;
    info.palette_columns = 3;
    info.palette_depth = 8;
    refuse("palette: 0 entries", 1);
    info.palette_entries = 2;
    refuse("palette: entry 0, column 1 is 256 and does not fit 8 bits", 1);
    info.palette_depth = 0;
    refuse("palette: depth 0", 1);
    info.palette_depth = 17;
    refuse("palette: depth 17", 1);
    info.palette_depth = 9;
    build();
    info.palette_entries = 1025;
    refuse("palette: 1025 entries", 1);
    info.palette_entries = 2;
    info.palette = NULL;
    refuse("no data is given", 1);
    info.palette = values;
    components[0].is_signed = 1;
    refuse("must be unsigned", 1);
    components[0].is_signed = 0;
    info.palette_columns = 256;
    info.color = WVL_COLOR_SRGB;
    refuse("palette: 256 columns", 1);
    info.palette_columns = UINT32_MAX;
    refuse("palette: 4294967295 columns", 1);
    drop();
}
END_TEST

START_TEST(resolutions_and_boxes_are_refused)
{
    static const wvl_box wrong[] = {{TYPE('j', 'p', '2', 'c'), {0}, "x", 1}, {TYPE('x', 'm', 'l', ' '), {0}, NULL, 5}, {TYPE('x', 'm', 'l', ' '), {0}, "", 0}};
    start(1);
    info.capture_x_per_metre = 300;
    refuse("capture resolution 300 by 0", 1);
    info.capture_y_per_metre = -1;
    refuse("capture resolution 300 by -1", 1);
    info.capture_y_per_metre = NAN;
    refuse("both must be positive", 1);
    start(1);
    info.display_x_per_metre = info.display_y_per_metre = 1e200;
    refuse("display resolution 1e+200", 1);
    start(1);
    info.box_count = 3;
    refuse("3 are announced, none is given", 1);
    info.boxes = wrong;
    refuse("box 0: type 0x6A703263", 3);
    ck_assert_ptr_nonnull(strstr(text, "box 1: 5 bytes are announced"));
    ck_assert_ptr_nonnull(strstr(text, "box 2: an empty xml box"));
}
END_TEST

START_TEST(every_violation_at_once)
{
    static const uint16_t types[] = {9, 1, 2};
    char small[40];
    start(3);
    info.palette_entries = 2000;
    info.palette_columns = 1;
    info.palette_depth = 30;
    info.channel_types = types;
    info.channel_count = 3;
    info.color = (wvl_color)99;
    info.display_x_per_metre = -5;
    info.box_count = 1;
    /* entries, depth, data, channel type, two opacities, colour, resolution, boxes */
    refuse("palette: 2000 entries", 8);
    memset(small, 'z', sizeof small);
    ck_assert_int_eq(wvl_jp2_build_boxes(NULL, &plan, &info, &built, small, sizeof small - 1), WVL_ERROR_PARAMETER);
    ck_assert(strlen(small) == sizeof small - 2 && !strncmp(small, text, sizeof small - 2) && small[sizeof small - 1] == 'z');
    ck_assert_int_eq(wvl_jp2_build_boxes(NULL, &plan, &info, &built, NULL, 0), WVL_ERROR_PARAMETER);
    static uint16_t many[16384];
    memset(many, 7, sizeof many);
    start(16384);
    info.channel_types = many;
    info.channel_count = 16384;
    info.color = WVL_COLOR_SRGB;
    refuse("channel 15: type 1799", 17); /* does not run on */
}
END_TEST

START_TEST(short_structures_end_with_defaults)
{
    start(1);
    info.color_unknown = 1;
    info.box_count = 77; /* beyond what this caller knows of */
    info.struct_size = offsetof(wvl_jp2_info, boxes);
    build();
    ck_assert_uint_eq(content(TYPE('i', 'h', 'd', 'r'), 14)[12], 0);
    info.struct_size = 0;
    refuse("struct_size", 1);
    drop();
}
END_TEST

typedef struct ledger { uint64_t live, calls, fail_at; } ledger;

static void *ledger_allocate(void *user, size_t bytes, size_t alignment, void *stream)
{
    ledger *l = user;
    (void)stream;
    if (++l->calls == l->fail_at) {
        return NULL;
    }
    l->live += bytes;
    return aligned_alloc(alignment, bytes);
}

static void ledger_release(void *user, void *memory, size_t bytes, void *stream)
{
    (void)stream;
    ((ledger *)user)->live -= bytes;
    free(memory);
}

START_TEST(memory_may_fail)
{
    ledger l = {0, 0, 1};
    wvl_allocator allocator = {ledger_allocate, ledger_release, &l};
    start(3);
    ck_assert_int_eq(wvl_jp2_build_boxes(&allocator, &plan, &info, &built, text, sizeof text), WVL_ERROR_MEMORY);
    ck_assert(!built.data && !l.live && strstr(text, "no memory"));
    l.fail_at = 0;
    ck_assert_int_eq(wvl_jp2_build_boxes(&allocator, &plan, &info, &built, text, sizeof text), WVL_OK);
    ck_assert_uint_eq(l.calls, 2);
    wvl_free(&allocator, built.data, built.bytes);
    ck_assert_uint_eq(l.live, 0);
    built = (wvl_blob){NULL, 0};
}
END_TEST

int main(void)
{
    const char *seed = getenv("WVL_TEST_SEED");
    rng_state = seed ? strtoull(seed, NULL, 0) | 1 : 0x9E3779B97F4A7C15u;
    Suite *suite = suite_create("jp2");
    TCase *tests = tcase_create("jp2");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, smallest_file_by_hand);
    tcase_add_test(tests, depths_differ);
    tcase_add_test(tests, colours_by_channel_count);
    tcase_add_test(tests, channels_are_defined);
    tcase_add_test(tests, palettes);
    tcase_add_test(tests, resolutions);
    tcase_add_test(tests, xml_and_uuid_in_order);
    tcase_add_test(tests, codestream_box_grows_to_64_bits);
    tcase_add_test(tests, ratios_of_known_values);
    tcase_add_test(tests, ratios_are_the_best);
    tcase_add_test(tests, ratios_of_any_size);
    tcase_add_test(tests, restricted_profiles_are_carried);
    tcase_add_test(tests, other_profiles_are_refused);
    tcase_add_test(tests, profile_and_picture_must_agree);
    tcase_add_test(tests, colours_are_refused);
    tcase_add_test(tests, palettes_are_refused);
    tcase_add_test(tests, resolutions_and_boxes_are_refused);
    tcase_add_test(tests, every_violation_at_once);
    tcase_add_test(tests, short_structures_end_with_defaults);
    tcase_add_test(tests, memory_may_fail);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
