/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HT blocks of later rounds: a warp codes the sets of a block that are not there, one after the other, and finds its
 * hull. They are few, and mostly none: one launch costs less than a launch for each class and step. The HT coder's own
 * parts do the work (cuda/blocks/ht_any.cu, ht_refine.cu, ht_finish.cu), which this unit has before.
 */
#include "cuda/rate/again.cuh"
#include "cuda/rate/bodies.cuh"

namespace wvl_rate
{

/* A set of the warp's block. */
__device__ __forceinline__ void code_set(const job_type &job, uint32_t block, uint32_t plane, const uint32_t *tables,
                                         uint32_t *words)
{
    const wvl_cuda_ht_job &ht = job.sets.ht;
    uint32_t id = block * job.sets.pitch + plane;
    if (!wvl_ht::lane_id()) {
        (void)open_set(job, block, plane);
    }
    __syncwarp();
    if (wvl_ht::block_of(ht, id).coef_bytes == 2) {
        wvl_ht::code_block<uint16_t>(ht, tables, words, id);
    } else {
        wvl_ht::code_block<uint32_t>(ht, tables, words, id);
    }
    __syncwarp();
    if (ht.refines) {
        wvl_ht::refine_block(ht, words, id);
        __syncwarp();
    }
    if (!wvl_ht::lane_id()) {
        (void)wvl_ht::finish_block(ht, id);
    }
}

__device__ __forceinline__ void repeat_sets(const job_type &job, uint32_t block, const uint32_t *tables,
                                            uint32_t *words)
{
    set_range range = {0, 0, 0};
    if (!wvl_ht::lane_id()) {
        range = take_sets(state_of(job, block));
    }
    uint32_t planes = __shfl_sync(~0u, range.planes, 0), end = __shfl_sync(~0u, range.end, 0);
    for (uint32_t set = __shfl_sync(~0u, range.first, 0); set < end; set++) {
        code_set(job, block, planes - 1 - set, tables, words);
    }
    if (!wvl_ht::lane_id()) {
        find_set_hull(job, block);
    }
    __syncwarp();
}

/* Lanes have blocks far from each other, since those of a round lie side by side. */
__device__ __forceinline__ void repeat_warp(const job_type &job, uint32_t *shared)
{
    uint32_t rank = wvl_ht::lane_id() * gridDim.x + blockIdx.x;
    bool is_there = rank < job.packets.block_count;
    wvl_assembly_place place = ranked(job, is_there ? rank : 0);
    uint32_t which = __ballot_sync(~0u, is_there && state_of(job, place.block).flags & WVL_CUDA_T1_AGAIN);
    if (which) {
        wvl_ht::stage_tables(shared);
    }
    for (; which; which &= which - 1) {
        uint32_t block = __shfl_sync(~0u, place.block, __ffs(which) - 1);
        repeat_sets(job, block, shared, shared + WVL_CUDA_HT_TABLE_WORDS);
    }
    if (is_there && asks_bodies(job)) {
        add_bodies(job, place);
    }
}

} // namespace wvl_rate

/* A warp a thread block, which has a place of a block in packets for each lane. */
extern "C" __global__ void __launch_bounds__(32) wvl_rate_repeat_sets(const wvl_cuda_rate_job job)
{
    WVL_HT_SHARED(shared);
    if (wvl_rate::is_asked(job) && wvl_rate::repeated_of(job)) {
        wvl_rate::repeat_warp(job, shared);
    }
}
