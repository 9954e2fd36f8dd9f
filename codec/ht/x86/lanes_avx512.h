/* SPDX-License-Identifier: BSD-2-Clause */
/* What codec/ht/cleanup_lanes.h wants, with sixteen quads in a vector. */
#pragma once

#include "base/lanes.h"

static inline halves load16(const uint8_t *line, uint32_t count, unsigned shift, halves *sign)
{
    __m512i v = _mm512_maskz_loadu_epi16((__mmask32)((UINT64_C(1) << count) - 1), line);
    *sign = (halves)_mm512_srli_epi16(v, 15);
    return (halves)_mm512_srl_epi16(_mm512_and_si512(v, _mm512_set1_epi16(0x7FFF)), _mm_cvtsi32_si128((int)shift));
}

/* Two vectors' low halves. */
static inline halves narrow(__m512i a, __m512i b)
{
    return (halves)_mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi32_epi16(a)), _mm512_cvtepi32_epi16(b), 1);
}

static inline halves load32(const uint8_t *line, uint32_t count, unsigned shift, halves *sign)
{
    uint32_t there = (uint32_t)((UINT64_C(1) << count) - 1);
    __m128i by = _mm_cvtsi32_si128((int)shift);
    __m512i a = _mm512_maskz_loadu_epi32((__mmask16)there, line),
            b = _mm512_maskz_loadu_epi32((__mmask16)(there >> 16), line + 64);
    const __m512i magnitude = _mm512_set1_epi32(INT32_MAX);
    *sign = narrow(_mm512_srli_epi32(a, 31), _mm512_srli_epi32(b, 31));
    return narrow(_mm512_srl_epi32(_mm512_and_si512(a, magnitude), by),
                  _mm512_srl_epi32(_mm512_and_si512(b, magnitude), by));
}

static inline halves less_one(halves v) { return (halves)_mm512_subs_epu16((__m512i)v, _mm512_set1_epi16(1)); }
static inline lanes greatest(lanes a, lanes b) { return (lanes)_mm512_max_epu32((__m512i)a, (__m512i)b); }
static inline lanes length(lanes v) { return 32 - (lanes)_mm512_lzcnt_epi32((__m512i)v); }
static inline lanes at_bit(lanes t, lanes U)
{
    return (lanes)_mm512_srlv_epi16((__m512i)t, (__m512i)((U | U << 16) - 0x10001)) & 0x10001;
}
static inline lanes keep(lanes v, lanes n)
{
    return (lanes)_mm512_andnot_si512(_mm512_sllv_epi16(_mm512_set1_epi16(-1), (__m512i)n), (__m512i)v);
}
static inline pairs left(pairs v, pairs n) { return (pairs)_mm512_sllv_epi64((__m512i)v, (__m512i)n); }
static inline lanes behind(lanes before, lanes now)
{
    return (lanes)_mm512_alignr_epi32((__m512i)now, (__m512i)before, 15);
}
static inline pairs crossed(pairs v) { return (pairs)_mm512_shuffle_epi32((__m512i)v, _MM_PERM_BADC); }
static inline void put_even(uint64_t *to, pairs v)
{
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(0x55, (__m512i)v));
}
static inline void put_turns(uint64_t *to, pairs even, pairs odd)
{
    const __m512i low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11),
                  high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    _mm512_storeu_si512(to, _mm512_permutex2var_epi64((__m512i)even, low, (__m512i)odd));
    _mm512_storeu_si512(to + 8, _mm512_permutex2var_epi64((__m512i)even, high, (__m512i)odd));
}
static inline uint32_t mask_of(lanes v) { return _mm512_test_epi32_mask((__m512i)v, (__m512i)v); }
static inline uint32_t squeeze(uint32_t bits, uint32_t members) { return _pext_u32(bits, members); }
static inline lanes pick(const uint32_t *table, lanes index)
{
    return (lanes)_mm512_i32gather_epi32((__m512i)index, table, 4);
}
static inline pairs pick_pairs(const uint32_t *table, pairs index)
{
    return (pairs)_mm512_cvtepu32_epi64(_mm512_i64gather_epi32((__m512i)index, table, 4));
}
