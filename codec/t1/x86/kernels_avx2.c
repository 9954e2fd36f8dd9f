/* SPDX-License-Identifier: BSD-2-Clause */
/* AVX2 twins of fast_load.c. Rows are read in full vectors only where the block has the samples; ends of rows go
 * through a padded copy. */
#include "codec/t1/fast.h"
#include "codec/t1/kernels.h"

#include <immintrin.h>
#include <string.h>

/* Bytes of 16 columns, row by row: bit 7 of each in scan order, then bit 6, ... */
typedef struct slice {
    __m256i left, right; /* columns 0..7, 8..15: four bytes each, top row first */
} slice;

static inline uint64_t top_bits(const slice *s)
{
    return (uint32_t)_mm256_movemask_epi8(s->left) | (uint64_t)(uint32_t)_mm256_movemask_epi8(s->right) << 32;
}

static inline void shift_up(slice *s)
{
    s->left = _mm256_slli_epi16(s->left, 1);
    s->right = _mm256_slli_epi16(s->right, 1);
}

/* Where 16 columns go: two units, or one where the block ends. */
typedef struct target {
    uint64_t *negative, *planes;
    uint32_t units, unit_count;
} target;

static inline void put_bits(uint64_t bits, uint64_t *to, uint32_t units)
{
    to[0] = _pdep_u64(bits, WVL_T1_INNER);
    if (units > 1) {
        to[1] = _pdep_u64(bits >> 32, WVL_T1_INNER);
    }
}

/* Bits first..first + 7 of planes: bytes hold them from bit 0. */
static inline void put_slice(slice *s, uint32_t first, uint32_t planes, const target *to)
{
    for (uint32_t p = first + 8; p-- > first; shift_up(s)) {
        if (p < planes) {
            put_bits(top_bits(s), to->planes + (size_t)p * to->unit_count, to->units);
        }
    }
}

/* Low bytes of 16 columns of 16 bits. */
static inline slice gather16(const __m256i row[4])
{
    const __m256i low = _mm256_set1_epi16(0xFF);
    __m256i a = _mm256_or_si256(_mm256_and_si256(row[0], low), _mm256_slli_epi16(row[1], 8));
    __m256i b = _mm256_or_si256(_mm256_and_si256(row[2], low), _mm256_slli_epi16(row[3], 8));
    __m256i x = _mm256_unpacklo_epi16(a, b), y = _mm256_unpackhi_epi16(a, b);
    return (slice){_mm256_permute2x128_si256(x, y, 0x20), _mm256_permute2x128_si256(x, y, 0x31)};
}

static inline void build_word16(const __m256i row[4], unsigned frac_bits, uint32_t planes, const target *to)
{
    __m256i v[4];
    const __m128i frac = _mm_cvtsi32_si128((int)frac_bits);
    for (unsigned r = 0; r < 4; r++) {
        v[r] = _mm256_srli_epi16(row[r], 8);
    }
    slice s = gather16(v);
    put_bits(top_bits(&s), to->negative, to->units);
    for (unsigned r = 0; r < 4; r++) {
        v[r] = _mm256_srl_epi16(_mm256_and_si256(row[r], _mm256_set1_epi16(0x7FFF)), frac);
    }
    s = gather16(v);
    put_slice(&s, 0, planes, to);
    if (planes > 8) {
        for (unsigned r = 0; r < 4; r++) {
            v[r] = _mm256_srli_epi16(v[r], 8);
        }
        s = gather16(v);
        put_slice(&s, 8, planes, to);
    }
}

/* Byte of 16 columns of 32 bits: row[r] columns 0..7, row[4 + r] columns 8..15. */
static inline slice gather32(const __m256i row[8], int shift)
{
    const __m128i n = _mm_cvtsi32_si128(shift);
    const __m256i low = _mm256_set1_epi32(0xFF);
    __m256i v[4];
    for (unsigned r = 0; r < 4; r++) { /* columns 0..3, 8..11 | 4..7, 12..15 */
        v[r] = _mm256_packus_epi32(_mm256_and_si256(_mm256_srl_epi32(row[r], n), low),
                                   _mm256_and_si256(_mm256_srl_epi32(row[4 + r], n), low));
    }
    __m256i a = _mm256_or_si256(v[0], _mm256_slli_epi16(v[1], 8)),
            b = _mm256_or_si256(v[2], _mm256_slli_epi16(v[3], 8));
    return (slice){_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b)};
}

