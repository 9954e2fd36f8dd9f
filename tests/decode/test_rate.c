/* SPDX-License-Identifier: BSD-2-Clause */
/* Rate control keeps its word: bytes, PSNR, slopes. Every count is taken from the bytes themselves. */
#include <math.h>

#include "tests/decode/cases.h"
#include "tests/support/support.h"

#define NAMES 6
static const char *const names[NAMES] = {"kodim03.png",          "kodim05.png",           "kodim13.png",
                                         "ic_spider_web_g8.png", "GoldenGate_srgb16.tif", "MR2.pgm"};

/* Picture i: a real one, else drawn; at most 512 x 512. */
static int is_drawn; /* the picture that fetch() gave: few blocks that are much alike, so that cuts lie farther apart */

static picture fetch(int i)
{
    static const uint8_t count[NAMES] = {3, 3, 3, 1, 3, 1}, depth[NAMES] = {8, 8, 8, 8, 16, 12};
    picture p;
    is_drawn = !picture_load(names[i], NULL, &p);
    if (is_drawn) {
        return picture_draw(PICTURE_NATURAL, 448, 400, count[i], depth[i], (uint32_t)i + 60);
    }
    if (!case_long() && (p.x1 > 512 || p.y1 > 512)) {
        uint32_t w = p.x1 < 512 ? p.x1 : 512, h = p.y1 < 512 ? p.y1 : 512;
        picture_crop(&p, (p.x1 - w) / 2, (p.y1 - h) / 2, w, h);
    }
    return p;
}

/* Bytes of the codestream up to a layer: everything that is not a packet, and the packets of layers up to it. */
static uint64_t bytes_up_to(const outcome *o, unsigned layer)
{
    uint64_t bytes = wvl_result_codestream(o->result).bytes;
    for (size_t i = 0; i < o->packets.count; i++) {
        bytes -= o->packets.items[i].layer > layer ? o->packets.items[i].bytes : 0;
    }
    return bytes;
}

/* ---- Caps of the codestream ------------------------------------------------------------------ */

static const char *const structures[] = {"",
                                         "sop=yes eph=yes",
                                         "plt=yes tlm=yes",
                                         "sop=yes eph=yes plt=yes tlm=yes tile-parts=R progression=RPCL",
                                         "tile=128,128",
                                         "tile=100,90 tile-parts=C progression=CPRL plt=yes tlm=yes",
                                         "style=TERMALL",
                                         "style=BYPASS",
                                         "style=TERMALL+BYPASS+PTERM+SEGSYM",
                                         "style=BYPASS+RESET+VSC tile=200,200",
                                         "precincts=[64,64] progression=PCRL eph=yes",
                                         "block=16,16",
                                         "reversible=yes",
                                         "reversible=yes mct=off style=TERMALL",
                                         "levels=0",
                                         "quantization=derived",
                                         "mct=off",
                                         "distortion-bits=0",
                                         "container=jp2",
                                         "step=0.02"};
#define STRUCTURES (sizeof structures / sizeof structures[0])

TEST_EACH(final_budgets, STRUCTURES)
{
    static const unsigned budgets[] = {8192, 9000, 13579, 20000, 40000};
    owned_picture p = fetch(1);
    picture_crop(&p, 0, 0, 320, 320);
    for (unsigned i = case_long() ? 0 : (unsigned)_i % 2; i < 5; i += case_long() ? 1 : 2) {
        const char *settings = test_print("reversible=no layer-bytes=%u %s", budgets[i], structures[_i]);
        owned_outcome o = case_encode("budget", &p, settings, NULL);
        uint64_t bytes = wvl_result_codestream(o.result).bytes;
        ck_assert_msg(bytes <= budgets[i], "\"%s\": %llu bytes", settings, (unsigned long long)bytes);
        /* a step of 0.02 ends before the larger budgets do */
        int everything = wvl_result_layer_slope(o.result, 0) == 0;
        ck_assert_msg(everything || (double)bytes >= 0.995 * budgets[i], "\"%s\": %llu bytes are %.2f %%", settings,
                      (unsigned long long)bytes, 100.0 * (double)bytes / budgets[i]);
        ck_assert_msg(!everything || strstr(structures[_i], "step"), "\"%s\": everything fits", settings);
        double psnr = case_measure(settings, &o, &p, 0).psnr;
        ck_assert_msg(strstr(structures[_i], "step") || strstr(structures[_i], "levels=0") || psnr > 20.0,
                      "\"%s\": %.2f dB", settings, psnr);
    }
}

