/* SPDX-License-Identifier: BSD-2-Clause */
/* Single samples from pixels or planes: level shift, range check and component transform. */
#ifndef WVL_CUDA_BLOCK_LOAD_CUH
#define WVL_CUDA_BLOCK_LOAD_CUH

#include "cuda/job.h"
#include "front/color_ops.h"

/* Whole-sample symmetric extension (F.4.7) of any index; a signal of one sample repeats. */
__device__ __forceinline__ uint32_t reflect(int64_t at, uint32_t first, uint32_t end)
{
    int64_t offset = at - (int64_t)first;
    int64_t last = (int64_t)end - first - 1, period = 2 * last;
    if (offset >= 0 && offset <= last) {
        return (uint32_t)at;
    }
    if (!last) {
        return first;
    }
    int64_t folded = offset % period;
    folded = folded < 0 ? folded + period : folded;
    return first + (uint32_t)(folded <= last ? folded : period - folded);
}

/* Any bit position, most significant first; only bytes that hold bits of the sample are read. */
__device__ __forceinline__ uint32_t load_bits(const uint8_t *row, uint64_t at, unsigned bits)
{
    uint32_t window = 0;
    uint64_t last = (at + bits - 1) >> 3;
    for (uint64_t i = at >> 3; i <= last; i++) {
        window = window << 8 | row[i];
    }
    return window >> ((last + 1) * 8 - at - bits) & ((1u << bits) - 1);
}

/* The stored value, sign- or zero-extended. Pixels need no alignment. */
__device__ __forceinline__ uint32_t load_stored(const wvl_cuda_pixels &p, uint32_t x, uint32_t y)
{
    const uint8_t *row = (const uint8_t *)p.data + (int64_t)(y - p.y0) * p.pitch_bytes;
    uint64_t at = p.first + (uint64_t)(x - p.x0) * p.stride;
    switch (p.container) {
    case WVL_SAMPLE_8: return p.is_signed ? (uint32_t)(int32_t)(int8_t)row[at] : row[at];
    case WVL_SAMPLE_16: {
        uint32_t v = row[2 * at] | (uint32_t)row[2 * at + 1] << 8;
        return p.is_signed ? (uint32_t)(int32_t)(int16_t)v : v;
    }
    case WVL_SAMPLE_PACKED10: return load_bits(row, at * 10, 10);
    case WVL_SAMPLE_PACKED12: return load_bits(row, at * 12, 12);
    default: return row[4 * at] | (uint32_t)row[4 * at + 1] << 8 | (uint32_t)row[4 * at + 2] << 16 | (uint32_t)row[4 * at + 3] << 24;
    }
}

__device__ __forceinline__ int32_t load_shifted(const wvl_cuda_pixels &p, uint32_t x, uint32_t y, uint32_t &outside)
{
    uint32_t biased = load_stored(p, x, y) + p.bias;
    outside |= biased >> p.depth;
    return (int32_t)(biased - p.half);
}

__device__ __forceinline__ void put_color(const wvl_cuda_job &job, int32_t r, int32_t g, int32_t b, int32_t *out)
{
    *out = job.mct_part == 1 ? wvl_rct_luma(r, g, b) : job.mct_part == 2 ? b - g : r - g;
}

__device__ __forceinline__ void put_color(const wvl_cuda_job &job, int32_t ri, int32_t gi, int32_t bi, float *out)
{
    float r = (float)ri, g = (float)gi, b = (float)bi, y = wvl_ict_luma(r, g, b);
    *out = job.mct_part == 1 ? y : __fsub_rn(job.mct_part == 2 ? b : r, y);
}

/* The sample of the job's component at (x, y), which lies in the job's rectangle. */
template <class T> __device__ __forceinline__ T load_pixel(const wvl_cuda_job &job, uint32_t x, uint32_t y, uint32_t &outside)
{
    int32_t first = load_shifted(job.pixels[0], x, y, outside);
    T value = (T)first;
    if (job.mct_part) {
        int32_t second = load_shifted(job.pixels[1], x, y, outside), third = load_shifted(job.pixels[2], x, y, outside);
        put_color(job, first, second, third, &value);
    }
    return value;
}

#endif
