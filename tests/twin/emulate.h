/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Device code on the CPU: the kernels' own source is compiled by a C++ compiler after this header. Every thread of a
 * thread block, or of a cluster of them, is a fiber that runs to its next meeting (a shuffle, a vote, a barrier); there
 * it waits for all that must come. Threads between two meetings run one after the other, first to last or last to
 * first, so that a missing meeting shows as a difference of both.
 *
 * A meeting that some lane of the warp does not come to, or that is another one for it, ends the program.
 */
#ifndef WVL_TESTS_EMULATE_H
#define WVL_TESTS_EMULATE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

/* swapcontext makes a system call each time, __builtin_longjmp none. Sanitizers follow swapcontext alone: with them
 * WVL_EMULATION_SWAPS is defined. */
#if defined(__clang__) && !defined(__x86_64__) && !defined(WVL_EMULATION_SWAPS)
#define WVL_EMULATION_SWAPS /* it has no such function there */
#endif

#define __global__
#define __device__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __grid_constant__
#define __launch_bounds__(...)
#define WVL_CLUSTER(blocks)
#define WVL_HAS_CLUSTERS
#define WVL_HT_SHARED(name) uint32_t *name = emulation::shared

struct uint3 {
    uint32_t x, y, z;
};
struct alignas(16) uint4 {
    uint32_t x, y, z, w;
};
static inline uint4 make_uint4(uint32_t x, uint32_t y, uint32_t z, uint32_t w) { return {x, y, z, w}; }
static uint3 threadIdx, blockIdx, blockDim, gridDim;

namespace emulation
{

enum meeting : uint8_t { NONE, WARP, SHUFFLE, VOTE, BLOCK, CLUSTER, DONE };
/* Stacks do not begin in the same lines of the processor's caches. */
constexpr uint32_t most_threads = 3072, stack_bytes = (64 << 10) + 5 * 64;

/* Where a fiber or the scheduler goes on. */
struct place {
    ucontext_t context;
    void *jump[5];
};

static place fibers[most_threads];
static bool open_fibers[most_threads]; /* they have begun, and take one thread after the other */
static meeting waits_at[most_threads];
static uint32_t given[most_threads]; /* what a thread brings to a meeting, */
static uint32_t seen[most_threads];  /* and what the lanes of its warp brought to the last one */
static place scheduler;
static uint8_t *stacks;
static uint32_t *shared, current, room; /* of the current thread block; bytes from one to the next of a cluster */
static uint32_t *first_shared, first_block;
static void (*body)(const void *);
static const void *argument;
static bool reversed; /* the last thread runs first */

static inline void fail(const char *what)
{
    fprintf(stderr, "emulation: thread %u of block %u: %s\n", current % blockDim.x, first_block + current / blockDim.x,
            what);
    abort();
}

#ifdef WVL_EMULATION_SWAPS
static inline void go(place &from, place &to, bool) { swapcontext(&from.context, &to.context); }
#else
[[noreturn]] static __noinline__ void jump(place &to) { __builtin_longjmp(to.jump, 1); }

/* Goes on at another place; returns when somebody goes on here. */
static __noinline__ void go(place &from, place &to, bool is_new)
{
    if (!__builtin_setjmp(from.jump)) {
        if (is_new) {
            setcontext(&to.context);
        }
        jump(to);
    }
}
#endif

/* Brings a value, waits, and leaves what the lanes brought in seen. */
static inline const uint32_t *meet(meeting at, uint32_t brings)
{
    const uint32_t *warp = &seen[current & ~31u];
    waits_at[current] = at;
    given[current] = brings;
    go(fibers[current], scheduler, false);
    return warp;
}

/* A thread of each thread block in turn. */
static inline void run_fiber()
{
    for (;;) {
        body(argument);
        (void)meet(DONE, 0);
    }
}

/* The meeting is one of a warp. */
static inline bool is_of_warp(meeting at) { return at == WARP || at == SHUFFLE || at == VOTE; }

/* Lets lanes [first, first + count) go on, if all wait for the same: `wanted`, or NONE: a meeting of the warp. */
static inline bool release(uint32_t first, uint32_t count, meeting wanted)
{
    meeting at = waits_at[first];
    if (wanted == NONE ? !is_of_warp(at) : at != wanted) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (waits_at[first + i] != at) {
            if (wanted != NONE) {
                return false;
            }
            current = first + i;
            fail("lanes of a warp meet at different places");
        }
    }
    memset(waits_at + first, NONE, count);
    memcpy(seen + first, given + first, count * sizeof *seen);
    return true;
}