TEST_EACH(intermediate_budgets, STRUCTURES)
{
    static const unsigned budgets[] = {8192, 12000, 18000, 30000, 45000};
    owned_picture p = fetch(0);
    picture_crop(&p, 0, 0, 384, 320);
    const char *settings = test_print("reversible=no layer-bytes=8192,12000,18000,30000,45000 %s", structures[_i]);
    owned_outcome o = case_encode("layers", &p, settings, NULL);
    for (unsigned i = 0; i < 5; i++) {
        uint64_t told = wvl_result_layer_bytes(o.result, i), found = bytes_up_to(&o, i);
        double least = i == 4 ? 0.995 : 0.97;
        int everything = wvl_result_layer_slope(o.result, i) == 0;
        ck_assert_msg(told <= budgets[i], "\"%s\": layer %u: %llu bytes", settings, i, (unsigned long long)told);
        ck_assert_msg(everything || (double)told >= least * budgets[i], "\"%s\": layer %u: %llu bytes of %u", settings,
                      i, (unsigned long long)told, budgets[i]);
        /* PLT is one piece: cut short it would name the later packets too */
        ck_assert_msg(told == found || (strstr(settings, "plt") && told < found),
                      "\"%s\": layer %u: %llu bytes told, %llu found", settings, i, (unsigned long long)told,
                      (unsigned long long)found);
    }
}

/* Targets closer than the empty packets between them: an earlier layer must leave room, or the later one overshoots. */
TEST_EACH(crowded_budgets, 4)
{
    static const char *const more[] = {"", "sop=yes eph=yes plt=yes", "tile=64,64",
                                       "precincts=[16,16] tile-parts=R progression=RPCL"};
    owned_picture p = picture_draw(PICTURE_NATURAL, 200, 160, 3, 8, 9);
    const char *settings = test_print("reversible=no layer-bytes=30000,30005,30010,30020,30600,40000 %s", more[_i]);
    static const unsigned budgets[] = {30000, 30005, 30010, 30020, 30600, 40000};
    owned_outcome o = case_encode("crowded", &p, settings, NULL);
    for (unsigned i = 0; i < 6; i++) {
        ck_assert_msg(wvl_result_layer_bytes(o.result, i) <= budgets[i], "\"%s\": layer %u: %llu bytes of %u", settings,
                      i, (unsigned long long)wvl_result_layer_bytes(o.result, i), budgets[i]);
    }
}

/* Caps beside every other target, on pictures that leave rate control little to choose. */
TEST(caps_on_hard_pictures)
{
    static const picture_kind kinds[] = {PICTURE_NOISE, PICTURE_FLAT, PICTURE_EXTREME, PICTURE_SPARSE};
    static const char *const targets[] = {"",
                                          "psnr=45",
                                          "layers=7",
                                          "rates=1",
                                          "slopes=100",
                                          "psnr=20,30,0",
                                          "reversible=no",
                                          "reversible=no psnr=60",
                                          "reversible=no layers=20"};
    for (unsigned k = 0; k < 4; k++) {
        owned_picture p = picture_draw(kinds[k], 130, 111, 3, 8, k);
        for (unsigned t = 0; t < 9; t++) {
            for (unsigned cap = 700; cap <= 28700; cap += 7000) {
                const char *settings = test_print("max-bytes=%u %s", cap, targets[t]);
                owned_outcome o = case_encode("cap", &p, settings, NULL);
                ck_assert_msg(wvl_result_codestream(o.result).bytes <= cap, "kind %u \"%s\": %llu bytes", k, settings,
                              (unsigned long long)wvl_result_codestream(o.result).bytes);
                owned_picture back = case_decode(settings, &o, NULL);
            }
        }
    }
}

