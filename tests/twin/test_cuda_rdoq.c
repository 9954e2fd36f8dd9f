/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Optimised quantisation on devices against codec/rate/rdoq.c, and its survey against codec/rate/depth.c. The device
 * code runs compiled for the CPU (emulate.h), in both orders of threads, and on a device if there is one and the build
 * has device code. Environment variables are those of test_cuda_ht.c.
 */
#include <math.h>

#include "codec/rate/depth.h"
#include "codec/rate/rdoq.h"
#include "cuda/rdoq/rdoq_launch.h"
#include "emulated_suite.h"

static double draw_unit(void) { return (draw() + 0.5) / 4294967296.0; }

/* ---- Tables ---------------------------------------------------------------------------------- */

enum {
    BLOCKS = 72,
    CELL = 2 * 4096 * 4, /* bytes of a block's samples: rows may have a stride */
    GROUPS = WVL_RATE_GROUPS,
    PASSES = WVL_CUDA_T1_MOST_PASSES
};

/* ---- Tables ---------------------------------------------------------------------------------- */

/* All that a device has of a picture, in one piece of memory. Addresses in tables are offsets from its start until
 * it is there. */
typedef struct picture {
    _Alignas(16) uint8_t samples[BLOCKS][CELL], copies[BLOCKS][CELL];
    wvl_cuda_t1_block originals[BLOCKS], blocks[BLOCKS];
    uint32_t bounds[BLOCKS], lists[BLOCKS], weights[BLOCKS];
    uint8_t kinds[BLOCKS];
    wvl_cuda_t1_weight hull_weights[BLOCKS];
    wvl_cuda_rdoq_change changes[BLOCKS];
    wvl_cuda_rdoq_survey survey;
    wvl_cuda_rdoq_part parts[WVL_DEPTH_PARTS];
    wvl_cuda_t1_state states[BLOCKS];
    wvl_cuda_t1_gains gains[BLOCKS];
    _Alignas(16) wvl_cuda_t1_pass passes[BLOCKS][PASSES];
    _Alignas(16) uint8_t values[BLOCKS][WVL_CUDA_T1_VALUE_BYTES * PASSES + 26]; /* a multiple of 16 */
} picture;

/* A device with the picture on it. */
typedef struct load {
    const ht_device *device;
    ht_memory taken;
    wvl_cuda_address at;
    wvl_cuda_rdoq rdoq;
    wvl_cuda_rdoq_job job;
} load;

/* ---- Devices --------------------------------------------------------------------------------- */

static picture given, got;
static wvl_cuda_rdoq_job turn_job;       /* what differs from turn to turn */
static uint32_t most_width, width_limit; /* of the blocks of this picture, and what they may have */

static wvl_cuda_rdoq_job fill_job(wvl_cuda_address at)
{
    wvl_cuda_rdoq_job job = turn_job;
    job.t1.blocks = at + offsetof(picture, blocks);
    job.t1.hull_weights = at + offsetof(picture, hull_weights);
    job.t1.states = at + offsetof(picture, states);
    job.t1.gains = at + offsetof(picture, gains);
    job.t1.passes = at + offsetof(picture, passes);
    job.t1.scratch = at + offsetof(picture, values);
    job.originals = at + offsetof(picture, originals);
    job.kinds = at + offsetof(picture, kinds);
    job.lists = at + offsetof(picture, lists);
    job.changes = at + offsetof(picture, changes);
    job.weights = at + offsetof(picture, weights);
    job.survey = at + offsetof(picture, survey);
    job.parts = at + offsetof(picture, parts);
    job.copies = offsetof(picture, copies) - offsetof(picture, samples);
    job.most_width = most_width;
    return job;
}

static void open_load(load *l, const ht_device *d)
{
    static picture image;
    l->device = d;
    l->taken = (ht_memory){.count = 0};
    l->at = ht_take(&l->taken, d, sizeof image, NULL, 1);
    REQUIRE(!wvl_cuda_rdoq_open(&l->rdoq, d->runtime, d->module) && !l->taken.status);
    memcpy(&image, &given, sizeof image);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        image.originals[i].coefs += l->at;
        image.originals[i].bound += l->at;
    }
    REQUIRE(!d->runtime->upload(l->at, &image, sizeof image, d->stream) && !d->runtime->stream_wait(d->stream));
    l->job = fill_job(l->at);
}

