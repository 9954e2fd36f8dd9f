/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Strips that go on from one picture to the next: tiles or pictures alike, of which nothing waits for single rows, stand side by side as if they were
 * one. A strip's lanes then lie in two of them or more, and none idles but at the very end (cuda/beside.c).
 */
#ifndef WVL_CUDA_BLOCK_BESIDE_CUH
#define WVL_CUDA_BLOCK_BESIDE_CUH

#include "cuda/block/rows.cuh"

/* Where a lane of a strip is. */
struct beside_lane {
    uint32_t job;            /* of its picture, counted from the first one's */
    int col;                 /* of its first sample in the picture; outside of it where the lane lies outside of all pictures */

    template <int C> static __device__ __forceinline__ beside_lane find(const wvl_cuda_job &job, const wvl_cuda_item &item, int lane)
    {
        const uint32_t runs = (job.rect.x1 - job.rect.x0) / C;
        const int run = (int)(item.x * (32 - 2 * job.room)) - (int)job.lead + lane;
        const uint32_t picture = job.beside > 1 ? (uint32_t)max(0, min(run, (int)(runs * job.beside) - 1)) / runs : 0;
        return {picture * job.beside_jobs, (run - (int)(picture * runs)) * C};
    }
    /* Rows of the lane's picture. Those of the first are there without one more wait for tables. */
    template <int C, class R> __device__ __forceinline__ void open_rows(R &rows, const wvl_cuda_job &job) const
    {
        const uint32_t left = (uint32_t)max(0, min(col, (int)(job.rect.x1 - job.rect.x0) - C));
        rows.open(job, job.rect.x0 + left);
        if (job.beside > 1) {
            const wvl_cuda_job &here = (&job)[this->job];
            rows.open(here, here.rect.x0 + left);
        }
    }
};

/* row_window of such strips. */
template <class R, int SLOTS = 8> struct beside_window {
    static constexpr int slots = SLOTS, chunk = 16, chunks = R::lane_bytes / chunk, row_bytes = 32 * R::lane_bytes, shared_bytes = slots * row_bytes;
    static_assert(R::planes == 1 && R::lane_bytes % chunk == 0, "whole chunks");
    uint8_t *to, *mine;      /* where the lane copies to, and what it reads */
    const uint8_t *from[chunks];

    template <int C> __device__ __forceinline__ void open(uint4 *shared, R &rows, const wvl_cuda_job &job, const wvl_cuda_item &item)
    {
        const int lane = threadIdx.x & 31;
        to = (uint8_t *)shared + lane * chunk;
        mine = (uint8_t *)shared + lane * R::lane_bytes;
        const beside_lane at = beside_lane::find<C>(job, item, lane);
        at.open_rows<C>(rows, job);
#pragma unroll
        for (int c = 0; c < chunks; c++) {
            const int i = c * 32 + lane;
            from[c] = (const uint8_t *)__shfl_sync(0xffffffffu, (unsigned long long)rows.data[0], i / chunks) + i % chunks * chunk;
        }
    }
    __device__ __forceinline__ void fetch(const R &rows, int slot, int y)
    {
        const uint32_t offset = ((uint32_t)y - rows.top) * rows.pitch;
#pragma unroll
        for (int c = 0; c < chunks; c++) {
            copy_ahead<chunk>(to + slot * row_bytes + c * 32 * chunk, from[c] + offset);
        }
    }
    __device__ __forceinline__ void close() { close_group(); }
    __device__ __forceinline__ void wait()
    {
        wait_groups<slots / 2 - 1>();
        __syncwarp();
    }
    __device__ __forceinline__ void read(int slot, uint32_t (&raw)[R::words])
    {
#pragma unroll
        for (int c = 0; c < chunks; c++) {
            load_chunk<chunk>(raw + c * chunk / 4, mine + slot * row_bytes + c * chunk);
        }
    }
    /* All lanes have read what is to be overwritten. */
    __device__ __forceinline__ void release() { __syncwarp(); }
};

/* row_ring of such strips. */
template <class R, int SLOTS = 8> struct beside_ring : row_ring<R, SLOTS> {
    template <int C> __device__ __forceinline__ void open(uint4 *shared, R &rows, const wvl_cuda_job &job, const wvl_cuda_item &item)
    {
        const beside_lane at = beside_lane::find<C>(job, item, threadIdx.x & 31);
        row_ring<R, SLOTS>::open(shared);
        at.open_rows<C>(rows, job);
    }
};

#endif
