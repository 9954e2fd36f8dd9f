/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Device code on the CPU: the kernels' own source is compiled by a C++ compiler after this header. Every thread of a
 * thread block, or of a cluster of them, is a fiber that runs to its next meeting (a shuffle, a vote, a barrier); there
 * it waits for all that must come. The threads of a warp run one after the other, first to last or last to first, and
 * so do the warps between two barriers and the thread blocks between two barriers of a cluster: a missing meeting shows
 * as a difference of both orders.
 *
 * A meeting that some lane of the warp does not come to, or that is another one for it, ends the program.
 */
#pragma once

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

/* From BLOCK on, a warp cannot go on by itself. */
enum meeting : uint8_t { WARP, SHUFFLE, VOTE, SUM, BLOCK, CLUSTER, DONE };
/* Stacks do not begin in the same lines of the processor's caches. */
constexpr uint32_t most_threads = 3072, stack_bytes = (64 << 10) + 5 * 64;

/* Where a fiber or the scheduler goes on. */
struct place {
    ucontext_t context;
    void *jump[5];
};

static place fibers[most_threads], scheduler;
static uint32_t open_fibers, current;
/* What changes while a fiber waits. */
static struct {
    meeting meets; /* where the lanes of the running warp are coming to */
    /* What they bring to a meeting, and what they brought to the last one. */
    uint32_t given[32], seen[32], casts, votes, adds, sum;
    bool block_casts, block_votes;
} board;
static uint8_t *stacks;
static uint32_t *shared, room; /* of the current thread block; bytes from one to the next of a cluster */
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

/* A compiler does not see who writes to it meanwhile. */
static inline void board_changes() { __asm__ volatile("" : : "r"(&board) : "memory"); }

#ifdef WVL_EMULATION_SWAPS
static inline void go(place &from, place &to)
{
    swapcontext(&from.context, &to.context);
    board_changes();
}
static inline void begin(place &fiber) { swapcontext(&scheduler.context, &fiber.context); }
#else
[[noreturn]] static __noinline__ void jump(place &to) { __builtin_longjmp(to.jump, 1); }

/* Others run before it returns: a caller may not conclude from its body which registers stay. */
#if __has_attribute(noipa)
#define WVL_EMULATION_OPAQUE __attribute__((noipa))
#else
#define WVL_EMULATION_OPAQUE __noinline__
#endif

/* Goes on at another place; returns when somebody goes on here. */
static WVL_EMULATION_OPAQUE void go(place &from, place &to)
{
    if (!__builtin_setjmp(from.jump)) {
        jump(to);
    }
    board_changes();
}

static WVL_EMULATION_OPAQUE void begin(place &fiber)
{
    if (!__builtin_setjmp(scheduler.jump)) {
        setcontext(&fiber.context);
    }
}
#endif

/* Waits for the other lanes of the warp: the next one runs. Behind the last one the first goes on. */
static inline void meet(meeting at)
{
    uint32_t own = current, lane = own & 31, first = reversed ? 31 : 0, next = reversed ? own - 1 : own + 1;
    if (lane != first && at != board.meets) {
        fail("lanes of a warp meet at different places");
    }
    board.meets = at;
    if (lane == (first ^ 31)) {
        if (at >= BLOCK) {
            go(fibers[own], scheduler);
            return;
        }
        next = own ^ 31;
        memcpy(board.seen, board.given, sizeof board.seen);
        board.votes = board.casts, board.casts = 0;
        board.sum = board.adds, board.adds = 0;
    }
    current = next;
    threadIdx.x += next - own;
    go(fibers[own], fibers[next]);
}

static inline const uint32_t *shuffle(uint32_t v)
{
    board.given[current & 31] = v;
    meet(SHUFFLE);
    return board.seen;
}

/* A thread of each thread block in turn. */
static inline void run_fiber()
{
    go(fibers[current], scheduler);
    for (;;) {
        body(argument);
        meet(DONE);
    }
}