/* run: on a device with what is given; check: what it has got, with the address of its memory. */
static void check_devices(void (*run_on)(const load *l), void (*check)(wvl_cuda_address at))
{
    const ht_device *d;
    EACH_DEVICE(d)
    {
        load l;
        open_load(&l, d);
        run_on(&l);
        REQUIRE(ht_fetch(d, &got, l.at, sizeof got));
        check(l.at);
        ht_give(&l.taken, d);
    }
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Natural decay, with a ridge in some blocks, so that neighbours matter. */
static uint32_t draw_natural(uint32_t x, uint32_t y, double scale, uint32_t ridge, uint32_t most)
{
    double m = -log(draw_unit()) * scale * (ridge && (x + y) % 17 < 2 ? 6.0 : 1.0);
    return m < most ? (uint32_t)m : most;
}

/* Just above, at, and just below the borders of cells of all planes. */
static uint32_t draw_near_border(unsigned bits)
{
    unsigned plane = below(bits);
    uint32_t step = 1u << plane, cell = below(6), near = below(plane > 6 ? 1u << (plane - 6) : 2);
    uint32_t border = step * (below(4) ? 4 : 3) / 4 * cell;
    return below(2) ? border + near : border - wvl_min_u32(near, border);
}

/* A large sample with four others just below twice the step, so that blocks end with a significance pass; and far from
 * them one just above twice the step, alone. */
static uint32_t draw_clusters(unsigned bits, uint32_t x, uint32_t y)
{
    uint32_t step = 1u << (bits / 2), u = x % 8, v = y % 4;
    if (u == 1 && v == 1) {
        return 2 * step + below(2 * step);
    }
    if ((u == 1 && v != 3) || (v == 1 && u < 3)) {
        return 2 * step - 1 - below(step / 4 + 1);
    }
    return u == 5 && v == 3 ? 2 * step + below(step / 4 + 1) : 0;
}

/* Rows of large samples; between two of them a single sample, below the step that they are several times of. */
static uint32_t draw_striped(unsigned bits, uint32_t x, uint32_t y)
{
    uint32_t step = 1u << (bits / 2), near = x % 64 == y * 7 % 64;
    return y % 2 ? near * (step / 2 + below(step / 2 + 1)) : 2 * step + below(2 * step);
}

enum { NATURAL = T1_TEMPERS, BORDERS, CLUSTERS, STRIPED, TEMPERS };
static unsigned temper_of_all; /* TEMPERS: each block has its own */

static uint32_t draw_sample(unsigned temper, unsigned bits, uint32_t x, uint32_t y, uint32_t ridge)
{
    uint32_t most = (uint32_t)(((uint64_t)1 << bits) - 1);
    if (temper == NATURAL) {
        return draw_natural(x, y, ldexp(1.0, (int)bits - 4), ridge, most);
    }
    if (temper == CLUSTERS) {
        return draw_clusters(bits, x, y) & most;
    }
    if (temper == STRIPED) {
        return draw_striped(bits, x, y) & most;
    }
    return temper == BORDERS ? draw_near_border(bits) & most : t1_draw_magnitude(&rng, temper, bits, x, y);
}

static void put_sample(uint8_t *to, const wvl_cuda_t1_block *b, uint32_t at, uint32_t v)
{
    if (b->coef_bytes == 2) {
        uint16_t half = (uint16_t)(v >> 16 | v);
        memcpy(to + 2ull * at, &half, 2);
    } else {
        memcpy(to + 4ull * at, &v, 4);
    }
}

static void draw_shape(wvl_cuda_t1_block *b)
{
    static const uint16_t shapes[][2] = {{64, 64}, {32, 32}, {1024, 4}, {4, 1024}, {16, 256}, {256, 16}, {1, 1},
                                         {64, 1},  {1, 64},  {33, 31},  {2, 999},  {1000, 3}, {128, 32}, {99, 41}};
    uint32_t which = below(2) ? below(sizeof shapes / sizeof *shapes) : 99;
    b->width = which == 99 ? (uint16_t)(1 + below(64)) : shapes[which][0];
    b->width = (uint16_t)wvl_min_u32(b->width, width_limit);
    b->height = which == 99 ? (uint16_t)(1 + below(64)) : shapes[which][1];
    b->stride = b->width + (below(2) ? 0 : below(3));
    b->stride = b->stride * b->height > CELL / 4 - 16 ? b->width : b->stride;
}

/* A weight with which blocks of the slope end about at a plane. */
static wvl_cuda_t1_weight draw_weight(uint32_t slope, int plane)
{
    int32_t log2 = (int32_t)slope - (int32_t)WVL_SLOPE_ZERO - 768 - (512 * plane + (int32_t)below(512) - 594);
    return (wvl_cuda_t1_weight){0x80000000u | draw(), (log2 >> 8) - 31};
}

static void draw_block(uint32_t i)
{
    wvl_cuda_t1_block *b = &given.originals[i];
    *b = (wvl_cuda_t1_block){.coef_bytes = below(3) ? 2 : 4,
                             .frac_bits = (uint8_t)(below(2) ? 0 : below(8)),
                             .orient = (uint8_t)(below(8) ? 1 + below(3) : 0),
                             .style = (uint8_t)below(64),
                             .max_passes = 255,
                             .reversible = below(4) == 0};
    unsigned all = b->coef_bytes == 2 ? 15 : 31, bits = below(4) ? 1 + below(all) : all,
             temper = temper_of_all < TEMPERS ? temper_of_all : below(TEMPERS);
    uint32_t offset = below(2) ? 0 : below(5) * b->coef_bytes, ridge = below(3), bound = 0;
    draw_shape(b);
    for (uint32_t y = 0; y < b->height; y++) {
        for (uint32_t x = 0; x < b->width; x++) {
            uint32_t m = draw_sample(temper, bits, x, y, ridge);
            bound |= m;
            put_sample(given.samples[i] + offset, b, y * b->stride + x, m | (draw() & 0x80000000u));
        }
    }
    given.bounds[i] = below(8) ? bound : bound | below(1u << (bits - 1) | 1);
    b->coefs = offsetof(picture, samples) + (uint64_t)i * CELL + offset;
    b->bound = offsetof(picture, bounds) + 4ull * i;
    b->planes = (uint8_t)(wvl_bit_length(given.bounds[i] >> b->frac_bits) + below(3));
    given.kinds[i] = (uint8_t)below(2 * GROUPS);
    int plane = temper < CLUSTERS ? (int)below(bits + 2) - 1 : (int)bits / 2;
    given.hull_weights[i] = draw_weight(given.survey.slopes[given.kinds[i] / 2], plane);
    most_width = wvl_max_u32(most_width, b->width);
}

static void draw_picture(void)
{
    static const uint32_t widths[] = {1024, 32, 33, 64, 65, 128, 129, 1024}; /* the widest of each kernel, and beyond */
    static const unsigned tempers[] = {STRIPED, TEMPERS, CLUSTERS, TEMPERS};
    static unsigned picture_count;
    memset(&given, HT_POISON, sizeof given);
    memset(&given.parts, 0, sizeof given.parts);
    memset(&given.survey, 0, sizeof given.survey);
    turn_job = (wvl_cuda_rdoq_job){.aim = {.groups = GROUPS}, .is_large = below(2)};
    most_width = 0;
    width_limit = widths[picture_count++ % (sizeof widths / sizeof *widths)];
    temper_of_all = tempers[picture_count / 2 % 4];
    for (uint32_t g = 0; g < GROUPS; g++) {
        given.survey.slopes[g] = below(6) ? 20000 + below(20000) : below(65536);
    }
    given.survey.slopes[below(GROUPS)] = 0;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        draw_block(i);
        given.lists[i] = (i * 29 + 5) % BLOCKS; /* 29 and 72 have no common divisor */
    }
}

