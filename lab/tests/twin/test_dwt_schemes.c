/* SPDX-License-Identifier: BSD-2-Clause */
/* Every scheme of the transform laboratory, as the generator writes it for devices, beside a textbook convolution. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/bench/textbook.h"
#include "schemes_c.h"
#include "tests/support/support.h"

enum { MOST = 200, RANGE = 255 };

/* ---- Running one kernel, or one C function ---- */

static uint32_t count_all(void) { return wvl_lab_count() + wvl_lab_c_count(); }

static wvl_lab_kernel find(uint32_t index)
{
    const uint32_t count = wvl_lab_count();
    return index < count ? *wvl_lab_find(index) : wvl_lab_c_find(index - count);
}

static void run(uint32_t index, const void *from, void *to, int width, int height, int reversed)
{
    const uint32_t count = wvl_lab_count();
    if (index < count) {
        wvl_lab_run(index, from, to, width, height, reversed);
    } else {
        wvl_lab_c_run(index - count, from, to, width, height);
    }
}

static double pixels[MOST * MOST], bands[MOST * MOST];
static float floats_in[MOST * MOST], floats_out[MOST * MOST];
static int32_t integers_in[MOST * MOST], integers_out[MOST * MOST];

/* The textbook on every `step`-th value of `bands` in both directions: the low-low values of the level before. */
static void run_textbook(const wvl_textbook *book, int width, int height, int step)
{
    static double low[MOST * MOST];
    const int wide = (width + step - 1) / step, high = (height + step - 1) / step;
    for (int i = 0; i < wide * high; i++) {
        low[i] = bands[i / wide * step * width + i % wide * step];
    }
    ck_assert_int_eq(wvl_textbook_run(book, low, (size_t)wide, (size_t)high), 0);
    for (int i = 0; i < wide * high; i++) {
        bands[i / wide * step * width + i % wide * step] = low[i];
    }
}

static void make_pictures(const wvl_lab_kernel *k, int width, int height)
{
    uint64_t state = (uint64_t)width * 1000 + (uint64_t)height;
    for (int i = 0; i < width * height; i++) {
        pixels[i] = bands[i] = (double)(test_draw(&state) % (RANGE + 1)) - (RANGE + 1) / 2;
    }
    const wvl_textbook *book = wvl_textbook_find(k->type == WVL_LAB_I32 ? "reversible" : k->wavelet);
    ck_assert_ptr_nonnull(book);
    for (int level = 0; level < k->levels; level++) {
        run_textbook(book, width, height, 1 << level);
    }
}

/* The largest difference. What the kernel does not write stays far from everything. */
static double run_floats(uint32_t index, const double *from, const double *expected, int width, int height,
                         int reversed)
{
    double most = 0.0;
    for (int i = 0; i < width * height; i++) {
        floats_in[i] = (float)from[i];
        floats_out[i] = 1e4f;
    }
    run(index, floats_in, floats_out, width, height, reversed);
    for (int i = 0; i < width * height; i++) {
        most = fmax(most, isnan(floats_out[i]) ? INFINITY : fabs((double)floats_out[i] - expected[i]));
    }
    return most;
}

static double run_integers(uint32_t index, const double *from, const double *expected, int width, int height,
                           int reversed)
{
    double most = 0.0;
    for (int i = 0; i < width * height; i++) {
        integers_in[i] = (int32_t)from[i];
        integers_out[i] = INT32_MAX;
    }
    run(index, integers_in, integers_out, width, height, reversed);
    for (int i = 0; i < width * height; i++) {
        most = fmax(most, fabs((double)integers_out[i] - expected[i]));
    }
    return most;
}

/* Parts of the range that the result has: 1e-5 in float, 4e-3 in half floats; integers are exact. */
static double tolerance(wvl_lab_type type, const double *expected, int count)
{
    static const double parts[] = {[WVL_LAB_F32] = 1e-5, [WVL_LAB_F16X2] = 4e-3, [WVL_LAB_I32] = 0.0};
    double least = -RANGE / 2.0, most = RANGE / 2.0;
    for (int i = 0; i < count; i++) {
        least = fmin(least, expected[i]);
        most = fmax(most, expected[i]);
    }
    return parts[type] * (most - least);
}

