/* SPDX-License-Identifier: BSD-2-Clause */
/* AVX2 and FMA twins of the quantiser and of sign-magnitude packing; the proofs are in dwt/quant.h. */
#include "dwt/x86/pack_avx2.h"

#include <immintrin.h>

#include "dwt/quant.h"

/* Eight magnitudes and, in bit 31, the signs of those that are not zero. */
typedef struct signed8 {
    __m256i magnitude, sign;
} signed8;

static inline __m256i load(const void *p) { return _mm256_loadu_si256((const __m256i *)p); }

static inline signed8 from_i32(const void *x, __m256 r)
{
    (void)r;
    __m256i v = load(x);
    signed8 q = {_mm256_abs_epi32(v), _mm256_and_si256(v, _mm256_set1_epi32(INT32_MIN))};
    return q;
}

/* x as an integer has the sign of the float, and is 0 only for +0: -m of a zero magnitude is 0 again. */
static inline __m256i sign_of(__m256 x, __m256i magnitude)
{
    return _mm256_and_si256(_mm256_sign_epi32(magnitude, _mm256_castps_si256(x)), _mm256_set1_epi32(INT32_MIN));
}

static inline signed8 from_f32(const void *p, __m256 r)
{
    __m256 x = _mm256_loadu_ps((const float *)p), a = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x);
    __m256i i = _mm256_cvttps_epi32(_mm256_mul_ps(a, r));
    __m256 error = _mm256_fmsub_ps(a, r, _mm256_cvtepi32_ps(i));
    __m256i m = _mm256_add_epi32(i, _mm256_srai_epi32(_mm256_castps_si256(error), 31));
    signed8 q = {m, sign_of(x, m)};
    return q;
}

static inline __m128i magnitudes_deep(__m128 a, __m128 r)
{
    return _mm256_cvttpd_epi32(_mm256_mul_pd(_mm256_cvtps_pd(a), _mm256_cvtps_pd(r)));
}

static inline signed8 from_f32_deep(const void *p, __m256 r)
{
    __m256 x = _mm256_loadu_ps((const float *)p), a = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x);
    __m128i lo = magnitudes_deep(_mm256_castps256_ps128(a), _mm256_castps256_ps128(r));
    __m128i hi = magnitudes_deep(_mm256_extractf128_ps(a, 1), _mm256_castps256_ps128(r));
    __m256i m = _mm256_inserti128_si256(_mm256_castsi128_si256(lo), hi, 1);
    signed8 q = {m, sign_of(x, m)};
    return q;
}

static inline __m256i word32(signed8 q) { return _mm256_or_si256(q.magnitude, q.sign); }
static inline __m256i word16(signed8 q) { return _mm256_or_si256(q.magnitude, _mm256_srli_epi32(q.sign, 16)); }

/* All ones in the first n of eight lanes. */
static inline __m256i first_lanes(uint32_t n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

static inline uint32_t or_lanes(__m256i v)
{
    __m128i h = _mm_or_si128(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    uint64_t q = (uint64_t)_mm_cvtsi128_si64(_mm_or_si128(h, _mm_unpackhi_epi64(h, h)));
    return (uint32_t)(q | q >> 32);
}

/* How eight samples become magnitudes. Always a constant after inlining. */
typedef signed8 (*from8)(const void *x, __m256 r);

/* The last, partial vector is computed whole (a line has room) and counted only where it has samples. */
__attribute__((always_inline)) static inline uint32_t pack_16(const uint32_t *x, uint32_t n, float r, uint16_t *out,
                                                              from8 from)
{
    __m256 rr = _mm256_set1_ps(r);
    __m256i bound = _mm256_setzero_si256();
    uint32_t i = 0;
    for (; i + 16 <= n; i += 16) {
        signed8 a = from(x + i, rr), b = from(x + i + 8, rr);
        bound = _mm256_or_si256(bound, _mm256_or_si256(a.magnitude, b.magnitude));
        __m256i words = _mm256_permute4x64_epi64(_mm256_packus_epi32(word16(a), word16(b)), 0xD8);
        _mm256_storeu_si256((__m256i *)(void *)(out + i), words);
    }
    for (; i < n; i += 8) {
        signed8 a = from(x + i, rr);
        bound = _mm256_or_si256(bound, _mm256_and_si256(a.magnitude, first_lanes(n - i)));
        __m256i words = word16(a);
        __m128i packed = _mm_packus_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
        _mm_storeu_si128((__m128i *)(void *)(out + i), packed);
    }
    return or_lanes(bound);
}

__attribute__((always_inline)) static inline uint32_t pack_32(const uint32_t *x, uint32_t n, float r, uint32_t *out,
                                                              from8 from)
{
    __m256 rr = _mm256_set1_ps(r);
    __m256i bound = _mm256_setzero_si256();
    for (uint32_t i = 0; i < n; i += 8) {
        signed8 a = from(x + i, rr);
        __m256i counted = n - i < 8 ? _mm256_and_si256(a.magnitude, first_lanes(n - i)) : a.magnitude;
        bound = _mm256_or_si256(bound, counted);
        _mm256_storeu_si256((__m256i *)(void *)(out + i), word32(a));
    }
    return or_lanes(bound);
}

uint32_t wvl_dwt_pack_i32_16_avx2(const void *x, uint32_t n, float r, void *slot)
{
    return pack_16(x, n, r, slot, from_i32);
}
uint32_t wvl_dwt_pack_i32_32_avx2(const void *x, uint32_t n, float r, void *slot)
{
    return pack_32(x, n, r, slot, from_i32);
}
uint32_t wvl_dwt_pack_f32_16_avx2(const void *x, uint32_t n, float r, void *slot)
{
    return pack_16(x, n, r, slot, from_f32);
}
uint32_t wvl_dwt_pack_f32_32_avx2(const void *x, uint32_t n, float r, void *slot)
{
    return pack_32(x, n, r, slot, from_f32);
}
uint32_t wvl_dwt_pack_f32_32_deep_avx2(const void *x, uint32_t n, float r, void *slot)
{
    return pack_32(x, n, r, slot, from_f32_deep);
}

/* Deep samples are rare: the compiler's own vectors will do. */
uint32_t wvl_dwt_pack_i64_32_avx2(const void *x, uint32_t n, float r, void *slot)
{
    const int64_t *v = x;
    uint32_t *out = slot, bound = 0;
    (void)r;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t m = (uint32_t)(v[i] < 0 ? -v[i] : v[i]);
        bound |= m;
        out[i] = wvl_quant_sign32(m, v[i] < 0);
    }
    return bound;
}
