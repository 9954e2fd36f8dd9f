/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Up to sixteen MQ coders in the 32-bit lanes of two vectors, for processors with AVX2 only.
 *
 * What a symbol does to the interval A and to the states does not depend on the code register C. So the vectors follow
 * A and the states, and log for C what is added and how far it is shifted, some symbols in one entry; afterwards the
 * entries of each lane go through a 64-bit C of its own. From C = 0 on, C + A stays at or below 2^(16 + shifts),
 * because intervals are nested: an entry fits 32 bits.
 *
 * Bytes leave late then, with carries that arrived after their time. The standard gives a carry to a byte that has
 * left, unless it is 0xFF: then the stuffed bit after it takes the carry. So the late byte is the right one, unless it
 * was 0xFF and a carry has made it 0x00. Whenever a 0x00 leaves, the symbols since the last reading of the log are
 * coded again in C (one byte in 256).
 */
#include <immintrin.h>
#include <string.h>

#include "codec/mq/mq.h"

enum {
    LANES = 8,                        /* of a vector */
    STEPS = 64,                       /* symbols of a lane between two readings of the log */
    MERGED = 8,                       /* symbols in an entry */
    ENTRIES = STEPS + STEPS / MERGED, /* where every symbol needs one of its own */
    MOST_SHIFTS = 16,                 /* of an entry */
    LATE = 20, /* shifts of C beyond the end of a byte before bytes leave: 28 + 19 + MOST_SHIFTS bits are below 64 */
    FEW = 4,   /* below this, pairs in C are faster */
    STATE_WORDS = 5 /* four contexts each */
};

/* By row: Qe, and how the state (row, MPS in bit 6) changes: with the MPS in bits 16..23, with the LPS in bits 24..31.
 */
#define ENTRY(row, q, nmps, nlps, flip)                                                                                \
    (q) | (uint32_t)((row) ^ (nmps)) << 16 | (uint32_t)(((row) ^ (nlps)) | (flip) << 6) << 24,
static const uint32_t entries[64] = {WVL_MQ_ROWS(ENTRY)};

/* A of eight lanes, their states, and the entry that is being made. */
typedef struct group {
    __m256i a, code, shifts;
    __m256i state[STATE_WORDS];
} group;

typedef struct log {
    uint32_t code[ENTRIES][LANES], shifts[ENTRIES][LANES];
    size_t count;
} log_of_codes;

/* C of one lane, and its output. */
typedef struct code_register {
    uint64_t c;
    int32_t ct;   /* falls to 0 and below when bytes are late */
    int has_zero; /* a byte 0x00 has left */
    uint8_t *bp;
} code_register;

#define SET(x) _mm256_set1_epi32((int)(x))

/* (2 row + MPS) to (row, MPS in bit 6), and back, in each byte. */
static inline __m256i fold_states(__m256i v)
{
    return _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi32(v, 1), SET(0x3F3F3F3F)),
                           _mm256_and_si256(_mm256_slli_epi32(v, 6), SET(0x40404040)));
}

static inline __m256i unfold_states(__m256i v)
{
    return _mm256_or_si256(_mm256_and_si256(_mm256_slli_epi32(v, 1), SET(0x7E7E7E7E)),
                           _mm256_and_si256(_mm256_srli_epi32(v, 6), SET(0x01010101)));
}

static void open_group(group *g, wvl_mq *const mq[], unsigned count)
{
    uint32_t a[LANES], state[STATE_WORDS][LANES];
    for (unsigned i = 0; i < LANES; i++) {
        const wvl_mq *m = mq[i < count ? i : 0];
        uint32_t words[STATE_WORDS] = {0};
        memcpy(words, m->state, sizeof m->state);
        a[i] = m->a;
        for (unsigned k = 0; k < STATE_WORDS; k++) {
            state[k][i] = words[k];
        }
    }
    g->a = _mm256_loadu_si256((const __m256i *)a);
    for (unsigned k = 0; k < STATE_WORDS; k++) {
        g->state[k] = fold_states(_mm256_loadu_si256((const __m256i *)state[k]));
    }
    g->code = g->shifts = _mm256_setzero_si256();
}

static void close_group(const group *g, wvl_mq *const mq[], unsigned count)
{
    uint32_t a[LANES], state[STATE_WORDS][LANES];
    _mm256_storeu_si256((__m256i *)a, g->a);
    for (unsigned k = 0; k < STATE_WORDS; k++) {
        _mm256_storeu_si256((__m256i *)state[k], unfold_states(g->state[k]));
    }
    for (unsigned i = 0; i < count; i++) {
        uint32_t words[STATE_WORDS];
        for (unsigned k = 0; k < STATE_WORDS; k++) {
            words[k] = state[k][i];
        }
        memcpy(mq[i]->state, words, sizeof mq[i]->state);
        mq[i]->a = a[i];
    }
}

