/* SPDX-License-Identifier: BSD-2-Clause */
/* Integer helpers. Coordinates of the reference grid reach 2^32 - 1, so all of geometry is computed in 64 bits. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/hd.h"

WVL_HD uint64_t wvl_ceil_div(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }
WVL_HD uint64_t wvl_ceil_shift(uint64_t a, unsigned s)
{
    return s > 63 ? (a != 0) : (a + (((uint64_t)1 << s) - 1)) >> s;
}
WVL_HD uint64_t wvl_align_up(uint64_t a, uint64_t power_of_two) { return (a + power_of_two - 1) & ~(power_of_two - 1); }
WVL_HD uint64_t wvl_min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }
WVL_HD uint64_t wvl_max_u64(uint64_t a, uint64_t b) { return a > b ? a : b; }
WVL_HD uint32_t wvl_min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }
WVL_HD uint32_t wvl_max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* 128 bits, for products of 64. */
__extension__ typedef __int128 wvl_wide;
__extension__ typedef unsigned __int128 wvl_uwide;

/* Number of significant bits; 0 for 0. */
WVL_HD unsigned wvl_bit_length(uint64_t v)
{
#ifdef __CUDA_ARCH__
    return 64u - (unsigned)__clzll((long long)v);
#else
    return v ? 64u - (unsigned)__builtin_clzll(v) : 0;
#endif
}

/* Saturating: a result that does not fit becomes UINT64_MAX, which no limit admits. */
WVL_HD uint64_t wvl_mul_saturate(uint64_t a, uint64_t b) { return b && a > UINT64_MAX / b ? UINT64_MAX : a * b; }
WVL_HD uint64_t wvl_add_saturate(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }
