/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dead-zone quantiser (E-1) and sign-magnitude packing.
 *
 * m = floor(|x| * r) of the exact product: both factors have 24 significant bits, so the double product is exact.
 * Where |x| * r < 2^23 is proved, float arithmetic gives the same m. Let p be the exact product, t = RN(p), i =
 * trunc(t). Integers up to 2^23 are floats and rounding is monotone, so floor(p) <= t <= floor(p) + 1 and i is floor(p)
 * or floor(p) + 1, the latter exactly when p - i < 0. e = fma(|x|, r, -i) is p - i rounded once and keeps its sign: it
 * cannot underflow to 0, because i >= 1 means p > 1/2 and p is a multiple of a power of two above p * 2^-48. So m = i -
 * (e < 0). With i = 0, e = p >= 0. Rounding the product toward zero gives trunc(RZ(p)) = floor(p) directly where a
 * machine offers that.
 */
#pragma once

#include <math.h>
#include <stdint.h>

#include "base/hd.h"

#define WVL_QUANT_FLOAT_BITS 23u /* magnitudes of at most this many bits may take the float path */

/* Nonzero: a magnitude of a band with these coded planes and fraction bits may not fit the float path. */
WVL_HD int wvl_quant_is_deep(unsigned planes, unsigned frac_bits) { return planes + frac_bits > WVL_QUANT_FLOAT_BITS; }

/* |x| * r < 2^31. */
WVL_HD uint32_t wvl_quant_magnitude(float x, float r) { return (uint32_t)((double)fabsf(x) * (double)r); }

/* |x| * r < 2^23: the float path, bit-equal to the above. */
WVL_HD uint32_t wvl_quant_magnitude_float(float x, float r)
{
    float a = fabsf(x);
#ifdef __CUDA_ARCH__
    return (uint32_t)__fmul_rz(a, r);
#else
    int32_t i = (int32_t)(a * r);
    return (uint32_t)(i - (fmaf(a, r, -(float)i) < 0.0f));
#endif
}

/* The sign bit of a zero magnitude is 0 here, which geom/handover.h does not ask for. */
WVL_HD uint16_t wvl_quant_sign16(uint32_t magnitude, int negative)
{
    return (uint16_t)(magnitude | (negative && magnitude ? 0x8000u : 0u));
}
WVL_HD uint32_t wvl_quant_sign32(uint32_t magnitude, int negative)
{
    return magnitude | (negative && magnitude ? 0x80000000u : 0u);
}
