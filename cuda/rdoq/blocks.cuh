/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks as the kernels of optimised quantisation read them. */
#pragma once
#include "codec/core/rdoq.h"
#include "cuda/blocks/t1_words.cuh"
#include "cuda/rdoq/rdoq_job.h"

namespace wvl_rdoq
{

typedef wvl_cuda_rdoq_job job_type;

using wvl_ht::lane_id;

template <typename T> __device__ __forceinline__ T &item(uint64_t table, uint64_t index) { return ((T *)table)[index]; }

__device__ __forceinline__ const wvl_cuda_t1_block &original_of(const job_type &job, uint32_t id)
{
    return item<const wvl_cuda_t1_block>(job.originals, id);
}

/* Gives what the rules read of a block. */
__device__ __forceinline__ wvl_block_input describe(const wvl_cuda_t1_block &b)
{
    wvl_block_input in = {};
    in.stride = b.stride;
    in.width = b.width;
    in.height = b.height;
    in.coef_bytes = b.coef_bytes;
    in.frac_bits = b.frac_bits;
    in.orient = b.orient;
    in.reversible = b.reversible;
    in.max_passes = 255;
    in.bound = *(const uint32_t *)b.bound;
    return in;
}

__device__ __forceinline__ wvl_band_coding band_of(const job_type &job, uint32_t id)
{
    const wvl_cuda_t1_weight weight = item<const wvl_cuda_t1_weight>(job.t1.hull_weights, id);
    wvl_band_coding band = {};
    band.weight_mantissa = weight.mantissa;
    band.weight_exponent = weight.exponent;
    return band;
}

/* The slope at which rate control has cut the block. */
__device__ __forceinline__ uint32_t end_of(const job_type &job, uint32_t id)
{
    uint32_t group = job.cap_groups ? item<const uint16_t>(job.cap_groups, id) : 0;
    return min(*(const uint32_t *)(job.thresholds + (uint64_t)group * job.threshold_pitch), 65535u);
}

/* Says whether a block found no scratch memory. No kernel of this room lists blocks: the answer is the same for all
 * threads.
 */
__device__ __forceinline__ bool has_left(const job_type &job)
{
    return *wvl_t1::counter_of(job.t1, WVL_CUDA_T1_LEFT_BLOCKS) != 0;
}

/* Says whether the launch has nothing to do: the picture did not end far off. */
__device__ __forceinline__ bool is_void(const job_type &job)
{
    return job.which == WVL_CUDA_RDOQ_REQUANTISED && !((const wvl_cuda_rdoq_survey *)job.survey)->is_far_off;
}

/* A block of the launch. */
__device__ __forceinline__ uint32_t block_at(const job_type &job, uint32_t at)
{
    return job.lists ? item<const uint32_t>(job.lists, job.first + at) : job.first + at;
}

/* Tables of the blocks that are coded next. */
__device__ __forceinline__ const wvl_cuda_t1_job &coded_by(const job_type &job)
{
    return job.which == WVL_CUDA_RDOQ_ALL ? job.t1 : job.again;
}

/* The block of this warp, where a warp has one; false: there is none. */
__device__ __forceinline__ bool find_block(const job_type &job, uint32_t *id)
{
    uint32_t at = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (at >= job.count) {
        return false;
    }
    *id = block_at(job, at);
    return true;
}

/* Says whether this thread block is the last one of the launch that is done. It sees what the others did, and goes on
 * alone. All threads. */
__device__ __forceinline__ bool is_last(const job_type &job, uint32_t *shared)
{
    uint32_t &arrived = ((wvl_cuda_rdoq_survey *)job.survey)->arrived;
    __syncthreads();
    if (!threadIdx.x) {
        __threadfence();
        *shared = atomicAdd(&arrived, 1u) + 1 == gridDim.x;
        if (*shared) {
            arrived = 0;
            __threadfence();
        }
    }
    __syncthreads();
    return *shared != 0;
}

/* The sum over LANES lanes; so are the others. All lanes of the warp. */
template <uint32_t LANES = 32> __device__ __forceinline__ uint32_t sum_lanes(uint32_t v)
{
#pragma unroll
    for (uint32_t d = LANES / 2; d; d >>= 1) {
        v += __shfl_sync(~0u, v, lane_id() ^ d);
    }
    return v;
}
template <uint32_t LANES = 32> __device__ __forceinline__ uint32_t join_lanes(uint32_t v)
{
#pragma unroll
    for (uint32_t d = LANES / 2; d; d >>= 1) {
        v |= __shfl_sync(~0u, v, lane_id() ^ d);
    }
    return v;
}
/* Returns the most of all lanes of the warp. */
__device__ __forceinline__ uint32_t most_lanes(uint32_t v)
{
#pragma unroll
    for (uint32_t d = 16; d; d >>= 1) {
        v = max(v, __shfl_sync(~0u, v, lane_id() ^ d));
    }
    return v;
}
/* Modulo 2^64. */
template <uint32_t LANES = 32> __device__ __forceinline__ uint64_t sum_wide_lanes(uint64_t v)
{
#pragma unroll
    for (uint32_t d = LANES / 2; d; d >>= 1) {
        uint32_t low = __shfl_sync(~0u, (uint32_t)v, lane_id() ^ d),
                 high = __shfl_sync(~0u, (uint32_t)(v >> 32), lane_id() ^ d);
        v += (uint64_t)high << 32 | low;
    }
    return v;
}

/* Samples of a block in raster order, 32 at a time: neighbouring lanes read neighbouring samples. */
struct walk {
    uint32_t x, y, width, columns, rows;
    __device__ __forceinline__ explicit walk(uint32_t block_width)
        : x(lane_id() % block_width), y(lane_id() / block_width), width(block_width), columns(32 % block_width),
          rows(32 / block_width)
    {
    }
    __device__ __forceinline__ void go_on()
    {
        x += columns;
        y += rows;
        if (x >= width) {
            x -= width;
            y++;
        }
    }
};

/* T: uint16_t or uint32_t, the sign in its top bit. */
template <typename T> __device__ __forceinline__ uint32_t magnitude_of(T v) { return v & (uint32_t)((T) ~(T)0 >> 1); }

/* Four samples of a row; 0 for those behind its end. */
template <typename T> struct four_samples {
    T v[4];
};

/* The same in a word of two or four samples each. */
struct alignas(8) narrow_words {
    uint32_t w[2];
};
struct alignas(16) wide_words {
    uint32_t w[4];
};

__device__ __forceinline__ void split_words(const uint16_t *from, four_samples<uint16_t> *to)
{
    const narrow_words n = *(const narrow_words *)from;
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
        to->v[k] = (uint16_t)(n.w[k / 2] >> 16 * (k & 1));
    }
}
__device__ __forceinline__ void split_words(const uint32_t *from, four_samples<uint32_t> *to)
{
    const wide_words n = *(const wide_words *)from;
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
        to->v[k] = n.w[k];
    }
}

