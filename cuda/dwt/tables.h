/* SPDX-License-Identifier: BSD-2-Clause */
/* From tile plans to the tables that the kernels read. Pure: the same function counts (tables NULL) and fills. */
#pragma once

#include "cuda/core/split.h"

/* One launch. */
typedef struct wvl_cuda_launch {
    uint32_t kernel; /* number of its row in kernel_rows.h */
    uint32_t first_item, item_count;
    uint32_t first_split;
    uint32_t asked; /* items of later launches wait for some of its own, not for all of it */
    uint32_t only;  /* 1 more than the number of the split, if it is the same for all items */
} wvl_cuda_launch;

/* Device addresses of what the splits read and write. */
typedef struct wvl_cuda_memory {
    uint64_t coefs; /* of all tiles, one after the other */
    uint64_t bounds;
    uint64_t outside;              /* one word */
    uint64_t planes;               /* plane_bytes, aligned to 256 */
    uint64_t flags;                /* flag_count words, 0 when the first launch begins */
    const wvl_cuda_pixels *pixels; /* [component_count] */
} wvl_cuda_memory;

typedef struct wvl_cuda_tables {
    wvl_cuda_split *splits;
    wvl_cuda_item *items;
    wvl_cuda_launch *launches;
    uint32_t *fronts; /* [components of all tiles]: the fused split that wrote the last plane */
    uint64_t split_count, item_count, launch_count, flag_count;
    uint64_t plane_bytes, coef_bytes, block_count;
} wvl_cuda_tables;

typedef struct wvl_cuda_table_options {
    int any_shape;            /* every level by the any-shape kernels */
    uint32_t bundle;          /* such calls whose launches will be merged; 0 and 1: this one alone */
    uint32_t multiprocessors; /* of the device; not 0 where memory is given */
} wvl_cuda_table_options;

/* memory NULL: upper bounds of the counts, whatever the pixels look like, and whatever the device and, if options have
 * none, the bundle. Otherwise the arrays must hold as much. */
void wvl_cuda_build_tables(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count,
                           const wvl_cuda_table_options *options, const wvl_cuda_memory *memory,
                           wvl_cuda_tables *tables);

/* Pixels of other pictures in the place of those that the tables were built for: all that differs are addresses, as
 * wvl_cuda_pixels_alike() says. */
void wvl_cuda_move_pixels(wvl_cuda_split *splits, uint64_t split_count, const wvl_cuda_pixels *pixels);

/* For one launch of `components`: splits that differ only in where they lie share panels, if those of the kernel go on
 * from one to the next, and long stretches come first, if they have two lengths. Returns the number of items that are
 * left. */
uint64_t wvl_cuda_finish_items(uint32_t kernel, uint64_t components, wvl_cuda_split *splits, wvl_cuda_item *items,
                               uint64_t count);
