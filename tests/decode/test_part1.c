/* SPDX-License-Identifier: BSD-2-Clause */
/* Progression order changes, packed packet headers, PLM, CRG and profiles: re-parsed, and decoded by OpenJPEG. */

#include "tests/decode/cases.h"
#include "tests/support/support.h"

/* ---- Progression order changes --------------------------------------------------------------- */

#define SPLIT "0,0,1,6,3,RLCP/0,0,2,6,3,RLCP" /* disjoint by layers */
#define OVER "0,0,2,3,3,LRCP/0,0,2,6,3,CPRL"  /* the second covers the first */

TEST_EACH(changes_decode, 8)
{
    static const char *const settings[] = {
        "progression=RLCP layers=2 progression-changes=" SPLIT,
        "layers=2 progression-changes=" OVER,
        "layers=2 progression-changes=0,0,2,6,3,CPRL/0,0,2,6,3,LRCP", /* the second sends nothing */
        "layers=3 sop=yes eph=yes plt=yes tlm=yes tile=70,61 "
        "progression-changes=0,0,1,3,3,RPCL/0,0,3,6,1,PCRL/0,1,3,6,3,LRCP",
        "layers=3 progression-changes=0,1,1,33,2,PCRL/0,0,3,33,256,RPCL precincts=[16,32]",
        "layers=2 tile=64,64 progression-changes=T2=0,0,2,3,3,RPCL/T2=0,0,2,6,3,PCRL",
        "layers=2 tile=64,64 progression-changes=T2=0,0,2,3,3,RPCL/T2=0,0,2,6,3,PCRL/" SPLIT,
        "layers=2 tile=64,64 progression-changes=T1=0,0,2,6,3,CPRL/T6=0,0,2,6,3,RPCL/" OVER " tile-parts=R",
    };
    static const unsigned main_entries[] = {2, 2, 2, 3, 2, 0, 0, 0}, entries[] = {2, 2, 2, 3, 2, 2, 12, 10};
    owned_picture p = picture_draw(PICTURE_NATURAL, 150, 100, 3, 8, (uint32_t)_i);
    owned_outcome o = case_exact(&p, settings[_i]);
    size_t in_main = 0;
    for (size_t i = 0; i < o.stream.volume_count; i++) {
        in_main += o.stream.volumes[i].tile == CS_ALL_TILES;
    }
    ck_assert_uint_eq(in_main, main_entries[_i]);
    ck_assert_uint_eq(o.stream.volume_count, entries[_i]);
}

/* The packets come in another order than without changes, and are the same. */
TEST(changes_change_the_order_only)
{
    owned_picture p = picture_draw(PICTURE_NATURAL, 150, 100, 3, 8, 1);
    owned_outcome plain = case_exact(&p, "layers=2 progression=LRCP"),
                  changed = case_exact(&p, "layers=2 progression-changes=" OVER);
    size_t moved = 0;
    ck_assert_uint_eq(plain.packets.count, changed.packets.count);
    for (size_t i = 0; i < plain.packets.count; i++) {
        moved += plain.packets.items[i].resolution != changed.packets.items[i].resolution ||
                 plain.packets.items[i].component != changed.packets.items[i].component;
    }
    ck_assert_uint_gt(moved, 0);
    ck_assert_uint_eq(changed.bytes, plain.bytes + 4 + 7 * 2);
}

/* 4K cinema: two volumes, each a tile-part a component. With one component, only the volume begins a part. */
TEST(volumes_start_tile_parts)
{
    for (unsigned components = 1; components <= 3; components += 2) {
        char settings[160];
        owned_picture p = picture_draw(PICTURE_NATURAL, 128, 96, components, 8, 3);
        snprintf(settings, sizeof settings,
                 "tile-parts=C progression=CPRL tlm=yes progression-changes=0,0,1,5,%u,CPRL/5,0,1,6,%u,CPRL",
                 components, components);
        owned_outcome o = case_exact(&p, settings);
        ck_assert_uint_eq(o.stream.part_count, 2 * components);
        for (size_t i = 0; i < o.packets.count; i++) {
            const wvl_check_packet *packet = &o.packets.items[i];
            ck_assert_uint_eq(packet->part, (packet->resolution == 5 ? components : 0) + packet->component);
        }
    }
}

