/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Device code on the CPU: the kernels' own source is compiled by a C++ compiler after this header. Every thread of a
 * thread block is a fiber that runs to its next meeting (a shuffle, a vote, a barrier); there it waits for all that
 * must come. Threads between two meetings run one after the other, first to last or last to first, so that a missing
 * meeting shows as a difference of both.
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

enum meeting : uint8_t { NONE, WARP, SHUFFLE, VOTE, BLOCK, DONE };
/* Stacks do not begin in the same lines of the processor's caches. */
constexpr uint32_t most_threads = 1024, stack_bytes = (64 << 10) + 5 * 64;

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
static uint32_t *shared, current;
static void (*body)(const void *);
static const void *argument;
static bool reversed; /* the last thread runs first */

static inline void fail(const char *what)
{
    fprintf(stderr, "emulation: thread %u of block %u: %s\n", current, blockIdx.x, what);
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

/* Lets lanes [first, first + count) go on, if all wait for the same. */
static inline bool release(uint32_t first, uint32_t count, bool whole_block)
{
    meeting at = waits_at[first];
    if (at == NONE || at == DONE || (at == BLOCK) != whole_block) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (waits_at[first + i] != at) {
            if (whole_block) {
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

static inline bool release_some(uint32_t threads)
{
    bool any = release(0, threads, true);
    for (uint32_t w = 0; w < threads && !any; w += 32) {
        bool waits = waits_at[w] != DONE && waits_at[w] != BLOCK;
        any |= waits && release(w, 32, false);
        for (uint32_t v = w + 32; any && v < threads; v += 32) {
            if (waits_at[v] != DONE && waits_at[v] != BLOCK) {
                release(v, 32, false);
            }
        }
    }
    return any;
}

static inline void resume(uint32_t thread)
{
    bool is_new = !open_fibers[thread];
    current = thread;
    threadIdx = {thread, 0, 0};
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

static inline void run_block(uint32_t threads)
{
    for (uint32_t i = 0; i < threads; i++) {
        if (!open_fibers[i]) {
            open_fiber(i);
        }
        waits_at[i] = NONE;
    }
    do {
        for (uint32_t i = 0; i < threads; i++) {
            uint32_t thread = reversed ? threads - 1 - i : i;
            if (waits_at[thread] == NONE) {
                resume(thread);
            }
        }
    } while (release_some(threads));
    for (uint32_t i = 0; i < threads; i++) {
        if (waits_at[i] != DONE) {
            current = i;
            fail("waits for ever");
        }
    }
}

/* Threads of a thread block: a multiple of 32. Shared memory holds rubbish. */
static inline void launch(void (*kernel)(const void *), const void *arg, uint32_t grid, uint32_t rows, uint32_t threads,
                          uint32_t shared_bytes)
{
    stacks = stacks ? stacks : (uint8_t *)malloc((size_t)most_threads * stack_bytes);
    shared = (uint32_t *)aligned_alloc(16, (shared_bytes + 31) & ~15u);
    body = kernel;
    argument = arg;
    gridDim = {grid, rows, 1};
    blockDim = {threads, 1, 1};
    for (uint32_t b = 0; b < grid * rows; b++) {
        blockIdx = {b % grid, b / grid, 0};
        memset(shared, 0xA5, shared_bytes + 16);
        run_block(threads);
        for (uint32_t i = 0; i < 16; i++) {
            if (((uint8_t *)shared)[shared_bytes + i] != 0xA5) {
                fail("wrote beyond its shared memory");
            }
        }
    }
    free(shared);
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
        any |= emulation::seen[i];
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
static inline void copy_begin(uint32_t *to, const void *from) { memcpy(to, from, 16); }
static inline void copy_wait() {}

} // namespace wvl_ht

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
