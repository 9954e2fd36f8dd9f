/* SPDX-License-Identifier: BSD-2-Clause */
#include "estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double fuzz_estimate_number(const fuzz_case *c, const char *key, const char *otherwise)
{
    return strtod(fuzz_case_or(c, key, otherwise), NULL);
}

/* ---- What the encoder cannot see ------------------------------------------------------------ */

/* The greatest value of an option of whole numbers, of the picture or of a tile or component. name: with "=". */
static int greatest_of(const fuzz_case *c, const char *key, const char *otherwise, const char *name)
{
    int most = (int)fuzz_estimate_number(c, key, otherwise);
    for (const char *at = fuzz_case_or(c, "overrides", ""); (at = strstr(at, name)) != NULL; at++) {
        int value = (int)strtol(at + strlen(name), NULL, 10);
        most = value > most ? value : most;
    }
    return most;
}

static int greatest_guard_bits(const fuzz_case *c) { return greatest_of(c, "guard-bits", "2", "guard-bits="); }

static int greatest_levels(const fuzz_case *c) { return greatest_of(c, "levels", "5", "levels="); }

static int has_derived_steps(const fuzz_case *c)
{
    return !strcmp(fuzz_case_or(c, "quantization", ""), "derived") ||
           strstr(fuzz_case_or(c, "overrides", ""), "quantization=derived");
}

/* The least step that derived ones of many levels come to, as a part of the full range. The lowest band's exponent is
 * at most 31, and 32 less the guard bits (src/geom/quant.c, split_step); that of the finest is lower by the levels but
 * one (E-5), whatever step was asked for. */
static double least_derived_step(const fuzz_case *c)
{
    enum { MOST_EXPONENT = 31, MOST_PLANES = 31 };
    int lowest = MOST_PLANES + 1 - greatest_guard_bits(c);
    int finest = (lowest < MOST_EXPONENT ? lowest : MOST_EXPONENT) - greatest_levels(c) + 1;
    return ldexp(4.0 * 0.5202, -finest); /* of HH: gain 4, norm 0.5202 */
}

/* Greatest step as a part of the full range, of the options or of a tile or component; 0 is one least significant bit
 * of the shallowest samples. */
static double greatest_step(const fuzz_case *c, const fuzz_picture *p)
{
    double step = fuzz_estimate_number(c, "step", "0"), q = fuzz_estimate_number(c, "qfactor", "0");
    if (q > 0.0) { /* of the finest bands of chroma, about */
        step = 0.1 / 0.0263 * (q < 50.0 ? 50.0 / q : 2.0 - q / 50.0);
    }
    int is_given = step > 0.0;
    for (uint32_t i = 0; !is_given && i < p->count; i++) {
        step = fmax(step, ldexp(1.0, -p->planes[i].depth));
    }
    for (const char *at = fuzz_case_or(c, "overrides", ""); (at = strstr(at, "step=")) != NULL; at++) {
        step = fmax(step, strtod(at + 5, NULL));
    }
    return has_derived_steps(c) ? fmax(step, least_derived_step(c)) : step;
}

/* Samples of two values. */
static int is_extreme(const fuzz_case *c) { return !strcmp(fuzz_case_or(c, "picture", "natural"), "extreme"); }

/* dB that OpenJPEG's 9/7 in floats reaches. Its gain of the high-pass rows is 1.625732422, where Table F.4 gives
 * 2 / K = 1.625786132: a checkerboard comes back smaller by 1 in 15136 in each direction, which is 77.6 dB of both. */
static double find_floor(const fuzz_case *c) { return is_extreme(c) ? FUZZ_JUDGE_FLOOR - 12.4 : FUZZ_JUDGE_FLOOR; }

#define COARSE 0.02 /* a step or a unit, as a part of the full range */

static int has_no_levels(const fuzz_case *c)
{
    return fuzz_estimate_number(c, "levels", "5") == 0.0 || strstr(fuzz_case_or(c, "overrides", ""), "levels=0");
}

/* Bits kept under the step. Without levels a single band has all samples, and keeps fewer bits to stay in 16 bits, but
 * three of those that are wanted (D-plan-04). */
static int kept_bits(const fuzz_case *c, double step)
{
    int wanted = (int)fuzz_estimate_number(c, "distortion-bits", "6");
    int planes = greatest_guard_bits(c) - (int)floor(log2(step)) - 1; /* Mb = G + e - 1 */
    if (!has_no_levels(c) || planes + wanted <= 15 || planes + (wanted < 3 ? wanted : 3) > 15) {
        return wanted;
    }
    return 15 - planes;
}

/* Returns what is below the last bit kept under the step, as a part of the full range: a magnitude may be lower by so
 * much than its coefficient. */
static double find_unseen(const fuzz_case *c, const fuzz_picture *p)
{
    double step = greatest_step(c, p);
    return ldexp(step, -kept_bits(c, step));
}

/* dB of a mean square error, relative to the range, beside the judge's own. */
static double expect_of_error(const fuzz_case *c, const fuzz_picture *p, double error)
{
    /* rounding half a sample either way may cost a whole one */
    double limit =
        fmin(find_floor(c), 6.02 * p->planes[0].depth + (fuzz_estimate_number(c, "levels", "5") == 0.0 ? -1.0 : 2.0));
    return fmin(-10.0 * log10(error + pow(10.0, -find_floor(c) / 10.0)), limit);
}

static double error_of(double told) { return isinf(told) ? 0.0 : pow(10.0, -told / 10.0); }

double fuzz_estimate_expect(const fuzz_case *c, const fuzz_picture *p, double told)
{
    double unseen = find_unseen(c, p);
    return expect_of_error(c, p, error_of(told) + unseen * unseen);
}