/* A tile-part begins at the first packet of its tile, and then exactly where what was asked for changes (A.4.2). */
TEST_EACH(parts_start_where_asked, 7)
{
    static const struct {
        const char *settings;
        int by_resolution, by_layer, by_component;
    } cases[] = {
        {"tile-parts=R progression=RLCP layers=2", 1, 0, 0},
        {"tile-parts=R progression=RPCL tile=80,64", 1, 0, 0},
        {"tile-parts=R progression=LRCP layers=2", 1, 0, 0}, /* every resolution again in the second layer */
        {"tile-parts=L progression=LRCP layers=3", 0, 1, 0},
        {"tile-parts=C progression=CPRL levels=2", 0, 0, 1},
        {"tile-parts=RL progression=RLCP layers=2", 1, 1, 0},
        {"tile-parts=RLC progression=LRCP layers=2 tile=80,64 levels=3", 1, 1, 1},
    };
    owned_picture p = picture_draw(PICTURE_NATURAL, 150, 100, 3, 8, (uint32_t)_i);
    owned_outcome o = case_exact(&p, cases[_i].settings);
    size_t parts = 0;
    for (size_t i = 0; i < o.packets.count; i++) {
        const wvl_check_packet *now = &o.packets.items[i], *before = i ? now - 1 : now;
        int starts = !i || now->tile != before->tile;
        starts |= cases[_i].by_resolution && now->resolution != before->resolution;
        starts |= cases[_i].by_layer && now->layer != before->layer;
        starts |= cases[_i].by_component && now->component != before->component;
        parts += (size_t)starts;
        ck_assert_msg(now->part + 1 == parts, "\"%s\": packet %zu is in tile-part %u, not %zu", cases[_i].settings, i,
                      now->part, parts - 1);
    }
    ck_assert_uint_eq(o.stream.part_count, parts);
    ck_assert_uint_gt(parts, 1);
}

/* ---- Packed headers, PLM --------------------------------------------------------------------- */

TEST_EACH(packed_headers_decode, 18)
{
    static const char *const packed[] = {"ppm", "ppt"};
    static const char *const rest[] = {"",
                                       "sop=yes",
                                       "eph=yes",
                                       "sop=yes eph=yes tile=64,64 tlm=yes layers=3",
                                       "tile-parts=R layers=2",
                                       "tile-parts=RLC layers=3 sop=yes eph=yes tile=90,50",
                                       "tile=64,64 layers=2 progression-changes=" OVER,
                                       "tile-parts=C layers=2 progression-changes=T1="
                                       "0,0,2,6,3,RPCL",
                                       "max-bytes=9000 layers=4 reversible=no"};
    unsigned kind = (unsigned)_i % 2;
    owned_picture p = picture_draw(PICTURE_NATURAL, 150, 100, 3, 8, (uint32_t)_i);
    const char *settings = test_print("packed-headers=%s %s", packed[kind], rest[_i / 2]);
    owned_outcome o = case_encode(settings, &p, settings, NULL);
    ck_assert_uint_eq(o.stream.packed, kind + 1);
    if (_i / 2 < 8) {
        case_free(&o);
        o = case_exact(&p, settings);
    } else {
        ck_assert_uint_le(o.bytes, 9000);
        double psnr = case_measure(settings, &o, &p, 0).psnr;
        ck_assert_msg(psnr > 25.0, "%.2f dB", psnr);
    }
}

/* More headers than a marker segment holds: several, cut inside a header. */
TEST_EACH(packed_headers_fill_segments, 3)
{
    static const char *const settings[] = {
        "packed-headers=ppm block=4,4 precincts=[8,8] layers=8 sop=yes eph=yes levels=2",
        "packed-headers=ppt block=4,4 precincts=[8,8] layers=8 sop=yes eph=yes levels=2",
        "packed-headers=ppt block=4,4 precincts=[8,8] layers=8 levels=2 tile-parts=R progression=RLCP"};
    owned_picture p = picture_draw(PICTURE_NOISE, 320, 256, 3, 8, 2);
    owned_outcome o = case_exact(&p, settings[_i]);
    size_t headers = 0;
    for (size_t i = 0; i < o.stream.part_count; i++) {
        headers += o.stream.parts[i].header_bytes;
    }
    ck_assert_uint_gt(headers, 65532);
}

