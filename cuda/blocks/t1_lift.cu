/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rectangles of interest at the door of the EBCOT coder, by the rules of codec/blocks/roi.c. Blocks with samples of a
 * region and others are copied into 32 bits, the region's samples times 2^s; the table of blocks that are coded names
 * the copy. Behind the gains, those of copies become those of the blocks. A warp a block.
 */
#include "cuda/blocks/t1_words.cuh"

namespace wvl_t1
{

__device__ __forceinline__ const wvl_cuda_t1_region &region_of(const wvl_cuda_t1_job &job, uint32_t id)
{
    return ((const wvl_cuda_t1_region *)job.regions)[id];
}
__device__ __forceinline__ wvl_cuda_t1_lift &lift_of(const wvl_cuda_t1_job &job, uint32_t id)
{
    return ((wvl_cuda_t1_lift *)job.lifts)[id];
}

/* Over the warp. */
__device__ __forceinline__ uint32_t unite_lanes(uint32_t v)
{
#pragma unroll
    for (uint32_t d = 16; d; d >>= 1) {
        v |= __shfl_sync(~0u, v, wvl_ht::lane_id() ^ d);
    }
    return v;
}
__device__ __forceinline__ uint64_t add_lanes(uint64_t v)
{
#pragma unroll
    for (uint32_t d = 16; d; d >>= 1) {
        uint32_t low = __shfl_sync(~0u, (uint32_t)v, wvl_ht::lane_id() ^ d),
                 high = __shfl_sync(~0u, (uint32_t)(v >> 32), wvl_ht::lane_id() ^ d);
        v += (uint64_t)high << 32 | low;
    }
    return v;
}

/* Sign on top, as 32-bit containers have it. */
__device__ __forceinline__ uint32_t fetch_sample(const wvl_cuda_t1_block &b, uint32_t x, uint32_t y)
{
    size_t at = (size_t)y * b.stride + x;
    if (b.coef_bytes == 4) {
        return ((const uint32_t *)b.coefs)[at];
    }
    uint32_t s = ((const uint16_t *)b.coefs)[at];
    return (s & 0x7FFFu) | s >> 15 << 31;
}

__device__ __forceinline__ bool is_inside(const wvl_cuda_t1_job &job, const wvl_cuda_t1_region &region, uint32_t x,
                                          uint32_t y)
{
    const wvl_cuda_t1_rect *rects = (const wvl_cuda_t1_rect *)job.rects + region.first_rect;
    bool is = false;
    for (uint32_t i = 0; i < region.rect_count; i++) {
        const wvl_cuda_t1_rect r = rects[i];
        is |= x >= r.x0 && x < r.x1 && y >= r.y0 && y < r.y1;
    }
    return is;
}

/* Returns what of the square of a sample is coded, and what is left (codec/blocks/roi.c). */
__device__ __forceinline__ uint64_t energy_of(uint32_t m, uint32_t c, uint32_t frac_bits)
{
    uint64_t mask = (UINT64_C(1) << frac_bits) - 1, r = m & mask, k = c & mask;
    return m >> frac_bits ? (uint64_t)c * c - k * k + r * r - ((r - k) << frac_bits) : r * r;
}

/* Sums over the block. */
struct lift_sums {
    uint64_t energy;
    uint32_t background, bound, count;
};

__device__ __forceinline__ lift_sums copy_samples(const wvl_cuda_t1_job &job, const wvl_cuda_t1_block &b,
                                                  const wvl_cuda_t1_region &region, uint32_t frac_bits)
{
    lift_sums own = {0, 0, 0, 0};
    uint32_t *copy = (uint32_t *)(job.copies + region.copy), lost = b.frac_bits - frac_bits;
    for (uint32_t i = wvl_ht::lane_id(); i < (uint32_t)b.width * b.height; i += 32) {
        uint32_t x = i % b.width, y = i / b.width, s = fetch_sample(b, x, y), m = s & 0x7FFFFFFFu,
                 steps = m >> b.frac_bits;
        bool inside = is_inside(job, region, x, y);
        uint32_t v = inside ? steps << (region.shift + frac_bits) : m >> lost;
        own.energy += energy_of(m, inside ? steps << b.frac_bits : m >> lost << lost, b.frac_bits);
        own.count += inside && steps;
        own.background |= inside ? 0 : steps;
        own.bound |= v;
        copy[i] = v ? v | (s & 0x80000000u) : 0;
    }
    return {add_lanes(own.energy), unite_lanes(own.background), unite_lanes(own.bound), (uint32_t)add_lanes(own.count)};
}

/* The block as it is coded. With planes above the region's it has more empty ones. */
__device__ __forceinline__ wvl_cuda_t1_block lift_block(const wvl_cuda_t1_job &job, uint32_t id)
{
    wvl_cuda_t1_block b = ((const wvl_cuda_t1_block *)job.originals)[id];
    const wvl_cuda_t1_region region = region_of(job, id);
    uint32_t kind = region.kind, own = region.kind == WVL_CUDA_T1_PART ? b.planes - region.shift : b.planes;
    if (kind == WVL_CUDA_T1_NO_REGION) {
        return b;
    }
    kind = *(const uint32_t *)b.bound >> b.frac_bits ? kind : (uint32_t)WVL_CUDA_T1_BACKGROUND;
    if (kind == WVL_CUDA_T1_PART) { /* the plan has seen to planes + shift <= 31 */
        uint32_t frac_bits = min((uint32_t)b.frac_bits, 31u - own - region.shift);
        lift_sums sums = copy_samples(job, b, region, frac_bits);
        kind = sums.background ? kind : (uint32_t)WVL_CUDA_T1_WHOLE;
        kind = sums.count ? kind : (uint32_t)WVL_CUDA_T1_BACKGROUND;
        if (!wvl_ht::lane_id()) {
            lift_of(job, id) = {sums.energy, sums.count, sums.bound, b.frac_bits, {0}};
        }
        if (kind == WVL_CUDA_T1_PART) {
            b.coefs = job.copies + region.copy;
            b.bound = job.lifts + (uint64_t)id * sizeof(wvl_cuda_t1_lift) + offsetof(wvl_cuda_t1_lift, bound);
            b.stride = b.width;
            b.coef_bytes = 4;
            b.frac_bits = (uint8_t)frac_bits;
        }
    }
    b.planes = (uint8_t)(own + (kind == WVL_CUDA_T1_WHOLE ? 0 : region.shift));
    b.in_region = kind == WVL_CUDA_T1_PART ? region.shift : 0;
    b.in_region = kind == WVL_CUDA_T1_WHOLE ? WVL_CUDA_T1_IN_REGION : b.in_region;
    return b;
}

/* ---- Gains ----------------------------------------------------------------------------------- */

/* Settles the gain of a pass of the copy (codec/blocks/roi.c). */
__device__ __forceinline__ int64_t settle_gain(const wvl_cuda_t1_block &b, const wvl_cuda_t1_lift &lift, int64_t gain,
                                               uint32_t plane, uint32_t pass)
{
    uint32_t P = plane + b.frac_bits, s = b.in_region;
    if (plane >= s) {
        gain /= (int64_t)1 << s;
        gain += b.reversible && plane == s && pass % 3 == 0 ? (int64_t)lift.count : 0;
    } else if (pass % 3 == 2) {
        gain -= b.reversible && !P ? 4 * (int64_t)lift.count : 3 * (int64_t)((uint64_t)lift.count << P);
    }
    return gain * ((int64_t)1 << (lift.frac_bits - b.frac_bits));
}

__device__ __forceinline__ void settle_block(const wvl_cuda_t1_job &job, uint32_t id)
{
    const wvl_cuda_t1_block &b = block_of(job, id);
    const wvl_cuda_t1_state &state = state_of(job, id);
    const wvl_cuda_t1_lift lift = lift_of(job, id);
    wvl_cuda_t1_gains &gains = ((wvl_cuda_t1_gains *)job.gains)[id];
    int64_t *quarters = (int64_t *)units_at(job, gains.values);
    for (uint32_t i = wvl_ht::lane_id(); i < state.passes; i += 32) {
        quarters[i] = settle_gain(b, lift, quarters[i], state.planes - 1 - (i + 2) / 3, i);
    }
    if (!wvl_ht::lane_id()) {
        gains.energy = lift.energy;
        gains.energy_shift = 0;
        gains.frac_bits = lift.frac_bits;
    }
}

} // namespace wvl_t1

/* In front of the coder: the table of blocks. */
extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_LIFT_THREADS) wvl_t1_lift(const wvl_cuda_t1_job job)
{
    uint32_t id = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (id < job.block_count) {
        const wvl_cuda_t1_block b = wvl_t1::lift_block(job, id);
        if (!wvl_ht::lane_id()) {
            ((wvl_cuda_t1_block *)job.blocks)[id] = b;
        }
    }
}

/* Behind the gains, and in front of the hulls. */
extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_LIFT_THREADS) wvl_t1_settle(const wvl_cuda_t1_job job)
{
    uint32_t id = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (id < job.block_count && wvl_cuda_t1_may_copy(&wvl_t1::block_of(job, id)) &&
        !(wvl_t1::state_of(job, id).flags & WVL_CUDA_T1_LEFT)) {
        wvl_t1::settle_block(job, id);
    }
}
