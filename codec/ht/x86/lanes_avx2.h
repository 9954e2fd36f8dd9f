/* SPDX-License-Identifier: BSD-2-Clause */
/* What codec/ht/cleanup_lanes.h wants, with eight quads in a vector. */
#pragma once

#include "base/lanes.h"

/* The last columns of a line, with 0 behind them; bytes <= 32. */
static inline __m256i load_part(const uint8_t *p, size_t bytes)
{
    uint8_t part[32] = {0};
    if (bytes == 32) {
        return _mm256_loadu_si256((const __m256i *)(const void *)p);
    }
    memcpy(part, p, bytes);
    return _mm256_loadu_si256((const __m256i *)(const void *)part);
}

static inline halves load16(const uint8_t *line, uint32_t count, unsigned shift, halves *sign)
{
    __m256i v = load_part(line, 2 * (size_t)count);
    *sign = (halves)_mm256_srli_epi16(v, 15);
    return (halves)_mm256_srl_epi16(_mm256_and_si256(v, _mm256_set1_epi16(0x7FFF)), _mm_cvtsi32_si128((int)shift));
}

/* Two vectors' low halves, below 2^16. */
static inline halves narrow(__m256i a, __m256i b)
{
    return (halves)_mm256_permute4x64_epi64(_mm256_packus_epi32(a, b), 0xD8);
}

static inline halves load32(const uint8_t *line, uint32_t count, unsigned shift, halves *sign)
{
    const __m256i magnitude = _mm256_set1_epi32(INT32_MAX);
    __m128i by = _mm_cvtsi32_si128((int)shift);
    uint32_t first = count < 8 ? count : 8;
    __m256i a = load_part(line, 4 * (size_t)first), b = load_part(line + 4 * first, 4 * (size_t)(count - first));
    *sign = narrow(_mm256_srli_epi32(a, 31), _mm256_srli_epi32(b, 31));
    return narrow(_mm256_srl_epi32(_mm256_and_si256(a, magnitude), by),
                  _mm256_srl_epi32(_mm256_and_si256(b, magnitude), by));
}

static inline halves less_one(halves v) { return (halves)_mm256_subs_epu16((__m256i)v, _mm256_set1_epi16(1)); }
static inline lanes greatest(lanes a, lanes b) { return (lanes)_mm256_max_epu32((__m256i)a, (__m256i)b); }

/* From the exponent of a float, which holds 16 bits exactly; that of 0 is 0. */
static inline lanes length(lanes v)
{
    __m256i exponent = _mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps((__m256i)v)), 23);
    return (lanes)_mm256_max_epi32(_mm256_sub_epi32(exponent, _mm256_set1_epi32(126)), _mm256_setzero_si256());
}

static inline lanes at_bit(lanes t, lanes U)
{
    __m256i bit = _mm256_sllv_epi32(_mm256_set1_epi32(0x10001), (__m256i)(U - 1));
    return (lanes)_mm256_srli_epi16(_mm256_cmpeq_epi16(_mm256_and_si256((__m256i)t, bit), bit), 15);
}

static inline lanes keep(lanes v, lanes n)
{
    __m256i low = _mm256_sllv_epi32(_mm256_set1_epi32(0xFFFF), (__m256i)(n & 0xFFFF)),
            high = _mm256_sllv_epi32(_mm256_set1_epi32(-65536), (__m256i)(n >> 16));
    return (lanes)_mm256_andnot_si256(_mm256_blend_epi16(low, high, 0xAA), (__m256i)v);
}

static inline pairs left(pairs v, pairs n) { return (pairs)_mm256_sllv_epi64((__m256i)v, (__m256i)n); }

static inline lanes behind(lanes before, lanes now)
{
    return (lanes)_mm256_alignr_epi8((__m256i)now, _mm256_permute2x128_si256((__m256i)before, (__m256i)now, 0x21), 12);
}

static inline pairs crossed(pairs v) { return (pairs)_mm256_shuffle_epi32((__m256i)v, 0x4E); }

static inline void put_even(uint64_t *to, pairs v)
{
    __m256i even = _mm256_permute4x64_epi64((__m256i)v, 0x08);
    _mm_storeu_si128((__m128i *)(void *)to, _mm256_castsi256_si128(even));
}

static inline void put_turns(uint64_t *to, pairs even, pairs odd)
{
    __m256i low = _mm256_unpacklo_epi64((__m256i)even, (__m256i)odd),
            high = _mm256_unpackhi_epi64((__m256i)even, (__m256i)odd);
    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256((__m256i *)(void *)(to + 4), _mm256_permute2x128_si256(low, high, 0x31));
}

static inline uint32_t mask_of(lanes v)
{
    __m256i none = _mm256_cmpeq_epi32((__m256i)v, _mm256_setzero_si256());
    return ~(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(none)) & 0xFF;
}

static inline uint32_t squeeze(uint32_t bits, uint32_t members) { return _pext_u32(bits, members); }
static inline lanes pick(const uint32_t *table, lanes index)
{
    return (lanes)_mm256_i32gather_epi32((const int *)(const void *)table, (__m256i)index, 4);
}
static inline pairs pick_pairs(const uint32_t *table, pairs index)
{
    return (pairs)_mm256_cvtepu32_epi64(_mm256_i64gather_epi32((const int *)(const void *)table, (__m256i)index, 4));
}
