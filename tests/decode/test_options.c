/* SPDX-License-Identifier: BSD-2-Clause */
/* Every option, alone and crossed, decoded by OpenJPEG. */
#include <math.h>

#include "tests/decode/cases.h"
#include "tests/support/icc.h"
#include "tests/support/support.h"

/* ---- Block coder ----------------------------------------------------------------------------- */

TEST_EACH(every_style, 64)
{
    static const picture_kind kinds[] = {PICTURE_NATURAL, PICTURE_NOISE, PICTURE_SPARSE};
    for (unsigned k = 0; k < 3; k++) {
        owned_picture p = picture_draw(kinds[k], 90, 77, 1, 12, (uint32_t)_i);
        const char *settings = test_print("style=%d levels=2 block=32,32", _i);
        case_lossless("style", &p, settings, NULL);
        settings = test_print("style=%d levels=2 block=16,64 layers=6 progression=RPCL", _i);
        case_lossless("style, layers", &p, settings, NULL);
        settings = test_print("style=%d levels=2 reversible=no step=0.00002 layers=2", _i);
        case_near("style, 9/7", &p, settings, 1);
        settings = test_print("style=%d reversible=no bpp=0.5,2,4", _i);
        case_structure("style, cut", &p, settings);
    }
}

/* A cut codeword must decode as what rate control took it for: PSNR told against PSNR found, layer by layer. */
TEST_EACH(every_style_cut_where_told, 64)
{
    owned_picture p = picture_draw(PICTURE_NATURAL, 256, 192, 1, 8, 4);
    const char *settings = test_print("style=%d reversible=no bpp=0.25,0.5,1,2,3 rdoq=no", _i);
    owned_outcome o = case_encode("cut", &p, settings, NULL);
    for (unsigned layer = 1; layer <= 5; layer++) {
        quality q = case_measure("cut", &o, &p, layer);
        ck_assert_msg(fabs(q.told - q.psnr) < 0.25, "style %d, layer %u: %.3f dB told, %.3f dB found", _i, layer,
                      q.told, q.psnr);
    }
}

TEST_EACH(every_block_shape, 81)
{
    unsigned xcb = 2 + (unsigned)_i % 9, ycb = 2 + (unsigned)_i / 9;
    const char *settings = test_print("block=%u,%u levels=1", 1u << xcb, 1u << ycb);
    if (xcb + ycb > 12) {
        case_refuse(&(refusal){settings, "block", 0, 0, 8, 8, 1, {8, 0, 1, 1}});
        return;
    }
    owned_picture p = picture_draw(PICTURE_NATURAL, xcb > 8 ? 1200 : 211, ycb > 8 ? 1100 : 73, 1, 8, 9);
    case_lossless("block shape", &p, settings, NULL);
    case_near("block shape", &p, test_print("%s reversible=no step=0.0003", settings), 1);
}

/* ---- Levels ---------------------------------------------------------------------------------- */

TEST_EACH(every_level_count, 33)
{
    static const uint32_t sizes[][2] = {{1, 1}, {1, 17}, {19, 1}, {2, 2}, {37, 29}, {128, 64}};
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (unsigned offset = 0; offset < 2; offset++) {
            owned_picture p = picture_draw(PICTURE_NOISE, sizes[i][0], sizes[i][1], 3, 8, (uint32_t)_i);
            picture_place(&p, offset, 3 * offset);
            const char *derived = test_print("levels=%d reversible=no step=0.0004 quantization=derived", _i);
            case_lossless("levels", &p, test_print("levels=%d", _i), NULL);
            case_near("levels, 9/7", &p, test_print("levels=%d reversible=no step=0.0004", _i), 1);
            if (_i <= 20) {
                case_near("levels, derived", &p, derived, 1);
            } else if (_i < 32) { /* exponents end at 31, and those of finer levels lie below that of LL */
                case_structure("levels, derived", &p, derived);
            }
        }
    }
}

