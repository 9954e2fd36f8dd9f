/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lifting in registers. Horizontally a warp holds one row, N neighbouring samples a lane, the first at an even
 * coordinate, and a step costs one shuffle. Vertically a lane carries N columns down. Edges substitute the neighbour
 * inside each step, which is what symmetric extension comes to at every level; that the first sample is even and the
 * last odd is given horizontally, not vertically.
 */
#ifndef WVL_CUDA_DWT_BLOCK_LIFT_CUH
#define WVL_CUDA_DWT_BLOCK_LIFT_CUH

#include "dwt/lift_ops.h"
#include "dwt/scheme.h"

#define FULL_WARP 0xffffffffu

/* The samples of the wavelet: int32_t for 5/3, float for 9/7. */
template <bool REVERSIBLE> struct sample_type {
    typedef int32_t type;
};
template <> struct sample_type<false> {
    typedef float type;
};

/* x - ((a + b) >> 1) and x + ((a + b + 2) >> 2) as one three-input addition and one shifted addition each. */
__device__ __forceinline__ int32_t high53(int32_t x, int32_t a, int32_t b) { return x + ((1 - a - b) >> 1); }

template <int N> __device__ __forceinline__ void lift_row(int32_t (&v)[N], bool first, bool last)
{
    int32_t right = __shfl_down_sync(FULL_WARP, v[0], 1);
    right = last ? v[N - 2] : right;
#pragma unroll
    for (int j = 1; j < N; j += 2) {
        v[j] = high53(v[j], v[j - 1], j + 1 < N ? v[j + 1 < N ? j + 1 : 0] : right);
    }
    int32_t left = __shfl_up_sync(FULL_WARP, v[N - 1], 1);
    left = first ? v[1] : left;
#pragma unroll
    for (int j = 0; j < N; j += 2) {
        v[j] = wvl_lift53_low(v[j], j ? v[j ? j - 1 : 0] : left, v[j + 1]);
    }
}

template <int N> __device__ __forceinline__ void lift_odd(float (&v)[N], float c, bool last)
{
    float right = __shfl_down_sync(FULL_WARP, v[0], 1);
    right = last ? v[N - 2] : right;
#pragma unroll
    for (int j = 1; j < N; j += 2) {
        v[j] = wvl_lift97_step(c, v[j - 1], j + 1 < N ? v[j + 1 < N ? j + 1 : 0] : right, v[j]);
    }
}

template <int N> __device__ __forceinline__ void lift_even(float (&v)[N], float c, bool first)
{
    float left = __shfl_up_sync(FULL_WARP, v[N - 1], 1);
    left = first ? v[1] : left;
#pragma unroll
    for (int j = 0; j < N; j += 2) {
        v[j] = wvl_lift97_step(c, j ? v[j ? j - 1 : 0] : left, v[j + 1], v[j]);
    }
}

template <int N> __device__ __forceinline__ void lift_row(float (&v)[N], bool first, bool last)
{
    lift_odd(v, WVL_LIFT97_ALPHA, last);
    lift_even(v, WVL_LIFT97_BETA, first);
    lift_odd(v, WVL_LIFT97_GAMMA, last);
    lift_even(v, WVL_LIFT97_DELTA, first);
}

/* Two rows, which do not wait for each other's shuffles. */
template <int N> __device__ __forceinline__ void lift_rows(float (&a)[N], float (&b)[N], bool first, bool last)
{
    lift_odd(a, WVL_LIFT97_ALPHA, last);
    lift_odd(b, WVL_LIFT97_ALPHA, last);
    lift_even(a, WVL_LIFT97_BETA, first);
    lift_even(b, WVL_LIFT97_BETA, first);
    lift_odd(a, WVL_LIFT97_GAMMA, last);
    lift_odd(b, WVL_LIFT97_GAMMA, last);
    lift_even(a, WVL_LIFT97_DELTA, first);
    lift_even(b, WVL_LIFT97_DELTA, first);
}