/* The block as the CPU has it. */
static wvl_block_input describe(uint32_t i)
{
    const wvl_cuda_t1_block *b = &given.originals[i];
    return (wvl_block_input){.coefs = (const uint8_t *)&given + b->coefs,
                             .stride = b->stride,
                             .width = b->width,
                             .height = b->height,
                             .coef_bytes = b->coef_bytes,
                             .frac_bits = b->frac_bits,
                             .orient = b->orient,
                             .reversible = b->reversible,
                             .max_passes = 255,
                             .bound = given.bounds[i]};
}

static wvl_band_coding band_of(uint32_t i)
{
    return (wvl_band_coding){.weight_mantissa = given.hull_weights[i].mantissa,
                             .weight_exponent = given.hull_weights[i].exponent};
}

static wvl_rdoq_kernels const *const reference = &wvl_rdoq_kernels_c;

/* ---- Changes --------------------------------------------------------------------------------- */

static struct changes {
    uint64_t blocks, moved, limited, errors;
} changes;

/* Rows of the changed block; what lies around them was not touched. wanted: NULL: no sample has moved, and the copy is
 * not used: it has the samples as they are, or nothing. */
static void check_copy(uint32_t i, const uint8_t *wanted)
{
    static uint8_t expected[CELL];
    const wvl_cuda_t1_block *b = &given.originals[i];
    size_t offset = b->coefs - offsetof(picture, samples) - (size_t)i * CELL, row = (size_t)b->width * b->coef_bytes;
    memset(expected, HT_POISON, sizeof expected);
    for (size_t y = 0; wanted && y < b->height; y++) {
        size_t at = y * b->stride * b->coef_bytes;
        memcpy(expected + offset + at, wanted + at, row);
    }
    if (!wanted && memcmp(expected, got.copies[i], CELL)) {
        check_copy(i, given.samples[i] + offset);
        return;
    }
    REQUIRE_THAT(!memcmp(expected, got.copies[i], CELL), "block %u: %u x %u samples of %u bytes", i, b->width,
                 b->height, b->coef_bytes);
}

