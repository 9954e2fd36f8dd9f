/* SPDX-License-Identifier: BSD-2-Clause */
#include "estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double fuzz_estimate_number(const fuzz_case *c, const char *key, const char *otherwise) { return strtod(fuzz_case_or(c, key, otherwise), NULL); }

/* ---- What the encoder can not see --------------------------------------------------------------------------------------------------- */

/* Greatest step as a part of the full range, of the options or of a tile or component; 0 is one least significant bit of the shallowest samples. */
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
    return step;
}

/* dB that OpenJPEG's 9/7 in floats reaches: on small pictures of extremes 83.3 were seen. */
static double find_floor(const fuzz_case *c) { return strcmp(fuzz_case_or(c, "picture", "natural"), "extreme") != 0 ? FUZZ_JUDGE_FLOOR : FUZZ_JUDGE_FLOOR - 8.0; }

double fuzz_estimate_expect(const fuzz_case *c, const fuzz_picture *p, double told)
{
    /* Magnitudes below the last bit kept under the step count as nothing; rounding half a sample either way may cost a whole one. */
    double unseen = ldexp(greatest_step(c, p), -(int)fuzz_estimate_number(c, "distortion-bits", "6"));
    double limit = fmin(find_floor(c), 6.02 * p->planes[0].depth + (fuzz_estimate_number(c, "levels", "5") == 0.0 ? -1.0 : 2.0));
    double error = (isinf(told) ? 0.0 : pow(10.0, -told / 10.0)) + pow(10.0, -find_floor(c) / 10.0) + unseen * unseen;
    return fmin(-10.0 * log10(error), limit);
}

#define COARSE 0.02 /* from here on few coefficients stay, and what goes is no noise */

/* ---- What sums of squares do not tell ------------------------------------------------------------------------------------------------ */

static int has_mixed_depth(const fuzz_picture *p)
{
    for (uint32_t c = 1; c < p->count; c++) {
        if (p->planes[c].depth != p->planes[0].depth) {
            return 1;
        }
    }
    return 0;
}

static double smallest_side(const fuzz_picture *p)
{
    double least = INFINITY;
    for (uint32_t c = 0; c < p->count; c++) {
        least = fmin(least, fmin(p->planes[c].width, p->planes[c].height));
    }
    return least;
}

double fuzz_estimate_expect_measured(const fuzz_case *c, const fuzz_picture *p, double told)
{
    double fewest = INFINITY, least_depth = INFINITY;
    for (uint32_t i = 0; i < p->count; i++) {
        fewest = fmin(fewest, (double)p->planes[i].width * p->planes[i].height);
        least_depth = fmin(least_depth, p->planes[i].depth);
    }
    if (fewest >= 1024.0 && strcmp(fuzz_case_or(c, "picture", "natural"), "flat") != 0) {
        return fuzz_estimate_expect(c, p, told);
    }
    /* One coefficient makes all samples of a tiny component, or of a flat one: errors add up as they are, and where it lies near half a sample, rounding errors
     * of floats decide over all of them. */
    double unseen = ldexp(greatest_step(c, p), -(int)fuzz_estimate_number(c, "distortion-bits", "6"));
    double error = (isinf(told) ? 0.0 : pow(10.0, -told / 20.0)) + unseen;
    return fmin(fuzz_estimate_expect(c, p, told), fmin(-20.0 * log10(error), 6.02 * least_depth - 1.0));
}

double fuzz_estimate_measured_slack(const fuzz_case *c, const fuzz_picture *p)
{
    double samples = 0.0;
    for (uint32_t i = 0; i < p->count; i++) {
        samples += (double)p->planes[i].width * p->planes[i].height;
    }
    /* Where a decoder rounds a few samples is chance. OpenJPEG rebuilds samples of a region at the low end of their step, which is four times the error. */
    double slack = FUZZ_PSNR_SLACK + 4.0 / sqrt(samples) + (fuzz_case_get(c, "roi") ? 6.0 : 0.0);
    /* Derived steps of many levels are coarse: what lies below their last bit kept is not seen. */
    int is_coarse = !strcmp(fuzz_case_or(c, "quantization", ""), "derived") || strstr(fuzz_case_or(c, "overrides", ""), "quantization=derived");
    return slack + (is_coarse && fuzz_estimate_number(c, "distortion-bits", "6") < 3.0 ? 1.0 : 0.0);
}

/* From what was seen in 20000 cases: few samples, errors that are no noise, rounding of shallow samples among deep ones, next to nothing left of the
 * picture, and more levels than it has samples for: where the lowest band has less than four across, basis functions reach over both borders and are not what
 * their norms say (a flat picture of 119 x 56, of which 5 levels leave three samples: 6.5 dB). */
double fuzz_estimate_slack(const fuzz_case *c, const fuzz_picture *p, int is_reversible, double told)
{
    const char *kind = fuzz_case_or(c, "picture", "natural");
    double samples = 0.0, slack = FUZZ_PSNR_SLACK, shallow = 6.02 * p->planes[0].depth - 10.0;
    for (uint32_t i = 0; i < p->count && i < 3; i++) { /* what comes behind repeats them */
        samples += (double)p->planes[i].width * p->planes[i].height;
    }
    slack += 80.0 / sqrt(samples);
    slack += greatest_step(c, p) > COARSE ? 2.0 : 0.0;
    slack += is_reversible && told > 6.02 * p->planes[0].depth + 10.0 ? 6.0 : 0.0; /* a few samples that are one beside what they should be */
    slack += has_mixed_depth(p) ? 4.0 : 0.0;
    slack += strstr(fuzz_case_or(c, "overrides", ""), "reversible=") ? 2.0 : 0.0;
    slack += fuzz_case_get(c, "roi") ? 1.0 : 0.0;
    slack += ldexp(4.0, (int)fuzz_estimate_number(c, "levels", "5")) > smallest_side(p) ? 3.0 : 0.0;
    /* Errors of one sign, as flat parts have, gain 2.5 dB for 5/3 over what its norms say of one level, 3.5 dB at three; 9/7 is nearly orthogonal. */
    slack += is_reversible || told < 25.0 ? 4.0 : told > shallow ? 1.5 : 0.0;
    return slack + (strchr(kind, '.') || !strcmp(kind, "natural") ? 0.0 : 6.0);
}