static inline bool release_some(uint32_t blocks, uint32_t threads)
{
    bool any = release(0, blocks * threads, CLUSTER);
    for (uint32_t b = 0; b < blocks; b++) {
        any |= release(b * threads, threads, BLOCK);
    }
    for (uint32_t w = 0; !any && w < blocks * threads; w += 32) {
        any |= release(w, 32, NONE);
        for (uint32_t v = w + 32; any && v < blocks * threads; v += 32) {
            release(v, 32, NONE);
        }
    }
    return any;
}

static inline void resume(uint32_t thread)
{
    bool is_new = !open_fibers[thread];
    uint32_t block = thread < blockDim.x ? 0 : thread / blockDim.x;
    current = thread;
    threadIdx = {thread - block * blockDim.x, 0, 0};
    blockIdx.x = first_block + block;
    shared = first_shared + block * (room / 4);
    open_fibers[thread] = true;
    go(scheduler, fibers[thread], is_new);
}

static inline void open_fiber(uint32_t thread)
{
    ucontext_t &context = fibers[thread].context;
    getcontext(&context);
    context.uc_stack.ss_sp = stacks + (size_t)thread * stack_bytes;
    context.uc_stack.ss_size = stack_bytes;
    context.uc_link = NULL;
    makecontext(&context, run_fiber, 0);
}

/* Thread blocks that run together. */
static inline void run_blocks(uint32_t blocks, uint32_t threads)
{
    uint32_t all = blocks * threads;
    for (uint32_t i = 0; i < all; i++) {
        if (!open_fibers[i]) {
            open_fiber(i);
        }
        waits_at[i] = NONE;
    }
    do {
        for (uint32_t i = 0; i < all; i++) {
            uint32_t thread = reversed ? all - 1 - i : i;
            if (waits_at[thread] == NONE) {
                resume(thread);
            }
        }
    } while (release_some(blocks, threads));
    for (uint32_t i = 0; i < all; i++) {
        if (waits_at[i] != DONE) {
            current = i;
            fail("waits for ever");
        }
    }
}

/* Each thread block must leave what lies behind its shared memory. */
static inline void check_rooms(uint32_t blocks, uint32_t shared_bytes)
{
    for (uint32_t b = 0; b < blocks; b++) {
        const uint8_t *end = (const uint8_t *)first_shared + b * room + shared_bytes;
        for (uint32_t i = 0; i < 16; i++) {
            if (end[i] != 0xA5) {
                fail("wrote beyond its shared memory");
            }
        }
    }
}

/* Threads of a thread block: a multiple of 32. cluster: thread blocks of one. Shared memory holds rubbish. */
static inline void launch(void (*kernel)(const void *), const void *arg, uint32_t grid, uint32_t rows, uint32_t threads,
                          uint32_t shared_bytes, uint32_t cluster = 1)
{
    stacks = stacks ? stacks : (uint8_t *)malloc((size_t)most_threads * stack_bytes);
    room = (shared_bytes + 31) & ~15u;
    first_shared = (uint32_t *)aligned_alloc(16, cluster * room);
    body = kernel;
    argument = arg;
    gridDim = {grid, rows, 1};
    blockDim = {threads, 1, 1};
    if (cluster * threads > most_threads || grid % cluster) {
        fail("the grid is not one of clusters");
    }
    for (uint32_t b = 0; b < grid * rows; b += cluster) {
        first_block = b % grid;
        blockIdx.y = b / grid;
        memset(first_shared, 0xA5, cluster * room);
        run_blocks(cluster, threads);
        check_rooms(cluster, shared_bytes);
    }
    free(first_shared);
}

} // namespace emulation

