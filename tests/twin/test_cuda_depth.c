/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks that a device codes to some depth first and in full afterwards, against codec/t1: bytes, passes, lengths,
 * gains, slopes, and for which slopes a hull is settled. The device code runs compiled for the CPU (emulate.h), and on
 * a device if there is one and the build has device code. Environment variables are those of test_cuda_ht.c.
 */

#include "emulated_suite.h"
#include "t1_blocks.h"
#include "tests/support/one_block.h"

#define PASSES WVL_CUDA_T1_MOST_PASSES
#define BLOCKS 24u
#define GAIN_EXPONENT (-20)

/* ---- Blocks ---------------------------------------------------------------------------------- */

typedef struct depth_set {
    t1_list list;
    wvl_cuda_t1_weight weights[BLOCKS];
    uint8_t depths[BLOCKS]; /* passes of the first round; more than a block has: all */
} depth_set;

static void add_block(depth_set *set, unsigned style, uint32_t side)
{
    unsigned coef_bytes = below(3) ? 2 : 4, bits = 2 + below(coef_bytes == 2 ? 12 : 18), i = set->list.count;
    wvl_cuda_t1_block *b = t1_list_draw(&set->list, &rng, 1 + below(side), 1 + below(side), coef_bytes, bits);
    b->orient = (uint8_t)below(4);
    b->style = (uint8_t)style;
    b->frac_bits = (uint8_t)(below(2) ? 0 : below(bits));
    b->max_passes = 255;
    t1_list_seal(&set->list, b, 0);
    set->weights[i] = (wvl_cuda_t1_weight){0x80000000u | draw(), GAIN_EXPONENT - (int32_t)below(12)};
    set->depths[i] = (uint8_t)(1 + below(3 * bits + 6));
}

/* What codec/t1 and the CPU's hull make of the first `most` passes. */
typedef struct truth {
    uint8_t bytes[1 << 17];
    wvl_pass passes[PASSES];
    wvl_block_output out;
    wvl_hull hull;
    uint16_t slopes[PASSES];
    int64_t gains[PASSES];
} truth;

static void find_truth(const depth_set *set, uint32_t i, uint32_t most, truth *t)
{
    const wvl_cuda_t1_block *b = &set->list.blocks[i];
    wvl_block_input in = t1_list_describe(&set->list, b);
    in.want_gains = 1;
    in.max_passes = (uint8_t)most;
    void *scratch = aligned_alloc(64, (wvl_t1_scratch_bytes() + 63) & ~(size_t)63);
    t->out = (wvl_block_output){.bytes = t->bytes, .passes = t->passes};
    wvl_t1_encode_block(scratch, &in, &t->out);
    free(scratch);
    t1_find_hull(&t->hull, &t->out, (uint32_t)b->width * b->height, b->frac_bits, set->weights[i], GAIN_EXPONENT,
                 t->slopes, t->gains);
}

/* ---- Device ---------------------------------------------------------------------------------- */

typedef struct chain {
    const ht_device *d;
    t1_model_load load;
    uint32_t count;
    wvl_cuda_t1_state states[BLOCKS];
    uint8_t *scratch; /* as it came back */
} chain;

static void fetch(const chain *c, void *to, wvl_cuda_address from, uint64_t bytes)
{
    REQUIRE(ht_fetch(c->d, to, from, bytes));
}

static void open_chain(chain *c, const ht_device *d, const depth_set *set, uint32_t mq)
{
    uint64_t n = set->list.count;
    c->d = d;
    c->count = (uint32_t)n;
    REQUIRE(t1_model_load_open(&c->load, d, &set->list, (t1_wish){.scratch_share = 1000, .gains = 1}));
    c->load.job.gain_exponent = GAIN_EXPONENT;
    c->load.job.mq = mq;
    c->scratch = malloc(16ull * c->load.job.scratch_units);
    c->load.job.passes = ht_take(&c->load.taken, d, n * PASSES * sizeof(wvl_cuda_t1_pass), NULL, 1);
    c->load.job.hull_weights = ht_take(&c->load.taken, d, n * sizeof *set->weights, set->weights, 0);
    REQUIRE(!c->load.taken.status);
}

static void close_chain(chain *c)
{
    t1_model_load_close(&c->load, c->d);
    free(c->scratch);
}

