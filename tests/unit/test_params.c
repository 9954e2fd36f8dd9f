/* SPDX-License-Identifier: BSD-2-Clause */
/* Params: the option table, its parser and printer, presets, ownership. */
#include <fenv.h>
#include <locale.h>

#include "base/context.h"
#include "params/number.h"
#include "params/params.h"
#include "tests/support/api.h"

static wvl_context *context;
static wvl_params *params;

static void open_params(void)
{
    context = test_open_context(1);
    params = test_open_params(context, "");
}

static void close_params(void)
{
    wvl_params_release(params);
    wvl_context_release(context);
}

static void expect_set(const char *key, const char *value, const char *printed)
{
    ck_assert_msg(wvl_params_set(params, key, value) == WVL_OK, "%s=%s: %s", key, value, wvl_params_error(params));
    ck_assert_str_eq(wvl_params_error(params), "");
    ck_assert_str_eq(wvl_params_get(params, key), printed);
}

/* Refused with a text that holds `reason`, and the value stays. */
static void expect_refused(const char *key, const char *value, const char *reason)
{
    char before[512];
    snprintf(before, sizeof before, "%s", wvl_params_get(params, key));
    wvl_status status = wvl_params_set(params, key, value);
    ck_assert_msg(status < 0, "%s=%s was accepted", key, value);
    ck_assert_msg(strstr(wvl_params_error(params), reason) != NULL, "%s=%s: %s", key, value, wvl_params_error(params));
    ck_assert_msg(strstr(wvl_params_error(params), key) != NULL, "%s: the key is not named: %s", key,
                  wvl_params_error(params));
    ck_assert_str_eq(wvl_params_get(params, key), before);
}

/* ---- The table ------------------------------------------------------------------------------- */

TEST_FIXTURE(open_params, close_params);

TEST(largest_number)
{
    expect_set("max-bytes", "18446744073709551615", "18446744073709551615");
    ck_assert_uint_eq(params->settings.max_bytes, UINT64_MAX);
    expect_refused("max-bytes", "18446744073709551616", "whole number");
}

TEST(every_default_reads_back)
{
    size_t count;
    const wvl_option *options = wvl_options(&count);
    ck_assert_uint_gt(count, 20);
    for (size_t i = 0; i < count; i++) {
        const char *value = wvl_params_get(params, options[i].key);
        ck_assert_ptr_nonnull(value);
        ck_assert_str_eq(value, options[i].initial);
        ck_assert_ptr_nonnull(options[i].range);
        ck_assert_msg(strchr(options[i].doc, '.') != NULL, "%s has no sentence", options[i].key);
        for (size_t j = 0; j < i; j++) {
            ck_assert_str_ne(options[i].key, options[j].key);
        }
    }
}

/* The text of a range is what the parser enforces: "a..b" for integers, "a|b|c" for words. */
TEST(ranges_say_what_is_enforced)
{
    size_t count;
    const wvl_option *options = wvl_options(&count);
    for (size_t i = 0; i < count; i++) {
        const wvl_option *o = &options[i];
        if (o->type == WVL_OPTION_INTEGER) {
            char low[32], above[32];
            unsigned long long a, b;
            ck_assert_int_eq(sscanf(o->range, "%llu..%llu", &a, &b), 2);
            snprintf(low, sizeof low, "%llu", a);
            expect_set(o->key, low, low);
            snprintf(above, sizeof above, "%llu", b);
            expect_set(o->key, above, above);
            snprintf(above, sizeof above, "%llu0", b);
            expect_refused(o->key, above, "whole number");
            if (a) {
                expect_refused(o->key, "0", "whole number");
            }
            expect_refused(o->key, "-1", "whole number");
            expect_refused(o->key, "", "whole number");
            expect_refused(o->key, "1x", "unexpected");
            expect_refused(o->key, " 1", "whole number");
        } else if (o->type == WVL_OPTION_BOOL) {
            expect_set(o->key, "on", "yes");
            expect_set(o->key, "FALSE", "no");
            expect_set(o->key, "1", "yes");
            expect_refused(o->key, "2", "yes or no");
            expect_refused(o->key, "", "yes or no");
        } else if (o->type == WVL_OPTION_CHOICE) {
            for (const char *p = o->range; *p;) {
                char word[32];
                size_t n = strcspn(p, "|");
                snprintf(word, sizeof word, "%.*s", (int)n, p);
                expect_set(o->key, word, word);
                p += n + (p[n] == '|');
            }
            expect_refused(o->key, "nonsense", o->range);
            expect_refused(o->key, "", o->range);
            expect_refused(o->key, o->range, o->range);
        }
    }
}

