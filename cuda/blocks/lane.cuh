/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernels of this folder take from a lane. Without nvcc these names come from the emulation, which was
 * included before. */
#pragma once
#include <stdint.h>

#ifdef __CUDACC__
#define WVL_HT_SHARED(name)                                                                                            \
    extern __shared__ uint4 wvl_ht_shared4[];                                                                          \
    uint32_t *name = (uint32_t *)wvl_ht_shared4

namespace wvl_ht
{

/* The lowest n mod 32 bits. */
__device__ __forceinline__ uint32_t low_bits(uint32_t n)
{
    uint32_t m;
    asm("bmsk.wrap.b32 %0, 0, %1;" : "=r"(m) : "r"(n));
    return m;
}

/* The value is above 0. __clz() takes an instruction more. */
__device__ __forceinline__ uint32_t leading_zeros(uint32_t v)
{
    uint32_t n;
    asm("bfind.shiftamt.u32 %0, %1;" : "=r"(n) : "r"(v));
    return n;
}

/* The compiler does not always see that an address is one of device memory. */
__device__ __forceinline__ void store_global(void *to, uint32_t v)
{
    asm volatile("st.global.u32 [%0], %1;" ::"l"(to), "r"(v) : "memory");
}

/* Addresses in shared memory, and a store to one. The compiler does not order it with loads through pointers: a
 * meeting does. */
__device__ __forceinline__ uint32_t shared_address(const uint32_t *at)
{
    return (uint32_t)__cvta_generic_to_shared(at);
}
__device__ __forceinline__ void store_shared(uint32_t address, uint32_t v)
{
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(v));
}

/* The THREADS of a thread block meet whose warps come from different places: __syncthreads() is one place for all, and
 * so is the aligned form of this barrier. */
template <uint32_t THREADS> __device__ __forceinline__ void meet_from_anywhere()
{
    asm volatile("barrier.sync 1, %0;" ::"n"(THREADS) : "memory");
}

/* 16 bytes to shared memory; copy_wait: all that this lane began are there. */
__device__ __forceinline__ void copy_begin(uint32_t *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from));
#else
    *(uint4 *)to = *(const uint4 *)from;
#endif
}
__device__ __forceinline__ void copy_wait()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

} // namespace wvl_ht

namespace wvl_t1
{

/* A byte to an address in shared memory, which moves on, if flag is not 0. */
__device__ __forceinline__ void put_symbol(uint32_t &at, uint32_t v, uint32_t flag)
{
    asm volatile("{.reg .pred q; setp.ne.u32 q, %2, 0; @q st.shared.u8 [%0], %1; @q add.u32 %0, %0, 1;}"
                 : "+r"(at)
                 : "r"(v), "r"(flag)
                 : "memory");
}
__device__ __forceinline__ void put_two_symbols(uint32_t &at, uint32_t v, uint32_t w, uint32_t flag)
{
    asm volatile("{.reg .pred q; setp.ne.u32 q, %3, 0; @q st.shared.u8 [%0], %1; @q st.shared.u8 [%0+1], %2; "
                 "@q add.u32 %0, %0, 2;}"
                 : "+r"(at)
                 : "r"(v), "r"(w), "r"(flag)
                 : "memory");
}

} // namespace wvl_t1
#endif

namespace wvl_ht
{

__device__ __forceinline__ uint32_t lane_id() { return threadIdx.x & 31; }
/* v << n mod 32 */
__device__ __forceinline__ uint32_t shift_left(uint32_t v, uint32_t n) { return __funnelshift_l(0, v, n); }

/* Sum of the lanes up to this one, of each `width` lanes for themselves. */
template <uint32_t WIDTH> __device__ __forceinline__ uint32_t scan(uint32_t v)
{
    uint32_t place = lane_id() % WIDTH;
#pragma unroll
    for (uint32_t d = 1; d < WIDTH; d <<= 1) {
        uint32_t other = __shfl_up_sync(~0u, v, d, WIDTH);
        v += place >= d ? other : 0;
    }
    return v;
}

/* Sum over the thread block up to this thread; *all: over all. sums: a word a warp. */
__device__ __forceinline__ uint64_t scan_threads(uint32_t own, uint32_t *sums, uint32_t *all)
{
    uint32_t lane = lane_id(), warp = threadIdx.x >> 5, sum = scan<32>(own);
    if (lane == 31) {
        sums[warp] = sum;
    }
    __syncthreads();
    uint32_t s = scan<32>(sums[lane]), before = __shfl_sync(~0u, s, warp ? warp - 1 : 0);
    *all = __shfl_sync(~0u, s, 31);
    __syncthreads();
    return (warp ? before : 0) + sum;
}

/* `count` items of a counter that all warps share: asked for by lane 0, and the answer for all lanes. */
__device__ __forceinline__ uint32_t ask_items(uint32_t *counter, uint32_t count)
{
    return lane_id() ? 0 : atomicAdd(counter, count);
}
__device__ __forceinline__ uint32_t take_items(uint32_t *counter, uint32_t count)
{
    return __shfl_sync(~0u, ask_items(counter, count), 0);
}

/* The items of a list, `count` at a time. The next ones are asked for while those at hand are in work. */
struct item_list {
    uint32_t *counter;
    uint32_t asked, count;
    __device__ __forceinline__ void open(uint32_t *at, uint32_t each)
    {
        counter = at;
        count = each;
        asked = ask_items(counter, count);
    }
    __device__ __forceinline__ uint32_t take()
    {
        uint32_t first = __shfl_sync(~0u, asked, 0);
        asked = ask_items(counter, count);
        return first;
    }
};

} // namespace wvl_ht
