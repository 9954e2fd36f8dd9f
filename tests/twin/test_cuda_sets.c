/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets of HT passes on devices against codec/ht, codec/core/hull.h and codec/rate/rescale.h: lengths, bytes, gains and
 * slopes of all sets of drawn blocks; where drawn cuts end, the coarser step, scaled samples; and all sets of these.
 * The device code runs compiled for the CPU (emulate.h), in both orders of threads, and on a device if there is one and
 * the build has device code. Environment variables are those of test_cuda_ht.c.
 */
#include <math.h>

#include "codec/core/gen/ht_tables.h"
#include "codec/rate/rescale.h"
#include "cuda/rate/rate_launch.h"
#include "emulated_suite.h"
#include "t1_blocks.h"
#include "tests/support/one_block.h"

#define MOST_BLOCKS 32u
#define PASSES WVL_CUDA_T1_MOST_PASSES
#define PITCH 31u
#define SETS (MOST_BLOCKS * PITCH)
#define STEPS 5u

/* ---- What is drawn --------------------------------------------------------------------------- */

/* Tables of device memory beside those of t1_model_load. */
typedef struct set_tables {
    wvl_cuda_ht_block sets[SETS];
    wvl_cuda_ht_record records[SETS];
    wvl_cuda_ht_part parts[SETS];
    wvl_cuda_ht_words words[SETS];
    uint32_t order[SETS];
    wvl_cuda_ht_lists lists[2];
    wvl_cuda_rate_step step;
    wvl_assembly_step steps[WVL_STEP_SIXTEENTHS * STEPS];
    uint32_t block_steps[MOST_BLOCKS], notes;
    wvl_cuda_t1_weight weights[MOST_BLOCKS], coarser_weights[MOST_BLOCKS];
    double plain_weights[MOST_BLOCKS];
    uint8_t planes[MOST_BLOCKS];
    wvl_cuda_rate_cut cuts[MOST_BLOCKS];
    _Alignas(16) wvl_cuda_t1_pass passes[MOST_BLOCKS][PASSES];
} set_tables;

static set_tables drawn;
static t1_list list;
static uint32_t set_passes;
static int32_t gain_exponent;

static void add_block(void)
{
    static const uint16_t shapes[][2] = {{64, 64}, {32, 32}, {64, 64}, {128, 32}, {8, 256}, {17, 9}};
    const uint16_t *shape = shapes[below(6)];
    unsigned coef_bytes = below(3) ? 2 : 4, bits = 1 + below(coef_bytes == 2 ? 12 : 20), frac = below(4);
    wvl_cuda_t1_block *b = t1_list_draw(&list, &rng, 1 + below(shape[0]), 1 + below(shape[1]), coef_bytes, bits);
    b->frac_bits = (uint8_t)(frac < bits ? frac : 0);
    b->style = below(3) ? 0 : WVL_STYLE_VSC;
    b->reversible = (uint8_t)below(2);
    t1_list_seal(&list, b, 0);
}

static wvl_cuda_t1_weight draw_weight(void)
{
    return (wvl_cuda_t1_weight){0x80000000u | draw(), gain_exponent - (int32_t)below(30)};
}

static void draw_tables(void)
{
    memset(&drawn, HT_POISON, sizeof drawn);
    memset(drawn.lists, 0, sizeof drawn.lists);
    memset(&drawn.step, 0, sizeof drawn.step);
    drawn.notes = 0;
    for (uint32_t i = 0; i < WVL_STEP_SIXTEENTHS * STEPS; i++) {
        wvl_cuda_t1_weight weight = draw_weight();
        drawn.steps[i] = (wvl_assembly_step){.factor = UINT64_C(0x80000000) + draw() / 2,
                                             .weight_mantissa = weight.mantissa,
                                             .weight_exponent = weight.exponent,
                                             .planes = 1 + below(31)};
    }
    for (uint32_t i = 0; i < list.count; i++) {
        drawn.block_steps[i] = below(STEPS);
        drawn.weights[i] = draw_weight();
    }
}

/* ---- What is wanted -------------------------------------------------------------------------- */

/* A block, as codec/ht codes it. */
typedef struct wanted_block {
    wvl_block_input in;
    wvl_block_output out;
    wvl_pass passes[PASSES + 2];
    int64_t gains[WVL_HULL_MAX_PASSES];
    uint16_t slopes[WVL_HULL_MAX_PASSES], unsettled;
    uint8_t *bytes;
    uint32_t *copy; /* scaled samples */
} wanted_block;

