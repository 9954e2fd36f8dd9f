/* SPDX-License-Identifier: BSD-2-Clause */
/* AVX-512 twins of dwt_c.c: what dwt_avx2.c does, sixteen pairs at a time. */
#include "dwt/dwt.h"

#include <immintrin.h>
#include <string.h>

#include "dwt/lift_ops.h"
#include "dwt/scheme.h"
#include "dwt/x86/pack_avx2.h"
#include "dwt/x86/pack_avx512.h"

/* The vector before the first pair starts 32 samples early; the last one, and the one after it, end at most 96 late. */
#if WVL_LINE_LEAD < 32 || WVL_LINE_TAIL < 96 + 16 || WVL_LINE_ROUND < 16
#error "lines lack the room that these kernels touch"
#endif

#define SAMPLE int64_t
#define HIGH wvl_lift53_high_wide
#define LOW wvl_lift53_low_wide
#define NAME(verb) verb##_i64
#include "dwt/lift53_tmpl.h"

static void vlift97(const wvl_vlift_rows *rows, uint32_t n)
{
    const __m512 alpha = _mm512_set1_ps(WVL_LIFT97_ALPHA), beta = _mm512_set1_ps(WVL_LIFT97_BETA);
    const __m512 gamma = _mm512_set1_ps(WVL_LIFT97_GAMMA), delta = _mm512_set1_ps(WVL_LIFT97_DELTA);
    const float *x0 = rows->x0, *x1 = rows->x1, *x2 = rows->x2, *dpp = rows->dpp;
    float *d = rows->d, *s = rows->s, *dp = rows->dp, *sp = rows->sp;
    for (uint32_t i = 0; i < n; i += 16) {
        __m512 even = _mm512_loadu_ps(x0 + i), d1p = _mm512_loadu_ps(dp + i), s1p = _mm512_loadu_ps(sp + i);
        __m512 d1 = _mm512_fmadd_ps(alpha, _mm512_add_ps(even, _mm512_loadu_ps(x2 + i)), _mm512_loadu_ps(x1 + i));
        __m512 s1 = _mm512_fmadd_ps(beta, _mm512_add_ps(d1p, d1), even);
        __m512 d2 = _mm512_fmadd_ps(gamma, _mm512_add_ps(s1p, s1), d1p);
        __m512 s2 = _mm512_fmadd_ps(delta, _mm512_add_ps(_mm512_loadu_ps(dpp + i), d2), s1p);
        _mm512_storeu_ps(d + i, d1);
        _mm512_storeu_ps(s + i, s1);
        _mm512_storeu_ps(dp + i, d2);
        _mm512_storeu_ps(sp + i, s2);
    }
}

static inline __m512i high53(__m512i x, __m512i a, __m512i b)
{
    return _mm512_sub_epi32(x, _mm512_srai_epi32(_mm512_add_epi32(a, b), 1));
}
static inline __m512i low53(__m512i x, __m512i a, __m512i b)
{
    return _mm512_add_epi32(x, _mm512_srai_epi32(_mm512_add_epi32(_mm512_add_epi32(a, b), _mm512_set1_epi32(2)), 2));
}

static void vlift53(const wvl_vlift_rows *rows, uint32_t n)
{
    const int32_t *x0 = rows->x0, *x1 = rows->x1, *x2 = rows->x2, *dp = rows->dp;
    int32_t *d = rows->d, *s = rows->s;
    for (uint32_t i = 0; i < n; i += 16) {
        __m512i even = _mm512_loadu_si512(x0 + i), before = _mm512_loadu_si512(dp + i);
        __m512i high = high53(_mm512_loadu_si512(x1 + i), even, _mm512_loadu_si512(x2 + i));
        _mm512_storeu_si512(d + i, high);
        _mm512_storeu_si512(s + i, low53(even, before, high));
    }
}

/* Copies samples of either kind. */
static void extend(uint8_t *line, uint32_t n, int reach)
{
    uint8_t *last = line + 4 * (uint64_t)(n - 1);
    for (int i = 1; i <= reach; i++) {
        int is_inside = n > (uint32_t)i;
        memcpy(line - 4 * i, line + 4 * (uint64_t)(is_inside ? (uint32_t)i : wvl_lift_reflect(-i, 0, n)), 4);
        memcpy(last + 4 * i,
               line + 4 * (uint64_t)(is_inside ? n - 1 - (uint32_t)i : wvl_lift_reflect((int64_t)n - 1 + i, 0, n)), 4);
    }
}

/* 32 samples into sixteen even and sixteen odd ones. */
static inline __m512i deinterleave(const int32_t *x, __m512i *odd)
{
    const __m512i evens = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    __m512i a = _mm512_loadu_si512(x), b = _mm512_loadu_si512(x + 16);
    *odd = _mm512_permutex2var_epi32(a, _mm512_add_epi32(evens, _mm512_set1_epi32(1)), b);
    return _mm512_permutex2var_epi32(a, evens, b);
}