static inline void open_fiber(uint32_t thread)
{
    ucontext_t &context = fibers[thread].context;
    getcontext(&context);
    context.uc_stack.ss_sp = stacks + (size_t)thread * stack_bytes;
    context.uc_stack.ss_size = stack_bytes;
    context.uc_link = NULL;
    makecontext(&context, run_fiber, 0);
    current = thread;
    begin(fibers[thread]);
}

/* Runs all warps of a thread block to their next barrier, or to their end. */
static inline meeting run_warps(uint32_t first, uint32_t threads)
{
    meeting all = DONE;
    for (uint32_t w = 0; w < threads; w += 32) {
        threadIdx.x = reversed ? threads - 1 - w : w;
        current = first + threadIdx.x;
        go(scheduler, fibers[current]);
        if (w && board.meets != all) {
            fail("waits for ever");
        }
        all = board.meets;
    }
    return all;
}

/* Runs a thread block to the next barrier of its cluster, or to its end. */
static inline meeting run_block(uint32_t block, uint32_t threads)
{
    blockIdx.x = first_block + block;
    shared = first_shared + block * (room / 4);
    meeting at = run_warps(block * threads, threads);
    while (at == BLOCK) {
        board.block_votes = board.block_casts;
        board.block_casts = false;
        at = run_warps(block * threads, threads);
    }
    return at;
}

/* Thread blocks that run together. */
static inline void run_blocks(uint32_t blocks, uint32_t threads)
{
    meeting all = DONE;
    do {
        for (uint32_t b = 0; b < blocks; b++) {
            meeting at = run_block(reversed ? blocks - 1 - b : b, threads);
            if (b && at != all) {
                fail("waits for ever");
            }
            all = at;
        }
    } while (all == CLUSTER);
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
    blockDim = {threads, 1, 1};
    if (cluster * threads > most_threads || grid % cluster) {
        fail("the grid is not one of clusters");
    }
    for (; open_fibers < cluster * threads; open_fibers++) {
        open_fiber(open_fibers);
    }
    room = (shared_bytes + 31) & ~15u;
    first_shared = (uint32_t *)aligned_alloc(16, cluster * room);
    body = kernel;
    argument = arg;
    gridDim = {grid, rows, 1};
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

static inline void __syncwarp() { emulation::meet(emulation::WARP); }
static inline void __syncthreads() { emulation::meet(emulation::BLOCK); }
static inline int __syncthreads_or(int v)
{
    emulation::board.block_casts |= v != 0;
    emulation::meet(emulation::BLOCK);
    return emulation::board.block_votes;
}
static inline uint32_t __shfl_sync(uint32_t, uint32_t v, uint32_t lane, uint32_t width = 32)
{
    uint32_t own = emulation::current & 31;
    return emulation::shuffle(v)[(own & ~(width - 1)) | (lane & (width - 1))];
}
static inline uint32_t __shfl_up_sync(uint32_t, uint32_t v, uint32_t d, uint32_t width = 32)
{
    uint32_t own = emulation::current & 31;
    return emulation::shuffle(v)[(own & (width - 1)) >= d ? own - d : own];
}
static inline uint32_t __shfl_down_sync(uint32_t, uint32_t v, uint32_t d, uint32_t width = 32)
{
    uint32_t own = emulation::current & 31;
    return emulation::shuffle(v)[(own & (width - 1)) + d < width ? own + d : own];
}
static inline uint32_t __ballot_sync(uint32_t, bool v)
{
    emulation::board.casts |= (uint32_t)v << (emulation::current & 31);
    emulation::meet(emulation::VOTE);
    return emulation::board.votes;
}
static inline bool __any_sync(uint32_t mask, bool v) { return __ballot_sync(mask, v) != 0; }
static inline int32_t __reduce_add_sync(uint32_t, int32_t v)
{
    emulation::board.adds += (uint32_t)v;
    emulation::meet(emulation::SUM);
    return (int32_t)emulation::board.sum;
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

static inline void meet_cluster() { emulation::meet(emulation::CLUSTER); }
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