static wanted_block first[MOST_BLOCKS], second[MOST_BLOCKS];

static void describe_block(wanted_block *w, const wvl_cuda_t1_block *b)
{
    w->in = t1_list_describe(&list, b);
    w->in.want_gains = w->in.all_sets = 1;
    w->in.set_passes = (uint8_t)set_passes;
}

static void want_block(wanted_block *w, wvl_cuda_t1_weight weight)
{
    static _Alignas(64) uint8_t scratch[1 << 20];
    static wvl_hull hull;
    REQUIRE(wvl_ht_block_coder.scratch_bytes(64, 64, 31) <= sizeof scratch);
    w->bytes = w->bytes ? w->bytes : malloc(1 << 20);
    w->out = (wvl_block_output){.bytes = w->bytes, .passes = w->passes};
    wvl_ht_encode_block(scratch, &w->in, &w->out);
    REQUIRE(w->out.length <= 1 << 20 && w->out.pass_count <= PASSES);
    t1_find_hull(&hull, &w->out, (uint32_t)w->in.width * w->in.height, w->in.frac_bits, weight, gain_exponent,
                 w->slopes, w->gains);
    w->unsettled = (uint16_t)(hull.line.limit - 1);
}

static void want_first(void)
{
    for (uint32_t i = 0; i < list.count; i++) {
        describe_block(&first[i], &list.blocks[i]);
        want_block(&first[i], drawn.weights[i]);
    }
}

/* Cuts of the first coding, and what follows. Returns sixteenths. */
static uint32_t want_second(wvl_step_ends *ends)
{
    *ends = (wvl_step_ends){0, 0};
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t cut = below(first[i].out.pass_count + 1);
        wvl_coded_block coded = {.planes = (uint8_t)first[i].out.planes};
        drawn.cuts[i] = (wvl_cuda_rate_cut){0, 0, 0, cut};
        if (cut) {
            wvl_rescale_add_end(ends, &coded, first[i].passes, cut);
        }
    }
    uint32_t sixteenths = wvl_step_choose(ends);
    for (uint32_t i = 0; sixteenths && i < list.count; i++) {
        const wvl_assembly_step *step = &drawn.steps[sixteenths * STEPS + drawn.block_steps[i]];
        wanted_block *w = &second[i];
        describe_block(w, &list.blocks[i]);
        w->copy = realloc(w->copy, (size_t)w->in.stride * w->in.height * 4);
        wvl_rescale_change(step->factor, (uint8_t)wvl_step_first_set(ends), w->copy, &w->in);
        want_block(w, (wvl_cuda_t1_weight){step->weight_mantissa, step->weight_exponent});
    }
    return sixteenths;
}

/* ---- What comes back ------------------------------------------------------------------------- */

typedef struct set_load {
    t1_model_load t1;
    wvl_cuda_rate rate;
    wvl_cuda_ht ht;
    wvl_cuda_rate_job job;
    wvl_cuda_address tables;
} set_load;

static void fetch(const ht_device *d, void *to, wvl_cuda_address from, uint64_t bytes)
{
    REQUIRE(ht_fetch(d, to, from, bytes));
}

/* The most of classes, and scratch memory for all sets. */
static uint64_t sort_sets(wvl_cuda_ht_job *ht)
{
    uint64_t units = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        const wvl_cuda_t1_block *b = &list.blocks[i];
        units += wvl_cuda_t1_measure_words(b) / 16;
        for (unsigned plane = 0; plane < b->planes; plane++) {
            wvl_cuda_ht_block set = {.width = b->width,
                                     .height = b->height,
                                     .coef_bytes = b->coef_bytes,
                                     .frac_bits = b->frac_bits,
                                     .cleanup_plane = (uint8_t)plane,
                                     .max_passes = 255,
                                     .planes = (uint8_t)(b->planes - plane)};
            ht->class_count[wvl_cuda_ht_class_of(&set)]++;
            ht->block_count++;
            units += wvl_cuda_ht_measure(&set, 1, 0).most_scratch / 16;
        }
    }
    for (unsigned i = 1; i < WVL_CUDA_HT_CLASSES; i++) {
        ht->class_first[i] = ht->class_first[i - 1] + ht->class_count[i - 1];
    }
    return units;
}

