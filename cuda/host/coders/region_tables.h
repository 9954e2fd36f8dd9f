/* SPDX-License-Identifier: BSD-2-Clause */
/* Rectangles of interest in EBCOT blocks, as far as they follow from the plan (codec/blocks/roi.h). */
#pragma once

#include "cuda/host/coders/coder.h"

/* Bytes of the tables of all blocks, one behind the other: wvl_cuda_t1_region, _rect; and of copies. */
typedef struct wvl_cuda_region_sizes {
    uint64_t rects, copy_bytes;
} wvl_cuda_region_sizes;

/* Says whether a component of the plan has a rectangle. */
int wvl_cuda_has_rects(const wvl_plan *plan);
wvl_cuda_region_sizes wvl_cuda_measure_regions(const wvl_cuda_coder_view *view);
/* regions: [block_count]; rects: as many as were measured. */
void wvl_cuda_fill_regions(const wvl_cuda_coder_view *view, wvl_cuda_t1_region *regions, wvl_cuda_t1_rect *rects);
/* WVL_CUDA_T1_*: what of a block is region. */
unsigned wvl_cuda_find_region(const wvl_cuda_walk_block *block);