TEST_EACH(plm_tells_every_packet, 4)
{
    static const char *const settings[] = {"plm=yes", "plm=yes plt=yes tlm=yes", "plm=yes tile=20,20 layers=2 tlm=yes",
                                           "plm=yes tile=20,20 tile-parts=R sop=yes eph=yes layers=3"};
    owned_picture p = picture_draw(PICTURE_NATURAL, 150, 100, 3, 8, 7);
    owned_outcome o = case_exact(&p, settings[_i]);
    ck_assert_uint_gt(o.stream.plm_segments, 0);
    for (size_t i = 0; i < o.stream.part_count; i++) {
        ck_assert_int_eq(o.stream.parts[i].has_lengths, 1);
    }
}

TEST(plm_fills_segments)
{
    owned_picture p = picture_draw(PICTURE_NATURAL, 1024, 1024, 1, 8, 7);
    owned_outcome o = case_exact(&p, "plm=yes tile=16,16 levels=3 layers=4");
    ck_assert_uint_gt(o.stream.plm_segments, 1);
}

/* Nplm has eight bits. */
TEST(plm_refuses_long_entries)
{
    owned_picture p = picture_draw(PICTURE_NATURAL, 150, 100, 3, 8, 7);
    owned_outcome o = case_try(&p, "plm=yes layers=20", NULL);
    ck_assert_int_eq(o.status, WVL_ERROR_PARAMETER);
    ck_assert_msg(strstr(o.error, "A.7.2") != NULL, "%s", o.error);
    ck_assert_ptr_null(o.data);
}

/* Caps hold to the byte, with every extra in the headers counted, and are used. */
TEST_EACH(caps_hold, 8)
{
    static const char *const extras[] = {"packed-headers=ppm",
                                         "packed-headers=ppt",
                                         "packed-headers=ppt tile-parts=R tile=64,64",
                                         "packed-headers=ppm tile-parts=R tile=64,64",
                                         "plm=yes tile=64,64",
                                         "plm=yes plt=yes tile=64,64 tile-parts=R",
                                         "tile=64,64 progression-changes=T1=0,0,9,6,3,RPCL/0,0,9,6,3,CPRL",
                                         "packed-headers=ppm sop=yes eph=yes tile=64,64"};
    owned_picture p = picture_draw(PICTURE_NOISE, 200, 160, 3, 8, 5);
    for (unsigned layers = strstr(extras[_i], "progression") ? 9 : 1; layers <= 9; layers += 4) {
        for (unsigned cap = 36000; cap < 60000; cap += 2311) {
            case_cap(&p, test_print("%s reversible=no layers=%u", extras[_i], layers), cap, 50);
        }
    }
}

/* A component's bytes are its tile-parts'. */
TEST_EACH(component_caps_hold, 3)
{
    static const char *const extras[] = {"packed-headers=ppt", "plm=yes plt=yes",
                                         "progression-changes=T1=0,0,1,5,3,CPRL/T1=5,0,1,6,3,CPRL"};
    owned_picture p = picture_draw(PICTURE_NATURAL, 200, 160, 3, 8, 5);
    for (unsigned cap = 5000; cap < 9000; cap += 777) {
        uint64_t sums[3] = {0, 0, 0};
        const char *settings =
            test_print("%s reversible=no progression=CPRL tile-parts=C max-component-bytes=%u", extras[_i], cap);
        owned_outcome o = case_encode("component cap", &p, settings, NULL);
        for (size_t i = 0, seen = SIZE_MAX; i < o.packets.count; i++) {
            const wvl_check_packet *packet = &o.packets.items[i];
            sums[packet->component] += packet->part != seen ? o.stream.parts[packet->part].bytes : 0;
            seen = packet->part;
        }
        for (unsigned c = 0; c < 3; c++) {
            ck_assert_msg(sums[c] <= cap && sums[c] > cap / 2, "\"%s\": component %u has %llu bytes", settings, c,
                          (unsigned long long)sums[c]);
        }
    }
}

