/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 1-D transform of long signals on a device (D. Puchala and K. Stokfiszewski 2021; D-lattice-04). A thread block,
 * or a warp, reads stage_count pairs more than it gives, and does all stages: memory is read and written once.
 *
 * Kernels (those of several levels in levels.cuh and march.cuh, convolutions in convolution.cuh):
 *   butterfly     the paper's: a thread is one pair; one value of it passes through shared memory, a barrier a stage
 *   registers     a warp holds 32 x WVL_LATTICE_PAIRS pairs; neighbours by shuffle, no shared memory, no barrier
 *   lanes         the same warp, but neighbouring pairs lie in neighbouring lanes: whole lines of memory, more shuffles
 *   windows       a thread block does several levels; its warps work as in lanes, one barrier a level
 *   march         a warp goes along a stretch of the signal and does all levels as their samples come; no barrier
 *   levels        a thread block does several levels; a thread holds WVL_LATTICE_PAIRS pairs, a barrier a stage
 *   convolution   the rival: a thread is one pair of coefficients, all taps from global memory
 *   convolve      the same sums; a thread block keeps its samples in shared memory, a thread four pairs in registers
 *
 * Fused multiply-adds have the order of lab/lattice/kernels_tmpl.h, so that all give the same bits as the CPU.
 */
#ifndef WVL_CUDA_LATTICE_CUH
#define WVL_CUDA_LATTICE_CUH

#include "lab/cuda/lattice/args.h"

#ifndef WVL_LATTICE_SHARED
#define WVL_LATTICE_SHARED(name) extern __shared__ float name[]
#endif

