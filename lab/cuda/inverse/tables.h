/* SPDX-License-Identifier: BSD-2-Clause */
/* From tile plans to the tables that the inverse kernels read. Pure: the same function counts (splits NULL) and fills.
 */
#pragma once

#include "lab/cuda/inverse/split.h"

/* Device addresses of what the splits read and write. Pixels are whole bytes: no packed containers. While counting,
 * addresses stand for their remainders modulo 256. */
typedef struct wvl_cuda_inverse_memory {
    uint64_t coefs;                /* of all tiles, one after the other */
    uint64_t planes;               /* plane_bytes, aligned to 256 */
    const wvl_cuda_pixels *pixels; /* [component_count] */
} wvl_cuda_inverse_memory;

/* One launch. */
typedef struct wvl_cuda_inverse_launch {
    uint32_t kernel; /* number of its row in kernel_rows.h */
    uint32_t first_item, item_count;
} wvl_cuda_inverse_launch;

typedef struct wvl_cuda_inverse_tables {
    wvl_cuda_inverse_split *splits;
    wvl_cuda_item *items;
    wvl_cuda_inverse_launch *launches; /* in order; each needs the ones before */
    uint64_t split_count, item_count, launch_count;
    uint64_t plane_bytes, coef_bytes;
} wvl_cuda_inverse_tables;

typedef struct wvl_cuda_inverse_options {
    int any_shape;            /* every level by the any-shape kernels */
    uint32_t bundle;          /* such pictures that will be launched together; 0 and 1: this one alone */
    uint32_t multiprocessors; /* of the device, at least 1 */
} wvl_cuda_inverse_options;

/* Items of one launch of several pictures, if they differ in length: the longest first. */
void wvl_cuda_inverse_order_items(const wvl_cuda_inverse_split *splits, wvl_cuda_item *items, uint64_t count);

void wvl_cuda_inverse_build_tables(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count,
                                   const wvl_cuda_inverse_options *options, const wvl_cuda_inverse_memory *memory,
                                   wvl_cuda_inverse_tables *tables);
