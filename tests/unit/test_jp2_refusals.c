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

TEST(colours_are_refused)
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

TEST(palettes_are_refused)
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
}

TEST(resolutions_and_boxes_are_refused)
{
    static const wvl_box wrong[] = {{TYPE('j', 'p', '2', 'c'), {0}, "x", 1},
                                    {TYPE('x', 'm', 'l', ' '), {0}, NULL, 5},
                                    {TYPE('x', 'm', 'l', ' '), {0}, "", 0}};
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

/* Sums of sizes do not wrap; nothing is read of boxes that no memory holds. */
TEST(giant_boxes_are_refused)
{
    static const wvl_box one[] = {{TYPE('x', 'm', 'l', ' '), {0}, "x", SIZE_MAX - 3}};
    static const wvl_box two[] = {{TYPE('u', 'u', 'i', 'd'), {0}, "x", SIZE_MAX / 4 + 1},
                                  {TYPE('a', 's', 'o', 'c'), {0}, "x", SIZE_MAX / 4 + 1}};
    start(1);
    info.boxes = one;
    info.box_count = 1;
    refuse("box 0: 18446744073709551612 bytes, with those before it, are more than memory holds", 1);
    info.boxes = two;
    info.box_count = 2;
    refuse("more than memory holds", 1);
}

TEST(associations_are_refused)
{
    static const wvl_box wrong[] = {{TYPE('a', 's', 'o', 'c'), {0}, NULL, 0},
                                    {TYPE('a', 's', 'o', 'c'), {0}, "\0\0\0\x0Albl a", 9},
                                    {TYPE('a', 's', 'o', 'c'), {0}, "\0\0\0\x07lbl", 7},
                                    {TYPE('a', 's', 'o', 'c'), {0}, "\0\0\0\x09lbl a\0\0\0", 12}};
    start(1);
    info.boxes = wrong;
    info.box_count = 4;
    refuse("box 0: the content of an asoc box", 4);
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
