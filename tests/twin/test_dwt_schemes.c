/* SPDX-License-Identifier: BSD-2-Clause */
/* Every scheme of the transform laboratory, as the generator writes it for devices, beside a textbook convolution. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/support.h"
#include "schemes_c.h"

enum { MOST = 200, RANGE = 255 };

/* Filters as ISO/IEC 15444-1 and the papers print them: low over x[2n+i], high over x[2n+1+i], i from -reach to reach.
 */
typedef struct textbook {
    const char *wavelet;
    int low_reach, high_reach;
    double low[13], high[7];
} textbook;

static const textbook books[] = {
    {"cdf53", 2, 1, {-0.125, 0.25, 0.75, 0.25, -0.125}, {-0.5, 1.0, -0.5}},
    {"cdf97",
     4,
     3,
     {0.02674875741081009, -0.016864118442874953, -0.07822326652899027, 0.26686411844287494, 0.6029490182363604,
      0.26686411844287494, -0.07822326652899027, -0.016864118442874953, 0.02674875741081009},
     {0.09127176311425009, -0.05754352622850018, -0.5912717631142501, 1.1150870524570005, -0.5912717631142501,
      -0.05754352622850018, 0.09127176311425009}},
    {"dd137",
     6,
     3,
     {-1 / 512.0, 0, 18 / 512.0, -16 / 512.0, -63 / 512.0, 144 / 512.0, 348 / 512.0, 144 / 512.0, -63 / 512.0,
      -16 / 512.0, 18 / 512.0, 0, -1 / 512.0},
     {1 / 16.0, 0, -9 / 16.0, 1, -9 / 16.0, 0, 1 / 16.0}},
};

static int mirror(int i, int length)
{
    while (length > 1 && (i < 0 || i >= length)) {
        i = i < 0 ? -i : 2 * (length - 1) - i;
    }
    return length > 1 ? i : 0;
}

static void convolve_line(const textbook *book, const double *from, double *to, int length)
{
    for (int i = 0; i < length; i++) {
        int reach = i % 2 ? book->high_reach : book->low_reach;
        const double *taps = i % 2 ? book->high : book->low;
        to[i] = 0.0;
        for (int k = -reach; k <= reach; k++) {
            to[i] += taps[k + reach] * from[mirror(i + k, length)];
        }
    }
}

/* One 1-D transform of a line with a step between its values, in place. */
typedef void line_function(const void *with, const double *from, double *to, int length);

static void transform_lines(line_function *f, const void *with, double *v, int lines, int line_step, int length,
                            int step)
{
    double from[MOST], to[MOST];
    for (int l = 0; l < lines; l++) {
        for (int i = 0; i < length; i++) {
            from[i] = v[l * line_step + i * step];
        }
        f(with, from, to, length);
        for (int i = 0; i < length; i++) {
            v[l * line_step + i * step] = to[i];
        }
    }
}

static void run_convolution(const void *book, const double *from, double *to, int length)
{
    convolve_line(book, from, to, length);
}

/* The reversible 5/3 by its two formulas (F.4.8.1). */
static void run_reversible(const void *unused, const double *from, double *to, int length)
{
    (void)unused;
    memcpy(to, from, (size_t)length * sizeof *to);
    for (int i = 1; i < length; i += 2) {
        to[i] -= floor((from[i - 1] + from[mirror(i + 1, length)]) / 2);
    }
    for (int i = 0; i < length; i += 2) {
        if (length > 1) {
            to[i] += floor((to[mirror(i - 1, length)] + to[mirror(i + 1, length)] + 2) / 4);
        }
    }
}

static const textbook *find_book(const char *wavelet)
{
    for (size_t i = 0; i < sizeof books / sizeof *books; i++) {
        if (strcmp(books[i].wavelet, wavelet) == 0) {
            return &books[i];
        }
    }
    ck_abort_msg("no filters of %s", wavelet);
    return NULL;
}

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

static void make_pictures(const wvl_lab_kernel *k, int width, int height)
{
    uint64_t state = (uint64_t)width * 1000 + (uint64_t)height;
    for (int i = 0; i < width * height; i++) {
        pixels[i] = bands[i] = (double)(test_draw(&state) % (RANGE + 1)) - (RANGE + 1) / 2;
    }
    line_function *f = k->type == WVL_LAB_I32 ? run_reversible : run_convolution;
    const void *with = k->type == WVL_LAB_I32 ? NULL : find_book(k->wavelet);
    transform_lines(f, with, bands, width, 1, height, width);
    transform_lines(f, with, bands, height, width, width, 1);
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

/* Values that are not finite change what depends on them and nothing else. */
static void check_reach(uint32_t index, float poison)
{
    enum { SIDE = 67, AT = 34 };
    const wvl_lab_kernel k = find(index);
    const textbook *book = find_book(k.wavelet);
    const int reach = book->low_reach + 2; /* of the inverse: filters with swapped lengths */
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
    const char *words[] = {"_shared_", "_warp_", "_shuffle_", "_b1_",   "_b2_",   "_tile_",
                           "_region_", "_f16x2", "_i32",      "_q2x2_", "_g32x1_"};
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
    tcase_add_test(tests, values_that_are_not_finite_stay_near);
    tcase_add_test(tests, memoryless_kernels_write_nothing);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