TEST(pairs)
{
    expect_set("tile", "4294967295,1", "4294967295,1");
    ck_assert_uint_eq(params->settings.tile_width, UINT32_MAX);
    ck_assert_uint_eq(params->settings.tile_height, 1);
    expect_refused("tile", "4294967296,1", "whole number");
    expect_refused("tile", "512", "comma");
    expect_refused("tile", "512,", "whole number");
    expect_refused("tile", "512,512,1", "unexpected");
    expect_refused("tile", "512x512", "comma");
    expect_refused("tile-offset", "4294967295,0", "whole number");
    expect_set("block", "1024,4", "1024,4");
    expect_set("block", "4,1024", "4,1024");
    expect_refused("block", "128,64", "area is 8192");
    expect_refused("block", "48,64", "powers of two");
    expect_refused("block", "2,64", "from 4 to 1024");
    expect_refused("block", "2048,4", "from 4 to 1024");
}

TEST(precincts)
{
    char list[33 * 6 + 1 + 6] = "";
    expect_set("precincts", "[256,128],[1,32768]", "[256,128],[1,32768]");
    ck_assert_uint_eq(params->settings.precinct_count, 2);
    ck_assert_uint_eq(params->settings.precinct_width[1], 1);
    ck_assert_uint_eq(params->settings.precinct_height[0], 128);
    expect_refused("precincts", "[256,128],", "expected ,[");
    expect_refused("precincts", "[256,128", "expected ]");
    expect_refused("precincts", "256,128", "expected [width,height]");
    expect_refused("precincts", "[256,128][256,128]", "expected ,[");
    expect_refused("precincts", "[100,128]", "powers of two");
    expect_refused("precincts", "[0,128]", "from 1 to 32768");
    expect_refused("precincts", "[65536,128]", "from 1 to 32768");
    expect_set("precincts", "", "");
    for (int i = 0; i < 33; i++) {
        strcat(list, i ? ",[8,8]" : "[8,8]");
    }
    expect_set("precincts", list, list);
    strcat(list, ",[8,8]");
    expect_refused("precincts", list, "33 resolutions");
}

TEST(styles)
{
    expect_set("style", "63", "BYPASS+RESET+TERMALL+VSC+PTERM+SEGSYM");
    expect_set("style", "0", "0");
    expect_set("style", "SEGMARK+lazy", "BYPASS+SEGSYM");
    ck_assert_uint_eq(params->settings.style, WVL_STYLE_BYPASS | WVL_STYLE_SEGSYM);
    expect_set("style", "RESTART|CAUSAL|ERTERM", "TERMALL+VSC+PTERM");
    expect_set("style", "1+2", "BYPASS+RESET");
    expect_refused("style", "1+1", "twice");
    expect_refused("style", "", "Table A.19");
    expect_refused("style", "1+", "Table A.19");
    expect_set("style", "64", "HT");
    expect_set("style", "CAUSAL+HT", "VSC+HT");
    expect_set("style", "127", "BYPASS+RESET+TERMALL+VSC+PTERM+SEGSYM+HT");
    expect_refused("style", "128", "Table A.19");
    expect_refused("style", "BYPAS", "Table A.19");
    expect_set("tile-parts", "R", "R");
    expect_set("tile-parts", "clr", "RLC");
    ck_assert_uint_eq(params->settings.parts, WVL_PARTS_RESOLUTION | WVL_PARTS_LAYER | WVL_PARTS_COMPONENT);
    expect_set("tile-parts", "none", "none");
    expect_refused("tile-parts", "RR", "at most once");
    expect_refused("tile-parts", "P", "at most once");
    expect_refused("tile-parts", "", "expected none");
}

/* ---- Rates ----------------------------------------------------------------------------------- */

