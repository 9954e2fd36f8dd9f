/* SPDX-License-Identifier: BSD-2-Clause */
/* The AVX-512 twins of dwt_c.c: sixteen lanes. */
#include "base/lanes.h"

static inline lanes deinterleave(const void *x, lanes *odd)
{
    const __m512i evens = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    __m512i a = (__m512i)take(x), b = (__m512i)take((const uint8_t *)x + sizeof(lanes));
    *odd = (lanes)_mm512_permutex2var_epi32(a, _mm512_add_epi32(evens, _mm512_set1_epi32(1)), b);
    return (lanes)_mm512_permutex2var_epi32(a, evens, b);
}

static inline lanes next(lanes a, lanes b) { return (lanes)_mm512_alignr_epi32((__m512i)b, (__m512i)a, 1); }
static inline lanes before(lanes a, lanes b) { return (lanes)_mm512_alignr_epi32((__m512i)b, (__m512i)a, 15); }
static inline lanes absolute(lanes v) { return (lanes)_mm512_abs_epi32((__m512i)v); }

static inline lanes magnitudes(floats a, floats r)
{
    return (lanes)_mm512_cvttps_epi32(
        _mm512_mul_round_ps((__m512)a, (__m512)r, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
}

static inline void put_halves(uint16_t *to, lanes a, lanes b)
{
    _mm256_storeu_si256((__m256i *)(void *)to, _mm512_cvtepi32_epi16((__m512i)a));
    _mm256_storeu_si256((__m256i *)(void *)(to + LANES), _mm512_cvtepi32_epi16((__m512i)b));
}

static inline __mmask16 first_lanes(uint32_t n) { return (__mmask16)(n < LANES ? (1u << n) - 1 : 0xFFFF); }

static inline void give16(uint16_t *to, lanes v, uint32_t n)
{
    _mm256_mask_storeu_epi16(to, first_lanes(n), _mm512_cvtepi32_epi16((__m512i)v));
}

static inline void give32(uint32_t *to, lanes v, uint32_t n)
{
    _mm512_mask_storeu_epi32(to, first_lanes(n), (__m512i)v);
}

#include "dwt/dwt_lanes.h"

const wvl_dwt_kernels wvl_dwt_kernels_avx512 = DWT_KERNELS(WVL_CPU_AVX512);
