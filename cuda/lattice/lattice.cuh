/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 1-D transform of long signals on a device (D. Puchala and K. Stokfiszewski 2021; D-lattice-04). A thread block,
 * or a warp, reads stage_count pairs more than it gives, and does all stages: memory is read and written once.
 *
 * Kernels:
 *   butterfly     the paper's: a thread is one pair; one value of it passes through shared memory, a barrier a stage
 *   registers     a warp holds 32 x WVL_LATTICE_PAIRS pairs; neighbours by shuffle, no shared memory, no barrier
 *   levels        a thread block does several levels; a thread holds WVL_LATTICE_PAIRS pairs, a barrier a stage
 *   convolution   the rival: a thread is one pair of coefficients, all taps from global memory
 *
 * Sums and products have the order of src/lattice/kernels_tmpl.h, so that the lattice gives the same bits as the CPU.
 */
#ifndef WVL_CUDA_LATTICE_CUH
#define WVL_CUDA_LATTICE_CUH

#include "cuda/lattice/args.h"

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

static __device__ __forceinline__ void apply(const float *b, float &u, float &v)
{
    const float p = b[0] * u + b[1] * v, q = b[2] * u + b[3] * v;
    u = p;
    v = q;
}

/* ---- One pair a thread, as in the paper ------------------------------------------------------ */

/* Thread n keeps u. a_n lies in slot n + k before stage k is over: the thread that reads a slot is the one that writes
 * it next, so one barrier a stage is enough. */
static __device__ __forceinline__ void forward_butterfly(const wvl_lattice_args &a)
{
    WVL_LATTICE_SHARED(slots);
    const int stages = (int)a.steps.stage_count, thread = (int)threadIdx.x, gives = (int)blockDim.x - stages;
    const long long half = wvl_lattice_half(&a, 1), n = (long long)blockIdx.x * gives + thread;
    float u, v;
    load_pair(a, n, u, v);
    for (int k = 0; k < stages; k++) {
        if (thread < (int)blockDim.x - k) {
            slots[thread + k] = u + a.steps.t[k] * v;
            u = a.steps.s[k] * u + v;
        }
        __syncthreads();
        if (thread < (int)blockDim.x - k - 1) {
            v = slots[thread + k + 1];
        }
    }
    if (thread < gives && n < half) {
        apply(a.steps.b, u, v);
        a.coefs[n] = u;
        a.coefs[half + n] = v;
    }
}

/* The same backwards: thread n takes v of thread n - 1. */
static __device__ __forceinline__ void inverse_butterfly(const wvl_lattice_args &a)
{
    WVL_LATTICE_SHARED(slots);
    const int stages = (int)a.steps.stage_count, thread = (int)threadIdx.x, gives = (int)blockDim.x - stages;
    const long long half = wvl_lattice_half(&a, 1), n = (long long)blockIdx.x * gives + thread - stages;
    const long long at = wrap(n, half);
    float u = a.coefs[at], v = a.coefs[half + at];
    apply(a.steps.inverse_b, u, v);
    for (int k = stages; k-- > 0;) {
        const int done = stages - 1 - k;
        if (thread >= done) {
            slots[thread + k + 1] = v;
        }
        __syncthreads();
        if (thread > done) {
            const float taken = slots[thread + k], kept = u;
            u = taken - a.steps.t[k] * kept;
            v = kept - a.steps.s[k] * taken;
        }
    }
    if (thread >= stages && n < half) {
        store_sample(a, 2 * n + a.first, u);
        store_sample(a, 2 * n + a.first + 1, v);
    }
}

/* ---- Pairs in registers ---------------------------------------------------------------------- */

/* The pairs of a thread after a stage, but for the last v: that is the first a of the next thread, which is given. */
static __device__ __forceinline__ float forward_stage(float t, float s, float (&u)[PAIRS], float (&v)[PAIRS])
{
    float first = 0;
#pragma unroll
    for (int r = 0; r < PAIRS; r++) {
        const float next = u[r] + t * v[r];
        u[r] = s * u[r] + v[r];
        if (r == 0) {
            first = next;
        } else {
            v[r - 1] = next;
        }
    }
    return first;
}

