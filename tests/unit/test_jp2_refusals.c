/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptions that JP2 cannot carry: each is refused with its reason, all at once. */
#include <math.h>

#include "tests/support/icc.h"
#include "tests/unit/jp2_bench.h"

/* ---- Profiles -------------------------------------------------------------------------------- */

#define RGB_TAGS TEST_ICC_RGB_TAGS

static test_icc make_profile(const char *kind, const char *tags) { return test_make_icc(kind, tags, "a profile"); }

/* A picture of that number of components, with a profile. */
static void start_with(uint32_t component_count, const test_icc *f)
{
    start(component_count);
    info.icc = f->bytes;
    info.icc_bytes = f->size;
}

/* The box of a profile, which begins with its method. */
static void expect_profile(const test_icc *f, unsigned method)
{
    const uint8_t *colr = content(TYPE('c', 'o', 'l', 'r'), 3 + f->size);
    ck_assert(colr[0] == method && colr[1] == 0 && colr[2] == 0);
    ck_assert_mem_eq(colr + 3, f->bytes, f->size);
}

TEST_FIXTURE(NULL, drop);

TEST(restricted_profiles_are_carried)
{
    test_icc rgb = make_profile("mntrRGB ", "desc" RGB_TAGS), grey = make_profile("scnrGRAY", "kTRC");
    start_with(3, &rgb);
    build();
    expect_profile(&rgb, 2);
    start_with(1, &grey);
    info.color = WVL_COLOR_GREY;
    build();
    expect_profile(&grey, 2);
}

/* A JPH file takes look-up tables, other classes and spaces too, with METH 3; what is restricted stays METH 2. */
TEST(jph_takes_any_profile)
{
    static const struct {
        const char *kind, *tags;
        unsigned components, method;
    } rows[] = {{"prtrRGB ", "A2B0", 3, 3}, {"prtrCMYK", "A2B0", 4, 3}, {"mntrRGB ", RGB_TAGS, 3, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        test_icc f = make_profile(rows[i].kind, rows[i].tags);
        start_with(rows[i].components, &f);
        plan.syntax.jp2 = WVL_CONTAINER_JPH;
        build();
        expect_profile(&f, rows[i].method);
    }
    test_icc cut = make_profile("prtrRGB ", "A2B0");
    cut.size--;
    start_with(3, &cut);
    plan.syntax.jp2 = WVL_CONTAINER_JPH;
    refuse("do not hold together", 1);
}

static void refuse_profile(test_icc f, const char *reason)
{
    start_with(3, &f);
    refuse(reason, 1);
}

TEST(other_profiles_are_refused)
{
    const test_icc good = make_profile("mntrRGB ", RGB_TAGS);
    test_icc f = good;
    f.size--;
    test_put_be32(f.bytes, f.size + 1);
    start_with(3, &f);
    refuse("size field says 268 bytes, there are 267", 2); /* and its last tag is cut */
    refuse_profile(make_profile("prtrRGB ", RGB_TAGS), "class 'prtr'");
    refuse_profile(make_profile("spacRGB ", RGB_TAGS), "class 'spac'");
    refuse_profile(make_profile("mntrCMYK", RGB_TAGS), "colour space 'CMYK'");
    refuse_profile(make_profile("mntrRGB ", RGB_TAGS "A2B0"), "'A2B0' is not allowed");
    refuse_profile(make_profile("mntrRGB ", "rXYZgXYZbXYZrTRCgTRC"), "needs the tag 'bTRC'");
    refuse_profile(make_profile("mntrRGB ", "rXYZgXYZrTRCgTRCbTRC"), "needs the tag 'bXYZ'");
    static const struct {
        size_t at;
        const char *bytes, *reason;
    } changes[] = {{0, "\0\0\0\0", "size field says 0 bytes, there are 268"},
                   {36, "ACSP", "'acsp' is missing"},
                   {20, "Lab ", "connection space 'Lab '"},
                   {128, "\x10\0\0\0", "268435456 tags are announced"},
                   {132 + 12 + 4, "\xFF\xFF\xFF\xF0", "tag 'gXYZ' reaches beyond"}};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        f = good;
        memcpy(f.bytes + changes[i].at, changes[i].bytes, 4);
        refuse_profile(f, changes[i].reason);
    }
    f = good;
    f.size = 131;
    refuse_profile(f, "131 bytes are too few");
    f.size = 0;
    refuse_profile(f, "0 bytes are too few");
    f = make_profile("mntrGRAY", "desc");
    start_with(1, &f);
    refuse("needs the tag 'kTRC'", 1);
}