static inline void build_word32(__m256i row[8], unsigned frac_bits, uint32_t planes, const target *to)
{
    slice s = gather32(row, 24);
    put_bits(top_bits(&s), to->negative, to->units);
    for (unsigned r = 0; r < 8; r++) {
        row[r] = _mm256_and_si256(row[r], _mm256_set1_epi32(0x7FFFFFFF));
    }
    for (uint32_t first = 0; first < planes; first += 8) {
        s = gather32(row, (int)(first + frac_bits));
        put_slice(&s, first, planes, to);
    }
}

/* 16 columns from x of four rows from y, zero beyond the block. */
static void fetch_edge(const wvl_t1_input *in, uint32_t x, uint32_t y, uint8_t *to)
{
    uint32_t rows = in->height - y < 4 ? in->height - y : 4, columns = in->width - x < 16 ? in->width - x : 16;
    memset(to, 0, 64u * in->coef_bytes);
    for (uint32_t r = 0; r < rows; r++) {
        memcpy(to + 16 * r * in->coef_bytes,
               (const uint8_t *)in->coefs + ((size_t)(y + r) * in->stride + x) * in->coef_bytes,
               (size_t)columns * in->coef_bytes);
    }
}

static inline void build_word(const wvl_t1_input *in, const uint8_t *from, size_t pitch, uint32_t planes,
                              const target *to)
{
    __m256i row[8];
    for (unsigned r = 0; r < 4; r++) {
        row[r] = _mm256_loadu_si256((const __m256i *)(from + r * pitch));
        row[4 + r] =
            in->coef_bytes == 4 ? _mm256_loadu_si256((const __m256i *)(from + r * pitch + 32)) : _mm256_setzero_si256();
    }
    if (in->coef_bytes == 4) {
        build_word32(row, in->frac_bits, planes, to);
    } else {
        build_word16(row, in->frac_bits, planes, to);
    }
}

