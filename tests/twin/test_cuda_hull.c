/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gains and slopes of passes on devices against codec/t1 and codec/core/hull.h: blocks of samples through all kernels,
 * and passes that no block has. The device code runs compiled for the CPU (emulate.h), in both orders of threads, and
 * on a device if there is one and the build has device code. Environment variables are those of test_cuda_ht.c.
 */

#include "emulated_suite.h"
#include "t1_blocks.h"
#include "tests/prop/t1_reference.h"

#define STYLES 64u
#define MOST_BLOCKS 128u
#define PASSES WVL_CUDA_T1_MOST_PASSES

static uint64_t draw64(void) { return (uint64_t)draw() << 32 | draw(); }

/* ---- What is wanted -------------------------------------------------------------------------- */

/* A block whose hull is wanted, and the passes that it has. */
typedef struct hull_block {
    wvl_cuda_t1_weight weight;
    uint8_t frac_bits, planes, pass_count, energy_shift;
    uint32_t samples;
    uint64_t energy;
    uint16_t unsettled; /* slopes up to this one may change with passes to come */
    wvl_pass passes[PASSES];
} hull_block;

typedef struct hull_set {
    hull_block blocks[MOST_BLOCKS];
    uint32_t count;
    int32_t gain_exponent;
} hull_set;

static hull_set set;

/* Draws weights that a plan chooses, or beyond: gains reach the limit, or are nothing. */
static void draw_weight(hull_block *b)
{
    int32_t exponent = set.gain_exponent - (int32_t)below(below(8) ? 40 : 90);
    exponent += below(16) ? 0 : 30;
    b->weight = (wvl_cuda_t1_weight){0x80000000u | draw(), exponent};
}

static void find_hull(hull_block *b, int64_t *gains, uint16_t *slopes)
{
    static wvl_hull hull;
    const wvl_block_output out = {.passes = b->passes,
                                  .pass_count = b->pass_count,
                                  .planes = b->planes,
                                  .energy = b->energy,
                                  .energy_shift = b->energy_shift};
    t1_find_hull(&hull, &out, b->samples, b->frac_bits, b->weight, set.gain_exponent, slopes, gains);
    b->unsettled = (uint16_t)(hull.line.limit - 1);
}

/* values: what the device has there. */
static int is_wrong(uint32_t i, const uint8_t *values)
{
    hull_block *b = &set.blocks[i];
    int64_t gains[PASSES], got_gains[PASSES];
    uint16_t slopes[PASSES], got_slopes[PASSES];
    size_t n = b->pass_count;
    memcpy(got_gains, values + 8 * n, 8 * n);
    memcpy(got_slopes, values + 16 * n, 2 * n);
    find_hull(b, gains, slopes);
    for (size_t p = 0; p < n; p++) {
        if (gains[p] != got_gains[p] || slopes[p] != got_slopes[p]) {
            printf("block %u, %u planes, pass %zu of %zu: gain %lld, slope %u; want %lld, %u\n", i, b->planes, p, n,
                   (long long)got_gains[p], got_slopes[p], (long long)gains[p], slopes[p]);
            return 1;
        }
    }
    return 0;
}

/* ---- Blocks of samples ----------------------------------------------------------------------- */

static void add_samples(t1_list *list, unsigned style)
{
    unsigned coef_bytes = below(3) ? 2 : 4, most = below(2) ? 31 : 12, bits = 1 + below(coef_bytes == 2 ? 15 : most);
    wvl_cuda_t1_block *b = t1_list_draw(list, &rng, 1 + below(64), 1 + below(64), coef_bytes, bits);
    b->orient = (uint8_t)below(4);
    b->style = (uint8_t)style;
    b->frac_bits = (uint8_t)(below(2) ? 0 : below(bits));
    b->max_passes = (uint8_t)(below(4) ? 255 : below(30));
    b->reversible = (uint8_t)below(2);
    t1_list_seal(list, b, 0);
}

/* Adds what codec/t1 makes of a block. */
static void add_wanted(const t1_list *list, const wvl_cuda_t1_block *b)
{
    static uint8_t bytes[1 << 18];
    wvl_t1_scratch *scratch = aligned_alloc(64, (wvl_t1_scratch_bytes() + 63) & ~(size_t)63);
    hull_block *h = &set.blocks[set.count++];
    wvl_block_input in = t1_list_describe(list, b);
    wvl_block_output out = {.bytes = bytes, .passes = h->passes};
    in.want_gains = 1;
    wvl_t1_encode_block_ref(scratch, &in, &out);
    free(scratch);
    draw_weight(h);
    h->frac_bits = b->frac_bits;
    h->planes = (uint8_t)out.planes;
    h->pass_count = (uint8_t)out.pass_count;
    h->energy = out.energy;
    h->energy_shift = out.energy_shift;
    h->samples = (uint32_t)b->width * b->height;
}