TEST(profile_and_picture_must_agree)
{
    test_icc rgb = make_profile("mntrRGB ", RGB_TAGS), grey = make_profile("mntrGRAY", "kTRC");
    static const uint16_t types[] = {0, 0, 1};
    start_with(1, &rgb);
    refuse("the ICC profile has 3 colour channels, the picture has 1", 1);
    start_with(3, &grey);
    info.channel_types = types;
    info.channel_count = 3;
    refuse("the ICC profile has 1 colour channel, the picture has 2", 1);
    info.channel_types = NULL;
    info.channel_count = 0;
    refuse("the ICC profile has 1 colour channel, the picture has 3", 1);
    start_with(4, &rgb);
    build();
    ck_assert(has(TYPE('c', 'd', 'e', 'f')));
    start_with(3, &rgb);
    info.color = WVL_COLOR_SYCC;
    refuse("18 is named beside an ICC profile", 1);
    info.color = WVL_COLOR_GREY;
    refuse("17 is named beside an ICC profile", 1);
    info.color = WVL_COLOR_SRGB;
    build();
    info.icc = NULL;
    refuse("no data is given", 1);
}

/* ---- Other refusals -------------------------------------------------------------------------- */

static const uint16_t two[] = {0, 0, 1, 65535}, unknown[] = {0, 0, 0, 3}, twice[] = {0, 0, 0, 1, 2},
                      values[] = {0, 256, 1, 1, 1, 1};
static const wvl_box wrong_boxes[] = {{TYPE('j', 'p', '2', 'c'), {0}, "x", 1},
                                      {TYPE('x', 'm', 'l', ' '), {0}, NULL, 5},
                                      {TYPE('x', 'm', 'l', ' '), {0}, "", 0}},
                     giant[] = {{TYPE('x', 'm', 'l', ' '), {0}, "x", SIZE_MAX - 3}},
                     giants[] = {{TYPE('u', 'u', 'i', 'd'), {0}, "x", SIZE_MAX / 4 + 1},
                                 {TYPE('a', 's', 'o', 'c'), {0}, "x", SIZE_MAX / 4 + 1}},
                     associations[] = {{TYPE('a', 's', 'o', 'c'), {0}, NULL, 0},
                                       {TYPE('a', 's', 'o', 'c'), {0}, "\0\0\0\x0Albl a", 9},
                                       {TYPE('a', 's', 'o', 'c'), {0}, "\0\0\0\x07lbl", 7},
                                       {TYPE('a', 's', 'o', 'c'), {0}, "\0\0\0\x09lbl a\0\0\0", 12}};
#define PALETTE(entries, columns, depth, data)                                                                         \
    .palette_entries = (entries), .palette_columns = (columns), .palette_depth = (depth), .palette = (data)
#define CAPTURE(x, y) .capture_x_per_metre = (x), .capture_y_per_metre = (y)
#define BOXES(list) .boxes = (list), .box_count = sizeof(list) / sizeof *(list)

/* A description for a picture of that number of components, and the lines of its refusal, one of which has the reason.
 * Sums of sizes do not wrap; nothing is read of boxes that no memory holds. */