static void check_change(wvl_cuda_address at, uint32_t i)
{
    static uint32_t samples[2 * WVL_RDOQ_SAMPLES];
    static uint8_t levels[WVL_RDOQ_AREA];
    static int8_t fractions[WVL_RDOQ_AREA];
    const wvl_rdoq r = {reference, samples, levels, fractions, (int)turn_job.is_large};
    const wvl_cuda_rdoq_change *c = &got.changes[i];
    wvl_block_input in = describe(i);
    wvl_band_coding band = band_of(i);
    uint32_t slope = turn_job.known ? turn_job.known : given.survey.slopes[given.kinds[i] / 2];
    wvl_rdoq_error error = wvl_rdoq_change(&r, &in, &band, slope);
    int is_moved = in.coefs == samples;
    wvl_cuda_t1_block wanted = given.originals[i];
    wanted.coefs += at + (is_moved ? offsetof(picture, copies) - offsetof(picture, samples) : 0);
    wanted.bound = at + (is_moved ? offsetof(picture, changes) + i * sizeof *c + offsetof(wvl_cuda_rdoq_change, bound)
                                  : wanted.bound);
    wanted.max_passes = in.max_passes;
    REQUIRE_THAT(!memcmp(&wanted, &got.blocks[i], sizeof wanted), "block %u: %u passes, want %u", i,
                 got.blocks[i].max_passes, in.max_passes);
    REQUIRE_THAT(c->error_low == error.low && c->error_high == error.high, "block %u: error", i);
    REQUIRE_THAT(c->end_slope == slope && c->is_changed == (is_moved || in.max_passes < 255), "block %u", i);
    REQUIRE_THAT(!is_moved || c->bound == in.bound, "block %u: bound %x, want %x", i, c->bound, in.bound);
    check_copy(i, is_moved ? (const uint8_t *)samples : NULL);
    changes.blocks++;
    changes.moved += is_moved;
    changes.limited += !is_moved && in.max_passes < 255;
    changes.errors += error.low != 0;
}

static void run_changes(const load *l)
{
    const wvl_cuda_rdoq_phases phases = {.ends = {30, BLOCKS}};
    for (unsigned p = 0; p < 2; p++) {
        wvl_cuda_rdoq_job job = wvl_cuda_rdoq_choose_phase(&l->job, &phases, p);
        REQUIRE(!wvl_cuda_rdoq_launch_changes(&l->rdoq, &job, wvl_cuda_to_stream(l->device->stream)));
    }
}

