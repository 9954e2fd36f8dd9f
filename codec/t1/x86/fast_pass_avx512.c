/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The listing of passes with AVX-512 VBMI2, all samples of a unit at once.
 *
 * Which samples of a unit become significant is known before one of them is coded, so the contexts need no order: of a
 * sample's neighbours those that come before it in the scan are as they are after the unit, those that follow it as
 * they were before. Only membership in the propagation pass has to be followed from sample to sample, which a few
 * rounds of shifts do for all columns.
 *
 * A multishift brings the neighbours of 32 samples into bytes, permutations look up the codes, and a compression leaves
 * those coded.
 */
#include <immintrin.h>
#include <string.h>

#include "codec/core/t1_context.h"
#include "codec/t1/fast_unit.h"

/* Neighbours in a byte: 0 S, 1 NW, 2 W, 3 SW, 4 NE, 5 E, 6 SE, 7 N. */
#define NEAR_BIT(x, b) ((x) >> (b)&1)
#define NEAR_H(x) (NEAR_BIT(x, 2) + NEAR_BIT(x, 5))
#define NEAR_V(x) (NEAR_BIT(x, 7) + NEAR_BIT(x, 0))
#define NEAR_D(x) (NEAR_BIT(x, 1) + NEAR_BIT(x, 3) + NEAR_BIT(x, 4) + NEAR_BIT(x, 6))
#define ZERO_LH(x) 2 * WVL_ZC_EDGE(NEAR_H(x), NEAR_V(x), NEAR_D(x))
#define ZERO_HL(x) 2 * WVL_ZC_EDGE(NEAR_V(x), NEAR_H(x), NEAR_D(x))
#define ZERO_HH(x) 2 * WVL_ZC_CROSS(NEAR_H(x) + NEAR_V(x), NEAR_D(x))
static const uint8_t zero_codes[4][256] = {
    {WVL_ROWS_256(ZERO_LH, 0)}, {WVL_ROWS_256(ZERO_HL, 0)}, {WVL_ROWS_256(ZERO_LH, 0)}, {WVL_ROWS_256(ZERO_HH, 0)}};

/* Significant: 7 N, 2 W, 0 S, 5 E; negative: 6 N, 1 W, 3 S, 4 E. */
#define SIGN_PAIR(x, s, n) (NEAR_BIT(x, s) * (1 - 2 * NEAR_BIT(x, n)))
#define SIGN_H(x) WVL_SC_CLAMP(SIGN_PAIR(x, 2, 1) + SIGN_PAIR(x, 5, 4))
#define SIGN_V(x) WVL_SC_CLAMP(SIGN_PAIR(x, 7, 6) + SIGN_PAIR(x, 0, 3))
#define SIGN_CODE(x) (2 * WVL_SC_CTX(SIGN_H(x), SIGN_V(x)) + WVL_SC_FLIP(SIGN_H(x), SIGN_V(x)))
static const uint8_t sign_codes[256] = {WVL_ROWS_256(SIGN_CODE, 0)};

/* By sample: its bit in the window plus a distance. */
#define SAMPLE_BIT(j, d) ((7 + 6 * ((j) / 4) + (j) % 4 + (d)) & 63)
#define BEFORE_8(j) SAMPLE_BIT(j, -8)
#define BEFORE_7(j) SAMPLE_BIT(j, -7)
#define BEFORE_2(j) SAMPLE_BIT(j, -2)
#define AFTER_1(j) SAMPLE_BIT(j, 1)
#define AFTER_2(j) SAMPLE_BIT(j, 2)
#define ROWS_32(F)                                                                                                     \
    {                                                                                                                  \
        WVL_ROWS_16(F, 0), WVL_ROWS_16(F, 16)                                                                          \
    }
static const uint8_t before_8[32] = ROWS_32(BEFORE_8), before_7[32] = ROWS_32(BEFORE_7),
                     before_2[32] = ROWS_32(BEFORE_2);