/* Byte by byte around the least that is possible: either the cap is kept, or the plan refuses it and says what would
 * do. */
TEST_EACH(smallest_caps, 8)
{
    static const struct {
        const char *settings;
        unsigned first, count;
    } cases[] = {{"max-bytes=%u", 90, 310},
                 {"max-bytes=%u plt=yes plm=yes tlm=yes sop=yes eph=yes", 100, 700},
                 {"max-bytes=%u tile=20,20 layers=3", 400, 700},
                 {"max-bytes=%u packed-headers=ppm eph=yes tile=30,64", 100, 500},
                 {"max-bytes=%u packed-headers=ppt tile-parts=R", 100, 500},
                 {"layers=2 bpp=0.001,0.%u", 100, 800},
                 {"max-component-bytes=%u", 1, 60},
                 {"max-component-bytes=%u plt=yes tile-parts=C progression=CPRL tile=20,20", 100, 700}};
    owned_picture p = picture_draw(PICTURE_NATURAL, 64, 64, 3, 8, 1);
    unsigned refused = 0, kept = 0;
    for (unsigned cap = cases[_i].first; cap < cases[_i].first + cases[_i].count; cap += 1 + (_i != 0) * (cap & 3)) {
        const char *settings = test_print(cases[_i].settings, cap);
        owned_outcome o = case_try(&p, settings, NULL);
        if (o.status == WVL_OK) {
            ck_assert(strstr(settings, "max-bytes") == NULL || o.bytes <= cap);
            kept++;
        } else {
            ck_assert_int_eq(o.status, WVL_ERROR_UNREACHABLE);
            ck_assert_msg(!o.plan, "%s: found out after coding: %s", settings, o.error);
            ck_assert_msg(strstr(o.error, "cap") != NULL, "%s", o.error);
            ck_assert_msg(!kept, "a cap of %u is refused, a smaller one was kept", cap);
            refused++;
        }
    }
    ck_assert_msg(refused > 0 && kept > 10, "%s: %u refused, %u kept", cases[_i].settings, refused, kept);
}

/* ---- Caps of a component --------------------------------------------------------------------- */

TEST_EACH(component_caps, 9)
{
    static const char *const more[] = {"",
                                       "max-bytes=20000",
                                       "plt=yes tile-parts=C progression=CPRL",
                                       "sop=yes eph=yes tile=90,90",
                                       "layers=4",
                                       "bpp=0.4,0.9",
                                       "style=TERMALL",
                                       "reversible=yes",
                                       "psnr=30,42"};
    owned_picture p = fetch(2);
    picture_crop(&p, 0, 0, 256, 256);
    for (unsigned cap = 3000; cap <= 12000; cap += 3000) {
        uint64_t sums[3] = {0, 0, 0}, most = 0;
        const char *settings = test_print("reversible=no max-component-bytes=%u %s", cap, more[_i]);
        owned_outcome o = case_encode("component cap", &p, settings, NULL);
        for (size_t i = 0; i < o.packets.count; i++) {
            sums[o.packets.items[i].component] += o.packets.items[i].bytes;
        }
        for (unsigned c = 0; c < 3; c++) {
            ck_assert_msg(sums[c] <= cap, "\"%s\": component %u has %llu bytes", settings, c,
                          (unsigned long long)sums[c]);
            most = sums[c] > most ? sums[c] : most;
        }
        int bound_elsewhere = strstr(settings, "max-bytes") || strstr(settings, "bpp") || strstr(settings, "psnr");
        ck_assert_msg(bound_elsewhere || (double)most > 0.97 * cap, "\"%s\": the fullest component has %llu bytes",
                      settings, (unsigned long long)most);
    }
}

