/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HT pictures whose step follows the target (D-ht-04): where the blocks of the first coding ended, by how much steps
 * become coarser, and coefficients times that. They are changed where they lie: nobody asks for them as they were.
 */
#include "cuda/blocks/ht_put.cuh"
#include "cuda/rate/fill.cuh"

namespace wvl_rate
{

__device__ __forceinline__ wvl_cuda_rate_step &step_of(const job_type &job)
{
    return *(wvl_cuda_rate_step *)job.sets.step;
}

/* ---- Where blocks ended ---------------------------------------------------------------------- */

__device__ __forceinline__ uint32_t cleanup_bytes(const block_passes &passes, uint32_t set, uint32_t before)
{
    return set < before ? 0 : passes.records[(set - before) * WVL_STEP_SET_PASSES].final_bytes;
}

__device__ __forceinline__ wvl_step_ends find_end_of(const job_type &job, uint32_t block)
{
    const wvl_cuda_rate_cut cut = cut_of(job, block);
    if (!cut.passes) {
        return {0, 0};
    }
    const block_passes passes = passes_of(job, block);
    uint32_t set = (cut.passes - 1) / WVL_STEP_SET_PASSES;
    return wvl_step_end_of(((const wvl_cuda_t1_record *)job.t1.records)[block].planes, set,
                           cleanup_bytes(passes, set, 0), cleanup_bytes(passes, set, 1), cleanup_bytes(passes, set, 2),
                           passes.records[cut.passes - 1].final_bytes);
}

__device__ __forceinline__ void add_wide(uint64_t *to, uint64_t own)
{
    uint64_t sum = wvl_packets::scan_wide(own);
    if (wvl_ht::lane_id() == 31 && sum) {
        atomicAdd((unsigned long long *)to, (unsigned long long)sum);
    }
}

/* ---- The second coding ----------------------------------------------------------------------- */

/* A picture that is not finished anyway is not coded again. All scratch memory is free for the second coding. */
__device__ __forceinline__ void decide_step(const job_type &job)
{
    wvl_cuda_rate_step &step = step_of(job);
    uint32_t *counters = (uint32_t *)job.t1.counters;
    bool is_lost =
        *(const uint32_t *)job.packets.notes || counters[WVL_CUDA_T1_LEFT_BLOCKS] || counters[WVL_CUDA_T1_UNBOUNDED];
    step.sixteenths = is_lost ? 0 : wvl_step_choose(&step.ends);
    step.first_set = wvl_step_first_set(&step.ends);
    step.asked = step.sixteenths != 0;
    if (step.asked) {
        counters[WVL_CUDA_T1_SCRATCH_UNITS] = counters[WVL_CUDA_T1_REPEATED] = 0;
        for (uint32_t k = 0; k < WVL_CUDA_T1_CLASSES; k++) {
            counters[WVL_CUDA_T1_ITEMS + k] = 0;
        }
    }
}

/* ---- Coefficients ---------------------------------------------------------------------------- */

__device__ __forceinline__ uint32_t scale_narrow(uint32_t sample, uint64_t factor, uint32_t &bound)
{
    uint32_t m = wvl_step_scale_narrow(sample & 0x7FFF, factor);
    bound |= m;
    return m ? (sample & 0x8000) | m : 0;
}

__device__ __forceinline__ uint32_t scale_two(uint32_t samples, uint64_t factor, uint32_t &bound)
{
    return scale_narrow(samples & 0xFFFF, factor, bound) | scale_narrow(samples >> 16, factor, bound) << 16;
}

__device__ __forceinline__ uint32_t scale_wide(uint32_t sample, uint64_t factor, uint32_t &bound)
{
    uint32_t m = wvl_step_scale_wide(sample & 0x7FFFFFFF, factor);
    bound |= m;
    return m ? (sample & 0x80000000) | m : 0;
}

/* Rows of a lane on their way together. They are read before the first one is written: the compiler cannot know that
 * rows do not overlap, and waits for each. */
#define WVL_CUDA_RATE_SCALE_ROWS 8u

template <class T, class F>
__device__ __forceinline__ void scale_some_rows(T *at, uint32_t pitch, uint32_t count, F change, uint32_t &bound)
{
    T values[WVL_CUDA_RATE_SCALE_ROWS];
#pragma unroll
    for (uint32_t i = 0; i < WVL_CUDA_RATE_SCALE_ROWS; i++) {
        values[i] = i < count ? at[(size_t)i * pitch] : (T)0;
    }
#pragma unroll
    for (uint32_t i = 0; i < WVL_CUDA_RATE_SCALE_ROWS; i++) {
        if (i < count) {
            at[(size_t)i * pitch] = change(values[i], bound);
        }
    }
}

/* The items of rows by lanes. Returns the OR of this lane. */
template <class T, class F>
__device__ __forceinline__ uint32_t scale_rows(const wvl_cuda_t1_block &b, uint32_t items, uint32_t pitch, F change)
{
    uint32_t bound = 0, height = b.height;
    for (uint32_t x = wvl_ht::lane_id(); x < items; x += 32) {
        T *at = (T *)b.coefs + x;
#pragma unroll 1
        for (uint32_t y = 0; y < height; y += WVL_CUDA_RATE_SCALE_ROWS) {
            scale_some_rows(at + (size_t)y * pitch, pitch, height - y, change, bound);
        }
    }
    return bound;
}

/* Samples of a warp's block; empty blocks have none. */
__device__ __forceinline__ uint32_t scale_samples(const wvl_cuda_t1_block &b, uint64_t factor)
{
    if (b.coef_bytes != 2) {
        return scale_rows<uint32_t>(b, b.width, b.stride,
                                    [=](uint32_t v, uint32_t &bound) { return scale_wide(v, factor, bound); });
    }
    if (!((b.width | b.stride) & 1) && !(b.coefs & 3)) {
        return scale_rows<uint32_t>(b, b.width / 2, b.stride / 2,
                                    [=](uint32_t v, uint32_t &bound) { return scale_two(v, factor, bound); });
    }
    return scale_rows<uint16_t>(b, b.width, b.stride,
                                [=](uint16_t v, uint32_t &bound) { return (uint16_t)scale_narrow(v, factor, bound); });
}

__device__ __forceinline__ void scale_block(const job_type &job, uint32_t block)
{
    const wvl_cuda_t1_block &b = ((const wvl_cuda_t1_block *)job.t1.blocks)[block];
    const wvl_assembly_step step =
        ((const wvl_assembly_step *)job.sets
             .steps)[step_of(job).sixteenths * job.sets.step_count + ((const uint32_t *)job.sets.block_steps)[block]];
    uint32_t *bound = (uint32_t *)b.bound, own = *bound ? scale_samples(b, step.factor) : 0;
#pragma unroll
    for (uint32_t d = 16; d; d >>= 1) {
        own |= __shfl_sync(~0u, own, wvl_ht::lane_id() ^ d);
    }
    if (!wvl_ht::lane_id()) {
        *bound = own;
        ((uint8_t *)job.sets.planes)[block] = (uint8_t)step.planes;
        ((wvl_cuda_t1_weight *)job.sets.weights)[block] = {step.weight_mantissa, step.weight_exponent};
        ((double *)job.sets.plain_weights)[block] =
            scale((double)step.weight_mantissa, step.weight_exponent - job.t1.gain_exponent - 2);
    }
}

} // namespace wvl_rate

/* Behind rate control of the first coding. A thread a block. */
extern "C" __global__ void __launch_bounds__(WVL_CUDA_RATE_BODIES_THREADS) wvl_rate_ends(const wvl_cuda_rate_job job)
{
    uint32_t block = blockIdx.x * blockDim.x + threadIdx.x;
    wvl_step_ends own = {0, 0}, &all = wvl_rate::step_of(job).ends;
    if (block < job.t1.block_count) {
        own = wvl_rate::find_end_of(job, block);
    }
    wvl_rate::add_wide(&all.bytes, own.bytes);
    wvl_rate::add_wide((uint64_t *)&all.planes, (uint64_t)own.planes);
}

/* One thread. */
extern "C" __global__ void __launch_bounds__(32) wvl_rate_step(const wvl_cuda_rate_job job)
{
    if (!threadIdx.x) {
        wvl_rate::decide_step(job);
    }
}

/* A warp a block. */
extern "C" __global__ void __launch_bounds__(WVL_CUDA_RATE_SCALE_THREADS, 4) wvl_rate_scale(const wvl_cuda_rate_job job)
{
    uint32_t block = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (block < job.t1.block_count && wvl_rate::step_of(job).asked) {
        wvl_rate::scale_block(job, block);
    }
}
