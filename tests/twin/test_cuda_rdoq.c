/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Optimised quantisation on devices against codec/rate/rdoq.c, and its survey against codec/rate/depth.c. The device
 * code runs compiled for the CPU (emulate.h), in both orders of threads, and on a device if there is one and the build
 * has device code. Environment variables are those of test_cuda_ht.c.
 */
#include <math.h>

#include "base/intmath.h"
#include "codec/rate/depth.h"
#include "rdoq_case.h"
#include "tests/support/support.h"

static wvl_rdoq_kernels const *const reference = &wvl_rdoq_kernels_c;

/* ---- Changes --------------------------------------------------------------------------------- */

static struct changes {
    uint64_t blocks, moved, limited, errors;
} changes;

/* Rows of the changed block; what lies around them was not touched. wanted: NULL: no sample has moved, and the copy is
 * not used: it has the samples as they are, or nothing. */
static void check_copy(uint32_t i, const uint8_t *wanted)
{
    static uint8_t expected[SLOT];
    const wvl_cuda_t1_block *b = &rdoq_given.originals[i];
    size_t offset = b->coefs - offsetof(rdoq_picture, samples) - (size_t)i * SLOT,
           row = (size_t)b->width * b->coef_bytes;
    memset(expected, HT_POISON, sizeof expected);
    for (size_t y = 0; wanted && y < b->height; y++) {
        size_t at = y * b->stride * b->coef_bytes;
        memcpy(expected + offset + at, wanted + at, row);
    }
    if (!wanted && memcmp(expected, rdoq_got.copies[i], SLOT)) {
        check_copy(i, rdoq_given.samples[i] + offset);
        return;
    }
    REQUIRE_THAT(!memcmp(expected, rdoq_got.copies[i], SLOT), "block %u: %u x %u samples of %u bytes", i, b->width,
                 b->height, b->coef_bytes);
}

static void check_change(wvl_cuda_address at, uint32_t i)
{
    static uint32_t samples[2 * WVL_RDOQ_SAMPLES];
    static uint8_t levels[WVL_RDOQ_CELLS];
    static int8_t fractions[WVL_RDOQ_CELLS];
    const wvl_rdoq r = {reference, samples, levels, fractions, (int)rdoq_job.is_large};
    const wvl_cuda_rdoq_change *c = &rdoq_got.changes[i];
    wvl_block_input in = rdoq_describe(i);
    wvl_band_coding band = rdoq_band_of(i);
    uint32_t slope = rdoq_job.known ? rdoq_job.known : rdoq_given.survey.slopes[rdoq_given.kinds[i] / 2];
    wvl_rdoq_error error = wvl_rdoq_change(&r, &in, &band, slope);
    int is_moved = in.coefs == samples;
    wvl_cuda_t1_block wanted = rdoq_given.originals[i];
    wanted.coefs += at + (is_moved ? offsetof(rdoq_picture, copies) - offsetof(rdoq_picture, samples) : 0);
    wanted.bound =
        at + (is_moved ? offsetof(rdoq_picture, changes) + i * sizeof *c + offsetof(wvl_cuda_rdoq_change, bound)
                       : wanted.bound);
    wanted.max_passes = in.max_passes;
    REQUIRE_THAT(!memcmp(&wanted, &rdoq_got.blocks[i], sizeof wanted), "block %u: %u passes, want %u", i,
                 rdoq_got.blocks[i].max_passes, in.max_passes);
    REQUIRE_THAT(c->error_low == error.low && c->error_high == error.high, "block %u: error", i);
    REQUIRE_THAT(c->end_slope == slope && c->is_changed == (is_moved || in.max_passes < 255), "block %u", i);
    REQUIRE_THAT(!is_moved || c->bound == in.bound, "block %u: bound %x, want %x", i, c->bound, in.bound);
    check_copy(i, is_moved ? (const uint8_t *)samples : NULL);
    changes.blocks++;
    changes.moved += is_moved;
    changes.limited += !is_moved && in.max_passes < 255;
    changes.errors += error.low != 0;
}

static void run_changes(const rdoq_load *l)
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
    REQUIRE(!memcmp(rdoq_got.samples, rdoq_given.samples, sizeof rdoq_got.samples));
}

TEST_FIXTURE(rdoq_open_suite, rdoq_close_suite);

