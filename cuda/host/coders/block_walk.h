/* SPDX-License-Identifier: BSD-2-Clause */
/* The blocks of tiles, for tables of block coders: in the order of their bounds, tile by tile, and in each as its plan
 * has them. */
#ifndef WVL_CUDA_HOST_BLOCK_WALK_H
#define WVL_CUDA_HOST_BLOCK_WALK_H

#include "geom/handover.h"

typedef struct wvl_cuda_walk_band {
    const wvl_tile_band *band;
    const wvl_coding *coding;
    const wvl_tile_plan *tile;
    uint32_t component;
    uint64_t first_block;   /* among all blocks */
    uint64_t count;         /* of blocks; 0 is not seen */
    uint64_t coefs, bounds; /* of the tile: as wvl_cuda_walk_blocks was given for the first one */
    uint64_t nothing;       /* address of a bound of 0: the word behind all of them (wvl_cuda_layout.outside) */
} wvl_cuda_walk_band;

typedef struct wvl_cuda_walk_block {
    const wvl_tile_band *band;
    const wvl_coding *coding;
    const wvl_tile_plan *tile;
    uint32_t component;
    uint64_t coefs, bound; /* addresses. Blocks in the margins of a strip have a bound of 0: nothing is coded of them */
    wvl_rect rect;         /* on the band's own grid */
    uint16_t width, height;
} wvl_cuda_walk_block;

/* Coefficients and bounds of the tiles follow one another at these addresses. */
void wvl_cuda_walk_bands(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, uint64_t coefs,
                         uint64_t bounds, void (*see)(void *user, const wvl_cuda_walk_band *band), void *user);
/* put: with the number of the block. */
void wvl_cuda_walk_blocks(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, uint64_t coefs,
                          uint64_t bounds, void (*put)(void *user, uint64_t index, const wvl_cuda_walk_block *block),
                          void *user);

#endif
