/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AVX2 and FMA twins of dwt_c.c. Horizontal kernels first write the symmetric extension into the room around the line,
 * then run over pairs (even, odd) eight at a time with the neighbours of the previous vector kept in registers.
 */
#include "dwt/dwt.h"

#include <immintrin.h>

#include "dwt/lift_ops.h"
#include "dwt/quant.h"
#include "dwt/scheme.h"
#include "dwt/x86/pack_avx2.h"

#if WVL_LINE_LEAD < 16 + WVL_LIFT97_REACH || WVL_LINE_TAIL < 64 || WVL_LINE_ROUND < 8
#error "lines lack the room that these kernels touch"
#endif

#define SAMPLE int64_t
#define HIGH wvl_lift53_high_wide
#define LOW wvl_lift53_low_wide
#define NAME(verb) verb##_i64
#include "dwt/lift53_tmpl.h"

static void vlift97(const wvl_vlift_rows *rows, uint32_t n)
{
    const __m256 alpha = _mm256_set1_ps(WVL_LIFT97_ALPHA), beta = _mm256_set1_ps(WVL_LIFT97_BETA);
    const __m256 gamma = _mm256_set1_ps(WVL_LIFT97_GAMMA), delta = _mm256_set1_ps(WVL_LIFT97_DELTA);
    const float *x0 = rows->x0, *x1 = rows->x1, *x2 = rows->x2, *dpp = rows->dpp;
    float *d = rows->d, *s = rows->s, *dp = rows->dp, *sp = rows->sp;
    for (uint32_t i = 0; i < n; i += 8) {
        __m256 even = _mm256_loadu_ps(x0 + i), d1p = _mm256_loadu_ps(dp + i), s1p = _mm256_loadu_ps(sp + i);
        __m256 d1 = _mm256_fmadd_ps(alpha, _mm256_add_ps(even, _mm256_loadu_ps(x2 + i)), _mm256_loadu_ps(x1 + i));
        __m256 s1 = _mm256_fmadd_ps(beta, _mm256_add_ps(d1p, d1), even);
        __m256 d2 = _mm256_fmadd_ps(gamma, _mm256_add_ps(s1p, s1), d1p);
        __m256 s2 = _mm256_fmadd_ps(delta, _mm256_add_ps(_mm256_loadu_ps(dpp + i), d2), s1p);
        _mm256_storeu_ps(d + i, d1);
        _mm256_storeu_ps(s + i, s1);
        _mm256_storeu_ps(dp + i, d2);
        _mm256_storeu_ps(sp + i, s2);
    }
}

static __m256i load_i32(const int32_t *p) { return _mm256_loadu_si256((const __m256i *)(const void *)p); }
static void store_i32(int32_t *p, __m256i v) { _mm256_storeu_si256((__m256i *)(void *)p, v); }

static __m256i high53(__m256i x, __m256i a, __m256i b)
{
    return _mm256_sub_epi32(x, _mm256_srai_epi32(_mm256_add_epi32(a, b), 1));
}
static __m256i low53(__m256i x, __m256i a, __m256i b)
{
    return _mm256_add_epi32(x, _mm256_srai_epi32(_mm256_add_epi32(_mm256_add_epi32(a, b), _mm256_set1_epi32(2)), 2));
}

static void vlift53(const wvl_vlift_rows *rows, uint32_t n)
{
    const int32_t *x0 = rows->x0, *x1 = rows->x1, *x2 = rows->x2, *dp = rows->dp;
    int32_t *d = rows->d, *s = rows->s;
    for (uint32_t i = 0; i < n; i += 8) {
        __m256i even = load_i32(x0 + i), before = load_i32(dp + i);
        __m256i high = high53(load_i32(x1 + i), even, load_i32(x2 + i));
        store_i32(d + i, high);
        store_i32(s + i, low53(even, before, high));
    }
}

static void extend_f32(float *x, uint32_t n)
{
    for (int i = 1; i <= WVL_LIFT97_REACH; i++) {
        x[-i] = x[wvl_lift_reflect(-i, 0, n)];
        x[(int64_t)n - 1 + i] = x[wvl_lift_reflect((int64_t)n - 1 + i, 0, n)];
    }
}

static void extend_i32(int32_t *x, uint32_t n)
{
    for (int i = 1; i <= WVL_LIFT53_REACH; i++) {
        x[-i] = x[wvl_lift_reflect(-i, 0, n)];
        x[(int64_t)n - 1 + i] = x[wvl_lift_reflect((int64_t)n - 1 + i, 0, n)];
    }
}

/* Sixteen samples into eight even and eight odd ones. */
static __m256 deinterleave_f32(const float *x, __m256 *odd)
{
    __m256 a = _mm256_loadu_ps(x), b = _mm256_loadu_ps(x + 8);
    __m256d even = _mm256_castps_pd(_mm256_shuffle_ps(a, b, 0x88)),
            other = _mm256_castps_pd(_mm256_shuffle_ps(a, b, 0xDD));
    *odd = _mm256_castpd_ps(_mm256_permute4x64_pd(other, 0xD8));
    return _mm256_castpd_ps(_mm256_permute4x64_pd(even, 0xD8));
}

