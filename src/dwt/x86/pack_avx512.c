/* SPDX-License-Identifier: BSD-2-Clause */
/* AVX-512 twins of the quantiser and of sign-magnitude packing. A product rounded toward zero has its floor at once
 * (dwt/quant.h). */
#include "dwt/x86/pack_avx512.h"

#include <immintrin.h>

/* Sixteen magnitudes, and which of those that are not zero are negative. */
typedef struct signed16 {
    __m512i magnitude;
    __mmask16 negative;
} signed16;

static inline signed16 from_i32(__m512i v, __m512 r)
{
    (void)r;
    return (signed16){_mm512_abs_epi32(v), _mm512_movepi32_mask(v)};
}

static inline signed16 from_f32(__m512i v, __m512 r)
{
    __m512 a = _mm512_castsi512_ps(_mm512_and_si512(v, _mm512_set1_epi32(0x7FFFFFFF)));
    __m512i m = _mm512_cvttps_epi32(_mm512_mul_round_ps(a, r, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
    return (signed16){m, _mm512_mask_test_epi32_mask(_mm512_movepi32_mask(v), m, m)};
}

/* How sixteen samples become magnitudes. Always a constant after inlining. */
typedef signed16 (*from16)(__m512i v, __m512 r);

static inline __m256i word16(signed16 q)
{
    return _mm512_cvtepi32_epi16(_mm512_mask_or_epi32(q.magnitude, q.negative, q.magnitude, _mm512_set1_epi32(0x8000)));
}

static inline __m512i word32(signed16 q)
{
    return _mm512_mask_or_epi32(q.magnitude, q.negative, q.magnitude, _mm512_set1_epi32(INT32_MIN));
}

static inline __mmask16 first_lanes(uint32_t n) { return (__mmask16)((1u << n) - 1); }

__attribute__((always_inline)) static inline uint32_t pack_16(const uint32_t *x, uint32_t n, float r, uint16_t *out,
                                                              from16 from)
{
    const __m512 rr = _mm512_set1_ps(r);
    __m512i bound = _mm512_setzero_si512();
    uint32_t i = 0;
    for (; i + 16 <= n; i += 16) {
        signed16 q = from(_mm512_loadu_si512(x + i), rr);
        bound = _mm512_or_si512(bound, q.magnitude);
        _mm256_storeu_si256((__m256i *)(void *)(out + i), word16(q));
    }
    if (i < n) {
        signed16 q = from(_mm512_maskz_loadu_epi32(first_lanes(n - i), x + i), rr);
        bound = _mm512_or_si512(bound, q.magnitude);
        _mm256_mask_storeu_epi16(out + i, first_lanes(n - i), word16(q));
    }
    return (uint32_t)_mm512_reduce_or_epi32(bound);
}

__attribute__((always_inline)) static inline uint32_t pack_32(const uint32_t *x, uint32_t n, float r, uint32_t *out,
                                                              from16 from)
{
    const __m512 rr = _mm512_set1_ps(r);
    __m512i bound = _mm512_setzero_si512();
    for (uint32_t i = 0; i < n; i += 16) {
        __mmask16 lanes = n - i < 16 ? first_lanes(n - i) : 0xFFFF;
        signed16 q = from(_mm512_maskz_loadu_epi32(lanes, x + i), rr);
        bound = _mm512_or_si512(bound, q.magnitude);
        _mm512_mask_storeu_epi32(out + i, lanes, word32(q));
    }
    return (uint32_t)_mm512_reduce_or_epi32(bound);
}

uint32_t wvl_dwt_pack_i32_16_avx512(const void *x, uint32_t n, float r, void *slot)
{
    return pack_16(x, n, r, slot, from_i32);
}
uint32_t wvl_dwt_pack_i32_32_avx512(const void *x, uint32_t n, float r, void *slot)
{
    return pack_32(x, n, r, slot, from_i32);
}
uint32_t wvl_dwt_pack_f32_16_avx512(const void *x, uint32_t n, float r, void *slot)
{
    return pack_16(x, n, r, slot, from_f32);
}
uint32_t wvl_dwt_pack_f32_32_avx512(const void *x, uint32_t n, float r, void *slot)
{
    return pack_32(x, n, r, slot, from_f32);
}
