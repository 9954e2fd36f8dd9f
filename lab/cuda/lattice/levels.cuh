/* SPDX-License-Identifier: BSD-2-Clause */
/* Several levels of the 1-D transform in one launch: see lattice.cuh. */
#ifndef WVL_CUDA_LATTICE_LEVELS_CUH
#define WVL_CUDA_LATTICE_LEVELS_CUH

#include "lab/cuda/lattice/lattice.cuh"

namespace wvl_lattice
{

/* ---- Several levels in one launch, by warps -------------------------------------------------- */

/* A thread block keeps low coefficients of the levels in between in two buffers: those of odd levels, and of even ones.
 * Its warps take runs of pairs as in the kernels above. One barrier a level. */
static __device__ __forceinline__ float *level_buffer(const wvl_lattice_args &a, float *shared, int k)
{
    return k % 2 ? shared : shared + wvl_lattice_odd_floats(&a);
}

/* Results of a run of pairs of level k, from the window's pair `base`. */
template <int COUNT>
static __device__ __forceinline__ void put_run(const wvl_lattice_args &a, int k, int base, float *to,
                                               const float (&low)[COUNT], const float (&high)[COUNT])
{
    const int lane = (int)threadIdx.x & 31, gives = 32 * COUNT - (int)a.steps.stage_count;
    const int count = wvl_lattice_window(&a, k);
    const long long tile = (long long)blockIdx.x * a.tile, half = wvl_lattice_half(&a, k);
    const long long own = tile << (a.levels - k), after = own + ((long long)a.tile << (a.levels - k));
    const long long end = after < half ? after : half;
    const long long n = wvl_lattice_window_start(&a, k, tile) + base + lane;
#pragma unroll
    for (int r = 0; r < COUNT; r++) {
        if (lane + 32 * r >= gives || base + lane + 32 * r >= count) {
            continue;
        }
        if (n + 32 * r >= own && n + 32 * r < end) {
            a.coefs[half + n + 32 * r] = high[r];
        }
        if (k < a.levels) {
            to[base + lane + 32 * r] = low[r];
        } else if (n + 32 * r < end) {
            a.low[n + 32 * r] = low[r];
        }
    }
}

/* tile: from wvl_lattice_choose_window(). Shared memory: wvl_lattice_window_floats(). */
template <int COUNT> static __device__ __forceinline__ void forward_windows(const wvl_lattice_args &a)
{
    WVL_LATTICE_SHARED(shared_floats);
    const int stages = (int)a.steps.stage_count, lane = (int)threadIdx.x & 31, gives = 32 * COUNT - stages;
    for (int k = 1; k <= a.levels; k++) {
        const int count = wvl_lattice_window(&a, k);
        const float *from = level_buffer(a, shared_floats, k - 1);
        const long long start = wvl_lattice_window_start(&a, k, (long long)blockIdx.x * a.tile);
        for (int base = (int)(threadIdx.x >> 5) * gives; base < count; base += (int)(blockDim.x >> 5) * gives) {
            float u[COUNT], v[COUNT];
            if (k == 1) {
                load_lanes(a, start + base + lane, are_inside(a, start + base, 32 * COUNT), u, v);
            } else {
#pragma unroll
                for (int r = 0; r < COUNT; r++) {
                    const int i = min(base + lane + 32 * r, count + stages - 1);
                    u[r] = from[2 * i];
                    v[r] = from[2 * i + 1];
                }
            }
            forward_stages(a, u, v);
            put_run(a, k, base, level_buffer(a, shared_floats, k), u, v);
        }
        __syncthreads();
    }
}

/* Samples [*from, *from + result) of level k that a thread block needs; level 0 is the signal. */
static __device__ __forceinline__ int find_need(const wvl_lattice_args &a, int k, long long *from)
{
    int count = a.tile << a.levels;
    *from = (long long)blockIdx.x * count;
    for (int i = 0; i < k; i++) {
        long long first;
        count = wvl_lattice_pairs_of(&a, *from, count, &first) + (int)a.steps.stage_count;
        *from = first - (int)a.steps.stage_count;
    }
    return count;
}

/* Samples of level k - 1 from a run of pairs. n: the first pair of this lane. */
template <int COUNT>
static __device__ __forceinline__ void put_samples_of_run(const wvl_lattice_args &a, int k, long long n, int left,
                                                          float *to, const float (&u)[COUNT], const float (&v)[COUNT])
{
    const int lane = (int)threadIdx.x & 31;
    long long from;
    const int count = find_need(a, k - 1, &from);
#pragma unroll
    for (int r = 0; r < COUNT; r++) {
        const long long at = 2 * (n + 32 * r) + a.first - from;
        if (lane + 32 * r < (int)a.steps.stage_count || lane + 32 * r >= left) {
            continue;
        }
        if (at >= 0 && at < count && (k > 1 || from + at < a.length)) {
            (k > 1 ? to + at : a.signal + from + at)[0] = u[r];
        }
        if (at + 1 >= 0 && at + 1 < count && (k > 1 || from + at + 1 < a.length)) {
            (k > 1 ? to + at : a.signal + from + at)[1] = v[r];
        }
    }
}

template <int COUNT> static __device__ __forceinline__ void inverse_windows(const wvl_lattice_args &a)
{
    WVL_LATTICE_SHARED(shared_floats);
    const int stages = (int)a.steps.stage_count, lane = (int)threadIdx.x & 31, gives = 32 * COUNT - stages;
    for (int k = a.levels; k > 0; k--) {
        long long start;
        const int count = find_need(a, k, &start);
        const long long half = wvl_lattice_half(&a, k);
        const float *low = level_buffer(a, shared_floats, k);
        for (int base = (int)(threadIdx.x >> 5) * gives; base + stages < count;
             base += (int)(blockDim.x >> 5) * gives) {
            float u[COUNT], v[COUNT];
#pragma unroll
            for (int r = 0; r < COUNT; r++) {
                const int i = min(base + lane + 32 * r, count - 1);
                const long long at = wrap(start + i, half);
                u[r] = k == a.levels ? a.low[at] : low[i];
                v[r] = a.coefs[half + at];
            }
            inverse_stages(a, u, v);
            put_samples_of_run(a, k, start + base + lane, count - base, level_buffer(a, shared_floats, k - 1), u, v);
        }
        __syncthreads();
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
            a.low[n] = low;
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
                u[r] = k == a.levels ? a.low[at] : between[own + r];
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

} // namespace wvl_lattice

#endif