/* ---- Registration, profiles ------------------------------------------------------------------ */

TEST(registration_is_written)
{
    owned_picture p = picture_draw(PICTURE_NATURAL, 60, 40, 3, 8, 7);
    owned_outcome o = case_exact(&p, "registration=[0,1],[32768,65535],[7,8]"),
                  one = case_exact(&p, "registration=[5,6]"), none = case_exact(&p, "");
    static const unsigned want[6] = {0, 1, 32768, 65535, 7, 8};
    ck_assert_mem_eq(o.stream.registration, want, sizeof want);
    ck_assert_uint_eq(one.stream.registration[4], 5);
    ck_assert_uint_eq(one.stream.registration[5], 6);
    ck_assert_ptr_null(none.stream.registration);
    ck_assert_uint_eq(o.bytes, none.bytes + 16);
}

TEST(profiles_are_declared)
{
    owned_picture p = picture_draw(PICTURE_NATURAL, 300, 200, 3, 8, 7);
    static const char *const settings[] = {"", "profile=0", "profile=0 tile=128,128 block=32,32",
                                           "profile=1 tile=256,256", "profile=1 block=64,16 levels=2"};
    static const unsigned rsiz[] = {0, 1, 1, 2, 2};
    for (unsigned i = 0; i < 5; i++) {
        owned_outcome o = case_exact(&p, settings[i]);
        ck_assert_uint_eq(o.stream.rsiz, rsiz[i]);
    }
}

/* ---- Refusals -------------------------------------------------------------------------------- */

#define RGB                                                                                                            \
    0, 0, 128, 129, 3, { 8, 0, 1, 1 }
static const refusal refusals[] = {
    {"progression-changes=0,2,1,6,3,LRCP", "layer 0 of resolution 0 of component 0", RGB},
    {"progression-changes=0,0,1,6,2,LRCP", "layer 0 of resolution 0 of component 2", RGB},
    {"progression-changes=0,0,1,5,3,LRCP", "layer 0 of resolution 5 of component 0", RGB},
    {"progression-changes=1,0,1,6,3,LRCP", "layer 0 of resolution 0 of component 0", RGB},
    {"layers=3 progression-changes=0,0,2,6,3,LRCP/0,0,3,6,1,LRCP", "layer 2 of resolution 0 of component 1", RGB},
    {"progression-changes=0,0,1,6,1,LRCP/0,2,1,6,3,LRCP", "component 1", RGB},
    {"progression-changes=T1=0,0,1,5,3,LRCP/0,0,1,6,3,LRCP", "for tile 1 sends layer 0 of resolution 5", RGB},
    {"progression-changes=T2=0,0,1,6,3,LRCP", "no tile 2", RGB},
    {"tile=64,48 progression-changes=T7=0,0,1,6,3,LRCP", "no tile 7", RGB},
    {"progression-changes=3,0,1,3,3,LRCP", "A.6.6", RGB},
    {"progression-changes=0,1,1,6,1,LRCP", "A.6.6", RGB},
    {"progression-changes=0,0,1,6,3,LRCP/0,3,1,6,4,LRCP", "begins with component 3", RGB},
    {"progression-changes=0,0,1,6,257,LRCP", "at most 256", RGB},
    {"progression-changes=0,0,0,6,3,LRCP", "layer end 0", RGB},
    {"progression-changes=0,0,2,6,3,LRCP", "layer end 2", RGB},
    {"progression-changes=0,0,1,34,3,LRCP", "A.6.6", RGB},
    {"progression-changes=0,0,1,6,16385,LRCP", "A.6.6", RGB},
    {"progression-changes=0,0,1,6,3,LCRP", "LRCP", RGB},
    {"progression-changes=0,0,1,6,3", "expected", RGB},
    {"progression-changes=T0=0,0,1,6,3,LRCP", "tile", RGB},
    {"progression-changes=0,0,1,6,3,LRCP/", "missing", RGB},
    {"progression-changes=0,0,1,6,3,LRCPX", "LRCP", RGB},
    {"packed-headers=ppm plt=yes", "plt", RGB},
    {"packed-headers=ppt plm=yes", "plm", RGB},
    {"packed-headers=yes", "none|ppm|ppt", RGB},
    {"registration=[1,2],[3,4]", "A.9.1", RGB},
    {"registration=[1,65536]", "A.9.1", RGB},
    {"registration=[1,2]", "16383", 0, 0, 128, 129, 16384, {8, 0, 1, 1}},
    {"registration=1,2", "A.9.1", RGB},
    {"profile=0 tile=100,100", "128,128", RGB},
    {"profile=0 tile=128,128 tile-offset=0,0 block=64,32", "32,32 and 64,64", RGB},
    {"profile=0 style=BYPASS", "BYPASS", RGB},
    {"profile=0 packed-headers=ppm", "packed", RGB},
    {"profile=1 tile=100,80", "square", RGB},
    {"profile=1 block=128,32", "at most 64", RGB},
    {"profile=1 levels=0", "lowest resolution", RGB},
    {"profile=0 levels=0", "lowest resolution", RGB},
};