static void check_size(uint32_t index, int width, int height, int reversed)
{
    const wvl_lab_kernel k = find(index);
    make_pictures(&k, width, height);
    const double *from = k.is_inverse ? bands : pixels, *expected = k.is_inverse ? pixels : bands;
    double most = (k.type == WVL_LAB_I32 ? run_integers : run_floats)(index, from, expected, width, height, reversed);
    double allowed = tolerance(k.type, expected, width * height);
    REQUIRE_THAT(most <= allowed, "%s, %d x %d: differs by %g, %g are allowed", k.name, width, height, most, allowed);
}

/* Around the border between tiles: the picture ends one pixel before, at, and behind it. */
static void check_borders(uint32_t index)
{
    const wvl_lab_kernel k = find(index);
    int width = 2 * k.tile_width * k.tiles, height = 2 * k.tile_height;
    for (int d = -1; d <= 1; d++) {
        if (width + d <= MOST && height - d <= MOST && height - d > 0) {
            check_size(index, width + d, height - d, d == 0);
        }
    }
    if (strstr(k.name, "_pairs")) {
        check_size(index, MOST, MOST, 0); /* some tiles and their halo have no border near */
        check_size(index, MOST - 1, MOST - 1, 1);
    }
}

START_TEST(every_kernel_gives_the_textbook_transform)
{
    /* By itself each kernel gets an eighth of the sizes; .ci/schemes gives all to all. */
    const int turns = getenv("WVL_TEST_SIZES") ? 1 : 8;
    for (uint32_t index = 0; index < count_all(); index++) {
        if (find(index).is_memoryless) {
            continue;
        }
        for (int n = 1 + (int)index % turns; n <= 67; n += turns) {
            check_size(index, n, n * 29 % 67 + 1, n % 2);
        }
        check_size(index, 1, 1, 0);
        check_borders(index);
    }
}
END_TEST

/* ---- Several levels ---- */

/* The kernel of one level with the same choices; `count` of all if there is none. */
static uint32_t find_one_level(uint32_t index)
{
    const wvl_lab_kernel k = find(index);
    char name[256], word[8];
    snprintf(word, sizeof word, "_l%d", k.levels);
    snprintf(name, sizeof name, "%s", k.name);
    char *at = strstr(name, word);
    ck_assert_ptr_nonnull(at);
    memmove(at, at + strlen(word), strlen(at + strlen(word)) + 1);
    for (uint32_t i = 0; i < wvl_lab_count(); i++) {
        if (strcmp(find(i).name, name) == 0) {
            return i;
        }
    }
    return wvl_lab_count();
}

/* One level of the values that are `step` apart, in place. */
static void run_one_level(uint32_t index, uint32_t *values, int width, int height, int step)
{
    static uint32_t from[MOST * MOST], to[MOST * MOST];
    const int wide = (width + step - 1) / step, high = (height + step - 1) / step;
    for (int i = 0; i < wide * high; i++) {
        from[i] = values[i / wide * step * width + i % wide * step];
    }
    run(index, from, to, wide, high, 0);
    for (int i = 0; i < wide * high; i++) {
        values[i / wide * step * width + i % wide * step] = to[i];
    }
}

/* The same bits as level after level. */
static void check_levels(uint32_t index, int width, int height)
{
    static uint32_t values[MOST * MOST], found[MOST * MOST];
    const wvl_lab_kernel k = find(index);
    const uint32_t one = find_one_level(index);
    REQUIRE_THAT(one < wvl_lab_count(), "%s: no kernel of one level", k.name);
    make_pictures(&k, width, height);
    for (int i = 0; i < width * height; i++) {
        const float value = (float)(k.is_inverse ? bands : pixels)[i];
        const int32_t integer = (int32_t)value;
        memcpy(&values[i], k.type == WVL_LAB_I32 ? (const void *)&integer : (const void *)&value, sizeof *values);
    }
    run(index, values, found, width, height, height % 2);
    for (int level = 0; level < k.levels; level++) {
        run_one_level(one, values, width, height, 1 << (k.is_inverse ? k.levels - 1 - level : level));
    }
    REQUIRE_THAT(memcmp(values, found, (size_t)(width * height) * sizeof *values) == 0,
                 "%s, %d x %d: other bits than level after level", k.name, width, height);
}

