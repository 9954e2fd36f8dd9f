/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inverse lifting in registers, laid out as in lift.cuh: horizontally a warp holds one row of interleaved low and high
 * samples, N neighbouring ones a lane, the first at an even coordinate; vertically a lane carries N columns down, a low
 * and a high row a step.
 */
#ifndef WVL_CUDA_INVERSE_BLOCK_LIFT_CUH
#define WVL_CUDA_INVERSE_BLOCK_LIFT_CUH

#include "lab/cuda/inverse/ops.h"

#define WHOLE_WARP 0xffffffffu

/* Of the wavelet: int32_t for 5/3, float for 9/7. */
template <bool REVERSIBLE> struct inverse_sample_type {
    typedef int32_t type;
};
template <> struct inverse_sample_type<false> {
    typedef float type;
};

/*
 * Odd samples of two rows from the even ones beside them; the right neighbours' first samples must be final. Two rows
 * at once, their shuffles first: while one would wait the other has work. The samples at the edge of the lane come
 * last, when the shuffles have arrived.
 */
template <int N, class T, class F> __device__ __forceinline__ void join_odd(T (&a)[N], T (&b)[N], bool last, F lift)
{
    T right_a = __shfl_down_sync(WHOLE_WARP, a[0], 1), right_b = __shfl_down_sync(WHOLE_WARP, b[0], 1);
#pragma unroll
    for (int j = 1; j + 1 < N; j += 2) {
        a[j] = lift(a[j], a[j - 1], a[j + 1]);
        b[j] = lift(b[j], b[j - 1], b[j + 1]);
    }
    a[N - 1] = lift(a[N - 1], a[N - 2], last ? a[N - 2] : right_a);
    b[N - 1] = lift(b[N - 1], b[N - 2], last ? b[N - 2] : right_b);
}

template <int N, class T, class F> __device__ __forceinline__ void join_even(T (&a)[N], T (&b)[N], bool first, F lift)
{
    T left_a = __shfl_up_sync(WHOLE_WARP, a[N - 1], 1), left_b = __shfl_up_sync(WHOLE_WARP, b[N - 1], 1);
#pragma unroll
    for (int j = 2; j < N; j += 2) {
        a[j] = lift(a[j], a[j - 1], a[j + 1]);
        b[j] = lift(b[j], b[j - 1], b[j + 1]);
    }
    a[0] = lift(a[0], first ? a[1] : left_a, a[1]);
    b[0] = lift(b[0], first ? b[1] : left_b, b[1]);
}

template <int N> __device__ __forceinline__ void join_rows(int32_t (&a)[N], int32_t (&b)[N], bool first, bool last)
{
    join_even(a, b, first, [](int32_t x, int32_t l, int32_t r) { return wvl_inverse53_low(x, l, r); });
    join_odd(a, b, last, [](int32_t x, int32_t l, int32_t r) { return wvl_inverse53_high(x, l, r); });
}

template <int N> __device__ __forceinline__ void join_rows(float (&a)[N], float (&b)[N], bool first, bool last)
{
    join_even(a, b, first, [](float x, float l, float r) { return wvl_lift97_step(-WVL_LIFT97_DELTA, l, r, x); });
    join_odd(a, b, last, [](float x, float l, float r) { return wvl_lift97_step(-WVL_LIFT97_GAMMA, l, r, x); });
    join_even(a, b, first, [](float x, float l, float r) { return wvl_lift97_step(-WVL_LIFT97_BETA, l, r, x); });
    join_odd(a, b, last, [](float x, float l, float r) { return wvl_lift97_step(-WVL_LIFT97_ALPHA, l, r, x); });
}

/*
 * What is special about vertical step n, at which low row n and high row n arrive: bits, uniform over the warp. The
 * first row is even. High rows beyond the edges arrive mirrored; low rows do not, so results that depend on them are
 * replaced by their mirror images.
 */
