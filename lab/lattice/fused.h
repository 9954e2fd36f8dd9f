/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Vectors of samples, and a b + c rounded once (D-lattice-02). All processors give the same bits, except those of NaN.
 *
 * x86 before FMA has no such instruction. There, sums are computed exactly as far as needed. The C library's fmaf() and
 * fma() would do the same, 30 to 60 times as slowly.
 */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif
#ifdef __FMA__
#define WVL_FUSED_BYTES 32
#else
#define WVL_FUSED_BYTES 16
#endif

enum { WVL_FUSED_FLOATS = WVL_FUSED_BYTES / 4, WVL_FUSED_DOUBLES = WVL_FUSED_BYTES / 8 };
typedef float wvl_floats __attribute__((vector_size(WVL_FUSED_BYTES)));
typedef double wvl_doubles __attribute__((vector_size(WVL_FUSED_BYTES)));

#if defined(__FMA__)

static inline wvl_floats wvl_fused_f32(wvl_floats a, wvl_floats b, wvl_floats c)
{
    return (wvl_floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

static inline wvl_doubles wvl_fused_f64(wvl_doubles a, wvl_doubles b, wvl_doubles c)
{
    return (wvl_doubles)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

#elif defined(__aarch64__)

static inline wvl_floats wvl_fused_f32(wvl_floats a, wvl_floats b, wvl_floats c)
{
    return (wvl_floats)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}

static inline wvl_doubles wvl_fused_f64(wvl_doubles a, wvl_doubles b, wvl_doubles c)
{
    return (wvl_doubles)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}

#elif defined(__SSE2__)

/* a + b, rounded, and what rounding took away, exactly. */
static inline __m128d wvl_fused_sum(__m128d a, __m128d b, __m128d *rest)
{
    const __m128d sum = a + b, back = sum - a;
    *rest = (a - (sum - back)) + (b - back);
    return sum;
}

static inline __m128d wvl_fused_size(__m128d x) { return _mm_andnot_pd(_mm_set1_pd(-0.0), x); }

/* p + c rounded to odd: cut off, and the last bit set if that was not exact. It is then rounded to float correctly,
 * because a double has more than two bits more. Infinity and NaN have a rest of NaN, and stay. */
static inline __m128d wvl_fused_odd(__m128d p, __m128d c)
{
    __m128d rest;
    const __m128i bits = _mm_castpd_si128(wvl_fused_sum(p, c, &rest));
    const __m128i lost = _mm_srli_epi64(_mm_castpd_si128(_mm_cmplt_pd(_mm_setzero_pd(), wvl_fused_size(rest))), 63);
    const __m128i was_up = _mm_srli_epi64(_mm_xor_si128(bits, _mm_castpd_si128(rest)), 63);
    return _mm_castsi128_pd(_mm_or_si128(_mm_sub_epi64(bits, _mm_and_si128(was_up, lost)), lost));
}

/* Products of floats are exact as doubles. Sums are rounded to double and then to float. Rounding twice can only differ
 * where the double lies in the middle between two floats. Then its low 28 bits are 0, also between subnormal floats. */
static inline wvl_floats wvl_fused_f32(wvl_floats a, wvl_floats b, wvl_floats c)
{
    const __m128 x = (__m128)a, y = (__m128)b, z = (__m128)c;
    const __m128d p0 = _mm_cvtps_pd(x) * _mm_cvtps_pd(y), c0 = _mm_cvtps_pd(z);
    const __m128d p1 = _mm_cvtps_pd(_mm_movehl_ps(x, x)) * _mm_cvtps_pd(_mm_movehl_ps(y, y));
    const __m128d c1 = _mm_cvtps_pd(_mm_movehl_ps(z, z));
    __m128d s0 = p0 + c0, s1 = p1 + c1;
    const __m128 words = _mm_shuffle_ps(_mm_castpd_ps(s0), _mm_castpd_ps(s1), _MM_SHUFFLE(2, 0, 2, 0));
    const __m128i low = _mm_slli_epi32(_mm_castps_si128(words), 4);
    if (__builtin_expect(_mm_movemask_epi8(_mm_cmpeq_epi32(low, _mm_setzero_si128())), 0)) {
        s0 = wvl_fused_odd(p0, c0);
        s1 = wvl_fused_odd(p1, c1);
    }
    return (wvl_floats)_mm_movelh_ps(_mm_cvtpd_ps(s0), _mm_cvtpd_ps(s1));
}

/* a b - p, exactly: p is a b, rounded. Halves of 26 bits have exact products (Dekker, 1971). */
static inline __m128d wvl_fused_product_rest(__m128d a, __m128d b, __m128d p)
{
    const __m128d parts = _mm_set1_pd(0x1p27 + 1), big_a = parts * a, big_b = parts * b;
    const __m128d a1 = big_a - (big_a - a), a0 = a - a1, b1 = big_b - (big_b - b), b0 = b - b1;
    return ((a1 * b1 - p) + a1 * b0 + a0 * b1) + a0 * b0;
}

/* Whether wvl_fused_product_rest() neither overflows nor loses bits. NaN: no. */
static inline __m128d wvl_fused_fits(__m128d a, __m128d b, __m128d c, __m128d p)
{
    const __m128d most = _mm_set1_pd(0x1p900), none = _mm_setzero_pd(), size = wvl_fused_size(p);
    const __m128d small =
        _mm_and_pd(_mm_and_pd(_mm_cmplt_pd(wvl_fused_size(a), most), _mm_cmplt_pd(size, most)),
                   _mm_and_pd(_mm_cmplt_pd(wvl_fused_size(b), most), _mm_cmplt_pd(wvl_fused_size(c), most)));
    const __m128d is_zero = _mm_or_pd(_mm_cmpeq_pd(a, none), _mm_cmpeq_pd(b, none));
    return _mm_and_pd(small, _mm_or_pd(is_zero, _mm_cmplt_pd(_mm_set1_pd(0x1p-900), size)));
}

/* a b + c = s + e + low, exactly; t is e + low, rounded, and s + t is rounded again. Rounding twice can only differ
 * where s + t lies in the middle between two doubles: what that rounding takes away is a power of 2. */
static inline wvl_doubles wvl_fused_f64(wvl_doubles a, wvl_doubles b, wvl_doubles c)
{
    const __m128d x = (__m128d)a, y = (__m128d)b, z = (__m128d)c, p = x * y, none = _mm_setzero_pd();
    __m128d e, rest;
    const __m128d s = wvl_fused_sum(p, z, &e), sum = e + wvl_fused_product_rest(x, y, p);
    const __m128d t = _mm_or_pd(sum, _mm_and_pd(_mm_cmpeq_pd(sum, none), _mm_set1_pd(-0.0))); /* -0 changes no s */
    wvl_doubles result = (wvl_doubles)wvl_fused_sum(s, t, &rest);
    const __m128i words = _mm_cmpeq_epi32(_mm_slli_epi64(_mm_castpd_si128(rest), 12), _mm_setzero_si128());
    const __m128d is_power = _mm_castsi128_pd(_mm_and_si128(words, _mm_shuffle_epi32(words, _MM_SHUFFLE(2, 3, 0, 1))));
    const __m128d is_middle = _mm_and_pd(is_power, _mm_cmpneq_pd(rest, none));
    if (__builtin_expect(_mm_movemask_pd(_mm_andnot_pd(is_middle, wvl_fused_fits(x, y, z, p))) != 3, 0)) {
        for (int i = 0; i < WVL_FUSED_DOUBLES; i++) {
            result[i] = fma(a[i], b[i], c[i]);
        }
    }
    return result;
}

#else

static inline wvl_floats wvl_fused_f32(wvl_floats a, wvl_floats b, wvl_floats c)
{
    for (int i = 0; i < WVL_FUSED_FLOATS; i++) {
        c[i] = fmaf(a[i], b[i], c[i]);
    }
    return c;
}

static inline wvl_doubles wvl_fused_f64(wvl_doubles a, wvl_doubles b, wvl_doubles c)
{
    for (int i = 0; i < WVL_FUSED_DOUBLES; i++) {
        c[i] = fma(a[i], b[i], c[i]);
    }
    return c;
}

#endif
