/* SPDX-License-Identifier: BSD-2-Clause */
/* What lies on the hulls of all blocks, by slope, summed from the steep end. */
#ifndef WVL_CODEC_RATE_HISTOGRAM_H
#define WVL_CODEC_RATE_HISTOGRAM_H

#include <stdatomic.h>

#include "codec/rate/layers.h"

/* Whether gains are counted, too: only quality targets ask for them. */
int wvl_histogram_has_gains(const wvl_plan *plan);
/* Bytes and gains of all blocks, and job->energy. */
void wvl_histogram_build(wvl_layer_job *job);

static inline _Atomic uint64_t *wvl_histogram_of_group(const wvl_layer_job *job, uint32_t group) { return job->body_histogram + (uint64_t)group * WVL_SLOPES; }

/* Bytes on hulls with at least this slope. The sums stand where slopes occur, and at 0. */
static inline uint64_t wvl_histogram_bodies(const wvl_layer_job *job, uint32_t group, uint32_t threshold)
{
    const _Atomic uint64_t *sums = wvl_histogram_of_group(job, group);
    if (threshold > job->slope_most) {
        return 0;
    }
    return atomic_load_explicit(&sums[threshold ? wvl_max_u32(threshold, job->slope_least) : 0], memory_order_relaxed);
}

#endif
