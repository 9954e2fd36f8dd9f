/* SPDX-License-Identifier: BSD-2-Clause */
/* The AVX2 and FMA twins of dwt_c.c: eight lanes. */
#include "base/lanes.h"

static inline lanes deinterleave(const void *x, lanes *odd)
{
    __m256 a = (__m256)take(x), b = (__m256)take((const uint8_t *)x + sizeof(lanes));
    *odd = (lanes)_mm256_permute4x64_epi64((__m256i)_mm256_shuffle_ps(a, b, 0xDD), 0xD8);
    return (lanes)_mm256_permute4x64_epi64((__m256i)_mm256_shuffle_ps(a, b, 0x88), 0xD8);
}

static inline lanes next(lanes a, lanes b)
{
    __m256i mixed = _mm256_blend_epi32((__m256i)a, (__m256i)b, 0x01);
    return (lanes)_mm256_permutevar8x32_epi32(mixed, _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0));
}

static inline lanes before(lanes a, lanes b)
{
    __m256i mixed = _mm256_blend_epi32((__m256i)b, (__m256i)a, 0x80);
    return (lanes)_mm256_permutevar8x32_epi32(mixed, _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6));
}

static inline lanes absolute(lanes v) { return (lanes)_mm256_abs_epi32((__m256i)v); }

static inline void put_halves(uint16_t *to, lanes a, lanes b)
{
    put(to, (lanes)_mm256_permute4x64_epi64(_mm256_packus_epi32((__m256i)a, (__m256i)b), 0xD8));
}

static inline void give16(uint16_t *to, lanes v, uint32_t n)
{
    (void)n;
    __m128i low = _mm256_castsi256_si128((__m256i)v), high = _mm256_extracti128_si256((__m256i)v, 1);
    _mm_storeu_si128((__m128i *)(void *)to, _mm_packus_epi32(low, high));
}

#include "dwt/dwt_lanes.h"

const wvl_dwt_kernels wvl_dwt_kernels_avx2 = DWT_KERNELS(WVL_CPU_AVX2);
