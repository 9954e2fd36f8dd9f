/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Caps of components: groups that break their cap get a floor, the least threshold that keeps it; the others go on to
 * their own slope (codec/rate/layers.c). A thread a group; all threads have the same results.
 */
#pragma once
#include "cuda/rate/search.cuh"

namespace wvl_rate
{

__device__ __forceinline__ bool breaks_cap(const job_type &job, const layer_state &layer, uint32_t *shared)
{
    bool own = false;
    for (uint32_t g = crew_rank(); g < job.group_count; g += crew_size()) {
        own |= !group_fits(job, layer, g, group_of(job, g).bytes);
    }
    return count_crew(own, shared + WVL_CUDA_RATE_VARIABLES) != 0;
}

/* Learns what the bytes of a group are beside its bodies at the threshold measured last. */
__device__ __forceinline__ void learn_rest(const job_type &job, const layer_state &layer, uint32_t g)
{
    wvl_cuda_rate_group &group = group_of(job, g);
    uint64_t bytes = group.bytes + bytes_beside(job, layer, g);
    group.rest = (double)bytes - bodies_of(job, g, group.threshold);
}

/* Least threshold between those known at which the bodies and the rest are estimated to keep the cap. */
__device__ __forceinline__ uint32_t guess_floor(const job_type &job, uint32_t g)
{
    const wvl_cuda_rate_group group = group_of(job, g);
    double room = (double)job.component_cap - group.rest;
    uint32_t low = group.bad, high = group.floor;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (bodies_of(job, g, middle) <= room) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* Groups that break their cap at the present thresholds: each has a floor somewhere above. Returns whether there are
 * any. All threads. */
__device__ __forceinline__ bool open_floors(const job_type &job, const layer_state &layer, uint32_t *shared)
{
    bool own = false;
    for (uint32_t g = crew_rank(); g < job.group_count; g += crew_size()) {
        wvl_cuda_rate_group &group = group_of(job, g);
        group.is_open = group.threshold < WVL_SLOPE_NOTHING && !group_fits(job, layer, g, group.bytes);
        if (group.is_open) {
            own = true;
            group.bad = group.threshold + 1;
            group.floor = WVL_SLOPE_NOTHING;
            learn_rest(job, layer, g);
        }
    }
    return count_crew(own, shared + WVL_CUDA_RATE_VARIABLES) != 0;
}

#define FLOOR_GUESSES 5u /* then bisection */

__device__ __forceinline__ void propose_floor(const job_type &job, uint32_t g, uint32_t step)
{
    wvl_cuda_rate_group &group = group_of(job, g);
    bool guesses = job.followed > 1 && step < FLOOR_GUESSES;
    uint32_t t = guesses ? guess_floor(job, g) : group.bad + (group.floor - group.bad) / 2;
    group.threshold = min(t, group.floor - (group.floor > group.bad));
    group.lowest = min(group.lowest, min(group.threshold, max(t, 1u) - 1)); /* a guess looks one below */
}

/* Learns from what was measured. Returns whether the floor is still searched. */
__device__ __forceinline__ bool learn_floor(const job_type &job, const layer_state &layer, uint32_t g)
{
    wvl_cuda_rate_group &group = group_of(job, g);
    if (group_fits(job, layer, g, group.bytes)) {
        group.floor = group.threshold;
    } else {
        group.bad = group.threshold + 1;
    }
    if (job.followed > 1) {
        learn_rest(job, layer, g);
    }
    group.is_open = group.bad < group.floor;
    return group.is_open;
}

/* One measurement with a proposal for every open group. Returns whether any is still open. All threads. */
__device__ __forceinline__ bool narrow_floors(const job_type &job, const layer_state &layer, uint32_t step,
                                              uint32_t *shared)
{
    bool own = false;
    for (uint32_t g = crew_rank(); g < job.group_count; g += crew_size()) {
        if (group_of(job, g).is_open) {
            propose_floor(job, g, step);
        }
    }
    meet_crew();
    cut_blocks(job, layer);
    (void)measure_packets(job, layer, shared);
    for (uint32_t g = crew_rank(); g < job.group_count; g += crew_size()) {
        if (group_of(job, g).is_open) {
            own |= learn_floor(job, layer, g);
        }
    }
    return count_crew(own, shared + WVL_CUDA_RATE_VARIABLES) != 0;
}

/* Does what search() does, with floors that keep every group within its cap, if there are caps. Where groups are many,
 * or one alone, all floors come first. */
__device__ __forceinline__ bool search_capped(const job_type &job, layer_state &layer, uint32_t *shared)
{
    bool floors_first = job.component_cap && job.followed == 1, narrows = floors_first;
    if (floors_first) {
        open_groups(job, WVL_SLOPE_NOTHING, 1);
    }
    for (;;) {
        for (uint32_t step = 0; narrows; step++) {
            narrows = narrow_floors(job, layer, step, shared);
        }
        if (!search(job, layer, shared)) {
            return false;
        }
        if (!job.component_cap || floors_first || !open_floors(job, layer, shared)) {
            return true;
        }
        narrows = true; /* every round gives at least one more group its floor */
    }
}

} // namespace wvl_rate