static void set_addresses(set_load *load)
{
    wvl_cuda_rate_sets *sets = &load->job.sets;
    wvl_cuda_t1_job *t1 = &load->job.t1;
    wvl_cuda_address at = load->tables;
    t1->passes = at + offsetof(set_tables, passes);
    t1->hull_weights = at + offsetof(set_tables, weights);
    t1->gain_exponent = gain_exponent;
    load->job.cuts = at + offsetof(set_tables, cuts);
    load->job.packets.notes = at + offsetof(set_tables, notes);
    sets->ht.blocks = at + offsetof(set_tables, sets);
    sets->ht.records = at + offsetof(set_tables, records);
    sets->ht.parts = at + offsetof(set_tables, parts);
    sets->ht.words = at + offsetof(set_tables, words);
    sets->ht.order = at + offsetof(set_tables, order);
    sets->ht.lists = at + offsetof(set_tables, lists);
    sets->ht.scratch = t1->scratch;
    sets->ht.scratch_units = t1->scratch_units;
    sets->ht.counters = t1->counters;
    sets->ht.refines = set_passes != 1;
    sets->pitch = PITCH;
    sets->passes = set_passes;
    sets->step = at + offsetof(set_tables, step);
    sets->steps = at + offsetof(set_tables, steps);
    sets->block_steps = at + offsetof(set_tables, block_steps);
    sets->planes = at + offsetof(set_tables, planes);
    sets->weights = at + offsetof(set_tables, coarser_weights);
    sets->plain_weights = at + offsetof(set_tables, plain_weights);
    sets->step_count = STEPS;
}

static void open_load(set_load *load, const ht_device *d)
{
    memset(load, 0, sizeof *load);
    uint64_t units = sort_sets(&load->job.sets.ht);
    REQUIRE(t1_model_load_open(&load->t1, d, &list, (t1_wish){.scratch_share = 1000, .gains = 1}));
    load->t1.job.scratch_units = (uint32_t)units;
    load->t1.job.scratch = ht_take(&load->t1.taken, d, 16 * units, NULL, 1);
    load->tables = ht_take(&load->t1.taken, d, sizeof drawn, &drawn, 1);
    REQUIRE(!load->t1.taken.status && !wvl_cuda_rate_open(&load->rate, d->runtime, d->module) &&
            !wvl_cuda_ht_open(&load->ht, d->runtime, d->module, d->ordinal, 0));
    load->job.t1 = load->t1.job;
    set_addresses(load);
}

static void run_coding(set_load *load, const ht_device *d, int is_cleared)
{
    load->job.t1.is_cleared = (uint32_t)is_cleared;
    REQUIRE(!wvl_cuda_t1_launch_words(&load->t1.t1, &load->job.t1, wvl_cuda_to_stream(d->stream)) &&
            !wvl_cuda_rate_open_sets(&load->rate, &load->job, wvl_cuda_to_stream(d->stream)) &&
            !wvl_cuda_rate_list_sets(&load->rate, &load->job, wvl_cuda_to_stream(d->stream)) &&
            !wvl_cuda_ht_launch_listed(&load->ht, &load->job.sets.ht, list.count, wvl_cuda_to_stream(d->stream)) &&
            !wvl_cuda_rate_end_sets(&load->rate, &load->job, wvl_cuda_to_stream(d->stream)));
}

/* Bytes of a set lie in five pieces. */
static int is_other_set(const uint8_t *scratch, const wvl_cuda_ht_part *p, const uint8_t *bytes, uint32_t count)
{
    const uint8_t *piece = scratch + 16ull * p->piece, *next = scratch + 16ull * p->refinement;
    const struct {
        const uint8_t *from;
        uint32_t bytes;
    } pieces[] = {{piece, p->magsgn},
                  {piece + p->mel_at, p->mel},
                  {piece + p->vlc_end - p->vlc, p->vlc},
                  {next, p->sigprop},
                  {next + p->magref_end - p->magref, p->magref}};
    for (unsigned k = 0; k < 5; k++) {
        if (pieces[k].bytes > count || memcmp(pieces[k].from, bytes, pieces[k].bytes) != 0) {
            return 1;
        }
        bytes += pieces[k].bytes;
        count -= pieces[k].bytes;
    }
    return count != 0;
}

