/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of the inverse, made from the rows of kernel_rows.h: an image of its own, which only tests and the
 * benchmark carry. */
#include "lab/cuda/inverse/any.cuh"
#include "lab/cuda/inverse/march.cuh"

#define KERNEL(NAME, BOUNDS, RUN)                                                                                      \
    extern "C" __global__ void BOUNDS wvl_##NAME(const wvl_cuda_inverse_split *splits, const wvl_cuda_item *items)     \
    {                                                                                                                  \
        RUN                                                                                                            \
    }
#define RUN_ANY(T) back::run_tile<T>(splits, items);
#define RUN_PIXELS(T) back::run_pixels<T>(splits, items);

#define ANY(NAME, WAVELET, THREADS, BLOCKS, SHARED)                                                                    \
    KERNEL(NAME, __launch_bounds__(THREADS), RUN_ANY(inverse_sample_type<WVL_CUDA_WAVELET_##WAVELET>::type))
#define PIXELS(NAME, WAVELET, THREADS, BLOCKS, SHARED)                                                                 \
    KERNEL(NAME, __launch_bounds__(THREADS), RUN_PIXELS(inverse_sample_type<WVL_CUDA_WAVELET_##WAVELET>::type))
#define MARCH(NAME, WAVELET, COEF, END, SAMPLE, COLUMNS, PLACES, SHARE, THREADS, BLOCKS, SHARED)                       \
    struct row_of_##NAME {                                                                                             \
        static constexpr int reversible = WVL_CUDA_WAVELET_##WAVELET, coef_bits = COEF, end = WVL_CUDA_END_##END,      \
                             container_bits = SAMPLE, columns = COLUMNS, places = PLACES, threads = THREADS,           \
                             shared_bytes = SHARED;                                                                    \
    };                                                                                                                 \
    KERNEL(NAME, __launch_bounds__(THREADS, BLOCKS), RUN_MARCH(row_of_##NAME))

#include "lab/cuda/inverse/kernel_rows.h"
