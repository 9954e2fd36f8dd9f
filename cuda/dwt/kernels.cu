/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of the forward transform, made from the rows of kernel_rows.h: what a row says is what is compiled. */
#include "cuda/core/kernel_row.h"
#include "cuda/dwt/cascade.cuh"
#include "cuda/dwt/last.cuh"
#include "cuda/dwt/level_any.cuh"
#include "cuda/dwt/march.cuh"
#include "cuda/dwt/march_halves.cuh"
#include "cuda/dwt/march_mixed.cuh"
#include "cuda/dwt/march_wide.cuh"

/* `run` of the row's properties, which follow the launch bounds. */
#define run_EACH run_ONE
#define KERNEL(NAME, RUN, THREADS, BLOCKS, ...)                                                 \
    struct row_of_##NAME {                                                                      \
        static constexpr int threads = THREADS, __VA_ARGS__;                                    \
    };                                                                                          \
    extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) wvl_##NAME(LAUNCH_ARGUMENTS) \
    {                                                                                           \
        RUN<row_of_##NAME>(splits, items, asked, only);                                         \
    }

#define ANY(NAME, WAVELET, THREADS, BLOCKS, SHARED) \
    KERNEL(NAME, any_shape::run_any, THREADS, BLOCKS, reversible = WVL_CUDA_WAVELET_##WAVELET, shared_bytes = SHARED)
#define CASCADE(NAME, WAVELET, SAMPLE, COEF, THREADS, BLOCKS, SHARED)                        \
    KERNEL(NAME, run_cascade, THREADS, BLOCKS, reversible = WVL_CUDA_WAVELET_##WAVELET,      \
           container_bits = SAMPLE, coef_bits = COEF, shared_bytes = SHARED)
#define LAST(NAME, WAVELET, SAMPLE, COEF, DEPTH, THREADS, BLOCKS, SHARED)                    \
    KERNEL(NAME, run_last, THREADS, BLOCKS, reversible = WVL_CUDA_WAVELET_##WAVELET,         \
           container_bits = SAMPLE, coef_bits = COEF, depth = WVL_CUDA_DEPTH_##DEPTH, shared_bytes = SHARED)
#define MARCH(NAME, WAVELET, SOURCE, SAMPLE, COLUMNS, COEF, DEPTH, SHARE, AHEAD, OWNS, THREADS, BLOCKS, COUNTED, SHARED) \
    KERNEL(NAME, run_##SHARE, THREADS, BLOCKS, reversible = WVL_CUDA_WAVELET_##WAVELET, end = WVL_CUDA_END_##SOURCE,        \
           container_bits = SAMPLE, columns = COLUMNS, coef_bits = COEF, depth = WVL_CUDA_DEPTH_##DEPTH,                \
           share = WVL_CUDA_SHARE_##SHARE, ahead = WVL_CUDA_AHEAD_##AHEAD, owns = WVL_CUDA_OWNS_##OWNS,                 \
           shared_bytes = SHARED)

#include "cuda/dwt/kernel_rows.h"
