/* SPDX-License-Identifier: BSD-2-Clause */
/* The hull of an EBCOT block, with its values in scratch memory (t1_job.h). */
#pragma once
#include "codec/core/hull.h"
#include "cuda/blocks/t1_words.cuh"

namespace wvl_t1
{

/* Where the values of a block lie. */
struct hull_values {
    const int64_t *quarters;
    wvl_hull_memory memory;
    uint32_t all; /* passes, coded or not */
};

/* Opens the hull of a block. band: what it borrows. Separate variables: all of them live in registers. */
__device__ __forceinline__ hull_values open_hull(const wvl_cuda_t1_job &job, uint32_t id, wvl_band_coding *band,
                                                 wvl_hull_line *line)
{
    const wvl_cuda_t1_block &b = block_of(job, id);
    const wvl_cuda_t1_gains known = ((const wvl_cuda_t1_gains *)job.gains)[id];
    const wvl_cuda_t1_weight weight = ((const wvl_cuda_t1_weight *)job.hull_weights)[id];
    const wvl_cuda_t1_pass *records = (const wvl_cuda_t1_pass *)job.passes + (size_t)id * WVL_CUDA_T1_MOST_PASSES;
    uint32_t planes = state_of(job, id).planes;
    hull_values v;
    band->frac_bits = wvl_cuda_t1_may_copy(&b) ? known.frac_bits : b.frac_bits;
    band->weight_mantissa = weight.mantissa;
    band->weight_exponent = weight.exponent;
    v.all = wvl_cuda_t1_all_passes(planes, b.max_passes);
    v.quarters = (const int64_t *)units_at(job, known.values);
    v.memory.gains = (int64_t *)v.quarters + v.all;
    v.memory.slopes = (uint16_t *)(v.quarters + 2 * v.all);
    v.memory.final_bytes = &records->final_bytes;
    v.memory.step = sizeof *records;
    wvl_hull_open(line, band, job.gain_exponent, planes,
                  wvl_rate_weigh_energy(band, job.gain_exponent, known.energy, known.energy_shift),
                  (uint32_t)b.width * b.height);
    if (b.in_region == WVL_CUDA_T1_IN_REGION) {
        wvl_hull_set_region(line, 0, 0);
    } else if (b.in_region) {
        wvl_hull_set_region(line, b.in_region, 1);
    }
    return v;
}

} // namespace wvl_t1
