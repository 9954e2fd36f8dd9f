/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings of single components and tiles: which marker segments carry them, what takes precedence, and that decoders
 * agree.
 */

#include "tests/decode/cases.h"
#include "tests/support/support.h"

typedef struct said {
    const char *settings;
    unsigned main_segments, tile_segments;
} said;

/* COC and QCC of the main header. */
static unsigned main_segments(const cs_stream *s)
{
    unsigned n = 0;
    for (unsigned c = 0; c < s->component_count; c++) {
        n += s->components[c].has_coc + s->components[c].has_qcc;
    }
    return n;
}

/* The picture has 3 x 2 tiles where there are any. */
#define TILES "tile=64,64 "

TEST(segments_are_the_least)
{
    static const said cases[] = {
        {"overrides=C1:levels=5", 0, 0}, /* what holds anyway */
        {"overrides=C1:block=32,32", 1, 0},
        {"overrides=C0:block=32,32", 1, 0}, /* COD speaks for those that no entry names */
        {"overrides=C0-2:block=32,32", 0, 0},
        {"mct=off overrides=C1:levels=3", 2, 0}, /* the list of steps follows the levels */
        {"mct=off overrides=C1:guard-bits=3", 1, 0},
        {"overrides=C0:style=RESET/C2:precincts=[64,64]", 2, 0},
        {TILES "overrides=T2:levels=5;progression=LRCP", 0, 0},
        {TILES "overrides=T2:progression=RPCL", 0, 1},
        {TILES "overrides=T2:sop=yes", 0, 1},
        {TILES "overrides=T2:mct=off", 0, 2}, /* one bit less in every band: QCD as well */
        {TILES "overrides=T2:levels=2", 0, 2},
        {TILES "overrides=T1-6:block=16,16", 0, 6},
        {TILES "overrides=T3C1:block=16,16", 0, 1},
        {TILES "overrides=C1:style=1/T3:block=16,16", 1, 2}, /* the tile's COD hides the main COC */
        {TILES "overrides=C1:style=1/T3:block=16,16;style=1", 1, 1},
        {TILES "overrides=C1:style=1/T3C1:style=0", 1, 1},
        {TILES "mct=off overrides=C0:levels=3/T3:guard-bits=4", 2, 2},
    };
    owned_picture p = picture_draw(PICTURE_NATURAL, 150, 100, 3, 8, (uint32_t)_i);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        owned_outcome o = case_exact(&p, cases[i].settings);
        ck_assert_msg(main_segments(&o.stream) == cases[i].main_segments &&
                          o.stream.tile_segments == cases[i].tile_segments,
                      "\"%s\": %u segments of components, %zu of tiles", cases[i].settings, main_segments(&o.stream),
                      o.stream.tile_segments);
    }
}

/* Value by value: tile and component, tile, component, options. */
TEST(the_nearest_entry_counts)
{
    static const char settings[] = "mct=off " TILES "levels=4 style=0 guard-bits=2 block=64,64 "
                                   "overrides=T2C1:levels=1/T2:levels=2;style=4/C1:levels=3;style=2;guard-bits=3/"
                                   "T2C1:block=8,16/C1:style=8/T4-5C1-2:guard-bits=1";
    static const struct {
        unsigned tile, component, levels, style, guard_bits, xcb;
    } expected[] = {{0, 0, 4, 0, 2, 6}, {0, 1, 3, 8, 3, 6}, {1, 0, 2, 4, 2, 6}, {1, 1, 1, 4, 3, 3}, {1, 2, 2, 4, 2, 6},
                    {2, 1, 3, 8, 3, 6}, {3, 0, 4, 0, 2, 6}, {3, 1, 3, 8, 1, 6}, {4, 2, 4, 0, 1, 6}, {5, 2, 4, 0, 2, 6}};
    owned_picture p = picture_draw(PICTURE_NATURAL, 150, 100, 3, 8, 1);
    owned_outcome o = case_exact(&p, settings);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const cs_component *c = &cs_scope_of(&o.stream, expected[i].tile).components[expected[i].component];
        ck_assert_msg(c->levels == expected[i].levels && c->style == expected[i].style &&
                          c->guard_bits == expected[i].guard_bits && c->xcb == expected[i].xcb,
                      "tile %u, component %u: levels %u, style %u, guard bits %u, xcb %u", expected[i].tile,
                      expected[i].component, c->levels, c->style, c->guard_bits, c->xcb);
    }
}

