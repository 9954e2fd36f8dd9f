/* SPDX-License-Identifier: BSD-2-Clause */
/* The cleanup pass on samples of 32 bits: they become quads four at a time, and quads streams one by one. */
#include <immintrin.h>
#include <string.h>

#include "codec/ht/x86/cleanup_wide_avx2.h"

static inline __m256i load(const void *p) { return _mm256_loadu_si256((const __m256i *)p); }
static inline void store(void *p, __m256i v) { _mm256_storeu_si256((__m256i *)p, v); }

/* Bits of 2 mu - 1, from those of mu - 1 and one more; 0 for mu = 0. Below the first bit of mu - 1 one is cleared, so
 * that the float is not rounded up to the next power of two. */
static inline __m256i exponents_of(__m256i mu)
{
    __m256i less = _mm256_add_epi32(mu, _mm256_set1_epi32(-1)),
            kept = _mm256_andnot_si256(_mm256_srli_epi32(less, 1), less);
    __m256i bits =
        _mm256_sub_epi32(_mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(kept)), 23), _mm256_set1_epi32(125));
    bits = _mm256_max_epi32(bits, _mm256_set1_epi32(1));
    return _mm256_and_si256(bits, _mm256_cmpgt_epi32(mu, _mm256_setzero_si256()));
}

/* Eight columns of two rows, four quads; exponents as bytes in the lower half. */
static inline __m256i gather_wide(__m256i above, __m256i below, __m128i shift, uint32_t *v)
{
    const __m256i magnitude = _mm256_set1_epi32(INT32_MAX), two = _mm256_set1_epi32(2);
    __m256i mu[2] = {_mm256_srl_epi32(_mm256_and_si256(above, magnitude), shift),
                     _mm256_srl_epi32(_mm256_and_si256(below, magnitude), shift)};
    __m256i w[2] = {_mm256_srli_epi32(above, 31), _mm256_srli_epi32(below, 31)}, low, high;
    for (int k = 0; k < 2; k++) {
        w[k] = _mm256_add_epi32(_mm256_sub_epi32(_mm256_add_epi32(mu[k], mu[k]), two), w[k]);
    }
    low = _mm256_unpacklo_epi32(w[0], w[1]);
    high = _mm256_unpackhi_epi32(w[0], w[1]);
    store(v, _mm256_permute2x128_si256(low, high, 0x20));
    store(v + 8, _mm256_permute2x128_si256(low, high, 0x31));
    low = exponents_of(_mm256_unpacklo_epi32(mu[0], mu[1]));
    high = exponents_of(_mm256_unpackhi_epi32(mu[0], mu[1]));
    __m256i bytes = _mm256_packus_epi16(_mm256_packus_epi32(low, high), _mm256_setzero_si256());
    return _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 1, 4, 5, 2, 3, 6, 7));
}

/* The last columns of a row, with 0 behind them. */
static inline __m256i load_part(const void *p, size_t bytes)
{
    uint8_t part[32] = {0};
    if (bytes == 32) {
        return load(p);
    }
    memcpy(part, p, bytes);
    return load(part);
}

static void gather(unsigned coef_bytes, const void *above, const void *below, uint32_t width, unsigned shift,
                   wvl_ht_row *row)
{
    const uint32_t *upper = above, *lower = below;
    (void)coef_bytes; /* 4 */
    __m128i count = _mm_cvtsi32_si128((int)shift);
    row->e[0] = 0;
    for (uint32_t x = 0; x < width; x += 8) {
        size_t bytes = 4 * (size_t)(width - x < 8 ? width - x : 8);
        __m256i first = load_part(upper + x, bytes),
                second = lower ? load_part(lower + x, bytes) : _mm256_setzero_si256();
        store(row->e + x / 2 + 1,
              gather_wide(first, second, count, row->v + 2 * x)); /* four quads, and 0 behind them */
    }
}

/* The fields of info side by side, by the bytes of eight words. */
static void describe(wvl_ht_row *row, uint32_t quads)
{
    const __m256i byte = _mm256_set1_epi32(0xFF), zero = _mm256_setzero_si256(), one = _mm256_set1_epi32(1),
                  places = _mm256_set1_epi32(0x08040201);
    for (uint32_t q = 0; q < quads; q += 8) {
        __m256i e = load(row->e + q + 1), left = _mm256_srli_epi32(load(row->e + q), 24),
                last = _mm256_srli_epi32(e, 24);
        __m256i right = _mm256_and_si256(_mm256_srli_epi32(load(row->e + q + 2), 8), byte),
                lower = _mm256_and_si256(_mm256_srli_epi32(e, 8), byte);
        __m256i top = _mm256_max_epu8(e, _mm256_srli_epi32(e, 16));
        top = _mm256_and_si256(_mm256_max_epu8(top, _mm256_srli_epi32(top, 8)), byte);
        __m256i below = _mm256_max_epi32(_mm256_max_epi32(left, lower), _mm256_max_epi32(last, right));
        __m256i kappa = _mm256_max_epi32(_mm256_sub_epi32(below, one), one);
        __m256i first =
            _mm256_andnot_si256(_mm256_cmpeq_epi32(_mm256_or_si256(left, lower), zero), _mm256_set1_epi32(1 << 4));
        __m256i third =
            _mm256_andnot_si256(_mm256_cmpeq_epi32(_mm256_or_si256(last, right), zero), _mm256_set1_epi32(4 << 4));
        __m256i spread = _mm256_mullo_epi32(top, _mm256_set1_epi32(0x01010101));
        __m256i ones = _mm256_set1_epi8(1), words = _mm256_set1_epi16(1);
        __m256i rho = _mm256_madd_epi16(
            _mm256_maddubs_epi16(_mm256_andnot_si256(_mm256_cmpeq_epi8(e, zero), places), ones), words);
        __m256i equal = _mm256_madd_epi16(
            _mm256_maddubs_epi16(_mm256_and_si256(_mm256_cmpeq_epi8(e, spread), places), ones), words);
        __m256i info =
            _mm256_or_si256(_mm256_or_si256(rho, _mm256_or_si256(first, third)), _mm256_slli_epi32(kappa, 8));
        store(row->info + q,
              _mm256_or_si256(info, _mm256_or_si256(_mm256_slli_epi32(top, 16), _mm256_slli_epi32(equal, 24))));
    }
}

#include "codec/ht/cleanup_code.h"

uint32_t wvl_ht_encode_cleanup_wide_avx2(wvl_ht_scratch *s, const wvl_block_input *in, unsigned plane, uint8_t *to)
{
    return encode_cleanup(s, in, plane, to);
}
