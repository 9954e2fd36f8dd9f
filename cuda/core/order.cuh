/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernels that overlap: a launch may set out while the one in front of it ends (cuda/host/transform/launch.c). What it
 * reads from tables it may read at once. Before it touches what other kernels write, a thread block waits either until
 * all of the launch in front, and with it those before, is in memory, or for the flags of the rows that it reads.
 *
 * Flags need that the thread block that sets them runs: thread blocks of a launch come only when every block of the
 * launch in front has let them, or has ended, so that none of those is still to come; the first launch waits for
 * nobody. And a launch must not end before the one in front, since whatever comes next waits for the last one alone:
 * its last thread block sees to that.
 */
#ifndef WVL_CUDA_CORE_ORDER_CUH
#define WVL_CUDA_CORE_ORDER_CUH

#include "cuda/core/split.h"

/* The arguments of every kernel that launch.c launches with split tables. */
#define LAUNCH_ARGUMENTS const wvl_cuda_split *splits, const wvl_cuda_item *items, uint32_t asked, uint32_t only

__device__ __forceinline__ void wait_for_launch_in_front(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Blocks of the next launch take what room is left once all blocks of this one have come here. Early is wrong where
 * they wait for all of it: they would crowd where this launch leaves room first. */
__device__ __forceinline__ void let_next_launch_begin(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* Begins a kernel. asked: blocks of the next launch wait for flags. All of this launch are on their way then, since
 * nothing else lets them come. */
__device__ __forceinline__ void begin_launch(uint32_t asked)
{
    if (asked) {
        let_next_launch_begin();
    }
}

/* Number of the item's split. only: 1 more than that, if it is the same for all of the launch: then nobody waits for
 * the item to begin with the split. */
__device__ __forceinline__ uint32_t split_of(const wvl_cuda_item &item, uint32_t only)
{
    return only ? only - 1 : item.split;
}

/* A warp waits. The load that acquires, once the flags are there, drops what L1 holds of the rows, too: neighbours on
 * the multiprocessor may have read too much too soon. */
__device__ __forceinline__ void wait_for_rows(uint64_t flags, const wvl_cuda_item &item)
{
#if __CUDA_ARCH__ >= 900
    const uint32_t cols = item.front_cols, count = item.front_rows * cols;
    if (!count) {
        wait_for_launch_in_front();
        return;
    }
    for (uint32_t first = 0; first < count; first += 32) {
        const uint32_t i = min(first + (threadIdx.x & 31), count - 1);
        const uint64_t at = flags + 4ull * (item.front + i / cols * item.front_pitch + i % cols);
        uint32_t set;
        for (;;) { /* all lanes together: the compiler sees that they part nowhere */
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(set) : "l"(at) : "memory");
            if (__all_sync(0xffffffffu, set)) {
                break;
            }
            __nanosleep(100);
        }
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(set) : "l"(at) : "memory");
    }
    __syncwarp();
#endif
}

/* A thread block waits. */
__device__ __forceinline__ void wait_for_tile(uint64_t flags, const wvl_cuda_item &item)
{
    if (item.front_rows == 0 || threadIdx.x < 32) {
        wait_for_rows(flags, item);
    }
    __syncthreads();
}

/* Returns where the warp's flag lies; 0: nobody asks. */
__device__ __forceinline__ uint64_t open_flag(const wvl_cuda_split &split, const wvl_cuda_item &item)
{
    return split.flags ? split.flags + 4ull * item.flag : 0;
}

/* All rows of the warp are stored. */
__device__ __forceinline__ void set_flag(uint64_t at)
{
#if __CUDA_ARCH__ >= 900
    __syncwarp();
    if (at && (threadIdx.x & 31) == 0) {
        asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(1u) : "memory");
    }
#endif
}

/* Ends every kernel. */
__device__ __forceinline__ void end_launch(void)
{
    if (blockIdx.x + 1 == gridDim.x) {
        wait_for_launch_in_front();
    }
}

#endif
