/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Marching in 9/7 from three components and their color transform, 16 columns a lane: a thread block of four warps, one
 * for each component (march_wide.cuh) and one that transforms the colors for all. 128 threads, 48 KiB of shared memory.
 * Panels may go on from one picture to the next (block/beside.cuh).
 */
#ifndef WVL_CUDA_DWT_MARCH_MIXED_CUH
#define WVL_CUDA_DWT_MARCH_MIXED_CUH

#include "cuda/dwt/march_wide.cuh"

/* Returns the part of a warp in its thread block: the component, or 3 for the one that mixes. Warps of one number share
 * a scheduler: the mixing warp is on the critical path of its block, so all mixing warps have one scheduler to
 * themselves. That beats even load. */
__device__ __forceinline__ int mixed_role(uint32_t thread) { return (int)(thread >> 5); }

/* The fourth warp of three components: pairs of rows, of which the stage holds one while the other warps read the one
 * before. */
template <class T, class R, class A, int C> struct mixer {
    R rows;
    A ahead;
    int y0, y1;

    __device__ __forceinline__ void fetch(int place, int y)
    {
        ahead.fetch(rows, place, wvl_cuda_reflect_once(y, y0, y1));
        ahead.fetch(rows, place + 1, wvl_cuda_reflect_once(y + 1, y0, y1));
        ahead.close();
    }
    /* again: there is an older pair where this one goes. */
    __device__ __forceinline__ void mix(color_stage<C> &stage, int place, float shift, bool again)
    {
        if (again) {
            stage.reclaim();
        }
#pragma unroll
        for (int h = 0; h < 2; h++) {
            uint32_t raw[R::words];
            ahead.read(place + h, raw);
            mix_row<R, C>(stage, h, raw, shift);
        }
        ahead.release();
        stage.offer();
    }
    __device__ __forceinline__ void run(uint4 *shared, const wvl_cuda_split &split, const wvl_cuda_item &item)
    {
        typedef marcher<T, stage_rows<C>, color_stage<C>, C, 2> reader;
        color_stage<C> stage;
        reader like;
        like.open_rows(split, item);
        y0 = like.y0;
        y1 = like.y1;
        const float shift = 8388608.0f + (float)(int)(split.pixels[0].half - split.pixels[0].bias);
        ahead.template open<C>(shared + color_stage<C>::shared_bytes / 16, rows, split, item);
        stage.open(shared);
        stage.pair = 0;
        const int y = like.first_row(), pairs = 2 * (like.to - like.from) + reader::STEPS;
        fetch(0, y - 1);
#pragma unroll
        for (int i = 2; i < A::places; i += 2) {
            fetch(i, y - 2 + i);
        }
        ahead.wait();
        mix(stage, 0, shift, false);
        fetch(0, y - 2 + A::places);
        int place = 2;
#pragma unroll 1
        for (int k = 0; k < pairs; k++) {
            ahead.wait();
            mix(stage, place, shift, k > color_stage<C>::pairs - 2);
            fetch(place, y + 2 * k + A::places);
            place = place + 2 < A::places ? place + 2 : 0;
        }
#pragma unroll
        for (int i = 0; i < color_stage<C>::pairs; i++) {
            stage.reclaim();
            stage.turn();
        }
    }
};

template <class R, int AHEAD> struct mixed_ahead;
template <class R> struct mixed_ahead<R, WVL_CUDA_AHEAD_RING> {
    typedef beside_ring<R, WVL_CUDA_MIXED_ROWS> type;
};
template <class R> struct mixed_ahead<R, WVL_CUDA_AHEAD_WARP> {
    typedef beside_window<R, WVL_CUDA_MIXED_ROWS> type;
};

template <class ROW> __device__ __forceinline__ void run_mixed(LAUNCH_ARGUMENTS)
{
    begin_launch(asked);
    typedef typename source_rows<ROW>::type R;
    typedef typename mixed_ahead<R, ROW::ahead>::type ahead_type;
    typedef color_stage<16> stage;
    typedef wide_marcher<stage_rows<16>, stage> marcher97;
    constexpr int rows_at = stage::shared_bytes / 16, rest_at = rows_at + ahead_type::shared_bytes / 16;
#ifndef WVL_CUDA_COUNTED_BARRIERS
    static_assert(16 * rest_at + 3 * marcher97::shared_bytes == ROW::shared_bytes,
                  "the row says what the kernel takes");
#endif
    static_assert(ROW::threads == 128, "a warp for each component, and one that mixes");
    __shared__ uint4 shared[rest_at + 3 * marcher97::shared_bytes / 16];
    open_meetings(stage::first_empty);
    const int role = mixed_role(__shfl_sync(FULL_WARP, threadIdx.x, 0));
    if (role == 3) {
        mixer<float, R, ahead_type, 16> mix;
        mix.run(shared, splits[split_of(items[blockIdx.x], only)], items[blockIdx.x]);
    } else {
        marcher97 march;
        march.ahead.part = role;
        march.run(shared + stage::part_bytes / 16 * role, shared + rest_at + marcher97::shared_bytes / 16 * role,
                  splits, items, only, role);
    }
}
#define RUN_MIX(ROW) run_mixed<ROW>(splits, items, asked, only);

#endif