TEST(one_target_replaces_the_others)
{
    const wvl_settings *s = &params->settings;
    ck_assert_uint_eq(s->layer_count, 1);
    expect_set("rates", "20,10,1", "20,10,1");
    ck_assert_uint_eq(s->rate_unit, WVL_UNIT_RATIO);
    ck_assert_uint_eq(s->layer_count, 3);
    expect_set("psnr", "30.5,0", "30.5,0");
    ck_assert_uint_eq(s->rate_unit, WVL_UNIT_PSNR);
    ck_assert_uint_eq(s->layer_count, 2);
    ck_assert_str_eq(wvl_params_get(params, "rates"), "");
    expect_set("rates", "", ""); /* not in force: nothing happens */
    ck_assert_str_eq(wvl_params_get(params, "psnr"), "30.5,0");
    expect_set("psnr", "", "");
    ck_assert_uint_eq(s->rate_unit, WVL_UNIT_NONE);
    ck_assert_uint_eq(s->layer_count, 1);
    expect_set("layers", "7", "7");
    expect_set("bpp", "0.25,1", "0.25,1");
    ck_assert_uint_eq(s->layer_count, 7);
    ck_assert_uint_eq(s->layer_value_count, 2);
    expect_set("slopes", "40000,0", "40000,0");
    expect_set("layer-bytes", "1000,9007199254740992", "1000,9007199254740992");
    expect_set("rates", "1,5,0.5", "1,5,0.5"); /* the order is kept for the plan to judge */
}

TEST(targets_are_refused)
{
    expect_refused("rates", "20,,10", "expected a number");
    expect_refused("rates", "20,10,", "expected ,");
    expect_refused("rates", "20;10", "expected ,");
    expect_refused("rates", ",", "expected a number");
    expect_refused("rates", "-1", "negative");
    expect_refused("rates", "nan", "expected a number");
    expect_refused("rates", "inf", "expected a number");
    expect_refused("rates", "1e999", "expected a number");
    expect_refused("rates", "0x10", "expected ,");
    expect_refused("rates", "1,5 ", "expected ,");
    expect_refused("slopes", "65536", "exceeds 65535");
    expect_refused("layer-bytes", "10.5", "whole numbers");
    expect_refused("layer-bytes", "9007199254740994", "exceeds");
    expect_refused("layers", "65536", "1 to 65535");
    OWNED char *many = malloc(2 * 65536 + 1);
    ck_assert_ptr_nonnull(many);
    for (int i = 0; i < 65536; i++) {
        memcpy(many + 2 * i, "9,", 2);
    }
    many[2 * 65535 - 1] = '\0';
    ck_assert_int_eq(wvl_params_set(params, "rates", many), WVL_OK);
    ck_assert_uint_eq(params->settings.layer_count, 65535);
    many[2 * 65535 - 1] = ',';
    many[2 * 65536 - 1] = '\0';
    ck_assert_int_eq(wvl_params_set(params, "rates", many), WVL_ERROR_PARAMETER);
    ck_assert_uint_eq(params->settings.layer_count, 65535);
}

TEST(reals)
{
    expect_set("step", "0.00390625", "0.00390625");
    expect_set("step", "1e-3", "0.001");
    expect_set("step", ".5", "0.5");
    expect_set("step", "0.1234567890123456", "0.1234567890123456");
    expect_refused("step", "1", "less than 1");
    expect_refused("step", "-0.1", "less than 1");
    expect_refused("step", ".", "expected a number");
    expect_refused("step", "1e", "is unexpected");
    expect_refused("step", "0.5e", "is unexpected");
    expect_refused("step", "0,5", "is unexpected");
}

/* Locales with a decimal comma, of which a machine may have none. */
static int set_comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8",  "fr_FR.UTF-8",
                                        "pl_PL.UTF-8", "ru_RU.UTF-8", "de_DE"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (setlocale(LC_ALL, names[i])) {
            return 1;
        }
    }
    return 0;
}

TEST(numbers_do_not_depend_on_the_locale)
{
    if (!set_comma_locale()) {
        fprintf(stderr, "note: no locale with a decimal comma here, only the C locale was tried\n");
    }
    expect_set("step", "0.25", "0.25");
    expect_refused("step", "0,25", "is unexpected");
    (void)setlocale(LC_ALL, "C");
}

TEST(numbers_do_not_depend_on_the_rounding_mode)
{
    static const int modes[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < 4; i++) {
        const char *text = "0.1";
        double value = 0.0;
        ck_assert_int_eq(fesetround(modes[i]), 0);
        wvl_status status = wvl_number_scan_real(&text, &value);
        int mode = fegetround();
        (void)fesetround(FE_TONEAREST);
        ck_assert_int_eq(status, WVL_OK);
        ck_assert_int_eq(mode, modes[i]);
        ck_assert(value == 0x1.999999999999ap-4);
    }
}

