/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One level of the 2-D transform between views, forward and inverse, with the bits of lab/dwt2 (D-plain-02).
 *
 * A warp goes down its columns. A lane holds QUADS pairs of columns. Rows come in by two, pass all vertical steps in a
 * window of registers, and go out; horizontal steps of a row take values of the neighbouring lanes. No shared memory
 * and no barrier. Rows of a stretch are read once, but for those that its neighbours above and below need too; lanes at
 * both ends of a warp have columns of its neighbours. Rows and columns beyond the plane are mirrored ones.
 */
#ifndef WVL_CUDA_PLAIN_LEVEL_CUH
#define WVL_CUDA_PLAIN_LEVEL_CUH

#include "dwt/scheme.h"
#include "lab/cuda/plain/args.h"

namespace wvl_plain
{

enum kind { I53, F53, F97, F137 };

constexpr int QUADS = 2, COLUMNS = 2 * QUADS; /* of a lane */
constexpr int HALO_LANES = WVL_PLAIN_HALO / QUADS, OWN_LANES = WVL_PLAIN_PAIRS / QUADS;
static_assert(2 * HALO_LANES + OWN_LANES == 32, "a warp");

template <int KIND> struct wavelet {
    typedef float type;
    static constexpr int steps = KIND == F97 ? 4 : 2;
    static constexpr int step_reach = KIND == F137 ? 3 : 1, reach = steps * step_reach;
    /* Rows that are in work: the reach of all steps, that of the last one, and the two that come. */
    static constexpr int rows = reach + step_reach + 2;
};
template <> struct wavelet<I53> {
    typedef int type;
    static constexpr int steps = 2, step_reach = 1, reach = 2, rows = 5;
};

/* ---- Arithmetic: that of lab/dwt2/rows_tmpl.h, and of src/dwt/lift_ops.h for forward 9/7 ----- */

/* near and far of each step of the forward transform. */
template <int KIND> struct taps {
    static constexpr float near[2] = {-0.5f, 0.25f}, far[2] = {0.0f, 0.0f};
};
template <> struct taps<F97> {
    static constexpr float near[4] = {WVL_LIFT97_ALPHA, WVL_LIFT97_BETA, WVL_LIFT97_GAMMA, WVL_LIFT97_DELTA};
};
template <> struct taps<F137> {
    static constexpr float near[2] = {-9 / 16.0f, 9 / 32.0f}, far[2] = {1 / 16.0f, -1 / 32.0f};
};

/* x after step STEP in the order of application. a, b: the two neighbours; c, d: the two of that kind behind them. */
template <int KIND, bool IS_INVERSE, int STEP, class T>
static __device__ __forceinline__ T lift(T x, T a, T b, T c, T d)
{
    constexpr int step = IS_INVERSE ? wavelet<KIND>::steps - 1 - STEP : STEP;
    if constexpr (KIND == I53) {
        constexpr bool is_added = (step == 1) != IS_INVERSE;
        const int sum = (int)((unsigned)a + (unsigned)b + 2u * step) >> (1 + step);
        return (int)(is_added ? (unsigned)x + (unsigned)sum : (unsigned)x - (unsigned)sum);
    } else if constexpr (KIND == F97 && !IS_INVERSE) {
        constexpr float near = taps<KIND>::near[step];
        return __fmaf_rn(near, a + b, x);
    } else {
        constexpr float sign = IS_INVERSE ? -1.0f : 1.0f, near = sign * taps<KIND>::near[step];
        if constexpr (KIND == F137) {
            constexpr float far = sign * taps<KIND>::far[step];
            return x + (near * (a + b) + far * (c + d));
        }
        return x + near * (a + b);
    }
}

/* Forward, high samples change first. */
template <bool IS_INVERSE> static __device__ __forceinline__ constexpr bool changes_high(int step)
{
    return (step % 2 == 0) != IS_INVERSE;
}

/* Coefficients are scaled after the steps of the forward transform, and before those of the inverse. */
#define WVL_PLAIN_K97 1.230174104914001f
template <bool IS_INVERSE> static __device__ __forceinline__ float gain_of(bool is_high, bool is_filtered)
{
    constexpr float low = IS_INVERSE ? WVL_PLAIN_K97 : 1 / WVL_PLAIN_K97;
    constexpr float high = IS_INVERSE ? 1 / WVL_PLAIN_K97 : WVL_PLAIN_K97;
    const float gain = is_high ? high : low;
    return is_filtered ? gain : 1.0f;
}

template <int KIND, bool IS_INVERSE, class T>
static __device__ __forceinline__ void scale_row(const wvl_plain_level &a, int y, T (&low)[QUADS], T (&high)[QUADS])
{
    if constexpr (KIND == F97) {
        const float across = gain_of<IS_INVERSE>(y & 1, a.height > 1);
        const float of_low = gain_of<IS_INVERSE>(false, a.width > 1) * across;
        const float of_high = gain_of<IS_INVERSE>(true, true) * across;
#pragma unroll
        for (int q = 0; q < QUADS; q++) {
            low[q] *= of_low;
            high[q] *= of_high;
        }
    }
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* The two newest rows of the window have come: each step changes the rows that have their neighbours now. */
template <int KIND, bool IS_INVERSE, int STEP, int ROWS, class T>
static __device__ __forceinline__ void lift_row_of_window(T (&w)[ROWS][COLUMNS], int newest)
{
    constexpr int far = wavelet<KIND>::step_reach;
    const int i = newest - far * (STEP + 1);
    const bool is_high = (i - (ROWS - 2)) % 2 != 0;
    if (is_high == changes_high<IS_INVERSE>(STEP) && i >= far) {
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            w[i][c] = lift<KIND, IS_INVERSE, STEP>(w[i][c], w[i - 1][c], w[i + 1][c], w[i - far][c], w[i + far][c]);
        }
    }
    if constexpr (STEP + 1 < wavelet<KIND>::steps) {
        lift_row_of_window<KIND, IS_INVERSE, STEP + 1>(w, newest);
    }
}

/* The same along a row: `other` is the half that does not change. */
template <int KIND, bool IS_INVERSE, int STEP, class T>
static __device__ __forceinline__ void lift_half(T (&half)[QUADS], const T (&other)[QUADS])
{
    constexpr bool is_high = changes_high<IS_INVERSE>(STEP);
    T near[QUADS + 4]; /* from two before the first */
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
        near[q + 2] = other[q];
    }
    near[0] = near[1] = near[QUADS + 2] = near[QUADS + 3] = 0;
    if (KIND == F137 || !is_high) {
        near[1] = __shfl_up_sync(0xFFFFFFFFu, other[QUADS - 1], 1);
    }
    if (KIND == F137 || is_high) {
        near[QUADS + 2] = __shfl_down_sync(0xFFFFFFFFu, other[0], 1);
    }
    if (KIND == F137 && !is_high) {
        near[0] = __shfl_up_sync(0xFFFFFFFFu, other[QUADS - 2], 1);
    }
    if (KIND == F137 && is_high) {
        near[QUADS + 3] = __shfl_down_sync(0xFFFFFFFFu, other[1], 1);
    }
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
        const int at = q + (is_high ? 2 : 1); /* the neighbour to the left */
        half[q] = lift<KIND, IS_INVERSE, STEP>(half[q], near[at], near[at + 1], near[at - 1], near[at + 2]);
    }
}