/* ---- PSNR ------------------------------------------------------------------------------------ */

static void check_psnr_targets(const picture *p, const char *settings, const double *targets, unsigned count)
{
    owned_outcome o = case_encode("psnr", p, settings, NULL);
    for (unsigned i = 0; i < count; i++) {
        quality q = case_measure(settings, &o, p, i + 1);
        ck_assert_msg(q.found >= targets[i] - 0.1 && q.found <= targets[i] + (is_drawn ? 0.35 : 0.3),
                      "\"%s\": %g dB were asked for, %.3f dB came (%.3f dB told)", settings, targets[i], q.found,
                      q.told);
        ck_assert_msg(fabs(q.found - q.told) < 0.2, "\"%s\": %.3f dB told, %.3f dB found", settings, q.told, q.found);
    }
}

TEST_EACH(psnr_targets, NAMES)
{
    /* the dark picture of 12 bits jumps from 28 to 35 dB with the first pass of one block */
    static const double common[] = {28.0, 32.0, 36.0, 40.0, 44.0}, dark[] = {45.0, 50.0, 55.0, 60.0, 65.0};
    const double *targets = _i == 5 ? dark : common;
    static const char *const more[] = {
        "", "mct=off", "tile=200,200", "style=BYPASS+TERMALL", "distortion-bits=2", "block=32,32 levels=7"};
    owned_picture p = fetch(_i);
    for (unsigned i = 0; i < 5; i++) {
        char settings[160];
        for (unsigned k = 0; k < (i == 2 ? 6 : 1); k++) {
            snprintf(settings, sizeof settings, "reversible=no psnr=%g %s", targets[i], more[k]);
            check_psnr_targets(&p, settings, &targets[i], 1);
        }
        snprintf(settings, sizeof settings, "reversible=yes psnr=%g", targets[i]);
        check_psnr_targets(&p, settings, &targets[i], 1);
    }
    const char *all =
        test_print("reversible=no psnr=%g,%g,%g,%g,%g", targets[0], targets[1], targets[2], targets[3], targets[4]);
    check_psnr_targets(&p, all, targets, 5);
}

/* What the result tells is what a decoder finds, down to the last bit of deep samples; only an exact picture has no
 * error. */
TEST_EACH(told_is_found, 2)
{
    static const char *const asked[] = {"reversible=no",
                                        "reversible=no slopes=39000",
                                        "reversible=no slopes=36500",
                                        "reversible=no slopes=34500",
                                        "reversible=no bpp=2,6",
                                        "reversible=yes bpp=1,4"};
    picture p;
    if (_i || !picture_load("M13_blue_0001.pgm", NULL, &p)) {
        p = picture_draw(PICTURE_NATURAL, 300, 260, 1, _i == 1 ? 20 : 16, 90);
    } else {
        picture_crop(&p, 300, 200, 400, 400);
    }
    for (unsigned i = 0; i < 6; i++) {
        owned_outcome o = case_encode("told", &p, asked[i], NULL);
        quality q = case_measure("told", &o, &p, 0);
        /* beyond 100 dB the judge's floats are part of the error */
        ck_assert_msg(fabs(q.told - q.found) < 0.5 || (q.found > 100.0 && q.told > q.found - 0.5 && q.told < 140.0),
                      "\"%s\": %.3f dB told, %.3f dB found", asked[i], q.told, q.found);
    }
    fuzz_picture_free(&p);
}