static const uint8_t after_1[32] = ROWS_32(AFTER_1), after_2[32] = ROWS_32(AFTER_2);

/* Byte j of the first vector, byte j of the second, byte j + 1 of the first... */
#define PAIR(j) (j), 64 + (j)
#define PAIRS_4(j) PAIR(j), PAIR((j) + 1), PAIR((j) + 2), PAIR((j) + 3)
static const uint8_t pairs[64] = {PAIRS_4(0),  PAIRS_4(4),  PAIRS_4(8),  PAIRS_4(12),
                                  PAIRS_4(16), PAIRS_4(20), PAIRS_4(24), PAIRS_4(28)};

typedef struct tools {
    __m512i zero[4], sign[4], pairs;
    __m256i before_8, before_7, before_2, after_1, after_2;
} tools;

static WVL_ALWAYS_INLINE __m256i load_32(const uint8_t *p) { return _mm256_loadu_si256((const __m256i *)p); }

static WVL_ALWAYS_INLINE tools open_tools(const wvl_t1_fast *b)
{
    tools t;
    for (unsigned i = 0; i < 4; i++) {
        t.zero[i] = _mm512_loadu_si512(zero_codes[b->in->orient & 3] + 64 * i);
        t.sign[i] = _mm512_loadu_si512(sign_codes + 64 * i);
    }
    t.pairs = _mm512_loadu_si512(pairs);
    t.before_8 = load_32(before_8);
    t.before_7 = load_32(before_7);
    t.before_2 = load_32(before_2);
    t.after_1 = load_32(after_1);
    t.after_2 = load_32(after_2);
    return t;
}

static WVL_ALWAYS_INLINE uint32_t gather(uint64_t v) { return (uint32_t)_pext_u64(v, WVL_T1_INNER); }

static WVL_ALWAYS_INLINE __m256i look_up(const __m512i table[4], __m256i index)
{
    __m512i i = _mm512_castsi256_si512(index);
    __m512i low = _mm512_permutex2var_epi8(table[0], i, table[1]),
            high = _mm512_permutex2var_epi8(table[2], i, table[3]);
    return _mm256_mask_mov_epi8(_mm512_castsi512_si256(low), _mm256_movepi8_mask(index), _mm512_castsi512_si256(high));
}

/* a where mask is set, else b. */
static WVL_ALWAYS_INLINE __m256i choose(int mask, __m256i a, __m256i b)
{
    return _mm256_ternarylogic_epi32(_mm256_set1_epi8((char)mask), a, b, 0xCA);
}

/* Codes of a unit: of its samples when they are insignificant, and of their signs. */
typedef struct codes {
    __m256i zero, sign;
} codes;

/* before, after: the window of significance. */
static WVL_ALWAYS_INLINE codes fetch_codes(const tools *t, uint64_t before, uint64_t after, uint64_t negative,
                                           uint32_t fresh, int flags)
{
    __m256i own = _mm256_maskz_set1_epi8(gather(negative), 1), bit = _mm256_maskz_set1_epi8(fresh, 1);
    if (flags & RAW) {
        return (codes){bit, own};
    }
    __m256i b = _mm256_set1_epi64x((long long)before), a = _mm256_set1_epi64x((long long)after),
            n = _mm256_set1_epi64x((long long)negative);
    __m256i near =
        choose(0x8E, _mm256_multishift_epi64_epi8(t->before_8, a), _mm256_multishift_epi64_epi8(t->after_1, b));
    __m256i signs =
        choose(0x08, _mm256_multishift_epi64_epi8(t->before_2, n), _mm256_multishift_epi64_epi8(t->after_2, n));
    signs = choose(0xA5, near, choose(0x42, _mm256_multishift_epi64_epi8(t->before_7, n), signs));
    return (codes){_mm256_or_si256(look_up(t->zero, near), bit), _mm256_xor_si256(look_up(t->sign, signs), own)};
}

