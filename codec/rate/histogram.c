/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/rate/histogram.h"

#include <string.h>

#include "codec/rate/hull.h"
#include "codec/rate/sweep.h"

int wvl_histogram_has_gains(const wvl_plan *plan)
{
    int has = 0;
    for (uint32_t i = 0; i < plan->layer_count; i++) {
        has |= plan->layers[i].kind == WVL_RATE_PSNR;
    }
    return has;
}

static uint64_t block_index(const wvl_precinct_band *pb, uint64_t k) { return pb->first_block + k / pb->cols * pb->stride + k % pb->cols; }

/* ---- Bytes: integers, so nobody can tell in which order they were added ----------------------------------------------------------- */

static uint64_t sum_at(const _Atomic uint64_t *sum) { return atomic_load_explicit(sum, memory_order_relaxed); }

static void set_sum(_Atomic uint64_t *sum, uint64_t bytes) { atomic_store_explicit(sum, bytes, memory_order_relaxed); }

static void add_bytes(_Atomic uint64_t *sum, uint32_t bytes, int is_alone)
{
    if (is_alone) {
        set_sum(sum, sum_at(sum) + bytes);
    } else {
        atomic_fetch_add_explicit(sum, bytes, memory_order_relaxed);
    }
}

static void add_bodies(const wvl_layer_job *job, const wvl_coded_block *block, _Atomic uint64_t *bodies, int is_alone)
{
    const wvl_pass *passes = wvl_block_passes(job->passes, block);
    const uint16_t *slopes = wvl_block_slopes(job->passes, block);
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < block->pass_count; i++) {
        if (slopes[i]) {
            add_bytes(&bodies[slopes[i]], passes[i].final_bytes - bytes, is_alone);
            bytes = passes[i].final_bytes;
        }
    }
    uint32_t all = passes[block->pass_count - 1].final_bytes;
    add_bytes(&bodies[0], all > bytes ? all - bytes : 0, is_alone); /* sets of HT passes may shrink */
}

static void visit_bodies(wvl_layer_job *job, wvl_coded_tile *tile, uint64_t p, uint32_t worker, void *user)
{
    const wvl_precinct *precinct = &tile->precincts[p];
    _Atomic uint64_t *bodies = wvl_histogram_of_group(job, wvl_plan_rate_group(job->plan, precinct->component, precinct->resolution));
    (void)worker;
    (void)user;
    for (unsigned i = 0; i < precinct->band_count; i++) {
        const wvl_precinct_band *pb = &precinct->band[i];
        for (uint64_t k = 0; k < (uint64_t)pb->cols * pb->rows; k++) {
            const wvl_coded_block *block = &tile->blocks[block_index(pb, k)];
            if (block->pass_count) {
                add_bodies(job, block, bodies, job->workers == 1);
            }
        }
    }
}

static void clear_bodies(wvl_layer_job *job)
{
    for (uint32_t g = 0; g < wvl_plan_rate_groups(job->plan); g++) {
        _Atomic uint64_t *sums = wvl_histogram_of_group(job, g);
        set_sum(&sums[0], 0);
        for (uint32_t s = job->slope_least; s <= job->slope_most; s++) {
            set_sum(&sums[s], 0);
        }
    }
}

static void sum_bodies(wvl_layer_job *job)
{
    for (uint32_t g = 0; g < wvl_plan_rate_groups(job->plan); g++) {
        _Atomic uint64_t *sums = wvl_histogram_of_group(job, g);
        uint64_t sum = 0;
        for (uint32_t s = job->slope_most + 1; s-- > job->slope_least;) {
            sum += sum_at(&sums[s]);
            set_sum(&sums[s], sum);
        }
        set_sum(&sums[0], sum_at(&sums[0]) + sum);
    }
}

/* ---- Gains: doubles, added in a fixed order ----------------------------------------------------------------------------------------- */

static void add_gains(const wvl_layer_job *job, const wvl_coded_block *block)
{
    const int64_t *gains = wvl_block_gains(job->passes, block);
    const uint16_t *slopes = wvl_block_slopes(job->passes, block);
    int64_t gain = 0;
    for (uint32_t i = 0; i < block->pass_count; i++) {
        if (slopes[i]) {
            job->gain_histogram[slopes[i]] += (double)(gains[i] - gain);
            gain = gains[i];
        }
    }
    job->gain_histogram[0] += (double)(gains[block->pass_count - 1] - gain);
}

static void add_precinct(wvl_layer_job *job, const wvl_coded_tile *tile, const wvl_precinct *precinct)
{
    for (unsigned i = 0; i < precinct->band_count; i++) {
        const wvl_precinct_band *pb = &precinct->band[i];
        const wvl_band_coding *band = &job->plan->codings[precinct->coding].band[pb->coding_band];
        for (uint64_t k = 0; k < (uint64_t)pb->cols * pb->rows; k++) {
            const wvl_coded_block *block = &tile->blocks[block_index(pb, k)];
            /* also of what lies below the step */
            job->energy += (double)wvl_rate_weigh_energy(band, job->plan->gain_exponent, block->energy, block->energy_shift);
            if (job->gain_histogram && block->pass_count) {
                add_gains(job, block);
            }
        }
    }
}

static void build_gains(wvl_layer_job *job)
{
    if (job->gain_histogram) {
        memset(job->gain_histogram, 0, WVL_SLOPES * sizeof *job->gain_histogram);
    }
    job->energy = 0.0;
    for (uint32_t t = 0; t < job->plan->tile_count; t++) {
        for (uint64_t p = 0; p < job->tiles[t].precinct_count && !wvl_look_after(job->look, WVL_LOOK_GAINS, 1); p++) {
            add_precinct(job, &job->tiles[t], &job->tiles[t].precincts[p]);
        }
    }
    for (uint32_t s = WVL_SLOPES - 1; job->gain_histogram && s-- > 0;) {
        job->gain_histogram[s] += job->gain_histogram[s + 1];
    }
}

void wvl_histogram_build(wvl_layer_job *job)
{
    clear_bodies(job);
    if (job->plan->rate_control) {
        wvl_sweep_precincts(job, visit_bodies, NULL);
        sum_bodies(job);
        build_gains(job);
    }
}
