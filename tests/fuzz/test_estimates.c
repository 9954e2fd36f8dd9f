/* SPDX-License-Identifier: BSD-2-Clause */
/* How far what a decoder finds may lie from what the encoder reports, and on what facts that depends. */
#include <math.h>

#include "conformance/fuzz/estimate.h"
#include "tests/support/support.h"

static fuzz_case drawn;

/* Few coefficients stay below 34 dB, and what goes is no noise: seed 880009029 needed 1.24 dB. */
TEST(sparse_estimates_have_an_allowance)
{
    static int32_t samples[60000];
    fuzz_plane plane = {300, 200, 8, 0, 1, 1, samples};
    fuzz_picture p = {.x1 = 300, .y1 = 200, .count = 1, .planes = &plane};
    uint32_t used;
    for (unsigned i = 0; i < 60000; i++) {
        samples[i] = (int32_t)(i * 37 % 256);
    }
    ck_assert(fuzz_case_parse(&drawn, "reversible=no bpp=0.1"));
    ck_assert_double_eq_tol(fuzz_estimate_slack(&drawn, &p, 0, 30.6, 30.6, &used), FUZZ_PSNR_SLACK + 1.4, 1e-9);
    ck_assert_uint_eq(used, 1u << FUZZ_ALLOW_COARSE);
    ck_assert_double_eq_tol(fuzz_estimate_slack(&drawn, &p, 0, 33.5, 32.4, &used), FUZZ_PSNR_SLACK + 1.4, 1e-9);
    ck_assert_double_eq_tol(fuzz_estimate_slack(&drawn, &p, 0, 34.5, 34.5, &used), FUZZ_PSNR_SLACK + 0.8, 1e-9);
    ck_assert_uint_eq(used, 1u << FUZZ_ALLOW_SUM);
}

/* Which allowance an estimate has, on three planes of 100 x 90 samples. found: dB, and told. */
static unsigned allowance_of(const char *options, const int32_t *samples, int is_reversible, double found)
{
    fuzz_plane plane = {100, 90, 8, 0, 1, 1, (int32_t *)(uintptr_t)samples};
    fuzz_plane planes[3] = {plane, plane, plane};
    fuzz_picture p = {.x1 = 100, .y1 = 90, .count = 3, .planes = planes};
    uint32_t used;
    unsigned bit = 0;
    ck_assert(fuzz_case_parse(&drawn, options));
    (void)fuzz_estimate_slack(&drawn, &p, is_reversible, found, found, &used);
    while (used >> (bit + 1)) {
        bit++;
    }
    return bit;
}

TEST(allowances_have_conditions)
{
    static int32_t step[9000], flat[9000]; /* two halves, 40 apart: 22.1 dB from their mean */
    for (unsigned i = 0; i < 9000; i++) {
        step[i] = i < 4500 ? 100 : 140;
        flat[i] = 77;
    }
    /* as much is lost as varies */
    ck_assert_uint_eq(allowance_of("reversible=yes bpp=0.1 levels=4", step, 1, 21.0), FUZZ_ALLOW_FLAT);
    ck_assert_uint_eq(allowance_of("reversible=yes bpp=0.1", step, 1, 23.0), FUZZ_ALLOW_REVERSIBLE);
    ck_assert_uint_eq(allowance_of("reversible=yes bpp=0.1 levels=4", flat, 1, 60.0), FUZZ_ALLOW_FLAT);
    /* of 9/7 a fifth of what varies: up to 29.1 dB */
    ck_assert_uint_eq(allowance_of("reversible=no bpp=0.1", step, 0, 23.0), FUZZ_ALLOW_BANDS);
    ck_assert_uint_eq(allowance_of("reversible=no bpp=0.1", step, 0, 29.0), FUZZ_ALLOW_BANDS);
    ck_assert_uint_eq(allowance_of("reversible=no bpp=0.1", step, 0, 29.2), FUZZ_ALLOW_COARSE);
    ck_assert_uint_eq(allowance_of("reversible=no bpp=0.1 levels=0", step, 0, 29.0), FUZZ_ALLOW_HALVES);
    ck_assert_uint_eq(allowance_of("reversible=no step=0.011 levels=0", step, 0, 29.0), FUZZ_ALLOW_COARSE);
    /* one lowest coefficient along a side: 90 rows, 64 a coefficient with 6 levels */
    ck_assert_uint_eq(allowance_of("levels=6", step, 1, 21.0), FUZZ_ALLOW_CELLS);
    ck_assert_uint_eq(allowance_of("overrides=C0-0:levels=6", step, 1, 21.0), FUZZ_ALLOW_CELLS);
    ck_assert_uint_eq(allowance_of("tile=16,90 levels=4", step, 1, 21.0), FUZZ_ALLOW_CELLS);
    ck_assert_uint_eq(allowance_of("levels=6", step, 1, 23.0), FUZZ_ALLOW_REVERSIBLE);
    /* exact halves: whole steps without levels */
    ck_assert_uint_eq(allowance_of("levels=0", step, 0, 36.0), FUZZ_ALLOW_HALVES);
    ck_assert_uint_eq(allowance_of("levels=0 step=0.015625", step, 0, 36.0), FUZZ_ALLOW_HALVES);
    ck_assert_uint_eq(allowance_of("levels=0 step=0.011", step, 0, 36.0), FUZZ_ALLOW_SUM);
    ck_assert_uint_eq(allowance_of("overrides=C2-2:levels=0", step, 0, 36.0), FUZZ_ALLOW_HALVES);
    ck_assert_uint_eq(allowance_of("levels=1", step, 0, 36.0), FUZZ_ALLOW_SUM);
    ck_assert_uint_eq(allowance_of("levels=0", step, 1, 36.0), FUZZ_ALLOW_REVERSIBLE);
}