static __m256i deinterleave_i32(const int32_t *x, __m256i *odd)
{
    __m256 o, e = deinterleave_f32((const float *)(const void *)x, &o);
    *odd = _mm256_castps_si256(o);
    return _mm256_castps_si256(e);
}

/* a1..a7, b0 */
static __m256 next_f32(__m256 a, __m256 b)
{
    return _mm256_permutevar8x32_ps(_mm256_blend_ps(a, b, 0x01), _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0));
}
/* a7, b0..b6 */
static __m256 before_f32(__m256 a, __m256 b)
{
    return _mm256_permutevar8x32_ps(_mm256_blend_ps(b, a, 0x80), _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6));
}
static __m256i next_i32(__m256i a, __m256i b)
{
    return _mm256_permutevar8x32_epi32(_mm256_blend_epi32(a, b, 0x01), _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0));
}
static __m256i before_i32(__m256i a, __m256i b)
{
    return _mm256_permutevar8x32_epi32(_mm256_blend_epi32(b, a, 0x80), _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6));
}

/*
 * Pairs count from the first even sample. With odd parity, high sample 0 belongs to pair -1: the last lane of the
 * vector before the first. That vector reads the extension (and, in lanes that reach no result, whatever lies before
 * it).
 */
static void hlift97(void *line, uint32_t n, unsigned parity, void *low_line, void *high_line)
{
    const __m256 alpha = _mm256_set1_ps(WVL_LIFT97_ALPHA), beta = _mm256_set1_ps(WVL_LIFT97_BETA);
    const __m256 gamma = _mm256_set1_ps(WVL_LIFT97_GAMMA), delta = _mm256_set1_ps(WVL_LIFT97_DELTA);
    float *low = low_line, *high = (float *)high_line + parity;
    extend_f32(line, n);
    const float *x = (const float *)line + parity;
    uint32_t pairs = (n + 1 - parity) / 2;
    __m256 odd, next_odd, even = deinterleave_f32(x - 16, &odd), next_even = deinterleave_f32(x, &next_odd);
    __m256 d1p = _mm256_fmadd_ps(alpha, _mm256_add_ps(even, next_f32(even, next_even)), odd);
    __m256 s1p = _mm256_fmadd_ps(beta, _mm256_add_ps(before_f32(d1p, d1p), d1p), even), d2p = d1p;
    for (uint32_t i = 0; i < pairs + 8; i += 8) {
        even = next_even;
        odd = next_odd;
        next_even = deinterleave_f32(x + 2 * (uint64_t)i + 16, &next_odd);
        __m256 d1 = _mm256_fmadd_ps(alpha, _mm256_add_ps(even, next_f32(even, next_even)), odd);
        __m256 s1 = _mm256_fmadd_ps(beta, _mm256_add_ps(before_f32(d1p, d1), d1), even);
        __m256 d2 = _mm256_fmadd_ps(gamma, _mm256_add_ps(s1p, next_f32(s1p, s1)), d1p);
        if (i) {
            __m256 s2 = _mm256_fmadd_ps(delta, _mm256_add_ps(before_f32(d2p, d2), d2), s1p);
            _mm256_storeu_ps(low + i - 8, s2);
            _mm256_storeu_ps(high + i - 8, d2);
        } else if (parity) {
            *(float *)high_line = _mm_cvtss_f32(_mm_permute_ps(_mm256_extractf128_ps(d2, 1), 0xFF));
        }
        d1p = d1;
        s1p = s1;
        d2p = d2;
    }
}

static void hlift53(void *line, uint32_t n, unsigned parity, void *low_line, void *high_line)
{
    int32_t *low = low_line, *high = (int32_t *)high_line + parity;
    extend_i32(line, n);
    const int32_t *x = (const int32_t *)line + parity;
    uint32_t pairs = (n + 1 - parity) / 2;
    __m256i odd, next_odd, even, next_even = deinterleave_i32(x, &next_odd);
    __m256i dp = _mm256_set1_epi32(wvl_lift53_high(x[-1], x[-2], x[0]));
    if (parity) {
        high[-1] = _mm256_extract_epi32(dp, 0);
    }
    for (uint32_t i = 0; i < pairs; i += 8) {
        even = next_even;
        odd = next_odd;
        next_even = deinterleave_i32(x + 2 * (uint64_t)i + 16, &next_odd);
        __m256i d = high53(odd, even, next_i32(even, next_even));
        store_i32(low + i, low53(even, before_i32(dp, d), d));
        store_i32(high + i, d);
        dp = d;
    }
}

const wvl_dwt_kernels wvl_dwt_kernels_avx2 = {
    WVL_CPU_AVX2,
    {vlift53, vlift53_i64, vlift97},
    {hlift53, hlift53_i64, hlift97},
    {wvl_dwt_pack_i32_16_avx2, wvl_dwt_pack_i32_32_avx2, wvl_dwt_pack_i64_32_avx2, wvl_dwt_pack_f32_16_avx2,
     wvl_dwt_pack_f32_32_avx2, wvl_dwt_pack_f32_32_deep_avx2},
};
