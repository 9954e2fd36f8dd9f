/* SPDX-License-Identifier: BSD-2-Clause */
/* HT blocks: what their error is made of (wvl_cuda_ht_sums), for rate control; and the error itself, for pictures that
 * are finished here. A warp a block. */
#include "cuda/blocks/ht_put.cuh"

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

struct sample_sums {
    uint64_t low[3], high[3]; /* of m^2, k^2, k r; sums of 4096 values of 32 bits */
    uint64_t r;
    uint32_t count;
    __device__ __forceinline__ void add(uint32_t which, uint32_t a, uint32_t b)
    {
        uint64_t product = (uint64_t)a * b;
        low[which] += (uint32_t)product;
        high[which] += product >> 32;
    }
    __device__ __forceinline__ void put(uint32_t m, uint32_t P)
    {
        uint32_t k = m >> P, rest = m & ((1u << P) - 1);
        add(0, m, m);
        add(1, k, k);
        add(2, k, rest);
        r += k ? rest : 0;
        count += k != 0;
    }
};

template <typename T> __device__ __forceinline__ void add_samples(sample_sums &sums, const wvl_cuda_ht_block &b)
{
    uint32_t P = plane_of(b), count = (uint32_t)b.width * b.height;
    const T *samples = (const T *)b.coefs;
    for (uint32_t i = lane_id(); i < count; i += 32) {
        uint32_t y = i / b.width, x = i - y * b.width;
        sums.put(samples[(size_t)y * b.stride + x] & (uint32_t)((T) ~(T)0 >> 1), P);
    }
}

__device__ __forceinline__ void sum_block(const wvl_cuda_ht_job &job, uint32_t id)
{
    const wvl_cuda_ht_block b = block_of(job, id);
    wvl_cuda_ht_sums &out = ((wvl_cuda_ht_sums *)job.sums)[id];
    sample_sums sums = {};
    if (*(const uint32_t *)b.bound && plane_of(b) < 32) {
        if (b.coef_bytes == 2) {
            add_samples<uint16_t>(sums, b);
        } else {
            add_samples<uint32_t>(sums, b);
        }
    }
    uint64_t *to[3] = {out.m2, out.k2, out.kr};
#pragma unroll
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t low = sum_lanes(sums.low[i]), high = sum_lanes(sums.high[i]);
        if (!lane_id()) {
            to[i][0] = low;
            to[i][1] = high;
        }
    }
    uint64_t r = sum_lanes(sums.r), count = sum_lanes(sums.count);
    if (!lane_id()) {
        out.r = r;
        out.count = count;
    }
}

/* ---- Errors ---------------------------------------------------------------------------------- */

/* Squares of twice the samples, and of twice what is left of them when the cleanup pass is sent: a decoder takes the
 * middle of a step, and all of a sample below the first step is left. */
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

template <typename T> __device__ __forceinline__ square_sums add_squares(const wvl_cuda_ht_block &b, bool is_exact)
{
    uint32_t P = plane_of(b), count = (uint32_t)b.width * b.height;
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
    sums.left = is_exact ? 0.0 : sums.left;
    return sums;
}

/* 16-bit samples in rows of whole 16 bytes; P at most 15: squares have 32 bits. */
__device__ __forceinline__ square_sums add_narrow_squares(const wvl_cuda_ht_block &b, bool is_exact)
{
    uint32_t middle = 1u << plane_of(b), below = 2 * middle - 1, per_row = b.width / 8, count = per_row * b.height;
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
    return {(double)sum_lanes(energy), is_exact ? 0.0 : (double)sum_lanes(left)};
}

__device__ __forceinline__ void weigh_block(const wvl_cuda_ht_job &job, uint32_t id)
{
    const wvl_cuda_ht_block b = block_of(job, id);
    bool is_exact = b.reversible && !plane_of(b), is_there = *(const uint32_t *)b.bound && plane_of(b) < 32;
    square_sums sums = {0.0, 0.0};
    if (is_there && b.coef_bytes == 2 && plane_of(b) < 16 && !((b.stride | b.width | b.coefs / 2) & 7)) {
        sums = add_narrow_squares(b, is_exact);
    } else if (is_there && b.coef_bytes == 2) {
        sums = add_squares<uint16_t>(b, is_exact);
    } else if (is_there) {
        sums = add_squares<uint32_t>(b, is_exact);
    }
    if (!lane_id()) {
        double weight = ((const double *)job.weights)[id];
        ((wvl_cuda_ht_error *)job.errors)[id] = {sums.energy * weight, sums.left * weight};
    }
}

} // namespace wvl_ht

extern "C" __global__ void __launch_bounds__(WVL_CUDA_HT_SUM_THREADS) wvl_ht_weigh(const wvl_cuda_ht_job job)
{
    uint32_t id = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (id < job.block_count) {
        wvl_ht::weigh_block(job, id);
    }
}

extern "C" __global__ void __launch_bounds__(WVL_CUDA_HT_SUM_THREADS) wvl_ht_sum(const wvl_cuda_ht_job job)
{
    uint32_t id = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (id < job.block_count) {
        wvl_ht::sum_block(job, id);
    }
}