template <int KIND, bool IS_INVERSE, int STEP, class T>
static __device__ __forceinline__ void lift_along(T (&low)[QUADS], T (&high)[QUADS])
{
    if constexpr (changes_high<IS_INVERSE>(STEP)) {
        lift_half<KIND, IS_INVERSE, STEP>(high, low);
    } else {
        lift_half<KIND, IS_INVERSE, STEP>(low, high);
    }
    if constexpr (STEP + 1 < wavelet<KIND>::steps) {
        lift_along<KIND, IS_INVERSE, STEP + 1>(low, high);
    }
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Whole-sample symmetric extension. Keeps the parity where there is more than one sample. */
static __device__ __forceinline__ int mirror(int at, int count)
{
    if (count == 1) {
        return 0;
    }
    while (at < 0 || at >= count) {
        at = at < 0 ? -at : 2 * (count - 1) - at;
    }
    return at;
}

template <class T> static __device__ __forceinline__ T *place(const wvl_plain_view &v, int x, int y)
{
    return (T *)v.at + (x * v.column + y * v.row);
}

template <class T> struct alignas(16) four {
    T at[4];
};
template <class T> struct alignas(8) two {
    T at[2];
};

/* Where a warp is. */
struct stand {
    int lane, pair; /* the first pair of columns of this lane */
    int y0, y1;     /* rows that it gives */
    bool is_own;    /* this lane's columns are */
    bool is_inner;  /* no lane has columns beyond the plane */
};

/* Pixels of row y of the plane. */
template <class T>
static __device__ __forceinline__ void take_pixels(const wvl_plain_level &a, const stand &s, int y, T (&row)[COLUMNS])
{
    y = mirror(y, (int)a.height);
    if (s.is_inner && a.is_plane_by_four) {
        const four<T> x = *(const four<T> *)place<T>(a.plane, 2 * s.pair, y);
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            row[c] = x.at[c];
        }
        return;
    }
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        row[c] = *place<T>(a.plane, mirror(2 * s.pair + c, (int)a.width), y);
    }
}