TEST_EACH(tiles_of_all_kinds_decode, 9)
{
    static const char *const settings[] = {
        TILES "overrides=T1:mct=off/T2:progression=CPRL;sop=yes/T3:progression=PCRL;eph=yes;sop=yes/T4:levels=0",
        TILES "plt=yes tlm=yes tile-parts=R layers=3 overrides=T1:progression=RLCP/T2-4:levels=2;precincts=[32,16]",
        TILES "packed-headers=ppt sop=yes eph=yes overrides=T1-2:eph=no/T2-3:sop=no",
        TILES "packed-headers=ppm eph=no layers=2 overrides=T5:eph=yes/T2-3:style=63;block=4,4",
        TILES "plm=yes overrides=T5:eph=yes/T2-3:style=63",
        TILES "layers=2 progression-changes=T2=0,0,2,3,3,RPCL/T2=0,0,2,6,3,PCRL "
              "overrides=T2:levels=3/C1:style=4/T3:progression=RPCL",
        TILES "levels=2 layers=2 progression-changes=0,0,1,6,3,RPCL/0,0,2,6,3,LRCP overrides=T2:levels=5/T4:levels=1",
        "levels=0 overrides=C1:block=4,1024/C2:precincts=[2,2]",
        "mct=off overrides=C0:levels=0/C1:levels=32/C2:levels=1",
    };
    owned_picture p = picture_draw(PICTURE_NATURAL, 150, 100, 3, 8, (uint32_t)_i);
    case_lossless(settings[_i], &p, settings[_i], NULL);
}

/* 9/7 here and 5/3 there: what is lossless stays so. */
TEST(wavelets_mix)
{
    owned_picture p = picture_draw(PICTURE_NATURAL, 150, 100, 3, 8, 3);
    owned_outcome o = case_encode("mix", &p, "mct=off overrides=C1:reversible=no;step=0.02;quantization=derived", NULL);
    owned_picture back = case_decode("mix", &o, NULL);
    for (unsigned c = 0; c < 3; c++) {
        int same = !memcmp(p.planes[c].samples, back.planes[c].samples, 150 * 100 * sizeof(int32_t));
        ck_assert_int_eq(same, c != 1);
    }
    ck_assert_msg(picture_psnr(&p, &back) > 35.0, "%.2f dB", picture_psnr(&p, &back));
    ck_assert_double_eq_tol(wvl_result_layer_psnr(o.result, 0), fuzz_picture_psnr(&p, &back), 1.0);
    fuzz_picture_free(&back);
    case_free(&o);
    o = case_encode("tiles", &p, TILES "overrides=T2:reversible=no", NULL);
    back = case_decode("tiles", &o, NULL);
    for (unsigned y = 0; y < 100; y++) {
        for (unsigned x = 0; x < 150; x++) {
            int in_second = x >= 64 && x < 128 && y < 64;
            ck_assert(in_second || p.planes[0].samples[y * 150 + x] == back.planes[0].samples[y * 150 + x]);
        }
    }
    ck_assert_uint_le(picture_greatest_error(&p, &back), 4);
}

/* Caps and targets hold, whatever the tiles are coded by. */
TEST_EACH(caps_hold, 3)
{
    static const char *const extras[] = {TILES "overrides=T1:progression=RPCL;sop=yes/T2C1:block=16,16/T3:levels=1",
                                         "mct=off overrides=C1:levels=3;step=0.01/C2:style=TERMALL",
                                         TILES
                                         "packed-headers=ppt tile-parts=R overrides=T2:reversible=yes/T4:eph=yes"};
    owned_picture p = picture_draw(PICTURE_NATURAL, 150, 100, 3, 8, 5);
    for (unsigned cap = 9000; cap < 16000; cap += 2311) {
        case_cap(&p, test_print("%s reversible=no layers=3", extras[_i]), cap, 25);
    }
}

