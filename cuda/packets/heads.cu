/* SPDX-License-Identifier: BSD-2-Clause */
/* Heads of packets: a thread block a packet. */
#include "cuda/packets/heads.cuh"

extern "C" __global__ void __launch_bounds__(WVL_CUDA_PACKETS_WIDE_THREADS)
    wvl_packets_heads(const wvl_cuda_packets_job job)
{
    WVL_HT_SHARED(shared);
    wvl_packets::code_head<wvl_packets::block_team>(job, ((const uint32_t *)job.order)[job.first_packet + blockIdx.x],
                                                    blockIdx.y, shared);
}