TEST_EACH(refused_with_reason, sizeof refusals / sizeof refusals[0]) { case_refuse(&refusals[_i]); }

/* 256 components: an end of 256 is written as 0, which OpenJPEG 2.5 takes for 0 components, so only the walker judges.
 * 257: indices of two bytes, and an end of 256 as it stands. */
TEST(wide_component_indices)
{
    owned_picture narrow = picture_draw(PICTURE_NOISE, 3, 2, 256, 8, 1),
                  wide = picture_draw(PICTURE_NOISE, 3, 2, 257, 8, 1);
    owned_outcome a = case_encode("256 components", &narrow,
                                  "levels=1 mct=off progression-changes=0,0,1,1,256,LRCP/0,0,1,2,256,RPCL", NULL);
    owned_outcome b = case_exact(&wide, "levels=1 mct=off progression-changes=0,0,1,2,256,LRCP/0,256,1,2,16384,RPCL");
    ck_assert_uint_eq(a.stream.volumes[0].c_end, 256);
    ck_assert_uint_eq(b.stream.volumes[0].c_end, 256);
    ck_assert_uint_eq(b.stream.volumes[1].c0, 256);
    ck_assert_uint_eq(b.stream.volumes[1].c_end, 257);
}

/* Values read back as they were given, from a clone too. */
TEST(values_print_back)
{
    static const char *const settings[][2] = {
        {"progression-changes", "T2=0,0,2,3,3,RPCL/T65535=1,16383,65535,33,16384,PCRL/0,0,1,6,3,LRCP"},
        {"registration", "[0,65535],[1,2]"},
        {"packed-headers", "ppt"},
        {"plm", "yes"},
        {"profile", "1"}};
    wvl_params *params, *copy;
    ck_assert_int_eq(wvl_params_create(case_context(), &params), WVL_OK);
    for (unsigned i = 0; i < 5; i++) {
        ck_assert_int_eq(wvl_params_set(params, settings[i][0], settings[i][1]), WVL_OK);
    }
    ck_assert_int_eq(wvl_params_clone(params, &copy), WVL_OK);
    ck_assert_int_eq(wvl_params_set(params, "progression-changes", ""), WVL_OK);
    ck_assert_int_eq(wvl_params_set(params, "registration", ""), WVL_OK);
    ck_assert_str_eq(wvl_params_get(params, "progression-changes"), "");
    ck_assert_str_eq(wvl_params_get(params, "registration"), "");
    wvl_params_release(params);
    for (unsigned i = 0; i < 5; i++) {
        ck_assert_str_eq(wvl_params_get(copy, settings[i][0]), settings[i][1]);
    }
    wvl_params_release(copy);
}

TEST_MAIN("part1")