namespace wvl_lattice
{

constexpr int PAIRS = WVL_LATTICE_PAIRS;

static __device__ __forceinline__ long long wrap(long long i, long long period)
{
    if ((unsigned long long)i < (unsigned long long)period) {
        return i;
    }
    const long long rest = i % period;
    return rest < 0 ? rest + period : rest;
}

/* Sample i of the periodic signal; the last one stands twice if their number is odd. */
static __device__ __forceinline__ long long sample_at(const wvl_lattice_args &a, long long i)
{
    const long long at = wrap(i, a.length + (a.length & 1));
    return at < a.length ? at : a.length - 1;
}

static __device__ __forceinline__ void load_pair(const wvl_lattice_args &a, long long n, float &u, float &v)
{
    const long long at = 2 * n + a.first;
    u = a.signal[sample_at(a, at)];
    v = a.signal[sample_at(a, at + 1)];
}

static __device__ __forceinline__ void store_sample(const wvl_lattice_args &a, long long i, float value)
{
    const long long at = wrap(i, a.length + (a.length & 1));
    if (at < a.length) {
        a.signal[at] = value;
    }
}

/* p + q r, rounded once, as on the CPU (D-lattice-02). */
static __device__ __forceinline__ float add_product(float p, float q, float r) { return __fmaf_rn(q, r, p); }

/* The first product is rounded. */
static __device__ __forceinline__ void apply(const float *b, float &u, float &v)
{
    const float p = b[0] * u, q = b[2] * u;
    u = add_product(p, b[1], v);
    v = add_product(q, b[3], v);
}

/* ---- One pair a thread, as in the paper ------------------------------------------------------ */

/* Thread n keeps u. a_n lies in place n + k before stage k is over: the thread that reads a place is the one that
 * writes it next, so one barrier a stage is enough. */
static __device__ __forceinline__ void forward_butterfly(const wvl_lattice_args &a)
{
    WVL_LATTICE_SHARED(places);
    const int stages = (int)a.steps.stage_count, thread = (int)threadIdx.x, gives = (int)blockDim.x - stages;
    const long long half = wvl_lattice_half(&a, 1), n = (long long)blockIdx.x * gives + thread;
    float u, v;
    load_pair(a, n, u, v);
    for (int k = 0; k < stages; k++) {
        if (thread < (int)blockDim.x - k) {
            places[thread + k] = add_product(u, a.steps.t[k], v);
            u = add_product(v, a.steps.s[k], u);
        }
        __syncthreads();
        if (thread < (int)blockDim.x - k - 1) {
            v = places[thread + k + 1];
        }
    }
    if (thread < gives && n < half) {
        apply(a.steps.b, u, v);
        a.low[n] = u;
        a.coefs[half + n] = v;
    }
}

/* The same backwards: thread n takes v of thread n - 1. */
static __device__ __forceinline__ void inverse_butterfly(const wvl_lattice_args &a)
{
    WVL_LATTICE_SHARED(places);
    const int stages = (int)a.steps.stage_count, thread = (int)threadIdx.x, gives = (int)blockDim.x - stages;
    const long long half = wvl_lattice_half(&a, 1), n = (long long)blockIdx.x * gives + thread - stages;
    const long long at = wrap(n, half);
    float u = a.low[at], v = a.coefs[half + at];
    apply(a.steps.inverse_b, u, v);
    for (int k = stages; k-- > 0;) {
        const int done = stages - 1 - k;
        if (thread >= done) {
            places[thread + k + 1] = v;
        }
        __syncthreads();
        if (thread > done) {
            const float taken = places[thread + k], kept = u;
            u = add_product(taken, -a.steps.t[k], kept);
            v = add_product(kept, -a.steps.s[k], taken);
        }
    }
    if (thread >= stages && n < half) {
        store_sample(a, 2 * n + a.first, u);
        store_sample(a, 2 * n + a.first + 1, v);
    }
}

/* ---- Pairs in registers ---------------------------------------------------------------------- */

/* The pairs of a thread after a stage, but for the last v: that is the first a of the next thread, which is given. */
template <int COUNT>
static __device__ __forceinline__ float forward_stage(float t, float s, float (&u)[COUNT], float (&v)[COUNT])
{
    float first = 0;
#pragma unroll
    for (int r = 0; r < COUNT; r++) {
        const float next = add_product(u[r], t, v[r]);
        u[r] = add_product(v[r], s, u[r]);
        if (r == 0) {
            first = next;
        } else {
            v[r - 1] = next;
        }
    }
    return first;
}

/* A stage undone; before: v of the last pair of the thread before. */
template <int COUNT>
static __device__ __forceinline__ void inverse_stage(float t, float s, float before, float (&u)[COUNT],
                                                     float (&v)[COUNT])
{
#pragma unroll
    for (int r = 0; r < COUNT; r++) {
        const float taken = before, kept = u[r];
        before = v[r];
        u[r] = add_product(taken, -t, kept);
        v[r] = add_product(kept, -s, taken);
    }
}

/* A warp gives 32 PAIRS - stage_count pairs. */
static __device__ __forceinline__ void forward_registers(const wvl_lattice_args &a)
{
    const int stages = (int)a.steps.stage_count, lane = (int)threadIdx.x & 31, gives = 32 * PAIRS - stages;
    const long long warp = ((long long)blockIdx.x * blockDim.x + threadIdx.x) >> 5, half = wvl_lattice_half(&a, 1);
    const long long n = warp * gives + lane * PAIRS;
    float u[PAIRS], v[PAIRS];
#pragma unroll
    for (int r = 0; r < PAIRS; r++) {
        load_pair(a, n + r, u[r], v[r]);
    }
    for (int k = 0; k < stages; k++) {
        const float first = forward_stage(a.steps.t[k], a.steps.s[k], u, v);
        v[PAIRS - 1] = __shfl_down_sync(0xFFFFFFFFu, first, 1);
    }
#pragma unroll
    for (int r = 0; r < PAIRS; r++) {
        apply(a.steps.b, u[r], v[r]);
        if (lane * PAIRS + r < gives && n + r < half) {
            a.low[n + r] = u[r];
            a.coefs[half + n + r] = v[r];
        }
    }
}

static __device__ __forceinline__ void inverse_registers(const wvl_lattice_args &a)
{
    const int stages = (int)a.steps.stage_count, lane = (int)threadIdx.x & 31, gives = 32 * PAIRS - stages;
    const long long warp = ((long long)blockIdx.x * blockDim.x + threadIdx.x) >> 5, half = wvl_lattice_half(&a, 1);
    const long long n = warp * gives + lane * PAIRS - stages;
    float u[PAIRS], v[PAIRS];
#pragma unroll
    for (int r = 0; r < PAIRS; r++) {
        const long long at = wrap(n + r, half);
        u[r] = a.low[at];
        v[r] = a.coefs[half + at];
        apply(a.steps.inverse_b, u[r], v[r]);
    }
    for (int k = stages; k-- > 0;) {
        inverse_stage(a.steps.t[k], a.steps.s[k], __shfl_up_sync(0xFFFFFFFFu, v[PAIRS - 1], 1), u, v);
    }
#pragma unroll
    for (int r = 0; r < PAIRS; r++) {
        if (lane * PAIRS + r >= stages && n + r < half) {
            store_sample(a, 2 * (n + r) + a.first, u[r]);
            store_sample(a, 2 * (n + r) + a.first + 1, v[r]);
        }
    }
}

/* ---- Neighbouring pairs in neighbouring lanes ------------------------------------------------ */

/* Whether pairs [n, n + count) have all their samples inside the signal, so that they lie as they are numbered. */
static __device__ __forceinline__ bool are_inside(const wvl_lattice_args &a, long long n, int count)
{
    const long long at = 2 * n + a.first;
    return at >= 0 && at + 2 * count <= a.length;
}

struct alignas(8) pair_of_floats {
    float u, v;
};

/* A signal of the caller is aligned to one float only. */
static __device__ __forceinline__ bool holds_pairs(const float *at) { return ((size_t)at & 7) == 0; }

/* Pair r of a thread is n + 32 r. Two floats at a time where memory allows it. */
template <int COUNT>
static __device__ __forceinline__ void load_lanes(const wvl_lattice_args &a, long long n, bool is_inside,
                                                  float (&u)[COUNT], float (&v)[COUNT])
{
    const float *from = a.signal + 2 * n + a.first;
    if (is_inside && holds_pairs(from)) {
#pragma unroll
        for (int r = 0; r < COUNT; r++) {
            const pair_of_floats pair = *(const pair_of_floats *)(from + 64 * r);
            u[r] = pair.u;
            v[r] = pair.v;
        }
    } else if (is_inside) {
#pragma unroll
        for (int r = 0; r < COUNT; r++) {
            u[r] = from[64 * r];
            v[r] = from[64 * r + 1];
        }
    } else {
#pragma unroll
        for (int r = 0; r < COUNT; r++) {
            load_pair(a, n + 32 * r, u[r], v[r]);
        }
    }
}

template <int COUNT>
static __device__ __forceinline__ void store_lanes(const wvl_lattice_args &a, long long n, bool is_inside, int from,
                                                   const float (&u)[COUNT], const float (&v)[COUNT])
{
    const int lane = (int)threadIdx.x & 31;
    const long long half = wvl_lattice_half(&a, 1);
    float *to = a.signal + 2 * n + a.first;
#pragma unroll
    for (int r = 0; r < COUNT; r++) {
        if (lane + 32 * r < from || n + 32 * r >= half) {
            continue;
        }
        if (is_inside && holds_pairs(to)) {
            *(pair_of_floats *)(to + 64 * r) = {u[r], v[r]};
        } else if (is_inside) {
            to[64 * r] = u[r];
            to[64 * r + 1] = v[r];
        } else {
            store_sample(a, 2 * (n + 32 * r) + a.first, u[r]);
            store_sample(a, 2 * (n + 32 * r) + a.first + 1, v[r]);
        }
    }
}

/* All stages of the 32 COUNT pairs of a warp. The last stage_count pairs come out wrong: they miss their neighbours. */
template <int COUNT>
static __device__ __forceinline__ void forward_stages(const wvl_lattice_args &a, float (&u)[COUNT], float (&v)[COUNT])
{
    const int lane = (int)threadIdx.x & 31;
    for (int k = 0; k < (int)a.steps.stage_count; k++) {
        const float t = a.steps.t[k], s = a.steps.s[k];
#pragma unroll
        for (int r = 0; r < COUNT; r++) {
            const float next = add_product(u[r], t, v[r]);
            u[r] = add_product(v[r], s, u[r]);
            v[r] = __shfl_sync(0xFFFFFFFFu, next, (lane + 1) & 31); /* lane 31: of the row itself, not of the next */
        }
#pragma unroll
        for (int r = 0; r + 1 < COUNT; r++) {
            v[r] = lane == 31 ? v[r + 1] : v[r];
        }
    }
#pragma unroll
    for (int r = 0; r < COUNT; r++) {
        apply(a.steps.b, u[r], v[r]);
    }
}

/* The opposite. The first stage_count pairs come out wrong. */
template <int COUNT>
static __device__ __forceinline__ void inverse_stages(const wvl_lattice_args &a, float (&u)[COUNT], float (&v)[COUNT])
{
    const int lane = (int)threadIdx.x & 31;
#pragma unroll
    for (int r = 0; r < COUNT; r++) {
        apply(a.steps.inverse_b, u[r], v[r]);
    }
    for (int k = (int)a.steps.stage_count; k-- > 0;) {
        const float t = a.steps.t[k], s = a.steps.s[k];
        float taken[COUNT];
#pragma unroll
        for (int r = 0; r < COUNT; r++) {
            taken[r] = __shfl_sync(0xFFFFFFFFu, v[r], (lane + 31) & 31);
        }
#pragma unroll
        for (int r = 0; r < COUNT; r++) {
            const float before = lane == 0 && r > 0 ? taken[r > 0 ? r - 1 : 0] : taken[r], kept = u[r];
            u[r] = add_product(before, -t, kept);
            v[r] = add_product(kept, -s, before);
        }
    }
}

/* A warp holds 32 COUNT pairs and gives stage_count fewer. */
template <int COUNT> static __device__ __forceinline__ void forward_lanes(const wvl_lattice_args &a)
{
    const int lane = (int)threadIdx.x & 31, gives = 32 * COUNT - (int)a.steps.stage_count;
    const long long warp = ((long long)blockIdx.x * blockDim.x + threadIdx.x) >> 5, half = wvl_lattice_half(&a, 1);
    const long long n = warp * gives + lane;
    float u[COUNT], v[COUNT];
    load_lanes(a, n, are_inside(a, warp * gives, 32 * COUNT), u, v);
    forward_stages(a, u, v);
#pragma unroll
    for (int r = 0; r < COUNT; r++) {
        if (lane + 32 * r < gives && n + 32 * r < half) {
            a.low[n + 32 * r] = u[r];
            a.coefs[half + n + 32 * r] = v[r];
        }
    }
}

template <int COUNT> static __device__ __forceinline__ void inverse_lanes(const wvl_lattice_args &a)
{
    const int stages = (int)a.steps.stage_count, lane = (int)threadIdx.x & 31, gives = 32 * COUNT - stages;
    const long long warp = ((long long)blockIdx.x * blockDim.x + threadIdx.x) >> 5, half = wvl_lattice_half(&a, 1);
    const long long begin = warp * gives - stages, n = begin + lane;
    const bool is_inside = begin >= 0 && begin + 32 * COUNT <= half;
    float u[COUNT], v[COUNT];
#pragma unroll
    for (int r = 0; r < COUNT; r++) {
        const long long at = is_inside ? n + 32 * r : wrap(n + 32 * r, half);
        u[r] = a.low[at];
        v[r] = a.coefs[half + at];
    }
    inverse_stages(a, u, v);
    store_lanes(a, n, are_inside(a, begin, 32 * COUNT), stages, u, v);
}

} // namespace wvl_lattice

#endif
