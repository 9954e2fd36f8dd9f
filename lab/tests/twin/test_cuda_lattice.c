/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels of the 1-D transform on emulated threads: the same bits as the CPU, and close to sums in double precision. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lattice_emulated.h"
#include "tests/support/support.h"

enum { MOST = 6000 };

typedef struct bench {
    wvl_lattice_args args;
    wvl_lattice_filter filter;
    wvl_dwt1 *dwt;
    const char *name;
    uint32_t length, levels;
    float signal[MOST], coefs[MOST], back[MOST]; /* by the CPU */
    float device_coefs[MOST], device_signal[MOST];
} bench;

static bench b;

static void fill_signal(void)
{
    uint64_t state = b.length;
    for (uint32_t i = 0; i < b.length; i++) {
        b.signal[i] = (float)(int32_t)test_draw32(&state) * 0x1p-31f;
    }
}

/* The CPU's results for a signal by chance. */
static void open_case(const char *name, uint32_t form, uint32_t length, uint32_t levels)
{
    wvl_dwt1_options o = {.struct_size = sizeof o, .wavelet = name, .type = WVL_DWT_F32, .form = form};
    static wvl_lattice_plan plan;
    memset(&plan, 0, sizeof plan);
    memset(&b, 0, sizeof b);
    b.name = name;
    b.length = length;
    b.levels = levels;
    REQUIRE(wvl_dwt1_create(&o, &b.dwt, NULL, 0) == WVL_OK);
    REQUIRE(wvl_lattice_find_filter(name, &plan.filter) && wvl_lattice_fill_inverse(&plan.filter));
    wvl_lattice_factorise(&plan.filter);
    wvl_lattice_prepare(&plan);
    b.filter = plan.filter;
    b.args = (wvl_lattice_args){.length = length,
                                .levels = (int)levels,
                                .first = plan.filter.first,
                                .delay = (int)plan.filter.delay,
                                .steps = plan.f32};
    fill_signal();
    REQUIRE(!wvl_dwt1_forward(b.dwt, b.signal, 1, length, levels, b.coefs, NULL, 0));
    REQUIRE(!wvl_dwt1_inverse(b.dwt, b.coefs, length, levels, b.back, 1, NULL, 0));
}

static void close_case(void) { wvl_dwt1_release(b.dwt); }

/* Forward and inverse on emulated threads, in both orders of threads. What is not written stays 99. */
static void run_kernel(lattice_kernel kernel, uint32_t threads)
{
    const uint64_t count = wvl_dwt1_count(b.length, b.levels);
    for (int reversed = 0; reversed < 2; reversed++) {
        for (uint32_t i = 0; i < MOST; i++) {
            b.device_coefs[i] = b.device_signal[i] = 99;
        }
        b.args.signal = b.signal;
        b.args.low = b.args.coefs = b.device_coefs;
        lattice_emulate(kernel, 0, &b.args, threads, reversed);
        REQUIRE_THAT(memcmp(b.coefs, b.device_coefs, count * sizeof *b.coefs) == 0,
                     "%s, kernel %d, %u samples, %u threads: coefficients differ", b.name, kernel, b.length, threads);
        b.args.signal = b.device_signal;
        lattice_emulate(kernel, 1, &b.args, threads, reversed);
        REQUIRE_THAT(memcmp(b.back, b.device_signal, b.length * sizeof *b.back) == 0,
                     "%s, kernel %d, %u samples, %u threads: samples differ", b.name, kernel, b.length, threads);
        REQUIRE(b.device_coefs[count] == 99 && b.device_signal[b.length] == 99);
    }
}

/* One level of the device's coefficients beside sums in double precision. */
static void check_textbook(void)
{
    const int64_t half = (b.length + 1) / 2, period = 2 * half;
    for (int64_t i = 0; i < half; i++) {
        double low = 0, high = 0;
        for (uint32_t k = 0; k < b.filter.tap_count; k++) {
            const int64_t at = ((2 * i + b.filter.first + (int64_t)k) % period + period) % period;
            const double x = b.signal[at == b.length ? at - 1 : at];
            low += b.filter.low[k] * x;
            high += b.filter.high[k] * x;
        }
        REQUIRE(fabs(b.device_coefs[i] - low) < 1e-5 && fabs(b.device_coefs[half + i] - high) < 1e-5);
    }
}

