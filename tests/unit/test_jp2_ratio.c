/* SPDX-License-Identifier: BSD-2-Clause */
/* Resolutions as 16-bit fractions with an exponent. */
#include <math.h>

#include "codec/jp2/resolve.h"
#include "tests/support/support.h"

static uint64_t rng_state;

static uint32_t rnd(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (uint32_t)(rng_state >> 32);
}

static double value_of(const wvl_jp2_ratio *r) { return r->numerator / (double)r->denominator * pow(10, r->exponent); }

TEST(ratios_of_known_values)
{
    static const struct {
        double value;
        unsigned n, d;
        int e;
    } cases[] = {{1, 1, 1, 0},
                 {300, 300, 1, 0},
                 {0.5, 1, 2, 0},
                 {65535, 65535, 1, 0},
                 {65536, 32768, 5, 1},
                 {1e6, 10000, 1, 2},
                 {72 / 0.0254, 36000, 127, 1},
                 {96 / 0.0254, 48000, 127, 1},
                 {600 / 0.0254, 30000, 127, 2},
                 {1.0 / 3, 1, 3, 0},
                 {1e-6, 1, 10000, -2},
                 {1.0 / 65535, 2, 13107, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wvl_jp2_ratio r;
        ck_assert_int_eq(wvl_jp2_find_ratio(cases[i].value, &r), 1);
        ck_assert_msg(r.numerator == cases[i].n && r.denominator == cases[i].d && r.exponent == cases[i].e,
                      "%g: %u/%u e%d", cases[i].value, r.numerator, r.denominator, r.exponent);
    }
}

/* No denominator at any exponent comes closer. */
TEST(ratios_are_the_best)
{
    for (int i = 0; i < 12; i++) {
        wvl_jp2_ratio r;
        double value = ldexp(1 + rnd() / 4294967296.0, (int)(rnd() % 40) - 20), least = 1;
        ck_assert_int_eq(wvl_jp2_find_ratio(value, &r), 1);
        double error = fabs(value_of(&r) / value - 1);
        for (int e = -12; e <= 12; e++) {
            double x = value / pow(10, e);
            for (unsigned d = 1; d <= 65535 && x >= 1e-4 && x <= 65535; d++) {
                double n = floor(x * d + 0.5);
                least = n >= 1 && n <= 65535 ? fmin(least, fabs(n / d / x - 1)) : least;
            }
        }
        ck_assert_msg(error <= least + 2e-12, "%.17g: error %g, %g is possible", value, error, least);
    }
}

/* The widest gap of 16-bit fractions lies beside 1: 65535 / 65534. */
TEST(ratios_of_any_size)
{
    static const double refused[] = {0, -1, NAN, INFINITY, -INFINITY, 1e133, 1e-133, 1e308, 5e-324};
    for (int e = -125; e <= 125; e++) {
        for (int i = 0; i < 20; i++) {
            wvl_jp2_ratio r;
            double value = (1 + rnd() / 4294967296.0 * 9) * pow(10, e);
            ck_assert_msg(wvl_jp2_find_ratio(value, &r), "%g", value);
            ck_assert_msg(fabs(value_of(&r) / value - 1) < 0.8e-5, "%.17g: %u/%u e%d", value, r.numerator,
                          r.denominator, r.exponent);
        }
    }
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        wvl_jp2_ratio r;
        ck_assert_msg(!wvl_jp2_find_ratio(refused[i], &r), "%g", refused[i]);
    }
}

int main(void)
{
    rng_state = test_read_seed(0x9E3779B97F4A7C15u);
    return test_run_suite("jp2_ratio");
}