/* 5/3 of few samples: where components differ in depth, and errors are about the last bit of the shallower one. */
TEST(last_bits_of_few_samples_have_an_allowance)
{
    static int32_t samples[18];
    fuzz_plane planes[2] = {{6, 3, 16, 0, 1, 1, samples}, {6, 3, 28, 0, 1, 1, samples}};
    fuzz_picture p = {.x1 = 6, .y1 = 3, .count = 2, .planes = planes};
    uint32_t used;
    samples[0] = 60000;
    ck_assert(fuzz_case_parse(&drawn, "psnr=108"));
    (void)fuzz_estimate_slack(&drawn, &p, 1, 108.0, 102.0, &used);
    ck_assert_uint_eq(used, 1u << FUZZ_ALLOW_REVERSIBLE_LAST);
    (void)fuzz_estimate_slack(&drawn, &p, 0, 108.0, 102.0, &used);
    ck_assert_uint_ne(used, 1u << FUZZ_ALLOW_REVERSIBLE_LAST);
    (void)fuzz_estimate_slack(&drawn, &p, 1, 96.0, 94.0, &used);
    ck_assert_uint_ne(used, 1u << FUZZ_ALLOW_REVERSIBLE_LAST);
    planes[0].depth = 28;
    (void)fuzz_estimate_slack(&drawn, &p, 1, 108.0, 102.0, &used);
    ck_assert_uint_eq(used, 1u << FUZZ_ALLOW_REVERSIBLE_FEW);
}

/* One plane of samples of which no error here takes as much as varies in them. */
static const fuzz_picture *vary(uint32_t width, uint32_t height, uint8_t depth)
{
    static int32_t samples[9000];
    static fuzz_plane plane;
    static fuzz_picture p;
    for (uint32_t i = 0; i < width * height; i++) {
        samples[i] = i % 2 ? (1 << depth) - 1 : 0;
    }
    plane = (fuzz_plane){width, height, depth, 0, 1, 1, samples};
    p = (fuzz_picture){.x1 = width, .y1 = height, .count = 1, .planes = &plane};
    return &p;
}

typedef double estimate(const fuzz_case *c, const fuzz_picture *p, double told);

/* error: the root of the mean squared error that is expected for what is told, of full range. */
static void expect(estimate *found, const char *options, const fuzz_picture *p, double told, double error,
                   double tolerance)
{
    ck_assert(fuzz_case_parse(&drawn, options));
    ck_assert_double_eq_tol(found(&drawn, p, told), -20.0 * log10(error), tolerance);
}
#define MEASURED fuzz_estimate_expect_measured
#define ESTIMATED fuzz_estimate_expect_estimated

/* Magnitudes are up to a unit too low: an estimate lacks that of every sample, whatever is measured knows it. */
TEST(estimates_lack_a_unit)
{
    const fuzz_picture *p = vary(100, 90, 12);
    double told = -20.0 * log10(0.001), unit = 0.04 / 256.0;
    static const char options[] = "step=0.04 distortion-bits=8";
    expect(ESTIMATED, options, p, told, 0.001 + unit, 0.02);
    expect(MEASURED, options, p, told, hypot(0.001, unit), 0.02);
}

/* Where a unit is coarse, all samples may lie on one side of what a magnitude says: half a unit more. */
TEST(coarse_units_hide_one_side)
{
    const fuzz_picture *p = vary(100, 90, 16);
    double told = 7.292, error = pow(10.0, -told / 20.0);
    expect(MEASURED, "step=0.4827 distortion-bits=2", p, told, error + 0.4827 / 8.0, 0.001);
    /* a unit of 0.015: no more than its square */
    expect(MEASURED, "step=0.4827 distortion-bits=5", p, told, error, 0.01);
}

