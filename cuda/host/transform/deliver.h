/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "geom/plan.h"

/* Cells to the host: eight 64 x 64 blocks of 16 bits are 64 KiB, enough for every multiprocessor to keep stores in
 * flight. */
#define WVL_CUDA_DELIVER_THREADS 256
#define WVL_CUDA_PARCEL_BLOCKS 8

/* Consecutive blocks of one band whose cells go to the host unless they are empty. */
typedef struct wvl_cuda_parcel {
    uint64_t from, to; /* the first cell on the device, and in pinned memory as the device sees it */
    uint64_t bounds;   /* of its block */
    uint32_t cell_bytes, block_count;
} wvl_cuda_parcel;

/* Parcels of all blocks of these tiles, whose coefficients and bounds follow one another at these addresses. parcels
 * NULL: counts only. */
uint64_t wvl_cuda_build_parcels(const wvl_tile_plan *tiles, uint32_t tile_count, uint64_t coefs, uint64_t bounds,
                                uint64_t host, wvl_cuda_parcel *parcels);
