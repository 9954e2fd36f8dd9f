/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The MQ coder of devices against codec/t1 and codec/mq, byte by byte and pass by pass. Its own device code runs twice:
 * compiled for the CPU (emulate.h), in both orders of threads, and on a device if there is one and the build has device
 * code. Environment variables are those of test_cuda_ht.c.
 */

#include "codec/mq/mq.h"
#include "emulated_suite.h"
#include "t1_lists.h"

#define STYLE_PLAIN (WVL_STYLE_VSC | WVL_STYLE_SEGSYM)
#define STYLES 64u
#define MOST_SYMBOLS 40000u

static uint32_t samples[WVL_T1_MAX_SAMPLES + 4 * WVL_T1_MAX_SIDE];

/* ---- Running --------------------------------------------------------------------------------- */

static void check_way(const t1_set *set, t1_way way)
{
    const ht_device *d;
    EACH_DEVICE(d)
    {
        way.lanes = below(2) ? 0 : 1u << below(6);
        way.thin = below(2) ? 0 : 1 + below(4);
        way.spread = below(2) ? 0 : 1 + below(2 * set->count);
        uint32_t wrong = t1_check(d, set, way, &rng.s);
        REQUIRE_THAT(!wrong, "device %d, styled %u, kernel %u, passes %u, lanes %u of %u warps, spread %u: %u wrong",
                     (int)(d - devices), way.is_styled, way.mq, way.wants_passes, way.lanes, way.thin, way.spread,
                     wrong);
    }
}

/* The styled kernel codes all blocks; blocks of plain styles alone go through the other ones as well. */
static void check_set(t1_set *set)
{
    unsigned styles = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        styles |= set->blocks[i].style;
    }
    for (uint32_t passes = 0; passes < 2; passes++) {
        check_way(set, (t1_way){.is_styled = 1, .wants_passes = passes});
        for (uint32_t mq = 0; mq < WVL_CUDA_T1_MQ_KERNELS && !(styles & ~STYLE_PLAIN); mq++) {
            check_way(set, (t1_way){.wants_passes = passes, .mq = mq});
        }
    }
    t1_set_clear(set);
}

/* ---- Blocks of samples ----------------------------------------------------------------------- */

static uint8_t draw_passes(void) { return (uint8_t)(below(3) ? 255 : below(44)); }

static void add_samples(t1_set *set, uint32_t width, uint32_t height, unsigned style, unsigned bits, unsigned passes)
{
    wvl_block_input in = {.orient = (uint8_t)below(4), .style = (uint8_t)style, .max_passes = (uint8_t)passes};
    in.coef_bytes = bits > 15 || below(2) ? 4 : 2;
    in.frac_bits = (uint8_t)(below(2) ? 0 : below(8));
    t1_draw_block(&rng, &in, samples, width, height, width + below(3), bits);
    t1_set_add_samples(set, &in, &rng.s);
}

EMULATED_SUITE("wvl_t1_mq");

TEST_EACH(styles, STYLES)
{
    seed_suite((uint64_t)_i);
    t1_set set = {0};
    for (unsigned k = 0; k < (subset ? 3 : 40); k++) {
        add_samples(&set, 1 + below(64), 1 + below(64), (unsigned)_i, below(k & 1 ? 16 : 9), draw_passes());
    }
    check_set(&set);
}

TEST(mixed_styles)
{
    seed_suite(101);
    t1_set set = {0};
    for (unsigned k = 0; k < (subset ? 8 : 150); k++) {
        add_samples(&set, 1 + below(64), 1 + below(64), below(STYLES), below(16), draw_passes());
    }
    check_set(&set);
}

/* Every number of planes, and every number of passes from 0 to all of them. */
TEST_RANGE(depths, 1, 32)
{
    seed_suite((uint64_t)_i);
    t1_set set = {0}, plain = {0};
    for (unsigned k = 0; k < (subset ? 3u : 3u * (unsigned)_i); k++) {
        add_samples(&set, 1 + below(20), 1 + below(20), below(STYLES), (unsigned)_i, k);
        add_samples(&plain, 1 + below(20), 1 + below(20), below(2) ? 0 : STYLE_PLAIN, (unsigned)_i, k);
    }
    check_set(&set);
    check_set(&plain);
}

TEST(shapes)
{
    static const uint16_t sides[][2] = {{1024, 4}, {4, 1024}, {512, 8}, {1, 1024}, {1024, 1}, {64, 64}, {1, 1}};
    seed_suite(102);
    t1_set set = {0}, plain = {0};
    for (uint32_t width = 1; width <= 67; width += subset ? 9 : 1) {
        add_samples(&plain, width, 1 + below(61), below(STYLES) & STYLE_PLAIN, below(16), 255);
        add_samples(&set, width, 1 + below(61), below(STYLES), below(16), 255);
    }
    for (unsigned k = 0; k < sizeof sides / sizeof *sides; k++) {
        add_samples(&plain, sides[k][0], sides[k][1], 0, 1 + below(subset ? 4 : 12), 255);
        add_samples(&set, sides[k][0], sides[k][1], below(STYLES), 1 + below(subset ? 4 : 12), 255);
    }
    check_set(&plain);
    check_set(&set);
}

