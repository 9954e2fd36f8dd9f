/* SPDX-License-Identifier: BSD-2-Clause */
/* Rectangles, planes and bands as the tables of either direction see them. */
#pragma once

#include "cuda/core/split.h"

static inline int wvl_cuda_is_empty(wvl_rect r) { return !wvl_rect_width(r) || !wvl_rect_height(r); }

/* The row has 32-bit samples, begins at the last multiple of WVL_CUDA_PLANE_ALIGN and may be read that far past its
 * end. */
static inline uint64_t wvl_cuda_pitch_bytes(wvl_rect r)
{
    uint64_t first = r.x0 & ~(WVL_CUDA_PLANE_ALIGN - 1);
    return wvl_align_up((r.x1 - first + WVL_CUDA_PLANE_ALIGN) * 4, 64);
}

static inline uint64_t wvl_cuda_cells_bytes(const wvl_tile_band *band)
{
    return (uint64_t)band->block_cols * band->block_rows * band->cell_width * band->cell_height * band->coef_bytes;
}

/* The three bands of a level share their block grid and first row, and hold `bytes` a coefficient; 0: each band its
 * own. Blocks have four rows at least: fused kernels join the bounds of four. */
static inline int wvl_cuda_bands_alike(const wvl_tile_band *first, unsigned bytes)
{
    for (unsigned i = 0; i < 3; i++) {
        const wvl_tile_band *band = &first[i];
        if (wvl_cuda_is_empty(band->rect) || (bytes && band->coef_bytes != bytes) || band->xcb < 3 || band->ycb < 2 ||
            band->xcb != first->xcb || band->ycb != first->ycb || band->cell_width != first->cell_width ||
            band->cell_height != first->cell_height || band->block_cols != first->block_cols ||
            band->block_x0 != first->block_x0 || band->block_y0 != first->block_y0 || band->rect.x0 != first->rect.x0 ||
            band->rect.y0 != first->rect.y0) {
            return 0;
        }
    }
    return 1;
}
