/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One launcher per kernel: plain arguments and a stream. Launchers queue; they never allocate and never wait.
 */
#ifndef WVL_CUDA_LAUNCH_H
#define WVL_CUDA_LAUNCH_H

#include "cuda/job.h"
#include "cuda/runtime_table.h"
#include "cuda/tables.h"

enum {
    WVL_CUDA_ANY53 = 0,  /* one level of any shape, 5/3 */
    WVL_CUDA_ANY97,      /* the same, 9/7 */
    WVL_CUDA_CASCADE53,  /* up to three levels from a plane to 16-bit coefficients */
    WVL_CUDA_CASCADE97,
    WVL_CUDA_CASCADE53_W, /* to 32-bit coefficients */
    WVL_CUDA_CASCADE97_W,
    WVL_CUDA_CASCADE53_S, /* from a narrow plane to 16-bit coefficients */
    WVL_CUDA_LAST53,     /* the last level from a plane to 16-bit coefficients */
    WVL_CUDA_LAST97,
    WVL_CUDA_LAST53_W,   /* to 32-bit coefficients */
    WVL_CUDA_LAST97_W,
    WVL_CUDA_LAST53_S,   /* from a narrow plane to 16-bit coefficients */
    WVL_CUDA_LAST97_D,   /* to 32-bit coefficients of more than 23 bits */
    WVL_CUDA_PLANE53,    /* two levels from a plane to 16-bit coefficients */
    WVL_CUDA_PLANE97,
    WVL_CUDA_PLANE53_W,  /* to 32-bit coefficients */
    WVL_CUDA_PLANE97_W,
    WVL_CUDA_PLANE53_S,  /* two levels from a narrow plane to 16-bit coefficients */
    WVL_CUDA_PLANE97_D,  /* two levels from a plane to 32-bit coefficients of more than 23 bits */
    WVL_CUDA_PLANE97_N,  /* two levels from a plane to 32-bit coefficients, 4 columns a lane */
    WVL_CUDA_PLANE53_P,  /* small planes of several jobs a warp, to 16-bit coefficients */
    WVL_CUDA_PLANE97_P,
    WVL_CUDA_PLANE53_WP, /* to 32-bit coefficients */
    WVL_CUDA_PLANE97_WP,
    WVL_CUDA_PLANE53_SP,
    WVL_CUDA_MARCH53_8,  /* levels 1 and 2: 8-bit containers to 16-bit coefficients, 16 columns a lane */
    WVL_CUDA_MARCH97_8,
    WVL_CUDA_MARCH53_8N, /* 8 columns, for narrow tiles */
    WVL_CUDA_MARCH97_8N,
    WVL_CUDA_MARCH53_8X3, /* three interleaved components and their transform */
    WVL_CUDA_MARCH97_8X3,
    WVL_CUDA_MARCH53_8P3, /* three planes */
    WVL_CUDA_MARCH97_8P3,
    WVL_CUDA_MARCH53_16, /* 16-bit containers to 16-bit coefficients */
    WVL_CUDA_MARCH97_16,
    WVL_CUDA_MARCH53_16W, /* 16-bit containers to 32-bit coefficients */
    WVL_CUDA_MARCH97_16W,
    WVL_CUDA_MARCH97_16D, /* 16-bit containers to 32-bit coefficients of more than 23 bits */
    WVL_CUDA_MARCH53_16X3, /* three interleaved components of 16-bit containers and their transform, to 16-bit coefficients */
    WVL_CUDA_MARCH97_16X3,
    WVL_CUDA_MARCH53_16P3, /* three planes */
    WVL_CUDA_MARCH97_16P3,
    WVL_CUDA_MARCH53_16X3W, /* to 32-bit coefficients */
    WVL_CUDA_MARCH97_16X3W,
    WVL_CUDA_MARCH53_16P3W,
    WVL_CUDA_MARCH97_16P3W,
    WVL_CUDA_MARCH53_8X3W, /* three components of 8 bits, 16 columns a lane */
    WVL_CUDA_MARCH97_8X3W,
    WVL_CUDA_MARCH53_8P3W,
    WVL_CUDA_MARCH97_8P3W,
    WVL_CUDA_KERNELS
};

typedef struct wvl_cuda_kernels {
    wvl_cuda_module module;
    wvl_cuda_function function[WVL_CUDA_KERNELS];
    wvl_cuda_function color;   /* to X'Y'Z' */
    wvl_cuda_function convert; /* the benchmark's ceiling */
    wvl_cuda_function deliver;
    wvl_cuda_function clear;
    int overlap;                /* the device code waits for the launch in front by itself */
} wvl_cuda_kernels;

/* The compiled device code: NULL in a build without it. */
const void *wvl_cuda_fetch_image(void);

wvl_cuda_status wvl_cuda_init_kernels(const wvl_cuda_runtime *runtime, const void *image, wvl_cuda_kernels *kernels);
void wvl_cuda_fini_kernels(const wvl_cuda_runtime *runtime, wvl_cuda_kernels *kernels);

/* Zeros, a multiple of 16 bytes: bounds and flags of what the launches behind it do, which read `tables`. */
wvl_cuda_status wvl_cuda_launch_clear(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels, wvl_cuda_address at, uint64_t bytes,
                                      wvl_cuda_address tables, uint64_t table_bytes, wvl_cuda_stream stream);
/* Runs the items of a round, which begin at `items`, over the jobs at `jobs`. follows: what is queued last is another such launch or a clearing, of the
 * same pictures. */
wvl_cuda_status wvl_cuda_launch_level(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels, const wvl_cuda_round *round, wvl_cuda_address jobs,
                                      wvl_cuda_address items, int follows, wvl_cuda_stream stream);
/* Copies the slots of blocks whose bounds are not 0. */
wvl_cuda_status wvl_cuda_launch_deliver(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels, wvl_cuda_address parcels, uint64_t parcel_count,
                                        wvl_cuda_stream stream);
/* bytes (a multiple of 16) of unsigned samples to twice as many bytes of signed ones: what memory allows a transform. */
wvl_cuda_status wvl_cuda_launch_convert(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels, wvl_cuda_address from,
                                        wvl_cuda_address to, uint64_t bytes, wvl_cuda_stream stream);
/* One wvl_cuda_color at `color`; block_count as wvl_cuda_build_color says. */
wvl_cuda_status wvl_cuda_launch_color(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels, wvl_cuda_address color, uint32_t block_count,
                                      wvl_cuda_stream stream);

#endif