static WVL_ALWAYS_INLINE uint8_t *put_chosen(__m512i bytes, uint64_t chosen, uint8_t *out)
{
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(chosen, bytes));
    return out + _mm_popcnt_u64(chosen);
}

static WVL_ALWAYS_INLINE __m512i pair_codes(const tools *t, const codes *c)
{
    return _mm512_permutex2var_epi8(_mm512_castsi256_si512(c->zero), t->pairs, _mm512_castsi256_si512(c->sign));
}

static WVL_ALWAYS_INLINE uint8_t *put_pairs(const tools *t, const codes *c, uint32_t coded, uint32_t fresh,
                                            uint8_t *out)
{
    return put_chosen(pair_codes(t, c),
                      _pdep_u64(coded, UINT64_C(0x5555555555555555)) | _pdep_u64(fresh, UINT64_C(0xAAAAAAAAAAAAAAAA)),
                      out);
}

static WVL_ALWAYS_INLINE uint64_t propagate_unit(const tools *t, unit *u, uint8_t **symbols, int flags)
{
    uint64_t visited = find_visited(u);
    if (!visited) {
        return 0;
    }
    uint64_t after = u->window | (visited & u->bits);
    uint32_t coded = gather(visited), fresh = gather(visited & u->bits);
    codes c = fetch_codes(t, u->window, after, u->negative, fresh, flags);
    *symbols = put_pairs(t, &c, coded, fresh, *symbols);
    u->window = after;
    return visited;
}

/* Four bytes a sample: two for the start of a broken run, its zero coding, its sign. */
static WVL_ALWAYS_INLINE uint8_t *put_half(__m256i pairs16, uint32_t first, uint32_t coded, uint32_t fresh,
                                           uint8_t *out)
{
    const int run = 2 * WVL_T1_CTX_RUN + 1, uniform = 2 * WVL_T1_CTX_UNIFORM;
    __m512i head =
        _mm512_set4_epi32(run | (uniform + 1) << 8, run | (uniform + 1) << 8, run | uniform << 8, run | uniform << 8);
    __m512i bytes = _mm512_or_si512(_mm512_slli_epi32(_mm512_cvtepu16_epi32(pairs16), 16), head);
    uint64_t chosen = 3 * _pdep_u64(first, UINT64_C(0x1111111111111111));
    chosen |= _pdep_u64(coded, UINT64_C(0x4444444444444444)) | _pdep_u64(fresh, UINT64_C(0x8888888888888888));
    return put_chosen(bytes, chosen, out);
}

/* first: where runs break. Zero coding there is the second bit of the row. */
static WVL_ALWAYS_INLINE uint8_t *put_broken(const tools *t, codes *c, uint32_t first, uint32_t coded, uint32_t fresh,
                                             uint8_t *out)
{
    c->zero = _mm256_mask_mov_epi8(c->zero, first,
                                   _mm256_set1_epi16(2 * WVL_T1_CTX_UNIFORM | (2 * WVL_T1_CTX_UNIFORM + 1) << 8));
    __m512i words = pair_codes(t, c);
    out = put_half(_mm512_castsi512_si256(words), first & 0xFFFF, coded & 0xFFFF, fresh & 0xFFFF, out);
    return put_half(_mm512_extracti64x4_epi64(words, 1), first >> 16, coded >> 16, fresh >> 16, out);
}

