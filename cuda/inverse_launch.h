/* SPDX-License-Identifier: BSD-2-Clause */
/* The inverse kernels: plain arguments and a stream. Launchers queue; they never allocate and never wait. */
#ifndef WVL_CUDA_INVERSE_LAUNCH_H
#define WVL_CUDA_INVERSE_LAUNCH_H

#include "cuda/inverse_job.h"
#include "cuda/runtime_table.h"

enum {
    WVL_CUDA_BACK_ANY53 = 0,  /* one level of any shape, or none, to a plane */
    WVL_CUDA_BACK_ANY97,
    WVL_CUDA_BACK_PLANE53,    /* two levels from 16-bit coefficients to a plane */
    WVL_CUDA_BACK_PLANE97,
    WVL_CUDA_BACK_PLANE53_W,  /* from 32-bit coefficients */
    WVL_CUDA_BACK_PLANE97_W,
    WVL_CUDA_BACK53_8,        /* levels 2 and 1 from 16-bit coefficients to 8-bit containers, 16 columns a lane */
    WVL_CUDA_BACK97_8,
    WVL_CUDA_BACK53_8N,       /* 8 columns, for narrow tiles */
    WVL_CUDA_BACK97_8N,
    WVL_CUDA_BACK53_8X3,      /* three interleaved components and their transform */
    WVL_CUDA_BACK97_8X3,
    WVL_CUDA_BACK53_8P3,      /* three planes */
    WVL_CUDA_BACK97_8P3,
    WVL_CUDA_BACK53_16,       /* from 16-bit coefficients to 16-bit containers */
    WVL_CUDA_BACK97_16,
    WVL_CUDA_BACK53_16W,      /* from 32-bit coefficients to 16-bit containers */
    WVL_CUDA_BACK97_16W,
    WVL_CUDA_BACK97_8X3W,     /* three components of 8 bits, 16 columns a lane */
    WVL_CUDA_BACK97_8P3W,
    WVL_CUDA_BACK_PIXELS53,   /* planes to pixels of any shape */
    WVL_CUDA_BACK_PIXELS97,
    WVL_CUDA_BACK_KERNELS
};

typedef struct wvl_cuda_inverse_kernels {
    wvl_cuda_module module;
    wvl_cuda_function function[WVL_CUDA_BACK_KERNELS];
    int overlap;              /* as in launch.h */
} wvl_cuda_inverse_kernels;

/* The compiled device code: NULL in a build without it. */
const void *wvl_cuda_inverse_fetch_image(void);

wvl_cuda_status wvl_cuda_inverse_init_kernels(const wvl_cuda_runtime *runtime, const void *image, wvl_cuda_inverse_kernels *kernels);
void wvl_cuda_inverse_fini_kernels(const wvl_cuda_runtime *runtime, wvl_cuda_inverse_kernels *kernels);

/* Runs items [0, item_count) at `items` over the jobs at `jobs`. follows: as in launch.h. */
wvl_cuda_status wvl_cuda_inverse_launch_level(const wvl_cuda_runtime *runtime, const wvl_cuda_inverse_kernels *kernels, unsigned kernel,
                                              wvl_cuda_address jobs, wvl_cuda_address items, uint32_t item_count, int follows,
                                              wvl_cuda_stream stream);

#endif