/* ---- Keys, comments, presets, clones --------------------------------------------------------- */

TEST(unknown_keys_name_the_nearest)
{
    ck_assert_int_eq(wvl_params_set(params, "level", "3"), WVL_ERROR_PARAMETER);
    ck_assert_ptr_nonnull(strstr(wvl_params_error(params), "\"levels\""));
    ck_assert_int_eq(wvl_params_set(params, "progresion", "RPCL"), WVL_ERROR_PARAMETER);
    ck_assert_ptr_nonnull(strstr(wvl_params_error(params), "\"progression\""));
    ck_assert_int_eq(wvl_params_set(params, "a-very-long-key-that-nobody-would-ever-have-thought-of", "1"),
                     WVL_ERROR_PARAMETER);
    ck_assert_ptr_null(wvl_params_get(params, "level"));
}

TEST(comments_add_up)
{
    OWNED char *longest = malloc(65533);
    ck_assert_ptr_nonnull(longest);
    memset(longest, 'x', 65532);
    longest[65532] = '\0';
    expect_set("comment", "one", "one");
    expect_set("comment", "two", "one\ntwo");
    ck_assert_int_eq(wvl_params_set(params, "comment", longest), WVL_ERROR_PARAMETER);
    ck_assert_ptr_nonnull(strstr(wvl_params_error(params), "65531 are allowed"));
    ck_assert_int_eq(wvl_params_set(params, "comment", longest + 1), WVL_OK);
    ck_assert_uint_eq(params->settings.comment_count, 3);
    ck_assert_int_eq(wvl_params_set(params, "comment", NULL), WVL_OK);
    ck_assert_uint_eq(params->settings.comment_count, 0);
    expect_set("comment", "again", "again");
}

TEST(presets_apply)
{
    size_t count;
    const wvl_preset *presets = wvl_presets(&count);
    ck_assert_uint_gt(count, 20);
    for (size_t i = 0; i < count; i++) {
        ck_assert_int_eq(wvl_params_set(params, "comment", "kept"), WVL_OK);
        ck_assert_int_eq(wvl_params_set(params, "psnr", "30"), WVL_OK);
        ck_assert_msg(wvl_params_preset(params, presets[i].name) == WVL_OK, "%s: %s", presets[i].name,
                      wvl_params_error(params));
        ck_assert_ptr_nonnull(strstr(presets[i].settings, wvl_params_get(params, "progression")));
        ck_assert_str_eq(wvl_params_get(params, "psnr"), "");
        ck_assert_ptr_nonnull(strstr(wvl_params_get(params, "comment"), "kept"));
    }
    ck_assert_int_eq(wvl_params_preset(params, "iiif-lossy"), WVL_OK);
    ck_assert_str_eq(wvl_params_get(params, "reversible"), "no");
    ck_assert_str_eq(wvl_params_get(params, "rates"), "8");
    ck_assert_str_eq(wvl_params_get(params, "layers"), "6");
    ck_assert_str_eq(wvl_params_get(params, "precincts"), "[256,256],[256,256],[128,128]");
    ck_assert_int_eq(wvl_params_preset(params, "iiif"), WVL_ERROR_PARAMETER);
    ck_assert_ptr_nonnull(strstr(wvl_params_error(params), "archive-lossless, iiif-lossless, iiif-lossy"));
}

TEST(preset_names_carry_words)
{
    static const char *const bad[] = {"dci",           "dci-2k-",       "dci-2k-4d",    "dci-2k-24-", "dci-2k-0",
                                      "dci-2k-24-m12", "iiif-lossy-24", "kb-master-3d", "imf-2k-s10", "imf-2k-x"};
    ck_assert_int_eq(wvl_params_preset(params, "dci-4k-48-3d-hfr"), WVL_OK);
    ck_assert_str_eq(wvl_params_get(params, "profile"), "cinema4k");
    ck_assert_str_eq(wvl_params_get(params, "frame-rate"), "48");
    ck_assert_str_eq(wvl_params_get(params, "stereo"), "yes");
    ck_assert_str_eq(wvl_params_get(params, "hfr"), "yes");
    ck_assert_str_eq(wvl_params_get(params, "progression-changes"), "0,0,1,6,3,CPRL/6,0,1,7,3,CPRL");
    ck_assert_int_eq(wvl_params_preset(params, "imf-2k-r-23.976-m5-s3"), WVL_OK);
    ck_assert_str_eq(wvl_params_get(params, "profile"), "imf-2k-r");
    ck_assert_str_eq(wvl_params_get(params, "frame-rate"), "24000/1001");
    ck_assert_str_eq(wvl_params_get(params, "main-level"), "5");
    ck_assert_str_eq(wvl_params_get(params, "sub-level"), "3");
    ck_assert_str_eq(wvl_params_get(params, "stereo"), "no");
    ck_assert_str_eq(wvl_params_get(params, "progression-changes"), "");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_msg(wvl_params_preset(params, bad[i]) == WVL_ERROR_PARAMETER, "%s was taken", bad[i]);
        ck_assert_msg(strstr(wvl_params_error(params), "preset") != NULL, "%s: %s", bad[i], wvl_params_error(params));
    }
}