/* ---- What kernels call ----------------------------------------------------------------------- */

static inline void __syncwarp() { emulation::meet(emulation::WARP, 0); }
static inline void __syncthreads() { emulation::meet(emulation::BLOCK, 0); }
static inline int __syncthreads_or(int v)
{
    (void)emulation::meet(emulation::BLOCK, v != 0);
    uint32_t any = 0;
    for (uint32_t i = 0; i < blockDim.x; i++) {
        any |= emulation::seen[emulation::current - threadIdx.x + i];
    }
    return any != 0;
}
static inline uint32_t __shfl_sync(uint32_t, uint32_t v, uint32_t lane, uint32_t width = 32)
{
    uint32_t own = emulation::current & 31;
    return emulation::meet(emulation::SHUFFLE, v)[(own & ~(width - 1)) | (lane & (width - 1))];
}
static inline uint32_t __shfl_up_sync(uint32_t, uint32_t v, uint32_t d, uint32_t width = 32)
{
    uint32_t own = emulation::current & 31;
    return emulation::meet(emulation::SHUFFLE, v)[(own & (width - 1)) >= d ? own - d : own];
}
static inline uint32_t __shfl_down_sync(uint32_t, uint32_t v, uint32_t d, uint32_t width = 32)
{
    uint32_t own = emulation::current & 31;
    return emulation::meet(emulation::SHUFFLE, v)[(own & (width - 1)) + d < width ? own + d : own];
}
static inline uint32_t __ballot_sync(uint32_t, bool v)
{
    const uint32_t *seen = emulation::meet(emulation::VOTE, v);
    uint32_t all = 0;
    for (uint32_t i = 0; i < 32; i++) {
        all |= seen[i] << i;
    }
    return all;
}
static inline bool __any_sync(uint32_t mask, bool v) { return __ballot_sync(mask, v) != 0; }
static inline int32_t __reduce_add_sync(uint32_t, int32_t v)
{
    const uint32_t *seen = emulation::meet(emulation::VOTE, (uint32_t)v);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 32; i++) {
        sum += seen[i];
    }
    return (int32_t)sum;
}
/* Returns what was there. */
template <class T> static inline T exchange(T *at, T v)
{
    T old = *at;
    *at = v;
    return old;
}
template <class T, class V> static inline T atomicOr(T *at, V v) { return exchange(at, *at | (T)v); }
template <class T, class V> static inline T atomicAdd(T *at, V v) { return exchange(at, *at + (T)v); }
template <class T, class V> static inline T atomicMin(T *at, V v) { return exchange(at, (T)v < *at ? (T)v : *at); }
template <class T, class V> static inline T atomicMax(T *at, V v) { return exchange(at, (T)v > *at ? (T)v : *at); }
static inline void __threadfence() {}
static inline uint32_t __funnelshift_l(uint32_t low, uint32_t high, uint32_t n)
{
    return (uint32_t)((((uint64_t)high << 32 | low) << (n & 31)) >> 32);
}
static inline uint32_t __funnelshift_r(uint32_t low, uint32_t high, uint32_t n)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> (n & 31));
}
static inline uint32_t __byte_perm(uint32_t a, uint32_t b, uint32_t selector)
{
    uint64_t from = (uint64_t)b << 32 | a;
    uint32_t v = 0;
    for (int i = 0; i < 4; i++) {
        v |= (uint32_t)(from >> 8 * (selector >> 4 * i & 7) & 255) << 8 * i;
    }
    return v;
}
static inline uint32_t __dp4a(uint32_t a, uint32_t b, uint32_t sum)
{
    for (int i = 0; i < 32; i += 8) {
        sum += (a >> i & 255) * (b >> i & 255);
    }
    return sum;
}
static inline uint32_t __dp2a_lo(uint32_t a, uint32_t b, uint32_t sum)
{
    return sum + (a & 0xFFFF) * (b & 255) + (a >> 16) * (b >> 8 & 255);
}
static inline uint32_t __dp2a_hi(uint32_t a, uint32_t b, uint32_t sum) { return __dp2a_lo(a, b >> 16, sum); }
static inline uint32_t __vminu2(uint32_t a, uint32_t b)
{
    uint32_t low = (a & 0xFFFF) < (b & 0xFFFF) ? a : b, high = a >> 16 < b >> 16 ? a : b;
    return (high & 0xFFFF0000u) | (low & 0xFFFF);
}
/* Bits of floating point. */
template <class TO, class FROM> static inline TO bits_as(FROM from)
{
    TO to;
    static_assert(sizeof to == sizeof from, "the same bits");
    memcpy(&to, &from, sizeof to);
    return to;
}
static inline uint32_t __float_as_uint(float v) { return bits_as<uint32_t>(v); }
static inline float __uint_as_float(uint32_t v) { return bits_as<float>(v); }
static inline int __double2hiint(double v) { return (int)(bits_as<uint64_t>(v) >> 32); }
static inline int __double2loint(double v) { return (int)bits_as<uint64_t>(v); }
static inline double __hiloint2double(int high, int low)
{
    return bits_as<double>((uint64_t)(uint32_t)high << 32 | (uint32_t)low);
}
static inline int __clz(uint32_t v) { return v ? __builtin_clz(v) : 32; }
static inline int __ffs(uint32_t v) { return __builtin_ffs((int)v); }
static inline int __popc(uint32_t v) { return __builtin_popcount(v); }
#define MIN_AND_MAX(T)                                                                                                 \
    static inline T min(T a, T b) { return a < b ? a : b; }                                                            \
    static inline T max(T a, T b) { return a > b ? a : b; }