static void check_changes(wvl_cuda_address at)
{
    for (uint32_t i = 0; i < BLOCKS; i++) {
        check_change(at, i);
    }
    REQUIRE(!memcmp(got.samples, given.samples, sizeof got.samples));
}

EMULATED_SUITE("wvl_rdoq_change_64");

/* All cases come up. */
TEST_EACH(change, 2)
{
    memset(&changes, 0, sizeof changes);
    for (unsigned turn = 0; turn < (subset ? 1 : 8); turn++) {
        seed_suite(16u * (uint64_t)_i + turn);
        draw_picture();
        turn_job.known = turn == 5 ? WVL_SLOPE_ZERO + below(4096) : 0;
        check_devices(run_changes, check_changes);
    }
    REQUIRE_THAT(subset || (changes.moved * 8 > changes.blocks && changes.limited && changes.errors),
                 "%llu of %llu blocks have changed", (unsigned long long)changes.moved,
                 (unsigned long long)changes.blocks);
}

/* ---- Weights --------------------------------------------------------------------------------- */

static wvl_cuda_rdoq_phases phases_of_turn;

/* The survey as the CPU has it. */
typedef struct survey {
    wvl_depth depth;
    wvl_depth_part parts[2 * WVL_DEPTH_PARTS];
    uint32_t slopes[GROUPS], floors[GROUPS];
} survey;

static survey known;

static void open_survey(void)
{
    const wvl_survey_aim *aim = &turn_job.aim;
    memset(&known, 0, sizeof known);
    known.depth = (wvl_depth){.is_enabled = 1,
                              .groups = aim->groups,
                              .budget = aim->budget,
                              .cap = aim->cap,
                              .samples = aim->samples,
                              .parts = known.parts,
                              .survey = known.parts + 2 * (size_t)aim->groups};
    for (uint32_t k = 0; k < 2 * aim->groups; k++) {
        known.parts[k].samples = turn_job.samples[k];
    }
}

static void weigh_blocks(uint32_t count, const uint32_t *slopes, uint32_t *weights)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = given.lists[i], kind = given.kinds[id];
        wvl_block_input in = describe(id);
        wvl_band_coding band = band_of(id);
        weights[id] = wvl_rdoq_weigh(reference, &in, &band, slopes[kind / 2]);
        wvl_depth_weigh(&known.depth.survey[kind], weights[id], (uint64_t)in.width * in.height);
    }
}

/* Guesses the first slope as codec/blocks/blocks.c does, and weighs all blocks at it. */
static void guess_slopes(uint32_t *weights)
{
    uint32_t slope = WVL_SURVEY_LEAST_GUESS;
    for (uint32_t step = WVL_SURVEY_FIRST_STEP; step >= WVL_SURVEY_LAST_STEP; step /= 2) {
        for (unsigned g = 0; g < GROUPS; g++) {
            known.slopes[g] = slope + step;
        }
        weigh_blocks(phases_of_turn.ends[1], known.slopes, weights);
        slope += wvl_depth_is_heavy(&known.depth) ? step : 0;
        wvl_depth_clear_survey(&known.depth);
    }
    for (unsigned g = 0; g < GROUPS; g++) {
        known.slopes[g] = slope;
    }
    weigh_blocks(BLOCKS, known.slopes, weights);
}

/* Shares of the blocks, and a budget that leads to some slope. */
static void draw_aim(void)
{
    wvl_survey_aim *aim = &turn_job.aim;
    double samples = 0.0;
    aim->groups = below(2) ? GROUPS : 1 + below(GROUPS);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        given.kinds[i] = (uint8_t)(i < 2 * aim->groups ? i : below(2 * aim->groups));
        turn_job.samples[given.kinds[i]] += (double)given.originals[i].width * given.originals[i].height;
        given.hull_weights[i] = draw_weight(WVL_SLOPE_ZERO + 1024, (int)below(16));
    }
    for (uint32_t k = 0; k < 2 * aim->groups; k++) {
        samples += turn_job.samples[k];
    }
    aim->samples = samples * (below(2) ? 1 : 1 + below(4));
    aim->budget = aim->samples * ldexp(draw_unit(), 1 - (int)below(8));
    aim->cap = aim->groups > 1 ? aim->budget * (0.2 + draw_unit()) : 1e18;
    aim->budget = below(4) ? aim->budget : 1e18;
    for (unsigned p = 0; p < WVL_SURVEY_ALL_PHASES; p++) {
        phases_of_turn.ends[p] = BLOCKS * (p + 1) / WVL_SURVEY_ALL_PHASES;
    }
    phases_of_turn.range_count = below(2) ? 100 + below(500) : 2000;
    phases_of_turn.reach = below(2) ? 32 : 64;
}