/* Of many levels, derived steps are coarser than asked for: the lowest band's exponent holds no more. */
TEST(derived_steps_of_many_levels_are_coarse)
{
    static const struct {
        const char *options;
        double unit; /* of HH of level 1: 2.0808 over 2^(exponent of level 1), and the bits below */
    } rows[] = {
        {"quantization=derived levels=26 distortion-bits=0", 2.0808 / 32.0},
        {"quantization=derived levels=26 distortion-bits=3", 2.0808 / 256.0},
        {"quantization=derived levels=26 distortion-bits=0 guard-bits=1", 2.0808 / 64.0},
        {"quantization=derived levels=24 distortion-bits=0 guard-bits=3", 2.0808 / 64.0},
        {"distortion-bits=0 overrides=C0-0:quantization=derived;levels=26", 2.0808 / 32.0},
        {"levels=26 distortion-bits=0", 0x1p-17},
        {"quantization=derived levels=10 distortion-bits=0", 0x1p-17},
    };
    const double told = 30.559, error = pow(10.0, -told / 20.0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        expect(ESTIMATED, rows[i].options, vary(100, 90, 17), told, error + rows[i].unit, 0.001);
    }
}

/* Where errors are as large as what varies, one coefficient makes most samples: errors add up as they are. */
TEST(errors_of_flat_crops_add_up)
{
    static const char options[] = "picture=a.png step=0.0069 distortion-bits=2";
    const fuzz_picture *p = vary(100, 90, 10);
    double told = 50.0, error = pow(10.0, -told / 20.0), unit = 0.0069 / 4.0;
    expect(MEASURED, options, p, told, hypot(error, unit), 0.001);
    for (uint32_t i = 0; i < 9000; i++) {
        p->planes->samples[i] = 700 + (int32_t)(i % 2); /* 66.2 dB from their mean */
    }
    expect(MEASURED, options, p, told, error + unit, 0.001);
}

/* Few samples of a region may all be half a step lower. */
TEST(regions_of_few_samples_are_lower)
{
    const fuzz_picture *p = vary(3, 1, 8);
    double told = 31.212, error = pow(10.0, -told / 20.0) + 0.19 / 32.0;
    expect(MEASURED, "step=0.19 distortion-bits=5", p, told, error, 0.001);
    expect(MEASURED, "step=0.19 distortion-bits=5 roi=rect=0,0,2,1", p, told, error + 0.095, 0.001);
}

/* A measured PSNR of samples of two values may be half a sample lower, of others not. */
TEST(extremes_move_together)
{
    const fuzz_picture *p = vary(100, 90, 10);
    double errors = 4.5 / 1024.0, told = -20.0 * log10(errors);
    expect(MEASURED, "picture=extreme", p, told, 5.0 / 1024.0, 0.01);
    expect(MEASURED, "picture=natural", p, told, errors, 0.01);
}

/* OpenJPEG rebuilds samples of a region half a step lower, which samples of two values in the middle of it all show. */
TEST(extremes_of_regions_are_lower)
{
    const fuzz_picture *p = vary(122, 33, 10);
    double told = 52.645, given = pow(10.0, -told / 20.0), error = given + 0.0284 / 64.0;
    expect(ESTIMATED, "picture=extreme step=0.0284", p, told, error, 0.01);
    expect(ESTIMATED, "picture=natural step=0.0284 roi=rect=0,0,9,9", p, told, error, 0.01);
    expect(ESTIMATED, "picture=extreme step=0.0284 roi=rect=0,0,9,9", p, told, error + 0.0142, 0.01);
    expect(MEASURED, "picture=extreme step=0.0284 roi=rect=0,0,9,9", p, told, given + ldexp(0.5, -10) + 0.0142, 0.02);
}

/* Without levels, guard bits leave fewer bits of 16 below the step than are wanted, down to three. */
TEST(guard_bits_hide_fractions)
{
    static const struct {
        const char *options;
        double bits;
    } rows[] = {
        {"step=0.0185 levels=0 guard-bits=2", 6.0}, {"step=0.0185 levels=0 guard-bits=5", 5.0},
        {"step=0.0185 levels=0 guard-bits=7", 3.0}, {"step=0.0185 levels=0 guard-bits=7 distortion-bits=2", 2.0},
        {"step=0.0185 guard-bits=7", 6.0},          {"step=0.0185 overrides=C0-0:levels=0;guard-bits=7", 3.0},
    };
    const double told = 40.1, error = pow(10.0, -told / 20.0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        expect(ESTIMATED, rows[i].options, vary(100, 90, 10), told, error + ldexp(0.0185, -(int)rows[i].bits), 0.001);
    }
}

TEST_MAIN("estimates")
