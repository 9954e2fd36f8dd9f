/* SPDX-License-Identifier: BSD-2-Clause */
/* Coefficients to their cells, and the bounds of blocks. */
#ifndef WVL_CUDA_DWT_BLOCK_STORE_CUH
#define WVL_CUDA_DWT_BLOCK_STORE_CUH

#include "cuda/core/split.h"
#include "dwt/quant.h"

/* Address of the sample at (x, y) of the band's own grid: wvl_coef_at() with addresses. */
__device__ __forceinline__ uint64_t band_address(const wvl_cuda_band &band, uint32_t x, uint32_t y)
{
    uint32_t col = (x >> band.xcb) - band.block_x0, row = (y >> band.ycb) - band.block_y0;
    uint32_t left = col ? (x >> band.xcb) << band.xcb : band.rect.x0;
    uint32_t top = row ? (y >> band.ycb) << band.ycb : band.rect.y0;
    return band.samples + row * band.row_bytes + (uint64_t)col * band.cell_bytes +
           ((uint64_t)(y - top) * band.cell_width + (x - left)) * band.coef_bytes;
}

__device__ __forceinline__ void put_sample(const wvl_cuda_band &band, uint32_t x, uint32_t y, uint32_t magnitude,
                                           bool negative)
{
    uint64_t to = band_address(band, x, y);
    if (band.coef_bytes == 2) {
        *(uint16_t *)to = wvl_quant_sign16(magnitude, negative);
    } else {
        *(uint32_t *)to = wvl_quant_sign32(magnitude, negative);
    }
}

__device__ __forceinline__ uint32_t *block_bound(const wvl_cuda_band &band, uint32_t x, uint32_t y)
{
    return (uint32_t *)band.bounds + (uint64_t)((y >> band.ycb) - band.block_y0) * band.block_cols +
           ((x >> band.xcb) - band.block_x0);
}

#endif
