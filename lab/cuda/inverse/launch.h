/* SPDX-License-Identifier: BSD-2-Clause */
/* The inverse kernels: plain arguments and a stream. Launchers queue; they never allocate and never wait. */
#pragma once

#include "cuda/host/driver/route.h"
#include "lab/cuda/inverse/kernels.h"
#include "lab/cuda/inverse/split.h"

typedef struct wvl_cuda_inverse_kernels {
    wvl_cuda_module module;
    wvl_cuda_function function[WVL_CUDA_INVERSE_KERNELS]; /* of wvl_cuda_inverse_rows */
    uint32_t multiprocessors;
    int overlap; /* as in host/launch.h */
} wvl_cuda_inverse_kernels;

/* The compiled device code: NULL in a build without it. */
const void *wvl_cuda_inverse_fetch_image(void);

/* multiprocessors: of the device. */
wvl_cuda_status wvl_cuda_inverse_init_kernels(const wvl_cuda_runtime *runtime, const void *image,
                                              uint32_t multiprocessors, wvl_cuda_inverse_kernels *kernels);
void wvl_cuda_inverse_fini_kernels(const wvl_cuda_runtime *runtime, wvl_cuda_inverse_kernels *kernels);

/* Runs items [0, item_count) at `items` over the splits at `splits`. follows: as in host/launch.h. */
wvl_cuda_status wvl_cuda_inverse_launch_level(const wvl_cuda_runtime *runtime, const wvl_cuda_inverse_kernels *kernels,
                                              unsigned kernel, wvl_cuda_address splits, wvl_cuda_address items,
                                              uint32_t item_count, int follows, wvl_cuda_route route);