enum {
    JOIN_TOP = 1,      /* high row n - 1 is the first */
    JOIN_END_EVEN = 2, /* low row n - 1 is the last row */
    JOIN_END_ODD = 4,  /* high row n - 1 is the last row */
    JOIN_END_ODD_1 = 8 /* the step after */
};

__device__ __forceinline__ int join_edges(int n, int first, int last)
{
    int step = n - 1 - (last >> 1), edges = n - 1 == first >> 1 ? JOIN_TOP : 0;
    if (step == 0) {
        edges |= (last & 1) ? JOIN_END_ODD : JOIN_END_EVEN;
    }
    return edges | (step == 1 && (last & 1) ? JOIN_END_ODD_1 : 0);
}

template <class T, int N> struct joined;

template <int N, class T> __device__ __forceinline__ void copy_row(T (&to)[N], const T (&from)[N])
{
#pragma unroll
    for (int j = 0; j < N; j++) {
        to[j] = from[j];
    }
}

/* 5/3: step n finishes rows 2n - 1 and 2n. */
template <int N> struct joined<int32_t, N> {
    static constexpr int lag = 1;
    int32_t x[N], d0[N];

    __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int j = 0; j < N; j++) {
            x[j] = d0[j] = 0;
        }
    }
    /* s: low row n in, row 2n out. d: high row n in, row 2n - 1 out. */
    template <bool EDGE> __device__ __forceinline__ void step(int32_t (&s)[N], int32_t (&d)[N], int edges)
    {
#pragma unroll
        for (int j = 0; j < N; j++) {
            s[j] = wvl_inverse53_low(s[j], d0[j], d[j]);
        }
        if (EDGE && (edges & JOIN_END_ODD)) {
            copy_row(s, x);
        }
#pragma unroll
        for (int j = 0; j < N; j++) {
            int32_t odd = wvl_inverse53_high(d0[j], x[j], s[j]);
            d0[j] = d[j];
            x[j] = s[j];
            d[j] = odd;
        }
    }
};

/* 9/7: step n finishes rows 2n - 3 and 2n - 2. */
template <int N> struct joined<float, N> {
    static constexpr int lag = 3;
    float x[N], d0[N], s1[N], d1[N];

    __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int j = 0; j < N; j++) {
            x[j] = d0[j] = s1[j] = d1[j] = 0.0f;
        }
    }
    /* s: low row n in, row 2n - 2 out. d: high row n in, row 2n - 3 out. */
    template <bool EDGE> __device__ __forceinline__ void step(float (&s)[N], float (&d)[N], int edges)
    {
#pragma unroll
        for (int j = 0; j < N; j++) {
            s[j] = wvl_lift97_step(-WVL_LIFT97_DELTA, d0[j], d[j], s[j]);
        }
        if (EDGE && (edges & JOIN_END_ODD)) {
            copy_row(s, s1);
        }
#pragma unroll
        for (int j = 0; j < N; j++) {
            float nd1 = wvl_lift97_step(-WVL_LIFT97_GAMMA, s1[j], s[j], d0[j]);
            d0[j] = d[j];
            d[j] = nd1;
        }
        if (EDGE && (edges & JOIN_END_EVEN)) {
            copy_row(d, d1);
        }
        if (EDGE && (edges & JOIN_TOP)) {
            copy_row(d1, d);
        }
#pragma unroll
        for (int j = 0; j < N; j++) {
            float nx = wvl_lift97_step(-WVL_LIFT97_BETA, d1[j], d[j], s1[j]);
            s1[j] = s[j];
            s[j] = nx;
        }
        if (EDGE && (edges & JOIN_END_ODD_1)) {
            copy_row(s, x);
        }
#pragma unroll
        for (int j = 0; j < N; j++) {
            float odd = wvl_lift97_step(-WVL_LIFT97_ALPHA, x[j], s[j], d1[j]);
            d1[j] = d[j];
            x[j] = s[j];
            d[j] = odd;
        }
    }
};

#endif
