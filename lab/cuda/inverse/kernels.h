/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of the inverse for the host: kernel_rows.h as an array. */
#pragma once

#include "cuda/core/kernel_row.h"

/* A number for every row, in their order. */
#define ANY(name, ...) WVL_CUDA_INVERSE_KERNEL_##name,
#define MARCH(name, ...) WVL_CUDA_INVERSE_KERNEL_##name,
#define PIXELS(name, ...) WVL_CUDA_INVERSE_KERNEL_##name,
enum {
#include "lab/cuda/inverse/kernel_rows.h"
    WVL_CUDA_INVERSE_KERNELS
};

extern const wvl_cuda_kernel_row wvl_cuda_inverse_rows[WVL_CUDA_INVERSE_KERNELS];

/* The kernel for a wish; NULL: there is none. */
const wvl_cuda_kernel_row *wvl_cuda_inverse_find_kernel(const wvl_cuda_kernel_wish *wish);