/* ---- Lists without a picture ----------------------------------------------------------------- */

/* How the bits of a list are drawn. HIGH and LOW take the upper or the lower part of the interval, so that bytes are
 * 0xFF or 0x00; NEARLY_HIGH seldom takes the lower part: carries through 0xFF; DEEP is draw_deep(), ASTRIDE is
 * draw_astride(). */
enum { RANDOM, ALL_MPS, ALL_LPS, RUNS, SKEWED, HIGH, LOW, NEARLY_HIGH, DEEP, ASTRIDE, TEMPERS };

/* The bit that takes the upper part of the interval. */
static unsigned upper_bit(const wvl_mq *mq, unsigned context)
{
    unsigned state = mq->state[context], qe = wvl_mq_transitions[state].qe;
    return (state & 1) ^ (mq->a - qe < qe);
}

/*
 * A symbol that shifts out two whole bytes. The second is 0xFF, and a carry is near. A coder that puts the byte out one
 * symbol too late gives it the carry. It is an LPS of a context that has seen hundreds of MPS. *after:
 * symbols that follow it: some by chance, then some that push the code up.
 */
static uint8_t draw_deep(const wvl_mq *mq, uint32_t *after)
{
    if (*after) {
        --*after;
        return (uint8_t)(2 * WVL_T1_CTX_UNIFORM + (*after & 8 ? draw() & 1 : upper_bit(mq, WVL_T1_CTX_UNIFORM)));
    }
    unsigned state = mq->state[1], shift = 16 - wvl_bit_length(wvl_mq_transitions[state].qe);
    uint32_t uniform_qe = wvl_mq_transitions[mq->state[WVL_T1_CTX_UNIFORM]].qe;
    uint32_t kept = mq->c << mq->ct & 0x7FFFF; /* behind the byte that leaves first, if that is not 0xFF */
    int is_near = shift == mq->ct + 8 && ((kept << 8) + uniform_qe) >> 27;
    int is_lps = is_near || (state >= 2 * 40 && !below(300)); /* more of them, for other codes */
    *after = is_lps ? 1 + below(20) : 0;
    *after = is_near ? 7 : *after;
    return (uint8_t)(2 + ((state & 1) ^ (unsigned)is_lps));
}

/*
 * Keeps the next carry within the interval until B is 0xFF, and then goes up past it. A coder that adds up symbols
 * before it puts a byte out finds 0x00 there, and as much of C behind it as A allows.
 */
static unsigned draw_astride(const wvl_mq *mq, unsigned context)
{
    uint32_t carry = 1u << 27 >> mq->ct, middle = mq->c + wvl_mq_transitions[mq->state[context]].qe;
    unsigned upper = upper_bit(mq, context);
    if (*mq->bp == 0xFF) {
        return upper;
    }
    if (mq->c >= carry || mq->c + mq->a <= carry) {
        return draw() & 1;
    }
    return middle <= carry ? upper : !upper;
}

static unsigned draw_bit(unsigned temper, const wvl_mq *mq, unsigned context, uint32_t i)
{
    unsigned mps = mq->state[context] & 1, upper = upper_bit(mq, context);
    switch (temper) {
    case ALL_MPS: return mps;
    case ALL_LPS: return !mps;
    case RUNS: return i / 700 & 1 ? mps : draw() & 1;
    case SKEWED: return below(20) ? mps : !mps;
    case HIGH: return upper;
    case LOW: return !upper;
    case NEARLY_HIGH: return below(24) ? upper : !upper;
    case ASTRIDE: return draw_astride(mq, context);
    default: return draw() & 1;
    }
}

/* Passes that end at drawn places; some hold nothing. */
static void draw_ends(uint32_t *ends, uint32_t passes, uint32_t count)
{
    for (uint32_t p = 0; p < passes; p++) {
        uint32_t before = p ? ends[p - 1] : 0, rest = count - before;
        uint32_t own = below(4) ? below(2 * rest / (passes - p) + 1) : below(3);
        ends[p] = own > rest || p + 1 == passes ? count : before + own;
    }
    for (uint32_t p = 0; p < passes && !ends[p]; p++) {
        ends[p] = 1; /* the first pass is never empty */
    }
}

/* count > 0. One context in turn with others, or all by chance. */
static void add_list(t1_set *set, unsigned temper, unsigned style, unsigned planes, unsigned passes, uint32_t count)
{
    static uint8_t list[MOST_SYMBOLS + WVL_MQ_READ_AHEAD];
    uint8_t bytes[64];
    uint32_t ends[WVL_CUDA_T1_MOST_PASSES], first = below(WVL_T1_CTX_COUNT), spread = below(3), after = 15;
    wvl_mq mq;
    wvl_mq_init_contexts(&mq);
    for (uint32_t i = 0; i < count; i++) {
        unsigned turn = (first + (i >> 5)) % WVL_T1_CTX_COUNT, any = below(WVL_T1_CTX_COUNT);
        unsigned contexts[] = {first, any, turn}, context = contexts[spread];
        if (!i || mq.bp > bytes + 32) {
            bytes[0] = i ? *mq.bp : 0; /* B moves to the start: no byte before it matters */
            wvl_mq old = mq;
            wvl_mq_init_segment(&mq, bytes + 1);
            mq.a = i ? old.a : mq.a;
            mq.c = i ? old.c : mq.c;
            mq.ct = i ? old.ct : mq.ct;
        }
        list[i] = temper == DEEP ? draw_deep(&mq, &after) : (uint8_t)(2 * context + draw_bit(temper, &mq, context, i));
        wvl_mq_encode_bit(&mq, list[i] >> 1, list[i] & 1u);
    }
    draw_ends(ends, 3 * planes - 2, count);
    t1_set_add_list(set, style, planes, passes, ends, list);
}

