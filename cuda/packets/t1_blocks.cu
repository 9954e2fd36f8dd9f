/* SPDX-License-Identifier: BSD-2-Clause */
/* EBCOT blocks that send all their passes. A thread a block. */
#include "cuda/packets/t1_source.cuh"

namespace wvl_packets
{

struct listed_ends {
    const uint32_t *ends;
    __device__ __forceinline__ uint32_t at(uint32_t pass) const { return ends[pass]; }
};

/* The segments take the place of the list of ends. */
__device__ __forceinline__ wvl_cuda_packets_block send_t1_block(const job_type &job, uint64_t at)
{
    const wvl_cuda_t1_block &b = ((const wvl_cuda_t1_block *)job.t1_blocks)[at];
    const wvl_cuda_t1_record r = ((const wvl_cuda_t1_record *)job.t1_records)[at];
    if (r.flags & WVL_CUDA_T1_LEFT || !r.passes) {
        return send_nothing(b, r);
    }
    uint32_t *ends = (uint32_t *)(job.t1_scratch + (uint64_t)r.ends * 16);
    uint32_t count = list_t1_segments(b.style, {0, 0}, r.passes, r.bytes, listed_ends{ends}, ends);
    return send_passes(b, r, job.t1_scratch, r.passes, r.bytes, ends, count);
}

} // namespace wvl_packets

extern "C" __global__ void __launch_bounds__(WVL_CUDA_PACKETS_PIECE_THREADS)
    wvl_packets_t1_blocks(const wvl_cuda_packets_job job)
{
    uint64_t at = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at < (uint64_t)job.block_count * job.picture_count) {
        ((wvl_cuda_packets_block *)job.blocks)[at] = wvl_packets::send_t1_block(job, at);
    }
}