/* All cases come up. */
TEST_EACH(change, 2)
{
    memset(&changes, 0, sizeof changes);
    for (unsigned turn = 0; turn < (rdoq_subset ? 1 : 8); turn++) {
        rdoq_rng.s = t1_seed() + turn + ((uint64_t)_i << 20);
        rdoq_draw_picture();
        rdoq_job.known = turn == 5 ? WVL_SLOPE_ZERO + rdoq_below(4096) : 0;
        rdoq_check_devices(run_changes, check_changes);
    }
    REQUIRE_THAT(rdoq_subset || (changes.moved * 8 > changes.blocks && changes.limited && changes.errors),
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
    const wvl_survey_aim *aim = &rdoq_job.aim;
    memset(&known, 0, sizeof known);
    known.depth = (wvl_depth){.is_enabled = 1,
                              .groups = aim->groups,
                              .budget = aim->budget,
                              .cap = aim->cap,
                              .samples = aim->samples,
                              .parts = known.parts,
                              .survey = known.parts + 2 * (size_t)aim->groups};
    for (uint32_t k = 0; k < 2 * aim->groups; k++) {
        known.parts[k].samples = rdoq_job.samples[k];
    }
}

static void weigh_blocks(uint32_t count, const uint32_t *slopes, uint32_t *weights)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = rdoq_given.lists[i], kind = rdoq_given.kinds[id];
        wvl_block_input in = rdoq_describe(id);
        wvl_band_coding band = rdoq_band_of(id);
        weights[id] = wvl_rdoq_weigh(reference, &in, &band, slopes[kind / 2]);
        wvl_depth_weigh(&known.depth.survey[kind], weights[id], (uint64_t)in.width * in.height);
    }
}

/* As codec/blocks/survey.c guesses the first slope, and weighs all blocks at it. */
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
    wvl_survey_aim *aim = &rdoq_job.aim;
    double samples = 0.0;
    aim->groups = rdoq_below(2) ? GROUPS : 1 + rdoq_below(GROUPS);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        rdoq_given.kinds[i] = (uint8_t)(i < 2 * aim->groups ? i : rdoq_below(2 * aim->groups));
        rdoq_job.samples[rdoq_given.kinds[i]] += (double)rdoq_given.originals[i].width * rdoq_given.originals[i].height;
        rdoq_given.hull_weights[i] = rdoq_draw_weight(WVL_SLOPE_ZERO + 1024, (int)rdoq_below(16));
    }
    for (uint32_t k = 0; k < 2 * aim->groups; k++) {
        samples += rdoq_job.samples[k];
    }
    aim->samples = samples * (rdoq_below(2) ? 1 : 1 + rdoq_below(4));
    aim->budget = aim->samples * ldexp(rdoq_draw_unit(), 1 - (int)rdoq_below(8));
    aim->cap = aim->groups > 1 ? aim->budget * (0.2 + rdoq_draw_unit()) : 1e18;
    aim->budget = rdoq_below(4) ? aim->budget : 1e18;
    for (unsigned p = 0; p < WVL_SURVEY_ALL_PHASES; p++) {
        phases_of_turn.ends[p] = BLOCKS * (p + 1) / WVL_SURVEY_ALL_PHASES;
    }
    phases_of_turn.run_count = rdoq_below(2) ? 100 + rdoq_below(500) : 2000;
    phases_of_turn.reach = rdoq_below(2) ? 32 : 64;
}

static void run_weights(const rdoq_load *l)
{
    REQUIRE(!wvl_cuda_rdoq_launch_weights(&l->rdoq, &l->job, &phases_of_turn, wvl_cuda_to_stream(l->device->stream)));
}

static uint32_t wanted_weights[BLOCKS];

static void check_sums(void)
{
    for (uint32_t k = 0; k < 2 * rdoq_job.aim.groups; k++) {
        const wvl_depth_part *part = &known.depth.survey[k];
        REQUIRE_THAT(rdoq_got.parts[k].weight == part->weight && rdoq_got.parts[k].weighed == part->weighed &&
                         rdoq_got.parts[k].seen == part->seen,
                     "part %u", k);
        for (uint32_t i = 0; i < WVL_DEPTH_BINS; i++) {
            REQUIRE_THAT(rdoq_got.parts[k].bins[i] == part->bins[i], "part %u, bin %u", k, i);
        }
    }
}

static void check_weights(wvl_cuda_address at)
{
    (void)at;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        REQUIRE_THAT(rdoq_got.weights[i] == wanted_weights[i], "block %u: %u, want %u", i, rdoq_got.weights[i],
                     wanted_weights[i]);
    }
    for (uint32_t g = 0; g < rdoq_job.aim.groups; g++) {
        REQUIRE_THAT(rdoq_got.survey.slopes[g] == known.slopes[g], "group %u: slope %u, want %u", g,
                     rdoq_got.survey.slopes[g], known.slopes[g]);
    }
    check_sums();
}