static void check_block(uint32_t i, const wanted_block *w, const set_tables *got, const wvl_cuda_t1_gains *gains,
                        const uint8_t *scratch)
{
    const uint8_t *values = scratch + 16ull * gains->values;
    uint32_t n = w->out.pass_count;
    REQUIRE_THAT(gains->energy == w->out.energy && gains->energy_shift == w->out.energy_shift, "block %u: energy", i);
    REQUIRE_THAT(!n || gains->unsettled == w->unsettled, "block %u: unsettled %u, not %u", i, gains->unsettled,
                 w->unsettled);
    REQUIRE_THAT(!memcmp(values + 8ull * n, w->gains, 8ull * n), "block %u: gains of %u passes", i, n);
    REQUIRE_THAT(!memcmp(values + 16ull * n, w->slopes, 2ull * n), "block %u: slopes of %u passes", i, n);
    for (uint32_t p = 0; p < n; p++) {
        const wvl_pass *want = &w->passes[p];
        const wvl_cuda_t1_pass *have = &got->passes[i][p];
        REQUIRE_THAT(have->final_bytes == want->final_bytes && have->tail_count == want->tail_count &&
                         !memcmp(have->tail, want->tail, want->tail_count),
                     "block %u, pass %u of %u: %u bytes, not %u", i, p, n, have->final_bytes, want->final_bytes);
        if (p % 3 == 0) {
            uint32_t end = p + 3 < n ? w->passes[p + 3].safe_bytes : w->out.length;
            REQUIRE_THAT(!is_other_set(scratch, &got->parts[i * PITCH + w->out.planes - 1 - p / 3],
                                       w->bytes + want->safe_bytes, end - want->safe_bytes),
                         "block %u: bytes of set %u", i, p / 3);
        }
    }
}

static void check_coding(const set_load *load, const ht_device *d, const wanted_block *wanted)
{
    static set_tables got;
    static wvl_cuda_t1_gains gains[MOST_BLOCKS];
    static wvl_cuda_t1_record records[MOST_BLOCKS];
    uint64_t bytes = 16ull * load->job.t1.scratch_units;
    uint8_t *scratch = malloc(bytes);
    fetch(d, &got, load->tables, sizeof got);
    fetch(d, gains, load->job.t1.gains, list.count * sizeof *gains);
    fetch(d, records, load->job.t1.records, list.count * sizeof *records);
    fetch(d, scratch, load->job.t1.scratch, bytes);
    for (uint32_t i = 0; i < list.count; i++) {
        const wvl_block_output *out = &wanted[i].out;
        REQUIRE_THAT(!records[i].flags && records[i].passes == out->pass_count && records[i].planes == out->planes,
                     "block %u: flags %u, %u passes, %u planes; want %u, %u", i, records[i].flags, records[i].passes,
                     records[i].planes, out->pass_count, out->planes);
        check_block(i, &wanted[i], &got, &gains[i], scratch);
    }
    free(scratch);
}

static uint32_t rescaled, bounded; /* lists that were coded twice; blocks that have a slope */
static uint64_t slack;             /* by how much their bounds exceed their highest slopes, in all */

/* ---- Steps ----------------------------------------------------------------------------------- */

static void check_samples(const uint8_t *samples, const wvl_cuda_t1_block *b, const wvl_block_input *want)
{
    for (uint32_t y = 0; want->bound && y < b->height; y++) {
        size_t at = (size_t)y * b->stride * b->coef_bytes;
        REQUIRE_THAT(
            !memcmp(samples + b->coefs + at, (const uint8_t *)want->coefs + at, (size_t)b->width * b->coef_bytes),
            "row %u of %u: other samples", y, b->height);
    }
}

static void check_step(const set_load *load, const ht_device *d, const wvl_step_ends *ends, uint32_t sixteenths)
{
    static set_tables got;
    uint32_t bounds[MOST_BLOCKS];
    uint8_t *samples = malloc(list.samples.sample_bytes);
    fetch(d, &got, load->tables, sizeof got);
    fetch(d, bounds, load->t1.bounds, list.count * sizeof *bounds);
    fetch(d, samples, load->t1.samples, list.samples.sample_bytes);
    REQUIRE(got.step.ends.bytes == ends->bytes && got.step.ends.planes == ends->planes);
    REQUIRE(got.step.sixteenths == sixteenths && got.step.asked == (sixteenths != 0));
    REQUIRE(!sixteenths || got.step.first_set == wvl_step_first_set(ends));
    REQUIRE(sixteenths || !memcmp(samples, list.samples.samples, list.samples.sample_bytes));
    for (uint32_t i = 0; sixteenths && i < list.count; i++) {
        const wvl_assembly_step *step = &drawn.steps[sixteenths * STEPS + drawn.block_steps[i]];
        REQUIRE_THAT(bounds[list.blocks[i].bound] == second[i].in.bound, "block %u: bound", i);
        REQUIRE(got.planes[i] == step->planes && got.coarser_weights[i].mantissa == step->weight_mantissa &&
                got.coarser_weights[i].exponent == step->weight_exponent &&
                got.plain_weights[i] == ldexp(step->weight_mantissa, step->weight_exponent - gain_exponent - 2));
        check_samples(samples, &list.blocks[i], &second[i].in);
    }
    free(samples);
}

