/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes on the hulls by slope (codec/rate/histogram.c). A thread a block. */
#include "cuda/rate/cut.cuh"

extern "C" __global__ void __launch_bounds__(WVL_CUDA_RATE_BODIES_THREADS) wvl_rate_bodies(const wvl_cuda_rate_job job)
{
    uint32_t block = blockIdx.x * blockDim.x + threadIdx.x, before = 0;
    if (block >= job.t1.block_count || (job.t1.round && !((const uint32_t *)job.t1.counters)[WVL_CUDA_T1_REPEATED])) {
        return;
    }
    const wvl_rate::block_passes passes = wvl_rate::passes_of(job, block);
    unsigned long long *bodies = (unsigned long long *)job.bodies;
    for (uint32_t i = 0; i < passes.count; i++) {
        if (passes.slopes[i]) {
            atomicAdd(&bodies[passes.slopes[i]], (unsigned long long)(passes.records[i].final_bytes - before));
            before = passes.records[i].final_bytes;
        }
    }
    uint32_t all = wvl_rate::cut_bytes(passes, passes.count);
    if (all > before) {
        atomicAdd(&bodies[0], (unsigned long long)(all - before));
    }
}
