/* SPDX-License-Identifier: BSD-2-Clause */
/* Coefficients to their slots, and the bounds of blocks. */
#ifndef WVL_CUDA_BLOCK_STORE_CUH
#define WVL_CUDA_BLOCK_STORE_CUH

#include "cuda/job.h"
#include "dwt/quant.h"

__device__ __forceinline__ uint32_t band_magnitude(const wvl_cuda_band &, int32_t x) { return x < 0 ? 0u - (uint32_t)x : (uint32_t)x; }
__device__ __forceinline__ uint32_t band_magnitude(const wvl_cuda_band &band, float x)
{
    return band.deep ? wvl_quant_magnitude(x, band.reciprocal) : wvl_quant_magnitude_float(x, band.reciprocal);
}

/* Address of the sample at (x, y) of the band's own grid: wvl_coef_at() with addresses. */
__device__ __forceinline__ uint64_t band_address(const wvl_cuda_band &band, uint32_t x, uint32_t y)
{
    uint32_t col = (x >> band.xcb) - band.block_x0, row = (y >> band.ycb) - band.block_y0;
    uint32_t left = col ? (x >> band.xcb) << band.xcb : band.rect.x0;
    uint32_t top = row ? (y >> band.ycb) << band.ycb : band.rect.y0;
    return band.samples + row * band.row_bytes + (uint64_t)col * band.slot_bytes +
           ((uint64_t)(y - top) * band.slot_width + (x - left)) * band.coef_bytes;
}

/* Puts one coefficient and returns its magnitude. */
template <class T> __device__ __forceinline__ uint32_t put_coefficient(const wvl_cuda_band &band, uint32_t x, uint32_t y, T value)
{
    uint32_t magnitude = band_magnitude(band, value);
    uint64_t to = band_address(band, x, y);
    if (band.coef_bytes == 2) {
        *(uint16_t *)to = wvl_quant_sign16(magnitude, value < 0);
    } else {
        *(uint32_t *)to = wvl_quant_sign32(magnitude, value < 0);
    }
    return magnitude;
}

__device__ __forceinline__ uint32_t *block_bound(const wvl_cuda_band &band, uint32_t x, uint32_t y)
{
    return (uint32_t *)band.bounds + (uint64_t)((y >> band.ycb) - band.block_y0) * band.block_cols + ((x >> band.xcb) - band.block_x0);
}

/* OR over the lanes of a full warp; sm_75 has no instruction for it. */
__device__ __forceinline__ uint32_t warp_or(uint32_t v)
{
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        v |= __shfl_xor_sync(0xffffffffu, v, d);
    }
    return v;
}

#endif
