/* SPDX-License-Identifier: BSD-2-Clause */
/* AVX2 twins of rdoq_kernels.c. Rows of samples are read in full vectors only where the block has them; ends of rows go
 * through a padded copy. */
#include "codec/rate/rdoq_kernels.h"

#include <immintrin.h>
#include <string.h>

static inline const void *row_of(const wvl_block_input *in, uint32_t y)
{
    return (const uint8_t *)in->coefs + (size_t)y * in->stride * in->coef_bytes;
}

/* 32 samples of a row from x, zero beyond the block. `padded` takes a copy. */
static inline const void *fetch_samples(const wvl_block_input *in, const void *row, uint32_t x, uint8_t *padded)
{
    const uint8_t *from = (const uint8_t *)row + (size_t)x * in->coef_bytes;
    if (in->width - x >= 32) {
        return from;
    }
    memset(padded, 0, 128);
    memcpy(padded, from, (size_t)(in->width - x) * in->coef_bytes);
    return padded;
}

static inline __m256i load(const void *p) { return _mm256_loadu_si256((const __m256i *)p); }

/* ---- Ranks ----------------------------------------------------------------------------------- */

static uint32_t add_lanes(__m256i sum32)
{
    uint32_t lanes[8], sum = 0;
    _mm256_storeu_si256((__m256i *)lanes, sum32);
    for (unsigned i = 0; i < 8; i++) {
        sum += lanes[i];
    }
    return sum;
}

static int32_t hold(uint64_t v, int32_t most) { return v > (uint64_t)most ? most : (int32_t)v; }

/* Counts above the borders, in lanes; of 16 bits too: no lane sees more than 2048 samples of a block. */
static inline void rank_16(__m256i v, const __m256i border[3], __m256i sums[3])
{
    v = _mm256_and_si256(v, _mm256_set1_epi16(0x7FFF));
    for (unsigned k = 0; k < 3; k++) {
        sums[k] = _mm256_sub_epi16(sums[k], _mm256_cmpgt_epi16(v, border[k]));
    }
}

static inline void rank_32(__m256i v, const __m256i border[3], __m256i sums[3])
{
    v = _mm256_and_si256(v, _mm256_set1_epi32(0x7FFFFFFF));
    for (unsigned k = 0; k < 3; k++) {
        sums[k] = _mm256_sub_epi32(sums[k], _mm256_cmpgt_epi32(v, border[k]));
    }
}

static void rank(const wvl_block_input *in, uint32_t least, uint32_t counts[3])
{
    uint8_t padded[128];
    const int is_narrow = in->coef_bytes == 2;
    __m256i sums[3] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256()}, border[3];
    for (unsigned k = 0; k < 3; k++) {
        uint64_t before = ((uint64_t)least << k) - 1;
        border[k] =
            is_narrow ? _mm256_set1_epi16((int16_t)hold(before, 0x7FFF)) : _mm256_set1_epi32(hold(before, 0x7FFFFFFF));
    }
    for (uint32_t y = 0; y < in->height; y++) {
        const void *row = row_of(in, y);
        for (uint32_t x = 0; x < in->width; x += 32) {
            const uint8_t *from = fetch_samples(in, row, x, padded);
            if (is_narrow) {
                rank_16(load(from), border, sums);
                rank_16(load(from + 32), border, sums);
            } else {
                for (unsigned i = 0; i < 4; i++) {
                    rank_32(load(from + 32 * i), border, sums);
                }
            }
        }
    }
    for (unsigned k = 0; k < 3; k++) {
        counts[k] = add_lanes(is_narrow ? _mm256_madd_epi16(sums[k], _mm256_set1_epi16(1)) : sums[k]);
    }
}

/* ---- Levels and fractions -------------------------------------------------------------------- */

/* 16 magnitudes in steps of 1/128, below 2048. */
static inline __m256i scale16(__m256i v, unsigned plane)
{
    v = _mm256_and_si256(v, _mm256_set1_epi16(0x7FFF));
    if (plane < 11) {
        v = _mm256_min_epu16(v, _mm256_set1_epi16((int16_t)((16 << plane) - 1)));
    }
    return plane >= 7 ? _mm256_srl_epi16(v, _mm_cvtsi32_si128((int)plane - 7))
                      : _mm256_sll_epi16(v, _mm_cvtsi32_si128(7 - (int)plane));
}

static inline __m256i scale32(__m256i v, unsigned plane)
{
    v = _mm256_and_si256(v, _mm256_set1_epi32(0x7FFFFFFF));
    if (plane < 27) {
        v = _mm256_min_epu32(v, _mm256_set1_epi32((16 << plane) - 1));
    }
    return plane >= 7 ? _mm256_srl_epi32(v, _mm_cvtsi32_si128((int)plane - 7))
                      : _mm256_sll_epi32(v, _mm_cvtsi32_si128(7 - (int)plane));
}

