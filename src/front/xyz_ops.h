/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * X'Y'Z' codes of digital cinema (SMPTE ST 428-1), shared by the C reference and the device kernels:
 *
 *   code = floor(4095 * (48/52.37 * V)^(1/2.6) + 1/2), V in [0, 1] being X, Y or Z relative to the Y of peak white.
 *
 * The plan's matrix holds 4095^2.6 * 48/52.37, so that it delivers w = (4095 * (48/52.37 * V)^(1/2.6))^2.6. Then code
 * >= c exactly where w >= (c - 1/2)^2.6, which is w^5 >= (c - 1/2)^13: products alone, no function of libm decides. A
 * guess in single precision leaves two candidates, or one where it is not near a threshold; because it only chooses
 * where to compare, it need not be the same everywhere.
 *
 * Multiplications and additions of doubles are single ones in the order written, nothing is fused. Their relative
 * error, below 2^-48, moves a threshold by less than 1e-11 of a code.
 */
#pragma once

#include <stdint.h>
#include <string.h>

#include "base/hd.h"

#define WVL_XYZ_HALF 2048 /* level shift of 12-bit codes (G.1) */
/* Clamps in w: 0.0625 has code 0 and 4095^2.6 has code 4095; between them floats are normal and powers stay in range.
 */
#define WVL_XYZ_LEAST 0.0625
#define WVL_XYZ_MOST 2465245392.870972
/* A guess is off by less than 0.0015 of a code: 0.001 by the polynomial, the rest by its roundings. Light and
 * matrix in single precision add less than 0.001 (five roundings, scaled by 5/13), or 0.002 where negative terms take
 * up to a third. */
#define WVL_XYZ_NEAR (1.0f / 256.0f)

/* m^(5/13) = sum of POWERi (m - 1)^i for m in [sqrt(1/2), sqrt(2)), interpolated at Chebyshev points: relative
 * error 2.5e-7. */
#define WVL_XYZ_ROOT_BITS 0x3F3504F3u /* sqrt(1/2) */
#define WVL_XYZ_POWER0 0.99999985f
#define WVL_XYZ_POWER1 0.38461669f
#define WVL_XYZ_POWER2 -0.11831356f
#define WVL_XYZ_POWER3 0.063605976f
#define WVL_XYZ_POWER4 -0.042459369f
#define WVL_XYZ_POWER5 0.032934908f
#define WVL_XYZ_POWER6 -0.019036823f
/* 2^(5 (i - 4) / 13) for i = 0..7, and 2^(40 i / 13): exponents from -4, that of LEAST, to 31. */
#define WVL_XYZ_FINE 0.344252363f, 0.449425487f, 0.58673023f, 0.765983179f, 1.0f, 1.3055117f, 1.70436079f, 2.22506295f
#define WVL_XYZ_COARSE 1.0f, 8.43812861f, 71.2020145f, 600.811756f, 5069.72686f, 0.0f, 0.0f, 0.0f

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

/* w^(5/13) for w in [LEAST, MOST]. */
WVL_HD float wvl_xyz_guess(float w)
{
    static const float fine[8] = {WVL_XYZ_FINE}, coarse[8] = {WVL_XYZ_COARSE};
    uint32_t bits;
    float m, y;
    memcpy(&bits, &w, sizeof bits);
    uint32_t exponent = (bits + (4u << 23) - WVL_XYZ_ROOT_BITS) >> 23;
    bits += (4u - exponent) << 23;
    memcpy(&m, &bits, sizeof m);
    m -= 1.0f;
    y = WVL_XYZ_POWER6 * m + WVL_XYZ_POWER5;
    y = (((y * m + WVL_XYZ_POWER4) * m + WVL_XYZ_POWER3) * m + WVL_XYZ_POWER2) * m + WVL_XYZ_POWER1;
    return (y * m + WVL_XYZ_POWER0) * (fine[exponent & 7] * coarse[exponent >> 3]);
}

WVL_HD double wvl_xyz_clamp(double w)
{
    w = w > WVL_XYZ_LEAST ? w : WVL_XYZ_LEAST;
    return w < WVL_XYZ_MOST ? w : WVL_XYZ_MOST;
}

/* The code of w, which is `code` or one more. */
WVL_HD int32_t wvl_xyz_decide(double w, int32_t code)
{
    double c = (double)code + 0.5, c2 = wvl_xyz_mul(c, c), c4 = wvl_xyz_mul(c2, c2), c8 = wvl_xyz_mul(c4, c4);
    double w2 = wvl_xyz_mul(w, w), w4 = wvl_xyz_mul(w2, w2);
    return code + (wvl_xyz_mul(w4, w) >= wvl_xyz_mul(wvl_xyz_mul(c8, c4), c));
}

WVL_HD int32_t wvl_xyz_code(double w)
{
    w = wvl_xyz_clamp(w);
    return wvl_xyz_decide(w, (int32_t)(wvl_xyz_guess((float)w) + 0.25f));
}
