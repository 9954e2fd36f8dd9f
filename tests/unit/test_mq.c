/* SPDX-License-Identifier: BSD-2-Clause */

#include "../prop/t1_decode.h"
#include "base/cpu.h"
#include "codec/core/t1_bound.h"
#include "codec/mq/mq.h"
#include "tests/support/support.h"

enum { MAX_SYMBOLS = 400, CAPACITY = 2048 };

static uint64_t rng_state;

static uint32_t rnd(void) { return test_draw32(&rng_state); }

typedef struct run {
    uint8_t symbols[MAX_SYMBOLS + WVL_MQ_READ_AHEAD];
    size_t count;
    wvl_segment_end ends[MAX_SYMBOLS + 1]; /* after the first k symbols */
    uint8_t buffer[CAPACITY];
    size_t length;
} run;

/* A coder at its beginning, with memory that must be zero in front of its first byte. */
static void open_mq(wvl_mq *mq, uint8_t *buffer)
{
    buffer[0] = 0;
    wvl_mq_init_contexts(mq);
    wvl_mq_init_segment(mq, buffer + 1);
}

/* Puts the tail of an end where it belongs; returns the length. */
static uint32_t store_end(const wvl_segment_end *end, uint8_t *bytes)
{
    memcpy(bytes + end->final_bytes - end->tail_count, end->tail, end->tail_count);
    return end->final_bytes;
}

/* Codes the symbols one by one, notes every possible end, and stores the last. */
static void encode_run(run *r, int predictable)
{
    wvl_mq mq;
    open_mq(&mq, r->buffer);
    for (size_t i = 0; i <= r->count; i++) {
        r->ends[i] = wvl_mq_fetch_end(&mq, predictable, i ? r->ends[i - 1].final_bytes : 0);
        if (i < r->count) {
            wvl_mq_encode_bit(&mq, r->symbols[i] >> 1, r->symbols[i] & 1u);
        }
    }
    r->length = store_end(&r->ends[r->count], r->buffer + 1);
}

static size_t decodes(const run *r, const uint8_t *bytes, size_t length)
{
    mq_decoder d;
    mq_decoder_init_contexts(&d);
    mq_decoder_init_segment(&d, bytes, length);
    for (size_t i = 0; i < r->count; i++) {
        if (mq_decoder_fetch_bit(&d, r->symbols[i] >> 1) != (r->symbols[i] & 1u)) {
            return i;
        }
    }
    return r->count;
}

/* The bit that is the more probable one for the context at this moment, according to a coder that follows along. */
static unsigned likely(const wvl_mq *mq, unsigned ctx) { return mq->state[ctx] & 1u; }

/* A sequence whose stretches go from coin flips to long runs of the more (or less) probable symbol. */
static void draw_run(run *r)
{
    wvl_mq mq;
    uint8_t scratch[CAPACITY] = {0};
    open_mq(&mq, scratch);
    r->count = 1 + rnd() % MAX_SYMBOLS;
    unsigned mood = 0, ctx = 0;
    for (size_t i = 0; i < r->count; i++) {
        if (rnd() % 24 == 0 || i == 0) {
            mood = rnd() % 6;
            ctx = rnd() % 19;
        }
        if (mood < 3) {
            ctx = rnd() % 19;
        }
        unsigned bit = likely(&mq, ctx);
        if (mood == 0) {
            bit = rnd() & 1;
        } else if (mood == 1 || mood == 3) {
            bit ^= rnd() % 8 == 0;
        } else if (mood == 4) {
            bit ^= 1;
        }
        r->symbols[i] = (uint8_t)(2 * ctx + bit);
        wvl_mq_encode_bit(&mq, ctx, bit);
    }
}