template <class T>
static __device__ __forceinline__ void put_pixels(const wvl_plain_level &a, const stand &s, int y,
                                                  const T (&row)[COLUMNS])
{
    if (s.is_own && s.is_inner && a.is_plane_by_four) {
        *(four<T> *)place<T>(a.plane, 2 * s.pair, y) = {{row[0], row[1], row[2], row[3]}};
        return;
    }
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        if (s.is_own && 2 * s.pair + c < (int)a.width) {
            *place<T>(a.plane, 2 * s.pair + c, y) = row[c];
        }
    }
}

template <class T>
static __device__ __forceinline__ void put_band(const wvl_plain_level &a, const stand &s, int band, int y, int width,
                                                const T (&row)[QUADS])
{
    const wvl_plain_view &to = a.bands[band];
    if (s.is_inner && a.are_bands_by_two) {
        *(two<T> *)place<T>(to, s.pair, y) = {{row[0], row[1]}};
        return;
    }
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
        if (s.pair + q < width) {
            *place<T>(to, s.pair + q, y) = row[q];
        }
    }
}

/* A row of a low (is_high 0) or a high band. */
template <class T>
static __device__ __forceinline__ void take_band(const wvl_plain_level &a, const stand &s, int band, int y, int is_high,
                                                 T (&row)[QUADS])
{
    const wvl_plain_view &from = a.bands[band];
    if (s.is_inner && a.are_bands_by_two) {
        const two<T> x = *(const two<T> *)place<T>(from, s.pair, y);
        row[0] = x.at[0];
        row[1] = x.at[1];
        return;
    }
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
        row[q] = *place<T>(from, mirror(2 * (s.pair + q) + is_high, (int)a.width) / 2, y);
    }
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Forward: a row that the vertical steps have finished. */
template <int KIND, class T>
static __device__ __forceinline__ void give_forward(const wvl_plain_level &a, const stand &s, int y,
                                                    const T (&row)[COLUMNS])
{
    T low[QUADS], high[QUADS];
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
        low[q] = row[2 * q];
        high[q] = row[2 * q + 1];
    }
    if (a.width > 1) {
        lift_along<KIND, false, 0>(low, high);
    }
    scale_row<KIND, false>(a, y, low, high);
    if (s.is_own) {
        put_band(a, s, 2 * (y & 1), y / 2, ((int)a.width + 1) / 2, low);
        put_band(a, s, 2 * (y & 1) + 1, y / 2, (int)a.width / 2, high);
    }
}

/* The inverse: row y of the coefficients, before horizontal steps. */
template <class T>
static __device__ __forceinline__ void take_coefs(const wvl_plain_level &a, const stand &s, int y, T (&row)[COLUMNS])
{
    T low[QUADS], high[QUADS] = {0, 0};
    y = mirror(y, (int)a.height);
    take_band(a, s, 2 * (y & 1), y / 2, 0, low);
    if (a.width > 1) {
        take_band(a, s, 2 * (y & 1) + 1, y / 2, 1, high);
    }
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
        row[2 * q] = low[q];
        row[2 * q + 1] = high[q];
    }
}

