/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a warp that marches stores its coefficients, and how the bounds of its blocks are sent off. */
#ifndef WVL_CUDA_DWT_BLOCK_BANDS_CUH
#define WVL_CUDA_DWT_BLOCK_BANDS_CUH

#include "cuda/core/split.h"
#include "cuda/dwt/block/lift.cuh"
#include "cuda/dwt/block/pack.cuh"

/* unit: what offsets count. is_wide: band b has 4 bytes a coefficient, where they are not the same for all bands. */
template <int CB> struct band_sizes {
    static constexpr int unit = CB;
    __device__ __forceinline__ void open_size(int, const wvl_cuda_band &) {}
    static __device__ __forceinline__ constexpr bool is_wide(int) { return false; }
};
template <> struct band_sizes<0> {
    static constexpr int unit = 2;
    bool wide[3];
    __device__ __forceinline__ void open_size(int b, const wvl_cuda_band &band) { wide[b] = band.coef_bytes == 4; }
    __device__ __forceinline__ bool is_wide(int b) const { return wide[b]; }
};

/* Three bands of one level, which tables.c has found to share their block grid and first row. CB: bytes a coefficient;
 * 0: 2 or 4, each band by itself, and offsets count as if there were 2. PACK: lanes of several splits, alike but for
 * where they lie. SMALL: bounds are joined by less code, a little slower. */
template <int CB, bool PACK, bool SMALL = false> struct march_bands : band_sizes<CB> {
    using band_sizes<CB>::unit;
    using band_sizes<CB>::is_wide;
    uint8_t *to[3]; /* one cell row before the first cell, so that offsets of row -1 are not negative */
    float r[3];
    const wvl_cuda_band *band;
    uint32_t row_bytes, cell_row, rows_log2, mask, y_block, bound_cols, top;
    uint32_t bound[3], at, block_col, tag; /* tag: of the lane's split */
    bool deep;

    /* x: of the lane's first sample; y: the row that comes first, which may lie before the band. like: bands of the
     * same grid that all warps of the thread block share, so that what is read from them is uniform. lane: the lane's,
     * BESIDE those of the warp's first picture. */
    template <bool BESIDE>
    __device__ __forceinline__ void open(const wvl_cuda_band *like, const wvl_cuda_band *own, const wvl_cuda_band *lane,
                                         uint32_t x, int y, uint32_t split_tag)
    {
        const wvl_cuda_band *grid = like + 1, *across = PACK ? own + 1 : BESIDE ? lane + 1 : grid;
        band = own + 1;
        tag = PACK ? split_tag << 16 : 0;
#pragma unroll
        for (int b = 0; b < 3; b++) {
            this->open_size(b, grid[b]);
            to[b] = (uint8_t *)band[b].samples - (band->cell_width * unit << is_wide(b));
            r[b] = band[b].reciprocal;
            bound[b] = 0;
        }
        deep = band[0].deep || band[1].deep || band[2].deep;
        row_bytes = (uint32_t)grid->row_bytes >> is_wide(0);
        cell_row = grid->cell_width * unit;
        rows_log2 = grid->ycb;
        mask = (1u << rows_log2) - 1;
        y_block = grid->block_y0;
        bound_cols = grid->block_cols;
        top = (grid->rect.y0 & mask) * cell_row;
        block_col = (x >> grid->xcb) - across->block_x0;
        uint32_t left = block_col ? x & ((1u << grid->xcb) - 1) : x - across->rect.x0;
        at = cell_row + (uint32_t)block_row(y) * row_bytes + ((uint32_t)y & mask) * cell_row -
             (block_row(y) <= 0 ? top : 0) + block_col * (grid->cell_bytes >> is_wide(0)) + left * unit;
        if (BESIDE) {
            at += (uint32_t)(across->samples - band->samples);
            block_col += (uint32_t)(across->bounds - band->bounds) / 4;
        }
    }
    __device__ __forceinline__ int block_row(int y) const { return (y >> (int)rows_log2) - (int)y_block; }
    __device__ __forceinline__ bool begins(int y) const { return !((uint32_t)y & mask); }
    /* Row y begins blocks: `at` was a row past the block above. Cells of the first block row begin with the band. */
    __device__ __forceinline__ void jump(int y)
    {
        at += row_bytes - (mask + 1) * cell_row + (block_row(y) == 1 ? top : 0);
    }
    /* Row y is the last of its blocks, or of the stretch. The lanes of a block are neighbours: the first of them speaks
     * for all, because bounds of neighbouring blocks lie in one part of L2, which serves one of them at a time. */
    __device__ __forceinline__ void flush(int y, bool keep)
    {
        const int lane = threadIdx.x & 31;
        uint32_t index = (uint32_t)block_row(y) * bound_cols + block_col, group = keep ? block_col + tag : UINT32_MAX;
        uint32_t before = __shfl_up_sync(FULL_WARP, group, 1);
        bool leads = keep && (lane == 0 || before != group);
#pragma unroll
        for (int b = 0; b < 3; b++) {
            bound[b] =
                CB == 2 || (CB == 0 && !is_wide(b)) ? (bound[b] | bound[b] >> 16) & 0x7fffu : bound[b] & 0x7fffffffu;
        }
#pragma unroll(SMALL ? 1 : 5)
        for (int d = 1; d < 32; d <<= 1) {
            bool joined = __shfl_down_sync(FULL_WARP, group, d) == group && lane + d < 32;
#pragma unroll
            for (int b = 0; b < 3; b++) {
                uint32_t other = __shfl_down_sync(FULL_WARP, bound[b], d);
                bound[b] |= joined ? other : 0;
            }
        }
#pragma unroll
        for (int b = 0; b < 3; b++) {
            if (leads && bound[b]) {
                atomicOr((uint32_t *)band[b].bounds + index, bound[b]);
            }
            bound[b] = 0;
        }
    }
};

#endif