/* No pass of a block has a slope above the one that is bounded before anything is coded. */
static void check_bounds(const ht_device *d)
{
    static wvl_cuda_t1_gains gains[MOST_BLOCKS];
    set_load load;
    open_load(&load, d);
    void *arguments[] = {&load.job};
    load.job.t1.foresees = 1;
    REQUIRE(!wvl_cuda_t1_launch_words(&load.t1.t1, &load.job.t1, wvl_cuda_to_stream(d->stream)) &&
            !d->runtime->launch(load.rate.open_sets, list.count, 1, 1, WVL_CUDA_RATE_BODIES_THREADS, 1, 1, 0, d->stream,
                                arguments, NULL));
    fetch(d, gains, load.job.t1.gains, list.count * sizeof *gains);
    for (uint32_t i = 0; i < list.count; i++) {
        const wanted_block *w = &first[i];
        uint32_t highest = 0;
        for (uint32_t p = 0; p < w->out.pass_count; p++) {
            uint32_t slope = w->gains[p] > 0 ? wvl_rate_slope(w->gains[p], w->passes[p].final_bytes, gain_exponent) : 0;
            REQUIRE_THAT(slope <= gains[i].unsettled, "block %u, pass %u: slope %u, at most %u", i, p, slope,
                         gains[i].unsettled);
            highest = wvl_max_u32(highest, slope);
        }
        bounded += highest != 0;
        slack += highest ? gains[i].unsettled - highest : 0;
    }
    t1_model_load_close(&load.t1, d);
}

static void check_chain(const ht_device *d, const wvl_step_ends *ends, uint32_t sixteenths)
{
    set_load load;
    open_load(&load, d);
    run_coding(&load, d, 0);
    check_coding(&load, d, first);
    REQUIRE(!wvl_cuda_rate_choose_step(&load.rate, &load.job, wvl_cuda_to_stream(d->stream)));
    check_step(&load, d, ends, sixteenths);
    load.job.sets.is_second = 1;
    load.job.sets.ht.lists += sizeof(wvl_cuda_ht_lists);
    load.job.asked = load.job.t1.asked = load.job.sets.step + offsetof(wvl_cuda_rate_step, asked);
    load.job.t1.hull_weights = load.job.sets.weights;
    run_coding(&load, d, 1);
    check_coding(&load, d, sixteenths ? second : first);
    t1_model_load_close(&load.t1, d);
}

EMULATED_SUITE("wvl_rate_list_sets");

/* Lists of blocks with sets of one to three passes. */
TEST_EACH(sets, 6)
{
    for (unsigned turn = 0; turn < (subset ? 1 : 6); turn++) {
        const ht_device *d;
        wvl_step_ends ends;
        seed_suite((uint64_t)_i + 4096u * turn);
        set_passes = 1 + (uint32_t)_i % 3;
        gain_exponent = -(int32_t)below(50);
        for (unsigned k = 0; k < (subset ? 4 : 5 + below(12)); k++) {
            add_block();
        }
        draw_tables();
        want_first();
        uint32_t sixteenths = want_second(&ends);
        rescaled += sixteenths != 0;
        EACH_DEVICE(d)
        {
            check_chain(d, &ends, sixteenths);
            check_bounds(d);
        }
        t1_list_clear(&list);
    }
    REQUIRE_THAT(subset || (rescaled && bounded), "no list was coded twice, or no pass has a slope");
    REQUIRE_THAT(subset || slack < 500ull * bounded, "bounds of %u blocks: %llu too high in all", bounded,
                 (unsigned long long)slack);
}

/* A codeword of CxtVLC has 3 bits for 4 significant samples, and more a sample for fewer: a bound counts on it. */
TEST(codewords)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < 2 * 2048; i++) {
        uint32_t rho = i >> 4 & 15, bits = wvl_ht_vlc[i / 2048][i % 2048] >> 7 & 7;
        REQUIRE_THAT(!bits || 4 * bits >= 3 * (uint32_t)__builtin_popcount(rho), "entry %u: %u bits", i, bits);
        seen += bits && rho == 15 && bits == 3;
    }
    REQUIRE(seen);
}

TEST_MAIN("cuda_sets")
