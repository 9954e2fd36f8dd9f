/* SPDX-License-Identifier: BSD-2-Clause */
/* AVX2 twin of the conversion to X'Y'Z': eight pixels at a time, light and comparison in double, the guess in float. */
#include "front/front.h"

#include <immintrin.h>

#include "front/xyz_ops.h"

#if WVL_LINE_ROUND < 8
#error "lines lack the room that these kernels touch"
#endif

typedef struct double8 { __m256d low, high; } double8;

static inline double8 gather8(const double *table, __m256i at)
{
    double8 v = {_mm256_i32gather_pd(table, _mm256_castsi256_si128(at), 8), _mm256_i32gather_pd(table, _mm256_extracti128_si256(at, 1), 8)};
    return v;
}

static inline __m256d row4(const double *m, __m256d r, __m256d g, __m256d b)
{
    __m256d rg = _mm256_add_pd(_mm256_mul_pd(_mm256_set1_pd(m[0]), r), _mm256_mul_pd(_mm256_set1_pd(m[1]), g));
    __m256d w = _mm256_add_pd(rg, _mm256_mul_pd(_mm256_set1_pd(m[2]), b));
    return _mm256_min_pd(_mm256_max_pd(w, _mm256_set1_pd(WVL_XYZ_LEAST)), _mm256_set1_pd(WVL_XYZ_MOST));
}

static inline __m256 step8(__m256 sum, __m256 x, float term) { return _mm256_fmadd_ps(sum, x, _mm256_set1_ps(term)); }

/* As wvl_xyz_guess; fused here, which a guess may be. */
static inline __m256 guess8(__m256 w)
{
    const __m256i one = _mm256_set1_epi32(0x3F800000);
    __m256i bits = _mm256_castps_si256(w);
    __m256 exponent = _mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_srli_epi32(bits, 23), _mm256_set1_epi32(127)));
    __m256i fraction = _mm256_or_si256(_mm256_and_si256(bits, _mm256_set1_epi32(0x7FFFFF)), one);
    __m256 m = _mm256_sub_ps(_mm256_castsi256_ps(fraction), _mm256_castsi256_ps(one));
    __m256 log = step8(step8(step8(step8(_mm256_set1_ps(WVL_XYZ_LOG4), m, WVL_XYZ_LOG3), m, WVL_XYZ_LOG2), m, WVL_XYZ_LOG1), m, WVL_XYZ_LOG0);
    __m256 t = _mm256_fmadd_ps(_mm256_add_ps(exponent, log), _mm256_set1_ps(WVL_XYZ_POWER), _mm256_set1_ps(2.0f));
    __m256i whole = _mm256_cvttps_epi32(t);
    __m256 x = _mm256_sub_ps(t, _mm256_cvtepi32_ps(whole));
    __m256 y = step8(step8(step8(step8(_mm256_set1_ps(WVL_XYZ_EXP4), x, WVL_XYZ_EXP3), x, WVL_XYZ_EXP2), x, WVL_XYZ_EXP1), x, WVL_XYZ_EXP0);
    return _mm256_mul_ps(y, _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(whole, _mm256_set1_epi32(125)), 23)));
}

/* All ones where w is beyond the upper threshold of the code. */
static inline __m256d beyond4(__m256d w, __m128i code)
{
    __m256d c = _mm256_add_pd(_mm256_cvtepi32_pd(code), _mm256_set1_pd(0.5));
    __m256d c2 = _mm256_mul_pd(c, c), c4 = _mm256_mul_pd(c2, c2), c8 = _mm256_mul_pd(c4, c4);
    __m256d w2 = _mm256_mul_pd(w, w), w4 = _mm256_mul_pd(w2, w2);
    return _mm256_cmp_pd(_mm256_mul_pd(w4, w), _mm256_mul_pd(_mm256_mul_pd(c8, c4), c), _CMP_GE_OQ);
}

static inline __m256i code8(const double *m, double8 r, double8 g, double8 b)
{
    __m256d low = row4(m, r.low, g.low, b.low), high = row4(m, r.high, g.high, b.high);
    __m256 guess = guess8(_mm256_set_m128(_mm256_cvtpd_ps(high), _mm256_cvtpd_ps(low)));
    __m256i code = _mm256_cvttps_epi32(_mm256_add_ps(guess, _mm256_set1_ps(WVL_XYZ_SLACK)));
    __m256 beyond_low = _mm256_castpd_ps(beyond4(low, _mm256_castsi256_si128(code)));
    __m256 beyond_high = _mm256_castpd_ps(beyond4(high, _mm256_extracti128_si256(code, 1)));
    __m256i beyond = _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(beyond_low, beyond_high, 0x88)), 0xD8);
    return _mm256_sub_epi32(_mm256_sub_epi32(code, beyond), _mm256_set1_epi32(WVL_XYZ_HALF));
}

void wvl_front_put_xyz_avx2(const wvl_plan_xyz *xyz, uint32_t n, int32_t *const *lines)
{
    const __m256i mask = _mm256_set1_epi32((1 << xyz->depth) - 1);
    for (uint32_t i = 0; i < n; i += 8) {
        double8 light[3];
        for (unsigned c = 0; c < 3; c++) {
            light[c] = gather8(xyz->linear[c], _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(const void *)(lines[c] + i)), mask));
        }
        for (unsigned c = 0; c < 3; c++) {
            _mm256_storeu_si256((__m256i *)(void *)(lines[c] + i), code8(xyz->matrix + 3 * c, light[0], light[1], light[2]));
        }
    }
}
