/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/cuda/inverse/kernels.h"

#define ANY(NAME, WAVELET, THREADS, BLOCKS, SHARED)                                                                    \
    {.name = "wvl_" #NAME,                                                                                             \
     .family = WVL_CUDA_FAMILY_ANY,                                                                                    \
     .reversible = WVL_CUDA_WAVELET_##WAVELET,                                                                         \
     .columns = 4,                                                                                                     \
     .threads = (THREADS),                                                                                             \
     .blocks = (BLOCKS),                                                                                               \
     .shared_bytes = (SHARED)},
#define MARCH(NAME, WAVELET, COEF, END, SAMPLE, COLUMNS, SLOTS, SHARE, THREADS, BLOCKS, SHARED)                        \
    {.name = "wvl_" #NAME,                                                                                             \
     .family = WVL_CUDA_FAMILY_MARCH,                                                                                  \
     .reversible = WVL_CUDA_WAVELET_##WAVELET,                                                                         \
     .end = WVL_CUDA_END_##END,                                                                                        \
     .share = WVL_CUDA_SHARE_##SHARE,                                                                                  \
     .container_bits = (SAMPLE),                                                                                       \
     .columns = (COLUMNS),                                                                                             \
     .coef_bits = (COEF),                                                                                              \
     .threads = (THREADS),                                                                                             \
     .blocks = (BLOCKS),                                                                                               \
     .counted = (BLOCKS),                                                                                              \
     .shared_bytes = (SHARED)},
#define PIXELS(NAME, WAVELET, THREADS, BLOCKS, SHARED)                                                                 \
    {.name = "wvl_" #NAME,                                                                                             \
     .family = WVL_CUDA_FAMILY_PIXELS,                                                                                 \
     .reversible = WVL_CUDA_WAVELET_##WAVELET,                                                                         \
     .columns = 1,                                                                                                     \
     .threads = (THREADS),                                                                                             \
     .blocks = (BLOCKS),                                                                                               \
     .shared_bytes = (SHARED)},

const wvl_cuda_kernel_row wvl_cuda_inverse_rows[WVL_CUDA_INVERSE_KERNELS] = {
#include "lab/cuda/inverse/kernel_rows.h"
};

const wvl_cuda_kernel_row *wvl_cuda_inverse_find_kernel(const wvl_cuda_kernel_wish *wish)
{
    return wvl_cuda_find_row(wvl_cuda_inverse_rows, WVL_CUDA_INVERSE_KERNELS, wish);
}
