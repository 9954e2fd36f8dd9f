/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes on the hull of a block, in bins of slopes; and bins without any. */
#pragma once
#include "cuda/rate/cut.cuh"

namespace wvl_rate
{

__device__ __forceinline__ void add_bodies(const job_type &job, const wvl_assembly_place &place)
{
    const block_passes passes = passes_of(job, place.block);
    uint64_t group = job.followed > 1 ? group_index(job, place.packet) : 0;
    unsigned long long *bodies = (unsigned long long *)job.bodies + group * WVL_SLOPES;
    uint32_t before = 0;
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

__device__ __forceinline__ bool asks_bodies(const job_type &job)
{
    return wvl_cuda_rate_asks_bodies(job.budget, job.component_cap, job.packets.layer_count);
}

/* For the round to come. All threads. */
__device__ __forceinline__ void clear_bodies(const job_type &job)
{
    uint64_t *bodies = (uint64_t *)job.bodies;
    for (uint32_t i = crew_rank(), count = asks_bodies(job) ? job.followed * WVL_SLOPES : 0; i < count;
         i += crew_size()) {
        bodies[i] = 0;
    }
}

} // namespace wvl_rate