TEST_EACH(lists, TEMPERS)
{
    seed_suite((uint64_t)_i);
    t1_set set = {0}, plain = {0};
    for (unsigned k = 0; k < (subset ? 4 : 40); k++) {
        uint32_t count = _i == DEEP || _i == ASTRIDE ? 1 + below(MOST_SYMBOLS) : 1 + below(k % 4 ? 300 : 12000);
        add_list(&plain, (unsigned)_i, below(STYLES) & STYLE_PLAIN, 1 + below(12), draw_passes(), count);
        add_list(&set, (unsigned)_i, below(STYLES), 1 + below(31), draw_passes(), count);
    }
    check_set(&plain);
    check_set(&set);
}

/* Lists that end at and around the ends of units and chunks. */
TEST(chunks)
{
    static const uint32_t ends[] = {1,
                                    4,
                                    16,
                                    32,
                                    WVL_CUDA_T1_CHUNK_SYMBOLS - 16,
                                    WVL_CUDA_T1_CHUNK_SYMBOLS,
                                    WVL_CUDA_T1_CHUNK_SYMBOLS + 16,
                                    2 * WVL_CUDA_T1_CHUNK_SYMBOLS,
                                    7 * WVL_CUDA_T1_CHUNK_SYMBOLS};
    seed_suite(103);
    t1_set set = {0}, plain = {0};
    for (unsigned k = 0; k < sizeof ends / sizeof *ends; k++) {
        for (uint32_t count = ends[k] > 5 ? ends[k] - 5 : 1; count <= ends[k] + 5; count++) {
            add_list(&plain, below(TEMPERS), 0, 1 + below(9), 255, count);
            add_list(&set, below(TEMPERS), below(STYLES), 1 + below(9), 255, count);
        }
    }
    check_set(&plain);
    check_set(&set);
}

/* The longest lists that blocks have: 31 planes of 4096 samples. They share the first bin of the sort. */
TEST(longest)
{
    seed_suite(104);
    t1_set set = {0};
    for (unsigned k = 0; k < (subset ? 1 : 3); k++) {
        add_samples(&set, 64, 64, k == 1 ? 0 : STYLE_PLAIN, 31, 255);
    }
    check_set(&set);
}

/* More blocks than a turn of the sort takes, empty ones and some that were left among them. */
TEST(many)
{
    seed_suite(105);
    t1_set set = {0};
    for (unsigned k = 0; k < (subset ? 200 : 9000); k++) {
        if (below(50)) {
            add_samples(&set, 1 + below(4), 1 + below(3), 0, below(5), below(6) ? 255 : 0);
        } else {
            t1_set_add_left(&set);
        }
    }
    check_set(&set);
}

/* Nothing but blocks without symbols. */
TEST(nothing)
{
    seed_suite(106);
    t1_set set = {0};
    add_samples(&set, 5, 5, 0, 0, 255);
    add_samples(&set, 5, 5, 0, 4, 0);
    t1_set_add_left(&set);
    check_set(&set);
}

/* What the comparison is worth: it finds a changed symbol, a changed end of a pass, another record, and one byte that
 * was written outside of the codewords. */
TEST(mistakes)
{
    seed_suite(107);
    for (unsigned mistake = 0; mistake < 4 && device_count; mistake++) {
        t1_set set = {0};
        t1_load load;
        add_list(&set, RANDOM, 0, 4, 255, 500);
        t1_block *b = &set.blocks[0];
        if (mistake == 0) {
            b->symbols[250] ^= 1;
        } else if (mistake == 1) {
            b->ends[4] = b->ends[4] == b->ends[3] ? b->ends[4] + 1 : b->ends[4] - 1;
        } else if (mistake == 2) {
            b->records[3].tail[5] ^= 1;
        }
        REQUIRE(t1_load_open(&load, &devices[0], &set, 1, (t1_way){.wants_passes = 1}, &rng.s));
        REQUIRE(!wvl_cuda_t1_launch_mq(&load.t1, &load.job, wvl_cuda_to_stream(devices[0].stream)));
        if (mistake == 3) {
            load.scratch[0] ^= 1;
        }
        uint32_t wrong = t1_compare(&load, &devices[0], &set);
        REQUIRE_THAT(wrong == 1, "mistake %u: %u blocks are wrong", mistake, wrong);
        t1_load_close(&load, &devices[0]);
        t1_set_clear(&set);
    }
}

TEST_MAIN("cuda_mq")
