/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Panels that go on from one picture to the next: tiles or pictures alike, of which nothing waits for single rows,
 * stand side by side as if they were one. A panel's lanes then lie in two of them or more, and none idles but at the
 * very end (cuda/dwt/beside.c).
 */
#ifndef WVL_CUDA_DWT_BLOCK_BESIDE_CUH
#define WVL_CUDA_DWT_BLOCK_BESIDE_CUH

#include "cuda/dwt/block/rows.cuh"

/* Where a lane of a panel is. */
struct beside_lane {
    uint32_t split; /* of its picture, counted from the first one's */
    int col;        /* of its first sample in the picture; outside of it where the lane lies outside of all pictures */

    template <int C>
    static __device__ __forceinline__ beside_lane find(const wvl_cuda_split &split, const wvl_cuda_item &item, int lane)
    {
        const uint32_t runs = (split.rect.x1 - split.rect.x0) / C;
        const int run = (int)(item.x * (32 - 2 * split.room)) - (int)split.lead + lane;
        const uint32_t picture =
            split.beside > 1 ? (uint32_t)max(0, min(run, (int)(runs * split.beside) - 1)) / runs : 0;
        return {picture * split.beside_splits, (run - (int)(picture * runs)) * C};
    }
    /* Rows of the lane's picture. Those of the first are there without one more wait for tables. */
    template <int C, class R> __device__ __forceinline__ void open_rows(R &rows, const wvl_cuda_split &split) const
    {
        const uint32_t left = (uint32_t)max(0, min(col, (int)(split.rect.x1 - split.rect.x0) - C));
        rows.open(split, split.rect.x0 + left);
        if (split.beside > 1) {
            const wvl_cuda_split &here = (&split)[this->split];
            rows.open(here, here.rect.x0 + left);
        }
    }
};

/* row_window of such panels: what a lane copies lies wherever the lanes that read it are. */
template <class R, int PLACES = 8> struct beside_window : row_window<R, PLACES> {
    typedef row_window<R, PLACES> base;
    using base::chunk;
    using base::chunks;
    const uint8_t *from[chunks];

    template <int C>
    __device__ __forceinline__ void open(uint4 *shared, R &rows, const wvl_cuda_split &split, const wvl_cuda_item &item)
    {
        const int lane = threadIdx.x & 31;
        this->to = (uint8_t *)shared + lane * chunk;
        this->mine = (uint8_t *)shared + lane * R::lane_bytes;
        beside_lane::find<C>(split, item, lane).template open_rows<C>(rows, split);
#pragma unroll
        for (int c = 0; c < chunks; c++) {
            const int i = c * 32 + lane;
            from[c] = (const uint8_t *)__shfl_sync(0xffffffffu, (unsigned long long)rows.data[0], i / chunks) +
                      i % chunks * chunk;
        }
    }
    __device__ __forceinline__ void fetch(const R &rows, int place, int y)
    {
        const uint32_t offset = ((uint32_t)y - rows.top) * rows.pitch;
#pragma unroll
        for (int c = 0; c < chunks; c++) {
            copy_ahead<chunk>(this->to + place * base::row_bytes + c * 32 * chunk, from[c] + offset);
        }
    }
};

/* row_ring of such panels. */
template <class R, int PLACES = 8> struct beside_ring : row_ring<R, PLACES> {
    template <int C>
    __device__ __forceinline__ void open(uint4 *shared, R &rows, const wvl_cuda_split &split, const wvl_cuda_item &item)
    {
        const beside_lane at = beside_lane::find<C>(split, item, threadIdx.x & 31);
        row_ring<R, PLACES>::open(shared);
        at.open_rows<C>(rows, split);
    }
};

#endif
