/* SPDX-License-Identifier: BSD-2-Clause */
/* EBCOT blocks: weighted gains and hull slopes of passes, as the CPU finds them (codec/core/hull.h). A thread a block,
 * in the order of the MQ coder: blocks of a warp have about the same number of passes. */
#include "codec/core/hull.h"
#include "cuda/blocks/t1_words.cuh"

namespace wvl_t1
{

__device__ __forceinline__ void find_hull(const wvl_cuda_t1_job &job, uint32_t id)
{
    const wvl_cuda_t1_block &b = block_of(job, id);
    const wvl_cuda_t1_gains known = ((const wvl_cuda_t1_gains *)job.gains)[id];
    const wvl_cuda_t1_weight weight = ((const wvl_cuda_t1_weight *)job.hull_weights)[id];
    const uint32_t passes = state_of(job, id).passes;
    const int64_t *quarters = (const int64_t *)units_at(job, known.values);
    const wvl_cuda_t1_pass *records = (const wvl_cuda_t1_pass *)job.passes + (size_t)id * WVL_CUDA_T1_MOST_PASSES;
    wvl_band_coding band = {};
    band.frac_bits = b.frac_bits;
    band.weight_mantissa = weight.mantissa;
    band.weight_exponent = weight.exponent;
    wvl_hull_memory memory = {(int64_t *)quarters + passes, NULL, &records->final_bytes, sizeof *records};
    memory.slopes = (uint16_t *)(memory.gains + passes);
    wvl_hull_line hull;
    wvl_hull_open(&hull, &band, job.gain_exponent, state_of(job, id).planes,
                  wvl_rate_weigh_energy(&band, job.gain_exponent, known.energy, known.energy_shift),
                  (uint32_t)b.width * b.height);
    for (uint32_t i = 0; i < passes; i++) {
        wvl_hull_extend(&hull, &memory, quarters[i], 0);
    }
    wvl_hull_level_slopes(&hull, memory.slopes, memory.slopes);
}

} // namespace wvl_t1

extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_HULL_THREADS) wvl_t1_hull(const wvl_cuda_t1_job job)
{
    uint32_t at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < *wvl_t1::counter_of(job, WVL_CUDA_T1_ORDERED)) {
        wvl_t1::find_hull(job, ((const uint32_t *)job.order)[at]);
    }
}
