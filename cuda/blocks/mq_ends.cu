/* SPDX-License-Identifier: BSD-2-Clause */
/* Pass records of blocks without TERMALL, RESET, PTERM and BYPASS, from the registers at the ends of passes: a warp a
 * block, a lane a pass. */
#include "cuda/blocks/mq_kept.cuh"
#include "geom/handover_pass.h"

namespace wvl_mq
{

/* The largest of the lanes up to this one. */
__device__ __forceinline__ uint32_t scan_largest(uint32_t v)
{
    for (uint32_t d = 1; d < 32; d <<= 1) {
        uint32_t other = __shfl_up_sync(~0u, v, d);
        v = wvl_ht::lane_id() >= d ? max(v, other) : v;
    }
    return v;
}

__device__ __forceinline__ wvl_segment_end end_of(const wvl_cuda_t1_job &job, uint32_t id, uint32_t pass)
{
    const uint4 kept = item<uint4>(job.passes, (uint64_t)id * WVL_CUDA_T1_MOST_PASSES + pass);
    const uint8_t *bytes = (const uint8_t *)&item<uint4>(job.scratch, state_at(job, id).codeword);
    wvl_mq_registers regs = {kept.x & 0xFFFF, kept.y, kept.x >> 24, kept.x >> 16 & 0xFF};
    return wvl_mq_end_segment(bytes + 1, kept.z, &regs, 0, 0);
}

__device__ __forceinline__ void put_records(const wvl_cuda_t1_job &job, uint32_t id)
{
    const wvl_cuda_t1_record r = item<const wvl_cuda_t1_record>(job.records, id);
    uint32_t floor = 0, first = 0, passes = r.flags & WVL_CUDA_T1_LEFT ? 0 : r.passes;
    if (passes && goes_on(job)) { /* records of the passes before are there */
        first = kept_of(job, state_at(job, id)).first_pass;
        floor = first ? item<const wvl_cuda_t1_pass>(job.passes, (uint64_t)id * WVL_CUDA_T1_MOST_PASSES + first - 1)
                            .safe_bytes
                      : 0;
    }
    for (; first < passes; first += 32) {
        uint32_t pass = first + wvl_ht::lane_id();
        wvl_segment_end end = {0, 0, {0}, 0};
        if (pass < passes) {
            end = end_of(job, id, pass);
        }
        wvl_cuda_t1_pass p = {max(scan_largest(end.safe_bytes), floor), end.final_bytes, {0}, 0, 0};
        floor = __shfl_sync(~0u, p.safe_bytes, 31);
        if (pass + 1 == 3u * r.planes - 2) {
            p.flags = WVL_PASS_TERM;
            p.safe_bytes = p.final_bytes;
        } else {
            p.tail_count = end.tail_count;
            for (uint32_t i = 0; i < sizeof p.tail; i++) {
                p.tail[i] = end.tail[i];
            }
        }
        if (pass < passes) {
            store_pass(job, id, pass, p);
        }
    }
}

} // namespace wvl_mq

extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_ENDS_THREADS) wvl_t1_ends(const wvl_cuda_t1_job job)
{
    uint32_t at = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (at < job.block_count && wvl_mq::is_asked(job)) {
        uint32_t id = wvl_mq::listed(job, at);
        if (!job.round || (wvl_mq::state_at(job, id).flags & WVL_CUDA_T1_AGAIN)) {
            wvl_mq::put_records(job, id);
        }
    }
}
