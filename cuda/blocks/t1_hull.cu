/* SPDX-License-Identifier: BSD-2-Clause */
/* EBCOT blocks: weighted gains and hull slopes of passes, as the CPU finds them (codec/core/hull.h). A thread a block,
 * in the order of the MQ coder: blocks of a warp have about the same number of passes. */
#include "cuda/blocks/t1_hull.cuh"

namespace wvl_t1
{

__device__ __forceinline__ void find_hull(const wvl_cuda_t1_job &job, uint32_t id)
{
    const uint32_t passes = state_of(job, id).passes;
    wvl_band_coding band = {};
    wvl_hull_line hull;
    const hull_values values = open_hull(job, id, &band, &hull);
    for (uint32_t i = 0; i < passes; i++) {
        wvl_hull_extend(&hull, &values.memory, values.quarters[i], 0);
    }
    wvl_hull_level_slopes(&hull, values.memory.slopes, values.memory.slopes);
    ((wvl_cuda_t1_gains *)job.gains)[id].unsettled = (uint16_t)(hull.limit - 1);
}

} // namespace wvl_t1

extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_HULL_THREADS) wvl_t1_hull(const wvl_cuda_t1_job job)
{
    uint32_t at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < *wvl_t1::counter_of(job, WVL_CUDA_T1_ORDERED)) {
        wvl_t1::find_hull(job, ((const uint32_t *)job.order)[at]);
    }
}
