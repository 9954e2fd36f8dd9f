/* SPDX-License-Identifier: BSD-2-Clause */
/* What cuts cost, headers counted to the byte, by a thread block. All threads have the same results. */
#pragma once
#include "cuda/packets/heads.cuh"
#include "cuda/rate/cut.cuh"

namespace wvl_rate
{

struct layer_cost {
    uint64_t packet_bytes, plt_bytes;
};

__device__ __forceinline__ wvl_cuda_packets_length &length_of(const job_type &job, uint32_t packet)
{
    return wvl_packets::work_at<wvl_cuda_packets_length>(job.packets, 0, job.packets.work.lengths)[packet];
}

__device__ __forceinline__ uint32_t packet_bytes(const wvl_cuda_packets_length &length)
{
    return length.head_bytes + length.body_bytes;
}
__device__ __forceinline__ uint32_t plt_bytes(const job_type &job, const wvl_cuda_packets_length &length)
{
    return job.packets.has_plt ? wvl_packets::count_plt(packet_bytes(length)) : 0;
}

/* A packet, with the cuts as they stand. */
__device__ __forceinline__ void measure_packet(const job_type &job, uint32_t packet, uint32_t *shared)
{
    wvl_packets::code_head(job.packets, packet, 0, shared + WVL_CUDA_RATE_HEAD);
    __syncthreads();
}

__device__ __forceinline__ layer_cost measure_packets(const job_type &job, uint32_t *shared)
{
    uint32_t *sums = shared + WVL_CUDA_RATE_HEAD + WVL_CUDA_PACKETS_HEAD_SUMS;
    uint64_t packets = 0, plt = 0;
    layer_cost cost;
    for (uint32_t p = 0; p < job.packets.packet_count; p++) {
        measure_packet(job, p, shared);
    }
    for (uint32_t p = threadIdx.x; p < job.packets.packet_count; p += blockDim.x) {
        const wvl_cuda_packets_length length = length_of(job, p);
        packets += packet_bytes(length);
        plt += plt_bytes(job, length);
    }
    (void)wvl_packets::scan_block(packets, sums, &cost.packet_bytes);
    (void)wvl_packets::scan_block(plt, sums, &cost.plt_bytes);
    return cost;
}

/* As wvl_rate_codestream_bytes() bounds it. */
__device__ __forceinline__ uint64_t codestream_bytes(const job_type &job, const layer_cost &cost)
{
    uint64_t segments = job.packets.has_plt ? job.packets.part_count + cost.plt_bytes / 65527 : 0;
    return job.overhead_bytes + cost.packet_bytes + cost.plt_bytes + 5 * segments;
}

} // namespace wvl_rate