/* The low bytes of 32 words below 256, in order of the samples. */
static inline __m256i join_bytes(__m256i a, __m256i b)
{
    return _mm256_permute4x64_epi64(_mm256_packus_epi16(a, b), 0xD8);
}

static inline __m256i spread(const int8_t *table)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)table));
}

/* By whole steps. A fraction is what lies below a step, with the sign bit below the first one, and 127 where more steps
 * lie below it in the octave. */
static const int8_t level_of[16] = {0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4};
static const int8_t fraction_of[16] = {-128, 0, 0, 127, 0, 127, 127, 127, 0, 127, 127, 127, 127, 127, 127, 127};

static inline void split_32(const uint8_t *from, unsigned coef_bytes, unsigned plane, uint8_t *levels,
                            int8_t *fractions)
{
    __m256i at[2], below = _mm256_set1_epi16(127);
    for (unsigned i = 0; i < 2; i++) {
        if (coef_bytes == 2) {
            at[i] = scale16(load(from + 32 * i), plane);
        } else {
            at[i] = _mm256_permute4x64_epi64(
                _mm256_packus_epi32(scale32(load(from + 64 * i), plane), scale32(load(from + 64 * i + 32), plane)),
                0xD8);
        }
    }
    __m256i steps = join_bytes(_mm256_srli_epi16(at[0], 7), _mm256_srli_epi16(at[1], 7));
    __m256i rest = join_bytes(_mm256_and_si256(at[0], below), _mm256_and_si256(at[1], below));
    _mm256_storeu_si256((__m256i *)levels, _mm256_shuffle_epi8(spread(level_of), steps));
    _mm256_storeu_si256((__m256i *)fractions, _mm256_or_si256(rest, _mm256_shuffle_epi8(spread(fraction_of), steps)));
}

static void split(const wvl_block_input *in, unsigned plane, uint8_t *levels, int8_t *fractions)
{
    uint8_t padded[128];
    uint32_t pitch = wvl_rdoq_pitch(in->width);
    memset(levels, 0, pitch);
    for (uint32_t y = 0; y < in->height; y++) {
        const void *row = row_of(in, y);
        size_t to = (size_t)(y + 1) * pitch + 1;
        levels[to - 1] = levels[to + pitch - 2] = 0;
        for (uint32_t x = 0; x < in->width; x += 32) {
            split_32(fetch_samples(in, row, x, padded), in->coef_bytes, plane, &levels[to + x], &fractions[to + x]);
        }
    }
    memset(levels + (size_t)(in->height + 1u) * pitch, 0, pitch);
}

/* ---- Neighbours ------------------------------------------------------------------------------ */

static inline __m256i highest_neighbour(const uint8_t *l, uint32_t pitch)
{
    const uint8_t *above = l - pitch, *below = l + pitch;
    __m256i a = _mm256_max_epu8(load(above - 1), load(above + 1)),
            b = _mm256_max_epu8(load(below - 1), load(below + 1));
    __m256i c = _mm256_max_epu8(load(above), load(below)), d = _mm256_max_epu8(load(l - 1), load(l + 1));
    return _mm256_max_epu8(_mm256_max_epu8(a, b), _mm256_max_epu8(c, d));
}

static inline uint32_t bits_of(__m256i v) { return (uint32_t)_mm256_movemask_epi8(v); }

static inline uint32_t valid_bits(uint32_t left) { return left >= 32 ? UINT32_MAX : (1u << left) - 1; }

static uint32_t add_sad(__m256i sum64)
{
    uint64_t lanes[4];
    _mm256_storeu_si256((__m256i *)lanes, sum64);
    return (uint32_t)(lanes[0] + lanes[1] + lanes[2] + lanes[3]);
}

