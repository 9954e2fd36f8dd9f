/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/dwt/kernels.h"

#define ANY(NAME, WAVELET, THREADS, BLOCKS, SHARED)                                                                    \
    WVL_CUDA_KERNEL_ROW(ANY, NAME, WAVELET, 8, THREADS, BLOCKS, SHARED, .end = WVL_CUDA_END_ANYTHING)
#define CASCADE(NAME, WAVELET, SAMPLE, COEF, THREADS, BLOCKS, SHARED)                                                  \
    WVL_CUDA_KERNEL_ROW(CASCADE, NAME, WAVELET, 4, THREADS, BLOCKS, SHARED, .end = WVL_CUDA_END_PLANE,                 \
                        .container_bits = (SAMPLE), .coef_bits = (COEF))
#define LAST(NAME, WAVELET, SAMPLE, COEF, DEPTH, THREADS, BLOCKS, SHARED)                                              \
    WVL_CUDA_KERNEL_ROW(LAST, NAME, WAVELET, 4, THREADS, BLOCKS, SHARED, .end = WVL_CUDA_END_PLANE,                    \
                        .container_bits = (SAMPLE), .coef_bits = (COEF), .depth = WVL_CUDA_DEPTH_##DEPTH)
#define MARCH(NAME, WAVELET, SOURCE, SAMPLE, COLUMNS, COEF, DEPTH, SHARE, AHEAD, OWNS, THREADS, BLOCKS, COUNTED,       \
              SHARED)                                                                                                  \
    WVL_CUDA_KERNEL_ROW(MARCH, NAME, WAVELET, COLUMNS, THREADS, BLOCKS, SHARED, .end = WVL_CUDA_END_##SOURCE,          \
                        .container_bits = (SAMPLE), .coef_bits = (COEF), .depth = WVL_CUDA_DEPTH_##DEPTH,              \
                        .share = WVL_CUDA_SHARE_##SHARE, .ahead = WVL_CUDA_AHEAD_##AHEAD,                              \
                        .owns = WVL_CUDA_OWNS_##OWNS, .counted = (COUNTED))

const wvl_cuda_kernel_row wvl_cuda_kernel_rows[WVL_CUDA_KERNELS] = {
#include "cuda/dwt/kernel_rows.h"
};

const wvl_cuda_kernel_row *wvl_cuda_find_kernel(const wvl_cuda_kernel_wish *wish)
{
    return wvl_cuda_find_row(wvl_cuda_kernel_rows, WVL_CUDA_KERNELS, wish);
}