START_TEST(several_levels_give_the_bits_of_one_after_the_other)
{
    uint32_t seen = 0;
    for (uint32_t index = 0; index < wvl_lab_count(); index++) {
        if (find(index).levels > 1) {
            for (int n = 1 + (int)index % 5; n <= 80; n += 7) {
                check_levels(index, n, n * 29 % 83 + 1);
            }
            check_levels(index, MOST, MOST - 3); /* several thread blocks, some without a border near */
            seen |= 1u << find(index).levels;
        }
    }
    REQUIRE(getenv("WVL_TEST_SIZES") || seen == 0x1C); /* 2, 3 and 4 levels; else one choice at a time */
}
END_TEST

/* Values that are not finite change what depends on them and nothing else. */
static void check_reach(uint32_t index, float poison)
{
    enum { SIDE = 67, AT = 34 };
    const wvl_lab_kernel k = find(index);
    const wvl_textbook *book = wvl_textbook_find(k.wavelet);
    const int reach = (book->low_reach + 2) << (2 * (k.levels - 1)); /* of the inverse: filters with swapped lengths */
    make_pictures(&k, SIDE, SIDE);
    const double *expected = k.is_inverse ? pixels : bands;
    for (int i = 0; i < SIDE * SIDE; i++) {
        floats_in[i] = (float)(k.is_inverse ? bands : pixels)[i];
        floats_out[i] = 1e4f;
    }
    floats_in[AT * SIDE + AT] = poison;
    run(index, floats_in, floats_out, SIDE, SIDE, 0);
    ck_assert_msg(!isfinite(floats_out[AT * SIDE + AT]), "%s loses a value", k.name);
    const double allowed = tolerance(k.type, expected, SIDE * SIDE);
    for (int i = 0; i < SIDE * SIDE; i++) {
        int near = abs(i / SIDE - AT) <= reach && abs(i % SIDE - AT) <= reach;
        REQUIRE_THAT(near || fabs((double)floats_out[i] - expected[i]) <= allowed, "%s: (%d, %d) changes", k.name,
                     i % SIDE, i / SIDE);
    }
}

START_TEST(values_that_are_not_finite_stay_near)
{
    for (uint32_t index = 0; index < count_all(); index++) {
        if (find(index).type == WVL_LAB_F32 && !find(index).is_memoryless) {
            check_reach(index, index % 2 ? NAN : INFINITY);
        }
    }
}
END_TEST

START_TEST(memoryless_kernels_write_nothing)
{
    uint32_t found = 0;
    for (uint32_t index = 0; index < count_all(); index++) {
        if (find(index).is_memoryless) {
            floats_out[0] = 1e4f;
            run(index, floats_in, floats_out, 1, 1, 0);
            ck_assert(floats_out[0] == 1e4f);
            found++;
        }
    }
    ck_assert_uint_ge(found, 2);
}
END_TEST

START_TEST(all_choices_occur)
{
    if (getenv("WVL_TEST_SIZES")) {
        return; /* one choice at a time */
    }
    const char *words[] = {"_shared_", "_warp_",   "_shuffle_", "_b1_",   "_b2_",    "_tile_",
                           "_region_", "_f16x2",   "_i32",      "_q2x2_", "_g32x1_", "_pairs",
                           "_vectors", "_streams", "_a8_",      "_l2",    "_l3",     "_l4"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        uint32_t found = 0;
        for (uint32_t index = 0; index < count_all(); index++) {
            found += strstr(find(index).name, words[w]) != NULL;
        }
        ck_assert_msg(found >= 2, "no kernel with %s", words[w]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("twin_dwt_schemes");
    TCase *tests = tcase_create("schemes");
    tcase_set_timeout(tests, 900);
    tcase_add_test(tests, all_choices_occur);
    tcase_add_test(tests, every_kernel_gives_the_textbook_transform);
    tcase_add_test(tests, several_levels_give_the_bits_of_one_after_the_other);
    tcase_add_test(tests, values_that_are_not_finite_stay_near);
    tcase_add_test(tests, memoryless_kernels_write_nothing);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
