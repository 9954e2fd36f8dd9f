/* SPDX-License-Identifier: BSD-2-Clause */
/* Resolutions as ratios. Basic arithmetic only, so every machine finds the same terms. */
#include "codec/jp2/resolve.h"

#define MOST_TERM 65535u
#define LEAST_SCALED 0.9e-4 /* below 1 / 10000 by more than any rounding */
#define EXACT_ERROR 1e-12   /* rounding of value and scaling stays below this: what is nearer is meant to be equal */
#define MOST_ERROR 1e-4
#define MOST_EXPONENT 127

static double relative_error(double x, uint64_t n, uint64_t d)
{
    double e = ((double)n / (double)d - x) / x;
    return e < 0 ? -e : e;
}

/* Largest a with a * h1 + h0 <= MOST_TERM; unlimited when h1 is 0. */
static uint64_t most_quotient(uint64_t h1, uint64_t h0) { return h1 ? (MOST_TERM - h0) / h1 : UINT64_MAX; }

/* Continued fraction of x in [LEAST_SCALED, MOST_TERM], ended by the last convergent or intermediate fraction whose
 * terms fit. Both first convergents fit: floor(x) / 1 and, below 1, 1 / floor(1 / x) with 1 / x < 11112. */
static double reduce(double x, wvl_jp2_ratio *ratio)
{
    uint64_t n0 = 0, n1 = 1, d0 = 1, d1 = 0;
    for (double rest = x;;) {
        uint64_t most_n = most_quotient(n1, n0), most_d = most_quotient(d1, d0),
                 most = most_n < most_d ? most_n : most_d;
        int cut = rest >= (double)most + 1.0;
        uint64_t quotient = cut ? most : (uint64_t)rest;
        uint64_t n = quotient * n1 + n0, d = quotient * d1 + d0;
        if (cut && (!n || !d || relative_error(x, n1, d1) <= relative_error(x, n, d))) {
            break;
        }
        n0 = n1;
        d0 = d1;
        n1 = n;
        d1 = d;
        rest -= (double)quotient;
        if (cut || rest <= 0.0) {
            break;
        }
        rest = 1.0 / rest;
    }
    ratio->numerator = (uint16_t)n1;
    ratio->denominator = (uint16_t)d1;
    return n1 ? relative_error(x, n1, d1) : 1.0;
}

static double scale(double value, int exponent)
{
    double power = 1.0;
    for (int i = 0; i < (exponent < 0 ? -exponent : exponent); i++) {
        power *= 10.0;
    }
    return exponent < 0 ? value * power : value / power;
}

/* Exponents are tried from 0 outward, so that 300 per metre stays 300/1 * 10^0. */
int wvl_jp2_find_ratio(double value, wvl_jp2_ratio *ratio)
{
    double least = 1.0;
    if (!(value > 0.0)) {
        return 0;
    }
    for (int i = 0; i <= 2 * MOST_EXPONENT && least > EXACT_ERROR; i++) {
        wvl_jp2_ratio candidate;
        int exponent = (i & 1) ? -(i + 1) / 2 : i / 2;
        double x = scale(value, exponent);
        if (!(x >= LEAST_SCALED && x <= (double)MOST_TERM)) {
            continue;
        }
        double error = reduce(x, &candidate);
        if (error < least) {
            candidate.exponent = (int8_t)exponent;
            *ratio = candidate;
            least = error;
        }
    }
    return least <= MOST_ERROR;
}
