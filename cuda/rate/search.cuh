/* SPDX-License-Identifier: BSD-2-Clause */
/* The threshold that meets the budget, as codec/rate/search.c finds it. All threads have the same results. */
#pragma once
#include "codec/core/bracket.h"
#include "cuda/rate/measure.cuh"

namespace wvl_rate
{

/* The layer in work. All members are the same for all threads. */
struct layer_state {
    uint32_t threshold; /* least of all groups */
    layer_cost cost;
    uint32_t lowest; /* threshold that was looked at */
    bool is_filled;  /* the last bytes are tried, or going to be */
};

/* ---- Groups ---------------------------------------------------------------------------------- */

/* Floors of all groups. All threads. */
__device__ __forceinline__ void open_groups(const job_type &job, uint32_t floor, uint32_t is_open)
{
    for (uint32_t g = threadIdx.x; g < job.group_count; g += blockDim.x) {
        group_of(job, g) = {0, 0.0, 0, floor, 0, is_open};
    }
    __syncthreads();
}

/* All threads. */
__device__ __forceinline__ void set_thresholds(const job_type &job, uint32_t threshold)
{
    for (uint32_t g = threadIdx.x; g < job.group_count; g += blockDim.x) {
        group_of(job, g).threshold = max(group_of(job, g).floor, threshold);
    }
    __syncthreads();
}

/* ---- Bytes on the hulls ---------------------------------------------------------------------- */

/* Sums from the steep end; then bodies[t] are the bytes on the hulls at threshold t. A run of thresholds a thread. */
__device__ __forceinline__ void sum_group(uint64_t *bodies, uint32_t *sums)
{
    uint64_t own = 0, all;
    uint32_t each = (WVL_SLOPES + blockDim.x - 1) / blockDim.x, first = threadIdx.x * each,
             end = min(first + each, WVL_SLOPES);
    for (uint32_t i = first; i < end; i++) { /* thread 0 has the steepest */
        own += bodies[WVL_SLOPES - 1 - i];
    }
    uint64_t sum = wvl_packets::scan_block(own, sums, &all) - own;
    for (uint32_t i = first; i < end; i++) {
        sum += bodies[WVL_SLOPES - 1 - i];
        bodies[WVL_SLOPES - 1 - i] = sum;
    }
    __syncthreads();
}

__device__ __forceinline__ void sum_bodies(const job_type &job, uint32_t *sums)
{
    for (uint32_t g = 0; g < job.followed; g++) {
        sum_group((uint64_t *)job.bodies + (uint64_t)g * WVL_SLOPES, sums);
    }
}

__device__ __forceinline__ double bodies_of(const job_type &job, uint32_t group, uint32_t threshold)
{
    return (double)((const uint64_t *)job.bodies)[(uint64_t)group * WVL_SLOPES + threshold];
}

/* Of all groups, at the threshold or their floors. */
__device__ __forceinline__ double bodies_at(const job_type &job, uint32_t threshold)
{
    double bytes = 0.0;
    for (uint32_t g = 0; g < job.followed; g++) {
        bytes += bodies_of(job, g, job.followed > 1 ? max(group_of(job, g).floor, threshold) : threshold);
    }
    return bytes;
}

/* Least threshold whose bodies, with a fixed rest, are estimated to keep the budget. */
__device__ __forceinline__ uint32_t guess(const job_type &job, double rest)
{
    uint32_t low = 0, high = WVL_SLOPE_NOTHING;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (wvl_bracket_expects(bodies_at(job, middle), rest, job.budget)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* ---- Threshold ------------------------------------------------------------------------------- */

__device__ __forceinline__ layer_cost measure_at(const job_type &job, uint32_t threshold, uint32_t *shared)
{
    set_thresholds(job, threshold);
    cut_blocks(job);
    return measure_packets(job, shared);
}

/* Returns whether there is a threshold that fits; the layer is cut at it. */
__device__ __forceinline__ bool search(const job_type &job, layer_state &layer, uint32_t *shared)
{
    wvl_bracket b;
    uint32_t t = 0;
    wvl_bracket_open(&b, job.least, job.overhead_bytes, 0, job.budget);
    while (wvl_bracket_is_open(&b)) {
        uint32_t guessed = wvl_bracket_wants_guess(&b) ? guess(job, b.rest) : WVL_SLOPE_NOTHING;
        t = wvl_bracket_propose(&b, guessed);
        layer.lowest =
            min(layer.lowest, min(t, max(guessed ? guessed - 1 : 0, job.least))); /* a guess looks one below */
        layer_cost cost = measure_at(job, t, shared);
        uint64_t bytes = codestream_bytes(job, cost);
        layer.cost = bytes <= job.budget ? cost : layer.cost;
        wvl_bracket_learn(&b, t, bytes <= job.budget, bytes, bodies_at(job, t));
    }
    layer.threshold = b.good;
    if (b.good > WVL_SLOPE_NOTHING) {
        return false;
    }
    if (t != b.good) {
        layer.cost = measure_at(job, b.good, shared);
    }
    return true;
}

} // namespace wvl_rate
