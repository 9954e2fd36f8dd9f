/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/cuda/inverse/kernels.h"

#define ANY(NAME, WAVELET, THREADS, BLOCKS, SHARED)                                                                    \
    WVL_CUDA_KERNEL_ROW(ANY, NAME, WAVELET, 4, THREADS, BLOCKS, SHARED, .end = WVL_CUDA_END_ANYTHING)
#define MARCH(NAME, WAVELET, COEF, END, SAMPLE, COLUMNS, PLACES, SHARE, THREADS, BLOCKS, SHARED)                       \
    WVL_CUDA_KERNEL_ROW(MARCH, NAME, WAVELET, COLUMNS, THREADS, BLOCKS, SHARED, .end = WVL_CUDA_END_##END,             \
                        .share = WVL_CUDA_SHARE_##SHARE, .container_bits = (SAMPLE), .coef_bits = (COEF),              \
                        .counted = (BLOCKS))
#define PIXELS(NAME, WAVELET, THREADS, BLOCKS, SHARED)                                                                 \
    WVL_CUDA_KERNEL_ROW(PIXELS, NAME, WAVELET, 1, THREADS, BLOCKS, SHARED, .end = WVL_CUDA_END_ANYTHING)

const wvl_cuda_kernel_row wvl_cuda_inverse_rows[WVL_CUDA_INVERSE_KERNELS] = {
#include "lab/cuda/inverse/kernel_rows.h"
};

const wvl_cuda_kernel_row *wvl_cuda_inverse_find_kernel(const wvl_cuda_kernel_wish *wish)
{
    return wvl_cuda_find_row(wvl_cuda_inverse_rows, WVL_CUDA_INVERSE_KERNELS, wish);
}
