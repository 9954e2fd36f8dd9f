/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks that are coded a second time: whether all are, and what of them counts. */
#include "cuda/rdoq/blocks.cuh"

namespace wvl_rdoq
{

/* ---- Far off --------------------------------------------------------------------------------- */

/* Counts a block as codec/write/recode.c does. */
__device__ __forceinline__ void judge_block(const job_type &job, uint32_t id)
{
    const wvl_cuda_rdoq_change &change = item<const wvl_cuda_rdoq_change>(job.changes, id);
    wvl_cuda_rdoq_survey &survey = *(wvl_cuda_rdoq_survey *)job.survey;
    uint32_t should = end_of(job, id);
    if (!should && change.is_changed) {
        atomicOr(&survey.last, 1u);
    }
    if (wvl_rdoq_is_far(change.end_slope, should, change.is_changed)) {
        atomicAdd(&survey.off, 1u);
    }
}

/* If all blocks are coded again, all scratch memory is free for it. One thread. */
__device__ __forceinline__ void decide(const job_type &job)
{
    wvl_cuda_rdoq_survey &survey = *(wvl_cuda_rdoq_survey *)job.survey;
    survey.is_far_off = !has_left(job) && (survey.last || 2 * (uint64_t)survey.off > job.count);
    if (survey.is_far_off) {
        *wvl_t1::counter_of(job.again, WVL_CUDA_T1_SCRATCH_UNITS) = 0;
    }
}

/* ---- What counts ----------------------------------------------------------------------------- */

template <typename T> __device__ __forceinline__ void take_item(uint64_t to, uint64_t from, uint32_t id)
{
    item<T>(to, id) = item<const T>(from, id);
}

/* A warp a block: what the second coding found takes the place of what the first one did. */
__device__ __forceinline__ void take_block(const job_type &job, uint32_t id)
{
    const wvl_cuda_t1_job &to = job.t1, &from = job.again;
    size_t first = (size_t)id * WVL_CUDA_T1_MOST_PASSES;
    const uint4 *passes = (const uint4 *)((const wvl_cuda_t1_pass *)from.passes + first);
    uint4 *taken = (uint4 *)((wvl_cuda_t1_pass *)to.passes + first);
    for (uint32_t i = lane_id(); i < wvl_t1::state_of(from, id).passes; i += 32) {
        taken[i] = passes[i];
    }
    if (!lane_id()) {
        take_item<wvl_cuda_t1_block>(to.blocks, from.blocks, id);
        take_item<wvl_cuda_t1_state>(to.states, from.states, id);
        take_item<wvl_cuda_t1_record>(to.records, from.records, id);
        take_item<wvl_cuda_t1_gains>(to.gains, from.gains, id);
    }
}

} // namespace wvl_rdoq

/* Behind rate control. A thread a block; the last thread block decides. */
extern "C" __global__ void __launch_bounds__(WVL_CUDA_RDOQ_ITEM_THREADS) wvl_rdoq_judge(const wvl_cuda_rdoq_job job)
{
    WVL_HT_SHARED(shared);
    uint32_t at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < job.count) {
        wvl_rdoq::judge_block(job, wvl_rdoq::block_at(job, at));
    }
    if (wvl_rdoq::is_last(job, shared) && !threadIdx.x) {
        wvl_rdoq::decide(job);
    }
}

/* Behind the hulls of a second coding. A warp a block. */
extern "C" __global__ void __launch_bounds__(WVL_CUDA_RDOQ_THREADS) wvl_rdoq_take(const wvl_cuda_rdoq_job job)
{
    uint32_t id;
    if (!wvl_rdoq::is_void(job) && wvl_rdoq::find_block(job, &id) &&
        wvl_rdoq::item<const wvl_cuda_rdoq_change>(job.changes, id).is_again) {
        wvl_rdoq::take_block(job, id);
    }
}
