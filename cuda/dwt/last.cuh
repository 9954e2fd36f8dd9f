/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last level by itself, from a plane of any size: behind the planes that are marched through there is nothing to
 * wait for but this.
 *
 * Runs: one warp a thread block takes 8 rows of 120 columns (block/patch.cuh). Blocks are small enough to find room
 * beside those of the launch in front long before it ends, and have read their tables by the time that the rows which
 * they wait for are in memory: all of these set out together then. Bytes a sample: that of the plane, 11 (15 in 9/7)
 * rows for 8 and 128 columns for 120, most from L2, and the coefficient. 64 registers in 5/3, 80 in 9/7, no spills; 288
 * bytes of shared memory. On an H200, 8192 x 8192 with five levels, by time stamps: all of 320 blocks are there 9 us
 * before the planes end; a block needs 0.9 us from the last row it waits for until it knows, and 1.4 (9/7: 2.0) us from
 * there to its end.
 */
#ifndef WVL_CUDA_DWT_LAST_CUH
#define WVL_CUDA_DWT_LAST_CUH

#include "cuda/core/order.cuh"
#include "cuda/dwt/block/patch.cuh"
#include "cuda/dwt/tuning.h"

template <class T, int B, int CB, int DEPTH> struct last_level : patch<T, B, CB, DEPTH> {
    typedef patch<T, B, CB, DEPTH> base;

    /* bands: a copy near by, LL first. */
    static __device__ __forceinline__ void copy_bands(wvl_cuda_band *bands, const wvl_cuda_split &split)
    {
        const uint32_t *from = (const uint32_t *)split.band;
        for (unsigned i = threadIdx.x; i < sizeof split.band / 4; i += 32) {
            ((uint32_t *)bands)[i] = from[i];
        }
        __syncwarp();
    }

    __device__ __forceinline__ void run(wvl_cuda_band *bands, const wvl_cuda_split &split, const wvl_cuda_item &item)
    {
        copy_bands(bands, split);
        const wvl_cuda_plane in = split.in;
        const patch_area area = {(int)split.rect.x0, (int)split.rect.y0, (int)split.rect.x1, (int)split.rect.y1};
        const int lane = threadIdx.x, from = (area.x0 & ~3) + (int)item.x * WVL_CUDA_CASCADE_OWN,
                  x = from + 4 * (lane - 1);
        const int y = (area.y0 & ~7) + (int)item.y * PATCH_ROWS, begin = area.y0 - y, end = area.y1 - y;
        const bool own = lane > 0 && lane < 31 && x < area.x1;
        const int first = from / 2, last = (min(from + WVL_CUDA_CASCADE_OWN, area.x1) - 1) / 2;
        const patch_grid grid = patch_grid::find<CB>(bands[1], x / 2), low = patch_grid::find<CB>(bands[0], x / 2);
        const int at = grid.offset<CB>(bands[1], y / 2), low_at = low.offset<CB>(bands[0], y / 2);
        wait_for_rows(split.front_flags, item);
        this->fetch_plane(in, area, x, y);
        this->lift_down();
        this->lift_across();
        let_next_launch_begin();
        uint32_t bound[3] = {0, 0, 0};
        const bool cut = __any_sync(FULL_WARP, own && x + 4 > area.x1);
        if (begin <= 0 && end >= PATCH_ROWS && !cut) {
            base::template put_bands<true>(bands + 1, at, own, own, begin, end, bound);
        } else {
            if (cut) {
                this->clear_beyond(own ? area.x1 - x : 4);
            }
            base::template put_bands<false>(bands + 1, at, own, own && x + 1 < area.x1, begin, end, bound);
        }
        base::join_bounds(bands + 1, 3, grid.col, y / 2, first, last, bound);
        this->put_last(bands[0], low.col, low_at, y, own, begin, end, first, last);
        end_launch();
    }
};

template <class ROW> __device__ __forceinline__ void run_last(LAUNCH_ARGUMENTS)
{
    begin_launch(asked);
    static_assert(4 * sizeof(wvl_cuda_band) == ROW::shared_bytes && ROW::threads == 32,
                  "the row says what the kernel takes");
    __shared__ __align__(16) wvl_cuda_band bands[4];
    const wvl_cuda_item item = items[blockIdx.x];
    last_level<typename sample_type<ROW::reversible>::type, ROW::container_bits / 8, ROW::coef_bits / 8, ROW::depth>
        level;
    level.run(bands, splits[split_of(item, only)], item);
}

#endif