/* One lane as it is. */
static void fetch_lane(const group *g, unsigned lane, wvl_mq *mq)
{
    uint32_t words[STATE_WORDS], all[LANES];
    for (unsigned k = 0; k < STATE_WORDS; k++) {
        _mm256_storeu_si256((__m256i *)all, unfold_states(g->state[k]));
        words[k] = all[lane];
    }
    _mm256_storeu_si256((__m256i *)all, g->a);
    memcpy(mq->state, words, sizeof mq->state);
    mq->a = all[lane];
}

static inline void put_entry(group *g, log_of_codes *log)
{
    _mm256_storeu_si256((__m256i *)log->code[log->count], g->code);
    _mm256_storeu_si256((__m256i *)log->shifts[log->count], g->shifts);
    log->count++;
    g->code = g->shifts = _mm256_setzero_si256();
}

/* The low byte of each lane of `s` is its symbol. */
static inline void put_symbols(group *g, __m256i s, log_of_codes *log)
{
    __m256i word = _mm256_and_si256(s, SET(0x38)), at = _mm256_and_si256(_mm256_slli_epi32(s, 2), SET(24));
    __m256i in[STATE_WORDS], x = _mm256_setzero_si256();
    for (unsigned i = 0; i < STATE_WORDS; i++) {
        in[i] = _mm256_cmpeq_epi32(word, SET(8 * i));
        x = _mm256_or_si256(x, _mm256_and_si256(in[i], g->state[i]));
    }
    x = _mm256_xor_si256(_mm256_srlv_epi32(x, at), _mm256_slli_epi32(s, 6)); /* bit 6: the LPS */
    __m256i lps = _mm256_srai_epi32(_mm256_slli_epi32(x, 25), 31);
    __m256i entry = _mm256_i32gather_epi32((const int *)entries, _mm256_and_si256(x, SET(0x3F)), 4);
    __m256i qe = _mm256_and_si256(entry, SET(0xFFFF)), upper = _mm256_sub_epi32(g->a, qe);
    __m256i takes_lower = _mm256_xor_si256(_mm256_cmpgt_epi32(qe, upper), lps);
    __m256i a = _mm256_blendv_epi8(_mm256_max_epi32(upper, qe), _mm256_min_epi32(upper, qe), lps);
    /* The exponent of a float is the place of the top bit: 127 + 15 where nothing is to be shifted. */
    __m256i shift = _mm256_sub_epi32(SET(142), _mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(a)), 23));
    g->a = _mm256_sllv_epi32(a, shift);

    __m256i change = _mm256_srlv_epi32(entry, _mm256_or_si256(SET(16), _mm256_and_si256(lps, SET(8))));
    __m256i kept = _mm256_cmpeq_epi32(shift, _mm256_setzero_si256());
    change = _mm256_sllv_epi32(_mm256_andnot_si256(kept, _mm256_and_si256(change, SET(0x7F))), at);
    for (unsigned i = 0; i < STATE_WORDS; i++) {
        g->state[i] = _mm256_xor_si256(g->state[i], _mm256_and_si256(change, in[i]));
    }

    __m256i shifts = _mm256_add_epi32(g->shifts, shift);
    if (__builtin_expect(_mm256_movemask_epi8(_mm256_cmpgt_epi32(shifts, SET(MOST_SHIFTS))), 0)) {
        put_entry(g, log);
        shifts = shift;
    }
    g->code = _mm256_sllv_epi32(_mm256_add_epi32(g->code, _mm256_andnot_si256(takes_lower, qe)), shift);
    g->shifts = shifts;
}

static inline __m256i load_halves(const uint8_t *const from[LANES], unsigned first, size_t at)
{
    __m256i v = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(from[first] + at)));
    return _mm256_inserti128_si256(v, _mm_loadu_si128((const __m128i *)(from[first + 4] + at)), 1);
}

/* 16 symbols of each lane, four of a lane in a word. */
static inline void fetch_symbols(const uint8_t *const from[LANES], size_t at, __m256i to[4])
{
    __m256i q0 = load_halves(from, 0, at), q1 = load_halves(from, 1, at), q2 = load_halves(from, 2, at),
            q3 = load_halves(from, 3, at);
    __m256i a = _mm256_unpacklo_epi32(q0, q1), b = _mm256_unpackhi_epi32(q0, q1), c = _mm256_unpacklo_epi32(q2, q3),
            d = _mm256_unpackhi_epi32(q2, q3);
    to[0] = _mm256_unpacklo_epi64(a, c);
    to[1] = _mm256_unpackhi_epi64(a, c);
    to[2] = _mm256_unpacklo_epi64(b, d);
    to[3] = _mm256_unpackhi_epi64(b, d);
}

/* Up to STEPS symbols; the two groups fill the gaps of each other's chains. */
static inline void run_steps(group g[2], unsigned groups, const uint8_t *const from[2 * LANES], size_t at, size_t count,
                             log_of_codes log[2])
{
    log[0].count = log[1].count = 0;
    for (size_t end = at + count; at < end; at += 16) {
        __m256i words[2][4];
        size_t steps = end - at < 16 ? end - at : 16;
        for (unsigned k = 0; k < groups; k++) {
            fetch_symbols(from + LANES * k, at, words[k]);
        }
        for (size_t i = 0; i < steps; i++) {
            for (unsigned k = 0; k < groups; k++) {
                put_symbols(&g[k], words[k][i / 4], &log[k]);
                words[k][i / 4] = _mm256_srli_epi32(words[k][i / 4], 8);
                if (i % MERGED == MERGED - 1) {
                    put_entry(&g[k], &log[k]);
                }
            }
        }
        for (unsigned k = 0; k < groups && steps % MERGED; k++) {
            put_entry(&g[k], &log[k]);
        }
    }
}

