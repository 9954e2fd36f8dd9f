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

/* By row, in bytes: Qe, and how the state (row, MPS in bit 6) changes with an MPS and with an LPS. */
#define QE_LOW(row, q, nmps, nlps, flip) (q) & 0xFF,
#define QE_HIGH(row, q, nmps, nlps, flip) (q) >> 8,
#define WITH_MPS(row, q, nmps, nlps, flip) (row) ^ (nmps),
#define WITH_LPS(row, q, nmps, nlps, flip) ((row) ^ (nlps)) | (flip) << 6,
static const uint8_t qe_low[48] = {WVL_MQ_ROWS(QE_LOW)}, qe_high[48] = {WVL_MQ_ROWS(QE_HIGH)},
                     with_mps[48] = {WVL_MQ_ROWS(WITH_MPS)}, with_lps[48] = {WVL_MQ_ROWS(WITH_LPS)};

/* The states of eight lanes, and the entry that is being made. */
typedef struct group {
    lanes code, shifts, state[STATE_WORDS];
} group;

/* A of both groups in 16 bits, in the order in which they are packed. */
typedef struct coder {
    group groups[2];
    halves a;
} coder;

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

static inline halves narrow(lanes first, lanes second)
{
    return (halves)_mm256_packus_epi32((__m256i)first, (__m256i)second);
}

static inline lanes widen(halves both, unsigned k)
{
    const __m256i zero = _mm256_setzero_si256();
    return (lanes)(k ? _mm256_unpackhi_epi16((__m256i)both, zero) : _mm256_unpacklo_epi16((__m256i)both, zero));
}

static void open_coder(coder *c, wvl_mq *const mq[], unsigned count)
{
    lanes a[2];
    for (unsigned i = 0; i < 2 * LANES; i++) {
        a[i / LANES][i % LANES] = mq[i < count ? i : 0]->a;
    }
    c->a = narrow(a[0], a[1]);
    for (unsigned k = 0; k < 2; k++) {
        int is_used = count > k * LANES;
        open_states(is_used ? mq + k * LANES : mq, is_used ? count - k * LANES : 1, c->groups[k].state);
        c->groups[k].code = c->groups[k].shifts = (lanes){0};
    }
}

/* Lanes of a group from `first` on as they are. */
static void close_group(const coder *c, unsigned k, unsigned first, wvl_mq *const mq[], unsigned count)
{
    lanes a = widen(c->a, k);
    close_states(c->groups[k].state, first, mq, count);
    for (unsigned i = 0; i < count; i++) {
        mq[i]->a = a[first + i];
    }
}

static inline void put_entry(group *g, log_of_codes *log)
{
    put(log->code[log->count], g->code);
    put(log->shifts[log->count], g->shifts);
    log->count++;
    g->code = g->shifts = (lanes){0};
}

/* The states of the symbols' contexts, (row, LPS in bit 6); where they lie: in which words, at which bits. */
static inline lanes fetch_states(const group *g, lanes symbols, lanes in[STATE_WORDS], lanes *at)
{
    lanes word = symbols & 0x38, x[STATE_WORDS];
    *at = symbols << 2 & 24;
    for (unsigned i = 0; i < STATE_WORDS; i++) {
        in[i] = (lanes)(word == 8 * i);
        x[i] = in[i] & g->state[i];
    }
    return (((x[0] | x[1]) | (x[2] | x[3]) | x[4]) >> *at ^ symbols << 6) & 0x7F;
}

/* Bytes of a table of rows. Of three indices, the one whose part of the table holds the row has bit 7 clear. */
static inline halves look_up(const uint8_t table[48], const __m256i index[3])
{
    halves v[3];
    for (unsigned k = 0; k < 3; k++) {
        __m128i part = _mm_loadu_si128((const __m128i *)(const void *)(table + 16 * k));
        v[k] = (halves)_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(part), index[k]);
    }
    return v[0] | v[1] | v[2];
}

/* What an interval of A = a leaves: A before it is renormalised, what C gets, and how the states change. */
typedef struct step {
    halves a, code, change;
} step;

static inline step divide(halves a, halves states)
{
    halves lps = (halves)((__m256i)_mm256_cmpgt_epi16((__m256i)states, _mm256_set1_epi16(0x3F)));
    __m256i row = (__m256i)(states & 0x3F), index[3];
    for (unsigned k = 0; k < 3; k++) { /* the high byte finds nothing */
        const __m256i part = _mm256_set1_epi16((short)(0x8000 | 16 * k));
        index[k] = _mm256_adds_epu8(_mm256_xor_si256(row, part), _mm256_set1_epi16(0x70));
    }
    halves qe = look_up(qe_low, index) | look_up(qe_high, index) << 8, upper = a - qe;
    __m256i larger = _mm256_max_epu16((__m256i)upper, (__m256i)qe),
            smaller = _mm256_min_epu16((__m256i)upper, (__m256i)qe);
    halves takes_upper = (halves)_mm256_cmpeq_epi16(larger, (__m256i)upper) ^ lps;
    halves left = (halves)_mm256_blendv_epi8(larger, smaller, (__m256i)lps);
    halves change =
        (halves)_mm256_blendv_epi8((__m256i)look_up(with_mps, index), (__m256i)look_up(with_lps, index), (__m256i)lps);
    return (step){left, qe & takes_upper, change & ~(halves)_mm256_srai_epi16((__m256i)left, 15)};
}