/* States, and how many blocks the round has, as rate control leaves them. */
static void put_states(const chain *c, uint32_t repeated)
{
    wvl_cuda_address at = c->load.job.counters + WVL_CUDA_T1_REPEATED * sizeof repeated;
    REQUIRE(!c->d->runtime->upload(c->load.job.states, c->states, c->count * sizeof *c->states, c->d->stream));
    REQUIRE(!c->d->runtime->upload(at, &repeated, sizeof repeated, c->d->stream));
    REQUIRE(!c->d->runtime->stream_wait(c->d->stream));
}

static void run_round(chain *c)
{
    REQUIRE(!wvl_cuda_t1_launch_lists(&c->load.t1, &c->load.job, wvl_cuda_to_stream(c->d->stream)) &&
            !wvl_cuda_t1_launch_mq(&c->load.t1, &c->load.job, wvl_cuda_to_stream(c->d->stream)) &&
            !wvl_cuda_t1_launch_hulls(&c->load.t1, &c->load.job, wvl_cuda_to_stream(c->d->stream)));
    fetch(c, c->states, c->load.job.states, c->count * sizeof *c->states);
    fetch(c, c->scratch, c->load.job.scratch, 16ull * c->load.job.scratch_units);
}

/* ---- Comparison ------------------------------------------------------------------------------ */

/* Slopes and gains stand as far behind the quarters as if all passes were there. The block is decided above the slopes
 * that may change, and not at the highest of them; a threshold of 0 stands for all passes. */
static void check_values(const truth *t, const wvl_cuda_t1_block *b, const uint8_t *values, uint32_t unsettled)
{
    size_t all = wvl_cuda_t1_all_passes(t->out.planes, b->max_passes), n = t->out.pass_count;
    REQUIRE(!memcmp(values + 8 * all, t->gains, 8 * n));
    REQUIRE(!memcmp(values + 16 * all, t->slopes, 2 * n));
    REQUIRE_THAT(unsettled == t->hull.line.limit - 1, "slopes up to %u may change, not %u", t->hull.line.limit - 1,
                 unsettled);
    REQUIRE_THAT(!wvl_hull_is_open(&t->hull, t->passes, unsettled + 1, 0), "open above %u", unsettled);
    REQUIRE_THAT(wvl_hull_is_open(&t->hull, t->passes, unsettled, 0), "decided at %u", unsettled);
}

static void check_block(const chain *c, const depth_set *set, uint32_t i, uint32_t most)
{
    static truth t;
    const wvl_cuda_t1_block *b = &set->list.blocks[i];
    wvl_cuda_t1_record r;
    wvl_cuda_t1_gains g;
    wvl_cuda_t1_pass passes[PASSES];
    wvl_pass got[PASSES];
    wvl_block_output out = {.passes = got};
    find_truth(set, i, most, &t);
    fetch(c, &r, c->load.job.records + i * sizeof r, sizeof r);
    fetch(c, &g, c->load.job.gains + i * sizeof g, sizeof g);
    fetch(c, passes, c->load.job.passes + i * sizeof passes, sizeof passes);
    REQUIRE_THAT(!r.flags && r.passes == t.out.pass_count && r.planes == t.out.planes, "block %u: %u passes, not %u", i,
                 r.passes, t.out.pass_count);
    if (!r.passes) {
        return;
    }
    const uint8_t *values = c->scratch + 16ull * g.values, *bytes = c->scratch + 16ull * r.codeword + 1;
    wvl_cuda_t1_describe(b, &r, (const uint32_t *)(const void *)(c->scratch + 16ull * r.ends), passes, &out);
    wvl_cuda_t1_describe_gains(&g, (const int64_t *)(const void *)values, &out);
    REQUIRE_THAT(out.length == t.out.length && !memcmp(bytes, t.bytes, out.length), "block %u: bytes", i);
    for (uint32_t k = 0; k < r.passes; k++) {
        REQUIRE_THAT(!memcmp(&got[k], &t.passes[k], sizeof *got), "block %u: pass %u of %u", i, k, r.passes);
    }
    check_values(&t, b, values, g.unsettled);
}