static const struct refused {
    uint32_t components, lines;
    const char *reason;
    wvl_jp2_info info;
} refused[] = {
    {5, 1, "5 channels", {0}},
    {4, 1, "4 channels, 2 of them colour", {.channel_types = two, .channel_count = 4}},
    {4, 1, "3 colour channels, the picture has 2", {.channel_types = two, .channel_count = 4, .color = WVL_COLOR_SRGB}},
    {4, 1, "channel 3: type 3", {.channel_types = unknown, .channel_count = 4, .color = WVL_COLOR_SRGB}},
    {4, 1, "channels: 3 are described, components and palette make 4", {.channel_types = unknown, .channel_count = 3}},
    {4, 1, "channels: 3 are described", {.channel_count = 3}},
    {5, 1, "channels: 2 are opacity", {.channel_types = twice, .channel_count = 5}},
    {1, 1, "sYCC has 3 colour channels, the picture has 1", {.color = WVL_COLOR_SYCC}},
    {3, 1, "colour: 12 is none of", {.color = (wvl_color)12}},
    {1, 1, "palette: 0 entries", {PALETTE(0, 3, 8, values)}},
    {1, 1, "palette: entry 0, column 1 is 256 and does not fit 8 bits", {PALETTE(2, 3, 8, values)}},
    {1, 1, "palette: depth 0", {PALETTE(2, 3, 0, values)}},
    {1, 1, "palette: depth 17", {PALETTE(2, 3, 17, values)}},
    {1, 1, "palette: 1025 entries", {PALETTE(1025, 3, 9, values)}},
    {1, 1, "no data is given", {PALETTE(2, 3, 9, NULL)}},
    {1, 1, "palette: 256 columns", {PALETTE(2, 256, 9, values), .color = WVL_COLOR_SRGB}},
    {1, 1, "palette: 4294967295 columns", {PALETTE(2, UINT32_MAX, 9, values), .color = WVL_COLOR_SRGB}},
    {1, 1, "capture resolution 300 by 0", {CAPTURE(300, 0)}},
    {1, 1, "capture resolution 300 by -1", {CAPTURE(300, -1)}},
    {1, 1, "both must be positive", {CAPTURE(300, NAN)}},
    {1, 1, "display resolution 1e+200", {.display_x_per_metre = 1e200, .display_y_per_metre = 1e200}},
    {1, 1, "3 are announced, none is given", {.box_count = 3}},
    {1, 3, "box 0: type 0x6A703263", {BOXES(wrong_boxes)}},
    {1, 3, "box 1: 5 bytes are announced", {BOXES(wrong_boxes)}},
    {1, 3, "box 2: an empty xml box", {BOXES(wrong_boxes)}},
    {1, 1, "box 0: 18446744073709551612 bytes, with those before it, are more than memory holds", {BOXES(giant)}},
    {1, 1, "more than memory holds", {BOXES(giants)}},
    {1, 4, "box 0: the content of an asoc box", {BOXES(associations)}},
};

TEST_EACH(descriptions_are_refused, sizeof refused / sizeof *refused)
{
    start(refused[_i].components);
    info = refused[_i].info;
    info.struct_size = sizeof info;
    refuse(refused[_i].reason, refused[_i].lines);
}

TEST(palettes_hold_nine_bits_and_unsigned_indices)
{
    start(1);
    info = (wvl_jp2_info){.struct_size = sizeof info, PALETTE(2, 3, 9, values)};
    build();
    components[0].is_signed = 1;
    refuse("must be unsigned", 1);
}

TEST(parameters_are_refused)
{
    static const uint8_t good[4] = {1, 13, 0, 1}, wrong[4] = {1, 13, 0, 2};
    test_icc rgb = make_profile("mntrRGB ", RGB_TAGS);
    start(3);
    info.cicp = good;
    refuse("need a JPH file", 1);
    plan.syntax.jp2 = WVL_CONTAINER_JPH;
    info.cicp = wrong;
    refuse("full range flag of H.273 is 2", 1);
    info.cicp = good;
    info.icc = rgb.bytes;
    info.icc_bytes = rgb.size;
    refuse("beside an ICC profile", 1);
}

TEST(every_violation_at_once)
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
    ck_assert(strlen(small) == sizeof small - 2 && !strncmp(small, text, sizeof small - 2) &&
              small[sizeof small - 1] == 'z');
    ck_assert_int_eq(wvl_jp2_build_boxes(NULL, &plan, &info, &built, NULL, 0), WVL_ERROR_PARAMETER);
    static uint16_t many[16384];
    memset(many, 7, sizeof many);
    start(16384);
    info.channel_types = many;
    info.channel_count = 16384;
    info.color = WVL_COLOR_SRGB;
    refuse("channel 15: type 1799", 17); /* does not run on */
}

TEST_MAIN("jp2_refusals")
