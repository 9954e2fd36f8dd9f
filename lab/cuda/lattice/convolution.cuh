/* SPDX-License-Identifier: BSD-2-Clause */
/* The rival of the lattice: see lattice.cuh. */
#ifndef WVL_CUDA_LATTICE_CONVOLUTION_CUH
#define WVL_CUDA_LATTICE_CONVOLUTION_CUH

#include "lab/cuda/lattice/lattice.cuh"

namespace wvl_lattice
{

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
        low = add_product(add_product(low, a.steps.low[k], u), a.steps.low[k + 1], v);
        high = add_product(add_product(high, a.steps.high[k], u), a.steps.high[k + 1], v);
    }
    a.low[n] = low;
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
        const float u = a.low[at], v = a.coefs[half + at];
        even = add_product(add_product(even, a.steps.even[k], u), a.steps.even[k + 1], v);
        odd = add_product(add_product(odd, a.steps.odd[k], u), a.steps.odd[k + 1], v);
    }
    store_sample(a, 2 * n + a.first, even);
    store_sample(a, 2 * n + a.first + 1, odd);
}

/* ---- Convolution, the pairs of a thread block in shared memory ------------------------------- */

constexpr int CONVOLVED = 4; /* pairs of a thread, which share what they read */

/* Threads read every fourth value: one cell more in 32 keeps them in different banks. */
static __device__ __forceinline__ int place_in_banks(int i) { return i + (i >> 5); }

/* p[r], q[r]: sums of pair r of this thread with both filters. */
static __device__ __forceinline__ void convolve_window(const wvl_lattice_args &a, const float *taps_p,
                                                       const float *taps_q, const float *u, const float *v,
                                                       float (&p)[CONVOLVED], float (&q)[CONVOLVED])
{
    const int own = (int)threadIdx.x * CONVOLVED;
    float x[CONVOLVED], y[CONVOLVED];
#pragma unroll
    for (int r = 0; r < CONVOLVED; r++) {
        p[r] = q[r] = 0;
        x[r] = u[place_in_banks(own + r)];
        y[r] = v[place_in_banks(own + r)];
    }
#pragma unroll 4
    for (int k = 0; k < (int)a.steps.tap_count; k += 2) {
#pragma unroll
        for (int r = 0; r < CONVOLVED; r++) {
            p[r] = add_product(add_product(p[r], taps_p[k], x[r]), taps_p[k + 1], y[r]);
            q[r] = add_product(add_product(q[r], taps_q[k], x[r]), taps_q[k + 1], y[r]);
        }
#pragma unroll
        for (int r = 0; r + 1 < CONVOLVED; r++) {
            x[r] = x[r + 1];
            y[r] = y[r + 1];
        }
        x[CONVOLVED - 1] = u[place_in_banks(own + CONVOLVED + k / 2)];
        y[CONVOLVED - 1] = v[place_in_banks(own + CONVOLVED + k / 2)];
    }
}

/* Shared memory: wvl_lattice_convolve_floats(). A thread block gives CONVOLVED pairs a thread. */
template <bool IS_INVERSE> static __device__ __forceinline__ void convolve_shared(const wvl_lattice_args &a)
{
    WVL_LATTICE_SHARED(shared_floats);
    const int gives = (int)blockDim.x * CONVOLVED, count = gives + (int)a.steps.tap_count / 2;
    const long long half = wvl_lattice_half(&a, 1), begin = (long long)blockIdx.x * gives;
    const long long from = IS_INVERSE ? begin - a.delay : begin;
    float *u = shared_floats, *v = u + place_in_banks(count), p[CONVOLVED], q[CONVOLVED];
    for (int i = (int)threadIdx.x; i < count; i += (int)blockDim.x) {
        if (IS_INVERSE) {
            const long long at = wrap(from + i, half);
            u[place_in_banks(i)] = a.low[at];
            v[place_in_banks(i)] = a.coefs[half + at];
        } else {
            load_pair(a, from + i, u[place_in_banks(i)], v[place_in_banks(i)]);
        }
    }
    __syncthreads();
    convolve_window(a, IS_INVERSE ? a.steps.even : a.steps.low, IS_INVERSE ? a.steps.odd : a.steps.high, u, v, p, q);
#pragma unroll
    for (int r = 0; r < CONVOLVED; r++) {
        const long long n = begin + (long long)threadIdx.x * CONVOLVED + r;
        if (n < half && IS_INVERSE) {
            store_sample(a, 2 * n + a.first, p[r]);
            store_sample(a, 2 * n + a.first + 1, q[r]);
        } else if (n < half) {
            a.low[n] = p[r];
            a.coefs[half + n] = q[r];
        }
    }
}

} // namespace wvl_lattice

#endif
