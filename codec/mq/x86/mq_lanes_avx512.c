/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sixteen MQ coders in the 32-bit lanes of vectors (D-t1-04). A step takes one symbol of each: the table lookups are
 * permutations of registers, the state of four contexts lies in each of five vectors, and bytes that leave go, with
 * their lane's number, into a log that is sorted into the codewords after some steps.
 *
 * Measured on Zen 4: about 3.5 cycles a symbol with all lanes in use, 4.5 where blocks come as a stream; the scalar
 * coder, with two codewords in turns, takes 16.
 */
#include "codec/mq/mq_lanes.h"

enum { MOST_BYTES = 3 }; /* of a lane in a step: CT = 1, 15 shifts, and a stuffed bit between */

/* By row: Qe, and how the state (row, MPS in bit 6) changes: MPS in the low byte, LPS in the high one. */
#define QE(row, q, nmps, nlps, flip) q,
#define CHANGE(row, q, nmps, nlps, flip) ((row) ^ (nmps)) | (((row) ^ (nlps)) | (flip) << 6) << 8,
static const uint16_t qe_table[64] = {WVL_MQ_ROWS(QE)};
static const uint16_t change_table[64] = {WVL_MQ_ROWS(CHANGE)};

/* Registers of a run; `b` is the pending byte. */
typedef struct coder {
    __m512i a, c, ct, b;
    lanes state[STATE_WORDS];
    uint16_t *log;
    __mmask16 active;
} coder;

#define SET(x) _mm512_set1_epi32((int)(x))

static inline void put_bytes(coder *k, __mmask16 out)
{
    __m512i carry = _mm512_srli_epi32(k->c, 27);
    __mmask16 free = _mm512_mask_cmpneq_epi32_mask(out, k->b, SET(0xFF));
    k->b = _mm512_mask_add_epi32(k->b, free, k->b, carry);
    k->c = _mm512_mask_and_epi32(k->c, free, k->c, SET(0x7FFFFFF));
    __mmask16 stuffed = _mm512_mask_cmpeq_epi32_mask(out, k->b, SET(0xFF));
    __m512i entries = _mm512_or_si512(k->b, _mm512_set_epi32(0xF00, 0xE00, 0xD00, 0xC00, 0xB00, 0xA00, 0x900, 0x800,
                                                             0x700, 0x600, 0x500, 0x400, 0x300, 0x200, 0x100, 0));
    __mmask16 leaving = out & k->active;
    _mm256_storeu_si256((__m256i *)k->log, _mm256_maskz_compress_epi16(leaving, _mm512_cvtepi32_epi16(entries)));
    k->log += _mm_popcnt_u32(leaving);
    __m512i kept = _mm512_mask_mov_epi32(SET(19), stuffed, SET(20));
    __m512i below = _mm512_mask_mov_epi32(SET(0x7FFFF), stuffed, SET(0xFFFFF));
    k->b = _mm512_mask_srlv_epi32(k->b, out, k->c, kept);
    k->c = _mm512_mask_and_epi32(k->c, out, k->c, below);
    k->ct = _mm512_mask_sub_epi32(k->ct, out, SET(27), kept);
}

/* Shifts C by `shift`, letting bytes leave where CT comes to 0. */
static inline void shift_codes(coder *k, __m512i shift)
{
    __mmask16 out;
    __m512i part = _mm512_min_epi32(shift, k->ct);
    k->c = _mm512_sllv_epi32(k->c, part);
    k->ct = _mm512_sub_epi32(k->ct, part);
    out = _mm512_testn_epi32_mask(k->ct, k->ct);
    do {
        shift = _mm512_sub_epi32(shift, part);
        put_bytes(k, out);
        part = _mm512_min_epi32(shift, k->ct);
        k->c = _mm512_sllv_epi32(k->c, part);
        k->ct = _mm512_sub_epi32(k->ct, part);
        out = _mm512_testn_epi32_mask(k->ct, k->ct);
    } while (__builtin_expect(out, 0));
}

