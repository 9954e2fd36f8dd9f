/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last levels of a plane in one launch: a thread block takes a tile of the deepest of them and, of the levels
 * above, all that the tile is made of. How large tiles are, for both sides. Speed alone depends on the choice, within
 * what the block has room for.
 */
#pragma once

#include "base/intmath.h"
#include "cuda/core/kernel_row.h"
#include "cuda/dwt/tuning.h"

#define WVL_CUDA_CASCADE_REACH53 2 /* samples that filtering needs at either side */
#define WVL_CUDA_CASCADE_REACH97 4
#define WVL_CUDA_CASCADE_ROWS 8  /* that a warp lifts at a time */
#define WVL_CUDA_CASCADE_OWN 120 /* columns that a warp finishes: 32 lanes of four but the outer ones */

/* Samples at either side of the tile that are finished `shift` levels above the deepest. */
WVL_HD int wvl_cuda_cascade_margin(int reach, int shift) { return 2 * reach * ((1 << shift) - 1); }

#ifndef __CUDACC__
/* Turns of a tile's warps; *samples: what lies between levels. */
static inline uint64_t wvl_cuda_cascade_turns(uint32_t width, uint32_t height, int reach, int levels, uint64_t *samples)
{
    uint64_t turns = 0;
    *samples = 0;
    for (int k = levels - 1; k >= 0; k--) {
        uint64_t margin = 2 * (uint64_t)wvl_cuda_cascade_margin(reach, k), rows = WVL_CUDA_CASCADE_ROWS;
        uint64_t w = ((uint64_t)width << k) + margin,
                 h = wvl_align_up(((uint64_t)height << k) + margin, rows) + (reach < 4 && k ? rows : 0);
        turns += wvl_ceil_div(wvl_ceil_div(w, WVL_CUDA_CASCADE_OWN) * (h / rows), WVL_CUDA_CASCADE_WARPS);
        *samples += k < levels - 1 ? (w + 8) * (h + 2 * (uint64_t)reach) : 0;
    }
    return turns;
}

/* Returns what some tiles cost, as measured: a wave of thread blocks waits for its tables; blocks that share a
 * multiprocessor hinder one another little. room: thread blocks that a multiprocessor holds. */
static inline uint64_t wvl_cuda_cascade_cost(uint64_t tiles, uint64_t turns, uint64_t room, uint64_t multiprocessors)
{
    uint64_t wave = room * multiprocessors, rest = wvl_ceil_div(tiles % wave, multiprocessors);
    uint64_t full = tiles / wave * (WVL_CUDA_CASCADE_WAVE + turns * (room + 5));
    return full + (rest ? WVL_CUDA_CASCADE_WAVE + turns * (rest + 5) : 0);
}

typedef struct wvl_cuda_tile_size {
    uint32_t width, height;
} wvl_cuda_tile_size;

/* Tiles of `count` planes whose deepest level is width x height: multiples of 4 columns and 8 rows, and not more of
 * them than the any-shape kernels would make of the first level, for which tables have room. */
static inline wvl_cuda_tile_size wvl_cuda_choose_cascade(const wvl_cuda_kernel_row *row, uint64_t multiprocessors,
                                                         uint64_t count, uint32_t width, uint32_t height, int levels)
{
    const int reach = row->reversible ? WVL_CUDA_CASCADE_REACH53 : WVL_CUDA_CASCADE_REACH97;
    uint64_t best = UINT64_MAX, samples;
    const uint32_t least = ((WVL_CUDA_TILE_WIDTH >> (levels - 1)) + 3) & ~3u;
    wvl_cuda_tile_size tile = {least, 16};
    const uint32_t most = wvl_max_u32(least, wvl_min_u32(width + 3, WVL_CUDA_CASCADE_TILE_MAX));
    for (uint32_t w = least; w <= most; w += 4) {
        for (uint32_t h = levels > 1 ? 8 : 16; h < height + 8 && h <= WVL_CUDA_CASCADE_TILE_MAX; h += 8) {
            uint64_t turns = wvl_cuda_cascade_turns(w, h, reach, levels, &samples);
            uint64_t tiles = wvl_mul_saturate(count, wvl_ceil_div(width, w) * wvl_ceil_div(height, h));
            uint64_t cost = wvl_cuda_cascade_cost(tiles, turns, row->blocks, multiprocessors);
            if (samples <= WVL_CUDA_CASCADE_SAMPLES && cost < best) {
                best = cost;
                tile = (wvl_cuda_tile_size){w, h};
            }
        }
    }
    return tile;
}
#endif
