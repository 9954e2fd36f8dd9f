/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of the forward transform for the host: kernel_rows.h as an array. */
#pragma once

#include "cuda/core/kernel_row.h"

/* A number for every row, in their order. */
#define ANY(name, ...) WVL_CUDA_KERNEL_##name,
#define CASCADE(name, ...) WVL_CUDA_KERNEL_##name,
#define LAST(name, ...) WVL_CUDA_KERNEL_##name,
#define MARCH(name, ...) WVL_CUDA_KERNEL_##name,
enum {
#include "cuda/dwt/kernel_rows.h"
    WVL_CUDA_KERNELS
};

extern const wvl_cuda_kernel_row wvl_cuda_kernel_rows[WVL_CUDA_KERNELS];

/* The kernel for a wish; NULL: there is none. */
const wvl_cuda_kernel_row *wvl_cuda_find_kernel(const wvl_cuda_kernel_wish *wish);

/* Says whether the kernel reads pixels; those of any shape read planes, too. */
static inline int wvl_cuda_reads_pixels(const wvl_cuda_kernel_row *row) { return row->end != WVL_CUDA_END_PLANE; }
static inline int wvl_cuda_reads_planes(const wvl_cuda_kernel_row *row)
{
    return row->end == WVL_CUDA_END_PLANE || row->end == WVL_CUDA_END_ANYTHING;
}

/* Says whether the kernel leaves a narrow plane: two levels of 5/3 of 8-bit samples, and of a color difference of them,
 * stay below 255 * 1.5^4 + 6. */
static inline int wvl_cuda_writes_narrow(const wvl_cuda_kernel_row *row)
{
    return row->reversible && row->end != WVL_CUDA_END_PLANE && row->container_bits == 8;
}