/* The low byte of each lane of `s` is its symbol. */
static inline void put_symbols(coder *k, __m512i s)
{
    __m512i word = _mm512_and_si512(s, SET(0x38)), at = _mm512_and_si512(_mm512_slli_epi32(s, 2), SET(24));
    __m512i bit = _mm512_and_si512(_mm512_slli_epi32(s, 6), SET(0x40));
    __mmask16 in[STATE_WORDS];
    for (unsigned i = 0; i < STATE_WORDS; i++) {
        in[i] = _mm512_cmpeq_epi32_mask(word, SET(8 * i));
    }
    __m512i x = _mm512_mask_mov_epi32((__m512i)k->state[0], in[1], (__m512i)k->state[1]),
            y = _mm512_mask_mov_epi32((__m512i)k->state[2], in[3], (__m512i)k->state[3]);
    x = _mm512_mask_mov_epi32(x, in[2] | in[3], y);
    x = _mm512_mask_mov_epi32(x, in[4], (__m512i)k->state[4]);
    x = _mm512_xor_si512(_mm512_srlv_epi32(x, at), bit);

    __mmask16 is_mps = _mm512_testn_epi32_mask(x, SET(0x40));
    __m512i row =
        _mm512_ternarylogic_epi32(x, SET(0x3F), SET(0x3F0000), 0xEA); /* (x & 0x3F) | 0x3F0000: entry 63 is 0 */
    __m512i qe = _mm512_permutex2var_epi16(_mm512_loadu_si512(qe_table), row, _mm512_loadu_si512(qe_table + 32));
    __m512i change =
        _mm512_permutex2var_epi16(_mm512_loadu_si512(change_table), row, _mm512_loadu_si512(change_table + 32));
    __m512i upper = _mm512_sub_epi32(k->a, qe);
    __m512i a = _mm512_mask_mov_epi32(_mm512_min_epi32(upper, qe), is_mps, _mm512_max_epi32(upper, qe));
    __mmask16 takes_upper = _mm512_cmplt_epi32_mask(upper, qe) ^ is_mps;
    __mmask16 renormalised = _mm512_testn_epi32_mask(a, SET(0x8000));
    __m512i shift = _mm512_sub_epi32(_mm512_lzcnt_epi32(a), SET(16));
    k->a = _mm512_sllv_epi32(a, shift);
    k->c = _mm512_mask_add_epi32(k->c, takes_upper, k->c, qe);

    change = _mm512_mask_srli_epi32(_mm512_and_si512(change, SET(0xFF)), (__mmask16)~is_mps, change, 8);
    change = _mm512_sllv_epi32(_mm512_maskz_mov_epi32(renormalised, change), at);
    for (unsigned i = 0; i < STATE_WORDS; i++) {
        __m512i state = (__m512i)k->state[i];
        k->state[i] = (lanes)_mm512_mask_xor_epi32(state, in[i], state, change);
    }
    shift_codes(k, shift);
}

static inline __m512i load_quarters(const uint8_t *const from[LANES], unsigned first, size_t at)
{
    __m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(from[first] + at)));
    v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(from[first + 4] + at)), 1);
    v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(from[first + 8] + at)), 2);
    return _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(from[first + 12] + at)), 3);
}

/* 16 symbols of each lane, four of a lane in a word. */
static inline void fetch_symbols(const uint8_t *const from[LANES], size_t at, __m512i to[4])
{
    __m512i q0 = load_quarters(from, 0, at), q1 = load_quarters(from, 1, at), q2 = load_quarters(from, 2, at),
            q3 = load_quarters(from, 3, at);
    __m512i a = _mm512_unpacklo_epi32(q0, q1), b = _mm512_unpackhi_epi32(q0, q1), c = _mm512_unpacklo_epi32(q2, q3),
            d = _mm512_unpackhi_epi32(q2, q3);
    to[0] = _mm512_unpacklo_epi64(a, c);
    to[1] = _mm512_unpackhi_epi64(a, c);
    to[2] = _mm512_unpacklo_epi64(b, d);
    to[3] = _mm512_unpackhi_epi64(b, d);
}

/* Up to STEPS symbols. */
static void run_steps(coder *k, const uint8_t *const from[LANES], size_t at, size_t count)
{
    for (size_t end = at + count; at < end; at += 16) {
        __m512i words[4];
        fetch_symbols(from, at, words);
        size_t steps = end - at < 16 ? end - at : 16;
        for (size_t i = 0; i < steps; i++) {
            put_symbols(k, words[i / 4]);
            words[i / 4] = _mm512_srli_epi32(words[i / 4], 8);
        }
    }
}

void wvl_mq_encode_lanes_avx512(wvl_mq *const mq[], const uint8_t *const symbols[], unsigned count, size_t symbol_count)
{
    coder k;
    uint32_t a[LANES], c[LANES], ct[LANES], b[LANES];
    uint16_t log[STEPS * LANES * MOST_BYTES + LANES];
    const uint8_t *from[LANES];
    if (count < FEW) {
        wvl_mq_encode_lanes_c(mq, symbols, count, symbol_count);
        return;
    }
    for (unsigned i = 0; i < LANES; i++) {
        const wvl_mq *m = mq[i < count ? i : 0];
        from[i] = symbols[i < count ? i : 0];
        a[i] = m->a;
        c[i] = m->c;
        ct[i] = m->ct;
        b[i] = *m->bp;
    }
    open_states(mq, count, k.state);
    k.a = _mm512_loadu_si512(a);
    k.c = _mm512_loadu_si512(c);
    k.ct = _mm512_loadu_si512(ct);
    k.b = _mm512_loadu_si512(b);
    k.active = (__mmask16)((1u << count) - 1);
    for (size_t at = 0; at < symbol_count; at += STEPS) {
        k.log = log;
        run_steps(&k, from, at, symbol_count - at < STEPS ? symbol_count - at : STEPS);
        for (const uint16_t *e = log; e < k.log; e++) {
            *mq[*e >> 8]->bp++ = (uint8_t)*e;
        }
    }
    close_states(k.state, 0, mq, count);
    _mm512_storeu_si512(a, k.a);
    _mm512_storeu_si512(c, k.c);
    _mm512_storeu_si512(ct, k.ct);
    _mm512_storeu_si512(b, k.b);
    for (unsigned i = 0; i < count; i++) {
        mq[i]->a = a[i];
        mq[i]->c = c[i];
        mq[i]->ct = ct[i];
        *mq[i]->bp = (uint8_t)b[i];
    }
}