/* What is special about vertical step k, at which rows 2k + 1 and 2k + 2 arrive: bits, uniform over the warp. */
enum {
    TOP_EVEN = 1,   /* row 2k is the first */
    TOP_EVEN_1 = 2, /* the step after */
    TOP_ODD = 4,    /* row 2k + 1 is the first */
    TOP_ODD_1 = 8,
    BOTTOM_EVEN = 16, /* row 2k is the last */
    BOTTOM_EVEN_1 = 32,
    BOTTOM_ODD = 64, /* row 2k + 1 is the last */
    BOTTOM_ODD_1 = 128
};

__device__ __forceinline__ int step_edges(int k, int first, int last)
{
    int top = k - (first >> 1), bottom = k - (last >> 1), edges = 0;
    if (top == 0 || top == 1) {
        edges |= ((first & 1) ? TOP_ODD : TOP_EVEN) << top;
    }
    if (bottom == 0 || bottom == 1) {
        edges |= ((last & 1) ? BOTTOM_ODD : BOTTOM_EVEN) << bottom;
    }
    return edges;
}

template <class T, int N> struct column;

/* 5/3: after step(o, e), o is the high row k and low the low row k. */
template <int N> struct column<int32_t, N> {
    static constexpr int lag = 0;
    int32_t x[N], d1[N];

    __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int j = 0; j < N; j++) {
            x[j] = d1[j] = 0;
        }
    }
    template <bool EDGE>
    __device__ __forceinline__ void step(int32_t (&o)[N], const int32_t (&e)[N], int32_t (&low)[N], int edges)
    {
#pragma unroll
        for (int j = 0; j < N; j++) {
            int32_t a = EDGE && (edges & TOP_ODD) ? e[j] : x[j], b = EDGE && (edges & BOTTOM_ODD) ? x[j] : e[j];
            int32_t d = high53(o[j], a, b);
            d = EDGE && (edges & BOTTOM_EVEN) ? d1[j] : d;
            low[j] = wvl_lift53_low(x[j], EDGE && (edges & TOP_EVEN) ? d : d1[j], d);
            o[j] = d1[j] = d;
            x[j] = e[j];
        }
    }
};

/* 9/7: after step(o, e), o is the high row k - 1 and low the low row k - 1. */
template <int N> struct column<float, N> {
    static constexpr int lag = 1;
    float x[N], d1[N], s1[N], d2[N];

    __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int j = 0; j < N; j++) {
            x[j] = d1[j] = s1[j] = d2[j] = 0.0f;
        }
    }
    template <bool EDGE>
    __device__ __forceinline__ void step(float (&o)[N], const float (&e)[N], float (&low)[N], int edges)
    {
#pragma unroll
        for (int j = 0; j < N; j++) {
            float a = EDGE && (edges & TOP_ODD) ? e[j] : x[j], b = EDGE && (edges & BOTTOM_ODD) ? x[j] : e[j];
            float nd1 = wvl_lift97_step(WVL_LIFT97_ALPHA, a, b, o[j]);
            nd1 = EDGE && (edges & BOTTOM_EVEN) ? d1[j] : nd1;
            float ns1 = wvl_lift97_step(WVL_LIFT97_BETA, EDGE && (edges & TOP_EVEN) ? nd1 : d1[j], nd1, x[j]);
            ns1 = EDGE && (edges & BOTTOM_ODD_1) ? s1[j] : ns1;
            float nd2 = wvl_lift97_step(WVL_LIFT97_GAMMA, EDGE && (edges & TOP_ODD_1) ? ns1 : s1[j], ns1, d1[j]);
            nd2 = EDGE && (edges & BOTTOM_EVEN_1) ? d2[j] : nd2;
            low[j] = wvl_lift97_step(WVL_LIFT97_DELTA, EDGE && (edges & TOP_EVEN_1) ? nd2 : d2[j], nd2, s1[j]);
            o[j] = nd2;
            x[j] = e[j];
            d1[j] = nd1;
            s1[j] = ns1;
            d2[j] = nd2;
        }
    }
};

#endif
