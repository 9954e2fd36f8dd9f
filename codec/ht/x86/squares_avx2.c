/* SPDX-License-Identifier: BSD-2-Clause */
/* Squares of 16-bit samples, sixteen at a time. */
#include <immintrin.h>

#include "codec/ht/x86/refine_avx2.h"

/* Sums of pairs below 2^31 to sums of 64 bits. */
static inline __m256i add_pairs(__m256i to, __m256i pairs)
{
    to = _mm256_add_epi64(to, _mm256_and_si256(pairs, _mm256_set1_epi64x(UINT32_MAX)));
    return _mm256_add_epi64(to, _mm256_srli_epi64(pairs, 32));
}

static inline uint64_t total64(__m256i v)
{
    __m128i half = _mm_add_epi64(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    return (uint64_t)_mm_extract_epi64(half, 0) + (uint64_t)_mm_extract_epi64(half, 1);
}

typedef struct sums {
    __m256i m2, k2, kr, r, count;
} sums;

static inline void add_samples(sums *s, __m256i samples, __m128i P, __m256i fraction)
{
    const __m256i one = _mm256_set1_epi16(1);
    __m256i m = _mm256_and_si256(samples, _mm256_set1_epi16(0x7FFF)), k = _mm256_srl_epi16(m, P);
    __m256i is_told = _mm256_cmpgt_epi16(k, _mm256_setzero_si256()),
            r = _mm256_and_si256(_mm256_and_si256(m, fraction), is_told);
    s->m2 = add_pairs(s->m2, _mm256_madd_epi16(m, m));
    s->k2 = add_pairs(s->k2, _mm256_madd_epi16(k, k));
    s->kr = _mm256_add_epi32(s->kr, _mm256_madd_epi16(k, r)); /* k r <= m, so 2^27 in all */
    s->r = _mm256_add_epi32(s->r, _mm256_madd_epi16(r, one));
    s->count = _mm256_sub_epi32(s->count, _mm256_madd_epi16(is_told, one));
}

void wvl_ht_sum_squares_avx2(const wvl_block_input *in, unsigned P, wvl_ht_squares *squares)
{
    const __m256i zero = _mm256_setzero_si256(), fraction = _mm256_set1_epi16((short)((1u << P) - 1));
    const __m128i by = _mm_cvtsi32_si128((int)P);
    sums s = {zero, zero, zero, zero, zero};
    for (uint32_t y = 0; y < in->height; y++) {
        const uint16_t *p = (const uint16_t *)in->coefs + (size_t)y * in->stride;
        for (uint32_t x = 0; x < in->width; x += 16) {
            add_samples(&s, wvl_ht_load_columns(p + x, in->width - x), by, fraction);
        }
    }
    squares->m2 = total64(s.m2);
    squares->k2 = total64(s.k2);
    squares->kr = total64(add_pairs(zero, s.kr));
    squares->r = total64(add_pairs(zero, s.r));
    squares->count = total64(add_pairs(zero, s.count));
}