/* BYTEOUT for a C that is shifted past the end of bytes, until it is not. */
static inline void put_bytes(code_register *r)
{
    uint64_t c = r->c;
    int32_t late = -r->ct;
    uint32_t b = *r->bp;
    do {
        unsigned kept = 19 + (unsigned)late;
        if (b != 0xFF) {
            b += (uint32_t)(c >> (kept + 8));
            *r->bp = (uint8_t)b;
            c &= (UINT64_C(1) << (kept + 8)) - 1;
        }
        unsigned stuffed = b == 0xFF;
        kept += stuffed;
        b = (uint32_t)(c >> kept);
        *++r->bp = (uint8_t)b;
        r->has_zero |= b == 0;
        c &= (UINT64_C(1) << kept) - 1;
        late -= (int32_t)(8 - stuffed);
    } while (late >= 0);
    r->ct = -late;
    r->c = c;
}

static code_register follow_log(code_register r, const log_of_codes *log, unsigned lane)
{
    for (size_t i = 0; i < log->count; i++) {
        uint32_t shift = log->shifts[i][lane];
        r.c = (r.c << shift) + log->code[i][lane];
        r.ct -= (int32_t)shift;
        if (__builtin_expect(r.ct <= -LATE, 0)) {
            put_bytes(&r);
        }
    }
    if (r.ct <= 0) {
        put_bytes(&r);
    }
    return r;
}

/* One lane, from where it stood when the log was empty. */
static void code_again(code_register *r, const group *g, unsigned lane, const uint8_t *symbols, size_t count)
{
    wvl_mq one = {.c = (uint32_t)r->c, .ct = (uint32_t)r->ct, .bp = r->bp};
    fetch_lane(g, lane, &one);
    wvl_mq_encode_symbols(&one, symbols, count);
    *r = (code_register){one.c, (int32_t)one.ct, 0, one.bp};
}

/* before: the group when the log was empty; symbols: those of the log. */
static void put_codes(code_register *codes, unsigned count, const group *before, const log_of_codes *log,
                      const uint8_t *const symbols[], size_t at, size_t symbol_count)
{
    for (unsigned i = 0; i < count; i++) {
        uint8_t b = *codes[i].bp;
        code_register r = follow_log(codes[i], log, i);
        if (__builtin_expect(!r.has_zero, 1)) {
            codes[i] = r;
            continue;
        }
        *codes[i].bp = b;
        code_again(&codes[i], before, i, symbols[i] + at, symbol_count);
    }
}

static void encode(wvl_mq *const mq[], const uint8_t *const symbols[], unsigned count, size_t symbol_count,
                   unsigned groups)
{
    group g[2], before[2];
    log_of_codes log[2];
    code_register codes[2 * LANES];
    const uint8_t *from[2 * LANES];
    unsigned lanes[2] = {count < LANES ? count : LANES, count < LANES ? 0 : count - LANES};
    for (unsigned i = 0; i < 2 * LANES; i++) {
        from[i] = symbols[i < count ? i : 0];
    }
    for (unsigned i = 0; i < count; i++) {
        codes[i] = (code_register){mq[i]->c, (int32_t)mq[i]->ct, 0, mq[i]->bp};
    }
    for (unsigned k = 0; k < groups; k++) {
        open_group(&g[k], mq + LANES * k, lanes[k]);
    }
    for (size_t at = 0; at < symbol_count; at += STEPS) {
        size_t steps = symbol_count - at < STEPS ? symbol_count - at : STEPS;
        for (unsigned k = 0; k < groups; k++) {
            before[k] = g[k];
        }
        run_steps(g, groups, from, at, steps, log);
        for (unsigned k = 0; k < groups; k++) {
            put_codes(codes + LANES * k, lanes[k], &before[k], &log[k], from + LANES * k, at, steps);
        }
    }
    for (unsigned i = 0; i < count; i++) {
        mq[i]->c = (uint32_t)codes[i].c;
        mq[i]->ct = (uint32_t)codes[i].ct;
        mq[i]->bp = codes[i].bp;
    }
    for (unsigned k = 0; k < groups; k++) {
        close_group(&g[k], mq + LANES * k, lanes[k]);
    }
}

void wvl_mq_encode_lanes_avx2(wvl_mq *const mq[], const uint8_t *const symbols[], unsigned count, size_t symbol_count)
{
    if (count < FEW) {
        wvl_mq_encode_lanes_c(mq, symbols, count, symbol_count);
    } else if (count <= LANES) {
        encode(mq, symbols, count, symbol_count, 1);
    } else {
        encode(mq, symbols, count, symbol_count, 2);
    }
}