TEST(standard_sequence)
{
    static const uint8_t input[32] = {0x00, 0x02, 0x00, 0x51, 0x00, 0x00, 0x00, 0xC0, 0x03, 0x52, 0x87,
                                      0x2A, 0xAA, 0xAA, 0xAA, 0xAA, 0x82, 0xC0, 0x20, 0x00, 0xFC, 0xD7,
                                      0x9E, 0xF6, 0xBF, 0x7F, 0xED, 0x90, 0x4F, 0x46, 0xA3, 0xBF};
    static const uint8_t output[28] = {0x84, 0xC7, 0x3B, 0xFC, 0xE1, 0xA1, 0x43, 0x04, 0x02, 0x20,
                                       0x00, 0x00, 0x41, 0x0D, 0xBB, 0x86, 0xF4, 0x31, 0x7F, 0xFF,
                                       0x88, 0xFF, 0x37, 0x47, 0x1A, 0xDB, 0x6A, 0xDF};
    uint8_t buffer[64] = {0};
    wvl_mq mq;
    open_mq(&mq, buffer);
    mq.state[1] = 0;
    for (unsigned i = 0; i < 256; i++) {
        wvl_mq_encode_bit(&mq, 1, input[i / 8] >> (7 - i % 8) & 1);
    }
    wvl_segment_end end = wvl_mq_fetch_end(&mq, 0, 0);
    store_end(&end, buffer + 1);
    ck_assert_uint_le(end.final_bytes, 28);
    ck_assert_uint_ge(end.final_bytes, 26);
    ck_assert_mem_eq(buffer + 1, output, end.final_bytes - 1);
}

TEST(every_end_decodes)
{
    static run r;
    for (int trial = 0; trial < 1500; trial++) {
        draw_run(&r);
        int predictable = trial % 4 == 3;
        encode_run(&r, predictable);
        size_t total = r.count;
        for (size_t k = 0; k <= total; k++) {
            const wvl_segment_end *end = &r.ends[k];
            uint8_t cut[CAPACITY];
            memcpy(cut, r.buffer + 1, r.length);
            REQUIRE(end->final_bytes >= end->tail_count);
            REQUIRE(k == 0 || end->final_bytes >= r.ends[k - 1].final_bytes);
            store_end(end, cut);
            REQUIRE(end->final_bytes == 0 || cut[end->final_bytes - 1] != 0xFF);
            r.count = k;
            REQUIRE(decodes(&r, cut, end->final_bytes) == k);
            r.count = total;
        }
    }
}

TEST(every_safe_prefix_decodes)
{
    static run r;
    for (int trial = 0; trial < 2500; trial++) {
        draw_run(&r);
        encode_run(&r, 0);
        size_t total = r.count;
        for (size_t k = 0; k <= total; k++) {
            size_t safe = r.ends[k].safe_bytes < r.length ? r.ends[k].safe_bytes : r.length;
            r.count = k;
            REQUIRE(decodes(&r, r.buffer + 1, safe) == k);
            if (safe && r.buffer[safe] == 0xFF) {
                REQUIRE(decodes(&r, r.buffer + 1, safe - 1) == k);
            }
            r.count = total;
        }
    }
}

/*
 * The same against continuations that hug an edge of the interval: the more probable symbol for ever keeps the upper
 * edge, and the symbol whose sub-interval is the lower one keeps the lower.
 */
TEST(safe_prefix_survives_edges)
{
    static run r;
    for (int trial = 0; trial < 40000; trial++) {
        draw_run(&r);
        size_t k = r.count = r.count / 4;
        wvl_mq mq;
        uint8_t buffer[CAPACITY] = {0};
        open_mq(&mq, buffer);
        wvl_mq_encode_symbols(&mq, r.symbols, k);
        uint32_t safe = wvl_mq_fetch_end(&mq, 0, 0).safe_bytes;
        unsigned ctx = rnd() % 19;
        for (size_t i = 0; i < 600; i++) {
            uint32_t qe = wvl_mq_transitions[mq.state[ctx]].qe;
            unsigned upper = likely(&mq, ctx) ^ (mq.a - qe < qe);
            wvl_mq_encode_bit(&mq, ctx, trial & 1 ? upper : upper ^ 1);
        }
        wvl_segment_end end = wvl_mq_fetch_end(&mq, 0, 0);
        uint32_t length = store_end(&end, buffer + 1);
        safe = safe < length ? safe : length;
        REQUIRE(decodes(&r, buffer + 1, safe) == k);
    }
}

