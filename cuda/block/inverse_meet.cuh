/* SPDX-License-Identifier: BSD-2-Clause */
/* Warps of a thread block of 128 threads hand rows to each other: those who give signal that a buffer is full and wait until it is empty, those who
 * take wait until it is full and signal that it is empty. */
#ifndef WVL_CUDA_BLOCK_INVERSE_MEET_CUH
#define WVL_CUDA_BLOCK_INVERSE_MEET_CUH

template <int BARRIER> __device__ __forceinline__ void wait_for_others(void)
{
#ifdef __CUDA_ARCH__
    asm volatile("bar.sync %0, 128;" ::"n"(BARRIER) : "memory");
#endif
}

template <int BARRIER> __device__ __forceinline__ void signal_others(void)
{
#ifdef __CUDA_ARCH__
    asm volatile("bar.arrive %0, 128;" ::"n"(BARRIER) : "memory");
#endif
}

#endif
