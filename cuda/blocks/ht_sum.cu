/* SPDX-License-Identifier: BSD-2-Clause */
/* HT blocks: what their error is made of (wvl_cuda_ht_sums), for rate control; and the error itself, for pictures that
 * are finished here. A warp a block. */
#include "cuda/blocks/error.cuh"
#include "cuda/blocks/ht_put.cuh"

namespace wvl_ht
{

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

__device__ __forceinline__ void weigh_block(const wvl_cuda_ht_job &job, uint32_t id)
{
    const wvl_cuda_ht_block b = block_of(job, id);
    error_block view = {b.coefs, b.bound, b.stride, b.width, b.height, plane_of(b), b.coef_bytes, b.reversible != 0};
    wvl_cuda_block_error error = measure_error(view, ((const double *)job.weights)[id]);
    if (!lane_id()) {
        ((wvl_cuda_block_error *)job.errors)[id] = error;
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