/* Returns A, renormalised. */
static inline lanes take_step(group *g, unsigned k, const step *s, const lanes in[STATE_WORDS], lanes at,
                              log_of_codes *log)
{
    lanes a = widen(s->a, k), change = widen(s->change, k) << at;
    for (unsigned i = 0; i < STATE_WORDS; i++) {
        g->state[i] ^= change & in[i];
    }
    /* The exponent of a float is the place of the top bit: 127 + 15 where nothing is to be shifted. */
    lanes shift = 142 - ((lanes) __builtin_convertvector((ints)a, floats) >> 23), shifts = g->shifts + shift;
    if (__builtin_expect(_mm256_movemask_epi8((__m256i)((ints)shifts > MOST_SHIFTS)), 0)) {
        put_entry(g, log);
        shifts = shift;
    }
    g->code = (g->code + widen(s->code, k)) << shift;
    g->shifts = shifts;
    return a << shift;
}

/* The low byte of each lane of `symbols` is its symbol. */
static inline void put_symbols(coder *c, const lanes symbols[2], log_of_codes log[2])
{
    lanes in[2][STATE_WORDS], at[2], states[2], a[2];
    for (unsigned k = 0; k < 2; k++) {
        states[k] = fetch_states(&c->groups[k], symbols[k], in[k], &at[k]);
    }
    step s = divide(c->a, narrow(states[0], states[1]));
    for (unsigned k = 0; k < 2; k++) {
        a[k] = take_step(&c->groups[k], k, &s, in[k], at[k], &log[k]);
    }
    c->a = narrow(a[0], a[1]);
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

/* Up to STEPS symbols. */
static inline void run_steps(coder *c, const uint8_t *const from[2 * LANES], size_t at, size_t count,
                             log_of_codes log[2])
{
    log[0].count = log[1].count = 0;
    for (size_t end = at + count; at < end; at += 16) {
        lanes words[2][4];
        size_t steps = end - at < 16 ? end - at : 16;
        for (unsigned k = 0; k < 2; k++) {
            fetch_symbols(from + LANES * k, at, words[k]);
        }
        for (size_t i = 0; i < steps; i++) {
            lanes symbols[2] = {words[0][i / 4] >> 8 * (i % 4), words[1][i / 4] >> 8 * (i % 4)};
            put_symbols(c, symbols, log);
            for (unsigned k = 0; k < 2 && (i % MERGED == MERGED - 1 || i + 1 == steps); k++) {
                put_entry(&c->groups[k], &log[k]);
            }
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

/* One lane of a group, from where it stood when the log was empty. */
static void code_again(code_register *r, const coder *before, unsigned k, unsigned lane, const uint8_t *symbols,
                       size_t count)
{
    wvl_mq one = {.c = (uint32_t)r->c, .ct = (uint32_t)r->ct, .bp = r->bp}, *mq = &one;
    close_group(before, k, lane, &mq, 1);
    wvl_mq_encode_symbols(&one, symbols, count);
    *r = (code_register){one.c, (int32_t)one.ct, 0, one.bp};
}

/* before: the coder when the log was empty; symbols: those of the log. */
static void put_codes(code_register *codes, unsigned count, const coder *before, const log_of_codes log[2],
                      const uint8_t *const symbols[], size_t at, size_t symbol_count)
{
    for (unsigned i = 0; i < count; i++) {
        uint8_t b = *codes[i].bp;
        code_register r = follow_log(codes[i], &log[i / LANES], i % LANES);
        if (__builtin_expect(!r.has_zero, 1)) {
            codes[i] = r;
            continue;
        }
        *codes[i].bp = b;
        code_again(&codes[i], before, i / LANES, i % LANES, symbols[i] + at, symbol_count);
    }
}

void wvl_mq_encode_lanes_avx2(wvl_mq *const mq[], const uint8_t *const symbols[], unsigned count, size_t symbol_count)
{
    coder c;
    log_of_codes log[2];
    code_register codes[2 * LANES];
    const uint8_t *from[2 * LANES];
    if (count < FEW) {
        wvl_mq_encode_lanes_c(mq, symbols, count, symbol_count);
        return;
    }
    for (unsigned i = 0; i < 2 * LANES; i++) {
        from[i] = symbols[i < count ? i : 0];
    }
    for (unsigned i = 0; i < count; i++) {
        codes[i] = (code_register){mq[i]->c, (int32_t)mq[i]->ct, 0, mq[i]->bp};
    }
    open_coder(&c, mq, count);
    for (size_t at = 0; at < symbol_count; at += STEPS) {
        size_t steps = symbol_count - at < STEPS ? symbol_count - at : STEPS;
        coder before = c;
        run_steps(&c, from, at, steps, log);
        put_codes(codes, count, &before, log, from, at, steps);
    }
    for (unsigned i = 0; i < count; i++) {
        mq[i]->c = (uint32_t)codes[i].c;
        mq[i]->ct = (uint32_t)codes[i].ct;
        mq[i]->bp = codes[i].bp;
    }
    close_group(&c, 0, 0, mq, count < LANES ? count : LANES);
    close_group(&c, 1, 0, mq + LANES, count < LANES ? 0 : count - LANES);
}
