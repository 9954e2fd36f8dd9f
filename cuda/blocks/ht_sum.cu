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

/* What is left of the samples of a block when its cleanup pass is sent: a decoder takes the middle of a step, and all
 * of a sample below the first step is left. Quarters of squares, their low and high 32 bits summed apart. */
template <typename T>
__device__ __forceinline__ void add_errors(const wvl_cuda_ht_block &b, uint64_t &low, uint64_t &high)
{
    uint32_t P = plane_of(b), count = (uint32_t)b.width * b.height;
    uint64_t middle = UINT64_C(1) << P;
    const T *samples = (const T *)b.coefs;
    for (uint32_t i = lane_id(); i < count; i += 32) {
        uint32_t y = i / b.width, x = i - y * b.width,
                 m = samples[(size_t)y * b.stride + x] & (uint32_t)((T) ~(T)0 >> 1);
        uint64_t twice = 2 * (uint64_t)(m & (uint32_t)(middle - 1)), e = m >> P ? twice - middle : twice;
        e *= e; /* of a difference that may be negative: the square is right modulo 2^64, and below it */
        low += (uint32_t)e;
        high += e >> 32;
    }
}

/* 16-bit samples, P at most 15: errors have 32 bits, of rows of whole 16 bytes. */
__device__ __forceinline__ void add_narrow_errors(const wvl_cuda_ht_block &b, uint64_t &sum)
{
    uint32_t P = plane_of(b), middle = 1u << P, below = 2 * middle - 1, per_row = b.width / 8,
             count = per_row * b.height;
    const uint16_t *samples = (const uint16_t *)b.coefs;
    for (uint32_t i = lane_id(); i < count; i += 32) {
        uint32_t y = i / per_row, x = i - y * per_row;
        uint4 v = *(const uint4 *)(samples + (size_t)y * b.stride + 8 * x);
        uint32_t words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (uint32_t k = 0; k < 8; k++) {
            uint32_t twice = (k & 1 ? words[k / 2] >> 15 : words[k / 2] << 1) & 0xFFFE, left = twice & below,
                     e = twice > below ? left - middle : left;
            sum += e * e;
        }
    }
}

__device__ __forceinline__ void weigh_block(const wvl_cuda_ht_job &job, uint32_t id)
{
    const wvl_cuda_ht_block b = block_of(job, id);
    uint32_t P = plane_of(b);
    uint64_t low = 0, high = 0;
    bool is_exact = b.reversible && !P, is_there = *(const uint32_t *)b.bound && P < 32 && !is_exact;
    if (is_there && b.coef_bytes == 2 && P < 16 && !((b.stride | b.width | b.coefs / 2) & 7)) {
        add_narrow_errors(b, low);
    } else if (is_there && b.coef_bytes == 2) {
        add_errors<uint16_t>(b, low, high);
    } else if (is_there) {
        add_errors<uint32_t>(b, low, high);
    }
    low = sum_lanes(low);
    high = sum_lanes(high);
    if (!lane_id()) {
        const wvl_cuda_ht_error &weight = ((const wvl_cuda_ht_error *)job.weights)[id];
        double sum = (double)high * 4294967296.0 + (double)low;
        ((wvl_cuda_ht_error *)job.errors)[id] = {sum * weight.weighted, sum * weight.plain};
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
