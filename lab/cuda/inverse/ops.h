/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arithmetic of the inverse, shared by the host reference and the kernels; 9/7 lifting is wvl_lift97_step() with
 * the signs turned.
 *
 * Dequantisation (E.1.1.2) rebuilds the middle of the interval: (m + 1/2) * step for m > 0, and 0, computed as (2m + 1)
 * * (step / 2) with one rounding. step is the inverse of the forward reciprocal, so K, colour gains and one-sample
 * corrections are undone with it.
 */
#pragma once

#include "dwt/lift_ops.h"
#include "dwt/scheme.h"
#include "front/color_ops.h"

/* Kernels carry samples of 9/7 times this power of two, which lifting does not notice: block/unpack.cuh says why. */
#define WVL_INVERSE_UNIT 0x1p-32f

/* 2m + 1 above 2^24 rounds to nearest even. */
WVL_HD float wvl_inverse_magnitude(uint32_t m, float half_step)
{
#ifdef __CUDA_ARCH__
    return __fmul_rn(__uint2float_rn(2 * m + (m != 0)), half_step);
#else
    return (float)(2 * m + (m != 0)) * half_step;
#endif
}

/* x - ((a + b + 2) >> 2), as one three-input addition and one shifted addition, and x + ((a + b) >> 1) (F.3.8.1). */
WVL_HD int32_t wvl_inverse53_low(int32_t x, int32_t a, int32_t b) { return x + ((1 - a - b) >> 2); }
WVL_HD int32_t wvl_inverse53_high(int32_t x, int32_t a, int32_t b) { return x + ((a + b) >> 1); }

/* G.2: y, b - g, r - g to r, g, b. */
WVL_HD void wvl_inverse_rct(int32_t *p0, int32_t *p1, int32_t *p2)
{
    int32_t u = *p1, v = *p2, g = *p0 - ((u + v) >> 2);
    *p0 = v + g;
    *p1 = g;
    *p2 = u + g;
}

/* y, b - y, r - y to r, g, b: 0.587 (g - y) = -0.114 (b - y) - 0.299 (r - y). */
#define WVL_ICT_GREEN_BLUE (-0.19420783645655877f)
#define WVL_ICT_GREEN_RED (-0.50936967632027257f)

WVL_HD void wvl_inverse_ict(float *p0, float *p1, float *p2)
{
    float y = *p0, b = *p1, r = *p2;
#ifdef __CUDA_ARCH__
    *p0 = __fadd_rn(y, r);
    *p1 = __fmaf_rn(WVL_ICT_GREEN_RED, r, __fmaf_rn(WVL_ICT_GREEN_BLUE, b, y));
    *p2 = __fadd_rn(y, b);
#else
    *p0 = y + r;
    *p1 = fmaf(WVL_ICT_GREEN_RED, r, fmaf(WVL_ICT_GREEN_BLUE, b, y));
    *p2 = y + b;
#endif
}

/*
 * Level-shifted samples to stored ones. Up to 8 bits: v + half, to the nearest integer (ties to even), clamped. Deeper
 * ones without a conversion: (v + half) / top, clamped to [0, 1], times top, to the nearest integer as the low bits of
 * 2^23 + it; what the roundings on the way may move lies within 2^-7 of a tie for 16 bits.
 */
typedef struct wvl_inverse_scale {
    float up, down, shift, half;
} wvl_inverse_scale;

WVL_HD wvl_inverse_scale wvl_inverse_set_scale(unsigned depth, uint32_t half)
{
    float top = (float)((1u << depth) - 1);
    wvl_inverse_scale s = {top, 1.0f / top, (float)half / top, (float)half};
    return s;
}

WVL_HD uint32_t wvl_inverse_store(float v, wvl_inverse_scale s)
{
#ifdef __CUDA_ARCH__
    if (s.up < 256.0f) {
        return (uint32_t)min(max(__float2int_rn(__fadd_rn(v, s.half)), 0), (int)s.up);
    }
    return __float_as_uint(__fmaf_rn(__saturatef(__fmaf_rn(v, s.down, s.shift)), s.up, 8388608.0f)) & 0x7fffffu;
#else
    union {
        float f;
        uint32_t i;
    } u;
    float z = s.up < 256.0f ? v + s.half : fmaf(v, s.down, s.shift), top = s.up < 256.0f ? s.up : 1.0f;
    z = z < 0.0f ? 0.0f : z > top ? top : z;
    u.f = s.up < 256.0f ? z + 8388608.0f : fmaf(z, s.up, 8388608.0f);
    return u.i & 0x7fffffu;
#endif
}
