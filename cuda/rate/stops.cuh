/* SPDX-License-Identifier: BSD-2-Clause */
/* How low rate control is going to look, from the bytes on the hulls: where blocks may stop. */
#pragma once
#include "cuda/rate/search.cuh"

namespace wvl_rate
{

/* Thresholds that blocks stop below the one that bytes on the hulls lead to, and below a given one. */
struct stop_margins {
    int32_t found, given;
};

/* The least threshold of a group whose estimated bodies keep the cap; headers take the share that a search begins
 * with. */
__device__ __forceinline__ uint32_t foresee_floor(const job_type &job, uint32_t g)
{
    double room = (double)job.component_cap - (double)((const uint64_t *)job.group_overhead)[g] -
                  (double)job.component_cap / 32.0;
    uint32_t low = 0, high = WVL_SLOPE_NOTHING;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (bodies_of(job, g, middle) <= room) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* A margin below the threshold of the last layer: targets improve from layer to layer, so it looks lowest. All threads.
 */
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

/* All threads. */
__device__ __forceinline__ void foresee_floors(const job_type &job)
{
    for (uint32_t g = threadIdx.x; g < job.group_count; g += blockDim.x) {
        group_of(job, g).floor = foresee_floor(job, g);
    }
    __syncthreads();
}

/* Each group stops a margin below its threshold. With caps, the search of a layer first looks at one threshold for all
 * groups; then groups that break their cap get floors, and it looks again. Sums of the bytes on the hulls are there.
 * All threads. */
__device__ __forceinline__ void find_stops(const job_type &job, const stop_margins &margins, uint32_t *shared)
{
    int32_t first = 0, lowest = 0;
    clear_groups(job);
    open_groups(job, 0, 0);
    for (uint32_t i = 0; i < (job.component_cap ? 2u : 1u); i++) {
        if (i) {
            foresee_floors(job);
        }
        lowest = foresee_threshold(job, margins, shared);
        first = i ? first : lowest;
    }
    for (uint32_t g = threadIdx.x; g < job.group_count; g += blockDim.x) {
        wvl_cuda_rate_group &group = group_of(job, g);
        int32_t stop = min(first, max(lowest, (int32_t)group.floor - margins.found)) + job.depth_bias;
        group.lowest = (uint32_t)min(max(stop, 0), (int32_t)WVL_SLOPE_NOTHING);
    }
    __syncthreads();
}

} // namespace wvl_rate
