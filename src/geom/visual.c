/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How visible errors are, by component and band (D-plan-08, D-plan-09). Weights of amplitudes: W. Zeng, S. Daly,
 * S. Lei, "An overview of the visual optimization tools in JPEG 2000", Signal Processing: Image Communication 17
 * (2002), Table 2: contrast sensitivity at the middle of each band, at a viewing distance of 1700 pixels.
 *
 * Steps of a quality factor Q from 1 to 100, as JPEG counts it: the mapping that the JPEG committee's white paper on
 * HTJ2K gives and encoders share. M falls from 50 to 0 as Q rises; bands get steps in proportion to the error that eyes
 * allow there (weights), less so towards high quality.
 */
#include <math.h>

#include "base/intmath.h"
#include "geom/plan.h"

#define LOW_QUALITY 65.0  /* up to here weights count in full, */
#define HIGH_QUALITY 97.0 /* and from here on not at all */
#define LOW_SLOPE 0.04
#define HIGH_SLOPE 0.10

/* log2 of x > 0 by squaring, the same everywhere: libm need not be. */
static double log2_of(double x)
{
    int exponent;
    double f = 2.0 * frexp(x, &exponent), result = exponent - 1, part = 0.5; /* f in [1, 2) */
    for (int i = 0; i < 40; i++, part *= 0.5) {
        f *= f;
        if (f >= 2.0) {
            f *= 0.5;
            result += part;
        }
    }
    return result;
}

/* 2^x by square roots of 2. */
static double exp2_of(double x)
{
    double whole = floor(x), rest = x - whole, root = 2.0, result = 1.0;
    for (int i = 0; i < 40; i++) {
        root = sqrt(root);
        rest *= 2.0;
        if (rest >= 1.0) {
            result *= root;
            rest -= 1.0;
        }
    }
    return ldexp(result, (int)whole);
}

static double power(double x, double y) { return exp2_of(y * log2_of(x)); }

static double multiplier_of(double q) { return q < 50.0 ? 50.0 / q : 2.0 * (1.0 - q / 100.0); }

/* 1: weights count in full. */
static double weight_power(double q)
{
    if (q <= LOW_QUALITY || q >= HIGH_QUALITY) {
        return q <= LOW_QUALITY ? 1.0 : 0.0;
    }
    double low = log2_of(multiplier_of(LOW_QUALITY)), high = log2_of(multiplier_of(HIGH_QUALITY));
    return (high - log2_of(multiplier_of(q))) / (high - low);
}

/* By component (Y, Cb, Cr at full resolution), level from 1, and HL or LH, HH; 1 beyond. */
static double weight_of(unsigned part, unsigned level, unsigned orient)
{
    static const double weights[3][5][2] = {
        {{0.2758, 0.0901}, {0.8378, 0.7018}, {1.0, 1.0}, {1.0, 1.0}, {1.0, 1.0}},
        {{0.0863, 0.0263}, {0.2564, 0.1362}, {0.4691, 0.3346}, {0.6523, 0.5444}, {0.7797, 0.7078}},
        {{0.1835, 0.0773}, {0.413, 0.2598}, {0.6464, 0.504}, {0.8254, 0.722}, {0.9424, 0.8769}},
    };
    return orient == WVL_BAND_LL || level > 5 ? 1.0 : weights[part ? part - 1 : 0][level - 1][orient == WVL_BAND_HH];
}

/*
 * A sample of a component that is subsampled by two stands where the next level of one that is not does, and for as
 * many pixels more. Where the axes differ, a band is as fine as its finer axis: Table 2 says the same of 4:2:2 and
 * 4:2:0.
 */
double wvl_quant_visual_weight(const wvl_coding *coding, unsigned level, unsigned orient)
{
    unsigned across = level + wvl_bit_length(coding->visual_dx) - 1,
             down = level + wvl_bit_length(coding->visual_dy) - 1;
    unsigned fine = orient == WVL_BAND_HL ? across : orient == WVL_BAND_LH ? down : wvl_min_u32(across, down);
    double weight = weight_of(coding->visual, fine, orient == WVL_BAND_HH && across != down ? WVL_BAND_HL : orient);
    return weight * weight * (coding->visual_dx * coding->visual_dy);
}

double wvl_quant_visual_step(const wvl_coding *coding, unsigned level, unsigned orient)
{
    static const double chroma[4] = {1.0, 1.0, 1.8051 / 1.7321,
                                     1.5734 / 1.7321}; /* of the inverse colour transform, against that of Y */
    double q = coding->qfactor, pw = weight_power(q), slope = HIGH_SLOPE * power(LOW_SLOPE / HIGH_SLOPE, pw);
    double reference = slope * multiplier_of(q) + ldexp(sqrt(0.5), -(int)coding->depth);
    return reference / (chroma[coding->mct_part] * power(weight_of(coding->mct_part, level, orient), pw));
}