/* Noise smaller than the last fraction bit of the finest bands: no magnitude shows that it is gone. */
TEST(unseen_errors_are_counted)
{
    owned_picture p = picture_draw(PICTURE_NATURAL, 200, 160, 1, 8, 3);
    for (uint32_t i = 0; i < 200 * 160; i++) {
        p.planes[0].samples[i] = (int32_t)(64 + (i % 200 + i / 200) / 4 + picture_hash(i, 0, 0) % 4);
    }
    owned_outcome o = case_encode("unseen", &p, "reversible=no levels=28 quantization=derived distortion-bits=4", NULL);
    quality q = case_measure("unseen", &o, &p, 0);
    ck_assert_double_lt(q.told, q.found + 0.5);
}

/* Rows are alike, and so are their errors: where one lies at half a sample, a whole column does. */
static void repeat_first_row(picture *p)
{
    for (uint32_t c = 0; c < p->count; c++) {
        uint32_t width = p->planes[c].width;
        for (uint32_t y = 1; y < p->planes[c].height; y++) {
            memcpy(p->planes[c].samples + (size_t)y * width, p->planes[c].samples, width * sizeof(int32_t));
        }
    }
}

/* Errors of the last bit: a decoder rounds samples and clips them to their range, and so does the measurement. */
TEST_EACH(last_bits_are_measured, 5)
{
    static const struct {
        picture_kind kind;
        uint32_t components;
        unsigned depth;
        const char *settings;
        double less; /* dB, in the mean: what is told may be less than what is found */
    } rows[] = {
        {PICTURE_NATURAL, 1, 8, "reversible=no", 0.1},
        {PICTURE_NATURAL, 3, 8, "reversible=no mct=on", 0.1},
        {PICTURE_NATURAL, 1, 12, "reversible=no distortion-bits=5", 0.1},
        {PICTURE_NATURAL, 1, 8, "reversible=no levels=0", 3.5}, /* halves, which a decoder may round either way */
        {PICTURE_EXTREME, 3, 1, "reversible=no qfactor=46", 0.1},
    };
    const char *settings = test_print("%s measure-psnr=yes", rows[_i].settings);
    double less = 0.0, count = 0.0;
    for (uint32_t seed = 1; seed <= 40; seed++) {
        owned_picture p = picture_draw(rows[_i].kind, 64, 64, rows[_i].components, rows[_i].depth, seed);
        repeat_first_row(&p);
        owned_outcome o = case_encode("last bits", &p, settings, NULL);
        quality q = case_measure(settings, &o, &p, 0);
        ck_assert_msg(q.told < q.found + 0.02, "\"%s\", seed %u: %.3f dB told, %.3f dB found", settings, seed, q.told,
                      q.found);
        less += isfinite(q.found) ? q.found - q.told : 0.0;
        count += isfinite(q.found);
    }
    ck_assert_msg(less <= rows[_i].less * count, "\"%s\": %.3f dB less told than found, in the mean", settings,
                  less / count);
}

/* measure-psnr: what is told is what the decoder finds, of every layer and whatever the blocks were quantised for;
 * bytes are the same. Small pictures need no word. */