/* Samples of two values may all lie in the middle of their step. OpenJPEG rebuilds those of a region at its low end,
 * which is half a step lower. */
static double find_low_end(const fuzz_case *c, const fuzz_picture *p)
{
    return is_extreme(c) && fuzz_case_get(c, "roi") ? greatest_step(c, p) / 2.0 : 0.0;
}

double fuzz_estimate_expect_estimated(const fuzz_case *c, const fuzz_picture *p, double told)
{
    /* A sample that stays insignificant counts as its magnitude, which is up to a unit too low: errors add up as they
     * are. */
    double amplitude = sqrt(error_of(told)) + find_unseen(c, p) + find_low_end(c, p);
    return expect_of_error(c, p, amplitude * amplitude);
}

/* ---- What sums of squares do not show -------------------------------------------------------- */

/* Each error is larger by up to `more`, all with the same sign. */
static double expect_of_amplitude(double told, double more) { return -20.0 * log10(sqrt(error_of(told)) + more); }

/* Where samples have two values, most of them lie at one place between two whole numbers, and the judge's gain moves
 * them over the middle all together: half a sample more. */
static double expect_of_extremes(double told, double depth)
{
    return expect_of_amplitude(told, ldexp(0.5, -(int)depth));
}

static double count_samples(const fuzz_picture *p, uint32_t components)
{
    double samples = 0.0;
    for (uint32_t i = 0; i < p->count && i < components; i++) {
        samples += (double)p->planes[i].width * p->planes[i].height;
    }
    return samples;
}

/* PSNR of a picture whose samples are all the mean of their component. Where as much is found to be lost, it is the
 * lowest band or all: its errors are of one sign, and of few samples, whose weight is that of a large picture. */
static double psnr_of_means(const fuzz_picture *p)
{
    double error = 0.0, samples = count_samples(p, UINT32_MAX);
    for (uint32_t i = 0; i < p->count; i++) {
        const fuzz_plane *plane = &p->planes[i];
        double sum = 0.0, squares = 0.0, range = ldexp(1.0, plane->depth), n = (double)plane->width * plane->height;
        for (size_t k = 0; k < (size_t)plane->width * plane->height; k++) {
            double value = (plane->samples[k] - (double)plane->samples[0]) / range;
            sum += value;
            squares += value * value;
        }
        error += n > 0.0 ? fmax(0.0, squares - sum * sum / n) : 0.0;
    }
    return error > 0.0 ? 10.0 * log10(samples / error) : INFINITY;
}

static int is_flat(const fuzz_case *c, const fuzz_picture *p, double found)
{
    return !strcmp(fuzz_case_or(c, "picture", "natural"), "flat") || found < psnr_of_means(p);
}

double fuzz_estimate_expect_measured(const fuzz_case *c, const fuzz_picture *p, double told)
{
    double fewest = INFINITY, least_depth = INFINITY;
    for (uint32_t i = 0; i < p->count; i++) {
        fewest = fmin(fewest, (double)p->planes[i].width * p->planes[i].height);
        least_depth = fmin(least_depth, p->planes[i].depth);
    }
    if (is_extreme(c)) {
        told = expect_of_amplitude(expect_of_extremes(told, least_depth), find_low_end(c, p));
    }
    if (fewest >= 1024.0 && !is_flat(c, p, told)) {
        /* A magnitude is known to half a unit on either side. Where units are coarse, all samples may lie on one side.
         */
        double unseen = find_unseen(c, p), expected = fuzz_estimate_expect(c, p, told);
        return unseen > COARSE ? fmin(expected, expect_of_amplitude(told, unseen / 2.0)) : expected;
    }
    /* One coefficient makes all samples of a tiny component, or of one that varies by no more than its errors: errors
     * add up as they are, and where it lies near half a sample, rounding errors of floats decide over all of them.
     * Where OpenJPEG rebuilds samples of a region at the low end of their step, they are half a step lower. */
    double region = fuzz_case_get(c, "roi") ? greatest_step(c, p) / 2.0 : 0.0;
    return fmin(fuzz_estimate_expect(c, p, told),
                fmin(expect_of_amplitude(told, find_unseen(c, p) + region), 6.02 * least_depth - 1.0));
}

double fuzz_estimate_measured_slack(const fuzz_case *c, const fuzz_picture *p)
{
    /* Where a decoder rounds a few samples is chance. OpenJPEG rebuilds samples of a region at the low end of their
     * step, which is four times the error. */
    return FUZZ_PSNR_SLACK + 4.0 / sqrt(count_samples(p, UINT32_MAX)) + (fuzz_case_get(c, "roi") ? 6.0 : 0.0);
}

/* ---- All estimates together ------------------------------------------------------------------ */

int fuzz_estimate_counts(const fuzz_case *c, const fuzz_picture *p, int is_reversible, double found, double told)
{
    const char *kind = fuzz_case_or(c, "picture", "natural");
    double all = 6.02 * p->planes[0].depth - 3.0; /* beyond, rounding decides */
    return !is_reversible && (strchr(kind, '.') || !strcmp(kind, "natural")) && count_samples(p, 3) >= 4096.0 &&
           isfinite(found) && told > 0.0 && told < 70.0 && told < all && fuzz_estimate_expect(c, p, told) > told - 0.05;
}

int fuzz_estimate_counts_measured(const fuzz_case *c, const fuzz_picture *p, double found, double told)
{
    return !fuzz_case_get(c, "roi") && count_samples(p, UINT32_MAX) >= 4096.0 && isfinite(found) && told > 0.0 &&
           told < 70.0;
}
