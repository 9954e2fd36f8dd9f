/* SPDX-License-Identifier: BSD-2-Clause */
/* Where things lie in a slot: in its pinned memory and, at the same offsets, on the device; in its host memory. */
#ifndef WVL_CUDA_HOST_LAYOUT_H
#define WVL_CUDA_HOST_LAYOUT_H

#include "geom/plan.h"

/* Planes and the picture converted to X'Y'Z' are on the device alone. */
typedef struct wvl_cuda_layout {
    uint64_t splits, parcels, color, items, staging;  /* what goes up: from 0 to the last item, and what was staged */
    uint64_t bounds, outside, flags, coefs, down_end; /* what comes down, flags for nothing */
    uint64_t planes, converted, device_end;
    uint64_t launches, fronts, host_coefs, host_pixels, host_copies, host_end;
} wvl_cuda_layout;

/* head_bytes: of the structure that the host memory begins with; any_shape: as in wvl_cuda_table_options. */
wvl_cuda_layout wvl_cuda_build_layout(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count,
                                      int any_shape, uint64_t head_bytes);

#endif
