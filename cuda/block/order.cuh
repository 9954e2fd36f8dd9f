/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernels that overlap: a launch may set out while the one in front of it ends (cuda/launch.c). What it reads from tables it may read at once;
 * before it touches what other kernels write, every thread block waits until all of the launch in front, and with it those before, is in memory.
 */
#ifndef WVL_CUDA_BLOCK_ORDER_CUH
#define WVL_CUDA_BLOCK_ORDER_CUH

__device__ __forceinline__ void wait_for_launch_in_front(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Blocks of the next launch take what room is left once all blocks of this one have come here. Early would be wrong: waiting blocks crowd where
 * this launch leaves room first. */
__device__ __forceinline__ void let_next_launch_begin(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

#endif