static void run_weights(const load *l)
{
    REQUIRE(!wvl_cuda_rdoq_launch_weights(&l->rdoq, &l->job, &phases_of_turn, wvl_cuda_to_stream(l->device->stream)));
}

static uint32_t wanted_weights[BLOCKS];

static void check_sums(void)
{
    for (uint32_t k = 0; k < 2 * turn_job.aim.groups; k++) {
        const wvl_depth_part *part = &known.depth.survey[k];
        REQUIRE_THAT(got.parts[k].weight == part->weight && got.parts[k].weighed == part->weighed &&
                         got.parts[k].seen == part->seen,
                     "part %u", k);
        for (uint32_t i = 0; i < WVL_DEPTH_BINS; i++) {
            REQUIRE_THAT(got.parts[k].bins[i] == part->bins[i], "part %u, bin %u", k, i);
        }
    }
}

static void check_weights(wvl_cuda_address at)
{
    (void)at;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        REQUIRE_THAT(got.weights[i] == wanted_weights[i], "block %u: %u, want %u", i, got.weights[i],
                     wanted_weights[i]);
    }
    for (uint32_t g = 0; g < turn_job.aim.groups; g++) {
        REQUIRE_THAT(got.survey.slopes[g] == known.slopes[g], "group %u: slope %u, want %u", g, got.survey.slopes[g],
                     known.slopes[g]);
    }
    check_sums();
}

/* A block in which samples count from any power of two on, whatever the slope; those of 16 bits are large. */
static void draw_large(uint32_t i)
{
    const wvl_cuda_t1_block *b = &given.originals[i];
    uint16_t *samples = (uint16_t *)(void *)given.samples[i];
    given.hull_weights[i] = draw_weight(WVL_SLOPE_ZERO, (int)below(36) - 8);
    for (uint32_t k = 0; k < CELL / 2 && b->coef_bytes == 2; k++) {
        samples[k] = (uint16_t)below(65536);
    }
    given.bounds[i] |= b->coef_bytes == 2 ? 0x7FFF : 0;
}

TEST(weigh)
{
    uint32_t between = 0;
    for (unsigned turn = 0; turn < (subset ? 1 : 24); turn++) {
        seed_suite(100 + turn);
        draw_picture();
        for (uint32_t i = 0; turn % 2 && i < BLOCKS; i++) {
            draw_large(i);
        }
        memset(&given.survey, 0, sizeof given.survey);
        draw_aim();
        open_survey();
        guess_slopes(wanted_weights);
        between += known.slopes[0] > WVL_SURVEY_LEAST_GUESS && known.slopes[0] < WVL_SLOPE_ZERO + 8192 - 32;
        check_devices(run_weights, check_weights);
    }
    REQUIRE_THAT(subset || between > 2, "%u first slopes are not the least or the greatest", between);
}

/* ---- Slopes ---------------------------------------------------------------------------------- */

/* Many blocks in few bins. */
static uint32_t coarse;

/* Slopes fall along a hull; 0: a pass is not on it. */
static void draw_passes(uint32_t i)
{
    uint32_t planes = 1 + below(20), count = below(8) ? 3 * planes - 2 : 0, bytes = 0, slope = 30000 + below(10000);
    uint8_t *values = given.values[i];
    given.states[i] = (wvl_cuda_t1_state){.planes = (uint8_t)planes, .passes = (uint8_t)count};
    given.gains[i] = (wvl_cuda_t1_gains){
        .energy = draw(), .values = (uint32_t)(i * sizeof given.values[0] / 16), .energy_shift = below(4) ? 0 : 8};
    given.changes[i].error_low = (uint64_t)draw() << below(20);
    given.changes[i].error_high = below(3) ? 0 : below(2000);
    for (uint32_t p = 0; p < count; p++) {
        uint16_t on_hull = (uint16_t)(below(3) ? slope | coarse : 0);
        bytes += below(60);
        slope -= below(500);
        given.passes[i][p].final_bytes = bytes;
        memcpy(values + 16 * (size_t)count + 2 * (size_t)p, &on_hull, 2);
    }
}

