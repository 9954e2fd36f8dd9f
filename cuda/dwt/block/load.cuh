/* SPDX-License-Identifier: BSD-2-Clause */
/* Single samples of a component: level shift, range check and component transform. */
#ifndef WVL_CUDA_DWT_BLOCK_LOAD_CUH
#define WVL_CUDA_DWT_BLOCK_LOAD_CUH

#include "cuda/core/load.cuh"
#include "cuda/core/split.h"
#include "front/color_ops.h"

__device__ __forceinline__ int32_t load_shifted(const wvl_cuda_pixels &p, uint32_t x, uint32_t y, uint32_t &outside)
{
    uint32_t biased = load_stored(p, x, y) + p.bias;
    outside |= biased >> p.depth;
    int32_t value = (int32_t)(biased - p.half);
    return p.is_float ? wvl_nlt_complement(value, p.half - 1) : value;
}

__device__ __forceinline__ void put_color(const wvl_cuda_split &split, int32_t r, int32_t g, int32_t b, int32_t *out)
{
    *out = split.mct_part == 1 ? wvl_rct_luma(r, g, b) : split.mct_part == 2 ? b - g : r - g;
}

__device__ __forceinline__ void put_color(const wvl_cuda_split &split, int32_t ri, int32_t gi, int32_t bi, float *out)
{
    float r = (float)ri, g = (float)gi, b = (float)bi, y = wvl_ict_luma(r, g, b);
    *out = split.mct_part == 1 ? y : __fsub_rn(split.mct_part == 2 ? b : r, y);
}

/* The sample of the split's component at (x, y), which lies in the split's rectangle. */
template <class T>
__device__ __forceinline__ T load_pixel(const wvl_cuda_split &split, uint32_t x, uint32_t y, uint32_t &outside)
{
    int32_t first = load_shifted(split.pixels[0], x, y, outside);
    T value = (T)first;
    if (split.mct_part) {
        int32_t second = load_shifted(split.pixels[1], x, y, outside),
                third = load_shifted(split.pixels[2], x, y, outside);
        put_color(split, first, second, third, &value);
    }
    return value;
}

#endif