static void build_masks(const wvl_t1_input *in, uint32_t planes, const wvl_t1_masks *masks)
{
    uint8_t edge[256];
    size_t pitch = (size_t)in->stride * in->coef_bytes;
    for (uint32_t y = 0; y < in->height; y += 4) {
        for (uint32_t x = 0; x < in->width; x += 16) {
            size_t unit = y / 4 * masks->units + x / 8;
            target to = {masks->negative + unit, masks->planes + unit, x + 8 < in->width ? 2 : 1, masks->unit_count};
            const uint8_t *from = (const uint8_t *)in->coefs + y * pitch + x * in->coef_bytes;
            if (x + 16 <= in->width && y + 4 <= in->height) {
                build_word(in, from, pitch, planes, &to);
            } else {
                fetch_edge(in, x, y, edge);
                build_word(in, edge, 16u * in->coef_bytes, planes, &to);
            }
        }
    }
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* Vectors of a row, the last one padded with zeros. */
static inline __m256i load_row(const uint8_t *row, uint32_t at, uint32_t end)
{
    if (end - at >= 32) {
        return _mm256_loadu_si256((const __m256i *)(row + at));
    }
    uint8_t padded[32] = {0};
    memcpy(padded, row + at, end - at);
    return _mm256_loadu_si256((const __m256i *)padded);
}

static inline __m256i add_pairs(__m256i sum, __m256i v32)
{
    const __m256i low = _mm256_set1_epi64x(0xFFFFFFFF);
    return _mm256_add_epi64(sum, _mm256_add_epi64(_mm256_and_si256(v32, low), _mm256_srli_epi64(v32, 32)));
}

static uint64_t total(__m256i sum)
{
    __m128i s = _mm_add_epi64(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    return (uint64_t)_mm_cvtsi128_si64(s) + (uint64_t)_mm_extract_epi64(s, 1);
}

/* Distances are at most 2^P <= 2^14, so pairs of them fit 32 signed bits. */
static inline __m256i distance16(__m256i v, unsigned P)
{
    const __m256i unit = _mm256_set1_epi16((int16_t)(1 << P)), mask = _mm256_set1_epi16((int16_t)((2 << P) - 1));
    const __m256i above = _mm256_andnot_si256(mask, _mm256_set1_epi16(0x7FFF));
    __m256i none = _mm256_cmpeq_epi16(_mm256_and_si256(v, above), _mm256_setzero_si256());
    __m256i d = _mm256_abs_epi16(_mm256_sub_epi16(_mm256_and_si256(v, mask), unit));
    return _mm256_madd_epi16(_mm256_andnot_si256(none, d), _mm256_set1_epi16(1));
}

static inline __m256i distance32(__m256i v, unsigned P)
{
    const __m256i unit = _mm256_set1_epi32((int32_t)(UINT32_C(1) << P)),
                  mask = _mm256_set1_epi32((int32_t)((UINT32_C(2) << P) - 1));
    const __m256i above = _mm256_andnot_si256(mask, _mm256_set1_epi32(0x7FFFFFFF));
    __m256i none = _mm256_cmpeq_epi32(_mm256_and_si256(v, above), _mm256_setzero_si256());
    return _mm256_andnot_si256(none, _mm256_abs_epi32(_mm256_sub_epi32(_mm256_and_si256(v, mask), unit)));
}

static uint64_t refinement_sum(const wvl_t1_input *in, unsigned P)
{
    __m256i sum = _mm256_setzero_si256();
    uint32_t end = (uint32_t)in->width * in->coef_bytes;
    for (uint32_t y = 0; y < in->height; y++) {
        const uint8_t *row = (const uint8_t *)in->coefs + (size_t)y * in->stride * in->coef_bytes;
        for (uint32_t at = 0; at < end; at += 32) {
            __m256i v = load_row(row, at, end);
            sum = add_pairs(sum, in->coef_bytes == 2 ? distance16(v, P) : distance32(v, P));
        }
    }
    return total(sum);
}

static void square_sum(const wvl_t1_input *in, uint64_t *low, uint64_t *high)
{
    const __m256i low_mask = _mm256_set1_epi64x(0xFFFFFFFF);
    __m256i lows = _mm256_setzero_si256(), highs = lows;
    uint32_t end = (uint32_t)in->width * in->coef_bytes;
    for (uint32_t y = 0; y < in->height; y++) {
        const uint8_t *row = (const uint8_t *)in->coefs + (size_t)y * in->stride * in->coef_bytes;
        for (uint32_t at = 0; at < end; at += 32) {
            __m256i v = load_row(row, at, end);
            if (in->coef_bytes == 2) { /* two squares below 2^30 each */
                v = _mm256_and_si256(v, _mm256_set1_epi16(0x7FFF));
                lows = add_pairs(lows, _mm256_madd_epi16(v, v));
                continue;
            }
            v = _mm256_and_si256(v, _mm256_set1_epi32(0x7FFFFFFF));
            __m256i even = _mm256_mul_epu32(v, v),
                    odd = _mm256_mul_epu32(_mm256_srli_epi64(v, 32), _mm256_srli_epi64(v, 32));
            lows = _mm256_add_epi64(
                lows, _mm256_add_epi64(_mm256_and_si256(even, low_mask), _mm256_and_si256(odd, low_mask)));
            highs = _mm256_add_epi64(highs, _mm256_add_epi64(_mm256_srli_epi64(even, 32), _mm256_srli_epi64(odd, 32)));
        }
    }
    *low = total(lows);
    *high = total(highs);
}

const wvl_t1_kernels wvl_t1_kernels_avx2 = {build_masks,           refinement_sum,           square_sum,
                                            wvl_t1_list_pass_avx2, wvl_mq_encode_lanes_avx2, WVL_MQ_MAX_LANES};
const wvl_t1_kernels wvl_t1_kernels_avx512 = {
    build_masks, refinement_sum, square_sum, wvl_t1_list_pass_avx512, wvl_mq_encode_lanes_avx512, WVL_MQ_MAX_LANES};