static void put_phase(unsigned phase)
{
    for (uint32_t i = phase ? phases_of_turn.ends[phase - 1] : 0; i < phases_of_turn.ends[phase]; i++) {
        uint32_t id = given.lists[i], count = given.states[id].passes;
        wvl_pass passes[PASSES] = {{0}};
        uint16_t slopes[PASSES];
        memcpy(slopes, given.values[id] + 16 * (size_t)count, 2 * (size_t)count);
        for (uint32_t p = 0; p < count; p++) {
            passes[p].final_bytes = given.passes[id][p].final_bytes;
        }
        wvl_depth_put_block(&known.depth.survey[given.kinds[id]], passes, slopes, count, given.weights[id]);
    }
}

/* Follows a phase as codec/blocks/blocks.c does. */
static void follow_phase(unsigned phase)
{
    uint32_t margin = wvl_survey_find_margin(phase, phases_of_turn.range_count, phases_of_turn.reach), before[GROUPS];
    memcpy(before, known.slopes, sizeof before);
    for (uint32_t g = 0; g < turn_job.aim.groups; g++) {
        uint32_t threshold = before[g] > margin ? before[g] - margin : 0;
        known.floors[g] = wvl_max_u32(known.floors[g], threshold);
    }
    put_phase(phase);
    wvl_depth_fetch_slopes(&known.depth, known.floors, known.slopes);
    for (uint32_t g = 0; g < turn_job.aim.groups; g++) {
        uint32_t lowest = known.floors[g] > margin ? known.floors[g] - margin : 0,
                 found = known.slopes[g] >= known.floors[g] ? known.slopes[g] : lowest;
        known.slopes[g] = phase > 1 && found ? (found + before[g] + 1) / 2 : found;
    }
}

static unsigned phases_run;

static void run_slopes(const load *l)
{
    for (unsigned p = 0; p < phases_run; p++) {
        wvl_cuda_rdoq_job job = wvl_cuda_rdoq_choose_phase(&l->job, &phases_of_turn, p);
        REQUIRE(!wvl_cuda_rdoq_launch_energies(&l->rdoq, &job, wvl_cuda_to_stream(l->device->stream)));
        REQUIRE(!wvl_cuda_rdoq_launch_slopes(&l->rdoq, &job, wvl_cuda_to_stream(l->device->stream)));
    }
}

static void check_energies(void)
{
    for (uint32_t i = 0; i < phases_of_turn.ends[phases_run - 1]; i++) {
        uint32_t id = given.lists[i];
        wvl_block_output out = {.energy = given.gains[id].energy, .energy_shift = given.gains[id].energy_shift};
        wvl_rdoq_add_error(&out, (wvl_rdoq_error){given.changes[id].error_low, given.changes[id].error_high});
        REQUIRE_THAT(got.gains[id].energy == out.energy, "block %u", id);
    }
}

static void check_slopes(wvl_cuda_address at)
{
    (void)at;
    for (uint32_t g = 0; g < turn_job.aim.groups; g++) {
        REQUIRE_THAT(got.survey.slopes[g] == known.slopes[g] && got.survey.floors[g] == known.floors[g],
                     "group %u of %u, %u phases: slope %u from %u, want %u from %u", g, turn_job.aim.groups, phases_run,
                     got.survey.slopes[g], got.survey.floors[g], known.slopes[g], known.floors[g]);
    }
    check_sums();
    check_energies();
}

/* The sums as they are after the weights. */
static void draw_weights(void)
{
    for (uint32_t i = 0; i < BLOCKS; i++) {
        given.weights[i] = 1 + below(20000);
        given.parts[given.kinds[i]].weight += given.weights[i];
        given.parts[given.kinds[i]].weighed += 1000;
        wvl_depth_weigh(&known.depth.survey[given.kinds[i]], given.weights[i], 1000);
        draw_passes(i);
    }
    for (uint32_t g = 0; g < turn_job.aim.groups; g++) {
        known.slopes[g] = given.survey.slopes[g] = 28000 + below(10000);
    }
}

