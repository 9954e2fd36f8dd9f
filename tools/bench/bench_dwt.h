/* SPDX-License-Identifier: BSD-2-Clause */
/* wavelane-bench dwt: the transform stage on the device, by itself. */
#pragma once

#include "backend/backend_cpu.h"
#include "bench.h"
#include "cuda/host/transform/launch.h"

typedef struct wvl_bench_dwt_case {
    uint32_t width, height, components, depth, tile; /* tile 0: none */
    uint32_t bundle;                                 /* pictures in one launch */
    int reversible, interleaved, plain;              /* plain: the any-shape kernels */
    int inverse;                                     /* coefficients back to pixels (wavelane-dwt-bench) */
    int apart;                                       /* launches do not overlap */
    uint32_t levels, runs;
} wvl_bench_dwt_case;

typedef struct wvl_bench_dwt_result {
    double picture_us, ceiling_us; /* median; of one picture */
    double part_us[3];             /* of the picture, apart: clearing the bounds, the first launches, the later ones */
    double floor_bytes;            /* every input byte read once, every coefficient byte written once */
    uint64_t launches;
    uint64_t wrong; /* coefficients and bounds that differ from the CPU's */
} wvl_bench_dwt_result;

/* A picture, its plan and the CPU's coefficients. */
typedef struct wvl_bench_dwt_picture {
    wvl_plan *plan;
    wvl_tile_plan *tiles;
    uint8_t *tile_memory;
    uint64_t tile_bytes;
    uint8_t *pixels;
    uint64_t pixel_bytes;
    uint64_t samples;
    wvl_plane planes[4];
    wvl_image image;
    wvl_coefs *coefs;
    wvl_pool *pool;
    wvl_backend *cpu;
    wvl_backend_job *job;
} wvl_bench_dwt_picture;

/* 0: not enough memory, or settings that no plan takes (said on stderr). */
int wvl_bench_dwt_open_picture(const wvl_bench_dwt_case *c, wvl_bench_dwt_picture *picture);
void wvl_bench_dwt_close_picture(wvl_bench_dwt_picture *picture);
uint64_t wvl_bench_dwt_compare(const wvl_bench_dwt_picture *picture, const uint8_t *samples, const uint32_t *bounds);

typedef struct wvl_bench_dwt_device {
    wvl_cuda_runtime runtime;
    wvl_cuda_context context;
    wvl_cuda_kernels kernels;
    wvl_cuda_stream stream;
    uint32_t multiprocessors;
    char name[128];
} wvl_bench_dwt_device;

/* What is timed: `set_count` sets of buffers, each for one launch of pictures. */
typedef struct wvl_bench_dwt_timing {
    wvl_bench_dwt_device *device;
    const wvl_bench_dwt_case *c;
    const wvl_bench_dwt_picture *picture;
    uint32_t set_count;
    wvl_cuda_status (*queue)(void *user, uint32_t which, int part, wvl_cuda_route route);
    void *user;
} wvl_bench_dwt_timing;

/* Median of one picture, in microseconds. */
wvl_cuda_status wvl_bench_dwt_time_part(const wvl_bench_dwt_timing *timing, int part, double *us);

wvl_cuda_status wvl_bench_dwt_run_case(wvl_bench_dwt_device *device, const wvl_bench_dwt_case *c,
                                       const wvl_bench_dwt_picture *picture, wvl_bench_dwt_result *result);

/* The command with another direction: `run` measures each case in place of the one above. */
typedef wvl_cuda_status wvl_bench_dwt_run(wvl_bench_dwt_device *device, const wvl_bench_dwt_case *c,
                                          const wvl_bench_dwt_picture *picture, wvl_bench_dwt_result *result);
int wvl_bench_dwt_measure(wvl_bench_args *args, int is_inverse, wvl_bench_dwt_run *run);
