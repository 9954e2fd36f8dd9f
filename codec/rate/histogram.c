/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/rate/histogram.h"

#include "codec/core/hull.h"
#include "codec/rate/sweep.h"

int wvl_histogram_has_gains(const wvl_plan *plan)
{
    int has = 0;
    for (uint32_t i = 0; i < plan->syntax.layer_count; i++) {
        has |= plan->rate.layers[i].kind == WVL_RATE_PSNR;
    }
    return has;
}

/* ---- Bytes: integers, so the order of additions does not matter --------------------------- */

static void add_bytes(uint64_t *sum, uint32_t bytes, int is_alone)
{
    if (is_alone) {
        *sum += bytes;
    } else {
        (void)__atomic_fetch_add(sum, bytes, __ATOMIC_RELAXED);
    }
}

static void add_bodies(const wvl_layer_job *job, const wvl_coded_block *block, uint64_t *bodies, int is_alone)
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
    const wvl_slope_sums *sums = user;
    const wvl_precinct *precinct = &tile->precincts[p];
    uint64_t *bodies =
        sums->bodies + (uint64_t)wvl_plan_rate_group(job->plan, precinct->component, precinct->resolution) * WVL_SLOPES;
    (void)worker;
    for (unsigned i = 0; i < precinct->band_count; i++) {
        const wvl_precinct_band *pb = &precinct->band[i];
        for (uint64_t k = 0; k < wvl_precinct_blocks(pb); k++) {
            const wvl_coded_block *block = &tile->blocks[wvl_precinct_block(pb, k)];
            if (block->pass_count) {
                add_bodies(job, block, bodies, job->workers == 1);
            }
            if (wvl_look_listed(job->look, k)) {
                return;
            }
        }
    }
}

/* ---- Gains: doubles, added in a fixed order -------------------------------------------------- */

static void add_precinct(const wvl_layer_job *job, const wvl_coded_tile *tile, const wvl_precinct *precinct,
                         wvl_slope_sums *sums)
{
    for (unsigned i = 0; i < precinct->band_count; i++) {
        const wvl_precinct_band *pb = &precinct->band[i];
        const wvl_band_coding *band = &job->plan->syntax.codings[precinct->coding].band[pb->coding_band];
        for (uint64_t k = 0; k < wvl_precinct_blocks(pb); k++) {
            const wvl_coded_block *block = &tile->blocks[wvl_precinct_block(pb, k)];
            /* also of what lies below the step */
            sums->energy +=
                (double)wvl_rate_weigh_energy(band, job->plan->rate.gain_exponent, block->energy, block->energy_shift);
            if (sums->gains && block->pass_count) {
                const int64_t *gains = wvl_block_gains(job->passes, block);
                const uint16_t *slopes = wvl_block_slopes(job->passes, block);
                int64_t gain = 0;
                for (uint32_t p = 0; p < block->pass_count; p++) {
                    if (slopes[p]) {
                        sums->gains[slopes[p]] += (double)(gains[p] - gain);
                        gain = gains[p];
                    }
                }
                sums->gains[0] += (double)(gains[block->pass_count - 1] - gain);
            }
            if (wvl_look_listed(job->look, k)) {
                return;
            }
        }
    }
}

static void build_gains(const wvl_layer_job *job, wvl_slope_sums *sums)
{
    const wvl_portion *portion = &job->portion;
    if (sums->gains) {
        memset(sums->gains, 0, WVL_SLOPES * sizeof *sums->gains);
    }
    for (uint32_t t = portion->first; t < portion->end && !wvl_look_is_over(job->look); t++) {
        const wvl_coded_tile *tile = &job->tiles[t];
        for (uint64_t i = 0, n = wvl_portion_count(portion, tile);
             i < n && !wvl_look_after(job->look, WVL_LOOK_GAINS, 1); i++) {
            add_precinct(job, tile, &tile->precincts[wvl_portion_at(portion, i)], sums);
        }
    }
    for (uint32_t s = WVL_SLOPES - 1; sums->gains && s-- > 0;) {
        sums->gains[s] += sums->gains[s + 1];
    }
}

void wvl_histogram_add_energy(const wvl_layer_job *job, double *energy)
{
    wvl_slope_sums sums = {.energy = *energy};
    if (job->plan->rate.rate_control) {
        build_gains(job, &sums);
    }
    *energy = sums.energy;
}

void wvl_histogram_build(wvl_layer_job *job, wvl_slope_sums *sums)
{
    for (uint32_t g = 0; g < wvl_plan_rate_groups(job->plan); g++) {
        uint64_t *bodies = sums->bodies + (uint64_t)g * WVL_SLOPES;
        bodies[0] = 0;
        for (uint32_t s = sums->slope_least; s <= sums->slope_most; s++) {
            bodies[s] = 0;
        }
    }
    sums->energy = 0.0;
    if (job->plan->rate.rate_control) {
        wvl_sweep_precincts(job, visit_bodies, sums);
        for (uint32_t g = 0; g < wvl_plan_rate_groups(job->plan); g++) {
            uint64_t *bodies = sums->bodies + (uint64_t)g * WVL_SLOPES, sum = 0;
            for (uint32_t s = sums->slope_most + 1; s-- > sums->slope_least;) {
                sum += bodies[s];
                bodies[s] = sum;
            }
            bodies[0] += sum;
        }
        build_gains(job, sums);
    }
}