/* A stage undone; before: v of the last pair of the thread before. */
static __device__ __forceinline__ void inverse_stage(float t, float s, float before, float (&u)[PAIRS],
                                                     float (&v)[PAIRS])
{
#pragma unroll
    for (int r = 0; r < PAIRS; r++) {
        const float taken = before, kept = u[r];
        before = v[r];
        u[r] = taken - t * kept;
        v[r] = kept - s * taken;
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
            a.coefs[n + r] = u[r];
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
        u[r] = a.coefs[at];
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

/* ---- Several levels in one launch ------------------------------------------------------------ */

/* The first a of the next thread, through one of two buffers: one barrier a stage. */
static __device__ __forceinline__ float pass_down(float *buffers, int turn, float value)
{
    float *buffer = buffers + (turn & 1) * ((int)blockDim.x + 1);
    buffer[threadIdx.x] = value;
    __syncthreads();
    return threadIdx.x + 1 < blockDim.x ? buffer[threadIdx.x + 1] : 0.0f;
}

static __device__ __forceinline__ float pass_up(float *buffers, int turn, float value)
{
    float *buffer = buffers + (turn & 1) * ((int)blockDim.x + 1);
    buffer[threadIdx.x + 1] = value;
    __syncthreads();
    return threadIdx.x ? buffer[threadIdx.x] : 0.0f;
}

/* High coefficients of level k that belong to this thread block go to global memory, low ones to the next level. */
static __device__ __forceinline__ void put_coefs(const wvl_lattice_args &a, int k, int i, float low, float high,
                                                 float *between)
{
    const int count = wvl_lattice_window(&a, k);
    const long long tile = (long long)blockIdx.x * a.tile, half = wvl_lattice_half(&a, k);
    const long long n = wvl_lattice_window_start(&a, k, tile) + i, own = tile << (a.levels - k);
    if (i >= count) {
        return;
    }
    if (n >= own && n < own + ((long long)a.tile << (a.levels - k)) && n < half) {
        a.coefs[half + n] = high;
        if (k == a.levels) {
            a.coefs[n] = low;
        }
    }
    between[i] = low;
}

/* tile: at most wvl_lattice_choose_tile(). Shared memory: wvl_lattice_shared_floats(). */
static __device__ __forceinline__ void forward_levels(const wvl_lattice_args &a)
{
    WVL_LATTICE_SHARED(shared_floats);
    float *between = shared_floats + 2 * (blockDim.x + 1), u[PAIRS], v[PAIRS];
    const int stages = (int)a.steps.stage_count, own = (int)threadIdx.x * PAIRS;
    int turn = 0;
    for (int k = 1; k <= a.levels; k++) {
        const int pairs = wvl_lattice_window(&a, k) + stages;
        const long long n = wvl_lattice_window_start(&a, k, (long long)blockIdx.x * a.tile) + own;
#pragma unroll
        for (int r = 0; r < PAIRS; r++) {
            u[r] = v[r] = 0;
            if (own + r < pairs && k == 1) {
                load_pair(a, n + r, u[r], v[r]);
            } else if (own + r < pairs) {
                u[r] = between[2 * (own + r)];
                v[r] = between[2 * (own + r) + 1];
            }
        }
        for (int i = 0; i < stages; i++) {
            v[PAIRS - 1] = pass_down(shared_floats, turn++, forward_stage(a.steps.t[i], a.steps.s[i], u, v));
        }
        __syncthreads(); /* all have read what the level before left */
#pragma unroll
        for (int r = 0; r < PAIRS; r++) {
            apply(a.steps.b, u[r], v[r]);
            put_coefs(a, k, own + r, u[r], v[r], between);
        }
        __syncthreads();
    }
}

/* What a thread block needs of each level: samples [from, from + count) of level k, level 0 is the signal. */
struct need {
    long long from[WVL_LATTICE_MOST_LEVELS + 1];
    int count[WVL_LATTICE_MOST_LEVELS + 1];
};

static __device__ __forceinline__ void find_needs(const wvl_lattice_args &a, need &needs)
{
    const int stages = (int)a.steps.stage_count;
    needs.from[0] = ((long long)blockIdx.x * a.tile) << a.levels;
    needs.count[0] = a.tile << a.levels;
    for (int k = 1; k <= a.levels; k++) {
        long long first;
        const int pairs = wvl_lattice_pairs_of(&a, needs.from[k - 1], needs.count[k - 1], &first);
        needs.from[k] = first - stages;
        needs.count[k] = pairs + stages;
    }
}

static __device__ __forceinline__ void put_samples(const wvl_lattice_args &a, const need &needs, int k, long long n,
                                                   float u, float v, float *between)
{
    const float values[2] = {u, v};
    for (int i = 0; i < 2; i++) {
        const long long at = 2 * n + a.first + i - needs.from[k - 1];
        if (at < 0 || at >= needs.count[k - 1]) {
            continue;
        }
        if (k > 1) {
            between[at] = values[i];
        } else if (needs.from[0] + at < a.length + (a.length & 1)) {
            store_sample(a, needs.from[0] + at, values[i]);
        }
    }
}

static __device__ __forceinline__ void inverse_levels(const wvl_lattice_args &a)
{
    WVL_LATTICE_SHARED(shared_floats);
    float *between = shared_floats + 2 * (blockDim.x + 1), u[PAIRS], v[PAIRS];
    const int stages = (int)a.steps.stage_count, own = (int)threadIdx.x * PAIRS;
    int turn = 0;
    need needs;
    find_needs(a, needs);
    for (int k = a.levels; k > 0; k--) {
        const long long half = wvl_lattice_half(&a, k), n = needs.from[k] + own;
#pragma unroll
        for (int r = 0; r < PAIRS; r++) {
            u[r] = v[r] = 0;
            if (own + r < needs.count[k]) {
                const long long at = wrap(n + r, half);
                u[r] = k == a.levels ? a.coefs[at] : between[own + r];
                v[r] = a.coefs[half + at];
            }
            apply(a.steps.inverse_b, u[r], v[r]);
        }
        for (int i = stages; i-- > 0;) {
            inverse_stage(a.steps.t[i], a.steps.s[i], pass_up(shared_floats, turn++, v[PAIRS - 1]), u, v);
        }
        __syncthreads();
#pragma unroll
        for (int r = 0; r < PAIRS; r++) {
            if (own + r >= stages && own + r < needs.count[k]) {
                put_samples(a, needs, k, n + r, u[r], v[r], between);
            }
        }
        __syncthreads();
    }
}

/* ---- Convolution ----------------------------------------------------------------------------- */

static __device__ __forceinline__ void forward_convolution(const wvl_lattice_args &a)
{
    const long long half = wvl_lattice_half(&a, 1), n = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    float low = 0, high = 0;
    if (n >= half) {
        return;
    }
    for (int k = 0; k < (int)a.steps.tap_count; k += 2) {
        float u, v;
        load_pair(a, n + k / 2, u, v);
        low = (low + a.steps.low[k] * u) + a.steps.low[k + 1] * v;
        high = (high + a.steps.high[k] * u) + a.steps.high[k + 1] * v;
    }
    a.coefs[n] = low;
    a.coefs[half + n] = high;
}

static __device__ __forceinline__ void inverse_convolution(const wvl_lattice_args &a)
{
    const long long half = wvl_lattice_half(&a, 1), n = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    float even = 0, odd = 0;
    if (n >= half) {
        return;
    }
    for (int k = 0; k < (int)a.steps.tap_count; k += 2) {
        const long long at = wrap(n - a.delay + k / 2, half);
        const float u = a.coefs[at], v = a.coefs[half + at];
        even = (even + a.steps.even[k] * u) + a.steps.even[k + 1] * v;
        odd = (odd + a.steps.odd[k] * u) + a.steps.odd[k + 1] * v;
    }
    store_sample(a, 2 * n + a.first, even);
    store_sample(a, 2 * n + a.first + 1, odd);
}

} // namespace wvl_lattice

#endif