template <int KIND, class T>
static __device__ __forceinline__ void filter_coefs(const wvl_plain_level &a, int y, T (&row)[COLUMNS])
{
    T low[QUADS], high[QUADS];
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
        low[q] = row[2 * q];
        high[q] = row[2 * q + 1];
    }
    scale_row<KIND, true>(a, y, low, high);
    if (a.width > 1) {
        lift_along<KIND, true, 0>(low, high);
    }
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
        row[2 * q] = low[q];
        row[2 * q + 1] = high[q];
    }
}

template <bool IS_INVERSE, class T>
static __device__ __forceinline__ void take_row(const wvl_plain_level &a, const stand &s, int y, T (&row)[COLUMNS])
{
    if constexpr (IS_INVERSE) {
        take_coefs(a, s, y, row);
    } else {
        take_pixels(a, s, y, row);
    }
}

template <int KIND, bool IS_INVERSE, class T>
static __device__ __forceinline__ void give_row(const wvl_plain_level &a, const stand &s, int y,
                                                const T (&row)[COLUMNS])
{
    if (y < s.y0 || y >= s.y1) {
        return;
    }
    if constexpr (IS_INVERSE) {
        put_pixels(a, s, y, row);
    } else {
        give_forward<KIND>(a, s, y, row);
    }
}

static __device__ __forceinline__ stand find_stand(const wvl_plain_level &a)
{
    const unsigned warp = blockIdx.x * (WVL_PLAIN_THREADS / 32) + threadIdx.x / 32;
    const int begin = (int)(warp % a.columns) * WVL_PLAIN_PAIRS - WVL_PLAIN_HALO;
    stand s;
    s.lane = (int)threadIdx.x & 31;
    s.pair = begin + QUADS * s.lane;
    s.y0 = (int)min((unsigned long long)(warp / a.columns) * a.rows, (unsigned long long)a.height);
    s.y1 = (int)min((unsigned long long)s.y0 + a.rows, (unsigned long long)a.height);
    s.is_own = s.lane >= HALO_LANES && s.lane < 32 - HALO_LANES;
    s.is_inner = begin >= 0 && 2ll * (begin + 32 * QUADS) <= (long long)a.width;
    return s;
}

/* All rows of a stretch. A plane of one row has no vertical steps. */
template <int KIND, bool IS_INVERSE> static __device__ __forceinline__ void run_level(const wvl_plain_level &a)
{
    typedef typename wavelet<KIND>::type T;
    constexpr int rows = wavelet<KIND>::rows, reach = wavelet<KIND>::reach;
    const stand s = find_stand(a);
    const bool is_tall = a.height > 1;
    const int lag = is_tall ? reach : 0;
    T w[rows][COLUMNS] = {}, next[2][COLUMNS];
    if (s.y0 >= s.y1) {
        return;
    }
    take_row<IS_INVERSE>(a, s, s.y0 - lag, next[0]);
    take_row<IS_INVERSE>(a, s, s.y0 - lag + 1, next[1]);
    for (int y = s.y0 - lag; y - lag < s.y1; y += 2) {
#pragma unroll
        for (int i = 0; i < rows; i++) {
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                w[i][c] = i + 2 < rows ? w[(i + 2) % rows][c] : next[(i + 2) % 2 ^ rows % 2][c];
            }
        }
        if (y + 2 - lag < s.y1) { /* on their way while this pair is computed */
            take_row<IS_INVERSE>(a, s, y + 2, next[0]);
            take_row<IS_INVERSE>(a, s, y + 3, next[1]);
        }
        if constexpr (IS_INVERSE) {
            filter_coefs<KIND>(a, mirror(y, (int)a.height), w[rows - 2]);
            filter_coefs<KIND>(a, mirror(y + 1, (int)a.height), w[rows - 1]);
        }
        if (is_tall) {
            lift_row_of_window<KIND, IS_INVERSE, 0>(w, rows - 2);
            lift_row_of_window<KIND, IS_INVERSE, 0>(w, rows - 1);
            give_row<KIND, IS_INVERSE>(a, s, y - lag, w[rows - 2 - reach]);
            give_row<KIND, IS_INVERSE>(a, s, y - lag + 1, w[rows - 1 - reach]);
        } else {
            give_row<KIND, IS_INVERSE>(a, s, y, w[rows - 2]);
        }
    }
}

} // namespace wvl_plain

#endif