/* Samples of each plane: those that are new in it, and those that were before. */
static void check_counts(const chain *c, const depth_set *set, uint32_t i)
{
    const wvl_cuda_t1_block *b = &set->list.blocks[i];
    const wvl_cuda_t1_state *s = &c->states[i];
    uint32_t all = wvl_cuda_t1_all_passes(s->planes, b->max_passes), older = 0;
    uint64_t at = 16ull * (s->ends + (3ull * s->planes + 3) / 4) + 8ull * all;
    const wvl_cuda_t1_plane_counts *counts = (const wvl_cuda_t1_plane_counts *)(const void *)(c->scratch + at);
    for (uint32_t plane = s->planes; plane-- > 0;) {
        uint32_t news = 0;
        for (uint32_t k = 0; k < (uint32_t)b->width * b->height; k++) {
            const uint8_t *from = set->list.samples.samples + b->coefs;
            size_t place = (size_t)(k / b->width) * b->stride + k % b->width;
            uint32_t m = b->coef_bytes == 2 ? ((const uint16_t *)(const void *)from)[place] & 0x7FFFu
                                            : ((const uint32_t *)(const void *)from)[place] & 0x7FFFFFFFu;
            news += m >> b->frac_bits >> plane == 1;
        }
        REQUIRE_THAT(counts[plane].own == older && counts[plane].news == news, "block %u, plane %u: %u and %u", i,
                     plane, counts[plane].own, counts[plane].news);
        REQUIRE(counts[plane].fresh <= news && counts[plane].fresh <= counts[plane].member);
        REQUIRE(counts[plane].member + older <= (uint32_t)b->width * b->height);
        older += news;
    }
}

/* ---- Cases ----------------------------------------------------------------------------------- */

/* Every third block stays as it is in the second round. */
static int goes_again(const chain *c, uint32_t i) { return c->states[i].passes && i % 3; }

static uint32_t fetch_units(const chain *c)
{
    uint32_t units;
    fetch(c, &units, c->load.job.counters + WVL_CUDA_T1_SCRATCH_UNITS * sizeof units, sizeof units);
    return units;
}

/* Lists and codewords that are made again take no more memory. */
static void check_memory(chain *c)
{
    uint32_t units = fetch_units(c);
    for (uint32_t i = 0; i < c->count; i++) {
        c->states[i].flags |= WVL_CUDA_T1_AGAIN;
    }
    put_states(c, c->count);
    run_round(c);
    REQUIRE_THAT(fetch_units(c) == units, "%u units of memory, not %u", fetch_units(c), units);
}

static void check_rounds(const ht_device *d, const depth_set *set, uint32_t mq)
{
    static chain c;
    open_chain(&c, d, set, mq);
    c.load.job.foresees = 1;
    REQUIRE(!wvl_cuda_t1_launch_words(&c.load.t1, &c.load.job, wvl_cuda_to_stream(d->stream)));
    fetch(&c, c.states, c.load.job.states, c.count * sizeof *c.states);
    fetch(&c, c.scratch, c.load.job.scratch, 16ull * c.load.job.scratch_units);
    for (uint32_t i = 0; i < c.count; i++) {
        check_counts(&c, set, i);
        c.states[i].passes = (uint8_t)(c.states[i].passes < set->depths[i] ? c.states[i].passes : set->depths[i]);
    }
    put_states(&c, 0);
    run_round(&c);
    for (uint32_t i = 0; i < c.count; i++) {
        check_block(&c, set, i, set->depths[i]);
    }
    c.load.job.round = 1; /* nothing is asked for: nothing changes */
    run_round(&c);
    for (uint32_t i = 0; i < c.count; i++) {
        check_block(&c, set, i, set->depths[i]);
        if (goes_again(&c, i)) {
            c.states[i].flags |= WVL_CUDA_T1_AGAIN;
            c.states[i].passes = (uint8_t)wvl_cuda_t1_all_passes(c.states[i].planes, 255);
        }
    }
    put_states(&c, c.count);
    run_round(&c);
    for (uint32_t i = 0; i < c.count; i++) {
        check_block(&c, set, i, goes_again(&c, i) ? 255 : set->depths[i]);
    }
    check_memory(&c);
    close_chain(&c);
}

EMULATED_SUITE("wvl_rate_depth");

/* The styles of all kernels of the MQ coder, all depths, with memory for one coding of each block alone. */
TEST_EACH(rounds, 4)
{
    static const uint8_t styles[] = {0, WVL_STYLE_VSC | WVL_STYLE_SEGSYM, WVL_STYLE_TERMALL | WVL_STYLE_RESET,
                                     WVL_STYLE_BYPASS | WVL_STYLE_PTERM};
    static depth_set set;
    seed_suite((uint64_t)_i);
    memset(&set, 0, sizeof set);
    for (unsigned k = 0; k < BLOCKS; k++) {
        add_block(&set, styles[_i], below(2) ? 64 : 32);
    }
    unsigned kernels = styles[_i] & WVL_CUDA_T1_STYLED ? 1 : WVL_CUDA_T1_MQ_KERNELS;
    for (unsigned i = 0; i < device_count * kernels; i++) {
        check_rounds(&devices[i / kernels], &set, i % kernels);
    }
    t1_list_clear(&set.list);
}

