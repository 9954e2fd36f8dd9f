/* SPDX-License-Identifier: BSD-2-Clause */
/* The squared error of a block, and of what a decoder makes of it. A warp a block. */
#pragma once
#include "cuda/blocks/block_error.h"
#include "cuda/blocks/lane.cuh"

namespace wvl_ht
{

__device__ __forceinline__ uint64_t sum_lanes(uint64_t v)
{
#pragma unroll
    for (uint32_t d = 16; d; d >>= 1) {
        uint32_t low = __shfl_sync(~0u, (uint32_t)v, lane_id() ^ d),
                 high = __shfl_sync(~0u, (uint32_t)(v >> 32), lane_id() ^ d);
        v += (uint64_t)high << 32 | low;
    }
    return v;
}

/* What is read of a block. */
struct error_block {
    uint64_t coefs, bound; /* addresses */
    uint32_t stride, width, height;
    uint32_t plane; /* lowest bit of a sample that is coded */
    uint32_t coef_bytes;
    bool is_reversible;
};

/* Squares of twice the samples, and of twice what is left of them when all passes are sent: a decoder takes the middle
 * of a step, and all of a sample below the first step is left. */
struct square_sums {
    double energy, left;
};

/* The low and high 32 bits of squares, summed apart: of 4096 at most. */
struct wide_sum {
    uint64_t low, high;
    __device__ __forceinline__ void add(uint64_t twice)
    {
        uint64_t square = twice * twice; /* right modulo 2^64, and below it, where `twice` stands for less than 0 */
        low += (uint32_t)square;
        high += square >> 32;
    }
    __device__ __forceinline__ double sum() const
    {
        return (double)sum_lanes(high) * 4294967296.0 + (double)sum_lanes(low);
    }
};

template <typename T> __device__ __forceinline__ square_sums add_squares(const error_block &b)
{
    uint32_t P = b.plane, count = (uint32_t)b.width * b.height;
    uint64_t middle = UINT64_C(1) << P;
    wide_sum energy = {0, 0}, left = {0, 0};
    const T *samples = (const T *)b.coefs;
    for (uint32_t i = lane_id(); i < count; i += 32) {
        uint32_t y = i / b.width, x = i - y * b.width,
                 m = samples[(size_t)y * b.stride + x] & (uint32_t)((T) ~(T)0 >> 1);
        uint64_t rest = 2 * (uint64_t)(m & (uint32_t)(middle - 1));
        energy.add(2 * (uint64_t)m);
        left.add(m >> P ? rest - middle : rest);
    }
    square_sums sums = {energy.sum(), left.sum()};
    return sums;
}

/* 16-bit samples in rows of whole 16 bytes; P at most 15: squares have 32 bits. */
__device__ __forceinline__ square_sums add_narrow_squares(const error_block &b)
{
    uint32_t middle = 1u << b.plane, below = 2 * middle - 1, per_row = b.width / 8, count = per_row * b.height;
    uint64_t energy = 0, left = 0;
    const uint16_t *samples = (const uint16_t *)b.coefs;
    for (uint32_t i = lane_id(); i < count; i += 32) {
        uint32_t y = i / per_row, x = i - y * per_row;
        uint4 v = *(const uint4 *)(samples + (size_t)y * b.stride + 8 * x);
        uint32_t words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (uint32_t k = 0; k < 8; k++) {
            uint32_t twice = (k & 1 ? words[k / 2] >> 15 : words[k / 2] << 1) & 0xFFFE, rest = twice & below,
                     e = twice > below ? rest - middle : rest;
            energy += twice * twice;
            left += e * e;
        }
    }
    return {(double)sum_lanes(energy), (double)sum_lanes(left)};
}

/* Measures with a warp; the result is the same for all lanes. */
__device__ __forceinline__ wvl_cuda_block_error measure_error(const error_block &b, double weight)
{
    square_sums sums = {0.0, 0.0};
    bool is_there = *(const uint32_t *)b.bound && b.plane < 32;
    if (is_there && b.coef_bytes == 2 && b.plane < 16 && !((b.stride | b.width | b.coefs / 2) & 7)) {
        sums = add_narrow_squares(b);
    } else if (is_there && b.coef_bytes == 2) {
        sums = add_squares<uint16_t>(b);
    } else if (is_there) {
        sums = add_squares<uint32_t>(b);
    }
    sums.left = b.is_reversible && !b.plane ? 0.0 : sums.left;
    return {sums.energy * weight, sums.left * weight};
}

} // namespace wvl_ht