MIN_AND_MAX(uint32_t)
MIN_AND_MAX(int64_t)
MIN_AND_MAX(uint64_t)
MIN_AND_MAX(int)

namespace wvl_ht
{

static inline uint32_t low_bits(uint32_t n) { return (1u << (n & 31)) - 1; }
static inline void store_global(void *to, uint32_t v) { memcpy(to, &v, 4); }
static inline uint32_t leading_zeros(uint32_t v) { return (uint32_t)__builtin_clz(v); }
static inline uint32_t shared_address(const uint32_t *at)
{
    return (uint32_t)((const uint8_t *)at - (const uint8_t *)emulation::shared);
}
static inline void store_shared(uint32_t address, uint32_t v) { emulation::shared[address / 4] = v; }
template <uint32_t THREADS> static inline void meet_from_anywhere() { __syncthreads(); }
static inline void copy_begin(uint32_t *to, const void *from) { memcpy(to, from, 16); }
static inline void copy_wait() {}

} // namespace wvl_ht

namespace wvl_rate
{

static inline void meet_cluster() { emulation::meet(emulation::CLUSTER, 0); }
static inline uint32_t *map_to_first(uint32_t *own) { return emulation::first_shared + (own - emulation::shared); }

} // namespace wvl_rate

namespace wvl_t1
{

static inline void put_symbol(uint32_t &at, uint32_t v, uint32_t flag)
{
    if (flag) {
        ((uint8_t *)emulation::shared)[at++] = (uint8_t)v;
    }
}
static inline void put_two_symbols(uint32_t &at, uint32_t v, uint32_t w, uint32_t flag)
{
    put_symbol(at, v, flag);
    put_symbol(at, w, flag);
}

} // namespace wvl_t1

#endif
