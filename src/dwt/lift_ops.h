/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arithmetic of the transforms, shared by the C reference and the device kernels; SIMD twins re-express it
 * operation by operation. Every float operation below is one correctly rounded operation: the sum of the neighbours is
 * rounded, then one fused multiply-add. a + b is commutative, so symmetric extension of the samples and of the lifted
 * values give the same bits.
 */
#pragma once

#include <math.h>
#include <stdint.h>

#include "base/hd.h"

WVL_HD float wvl_lift97_step(float c, float a, float b, float x)
{
#ifdef __CUDA_ARCH__
    return __fmaf_rn(c, __fadd_rn(a, b), x);
#else
    return fmaf(c, a + b, x);
#endif
}

/* 5/3 (F.4.8.1). >> of a negative value is a floor on every supported compiler. */
WVL_HD int32_t wvl_lift53_high(int32_t x, int32_t a, int32_t b) { return x - ((a + b) >> 1); }
WVL_HD int32_t wvl_lift53_low(int32_t x, int32_t a, int32_t b) { return x + ((a + b + 2) >> 2); }
WVL_HD int64_t wvl_lift53_high_wide(int64_t x, int64_t a, int64_t b) { return x - ((a + b) >> 1); }
WVL_HD int64_t wvl_lift53_low_wide(int64_t x, int64_t a, int64_t b) { return x + ((a + b + 2) >> 2); }

/* Whole-sample symmetric extension (F.4.7): the coordinate in [first, end) that any coordinate stands for; at least two
 * samples. */
WVL_HD uint32_t wvl_lift_reflect(int64_t at, uint32_t first, uint32_t end)
{
    int64_t last = (int64_t)end - 1 - first, folded = (at - (int64_t)first) % (2 * last);
    folded = folded < 0 ? folded + 2 * last : folded;
    return (uint32_t)(first + (folded <= last ? folded : 2 * last - folded));
}
