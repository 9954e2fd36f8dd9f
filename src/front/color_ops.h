/* SPDX-License-Identifier: BSD-2-Clause */
/* Arithmetic of the component transforms, shared by the C reference and the device kernels. */
#pragma once

#include <math.h>
#include <stdint.h>

#include "base/hd.h"

/* G.3; rounded to float by the compiler. */
#define WVL_ICT_RED 0.299f
#define WVL_ICT_GREEN 0.587f
#define WVL_ICT_BLUE 0.114f

WVL_HD float wvl_ict_luma(float r, float g, float b)
{
#ifdef __CUDA_ARCH__
    return __fmaf_rn(WVL_ICT_RED, r, __fmaf_rn(WVL_ICT_GREEN, g, __fmul_rn(WVL_ICT_BLUE, b)));
#else
    return fmaf(WVL_ICT_RED, r, fmaf(WVL_ICT_GREEN, g, WVL_ICT_BLUE * b));
#endif
}

/* 15444-2 A.3.10, type 3: bits of a floating-point number, sign-extended, to an integer that ascends with the number.
 * low: the bits below the sign. It is its own inverse. */
WVL_HD int32_t wvl_nlt_complement(int32_t bits, uint32_t low)
{
    return (int32_t)((uint32_t)bits ^ ((uint32_t)(bits >> 31) & low));
}

/* G.2. Sums of four samples stay in 32 bits up to depth 28: |r + 2g + b| <= 2^29. */
WVL_HD int64_t wvl_rct_luma_wide(int64_t r, int64_t g, int64_t b) { return (r + 2 * g + b) >> 2; }
WVL_HD int32_t wvl_rct_luma(int32_t r, int32_t g, int32_t b) { return (r + 2 * g + b) >> 2; }
