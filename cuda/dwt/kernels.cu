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

/* A kernel: its launch bounds, its body, and the properties of its row that the body is made from. */
#define KERNEL(NAME, RUN, THREADS, BLOCKS, ...)                                                                        \
    struct row_of_##NAME {                                                                                             \
        static constexpr int threads = THREADS, __VA_ARGS__;                                                           \
    };                                                                                                                 \
    extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) wvl_##NAME(LAUNCH_ARGUMENTS) { RUN(row_of_##NAME) }

#define RUN_ANY(ROW) any_shape::run_any<ROW>(splits, items, asked, only);
#define RUN_CASCADE(ROW) run_cascade<ROW>(splits, items, asked, only);
#define RUN_LAST(ROW) run_last<ROW>(splits, items, asked, only);

#define ANY(NAME, WAVELET, THREADS, BLOCKS, SHARED)                                                                    \
    KERNEL(NAME, RUN_ANY, THREADS, BLOCKS, reversible = WVL_CUDA_WAVELET_##WAVELET, shared_bytes = SHARED)
#define CASCADE(NAME, WAVELET, SAMPLE, COEF, THREADS, BLOCKS, SHARED)                                                  \
    KERNEL(NAME, RUN_CASCADE, THREADS, BLOCKS, reversible = WVL_CUDA_WAVELET_##WAVELET, container_bits = SAMPLE,       \
           coef_bits = COEF, shared_bytes = SHARED)
#define LAST(NAME, WAVELET, SAMPLE, COEF, DEPTH, THREADS, BLOCKS, SHARED)                                              \
    KERNEL(NAME, RUN_LAST, THREADS, BLOCKS, reversible = WVL_CUDA_WAVELET_##WAVELET, container_bits = SAMPLE,          \
           coef_bits = COEF, depth = WVL_CUDA_DEPTH_##DEPTH, shared_bytes = SHARED)
#define MARCH(NAME, WAVELET, SOURCE, SAMPLE, COLUMNS, COEF, DEPTH, SHARE, AHEAD, OWNS, THREADS, BLOCKS, COUNTED,       \
              SHARED)                                                                                                  \
    KERNEL(NAME, RUN_##SHARE, THREADS, BLOCKS, reversible = WVL_CUDA_WAVELET_##WAVELET, end = WVL_CUDA_END_##SOURCE,   \
           container_bits = SAMPLE, columns = COLUMNS, coef_bits = COEF, depth = WVL_CUDA_DEPTH_##DEPTH,               \
           share = WVL_CUDA_SHARE_##SHARE, ahead = WVL_CUDA_AHEAD_##AHEAD, owns = WVL_CUDA_OWNS_##OWNS,                \
           shared_bytes = SHARED)

#include "cuda/dwt/kernel_rows.h"