/* a1..a15, b0, and a15, b0..b14 */
static inline __m512i next(__m512i a, __m512i b) { return _mm512_alignr_epi32(b, a, 1); }
static inline __m512i before(__m512i a, __m512i b) { return _mm512_alignr_epi32(b, a, 15); }
static inline __m512 next_f32(__m512 a, __m512 b)
{
    return _mm512_castsi512_ps(next(_mm512_castps_si512(a), _mm512_castps_si512(b)));
}
static inline __m512 before_f32(__m512 a, __m512 b)
{
    return _mm512_castsi512_ps(before(_mm512_castps_si512(a), _mm512_castps_si512(b)));
}
static inline __m512 deinterleave_f32(const float *x, __m512 *odd)
{
    __m512i o, e = deinterleave((const int32_t *)(const void *)x, &o);
    *odd = _mm512_castsi512_ps(o);
    return _mm512_castsi512_ps(e);
}

/*
 * Pairs count from the first even sample. With odd parity, high sample 0 belongs to pair -1: the last lane of the
 * vector before the first. That vector reads the extension (and, in lanes that reach no result, whatever lies before
 * it).
 */
static void hlift97(void *line, uint32_t n, unsigned parity, void *low_line, void *high_line)
{
    const __m512 alpha = _mm512_set1_ps(WVL_LIFT97_ALPHA), beta = _mm512_set1_ps(WVL_LIFT97_BETA);
    const __m512 gamma = _mm512_set1_ps(WVL_LIFT97_GAMMA), delta = _mm512_set1_ps(WVL_LIFT97_DELTA);
    float *low = low_line, *high = (float *)high_line + parity;
    extend(line, n, WVL_LIFT97_REACH);
    const float *x = (const float *)line + parity;
    uint32_t pairs = (n + 1 - parity) / 2;
    __m512 odd, next_odd, even = deinterleave_f32(x - 32, &odd), next_even = deinterleave_f32(x, &next_odd);
    __m512 d1p = _mm512_fmadd_ps(alpha, _mm512_add_ps(even, next_f32(even, next_even)), odd);
    __m512 s1p = _mm512_fmadd_ps(beta, _mm512_add_ps(before_f32(d1p, d1p), d1p), even), d2p = d1p;
    for (uint32_t i = 0; i < pairs + 16; i += 16) {
        even = next_even;
        odd = next_odd;
        next_even = deinterleave_f32(x + 2 * (uint64_t)i + 32, &next_odd);
        __m512 d1 = _mm512_fmadd_ps(alpha, _mm512_add_ps(even, next_f32(even, next_even)), odd);
        __m512 s1 = _mm512_fmadd_ps(beta, _mm512_add_ps(before_f32(d1p, d1), d1), even);
        __m512 d2 = _mm512_fmadd_ps(gamma, _mm512_add_ps(s1p, next_f32(s1p, s1)), d1p);
        if (i) {
            __m512 s2 = _mm512_fmadd_ps(delta, _mm512_add_ps(before_f32(d2p, d2), d2), s1p);
            _mm512_storeu_ps(low + i - 16, s2);
            _mm512_storeu_ps(high + i - 16, d2);
        } else if (parity) {
            *(float *)high_line = _mm512_cvtss_f32(before_f32(d2, d2));
        }
        d1p = d1;
        s1p = s1;
        d2p = d2;
    }
}

static void hlift53(void *line, uint32_t n, unsigned parity, void *low_line, void *high_line)
{
    int32_t *low = low_line, *high = (int32_t *)high_line + parity;
    extend(line, n, WVL_LIFT53_REACH);
    const int32_t *x = (const int32_t *)line + parity;
    uint32_t pairs = (n + 1 - parity) / 2;
    __m512i odd, next_odd, even, next_even = deinterleave(x, &next_odd);
    int32_t first = wvl_lift53_high(x[-1], x[-2], x[0]);
    __m512i dp = _mm512_set1_epi32(first);
    if (parity) {
        high[-1] = first;
    }
    for (uint32_t i = 0; i < pairs; i += 16) {
        even = next_even;
        odd = next_odd;
        next_even = deinterleave(x + 2 * (uint64_t)i + 32, &next_odd);
        __m512i d = high53(odd, even, next(even, next_even));
        _mm512_storeu_si512(low + i, low53(even, before(dp, d), d));
        _mm512_storeu_si512(high + i, d);
        dp = d;
    }
}

const wvl_dwt_kernels wvl_dwt_kernels_avx512 = {
    WVL_CPU_AVX512,
    {vlift53, vlift53_i64, vlift97},
    {hlift53, hlift53_i64, hlift97},
    {wvl_dwt_pack_i32_16_avx512, wvl_dwt_pack_i32_32_avx512, wvl_dwt_pack_i64_32_avx2, wvl_dwt_pack_f32_16_avx512,
     wvl_dwt_pack_f32_32_avx512, wvl_dwt_pack_f32_32_deep_avx2},
};