/* Where a block's samples lie, four at a time. */
template <typename T> struct sample_rows {
    const T *first;
    uint32_t width, stride;
    bool is_aligned; /* four samples of a row are a word that is read at once */

    __device__ __forceinline__ explicit sample_rows(const wvl_cuda_t1_block &b)
        : first((const T *)b.coefs), width(b.width), stride(b.stride),
          is_aligned(!(b.coefs % (4 * sizeof(T)) || b.stride % 4))
    {
    }
    __device__ __forceinline__ const T *at(uint32_t x, uint32_t y) const { return first + (size_t)y * stride + 4 * x; }
    /* x counts in fours. */
    __device__ __forceinline__ four_samples<T> load(uint32_t x, uint32_t y) const
    {
        four_samples<T> s;
        const T *from = at(x, y);
        if (is_aligned && 4 * x + 4 <= width) {
            split_words(from, &s);
            return s;
        }
#pragma unroll
        for (uint32_t k = 0; k < 4; k++) {
            s.v[k] = 4 * x + k < width ? from[k] : (T)0;
        }
        return s;
    }
};

/* By a warp: calls visit(four samples, x, y) for all samples of a block; x counts in fours. Sixteen bytes or more of a
 * lane are on their way together: a warp that waits for each load by itself does little else. */
template <typename T, typename VISIT>
__device__ __forceinline__ void visit_fours(const wvl_cuda_t1_block &b, const VISIT &visit)
{
    constexpr uint32_t AT_ONCE = 8 / sizeof(T);
    const sample_rows<T> rows(b);
    for (walk next((b.width + 3u) / 4); next.y < b.height;) {
        walk at = next;
        four_samples<T> some[AT_ONCE];
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++) {
            if (next.y < b.height) {
                some[k] = rows.load(next.x, next.y);
            }
            next.go_on();
        }
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++) {
            if (at.y < b.height) {
                visit(some[k], at.x, at.y);
            }
            at.go_on();
        }
    }
}

} // namespace wvl_rdoq