TEST_EACH(told_as_measured, 2)
{
    static const char *const asked[] = {"reversible=no bpp=0.3,1",
                                        "reversible=yes bpp=0.2,0.8",
                                        "reversible=no rdoq=yes bpp=0.4,1.5",
                                        "reversible=yes rdoq=yes bpp=1",
                                        "reversible=no slopes=38000 style=BYPASS+VSC",
                                        "reversible=no levels=0 bpp=2",
                                        "reversible=no visual=yes bpp=0.7",
                                        "reversible=no style=HT bpp=1",
                                        "rates=30,10,1",
                                        "reversible=no layers=5 max-bytes=9000 tile=130,111"};
    owned_picture p = picture_draw(PICTURE_NATURAL, 333, 217, 3, _i ? 12 : 8, 77),
                  small = picture_draw(PICTURE_NATURAL, 70, 60, 3, _i ? 12 : 8, 78);
    for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++) {
        const char *yes = test_print("%s measure-psnr=yes", asked[i]);
        const char *no = test_print("%s measure-psnr=no", asked[i]);
        owned_outcome o = case_encode("measured", &p, yes, NULL), other = case_encode("measured", &p, no, NULL),
                      automatic = case_encode("measured", &small, asked[i], NULL);
        ck_assert(o.bytes == other.bytes && !memcmp(o.data, other.data, o.bytes));
        for (uint32_t layer = 0; layer < wvl_result_layer_count(o.result); layer++) {
            quality q = case_measure(yes, &o, &p, layer + 1);
            ck_assert(wvl_result_layer_is_measured(o.result, layer));
            ck_assert(isinf(q.told) || !wvl_result_layer_is_measured(other.result, layer));
            ck_assert_msg((isinf(q.told) && isinf(q.found)) || fabs(q.told - q.found) < 0.05,
                          "\"%s\", layer %u: %.3f dB told, %.3f dB found", asked[i], layer, q.told, q.found);
        }
        quality q = case_measure(asked[i], &automatic, &small, 0);
        ck_assert((isinf(q.told) && isinf(q.found)) ||
                  (wvl_result_layer_is_measured(automatic.result, 0) && fabs(q.told - q.found) < 0.1));
        ck_assert(!wvl_result_layer_is_measured(automatic.result, UINT32_MAX));
    }
}

/* Components of different size and depth: the error is that of all samples, scaled to the deepest. */
TEST(psnr_of_unlike_components)
{
    static const wvl_component_format components[3] = {{8, 0, 1, 1}, {8, 0, 2, 2}, {8, 0, 2, 2}},
                                      mixed[2] = {{8, 0, 1, 1}, {12, 1, 1, 1}};
    wvl_image_format format = {sizeof format, 0, 0, 300, 280, 3, components};
    double target = 38.0;
    owned_picture p = picture_draw_format(PICTURE_NATURAL, &format, 71);
    check_psnr_targets(&p, "reversible=no psnr=38", &target, 1);
    fuzz_picture_free(&p);
    format.component_count = 2;
    format.components = mixed;
    p = picture_draw_format(PICTURE_NATURAL, &format, 72);
    check_psnr_targets(&p, "reversible=no psnr=38", &target, 1);
}

/* ---- Slopes, automatic layers, meanings ------------------------------------------------------ */

TEST_EACH(slopes, NAMES)
{
    unsigned given[5],
        up = _i == 4 ? 4096 : 0; /* 16 bits: 8 more are a factor of 2^16 in squared error, 4096 in slope */
    owned_picture p = fetch(_i);
    for (unsigned i = 0; i < 5; i++) {
        given[i] = i < 4 ? 36000 + up - 1000 * i : 0;
    }
    const char *settings = test_print("reversible=no slopes=%u,%u,%u,%u,0", given[0], given[1], given[2], given[3]);
    outcome o = case_encode("slopes", &p, settings, NULL), again;
    uint64_t before = 0;
    for (unsigned i = 0; i < 5; i++) {
        uint64_t bytes = wvl_result_layer_bytes(o.result, i);
        ck_assert_uint_eq(wvl_result_layer_slope(o.result, i), given[i]);
        ck_assert_uint_gt(bytes, before);
        before = bytes;
    }
    /* a slope is a property of the picture, not of the other layers: alone it takes the same passes */
    settings = test_print("reversible=no slopes=%u", given[2]);
    again = case_encode("slopes", &p, settings, NULL);
    ck_assert_msg(fabs(wvl_result_layer_psnr(again.result, 0) - wvl_result_layer_psnr(o.result, 2)) < 1e-6,
                  "%.4f dB, %.4f dB", wvl_result_layer_psnr(again.result, 0), wvl_result_layer_psnr(o.result, 2));
    case_free(&again);
    case_free(&o);
}