/* A lower resolution is the picture that the low-pass bands alone make: sizes must be those of the standard. */
TEST(fewer_resolutions_decode)
{
    owned_picture p = picture_draw(PICTURE_NATURAL, 203, 141, 3, 8, 5);
    picture_place(&p, 7, 10);
    owned_outcome o = case_encode("resolutions", &p, "tile=64,64 layers=2", NULL);
    for (unsigned discard = 1; discard <= 5; discard++) {
        owned_picture back = case_decode("resolutions", &o, &(decode_options){.discard = discard});
        uint32_t d = 1u << discard;
        ck_assert_uint_eq(back.planes[0].width, (210 + d - 1) / d - (7 + d - 1) / d);
        ck_assert_uint_eq(back.planes[0].height, (151 + d - 1) / d - (10 + d - 1) / d);
    }
}

/* ---- Progressions, tile-parts, markers ------------------------------------------------------- */

/* A new tile-part begins exactly where one of the letters changes. */
static void check_parts(const char *settings, const outcome *o, unsigned letters)
{
    for (size_t i = 1; i < o->packets.count; i++) {
        const wvl_check_packet *a = &o->packets.items[i - 1], *b = &o->packets.items[i];
        int new_part = a->part != b->part,
            expected = a->tile != b->tile || ((letters & 1) && a->resolution != b->resolution) ||
                       ((letters & 2) && a->layer != b->layer) || ((letters & 4) && a->component != b->component);
        ck_assert_msg(new_part == expected, "\"%s\": packet %zu: new tile-part %d, expected %d", settings, i, new_part,
                      expected);
    }
}

TEST_EACH(every_progression_and_part, 5)
{
    static const char *const orders[] = {"LRCP", "RLCP", "RPCL", "PCRL", "CPRL"};
    static const char *const parts[] = {"none", "R", "L", "RL", "C", "RC", "LC", "RLC"};
    owned_picture p = picture_draw(PICTURE_NATURAL, 75, 60, 3, 8, 1);
    for (unsigned i = 0; i < 128; i++) {
        char settings[256];
        unsigned letters = i / 16;
        snprintf(settings, sizeof settings,
                 "progression=%s tile-parts=%s sop=%u eph=%u plt=%u tlm=%u levels=2 layers=3 tile=40,40 "
                 "precincts=[16,32],[32,16] block=8,8",
                 orders[_i], parts[letters], i & 1, i >> 1 & 1, i >> 2 & 1, i >> 3 & 1);
        owned_outcome o = case_exact(&p, settings);
        check_parts(settings, &o, letters);
        ck_assert_uint_eq(o.stream.tlm_segments != 0, i >> 3 & 1);
        ck_assert_uint_eq(o.stream.parts[0].plt_segments != 0, i >> 2 & 1);
    }
}

/* Nsop counts modulo 65536. */
TEST(sop_wraps)
{
    owned_picture p = picture_draw(PICTURE_NATURAL, 300, 300, 1, 8, 1);
    case_lossless("sop", &p, "levels=0 precincts=[4,4] block=4,4 layers=13 sop=yes eph=yes plt=yes", NULL);
}

/* ---- Depths ---------------------------------------------------------------------------------- */

TEST_EACH(every_depth, 56)
{
    static const picture_kind kinds[] = {PICTURE_NATURAL, PICTURE_NOISE, PICTURE_EXTREME};
    unsigned depth = 1 + (unsigned)_i % 28, is_signed = (unsigned)_i / 28;
    for (unsigned k = 0; k < 6; k++) {
        unsigned mct = k & 1;
        wvl_component_format components[3] = {{(uint8_t)depth, (uint8_t)is_signed, 1, 1},
                                              {(uint8_t)depth, (uint8_t)is_signed, 1, 1},
                                              {(uint8_t)depth, (uint8_t)is_signed, 1, 1}};
        wvl_image_format format = {sizeof format, 0, 0, 70, 66, 3, components};
        owned_picture p = picture_draw_format(kinds[k / 2], &format, depth);
        const char *what = test_print("depth %u%s, kind %u", depth, is_signed ? " signed" : "", k / 2);
        const char *settings = test_print("mct=%s", mct ? "on" : "off");
        if (depth == 28 && mct) {
            case_refused(what, &format, settings, "RCT");
        } else {
            case_lossless(what, &p, settings, NULL);
        }
    }
}