/* Records, gains and slopes of all blocks. */
static void check_results(const ht_device *d, const t1_model_load *load, const t1_list *list)
{
    static wvl_cuda_t1_record records[MOST_BLOCKS];
    static wvl_cuda_t1_gains gains[MOST_BLOCKS];
    static wvl_cuda_t1_pass passes[MOST_BLOCKS][PASSES];
    uint64_t n = list->count, scratch_bytes = 16ull * load->job.scratch_units;
    uint8_t *scratch = malloc(scratch_bytes);
    REQUIRE(ht_fetch(d, records, load->job.records, n * sizeof *records) &&
            ht_fetch(d, gains, load->job.gains, n * sizeof *gains) &&
            ht_fetch(d, passes, load->job.passes, n * sizeof *passes) &&
            ht_fetch(d, scratch, load->job.scratch, scratch_bytes));
    for (uint32_t i = 0; i < n; i++) {
        const hull_block *h = &set.blocks[i];
        wvl_pass got[PASSES];
        wvl_block_output out = {.passes = got};
        const uint8_t *ends = scratch + 16ull * records[i].ends, *values = scratch + 16ull * gains[i].values;
        REQUIRE(!records[i].flags && records[i].passes == h->pass_count);
        wvl_cuda_t1_describe(&list->blocks[i], &records[i], (const uint32_t *)(const void *)ends, passes[i], &out);
        wvl_cuda_t1_describe_gains(&gains[i], (const int64_t *)(const void *)values, &out);
        REQUIRE(out.energy == h->energy && out.energy_shift == h->energy_shift && out.planes == h->planes);
        REQUIRE(!memcmp(got, h->passes, h->pass_count * sizeof *got));
        REQUIRE_THAT(!is_wrong(i, values), "block %u", i);
    }
    free(scratch);
}

static void check_chain(const ht_device *d, const t1_list *list)
{
    wvl_cuda_t1_weight weights[MOST_BLOCKS];
    t1_model_load load;
    uint64_t n = list->count;
    for (uint32_t i = 0; i < n; i++) {
        weights[i] = set.blocks[i].weight;
    }
    REQUIRE(t1_model_load_open(&load, d, list, (t1_wish){.scratch_share = 1000, .gains = 1}));
    load.job.gain_exponent = set.gain_exponent;
    load.job.passes = ht_take(&load.taken, d, n * PASSES * sizeof(wvl_cuda_t1_pass), NULL, 1);
    load.job.hull_weights = ht_take(&load.taken, d, n * sizeof *weights, weights, 0);
    REQUIRE(!load.taken.status);
    REQUIRE(!wvl_cuda_t1_launch_model(&load.t1, &load.job, wvl_cuda_to_stream(d->stream)) &&
            !wvl_cuda_t1_launch_mq(&load.t1, &load.job, wvl_cuda_to_stream(d->stream)) &&
            !wvl_cuda_t1_launch_hulls(&load.t1, &load.job, wvl_cuda_to_stream(d->stream)));
    check_results(d, &load, list);
    t1_model_load_close(&load, d);
}

static void start_set(void)
{
    set.count = 0;
    set.gain_exponent = -(int32_t)below(80);
}

EMULATED_SUITE("wvl_t1_hull");

/* All 64 styles together, and the plain ones by themselves. */
TEST_EACH(samples, 4)
{
    static const uint8_t plain[] = {0, WVL_STYLE_VSC, WVL_STYLE_SEGSYM, WVL_STYLE_VSC | WVL_STYLE_SEGSYM};
    const ht_device *d;
    seed_suite((uint64_t)_i);
    t1_list list = {0};
    start_set();
    for (unsigned k = 0; k < (subset ? 6 : 64); k++) {
        add_samples(&list, _i & 1 ? plain[k % 4] : k % STYLES);
        add_wanted(&list, &list.blocks[k]);
    }
    EACH_DEVICE(d) { check_chain(d, &list); }
    t1_list_clear(&list);
}

/* ---- Passes that no block has ---------------------------------------------------------------- */

/* How gains and lengths go on. TIES keeps points on one line; HUGE_GAIN reaches the limit. */
enum { FALLING, TIES, ANY_GAIN, HUGE_GAIN, NOTHING, TEMPERS };

static int64_t draw_gain(unsigned temper, uint32_t pass, uint32_t bytes)
{
    int64_t any = (int64_t)(draw64() >> (17 + below(30)));
    switch (temper) {
    case FALLING: return (any >> below(8)) + (int64_t)(draw64() >> 18);
    case TIES: return (int64_t)bytes << below(2);
    case ANY_GAIN: return below(3) ? any : -any;
    case HUGE_GAIN: return below(2) ? INT64_MAX : -(int64_t)(draw64() >> 1);
    default: return pass % 7 ? 0 : any;
    }
}