/* What the stops of codewords met: B of 0xFF, a carry that B has not yet, a first byte that is not there, a list that
 * stops at the end of a unit. */
typedef struct stops {
    uint32_t all, full, carries, empty, whole;
} stops;

/* The codeword of block i went on behind the passes that it had. */
static void count_stop(const chain *c, uint32_t i, uint32_t first, stops *met)
{
    const wvl_cuda_t1_state *s = &c->states[i];
    uint64_t at = 16ull * (s->list + WVL_CUDA_T1_CHUNK_UNITS);
    const wvl_cuda_t1_kept *kept = (const wvl_cuda_t1_kept *)(const void *)(c->scratch + at);
    REQUIRE_THAT(kept->first_pass == first && kept->passes == s->passes && kept->symbols == s->symbols,
                 "block %u: passes %u to %u, not %u to %u", i, kept->first_pass, kept->passes, first, s->passes);
    met->all++;
    met->full += kept->b == 0xFF;
    met->carries += kept->c >> (27 - kept->ct) != 0; /* above the bits that wait */
    met->empty += !kept->n;
    met->whole += s->symbols % 16 == 0;
}

/* One pass more in each round, or some; blocks that are complete stay. Returns how many blocks go on. */
static uint32_t deepen(const chain *c, uint8_t *first)
{
    uint32_t again = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        wvl_cuda_t1_state *s = (wvl_cuda_t1_state *)&c->states[i];
        uint32_t all = wvl_cuda_t1_all_passes(s->planes, 255), more = below(4) ? 1 : below(6);
        first[i] = s->passes;
        s->flags = s->passes < all ? WVL_CUDA_T1_AGAIN : 0;
        s->passes = (uint8_t)(s->passes + more < all ? s->passes + more : all);
        again += s->flags != 0;
    }
    return again;
}

static void check_stops(const ht_device *d, const depth_set *set, uint32_t mq, stops *met)
{
    static chain c;
    uint8_t first[BLOCKS] = {0};
    open_chain(&c, d, set, mq);
    c.load.job.foresees = 1;
    REQUIRE(!wvl_cuda_t1_launch_words(&c.load.t1, &c.load.job, wvl_cuda_to_stream(d->stream)));
    fetch(&c, c.states, c.load.job.states, c.count * sizeof *c.states);
    uint32_t units = fetch_units(&c), again = c.count;
    for (uint32_t i = 0; i < c.count; i++) {
        c.states[i].passes = c.states[i].passes != 0;
    }
    for (c.load.job.round = 0; again; c.load.job.round++) {
        put_states(&c, again);
        run_round(&c);
        for (uint32_t i = 0; i < c.count; i++) {
            check_block(&c, set, i, c.states[i].passes);
            if (c.states[i].passes && (!c.load.job.round || (c.states[i].flags & WVL_CUDA_T1_AGAIN))) {
                count_stop(&c, i, first[i], met);
            }
        }
        again = deepen(&c, first);
    }
    REQUIRE(fetch_units(&c) > units);
    close_chain(&c);
}

/* Codewords that stop at every pass, and go on in the next round. */
TEST(passes)
{
    for (unsigned i = 0; i < device_count * WVL_CUDA_T1_MQ_KERNELS; i++) {
        static depth_set set;
        stops met = {0, 0, 0, 0, 0};
        for (unsigned k = 0; k < 6; k++) {
            seed_suite(16u * (k + 1));
            memset(&set, 0, sizeof set);
            for (unsigned b = 0; b < BLOCKS; b++) {
                add_block(&set, k & 1 ? WVL_STYLE_VSC | WVL_STYLE_SEGSYM : 0, 1 + below(24));
            }
            check_stops(&devices[i / WVL_CUDA_T1_MQ_KERNELS], &set, i % WVL_CUDA_T1_MQ_KERNELS, &met);
            t1_list_clear(&set.list);
        }
        REQUIRE_THAT(met.full && met.carries && met.empty && met.whole, "%u stops: %u, %u, %u, %u", met.all, met.full,
                     met.carries, met.empty, met.whole);
    }
}

TEST_MAIN("cuda_depth")