TEST(levels_may_be_left_open)
{
    expect_set("levels", "auto", "auto");
    expect_set("levels", "AUTO", "auto");
    expect_set("levels", "0", "0");
    expect_set("levels", "32", "32");
    expect_refused("levels", "33", "whole number");
    expect_refused("levels", "automatic", "whole number");
    expect_refused("levels", "", "whole number");
    ck_assert_int_eq(wvl_params_preset(params, "dicom-htj2k-rpcl"), WVL_OK);
    ck_assert_str_eq(wvl_params_get(params, "levels"), "auto");
}

TEST(frame_rates_are_fractions)
{
    expect_set("frame-rate", "24", "24");
    expect_set("frame-rate", "24.000", "24");
    expect_set("frame-rate", "30000/1001", "30000/1001");
    expect_set("frame-rate", "29.97", "30000/1001");
    expect_set("frame-rate", "23.98", "24000/1001");
    expect_set("frame-rate", "59.94", "60000/1001");
    expect_set("frame-rate", "119.88", "120000/1001");
    expect_set("frame-rate", "12.5", "125/10");
    expect_set("frame-rate", "1000000/1", "1000000");
    expect_refused("frame-rate", "0", "expected");
    expect_refused("frame-rate", "24/0", "expected");
    expect_refused("frame-rate", "1000001", "expected");
    expect_refused("frame-rate", "24.", "expected");
    expect_refused("frame-rate", "24.0001", "expected");
    expect_refused("frame-rate", "-24", "expected");
    expect_refused("frame-rate", "24 ", "expected");
    expect_refused("frame-rate", "", "expected");
}

TEST(regions_print_as_they_are_read)
{
    static const char all[] = "T2C1:U=9/T1-2C0-3:rect=1,2,3,4;U=12/rect=0,0,4294967295,4294967295/C0:U=25";
    wvl_params *copy;
    expect_set("roi", "c=0,U=25", "C0:U=25");
    expect_set("roi", "t2c1:u=9/T1-2C0-3:U=12,rect=1,2,3,4/rect=0,0,4294967295,4294967295/U=25;c=0", all);
    expect_set("roi", all, all);
    expect_refused("roi", "rect=0,0,4294967295,4294967296", "entry 1");
    expect_refused("roi", "c=0,U=1//", "entry 2");
    expect_refused("roi", "C2:c=0,U=1", "entry 1");
    ck_assert_int_eq(wvl_params_clone(params, &copy), WVL_OK);
    expect_set("roi", "", "");
    ck_assert_str_eq(wvl_params_get(copy, "roi"), all);
    wvl_params_release(copy);
}

TEST(clones_are_independent)
{
    wvl_params *copy;
    expect_set("rates", "20,10", "20,10");
    expect_set("comment", "first", "first");
    expect_set("step", "0.125", "0.125");
    ck_assert_int_eq(wvl_params_clone(params, &copy), WVL_OK);
    size_t count;
    const wvl_option *options = wvl_options(&count);
    for (size_t i = 0; i < count; i++) {
        ck_assert_str_eq(wvl_params_get(copy, options[i].key), wvl_params_get(params, options[i].key));
    }
    ck_assert_int_eq(wvl_params_set(copy, "rates", "5"), WVL_OK);
    ck_assert_int_eq(wvl_params_set(copy, "comment", "second"), WVL_OK);
    ck_assert_str_eq(wvl_params_get(params, "rates"), "20,10");
    ck_assert_str_eq(wvl_params_get(params, "comment"), "first");
    ck_assert_uint_eq(copy->settings.layer_count, 1);
    wvl_params_release(copy);
}

TEST_MAIN("params")