/* A block in which samples count from any power of two on, whatever the slope; those of 16 bits are large. */
static void draw_large(uint32_t i)
{
    const wvl_cuda_t1_block *b = &rdoq_given.originals[i];
    uint16_t *samples = (uint16_t *)(void *)rdoq_given.samples[i];
    rdoq_given.hull_weights[i] = rdoq_draw_weight(WVL_SLOPE_ZERO, (int)rdoq_below(36) - 8);
    for (uint32_t k = 0; k < SLOT / 2 && b->coef_bytes == 2; k++) {
        samples[k] = (uint16_t)rdoq_below(65536);
    }
    rdoq_given.bounds[i] |= b->coef_bytes == 2 ? 0x7FFF : 0;
}

TEST(weigh)
{
    uint32_t between = 0;
    for (unsigned turn = 0; turn < (rdoq_subset ? 1 : 24); turn++) {
        rdoq_rng.s = t1_seed() + 100 + turn;
        rdoq_draw_picture();
        for (uint32_t i = 0; turn % 2 && i < BLOCKS; i++) {
            draw_large(i);
        }
        memset(&rdoq_given.survey, 0, sizeof rdoq_given.survey);
        draw_aim();
        open_survey();
        guess_slopes(wanted_weights);
        between += known.slopes[0] > WVL_SURVEY_LEAST_GUESS && known.slopes[0] < WVL_SLOPE_ZERO + 8192 - 32;
        rdoq_check_devices(run_weights, check_weights);
    }
    REQUIRE_THAT(rdoq_subset || between > 2, "%u first slopes are not the least or the greatest", between);
}

/* ---- Slopes ---------------------------------------------------------------------------------- */

/* Many blocks in few bins. */
static uint32_t coarse;

/* Slopes fall along a hull; 0: a pass is not on it. */
static void draw_passes(uint32_t i)
{
    uint32_t planes = 1 + rdoq_below(20), count = rdoq_below(8) ? 3 * planes - 2 : 0, bytes = 0,
             slope = 30000 + rdoq_below(10000);
    uint8_t *values = rdoq_given.values[i];
    rdoq_given.states[i] = (wvl_cuda_t1_state){.planes = (uint8_t)planes, .passes = (uint8_t)count};
    rdoq_given.gains[i] = (wvl_cuda_t1_gains){.energy = t1_random(&rdoq_rng),
                                              .values = (uint32_t)(i * sizeof rdoq_given.values[0] / 16),
                                              .energy_shift = rdoq_below(4) ? 0 : 8};
    rdoq_given.changes[i].error_low = (uint64_t)t1_random(&rdoq_rng) << rdoq_below(20);
    rdoq_given.changes[i].error_high = rdoq_below(3) ? 0 : rdoq_below(2000);
    for (uint32_t p = 0; p < count; p++) {
        uint16_t on_hull = (uint16_t)(rdoq_below(3) ? slope | coarse : 0);
        bytes += rdoq_below(60);
        slope -= rdoq_below(500);
        rdoq_given.passes[i][p].final_bytes = bytes;
        memcpy(values + 16 * (size_t)count + 2 * (size_t)p, &on_hull, 2);
    }
}

static void put_phase(unsigned phase)
{
    for (uint32_t i = phase ? phases_of_turn.ends[phase - 1] : 0; i < phases_of_turn.ends[phase]; i++) {
        uint32_t id = rdoq_given.lists[i], count = rdoq_given.states[id].passes;
        wvl_pass passes[PASSES] = {{0}};
        uint16_t slopes[PASSES];
        memcpy(slopes, rdoq_given.values[id] + 16 * (size_t)count, 2 * (size_t)count);
        for (uint32_t p = 0; p < count; p++) {
            passes[p].final_bytes = rdoq_given.passes[id][p].final_bytes;
        }
        wvl_depth_put_block(&known.depth.survey[rdoq_given.kinds[id]], passes, slopes, count, rdoq_given.weights[id]);
    }
}

/* As codec/blocks/survey.c follows a phase. */
static void follow_phase(unsigned phase)
{
    uint32_t margin = wvl_survey_find_margin(phase, phases_of_turn.run_count, phases_of_turn.reach), before[GROUPS];
    memcpy(before, known.slopes, sizeof before);
    for (uint32_t g = 0; g < rdoq_job.aim.groups; g++) {
        uint32_t threshold = before[g] > margin ? before[g] - margin : 0;
        known.floors[g] = wvl_max_u32(known.floors[g], threshold);
    }
    put_phase(phase);
    wvl_depth_fetch_slopes(&known.depth, known.floors, known.slopes);
    for (uint32_t g = 0; g < rdoq_job.aim.groups; g++) {
        uint32_t lowest = known.floors[g] > margin ? known.floors[g] - margin : 0,
                 found = known.slopes[g] >= known.floors[g] ? known.slopes[g] : lowest;
        known.slopes[g] = phase > 1 && found ? (found + before[g] + 1) / 2 : found;
    }
}

