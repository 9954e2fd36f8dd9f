/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One launcher per kind of kernel: plain arguments and a stream. Launchers queue; they never allocate and never wait.
 */
#pragma once

#include "cuda/dwt/kernels.h"
#include "cuda/dwt/tables.h"
#include "cuda/host/driver/route.h"

typedef struct wvl_cuda_kernels {
    wvl_cuda_module module;
    wvl_cuda_function function[WVL_CUDA_KERNELS]; /* of wvl_cuda_kernel_rows */
    wvl_cuda_function color;                      /* to X'Y'Z' */
    wvl_cuda_function unpack;                     /* packed samples to 16 bits */
    wvl_cuda_function convert;                    /* the benchmark's ceiling */
    wvl_cuda_function deliver;
    wvl_cuda_function clear;
    int overlap; /* the device code waits for the launch in front by itself */
} wvl_cuda_kernels;

/* The compiled device code: NULL in a build without it. */
const void *wvl_cuda_fetch_image(void);

wvl_cuda_status wvl_cuda_init_kernels(const wvl_cuda_runtime *runtime, const void *image, wvl_cuda_kernels *kernels);
void wvl_cuda_fini_kernels(const wvl_cuda_runtime *runtime, wvl_cuda_kernels *kernels);

/* Writes zeros, `bytes` (a multiple of 16) at `at`: bounds and flags of the launches behind it, which read `tables`. */
wvl_cuda_status wvl_cuda_launch_clear(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels,
                                      wvl_cuda_address at, uint64_t bytes, wvl_cuda_address tables,
                                      uint64_t table_bytes, wvl_cuda_route route);
/* Runs the items of a launch, which begin at `items`, over the splits at `splits`. follows: what is queued last is
 * another such launch or a clearing, of the same pictures. */
wvl_cuda_status wvl_cuda_launch_level(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels,
                                      const wvl_cuda_launch *launch, wvl_cuda_address splits, wvl_cuda_address items,
                                      int follows, wvl_cuda_route route);
/* A job's transform: where things lie in its memory on the device, as offsets, and the tables of its launches. */
typedef struct wvl_cuda_transform {
    wvl_cuda_address device;
    uint64_t splits, items, bounds, cleared_end;
    uint64_t color, unpack;               /* a wvl_cuda_color, a wvl_cuda_unpack; */
    uint32_t color_blocks, unpack_blocks; /* thread blocks: what wvl_cuda_build_*() returned */
    const wvl_cuda_tables *tables;
} wvl_cuda_transform;
/* All kernels of it. */
wvl_cuda_status wvl_cuda_launch_transform(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels,
                                          const wvl_cuda_transform *transform, wvl_cuda_route route);
/* Copies the cells of blocks whose bounds are not 0. */
wvl_cuda_status wvl_cuda_launch_deliver(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels,
                                        wvl_cuda_address parcels, uint64_t parcel_count, wvl_cuda_route route);
/* bytes (a multiple of 16) of unsigned samples to twice as many bytes of signed ones: what memory allows a transform.
 */
wvl_cuda_status wvl_cuda_launch_convert(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels,
                                        wvl_cuda_address from, wvl_cuda_address to, uint64_t bytes,
                                        wvl_cuda_route route);