TEST_EACH(psnr_targets_hold, 2)
{
    owned_picture p = picture_draw(PICTURE_NATURAL, 150, 100, 3, 8, 5);
    static const char *const settings[] = {"reversible=no psnr=38 " TILES "overrides=T2:mct=off/T3:levels=2",
                                           "psnr=38 mct=off overrides=C2:reversible=no"};
    owned_outcome o = case_encode("psnr", &p, settings[_i], NULL);
    ck_assert_double_eq_tol(case_measure("psnr", &o, &p, 0).found, 38.0, 0.25);
}

/* COC and QCC with 16-bit component indices. */
TEST(many_components)
{
    owned_picture p = picture_draw(PICTURE_NATURAL, 9, 7, 300, 8, 5);
    static const char settings[] = "mct=off levels=1 overrides=C299:levels=2;style=4/C256-258:block=8,8/T1C12:levels=0";
    owned_outcome o = case_exact(&p, settings);
    ck_assert_uint_eq(main_segments(&o.stream), 5);
    ck_assert_uint_eq(o.stream.tile_segments, 2);
}

#define RGB                                                                                                            \
    0, 0, 150, 100, 3, { 8, 0, 1, 1 }
static const refusal refusals[] = {
    {"overrides=levels=3", "entry 1: expected T", RGB},
    {"overrides=C1:levels=3/C:levels=3", "entry 2: expected T", RGB},
    {"overrides=T0:levels=3", "entry 1: expected T", RGB},
    {"overrides=C3-1:levels=3", "entry 1: expected T", RGB},
    {"overrides=C16384:levels=3", "entry 1: expected T", RGB},
    {"overrides=C1:layers=3", "entry 1: expected one of", RGB},
    {"overrides=C1:levels", "entry 1: expected one of", RGB},
    {"overrides=C1:levels=33", "entry 1: levels \"33\"", RGB},
    {"overrides=C1:levels=3;block=33,32", "entry 1: block \"33,32\"", RGB},
    {"overrides=C1:levels=3,levels=2", "given twice", RGB},
    {"overrides=C1:sop=yes", "(A.6.1)", RGB},
    {"overrides=T1C1:mct=off", "(A.6.1)", RGB},
    {"overrides=C1:levels=3/", "after the last /", RGB},
    {"overrides=C3:levels=2", "(A.6.2)", RGB},
    {"overrides=T2:levels=2", "(A.4.2)", RGB},
    {"mct=on overrides=C1:reversible=no", "(G.2, G.3)", RGB},
    {TILES "overrides=T2:mct=on/T2C1:reversible=no", "tile 2, component 0: mct", RGB},
    {TILES "overrides=T3C2:levels=1;precincts=[64,64],[32,32],[16,16]",
     "tile 3, component 2: 3 precinct sizes for 2 resolutions", RGB},
    {"overrides=C1:reversible=no;guard-bits=0 mct=off", "component 1: guard-bits 0", RGB},
    {"overrides=C2:block=1024,8", "entry 1: block \"1024,8\"", RGB},
    {"profile=1 overrides=C1:block=128,32", "component 1: profile 1: block", RGB},
    {"profile=0 tile=128,128 overrides=T1:levels=4", "(Table A.45)", RGB},
    {"profile=cinema2k overrides=C1:levels=4", "overrides: the profile needs", RGB},
    {"levels=2 progression-changes=0,0,1,3,3,RPCL overrides=C1:levels=3", "(A.6.6)", RGB},
};

TEST_EACH(refusals_name_the_entry, sizeof refusals / sizeof refusals[0]) { case_refuse(&refusals[_i]); }

TEST_MAIN("overrides")
