/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * X'Y'Z' codes of digital cinema (SMPTE ST 428-1), shared by the C reference and the device kernels:
 *
 *   code = floor(4095 * (48/52.37 * V)^(1/2.6) + 1/2), V in [0, 1] being X, Y or Z relative to the Y of peak white.
 *
 * The plan's matrix holds 4095^2.6 * 48/52.37, so that it delivers w = (4095 * (48/52.37 * V)^(1/2.6))^2.6. Then code >= c exactly where
 * w >= (c - 1/2)^2.6, which is w^5 >= (c - 1/2)^13: products alone, no function of libm decides. A guess in single precision leaves two
 * candidates; because it only chooses where to compare, it need not be the same everywhere, only within WVL_XYZ_SLACK.
 *
 * Multiplications and additions are single ones in the order written, nothing is fused. Their relative error, below 2^-48, moves a threshold
 * by less than 1e-11 of a code.
 */
#ifndef WVL_FRONT_XYZ_OPS_H
#define WVL_FRONT_XYZ_OPS_H

#include <stdint.h>
#include <string.h>

#include "base/hd.h"

#define WVL_XYZ_HALF 2048 /* level shift of 12-bit codes (G.1) */
#define WVL_XYZ_SLACK 0.25f
/* Clamps in w: 0.0625 has code 0 and 4095^2.6 has code 4095; between them floats are normal and powers stay in range. */
#define WVL_XYZ_LEAST 0.0625
#define WVL_XYZ_MOST 2465245392.870972

/* log2(1 + x) and 2^x for x in [0, 1), interpolated at Chebyshev points: absolute error 1.2e-4 and relative error 3.5e-6, together less than
 * 0.15 of a code. */
#define WVL_XYZ_LOG0 1.1457996e-4f
#define WVL_XYZ_LOG1 1.4368749f
#define WVL_XYZ_LOG2 -0.67088268f
#define WVL_XYZ_LOG3 0.31226948f
#define WVL_XYZ_LOG4 -0.078440676f
#define WVL_XYZ_EXP0 1.0000035f
#define WVL_XYZ_EXP1 0.69297292f
#define WVL_XYZ_EXP2 0.24160436f
#define WVL_XYZ_EXP3 0.051744998f
#define WVL_XYZ_EXP4 0.013670309f
#define WVL_XYZ_POWER (5.0f / 13.0f)

#ifdef __CUDA_ARCH__
WVL_HD double wvl_xyz_mul(double a, double b) { return __dmul_rn(a, b); }
WVL_HD double wvl_xyz_add(double a, double b) { return __dadd_rn(a, b); }
#else
WVL_HD double wvl_xyz_mul(double a, double b) { return a * b; }
WVL_HD double wvl_xyz_add(double a, double b) { return a + b; }
#endif

/* One row of the matrix. */
WVL_HD double wvl_xyz_row(const double *m, double r, double g, double b)
{
    return wvl_xyz_add(wvl_xyz_add(wvl_xyz_mul(m[0], r), wvl_xyz_mul(m[1], g)), wvl_xyz_mul(m[2], b));
}

/* w^(5/13), within 0.15 for w in [LEAST, MOST]. */
WVL_HD float wvl_xyz_guess(float w)
{
    uint32_t bits;
    float m, y;
    memcpy(&bits, &w, sizeof bits);
    int32_t exponent = (int32_t)(bits >> 23) - 127;
    bits = (bits & 0x7FFFFFu) | 0x3F800000u;
    memcpy(&m, &bits, sizeof m);
    m -= 1.0f;
    float log = (float)exponent + ((((WVL_XYZ_LOG4 * m + WVL_XYZ_LOG3) * m + WVL_XYZ_LOG2) * m + WVL_XYZ_LOG1) * m + WVL_XYZ_LOG0);
    float t = log * WVL_XYZ_POWER + 2.0f; /* positive: log is at least -4.01 */
    int32_t whole = (int32_t)t;
    float x = t - (float)whole;
    bits = (uint32_t)(whole + 125) << 23; /* 2^(whole - 2) */
    memcpy(&y, &bits, sizeof y);
    return y * ((((WVL_XYZ_EXP4 * x + WVL_XYZ_EXP3) * x + WVL_XYZ_EXP2) * x + WVL_XYZ_EXP1) * x + WVL_XYZ_EXP0);
}

WVL_HD int32_t wvl_xyz_code(double w)
{
    w = w > WVL_XYZ_LEAST ? w : WVL_XYZ_LEAST;
    w = w < WVL_XYZ_MOST ? w : WVL_XYZ_MOST;
    int32_t code = (int32_t)(wvl_xyz_guess((float)w) + WVL_XYZ_SLACK); /* the code or one less */
    double c = (double)code + 0.5, c2 = wvl_xyz_mul(c, c), c4 = wvl_xyz_mul(c2, c2), c8 = wvl_xyz_mul(c4, c4);
    double w2 = wvl_xyz_mul(w, w), w4 = wvl_xyz_mul(w2, w2);
    return code + (wvl_xyz_mul(w4, w) >= wvl_xyz_mul(wvl_xyz_mul(c8, c4), c));
}

#endif
