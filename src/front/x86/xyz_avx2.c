/* SPDX-License-Identifier: BSD-2-Clause */
/* AVX2 twin of the conversion to X'Y'Z': eight pixels at a time in single precision; the few samples that come near a
 * threshold, 1 % where codes are spread evenly, are decided one by one in double as the reference does. */
#include "front/front.h"

#include <immintrin.h>
#include <string.h>

#include "front/xyz_ops.h"

#if WVL_LINE_ROUND < 8
#error "lines lack the room that these kernels touch"
#endif

static inline __m256 step8(__m256 sum, __m256 x, float term) { return _mm256_fmadd_ps(sum, x, _mm256_set1_ps(term)); }

/* Does what wvl_xyz_guess does; fused here, which a guess may be. */
static inline __m256 guess8(__m256 w)
{
    static const float fine_table[8] = {WVL_XYZ_FINE}, coarse_table[8] = {WVL_XYZ_COARSE};
    const __m256 fine = _mm256_loadu_ps(fine_table), coarse = _mm256_loadu_ps(coarse_table);
    __m256i bits = _mm256_add_epi32(_mm256_castps_si256(w), _mm256_set1_epi32(4 << 23));
    __m256i exponent = _mm256_srli_epi32(_mm256_sub_epi32(bits, _mm256_set1_epi32((int)WVL_XYZ_ROOT_BITS)), 23);
    __m256 m = _mm256_castsi256_ps(_mm256_sub_epi32(bits, _mm256_slli_epi32(exponent, 23)));
    m = _mm256_sub_ps(m, _mm256_set1_ps(1.0f));
    __m256 high = step8(step8(_mm256_set1_ps(WVL_XYZ_POWER6), m, WVL_XYZ_POWER5), m, WVL_XYZ_POWER4);
    __m256 y =
        step8(step8(step8(step8(high, m, WVL_XYZ_POWER3), m, WVL_XYZ_POWER2), m, WVL_XYZ_POWER1), m, WVL_XYZ_POWER0);
    __m256 scale = _mm256_mul_ps(_mm256_permutevar8x32_ps(fine, exponent),
                                 _mm256_permutevar8x32_ps(coarse, _mm256_srli_epi32(exponent, 3)));
    return _mm256_mul_ps(y, scale);
}

typedef struct light8 {
    __m256 r, g, b;
} light8;

static inline __m256 row8(float mr, float mg, float mb, const light8 *l)
{
    __m256 blue = _mm256_mul_ps(_mm256_set1_ps(mb), l->b);
    return _mm256_fmadd_ps(_mm256_set1_ps(mr), l->r, _mm256_fmadd_ps(_mm256_set1_ps(mg), l->g, blue));
}

static inline float magnitude(float v) { return v < 0.0f ? -v : v; }

/* Codes, and a bit for each that is not sure. */
__attribute__((always_inline)) static inline __m256i code8(const float *m, const light8 *l, int has_negative,
                                                           uint8_t *unsure_bits)
{
    __m256 w = row8(m[0], m[1], m[2], l),
           clamped = _mm256_min_ps(_mm256_max_ps(w, _mm256_set1_ps((float)WVL_XYZ_LEAST)),
                                   _mm256_set1_ps((float)WVL_XYZ_MOST));
    __m256 place = _mm256_add_ps(guess8(clamped), _mm256_set1_ps(0.5f));
    __m256i code = _mm256_cvttps_epi32(place);
    __m256 from_middle = _mm256_sub_ps(_mm256_sub_ps(place, _mm256_cvtepi32_ps(code)), _mm256_set1_ps(0.5f));
    from_middle = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), from_middle);
    __m256 unsure = _mm256_cmp_ps(from_middle, _mm256_set1_ps(0.5f - WVL_XYZ_NEAR), _CMP_GT_OQ);
    if (has_negative) { /* where terms cancel, their roundings weigh more: sum of magnitudes beyond twice the sum */
        __m256 all = row8(magnitude(m[0]), magnitude(m[1]), magnitude(m[2]), l);
        unsure = _mm256_or_ps(unsure, _mm256_cmp_ps(all, _mm256_add_ps(w, w), _CMP_GT_OQ));
    }
    *unsure_bits = (uint8_t)_mm256_movemask_ps(unsure);
    return code;
}

/* Pixels whose unsure samples are decided together: a branch right behind each vector would be guessed wrong often, and
 * late. */
#define CHUNK 256u
typedef struct chunk {
    uint32_t at[3][CHUNK];        /* samples, which the codes overwrite */
    uint8_t unsure[3][CHUNK / 8]; /* a bit for each */
} chunk;

/* n of the chunk, from element i of the lines; a multiple of 8. */
__attribute__((always_inline)) static inline void guess_chunk(const wvl_plan_xyz *xyz, uint32_t i, uint32_t n,
                                                              int32_t *const *lines, int has_negative, chunk *k)
{
    const __m256i mask = _mm256_set1_epi32((1 << xyz->depth) - 1);
    for (uint32_t j = 0; j < n; j += 8) {
        __m256 light[3];
        for (unsigned c = 0; c < 3; c++) {
            __m256i at = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(const void *)(lines[c] + i + j)), mask);
            _mm256_storeu_si256((__m256i *)(void *)(k->at[c] + j), at);
            light[c] = _mm256_i32gather_ps(xyz->coarse[c], at, 4);
        }
        light8 l = {light[0], light[1], light[2]};
        for (unsigned c = 0; c < 3; c++) {
            __m256i code = code8(xyz->coarse_matrix + 3 * c, &l, has_negative, &k->unsure[c][j / 8]);
            _mm256_storeu_si256((__m256i *)(void *)(lines[c] + i + j),
                                _mm256_sub_epi32(code, _mm256_set1_epi32(WVL_XYZ_HALF)));
        }
    }
}

static void decide_chunk(const wvl_plan_xyz *xyz, uint32_t n, const chunk *k, unsigned c, int32_t *codes)
{
    for (uint32_t j = 0; j < n; j += 64) {
        uint64_t unsure;
        memcpy(&unsure, &k->unsure[c][j / 8], sizeof unsure);
        for (unsure &= n - j < 64 ? ((uint64_t)1 << (n - j)) - 1 : UINT64_MAX; unsure; unsure &= unsure - 1) {
            uint32_t p = j + (uint32_t)__builtin_ctzll(unsure);
            double w = wvl_xyz_row(xyz->matrix + 3 * c, xyz->linear[0][k->at[0][p]], xyz->linear[1][k->at[1][p]],
                                   xyz->linear[2][k->at[2][p]]);
            codes[p] = wvl_xyz_code(w) - WVL_XYZ_HALF;
        }
    }
}

__attribute__((always_inline)) static inline void put_xyz(const wvl_plan_xyz *xyz, uint32_t n, int32_t *const *lines,
                                                          int has_negative)
{
    chunk k;
    for (uint32_t i = 0; i < n; i += CHUNK) {
        uint32_t count = n - i < CHUNK ? (n - i + 7) / 8 * 8 : CHUNK;
        guess_chunk(xyz, i, count, lines, has_negative, &k);
        for (unsigned c = 0; c < 3; c++) {
            decide_chunk(xyz, count, &k, c, lines[c] + i);
        }
    }
}

void wvl_front_put_xyz_avx2(const wvl_plan_xyz *xyz, uint32_t n, int32_t *const *lines)
{
    if (xyz->has_negative) {
        put_xyz(xyz, n, lines, 1);
    } else {
        put_xyz(xyz, n, lines, 0);
    }
}