/* 9/7 at full quality: the judge computes in float, so what it can tell falls with the depth. */
TEST_EACH(every_depth_irreversible, 16)
{
    static const picture_kind kinds[] = {PICTURE_NATURAL, PICTURE_NOISE, PICTURE_EXTREME};
    unsigned depth = 1 + (unsigned)_i;
    for (unsigned k = 0; k < 6; k++) {
        owned_picture p = picture_draw(kinds[k / 2], 70, 66, 3, depth, depth);
        double step = ldexp(1.0, -(int)depth - 3);
        const char *what = test_print("9/7, depth %u, kind %u", depth, k / 2);
        const char *settings = test_print("reversible=no mct=%s step=%.12g", k & 1 ? "on" : "off", step);
        case_near(what, &p, settings, depth <= 8 ? 1 : depth <= 12 ? 2 : 1u << (depth - 11));
    }
}

TEST(mixed_depths_and_signs)
{
    static const wvl_component_format components[6] = {{1, 0, 1, 1},  {16, 1, 2, 1}, {8, 0, 1, 3},
                                                       {12, 1, 1, 1}, {5, 0, 2, 2},  {24, 1, 1, 1}};
    wvl_image_format format = {sizeof format, 5, 9, 105, 99, 6, components};
    owned_picture p = picture_draw_format(PICTURE_NATURAL, &format, 6);
    case_lossless("mixed", &p, "", NULL);
    case_lossless("mixed, tiles", &p, "tile=33,31 tile-offset=2,3 progression=PCRL layers=3", NULL);
    case_structure("mixed, 9/7", &p, "reversible=no bpp=1,4,0");
}

TEST(many_components)
{
    static const uint32_t counts[] = {2, 5, 256, 257, 1000};
    for (unsigned i = 0; i < 5; i++) {
        owned_picture p = picture_draw(PICTURE_NATURAL, 9, 7, counts[i], 8, i);
        case_lossless("components", &p, "levels=1", NULL);
        case_lossless("components", &p, "levels=1 progression=CPRL layers=2 mct=off plt=yes tlm=yes", NULL);
    }
    owned_picture p = picture_draw(PICTURE_NOISE, 3, 2, 16384, 8, 16);
    case_lossless("16384 components", &p, "levels=1 mct=off", NULL);
}

/* ---- Layers ---------------------------------------------------------------------------------- */

TEST_EACH(layers_end_lossless, 8)
{
    static const char *const settings[] = {"layers=8",
                                           "rates=100,50,25,12,1",
                                           "bpp=0.2,0.4,0.8,1.6,0 tile=50,60",
                                           "psnr=28,32,36,40,0 progression=RPCL precincts=[32,32]",
                                           "slopes=36500,35500,34500,33500,0 style=TERMALL+BYPASS",
                                           "layers=12 rates=80,20,1 progression=CPRL sop=yes eph=yes",
                                           "layers=40 style=BYPASS+RESET+VSC",
                                           "layer-bytes=500,5000,0 container=jp2"};
    static const unsigned layers[] = {8, 5, 5, 5, 5, 12, 40, 3};
    owned_picture p = picture_draw(PICTURE_NATURAL, 150, 133, 3, 8, 2);
    case_layers("layers", &p, settings[_i], layers[_i]);
}

/* ---- JP2 ------------------------------------------------------------------------------------- */