static wvl_rdoq_sums count(const uint8_t *levels, const int8_t *fractions, uint32_t width, uint32_t height)
{
    const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi8(1);
    uint32_t pitch = wvl_rdoq_pitch(width);
    wvl_rdoq_sums s = {0};
    __m256i near_sum = zero, fresh_sum = zero;
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x += 32) {
            size_t at = (size_t)(y + 1) * pitch + 1 + x;
            __m256i l = load(&levels[at]), near = _mm256_cmpgt_epi8(highest_neighbour(&levels[at], pitch), one);
            __m256i fresh = _mm256_cmpeq_epi8(l, one), f = _mm256_and_si256(load(&fractions[at]), fresh);
            uint32_t n = bits_of(near), above = bits_of(_mm256_cmpgt_epi8(l, one)), new = bits_of(fresh),
                     rest = valid_bits(width - x) & ~above;
            s.above += (uint32_t)_mm_popcnt_u32(above);
            s.near += (uint32_t)_mm_popcnt_u32(rest & n);
            s.far += (uint32_t)_mm_popcnt_u32(rest & ~n);
            s.near_fresh += (uint32_t)_mm_popcnt_u32(new &n);
            s.far_fresh += (uint32_t)_mm_popcnt_u32(new & ~n);
            near_sum = _mm256_add_epi64(near_sum, _mm256_sad_epu8(_mm256_and_si256(f, near), zero));
            fresh_sum = _mm256_add_epi64(fresh_sum, _mm256_sad_epu8(f, zero));
        }
    }
    s.near_fractions = add_sad(near_sum);
    s.far_fractions = add_sad(fresh_sum) - s.near_fractions;
    return s;
}

/* ---- Moves ----------------------------------------------------------------------------------- */

/* -1 where a neighbour is at the level or above. */
static inline __m256i reaches(const uint8_t *l, __m256i level)
{
    __m256i v = load(l);
    return _mm256_cmpeq_epi8(_mm256_max_epu8(v, level), v);
}

static inline __m256i count_neighbours(const uint8_t *l, uint32_t pitch, __m256i level)
{
    const uint8_t *above = l - pitch, *below = l + pitch;
    __m256i sides = _mm256_add_epi8(_mm256_add_epi8(reaches(l - 1, level), reaches(l + 1, level)),
                                    _mm256_add_epi8(reaches(above, level), reaches(below, level)));
    __m256i corners = _mm256_add_epi8(_mm256_add_epi8(reaches(above - 1, level), reaches(above + 1, level)),
                                      _mm256_add_epi8(reaches(below - 1, level), reaches(below + 1, level)));
    return _mm256_sub_epi8(_mm256_setzero_si256(), _mm256_add_epi8(_mm256_add_epi8(sides, sides), corners));
}

typedef struct tables {
    __m256i first, second, more, alone;
    int needs;
} tables;

static inline __m256i fetch_borders(const tables *t, const uint8_t *levels, uint32_t pitch, __m256i l)
{
    const __m256i one = _mm256_set1_epi8(1), two = _mm256_set1_epi8(2);
    __m256i n = count_neighbours(levels, pitch, _mm256_max_epu8(l, one)), is_second = _mm256_cmpeq_epi8(l, two),
            is_more = _mm256_cmpgt_epi8(l, two);
    __m256i border = _mm256_blendv_epi8(_mm256_shuffle_epi8(t->first, n), _mm256_shuffle_epi8(t->second, n), is_second);
    if (t->needs) {
        __m256i is_zero = _mm256_cmpeq_epi8(l, _mm256_setzero_si256()),
                let = _mm256_xor_si256(_mm256_set1_epi8(-128), is_zero);
        __m256i is_near = _mm256_cmpgt_epi8(highest_neighbour(levels, pitch), one);
        border = _mm256_blendv_epi8(_mm256_blendv_epi8(let, t->alone, is_second), border, is_near);
    }
    return _mm256_blendv_epi8(border, _mm256_shuffle_epi8(t->more, n), is_more);
}

static void move_row(const wvl_rdoq_rule *rule, uint8_t *levels, const int8_t *fractions, uint32_t width,
                     uint64_t *down, uint64_t *up)
{
    const tables t = {spread(rule->first), spread(rule->second), spread(rule->more), _mm256_set1_epi8(rule->alone),
                      rule->needs};
    uint32_t pitch = wvl_rdoq_pitch(width);
    uint8_t after[1024];
    for (uint32_t x = 0; x < width; x += 32) {
        __m256i l = load(&levels[x]), border = fetch_borders(&t, &levels[x], pitch, l);
        __m256i is_below = _mm256_cmpgt_epi8(border, load(&fractions[x])),
                is_zero = _mm256_cmpeq_epi8(l, _mm256_setzero_si256());
        __m256i falls = _mm256_andnot_si256(is_zero, is_below), rises = _mm256_andnot_si256(is_below, is_zero);
        _mm256_storeu_si256((__m256i *)&after[x], _mm256_sub_epi8(_mm256_add_epi8(l, falls), rises));
        uint64_t fall_bits = bits_of(falls), rise_bits = bits_of(rises);
        down[x / 64] = x % 64 ? down[x / 64] | fall_bits << 32 : fall_bits;
        up[x / 64] = x % 64 ? up[x / 64] | rise_bits << 32 : rise_bits;
    }
    memcpy(levels, after, (width + 31) / 32 * 32);
}

const wvl_rdoq_kernels wvl_rdoq_kernels_avx2 = {rank, split, count, move_row};
