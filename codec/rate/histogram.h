/* SPDX-License-Identifier: BSD-2-Clause */
/* What lies on the hulls of all blocks, by slope, summed from the steep end. */
#pragma once

#include "codec/rate/layers.h"

/* Says whether gains are counted, too: only quality targets ask for them. */
int wvl_histogram_has_gains(const wvl_plan *plan);
/* Bytes, gains and energy of all blocks. */
void wvl_histogram_build(wvl_layer_job *job, wvl_slope_sums *sums);
/* The energy alone, added to what is there. */
void wvl_histogram_add_energy(const wvl_layer_job *job, double *energy);

/* Bytes on hulls with at least this slope. The sums stand where slopes occur, and at 0. */
static inline uint64_t wvl_histogram_bodies(const wvl_layer_job *job, uint32_t group, uint32_t threshold)
{
    const uint64_t *sums = job->body_histogram + (uint64_t)group * WVL_SLOPES;
    if (threshold > job->slope_most) {
        return 0;
    }
    return sums[threshold ? wvl_max_u32(threshold, job->slope_least) : 0];
}
