/* SPDX-License-Identifier: BSD-2-Clause */
/* Warps of a thread block that hand rows to each other through shared memory: a warp that gives or has taken arrives at
 * a barrier and goes on; a warp that needs rows or room waits there. COUNT: threads of all warps that meet. */
#ifndef WVL_CUDA_CORE_MEET_CUH
#define WVL_CUDA_CORE_MEET_CUH

#ifdef WVL_CUDA_COUNTED_BARRIERS
/* Barriers that count in shared memory, from 8.0 on: slower, for racecheck, which knows these but not barriers at which
 * one arrives and another waits. Here who waits arrives first. Defined as 0, nobody waits, and racecheck must say so.
 */
__device__ __forceinline__ uint32_t meeting_point(int barrier)
{
    __shared__ uint64_t points[16];
    return (uint32_t)__cvta_generic_to_shared(&points[barrier]);
}

/* Barriers before `wide` are of 64 threads, the others of 128. */
__device__ __forceinline__ void open_meetings(int wide)
{
    const int barrier = (int)threadIdx.x;
    if (barrier < 16) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(meeting_point(barrier)), "r"(barrier < wide ? 64 : 128)
                     : "memory");
    }
    __syncthreads();
}

template <int COUNT> __device__ __forceinline__ void arrive_at(int barrier)
{
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(meeting_point(barrier))
                 : "memory");
}

template <int COUNT> __device__ __forceinline__ void wait_at(int barrier)
{
#if WVL_CUDA_COUNTED_BARRIERS
    asm volatile("{ .reg .b64 state; .reg .pred done;\n"
                 "mbarrier.arrive.shared.b64 state, [%0];\n"
                 "again: mbarrier.test_wait.shared.b64 done, [%0], state;\n"
                 "@!done bra again; }" ::"r"(meeting_point(barrier))
                 : "memory");
#else
    arrive_at<COUNT>(barrier);
#endif
}
#else
__device__ __forceinline__ void open_meetings(int) {}

template <int COUNT> __device__ __forceinline__ void wait_at(int barrier)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "n"(COUNT) : "memory");
}

template <int COUNT> __device__ __forceinline__ void arrive_at(int barrier)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "n"(COUNT) : "memory");
}
#endif

#endif
