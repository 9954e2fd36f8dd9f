/* SPDX-License-Identifier: BSD-2-Clause */
/* Which blocks are coded again: those whose passes do not suffice for what rate control looked at. */
#pragma once
#include "cuda/rate/fill.cuh"

namespace wvl_rate
{

__device__ __forceinline__ uint32_t all_passes(const job_type &job, uint32_t block)
{
    const wvl_cuda_t1_record r = ((const wvl_cuda_t1_record *)job.t1.records)[block];
    return wvl_cuda_t1_all_passes(r.planes, ((const wvl_cuda_t1_block *)job.t1.blocks)[block].max_passes);
}

__device__ __forceinline__ bool is_complete(const job_type &job, uint32_t block)
{
    const wvl_cuda_t1_record r = ((const wvl_cuda_t1_record *)job.t1.records)[block];
    return r.passes >= all_passes(job, block) || (r.flags & WVL_CUDA_T1_LEFT);
}

/*
 * Says whether the passes of a block suffice: decisions are then those that all its passes lead to. Its hull is settled
 * for thresholds above `unsettled`, whatever follows (codec/core/hull.h). The last bytes look `reach` below the
 * threshold of its group. If that is below all slopes, they look at some passes behind the cut.
 */
__device__ __forceinline__ bool is_decided(const job_type &job, const wvl_assembly_place &place,
                                           const layer_state &layer)
{
    uint32_t block = place.block;
    if (is_complete(job, block)) {
        return true;
    }
    const wvl_cuda_rate_group &group = group_of(job, group_index(job, place.packet));
    uint32_t passes = ((const wvl_cuda_t1_record *)job.t1.records)[block].passes,
             unsettled = ((const wvl_cuda_t1_gains *)job.t1.gains)[block].unsettled, lowest = group.lowest;
    if (layer.is_filled && group.threshold > job.reach) {
        lowest = min(lowest, group.threshold - job.reach);
    } else if (layer.is_filled && passes < cut_of(job, block).passes + WVL_CUDA_RATE_CANDIDATES) {
        return false;
    }
    return lowest > unsettled;
}

/* Says whether the block goes into the round to come. The last round takes all that is not complete: nothing can be
 * undecided after it. */
__device__ __forceinline__ bool is_repeated(const job_type &job, const wvl_assembly_place &place,
                                            const layer_state &layer)
{
    return job.t1.round + 2 == WVL_CUDA_RATE_ROUNDS ? !is_complete(job, place.block) : !is_decided(job, place, layer);
}

/* The block is coded in the round to come, or not: a plane deeper at first, then in full. */
__device__ __forceinline__ void mark_block(const job_type &job, uint32_t block, bool is_again)
{
    wvl_cuda_t1_state &state = ((wvl_cuda_t1_state *)job.t1.states)[block];
    state.flags = (uint8_t)((state.flags & WVL_CUDA_T1_LEFT) | (is_again ? WVL_CUDA_T1_AGAIN : 0));
    if (is_again) {
        uint32_t all = all_passes(job, block);
        state.passes = (uint8_t)(job.t1.round ? all : min(all, state.passes + 3u));
    }
}

__device__ __forceinline__ uint32_t &repeated_of(const job_type &job)
{
    return ((uint32_t *)job.t1.counters)[WVL_CUDA_T1_REPEATED];
}

/* Marks the blocks of the round to come, if rate control looked at what is not decided. Returns whether it did; all
 * threads. */
__device__ __forceinline__ bool repeat_blocks(const job_type &job, const layer_state &layer, uint32_t *shared)
{
    uint32_t *sums = shared + WVL_CUDA_RATE_HEAD;
    uint64_t undecided = 0, repeated = 0, all;
    if (!job.t1.foresees) {
        return false;
    }
    for (uint32_t i = crew_rank(); i < job.packets.block_count; i += crew_size()) {
        undecided += !is_decided(job, ranked(job, i), layer);
    }
    (void)scan_crew(undecided, sums, &all);
    bool is_any = all != 0;
    for (uint32_t i = crew_rank(); i < job.packets.block_count; i += crew_size()) {
        const wvl_assembly_place place = ranked(job, i);
        bool is_again = is_any && is_repeated(job, place, layer);
        mark_block(job, place.block, is_again);
        repeated += is_again;
    }
    (void)scan_crew(repeated, sums, &all);
    if (!crew_rank()) {
        repeated_of(job) = (uint32_t)all;
    }
    return is_any;
}

} // namespace wvl_rate
