/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pixels to X'Y'Z' codes in 16-bit containers, before the first level: the arithmetic of front/xyz_ops.h, a thread a
 * pixel, no shared memory. WVL_CUDA_COLOR_THREADS threads a block, one part of a row each. Bytes moved a pixel: three
 * containers in, 6 out; the tables of light (at most 512 KiB each) stay in L2.
 */
#include "cuda/color/color.h"
#include "cuda/core/load.cuh"
#include "front/xyz_ops.h"

extern "C" __global__ void __launch_bounds__(WVL_CUDA_COLOR_THREADS) wvl_xyz(const wvl_cuda_color *color)
{
    const wvl_cuda_color &c = *color;
    uint32_t width = wvl_rect_width(c.rect), cols = (width + WVL_CUDA_COLOR_THREADS - 1) / WVL_CUDA_COLOR_THREADS;
    uint32_t column = blockIdx.x % cols * WVL_CUDA_COLOR_THREADS + threadIdx.x, row = blockIdx.x / cols;
    if (column >= width) {
        return;
    }
    uint32_t v[3], outside = 0;
    double light[3];
    for (int k = 0; k < 3; k++) {
        uint32_t stored = load_stored(c.from[k], c.rect.x0 + column, c.rect.y0 + row);
        outside |= stored >> c.depth;
        v[k] = stored & ((1u << c.depth) - 1);
        light[k] = c.kind == WVL_XYZ_MATRIX ? ((const double *)c.light[k])[v[k]] : 0.0;
    }
    for (int k = 0; k < 3; k++) {
        uint32_t code = v[k] >> (c.depth - WVL_XYZ_DEPTH & 31);
        if (c.kind == WVL_XYZ_MATRIX) {
            code = (uint32_t)wvl_xyz_code(wvl_xyz_row(c.matrix + 3 * k, light[0], light[1], light[2]));
        }
        ((uint16_t *)(c.to[k] + row * c.pitch_bytes))[column] = (uint16_t)code;
    }
    if (outside) {
        atomicOr((uint32_t *)c.outside, 1u);
    }
}
