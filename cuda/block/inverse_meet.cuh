/* SPDX-License-Identifier: BSD-2-Clause */
/* Two warps hand rows to each other: the one that gives signals that a buffer is full and waits until it is empty, the one that takes waits until it
 * is full and signals that it is empty. */
#ifndef WVL_CUDA_BLOCK_INVERSE_MEET_CUH
#define WVL_CUDA_BLOCK_INVERSE_MEET_CUH

__device__ __forceinline__ void wait_for_other(int barrier)
{
#ifdef __CUDA_ARCH__
    asm volatile("bar.sync %0, 64;" ::"r"(barrier) : "memory");
#endif
}

__device__ __forceinline__ void signal_other(int barrier)
{
#ifdef __CUDA_ARCH__
    asm volatile("bar.arrive %0, 64;" ::"r"(barrier) : "memory");
#endif
}

#endif
