/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/dwt/kernels.h"

#include <stddef.h>

#define ANY(NAME, WAVELET, THREADS, BLOCKS, SHARED)                                                                    \
    {.name = "wvl_" #NAME,                                                                                             \
     .family = WVL_CUDA_FAMILY_ANY,                                                                                    \
     .reversible = WVL_CUDA_WAVELET_##WAVELET,                                                                         \
     .columns = 8,                                                                                                     \
     .threads = (THREADS),                                                                                             \
     .blocks = (BLOCKS),                                                                                               \
     .shared_bytes = (SHARED)},
#define CASCADE(NAME, WAVELET, SAMPLE, COEF, THREADS, BLOCKS, SHARED)                                                  \
    {.name = "wvl_" #NAME,                                                                                             \
     .family = WVL_CUDA_FAMILY_CASCADE,                                                                                \
     .reversible = WVL_CUDA_WAVELET_##WAVELET,                                                                         \
     .end = WVL_CUDA_END_PLANE,                                                                                        \
     .container_bits = (SAMPLE),                                                                                       \
     .columns = 4,                                                                                                     \
     .coef_bits = (COEF),                                                                                              \
     .threads = (THREADS),                                                                                             \
     .blocks = (BLOCKS),                                                                                               \
     .shared_bytes = (SHARED)},
#define LAST(NAME, WAVELET, SAMPLE, COEF, DEPTH, THREADS, BLOCKS, SHARED)                                              \
    {.name = "wvl_" #NAME,                                                                                             \
     .family = WVL_CUDA_FAMILY_LAST,                                                                                   \
     .reversible = WVL_CUDA_WAVELET_##WAVELET,                                                                         \
     .end = WVL_CUDA_END_PLANE,                                                                                        \
     .container_bits = (SAMPLE),                                                                                       \
     .columns = 4,                                                                                                     \
     .coef_bits = (COEF),                                                                                              \
     .depth = WVL_CUDA_DEPTH_##DEPTH,                                                                                  \
     .threads = (THREADS),                                                                                             \
     .blocks = (BLOCKS),                                                                                               \
     .shared_bytes = (SHARED)},
#define MARCH(NAME, WAVELET, SOURCE, SAMPLE, COLUMNS, COEF, DEPTH, SHARE, AHEAD, OWNS, THREADS, BLOCKS, COUNTED,       \
              SHARED)                                                                                                  \
    {.name = "wvl_" #NAME,                                                                                             \
     .family = WVL_CUDA_FAMILY_MARCH,                                                                                  \
     .reversible = WVL_CUDA_WAVELET_##WAVELET,                                                                         \
     .end = WVL_CUDA_END_##SOURCE,                                                                                     \
     .container_bits = (SAMPLE),                                                                                       \
     .columns = (COLUMNS),                                                                                             \
     .coef_bits = (COEF),                                                                                              \
     .depth = WVL_CUDA_DEPTH_##DEPTH,                                                                                  \
     .share = WVL_CUDA_SHARE_##SHARE,                                                                                  \
     .ahead = WVL_CUDA_AHEAD_##AHEAD,                                                                                  \
     .owns = WVL_CUDA_OWNS_##OWNS,                                                                                     \
     .threads = (THREADS),                                                                                             \
     .blocks = (BLOCKS),                                                                                               \
     .counted = (COUNTED),                                                                                             \
     .shared_bytes = (SHARED)},

const wvl_cuda_kernel_row wvl_cuda_kernel_rows[WVL_CUDA_KERNELS] = {
#include "cuda/dwt/kernel_rows.h"
};

const wvl_cuda_kernel_row *wvl_cuda_find_kernel(const wvl_cuda_kernel_wish *wish)
{
    return wvl_cuda_find_row(wvl_cuda_kernel_rows, WVL_CUDA_KERNELS, wish);
}
