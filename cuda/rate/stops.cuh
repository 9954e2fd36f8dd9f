/* SPDX-License-Identifier: BSD-2-Clause */
/* How low rate control is going to look, from the bytes on the hulls: where blocks may stop. Pictures of one layer. */
#pragma once
#include "cuda/rate/search.cuh"

namespace wvl_rate
{

/* Thresholds that blocks stop below the one that bytes on the hulls lead to, and below a given one. */
struct stop_margins {
    int32_t found, given;
};

/* A margin below the threshold. Sums of the bytes on the hulls are there. All threads. */
__device__ __forceinline__ int32_t foresee_threshold(const job_type &job, const stop_margins &margins, uint32_t *shared)
{
    int32_t given = (int32_t)job.least - margins.given;
    if (job.budget == WVL_NO_BUDGET) {
        return given;
    }
    wvl_bracket b;
    wvl_bracket_open(&b, job.least, job.overhead_bytes, 0, job.budget);
    return max(given, (int32_t)guess(job, job.budget, b.rest, shared) - margins.found);
}

/* The stop that slopes give. */
__device__ __forceinline__ uint32_t hold_stop(const job_type &job, int32_t stop)
{
    return (uint32_t)min(max(stop + job.depth_bias, 0), (int32_t)WVL_SLOPE_NOTHING);
}

} // namespace wvl_rate
