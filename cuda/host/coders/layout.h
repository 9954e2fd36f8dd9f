/* SPDX-License-Identifier: BSD-2-Clause */
/* Where things lie in a workspace: in its pinned memory and, at the same offsets, on the device; in its host memory. */
#pragma once

#include "geom/handover_blocks.h"

/*
 * Planes and the picture converted to X'Y'Z' are on the device alone. The places of block coding (wave_coder.h) are
 * empty where the plan's blocks are coded on the CPU; else no coefficients come down, and there are no parcels.
 */
typedef struct wvl_cuda_layout {
    uint64_t splits, parcels, color, code_blocks, code_order, code_group;
    uint64_t code_weights, code_regions, code_rects; /* of Part 1 */
    uint64_t items;                                  /* what goes up: from 0 to the last item, and what was staged */
    uint64_t bounds, outside, flags;                 /* what comes down from here on, flags for nothing; */
    uint64_t cleared_end;                            /* set to 0 before the kernels, from the bounds on */
    uint64_t records, sums, counters;                /* of block coding */
    uint64_t coefs, down_end;                        /* the last of what comes down */
    uint64_t staging;                                /* pixels: their memory is free when the transform is done */
    uint64_t output, output_bytes; /* of block coding, pinned alone: over the coefficients, or behind them */
    uint64_t pinned_end;
    uint64_t coded, coded_bytes, coded_more; /* of block coding, on the device alone: over pixels and planes, what comes
                                                down to the output. One with all memory has room for coded_more */
    uint64_t parts, totals, places, scratch; /* of block coding, on the device alone */
    uint64_t scratch_bytes;
    uint64_t planes, converted;
    uint64_t work, work_bytes, work_least, rect_count; /* Part 1, on the device alone: what ends it may be smaller */
    uint64_t spill_bytes;                              /* Part 1: the most that wvl_cuda_code.spill takes */
    uint64_t device_least, device_end;
    uint64_t launches, fronts, host_coefs, host_pixels, host_copies;
    uint64_t done, batch_records, batch_ranges, batch_blocks, passes, chunks, pass_chunks, left; /* of block coding */
    uint64_t host_end;
    uint64_t block_count; /* that are coded on the device */
} wvl_cuda_layout;

/* The next place, on 256 bytes. Sizes that do not fit 64 bits end at UINT64_MAX. */
static inline uint64_t wvl_cuda_place(uint64_t *end, uint64_t count, uint64_t size)
{
    uint64_t at = *end;
    *end = wvl_add_saturate(at, wvl_mul_saturate(count, size));
    *end = *end > UINT64_MAX - 256 ? UINT64_MAX : wvl_align_up(*end, 256);
    return at;
}

/* Room for `bytes` coded bytes on the device, over what ends at *end, or longer. Returns how much there is. */
static inline uint64_t wvl_cuda_extend_coded(const wvl_cuda_layout *l, uint64_t bytes, uint64_t *end)
{
    uint64_t longer = l->coded;
    (void)wvl_cuda_place(&longer, bytes, 1);
    *end = wvl_max_u64(*end, longer);
    return *end - l->coded;
}

/* head_bytes: of the structure that the host memory begins with; any_shape: as in wvl_cuda_table_options. */
wvl_cuda_layout wvl_cuda_build_layout(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count,
                                      int any_shape, uint64_t head_bytes);
