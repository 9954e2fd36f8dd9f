/* SPDX-License-Identifier: BSD-2-Clause */
/* Single samples as they are stored. */
#ifndef WVL_CUDA_CORE_LOAD_CUH
#define WVL_CUDA_CORE_LOAD_CUH

#include "cuda/core/pixels.h"

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
    case WVL_SAMPLE_32: return wvl_container_read_le32(row + 4 * at);
    default: return wvl_container_read(p.container, row, at);
    }
}

#endif