TEST(jp2_palette)
{
    uint16_t palette[40][3];
    char text[256];
    owned_picture p = picture_draw(PICTURE_NATURAL, 61, 47, 1, 8, 3);
    owned_picture expected = picture_draw(PICTURE_FLAT, 61, 47, 3, 8, 3);
    wvl_jp2_info jp2 = {.struct_size = sizeof jp2,
                        .palette_entries = 40,
                        .palette_columns = 3,
                        .palette_depth = 8,
                        .palette = palette[0]};
    for (unsigned i = 0; i < 40; i++) {
        for (unsigned c = 0; c < 3; c++) {
            palette[i][c] = (uint16_t)(picture_hash(i, c, 5) & 255);
        }
    }
    for (size_t i = 0; i < 61 * 47; i++) {
        p.planes[0].samples[i] %= 40;
        for (unsigned c = 0; c < 3; c++) {
            expected.planes[c].samples[i] = palette[p.planes[0].samples[i]][c];
        }
    }
    case_lossless("palette indices", &p, "container=jp2", &jp2);
    owned_outcome o = case_encode("palette", &p, "container=jp2", &jp2);
    owned_picture back = case_decode("palette", &o, NULL);
    ck_assert_msg(fuzz_picture_equal(&expected, &back, text, sizeof text), "%s", text);
}

static decode_info info_of(const char *what, const picture *p, const wvl_jp2_info *jp2)
{
    char text[512];
    decode_info info;
    picture back;
    owned_outcome o = case_encode(what, p, "container=jp2", jp2);
    ck_assert_msg(decode_picture(o.data, o.bytes, NULL, &back, &info, text, sizeof text), "%s: %s", what, text);
    ck_assert_msg(fuzz_picture_equal(p, &back, text, sizeof text), "%s: %s", what, text);
    fuzz_picture_free(&back);
    return info;
}

TEST(jp2_channels_and_colour)
{
    static const uint16_t rgba[4] = {WVL_CHANNEL_COLOR, WVL_CHANNEL_COLOR, WVL_CHANNEL_COLOR, WVL_CHANNEL_OPACITY};
    static const uint16_t grey_alpha[2] = {WVL_CHANNEL_COLOR, WVL_CHANNEL_PREMULTIPLIED};
    wvl_jp2_info jp2 = {.struct_size = sizeof jp2, .channel_types = rgba, .channel_count = 4};
    owned_picture p = picture_draw(PICTURE_NATURAL, 40, 30, 4, 8, 8);
    decode_info info = info_of("rgba", &p, &jp2);
    ck_assert_int_eq(info.color_space, 1); /* OPJ_CLRSPC_SRGB */
    ck_assert_uint_eq(info.alpha[0] | info.alpha[1] << 1 | info.alpha[2] << 2 | info.alpha[3] << 3, 8);
    fuzz_picture_free(&p);
    p = picture_draw(PICTURE_NATURAL, 40, 30, 2, 16, 8);
    jp2.channel_types = grey_alpha;
    jp2.channel_count = 2;
    info = info_of("grey and alpha", &p, &jp2);
    ck_assert_int_eq(info.color_space, 2); /* OPJ_CLRSPC_GRAY */
    ck_assert_uint_eq(info.alpha[1], 2);
    fuzz_picture_free(&p);
    p = picture_draw(PICTURE_NATURAL, 40, 30, 3, 8, 8);
    jp2 = (wvl_jp2_info){.struct_size = sizeof jp2, .color = WVL_COLOR_SYCC};
    info = info_of("sycc", &p, &jp2);
    ck_assert_int_eq(info.color_space, 3); /* OPJ_CLRSPC_SYCC */
}

TEST(jp2_profile)
{
    test_icc icc = test_make_icc("mntrGRAY", "kTRC", "grey");
    wvl_jp2_info jp2 = {.struct_size = sizeof jp2, .icc = icc.bytes, .icc_bytes = icc.size};
    owned_picture p = picture_draw(PICTURE_NATURAL, 40, 30, 1, 8, 8);
    decode_info info = info_of("profile", &p, &jp2);
    ck_assert_uint_eq(info.icc_bytes, icc.size);
    ck_assert_mem_eq(info.icc, icc.bytes, icc.size);
    free(info.icc);
}

TEST_MAIN("options")
