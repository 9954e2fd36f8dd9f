/* SPDX-License-Identifier: BSD-2-Clause */
/* EBCOT blocks as packets see them: all passes of each, segment by segment. A thread a block. */
#include "codec/core/t1_pass.h"
#include "cuda/blocks/t1_job.h"
#include "cuda/packets/source.cuh"

namespace wvl_packets
{

/* The segments of a block (B.10.7). They take the place of the list of its passes' ends: a segment ends with a pass
 * that is not before it in the list. Returns how many there are. */
__device__ __forceinline__ uint32_t list_t1_segments(uint32_t style, const wvl_cuda_t1_record &r, uint32_t *ends)
{
    uint32_t count = 0, first = 0, bytes = 0;
    for (uint32_t pass = 0; pass < r.passes; pass++) {
        bool is_last = pass + 1 == r.passes;
        if (is_last || wvl_t1_pass_is_end(pass, style)) {
            uint32_t end = is_last ? r.bytes : ends[pass];
            ends[count++] = (pass + 1 - first) << 24 | (end - bytes);
            first = pass + 1;
            bytes = end;
        }
    }
    return count;
}

__device__ __forceinline__ wvl_cuda_packets_block send_t1_block(const job_type &job, uint64_t at)
{
    const wvl_cuda_t1_block &b = ((const wvl_cuda_t1_block *)job.t1_blocks)[at];
    const wvl_cuda_t1_record r = ((const wvl_cuda_t1_record *)job.t1_records)[at];
    wvl_cuda_packets_block sent = {};
    sent.zero_planes = b.planes;
    if (r.flags & WVL_CUDA_T1_LEFT) {
        sent.flags = WVL_CUDA_PACKETS_LEFT;
    } else if (r.passes) {
        uint32_t *ends = (uint32_t *)(job.t1_scratch + (uint64_t)r.ends * 16);
        uint32_t count = list_t1_segments(b.style, r, ends);
        sent.bytes = job.t1_scratch + (uint64_t)r.codeword * 16 + 1;
        sent.more = (uint64_t)(uintptr_t)(ends + 2);
        sent.segment[0] = ends[0];
        sent.segment[1] = count > 1 ? ends[1] : 0;
        sent.byte_count = r.bytes;
        sent.segment_count = (uint8_t)count;
        sent.passes = r.passes;
        sent.zero_planes = (uint8_t)(b.planes - r.planes);
    }
    return sent;
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