/* No string shorter than final_bytes with the same stored bytes before B can end the code: tried exhaustively. */
TEST(ends_are_shortest)
{
    static run r;
    for (int trial = 0; trial < 1200; trial++) {
        draw_run(&r);
        r.count = 1 + r.count / 8;
        wvl_mq mq;
        uint8_t buffer[CAPACITY] = {0};
        open_mq(&mq, buffer);
        wvl_mq_encode_symbols(&mq, r.symbols, r.count);
        uint32_t fixed = (uint32_t)(mq.bp - mq.start + 1), final = wvl_mq_fetch_end(&mq, 0, 0).final_bytes;
        fixed -= fixed > 0; /* B may change */
        for (uint32_t n = 0; n < fixed && n < final; n++) {
            REQUIRE(decodes(&r, buffer + 1, n) < r.count);
        }
        for (uint32_t free_bytes = 1; fixed + free_bytes < final; free_bytes++) {
            for (uint32_t v = 0; v < 1u << 8 * free_bytes; v++) {
                for (uint32_t i = 0; i < free_bytes; i++) {
                    buffer[1 + fixed + i] = (uint8_t)(v >> 8 * i);
                }
                REQUIRE(decodes(&r, buffer + 1, fixed + free_bytes) < r.count);
            }
        }
    }
}

TEST(list_equals_bits)
{
    static run r;
    for (int trial = 0; trial < 4000; trial++) {
        wvl_mq one, list;
        uint8_t a[CAPACITY] = {0}, b[CAPACITY] = {0};
        draw_run(&r);
        open_mq(&one, a);
        open_mq(&list, b);
        size_t first = rnd() % (r.count + 1);
        for (size_t i = 0; i < r.count; i++) {
            wvl_mq_encode_bit(&one, r.symbols[i] >> 1, r.symbols[i] & 1u);
        }
        wvl_mq_encode_symbols(&list, r.symbols, first);
        wvl_mq_encode_symbols(&list, r.symbols + first, r.count - first);
        REQUIRE(one.a == list.a && one.c == list.c && one.ct == list.ct);
        REQUIRE((int)(one.bp - a) == (int)(list.bp - b));
        REQUIRE(memcmp(one.state, list.state, sizeof one.state) == 0);
        REQUIRE(memcmp(a, b, (size_t)(one.bp - a) + 1) == 0);
    }
}

/* A carry that waits in C goes to B, unless that is 0xFF. */
static void settle_carry(wvl_mq *mq)
{
    uint32_t carry = (uint32_t)1 << (27 - mq->ct);
    if (mq->c >= carry && *mq->bp != 0xFF) {
        ++*mq->bp;
        mq->c -= carry;
    }
}

static void require_same_ends(const wvl_mq *one, const wvl_mq *lane)
{
    for (int predictable = 0; predictable < 2; predictable++) {
        wvl_segment_end x = wvl_mq_fetch_end(one, predictable, 0), y = wvl_mq_fetch_end(lane, predictable, 0);
        REQUIRE(x.safe_bytes == y.safe_bytes && x.final_bytes == y.final_bytes && x.tail_count == y.tail_count);
        REQUIRE(memcmp(x.tail, y.tail, x.tail_count) == 0);
    }
}

/* `count` codewords in turns, in several pieces, against each alone. */
static void compare_lanes(void (*encode)(wvl_mq *const[], const uint8_t *const[], unsigned, size_t), unsigned count)
{
    enum { LANES = WVL_MQ_MAX_LANES };
    static run r[LANES];
    static uint8_t a[LANES][CAPACITY], b[LANES][CAPACITY];
    wvl_mq one[LANES], lane[LANES], *lanes[LANES];
    const uint8_t *symbols[LANES];
    size_t least = SIZE_MAX, done = 0;
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    for (unsigned k = 0; k < count; k++) {
        draw_run(&r[k]);
        open_mq(&one[k], a[k]);
        lane[k] = one[k];
        lane[k].start = b[k] + 1;
        lane[k].bp = b[k];
        lanes[k] = &lane[k];
        least = r[k].count < least ? r[k].count : least;
    }
    while (done < least) {
        size_t part = 1 + rnd() % (least - done);
        for (unsigned k = 0; k < count; k++) {
            symbols[k] = r[k].symbols + done;
        }
        encode(lanes, symbols, count, part);
        done += part;
    }
    for (unsigned k = 0; k < count; k++) {
        for (size_t i = 0; i < least; i++) {
            wvl_mq_encode_bit(&one[k], r[k].symbols[i] >> 1, r[k].symbols[i] & 1u);
        }
        require_same_ends(&one[k], &lane[k]);
        settle_carry(&one[k]);
        settle_carry(&lane[k]);
        REQUIRE(one[k].a == lane[k].a && one[k].c == lane[k].c && one[k].ct == lane[k].ct);
        REQUIRE(one[k].bp - a[k] == lane[k].bp - b[k]);
        REQUIRE(memcmp(one[k].state, lane[k].state, sizeof one[k].state) == 0);
        REQUIRE(memcmp(a[k], b[k], sizeof a[k]) == 0);
    }
}