static unsigned phases_run;

static void run_slopes(const rdoq_load *l)
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
        uint32_t id = rdoq_given.lists[i];
        wvl_block_output out = {.energy = rdoq_given.gains[id].energy,
                                .energy_shift = rdoq_given.gains[id].energy_shift};
        wvl_rdoq_add_error(&out, (wvl_rdoq_error){rdoq_given.changes[id].error_low, rdoq_given.changes[id].error_high});
        REQUIRE_THAT(rdoq_got.gains[id].energy == out.energy, "block %u", id);
    }
}

static void check_slopes(wvl_cuda_address at)
{
    (void)at;
    for (uint32_t g = 0; g < rdoq_job.aim.groups; g++) {
        REQUIRE_THAT(rdoq_got.survey.slopes[g] == known.slopes[g] && rdoq_got.survey.floors[g] == known.floors[g],
                     "group %u of %u, %u phases: slope %u from %u, want %u from %u", g, rdoq_job.aim.groups, phases_run,
                     rdoq_got.survey.slopes[g], rdoq_got.survey.floors[g], known.slopes[g], known.floors[g]);
    }
    check_sums();
    check_energies();
}

/* The sums as they are after the weights. */
static void draw_weights(void)
{
    for (uint32_t i = 0; i < BLOCKS; i++) {
        rdoq_given.weights[i] = 1 + rdoq_below(20000);
        rdoq_given.parts[rdoq_given.kinds[i]].weight += rdoq_given.weights[i];
        rdoq_given.parts[rdoq_given.kinds[i]].weighed += 1000;
        wvl_depth_weigh(&known.depth.survey[rdoq_given.kinds[i]], rdoq_given.weights[i], 1000);
        draw_passes(i);
    }
    for (uint32_t g = 0; g < rdoq_job.aim.groups; g++) {
        known.slopes[g] = rdoq_given.survey.slopes[g] = 28000 + rdoq_below(10000);
    }
}

/* What the first phase finds down to some bin, or to the first in which a group is full. */
static wvl_descent descend(double cap)
{
    wvl_survey_aim aim = rdoq_job.aim;
    wvl_survey_sums sums[WVL_DEPTH_PARTS];
    uint32_t floors[GROUPS], margin = wvl_survey_find_margin(0, phases_of_turn.run_count, phases_of_turn.reach),
                             last = 3500 + rdoq_below(1500), full = 0;
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
    wvl_survey_aim *aim = &rdoq_job.aim;
    int is_cap = aim->groups > 1 && rdoq_below(2), has_both = aim->groups > 1 && rdoq_below(2);
    for (unsigned p = 0; p < WVL_SURVEY_ALL_PHASES; p++) {
        phases_of_turn.ends[p] = BLOCKS;
    }
    aim->samples *= (1.0 + rdoq_draw_unit()) / 3.0; /* sums are not exact */
    known.depth.samples = aim->samples;
    memcpy(&before, &known, sizeof before);
    put_phase(0);
    wvl_descent d = descend(has_both ? aim->cap : 1e300);
    memcpy(&known, &before, sizeof known);
    double met = is_cap ? d.bytes[rdoq_below(aim->groups)] : d.total, limit = rdoq_below(2) ? met : nextafter(met, 0.0);
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
    for (unsigned turn = 0; turn < (rdoq_subset ? 2 : 200); turn++) {
        rdoq_rng.s = t1_seed() + 200 + turn;
        rdoq_draw_picture();
        memset(&rdoq_given.survey, 0, sizeof rdoq_given.survey);
        draw_aim();
        rdoq_job.aim.budget = rdoq_below(6) ? 500 + rdoq_below(60000) : 1e18;
        rdoq_job.aim.cap = rdoq_job.aim.groups > 1 ? 200 + rdoq_below(20000) : 1e18;
        open_survey();
        coarse = turn % 4 == 3 ? 1023 : 0;
        draw_weights();
        phases_run = 1 + rdoq_below(WVL_SURVEY_PHASES);
        if (turn % 2) {
            draw_border();
            phases_run = 1;
        }
        for (unsigned p = 0; p < phases_run; p++) {
            follow_phase(p);
        }
        rdoq_check_devices(run_slopes, check_slopes);
        met += known.slopes[0] > known.floors[0];
        full += known.slopes[0] != known.slopes[rdoq_job.aim.groups - 1];
    }
    REQUIRE_THAT(rdoq_subset || (met > 10 && full > 5), "%llu above the floor, %llu apart", (unsigned long long)met,
                 (unsigned long long)full);
}

TEST_MAIN("cuda_rdoq")