/* Finds what the first phase finds down to some bin, or to the first in which a group is full. */
static wvl_descent descend(double cap)
{
    wvl_survey_aim aim = turn_job.aim;
    wvl_survey_sums sums[WVL_DEPTH_PARTS];
    uint32_t floors[GROUPS], margin = wvl_survey_find_margin(0, phases_of_turn.range_count, phases_of_turn.reach),
                             last = 3500 + below(1500), full = 0;
    wvl_descent d = {.total = 1000.0, .bytes = {1000.0}};
    aim.budget = 1e300;
    aim.cap = cap;
    for (uint32_t k = 0; k < 2 * aim.groups; k++) {
        const wvl_depth_part *part = &known.depth.survey[k];
        sums[k] = (wvl_survey_sums){known.parts[k].samples, (double)part->weight, part->seen, part->weight, 0};
        floors[k / 2] = wvl_survey_find_depth(known.slopes[k / 2], margin);
    }
    int is_known = wvl_descent_open(&d, &aim, sums, floors, 0);
    for (uint32_t bin = WVL_DEPTH_BINS; is_known && !full && bin-- > last;) {
        uint64_t bytes[WVL_DEPTH_PARTS];
        for (uint32_t k = 0; k < 2 * aim.groups; k++) {
            bytes[k] = known.depth.survey[k].bins[bin];
        }
        wvl_descent_take(&d, bin, bytes);
        for (uint32_t g = 0; g < aim.groups; g++) {
            full |= (uint32_t)d.is_full[g];
        }
    }
    return d;
}

/* One phase of all blocks, and a limit that its sums meet to the last bit, or miss by that bit: then the order of sums
 * shows. */
static void draw_border(void)
{
    static survey before;
    wvl_survey_aim *aim = &turn_job.aim;
    int is_cap = aim->groups > 1 && below(2), has_both = aim->groups > 1 && below(2);
    for (unsigned p = 0; p < WVL_SURVEY_ALL_PHASES; p++) {
        phases_of_turn.ends[p] = BLOCKS;
    }
    aim->samples *= (1.0 + draw_unit()) / 3.0; /* sums are not exact */
    known.depth.samples = aim->samples;
    memcpy(&before, &known, sizeof before);
    put_phase(0);
    wvl_descent d = descend(has_both ? aim->cap : 1e300);
    memcpy(&known, &before, sizeof known);
    double met = is_cap ? d.bytes[below(aim->groups)] : d.total, limit = below(2) ? met : nextafter(met, 0.0);
    aim->budget = is_cap ? 1e18 : limit;
    if (is_cap) {
        aim->cap = limit;
    } else if (!has_both) {
        aim->cap = 1e18;
    }
    known.depth.budget = aim->budget;
    known.depth.cap = aim->cap;
}

TEST(slopes)
{
    uint64_t met = 0, full = 0;
    for (unsigned turn = 0; turn < (subset ? 2 : 200); turn++) {
        seed_suite(200 + turn);
        draw_picture();
        memset(&given.survey, 0, sizeof given.survey);
        draw_aim();
        turn_job.aim.budget = below(6) ? 500 + below(60000) : 1e18;
        turn_job.aim.cap = turn_job.aim.groups > 1 ? 200 + below(20000) : 1e18;
        open_survey();
        coarse = turn % 4 == 3 ? 1023 : 0;
        draw_weights();
        phases_run = 1 + below(WVL_SURVEY_PHASES);
        if (turn % 2) {
            draw_border();
            phases_run = 1;
        }
        for (unsigned p = 0; p < phases_run; p++) {
            follow_phase(p);
        }
        check_devices(run_slopes, check_slopes);
        met += known.slopes[0] > known.floors[0];
        full += known.slopes[0] != known.slopes[turn_job.aim.groups - 1];
    }
    REQUIRE_THAT(subset || (met > 10 && full > 5), "%llu above the floor, %llu apart", (unsigned long long)met,
                 (unsigned long long)full);
}

TEST_MAIN("cuda_rdoq")
