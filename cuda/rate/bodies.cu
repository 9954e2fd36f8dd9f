/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes on the hulls by group and slope (codec/rate/histogram.c). A thread a block. */
#include "cuda/rate/cut.cuh"

extern "C" __global__ void __launch_bounds__(WVL_CUDA_RATE_BODIES_THREADS) wvl_rate_bodies(const wvl_cuda_rate_job job)
{
    uint32_t rank = blockIdx.x * blockDim.x + threadIdx.x, before = 0;
    bool is_over = job.t1.round && !((const uint32_t *)job.t1.counters)[WVL_CUDA_T1_REPEATED];
    if (rank >= job.packets.block_count || !wvl_rate::is_asked(job) || is_over) {
        return;
    }
    const wvl_assembly_place place = wvl_rate::ranked(job, rank);
    const wvl_rate::block_passes passes = wvl_rate::passes_of(job, place.block);
    uint64_t group = job.followed > 1 ? wvl_rate::group_index(job, place.packet) : 0;
    unsigned long long *bodies = (unsigned long long *)job.bodies + group * WVL_SLOPES;
    for (uint32_t i = 0; i < passes.count; i++) {
        if (passes.slopes[i]) {
            atomicAdd(&bodies[passes.slopes[i]], (unsigned long long)(passes.records[i].final_bytes - before));
            before = passes.records[i].final_bytes;
        }
    }
    uint32_t all = passes.count ? passes.records[passes.count - 1].final_bytes : 0;
    if (all > before) {
        atomicAdd(&bodies[0], (unsigned long long)(all - before));
    }
}