TEST_EACH(automatic_layers_halve, NAMES)
{
    owned_picture p = fetch(_i);
    owned_outcome o = case_encode("layers", &p, "layers=7", NULL);
    uint64_t fixed =
        wvl_result_codestream(o.result).bytes - wvl_result_packet_bytes(o.result, UINT32_MAX, UINT32_MAX, UINT32_MAX);
    for (unsigned i = 0; i < 6; i++) {
        double a = (double)(wvl_result_layer_bytes(o.result, i) - fixed),
               b = (double)(wvl_result_layer_bytes(o.result, i + 1) - fixed);
        ck_assert_msg(b / a > 1.85 && b / a < 2.15, "layer %u has %.0f bytes, the next %.0f", i, a, b);
    }
    case_free(&o);
    o = case_encode("layers", &p, "layers=4 reversible=no bpp=1.6", NULL);
    ck_assert_uint_eq(wvl_result_layer_count(o.result), 4);
    double ratio = (double)wvl_result_layer_bytes(o.result, 3) / (double)wvl_result_layer_bytes(o.result, 0);
    ck_assert_msg(ratio > 7.0 && ratio < 9.0, "the last of four layers has %.2f times the first", ratio);
}

TEST(meaning_of_units)
{
    static const wvl_component_format components[3] = {{10, 0, 1, 1}, {10, 0, 2, 2}, {10, 0, 2, 1}};
    wvl_image_format format = {sizeof format, 3, 1, 303, 281, 3, components};
    owned_picture p = picture_draw_format(PICTURE_NATURAL, &format, 5);
    double samples = picture_raw_bits(&p) / 10.0;
    static const struct {
        const char *settings;
        double per_pixel, per_raw;
    } units[] = {{"bpp=1", 0.125, 0}, {"bpp=0.75,2", 0.25, 0}, {"rates=10", 0, 0.1}, {"rates=40,17.5", 0, 1 / 17.5}};
    ck_assert(samples > 300 * 280 * 1.7);
    for (unsigned i = 0; i < 4; i++) {
        const char *settings = test_print("reversible=no %s", units[i].settings);
        double budget = floor(units[i].per_pixel * 300 * 280 + units[i].per_raw * picture_raw_bits(&p) / 8.0);
        owned_outcome o = case_encode("units", &p, settings, NULL);
        ck_assert_msg((double)o.bytes <= budget && (double)o.bytes >= 0.99 * budget, "\"%s\": %zu bytes, budget %.0f",
                      settings, o.bytes, budget);
    }
}

TEST_EACH(lossless_after_lossy, 7)
{
    static const char *const settings[] = {"rates=30,10,1",      "bpp=0.5,0", "psnr=35,0", "slopes=35000,0",
                                           "layer-bytes=9000,0", "layers=9",  "rates=8,0"};
    owned_picture p = fetch(_i % 6);
    picture_crop(&p, 0, 0, 300, 260);
    owned_outcome o = case_exact(&p, settings[_i]);
    ck_assert(isinf(wvl_result_layer_psnr(o.result, wvl_result_layer_count(o.result) - 1)));
}

/* More bits never make the picture worse. */
TEST_EACH(quality_rises_with_bytes, NAMES)
{
    owned_picture p = fetch(_i);
    double before = 0.0;
    for (unsigned kib = 4; kib <= 64; kib *= 2) {
        const char *settings = test_print("reversible=no layer-bytes=%u", kib * 1024);
        owned_outcome o = case_encode("quality", &p, settings, NULL);
        double psnr = case_measure("quality", &o, &p, 0).psnr;
        ck_assert_msg(psnr > before, "%u KiB: %.3f dB after %.3f dB", kib, psnr, before);
        before = psnr;
    }
}

int main(void)
{
    if (!picture_folder()) {
        printf("WVL_TEST_PICTURES is not set: drawn pictures stand in for the real ones\n");
    }
    return test_run_suite("rate");
}
