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
#include "codec/mq/mq_lanes.h"

enum {
    MERGED = 8,                       /* symbols in an entry */
    ENTRIES = STEPS + STEPS / MERGED, /* where every symbol needs one of its own */
    MOST_SHIFTS = 16,                 /* of an entry */
    LATE = 20 /* shifts of C beyond the end of a byte before bytes leave: 28 + 19 + MOST_SHIFTS bits are below 64 */
};

/* By row: Qe, and how the state (row, MPS in bit 6) changes: with the MPS in bits 16..23, with the LPS in bits 24..31.
 */
#define ENTRY(row, q, nmps, nlps, flip)                                                                                \
    (q) | (uint32_t)((row) ^ (nmps)) << 16 | (uint32_t)(((row) ^ (nlps)) | (flip) << 6) << 24,
static const uint32_t entries[64] = {WVL_MQ_ROWS(ENTRY)};

/* A of eight lanes, their states, and the entry that is being made. */
typedef struct group {
    lanes a, code, shifts, state[STATE_WORDS];
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

static void open_group(group *g, wvl_mq *const mq[], unsigned count)
{
    open_states(mq, count, g->state);
    for (unsigned i = 0; i < LANES; i++) {
        g->a[i] = mq[i < count ? i : 0]->a;
    }
    g->code = g->shifts = (lanes){0};
}

/* Lanes from `first` on as they are. */
static void close_group(const group *g, unsigned first, wvl_mq *const mq[], unsigned count)
{
    close_states(g->state, first, mq, count);
    for (unsigned i = 0; i < count; i++) {
        mq[i]->a = g->a[first + i];
    }
}

static inline void put_entry(group *g, log_of_codes *log)
{
    put(log->code[log->count], g->code);
    put(log->shifts[log->count], g->shifts);
    log->count++;
    g->code = g->shifts = (lanes){0};
}

/* The low byte of each lane of `s` is its symbol. */
static inline void put_symbols(group *g, lanes s, log_of_codes *log)
{
    lanes word = s & 0x38, at = s << 2 & 24, in[STATE_WORDS], x = {0};
    for (unsigned i = 0; i < STATE_WORDS; i++) {
        in[i] = (lanes)(word == 8 * i);
        x |= in[i] & g->state[i];
    }
    x = x >> at ^ s << 6; /* bit 6: the LPS */
    lanes lps = (lanes)((ints)(x << 25) >> 31);
    lanes entry = (lanes)_mm256_i32gather_epi32((const int *)entries, (__m256i)(x & 0x3F), 4);
    lanes qe = entry & 0xFFFF, upper = g->a - qe, takes_lower = (lanes)((ints)qe > (ints)upper) ^ lps;
    __m256i larger = _mm256_max_epi32((__m256i)upper, (__m256i)qe),
            smaller = _mm256_min_epi32((__m256i)upper, (__m256i)qe);
    lanes a = (lanes)_mm256_blendv_epi8(larger, smaller, (__m256i)lps);
    /* The exponent of a float is the place of the top bit: 127 + 15 where nothing is to be shifted. */
    lanes shift = 142 - ((lanes) __builtin_convertvector((ints)a, floats) >> 23);
    g->a = a << shift;

    lanes change = (entry >> (16 | (lps & 8)) & 0x7F & (lanes)(shift != 0)) << at;
    for (unsigned i = 0; i < STATE_WORDS; i++) {
        g->state[i] ^= change & in[i];
    }

    lanes shifts = g->shifts + shift;
    if (__builtin_expect(_mm256_movemask_epi8((__m256i)((ints)shifts > MOST_SHIFTS)), 0)) {
        put_entry(g, log);
        shifts = shift;
    }
    g->code = (g->code + (qe & ~takes_lower)) << shift;
    g->shifts = shifts;
}

static inline __m256i load_halves(const uint8_t *const from[LANES], unsigned first, size_t at)
{
    __m256i v = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(from[first] + at)));
    return _mm256_inserti128_si256(v, _mm_loadu_si128((const __m128i *)(from[first + 4] + at)), 1);
}

/* 16 symbols of each lane, four of a lane in a word. */
static inline void fetch_symbols(const uint8_t *const from[LANES], size_t at, lanes to[4])
{
    __m256i q0 = load_halves(from, 0, at), q1 = load_halves(from, 1, at), q2 = load_halves(from, 2, at),
            q3 = load_halves(from, 3, at);
    __m256i a = _mm256_unpacklo_epi32(q0, q1), b = _mm256_unpackhi_epi32(q0, q1), c = _mm256_unpacklo_epi32(q2, q3),
            d = _mm256_unpackhi_epi32(q2, q3);
    to[0] = (lanes)_mm256_unpacklo_epi64(a, c);
    to[1] = (lanes)_mm256_unpackhi_epi64(a, c);
    to[2] = (lanes)_mm256_unpacklo_epi64(b, d);
    to[3] = (lanes)_mm256_unpackhi_epi64(b, d);
}

/* Up to STEPS symbols; the two groups fill the gaps of each other's chains. */
static inline void run_steps(group g[2], unsigned groups, const uint8_t *const from[2 * LANES], size_t at, size_t count,
                             log_of_codes log[2])
{
    log[0].count = log[1].count = 0;
    for (size_t end = at + count; at < end; at += 16) {
        lanes words[2][4];
        size_t steps = end - at < 16 ? end - at : 16;
        for (unsigned k = 0; k < groups; k++) {
            fetch_symbols(from + LANES * k, at, words[k]);
        }
        for (size_t i = 0; i < steps; i++) {
            for (unsigned k = 0; k < groups; k++) {
                put_symbols(&g[k], words[k][i / 4], &log[k]);
                words[k][i / 4] >>= 8;
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
    wvl_mq one = {.c = (uint32_t)r->c, .ct = (uint32_t)r->ct, .bp = r->bp}, *mq = &one;
    close_group(g, lane, &mq, 1);
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
    unsigned counts[2] = {count < LANES ? count : LANES, count < LANES ? 0 : count - LANES};
    for (unsigned i = 0; i < 2 * LANES; i++) {
        from[i] = symbols[i < count ? i : 0];
    }
    for (unsigned i = 0; i < count; i++) {
        codes[i] = (code_register){mq[i]->c, (int32_t)mq[i]->ct, 0, mq[i]->bp};
    }
    for (unsigned k = 0; k < groups; k++) {
        open_group(&g[k], mq + LANES * k, counts[k]);
    }
    for (size_t at = 0; at < symbol_count; at += STEPS) {
        size_t steps = symbol_count - at < STEPS ? symbol_count - at : STEPS;
        for (unsigned k = 0; k < groups; k++) {
            before[k] = g[k];
        }
        run_steps(g, groups, from, at, steps, log);
        for (unsigned k = 0; k < groups; k++) {
            put_codes(codes + LANES * k, counts[k], &before[k], &log[k], from + LANES * k, at, steps);
        }
    }
    for (unsigned i = 0; i < count; i++) {
        mq[i]->c = (uint32_t)codes[i].c;
        mq[i]->ct = (uint32_t)codes[i].ct;
        mq[i]->bp = codes[i].bp;
    }
    for (unsigned k = 0; k < groups; k++) {
        close_group(&g[k], 0, mq + LANES * k, counts[k]);
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