static WVL_ALWAYS_INLINE void clean_unit(const tools *t, unit *u, uint64_t visited, uint8_t **symbols, int flags,
                                         int full_stripe)
{
    uint64_t coded = ~(u->window | visited) & u->valid, fresh = coded & u->bits, after = u->window | fresh;
    uint64_t run = full_stripe ? find_runs(u->window, after, u->valid) : 0, breaks = run & fold_columns(u->bits);
    if (!breaks && coded == run * 15) { /* maybe none */
        const uint64_t runs = UINT64_C(0x0101010101010101) * 2 * WVL_T1_CTX_RUN;
        memcpy(*symbols, &runs, 8);
        *symbols += _mm_popcnt_u64(run);
        return;
    }
    /* Of a broken run's column, the samples up to the first that becomes significant. */
    uint64_t broken = u->bits & (breaks * 15), upto = broken ^ (broken - breaks), first = broken & upto,
             whole = run ^ breaks;
    coded &= ~(whole * 14 | (upto ^ first));
    uint32_t fresh32 = gather(fresh);
    codes c = fetch_codes(t, u->window, after, u->negative, fresh32, flags);
    c.zero = _mm256_mask_mov_epi8(c.zero, gather(whole), _mm256_set1_epi8(2 * WVL_T1_CTX_RUN));
    if (breaks) {
        *symbols = put_broken(t, &c, gather(first), gather(coded), fresh32, *symbols);
    } else {
        *symbols = put_pairs(t, &c, gather(coded), fresh32, *symbols);
    }
    u->window = after;
}

static WVL_ALWAYS_INLINE uint8_t *finish_units(const tools *t, uint8_t *out, int flags)
{
    (void)t, (void)flags;
    return out;
}

/* Base of the symbols of a refinement: context 14 + lit + 2 * again. */
static WVL_ALWAYS_INLINE uint8_t *refine_members(uint64_t members, uint64_t bits, uint64_t lit, uint64_t again,
                                                 uint8_t *out)
{
    if (!members) {
        return out;
    }
    uint32_t chosen = gather(members);
    __m256i v = _mm256_mask_mov_epi8(_mm256_set1_epi8(2 * WVL_T1_CTX_REFINE), gather(bits),
                                     _mm256_set1_epi8(2 * WVL_T1_CTX_REFINE + 1));
    v = _mm256_mask_add_epi8(v, gather(lit), v, _mm256_set1_epi8(2));
    v = _mm256_mask_add_epi8(v, gather(again), v, _mm256_set1_epi8(4));
    _mm256_storeu_si256((__m256i *)out, _mm256_maskz_compress_epi8(chosen, v));
    return out + _mm_popcnt_u32(chosen);
}

/* Row by row; masked loads touch no sample outside the block. */
static WVL_ALWAYS_INLINE void add_gain(wvl_t1_fast *b, const stripe *s, uint32_t k, uint64_t fresh, int flags)
{
    size_t at = (size_t)s->y * b->in->stride + 8 * k;
    __m256i sum = _mm256_setzero_si256();
    if (!fresh) {
        return;
    }
    for (unsigned r = 0; r < 4; r++, at += b->in->stride) {
        __mmask8 row = (__mmask8)_pext_u64(fresh, WVL_T1_TOP_ROW << r);
        if (flags & WIDE) {
            __m256i v = _mm256_and_si256(_mm256_maskz_loadu_epi32(row, (const uint32_t *)b->in->coefs + at),
                                         _mm256_set1_epi32(0x7FFFFFFF));
            sum = _mm256_add_epi64(
                sum, _mm256_add_epi64(_mm256_srli_epi64(v, 32), _mm256_and_si256(v, _mm256_set1_epi64x(0xFFFFFFFF))));
        } else {
            __m128i v =
                _mm_and_si128(_mm_maskz_loadu_epi16(row, (const uint16_t *)b->in->coefs + at), _mm_set1_epi16(0x7FFF));
            sum = _mm256_add_epi64(sum, _mm256_cvtepu32_epi64(_mm_madd_epi16(v, _mm_set1_epi16(1))));
        }
    }
    __m128i two = _mm_add_epi64(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    b->gain_sum += (uint64_t)_mm_cvtsi128_si64(two) + (uint64_t)_mm_extract_epi64(two, 1);
    b->gain_count += (uint64_t)_mm_popcnt_u64(fresh);
}

#include "codec/t1/fast_pass.h"

size_t wvl_t1_list_pass_avx512(wvl_t1_fast *block, int kind, int raw, unsigned plane)
{
    return list_pass(block, kind, raw, plane);
}
