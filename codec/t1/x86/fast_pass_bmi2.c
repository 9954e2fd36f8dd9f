/* SPDX-License-Identifier: BSD-2-Clause */
/* The listing of passes with the bit instructions of BMI1 and BMI2. */
#include "codec/t1/kernels.h"

#include <immintrin.h>
#include <string.h>

#define FETCH_NEIGHBOURS(x) ((unsigned)_pext_u64(x, 0x71C7))
#include "codec/t1/fast_units.h"

/* Eight bits as bytes of one value. */
static WVL_ALWAYS_INLINE uint64_t spread_bits(uint64_t bits, uint64_t value)
{
    return _pdep_u64(bits, UINT64_C(0x0101010101010101) * value);
}

/* Base of the symbols of a refinement: context 14 + lit + 2 * again. What is chosen comes together first, then eight
 * symbols are made at once. */
static WVL_ALWAYS_INLINE uint8_t *refine_members(uint64_t members, uint64_t bits, uint64_t lit, uint64_t again,
                                                 uint8_t *out)
{
    if (!members) {
        return out;
    }
    uint64_t bit = _pext_u64(bits, members), first = _pext_u64(lit, members), second = _pext_u64(again, members);
    unsigned count = (unsigned)_mm_popcnt_u64(members);
    for (unsigned i = 0; i < count; i += 8, bit >>= 8, first >>= 8, second >>= 8) {
        uint64_t eight = UINT64_C(0x0101010101010101) * (2 * WVL_T1_CTX_REFINE);
        eight += spread_bits(bit, 1) | spread_bits(first, 2) | spread_bits(second, 4);
        memcpy(out + i, &eight, sizeof eight);
    }
    return out + count;
}

/* Eight samples of 16 bits, those of the mask. */
static WVL_ALWAYS_INLINE __m128i fetch_chosen(const uint16_t *row, unsigned mask)
{
    const __m128i bits = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128);
    __m128i chosen = _mm_cmpeq_epi16(_mm_and_si128(_mm_set1_epi16((short)mask), bits), bits);
    return _mm_and_si128(_mm_and_si128(_mm_loadu_si128((const __m128i *)(const void *)row), _mm_set1_epi16(0x7FFF)),
                         chosen);
}

/* Whole units of 16-bit samples row by row. */
static WVL_ALWAYS_INLINE void add_gain(wvl_t1_fast *b, const stripe *s, uint32_t k, uint64_t fresh, int flags)
{
    if (flags & WIDE || 8 * k + 8 > b->width || s->y + 4 > b->height) {
        add_each_gain(b, s, k, fresh, flags);
        return;
    }
    if (!fresh) {
        return;
    }
    const uint16_t *row = (const uint16_t *)b->in->coefs + (size_t)s->y * b->in->stride + 8 * k;
    __m128i sum = _mm_setzero_si128();
    for (unsigned r = 0; r < 4; r++, row += b->in->stride) {
        unsigned mask = (unsigned)_pext_u64(fresh, WVL_T1_TOP_ROW << r);
        sum = _mm_add_epi32(sum, _mm_madd_epi16(fetch_chosen(row, mask), _mm_set1_epi16(1)));
    }
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4E));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xB1));
    b->gain_sum += (uint32_t)_mm_cvtsi128_si32(sum);
    b->gain_count += (uint64_t)_mm_popcnt_u64(fresh);
}

#include "codec/t1/fast_pass.h"

size_t wvl_t1_list_pass_bmi2(wvl_t1_fast *block, int kind, int raw, unsigned plane)
{
    return list_pass(block, kind, raw, plane);
}