TEST(lanes_equal_each_in_c)
{
    for (int trial = 0; trial < 2000; trial++) {
        compare_lanes(wvl_mq_encode_lanes_c, 1 + trial % 2);
    }
}

TEST(raw_ends)
{
    for (int trial = 0; trial < 3000; trial++) {
        uint8_t bits[300], buffer[64], cut[64];
        wvl_segment_end ends[301];
        wvl_raw raw;
        int predictable = trial & 1;
        size_t count = rnd() % 300;
        wvl_raw_init_segment(&raw, buffer);
        for (size_t i = 0; i <= count; i++) {
            ends[i] = wvl_raw_fetch_end(&raw, predictable, i ? ends[i - 1].final_bytes : 0);
            REQUIRE(i == 0 || ends[i].final_bytes >= ends[i - 1].final_bytes);
            bits[i % 300] = (uint8_t)(trial % 3 ? rnd() & 1 : rnd() % 16 != 0);
            if (i < count) {
                wvl_raw_encode_bit(&raw, bits[i]);
            }
        }
        for (size_t i = 0; i <= count; i++) {
            size_t stored = (size_t)(raw.bp - buffer), n = ends[i].final_bytes;
            memcpy(cut, buffer, stored);
            store_end(&ends[i], cut);
            REQUIRE(n == 0 || cut[n - 1] != 0xFF);
            size_t at = 0;
            for (unsigned left = 8, byte = 0, k = left = 0; k < i; k++) {
                if (left == 0) {
                    left = byte == 0xFF ? 7 : 8;
                    byte = at < n ? cut[at] : 0xFF;
                    at++;
                }
                REQUIRE((byte >> --left & 1) == bits[k]);
            }
            REQUIRE(at <= ends[i].safe_bytes);
        }
    }
}

/* The certificate of core/t1_bound.h, in sevenths of a shift: f by (A - 0x8000) / 2048, h by row. */
TEST(shifts_are_bounded)
{
    static const uint8_t f[16] = {WVL_MQ_SEVENTHS_PER_SEGMENT, 0, 2, 2};
    static const uint16_t h[WVL_MQ_ROW_COUNT] = {0, 0, 0, 0,  4,  15, 0,  0,  2,  0,   0,   0,   0,   0,   0, 0,
                                                 0, 2, 0, 0,  0,  0,  0,  0,  0,  0,   0,   0,   0,   0,   0, 0,
                                                 0, 4, 4, 15, 15, 33, 34, 84, 75, 125, 130, 180, 230, 280, 0};
    unsigned start = 0;
    for (unsigned ctx = 0; ctx < WVL_T1_CTX_COUNT; ctx++) {
        start += h[WVL_T1_CTX_ROW0(ctx)];
    }
    REQUIRE(start <= WVL_MQ_SEVENTHS_PER_RESET);
    for (uint32_t a = 0x8000; a <= 0xFFFF; a++) {
        for (unsigned k = 0; k < 2 * WVL_MQ_ROW_COUNT; k++) {
            uint8_t buffer[8] = {0};
            wvl_mq mq;
            wvl_mq_init_segment(&mq, buffer + 1);
            mq.a = a;
            mq.ct = 27; /* room for any shift, so that ct counts them */
            mq.state[0] = (uint8_t)(k & ~1u);
            wvl_mq_encode_bit(&mq, 0, k & 1);
            unsigned shifts = 27 - mq.ct;
            REQUIRE(7 * shifts + f[(mq.a - 0x8000) / 2048] + h[mq.state[0] / 2] <=
                    WVL_MQ_SEVENTHS_PER_DECISION + (unsigned)f[(a - 0x8000) / 2048] + h[k / 2]);
        }
    }
}

int main(void)
{
    rng_state = test_read_seed(0x9E3779B97F4A7C15u);
    return test_run_suite("mq");
}