/* Warps that keep what runs leave for each other. */
static void run_carriers(void)
{
    static const int tiles[] = {1, 7, 96, 400};
    for (uint32_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        b.args.tile = tiles[i];
        if (tiles[i] == 1 && b.length >> b.levels > 10) {
            continue; /* long */
        }
        run_kernel(LATTICE_CARRY_8_8, 64);
        run_kernel(LATTICE_CARRY_8_4, 32);
        run_kernel(LATTICE_CARRY_4_4, 96);
        run_kernel(LATTICE_CARRY_16_8, 64);
        run_kernel(LATTICE_CARRY_16_4, 64);
        run_kernel(LATTICE_CARRY_STAGES, 64);
        run_kernel(LATTICE_CARRY_STAGES_16_8, 32);
        run_kernel(LATTICE_CARRY_STAGES_16_4, 64);
    }
}

/* Marching warps, with short and long stretches. */
static void run_marches(void)
{
    static const int tiles[] = {1, 7, 64, 400};
    for (uint32_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        b.args.tile = tiles[i];
        if (tiles[i] == 1 && b.length >> b.levels > 40) {
            continue; /* long */
        }
        run_kernel(LATTICE_MARCH_8_8, 64);
        run_kernel(LATTICE_MARCH_8_4, 32);
        run_kernel(LATTICE_MARCH_4_4, 96);
    }
}

static const char *const some[] = {"haar", "db2",  "db3",   "db4",   "db8",  "db9",
                                   "db16", "sym5", "coif5", "cdf53", "cdf97"};
enum { SOME = sizeof some / sizeof *some };

START_TEST(test_one_level)
{
    static const uint32_t lengths[] = {1, 2, 5, 34, 63, 64, 482, 483, 962, 1025};
    for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        open_case(some[_i], WVL_DWT1_LATTICE, lengths[i], 1);
        run_kernel(LATTICE_BUTTERFLY, 64);
        run_kernel(LATTICE_REGISTERS, 64);
        run_kernel(LATTICE_LANES, 64);
        check_textbook();
        b.args.tile = wvl_lattice_choose_tile(&b.args, 32);
        run_kernel(LATTICE_LEVELS, 32);
        b.args.tile = 90;
        run_kernel(LATTICE_WINDOWS, 64);
        b.args.tile = 17;
        run_kernel(LATTICE_LEVELS, 32);
        run_marches();
        run_carriers();
        close_case();
        open_case(some[_i], WVL_DWT1_CONVOLUTION, lengths[i], 1);
        run_kernel(LATTICE_CONVOLUTION, 64);
        run_kernel(LATTICE_CONVOLVE, 32);
        check_textbook();
        close_case();
    }
}
END_TEST

START_TEST(test_convolution_without_a_lattice)
{
    open_case("dd137", WVL_DWT1_CONVOLUTION, 301, 1);
    run_kernel(LATTICE_CONVOLUTION, 32);
    run_kernel(LATTICE_CONVOLVE, 32);
    check_textbook();
    close_case();
}
END_TEST

START_TEST(test_levels)
{
    static const uint32_t parts[] = {1, 3, 19};
    for (uint32_t levels = 2; levels <= 5; levels++) {
        for (uint32_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            open_case(some[_i], WVL_DWT1_LATTICE, parts[i] * 5 << levels, levels);
            REQUIRE(wvl_lattice_fits_one_launch(&b.args));
            b.args.tile = wvl_lattice_choose_tile(&b.args, 128);
            REQUIRE(b.args.tile > 0);
            run_kernel(LATTICE_LEVELS, 128);
            b.args.tile = 3;
            run_kernel(LATTICE_LEVELS, 128);
            run_kernel(LATTICE_WINDOWS, 64);
            b.args.tile = wvl_lattice_choose_window(b.args, 1500);
            REQUIRE(b.args.tile > 0 && wvl_lattice_window_floats(&b.args) <= 1500);
            run_kernel(LATTICE_WINDOWS, 96);
            run_marches();
            run_carriers();
            close_case();
        }
    }
}
END_TEST

START_TEST(test_what_fits_one_launch)
{
    wvl_lattice_args a = {.length = 48, .levels = 4, .first = -2, .steps = {.stage_count = 2, .tap_count = 6}};
    ck_assert(wvl_lattice_fits_one_launch(&a));
    a.levels = 5;
    ck_assert(!wvl_lattice_fits_one_launch(&a));
    a.levels = 2;
    a.first = -5;
    ck_assert(!wvl_lattice_fits_one_launch(&a));
    a.first = 1;
    ck_assert(!wvl_lattice_fits_one_launch(&a));
    a.length = 47;
    a.levels = 1;
    ck_assert(wvl_lattice_fits_one_launch(&a));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda_lattice");
    TCase *tests = tcase_create("cuda_lattice");
    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, test_one_level, 0, SOME);
    tcase_add_loop_test(tests, test_levels, 0, SOME);
    tcase_add_test(tests, test_convolution_without_a_lattice);
    tcase_add_test(tests, test_what_fits_one_launch);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
