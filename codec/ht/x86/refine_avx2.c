/* SPDX-License-Identifier: BSD-2-Clause */
/* Stripes and sums of 16-bit samples, sixteen columns at a time. */
#include <immintrin.h>
#include <string.h>

#include "codec/ht/refine.h"
#include "codec/ht/x86/refine_avx2.h"

static inline void store_columns(uint8_t *p, __m256i words)
{
    _mm_storeu_si128((__m128i *)(void *)p,
                     _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1)));
}

/* Up to four rows of sixteen columns. Stores go beyond the last column: with 0, and before the next stripe is written.
 */
static inline void load_columns_of(wvl_ht_scratch *s, const uint16_t *p, uint32_t stride, uint32_t rows,
                                   uint32_t columns, unsigned shift, uint32_t i)
{
    const __m256i magnitude = _mm256_set1_epi16(0x7FFF), zero = _mm256_setzero_si256(), one = _mm256_set1_epi16(1);
    __m256i own = zero, bits = zero, negative = zero;
    __m128i by = _mm_cvtsi32_si128((int)shift - 1);
    for (uint32_t row = 0; row < rows; row++) {
        __m256i v = wvl_ht_load_columns(p + (size_t)row * stride, columns),
                m = _mm256_srl_epi16(_mm256_and_si256(v, magnitude), by);
        __m128i place = _mm_cvtsi32_si128((int)row);
        own = _mm256_or_si256(own, _mm256_sll_epi16(_mm256_and_si256(_mm256_cmpgt_epi16(m, one), one), place));
        bits = _mm256_or_si256(bits, _mm256_sll_epi16(_mm256_and_si256(m, one), place));
        negative = _mm256_or_si256(negative, _mm256_sll_epi16(_mm256_srli_epi16(v, 15), place));
    }
    store_columns(s->significant + i, own);
    store_columns(s->bit + i, bits);
    store_columns(s->negative + i, negative);
}

static void load_stripes(wvl_ht_scratch *s, const wvl_block_input *in, unsigned shift)
{
    if (in->coef_bytes != 2) {
        wvl_ht_load_stripes_c(s, in, shift);
        return;
    }
    uint32_t width = in->width, height = in->height;
    wvl_ht_clear_stripes(s, in);
    for (uint32_t y = 0; y < height; y += 4) {
        const uint16_t *p = (const uint16_t *)in->coefs + (size_t)y * in->stride;
        for (uint32_t x = 0; x < width; x += 16) {
            load_columns_of(s, p + x, in->stride, height - y < 4 ? height - y : 4, width - x, shift,
                            (y / 4 + 1) * (width + 2) + x + 1);
        }
    }
}

#include "codec/ht/refine_code.h"

wvl_ht_refinement wvl_ht_encode_refinement_avx2(wvl_ht_scratch *s, const wvl_block_input *in, unsigned plane,
                                                int with_magref, uint8_t *to)
{
    return encode_refinement(s, in, plane, with_magref, to);
}

/* All ones where the nibble of the column has the row's bit. */
static inline __m256i members_of_row(const uint8_t *nibbles, __m256i place)
{
    __m256i words = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)nibbles));
    return _mm256_cmpeq_epi16(_mm256_and_si256(words, place), place);
}

static inline uint64_t add_words(__m256i v)
{
    __m128i half = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4E));
    return (uint32_t)_mm_cvtsi128_si32(_mm_add_epi32(half, _mm_shuffle_epi32(half, 0xB1)));
}

/* Magnitudes have 15 bits and blocks 4096 samples: no sum leaves 27 bits. */
void wvl_ht_sum_plane_avx2(const wvl_ht_scratch *s, const wvl_block_input *in, unsigned P, wvl_ht_sums *sums)
{
    if (in->coef_bytes != 2) {
        wvl_ht_sum_plane_c(s, in, P, sums);
        return;
    }
    const __m256i one = _mm256_set1_epi16(1), middle = _mm256_set1_epi16((short)(1 << P)),
                  lower = _mm256_set1_epi16((short)((2 << P) - 1));
    __m256i sum[WVL_HT_PARTS], count[WVL_HT_PARTS];
    for (int part = 0; part < WVL_HT_PARTS; part++) {
        sum[part] = count[part] = _mm256_setzero_si256();
    }
    for (uint32_t y = 0; y < in->height; y++) {
        const uint16_t *p = (const uint16_t *)in->coefs + (size_t)y * in->stride;
        __m256i place = _mm256_set1_epi16((short)(1 << (y & 3)));
        for (uint32_t x = 0; x < in->width; x += 16) {
            uint32_t i = (y / 4 + 1) * (in->width + 2u) + x + 1, left = in->width - x;
            const __m256i columns = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            __m256i there = _mm256_cmpgt_epi16(_mm256_set1_epi16((short)(left < 16 ? left : 16)), columns);
            __m256i low = _mm256_and_si256(wvl_ht_load_columns(p + x, left), lower), value[WVL_HT_PARTS],
                    member[WVL_HT_PARTS];
            member[WVL_HT_MAGREF] = _mm256_and_si256(members_of_row(s->significant + i, place), there);
            member[WVL_HT_SIGPROP] = _mm256_and_si256(members_of_row(s->fresh + i, place), there);
            __m256i told = _mm256_or_si256(member[WVL_HT_MAGREF], member[WVL_HT_SIGPROP]);
            member[WVL_HT_REST] = _mm256_andnot_si256(told, _mm256_and_si256(members_of_row(s->bit + i, place), there));
            value[WVL_HT_MAGREF] = _mm256_abs_epi16(_mm256_sub_epi16(low, middle));
            value[WVL_HT_SIGPROP] = value[WVL_HT_REST] = low;
            for (int part = 0; part < WVL_HT_PARTS; part++) {
                sum[part] =
                    _mm256_add_epi32(sum[part], _mm256_madd_epi16(_mm256_and_si256(value[part], member[part]), one));
                count[part] = _mm256_sub_epi32(count[part], _mm256_madd_epi16(member[part], one));
            }
        }
    }
    for (int part = 0; part < WVL_HT_PARTS; part++) {
        sums->sum[part] = add_words(sum[part]);
        sums->count[part] = add_words(count[part]);
    }
}
