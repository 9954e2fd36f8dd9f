/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes on the hulls by group and slope (codec/rate/histogram.c). A thread a block. */
#include "cuda/rate/bodies.cuh"

extern "C" __global__ void __launch_bounds__(WVL_CUDA_RATE_BODIES_THREADS) wvl_rate_bodies(const wvl_cuda_rate_job job)
{
    uint32_t rank = blockIdx.x * blockDim.x + threadIdx.x;
    bool is_over = job.t1.round && !((const uint32_t *)job.t1.counters)[WVL_CUDA_T1_REPEATED];
    if (rank < job.packets.block_count && wvl_rate::is_asked(job) && !is_over) {
        wvl_rate::add_bodies(job, wvl_rate::ranked(job, rank));
    }
}