static void add_passes(unsigned temper)
{
    hull_block *b = &set.blocks[set.count++];
    uint32_t at = 0;
    memset(b, 0, sizeof *b);
    draw_weight(b);
    b->frac_bits = (uint8_t)below(16);
    b->planes = (uint8_t)(1 + below(31));
    b->pass_count = (uint8_t)(1 + below(3u * b->planes - 2));
    b->samples = 1 + below(4096);
    b->energy = draw64() >> (2 + below(40));
    b->energy_shift = below(4) ? 0 : 8;
    for (uint32_t i = 0; i < b->pass_count; i++) {
        uint32_t bytes = below(5) ? below(1u << below(12)) : 0;
        bytes = temper == TIES ? 16u << (i + 2) / 3 % 8 : bytes;
        at += bytes;
        b->passes[i].final_bytes = at;
        b->passes[i].gain_quarters = draw_gain(temper, i, bytes);
    }
}

/* Tables of a job that has nothing but what the kernel reads. A device wants them where a host may not care. */
typedef struct hull_tables {
    wvl_cuda_t1_block blocks[MOST_BLOCKS];
    wvl_cuda_t1_state states[MOST_BLOCKS];
    wvl_cuda_t1_gains gains[MOST_BLOCKS];
    wvl_cuda_t1_weight weights[MOST_BLOCKS];
    _Alignas(16) wvl_cuda_t1_pass passes[MOST_BLOCKS][PASSES];
    uint32_t order[MOST_BLOCKS], counters[WVL_CUDA_T1_COUNTERS];
    _Alignas(16) uint8_t scratch[MOST_BLOCKS * (WVL_CUDA_T1_VALUE_BYTES * PASSES + 32)];
} hull_tables;

static hull_tables tables;

static void fill_tables(void)
{
    uint32_t place = 1;
    memset(&tables, HT_POISON, sizeof tables);
    for (uint32_t i = 0; i < set.count; i++) {
        const hull_block *b = &set.blocks[i];
        tables.blocks[i] = (wvl_cuda_t1_block){.width = (uint16_t)b->samples,
                                               .height = 1,
                                               .frac_bits = b->frac_bits,
                                               .planes = b->planes,
                                               .max_passes = b->pass_count};
        tables.states[i] = (wvl_cuda_t1_state){.planes = b->planes, .passes = b->pass_count};
        tables.gains[i] = (wvl_cuda_t1_gains){b->energy, place, b->energy_shift, 0, 0};
        tables.weights[i] = b->weight;
        tables.order[i] = set.count - 1 - i;
        for (uint32_t p = 0; p < b->pass_count; p++) {
            tables.passes[i][p].final_bytes = b->passes[p].final_bytes;
            memcpy(tables.scratch + 16ull * place + 8ull * p, &b->passes[p].gain_quarters, 8);
        }
        place += (WVL_CUDA_T1_VALUE_BYTES * b->pass_count + 15) / 16 + below(2);
    }
    tables.counters[WVL_CUDA_T1_ORDERED] = set.count;
}

static void check_tables(const ht_device *d)
{
    static hull_tables got;
    ht_memory memory = {.count = 0};
    wvl_cuda_t1 t1;
    wvl_cuda_address at = ht_take(&memory, d, sizeof tables, &tables, 1);
    REQUIRE(!wvl_cuda_t1_open(&t1, d->runtime, d->module) && !memory.status);
    wvl_cuda_t1_job job = {.blocks = at + offsetof(hull_tables, blocks),
                           .states = at + offsetof(hull_tables, states),
                           .gains = at + offsetof(hull_tables, gains),
                           .hull_weights = at + offsetof(hull_tables, weights),
                           .passes = at + offsetof(hull_tables, passes),
                           .order = at + offsetof(hull_tables, order),
                           .counters = at + offsetof(hull_tables, counters),
                           .scratch = at + offsetof(hull_tables, scratch),
                           .scratch_units = sizeof tables.scratch / 16,
                           .block_count = set.count,
                           .gain_exponent = set.gain_exponent};
    REQUIRE(!wvl_cuda_t1_launch_hulls(&t1, &job, wvl_cuda_to_stream(d->stream)));
    REQUIRE(ht_fetch(d, &got, at, sizeof got));
    for (uint32_t i = 0; i < set.count; i++) {
        size_t n = set.blocks[i].pass_count, place = 16ull * tables.gains[i].values;
        REQUIRE_THAT(!is_wrong(i, got.scratch + place), "block %u", i);
        REQUIRE_THAT(got.gains[i].unsettled == set.blocks[i].unsettled, "block %u: slopes up to %u may change, not %u",
                     i, got.gains[i].unsettled, set.blocks[i].unsettled);
        got.gains[i].unsettled = 0;
        memcpy(got.scratch + place + 8 * n, tables.scratch + place + 8 * n, 10 * n);
    }
    REQUIRE_THAT(!memcmp(&got, &tables, sizeof got), "something was written outside of gains and slopes");
    ht_give(&memory, d);
}

TEST_EACH(passes, TEMPERS)
{
    const ht_device *d;
    seed_suite(100 + (uint64_t)_i);
    for (unsigned turn = 0; turn < (subset ? 1 : 20); turn++) {
        start_set();
        for (unsigned k = 0; k < MOST_BLOCKS - 5; k++) {
            add_passes((unsigned)_i);
        }
        fill_tables();
        EACH_DEVICE(d) { check_tables(d); }
    }
}

TEST_MAIN("cuda_hull")
