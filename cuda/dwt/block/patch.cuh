/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One level of eight rows of 32 lanes of four columns, with the rows around them (15 in 9/7, 11 in 5/3) all in
 * registers, so that nothing waits for a row before it. The outer lanes recompute what the neighbouring warps own.
 * Samples beyond the resolution are there mirrored, so that lifting knows no edges.
 */
#ifndef WVL_CUDA_DWT_BLOCK_PATCH_CUH
#define WVL_CUDA_DWT_BLOCK_PATCH_CUH

#include "cuda/core/reflect.h"
#include "cuda/core/split.h"
#include "cuda/dwt/block/lift.cuh"
#include "cuda/dwt/block/pack.cuh"
#include "cuda/dwt/cascade.h"

#define PATCH_ROWS WVL_CUDA_CASCADE_ROWS

/* The resolution. */
struct patch_area {
    int x0, y0, x1, y1;
};

__device__ __forceinline__ uint32_t join_warp(uint32_t v)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_or_sync(FULL_WARP, v);
#else
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        v |= __shfl_xor_sync(FULL_WARP, v, d);
    }
    return v;
#endif
}

/* Where the lane's coefficients of one band, or of bands alike, lie. CB: bytes a coefficient; 0: 2 or 4, each band by
 * itself, and offsets count as if there were 2. */
struct patch_grid {
    uint32_t left_bytes; /* in a block row */
    int col;             /* of the block */

    template <int CB> static __device__ __forceinline__ bool is_wide(const wvl_cuda_band &band)
    {
        return CB == 0 && band.coef_bytes == 4;
    }
    /* x: of the lane's first coefficient. */
    template <int CB> static __device__ __forceinline__ patch_grid find(const wvl_cuda_band &band, int x)
    {
        const int col = (x >> band.xcb) - (int)band.block_x0,
                  first = col ? x >> band.xcb << band.xcb : (int)band.rect.x0;
        return {(uint32_t)col * (band.cell_bytes >> is_wide<CB>(band)) + (uint32_t)(x - first) * (CB ? CB : 2), col};
    }
    static __device__ __forceinline__ uint32_t block_row(const wvl_cuda_band &band, int y)
    {
        return ((uint32_t)y >> band.ycb) - band.block_y0;
    }
    /* Negative where rows begin above the band. */
    template <int CB> __device__ __forceinline__ int offset(const wvl_cuda_band &band, int y) const
    {
        uint32_t row = block_row(band, y), first = row ? (uint32_t)y >> band.ycb << band.ycb : band.rect.y0;
        return (int)(row * ((uint32_t)band.row_bytes >> is_wide<CB>(band)) +
                     ((uint32_t)y - first) * band.cell_width * (CB ? CB : 2) + left_bytes);
    }
};

/* T: int32_t (5/3) or float (9/7). B: bytes a sample of the plane. CB: bytes a coefficient, 0: 2 or 4. */
template <class T, int B, int CB, int DEPTH = WVL_CUDA_DEPTH_ANY> struct patch {
    static constexpr bool F97 = column<T, 1>::lag == 1;
    static constexpr int REACH = F97 ? WVL_CUDA_CASCADE_REACH97 : WVL_CUDA_CASCADE_REACH53,
                         SPAN = PATCH_ROWS + 2 * REACH - 1;

    /* ---- Lifting ---- */

    T v[SPAN][4]; /* row i of it is REACH rows before row i of the eight */

    __device__ __forceinline__ void lift_down()
    {
#pragma unroll
        for (int c = 0; c < 4; c++) {
            if constexpr (F97) {
                const float k[4] = {WVL_LIFT97_ALPHA, WVL_LIFT97_BETA, WVL_LIFT97_GAMMA, WVL_LIFT97_DELTA};
#pragma unroll
                for (int step = 0; step < 4; step++) {
#pragma unroll
                    for (int i = 1 + step; i < SPAN - 1 - step; i += 2) {
                        v[i][c] = wvl_lift97_step(k[step], v[i - 1][c], v[i + 1][c], v[i][c]);
                    }
                }
            } else {
#pragma unroll
                for (int i = 1; i < SPAN - 1; i += 2) {
                    v[i][c] = high53(v[i][c], v[i - 1][c], v[i + 1][c]);
                }
#pragma unroll
                for (int i = 2; i < SPAN - 2; i += 2) {
                    v[i][c] = wvl_lift53_low(v[i][c], v[i - 1][c], v[i + 1][c]);
                }
            }
        }
    }
    static __device__ __forceinline__ T lift_one(int step, T a, T b, T x)
    {
        if constexpr (F97) {
            const float c = step == 0   ? WVL_LIFT97_ALPHA
                            : step == 1 ? WVL_LIFT97_BETA
                            : step == 2 ? WVL_LIFT97_GAMMA
                                        : WVL_LIFT97_DELTA;
            return wvl_lift97_step(c, a, b, x);
        } else {
            return step ? wvl_lift53_low(x, a, b) : high53(x, a, b);
        }
    }
    /* All rows step by step: their shuffles are under way together. */
    __device__ __forceinline__ void lift_across()
    {
#pragma unroll
        for (int step = 0; step < (F97 ? 4 : 2); step++) {
            T next[PATCH_ROWS];
#pragma unroll
            for (int r = 0; r < PATCH_ROWS; r++) {
                T(&w)[4] = v[REACH + r];
                next[r] = step & 1 ? __shfl_up_sync(FULL_WARP, w[3], 1) : __shfl_down_sync(FULL_WARP, w[0], 1);
            }
#pragma unroll
            for (int r = 0; r < PATCH_ROWS; r++) {
                T(&w)[4] = v[REACH + r];
                if (step & 1) {
                    w[0] = lift_one(step, next[r], w[1], w[0]);
                    w[2] = lift_one(step, w[1], w[3], w[2]);
                } else {
                    w[1] = lift_one(step, w[0], w[2], w[1]);
                    w[3] = lift_one(step, w[2], next[r], w[3]);
                }
            }
        }
    }

    /* ---- Rows in ---- */

    __device__ __forceinline__ void fetch_four(T (&w)[4], const uint8_t *p)
    {
        if constexpr (B == 2) {
            const uint2 raw = __ldca((const uint2 *)p);
            w[0] = (int32_t)(raw.x << 16) >> 16;
            w[1] = (int32_t)raw.x >> 16;
            w[2] = (int32_t)(raw.y << 16) >> 16;
            w[3] = (int32_t)raw.y >> 16;
        } else {
            take_words(w, __ldca((const uint4 *)p));
        }
    }
    static __device__ __forceinline__ void take_words(T (&w)[4], uint4 raw)
    {
        if constexpr (F97) {
            w[0] = __uint_as_float(raw.x);
            w[1] = __uint_as_float(raw.y);
            w[2] = __uint_as_float(raw.z);
            w[3] = __uint_as_float(raw.w);
        } else {
            w[0] = (int32_t)raw.x;
            w[1] = (int32_t)raw.y;
            w[2] = (int32_t)raw.z;
            w[3] = (int32_t)raw.w;
        }
    }
    /* What lies further out is read by nobody; it stays inside. */
    static __device__ __forceinline__ int mirror(int at, int first, int end)
    {
        return max(min(wvl_cuda_reflect_once(at, first, end), end - 1), first);
    }
    __device__ __forceinline__ void fetch_plane(const wvl_cuda_plane &in, const patch_area &g, int x, int y)
    {
        const uint8_t *data = (const uint8_t *)in.data;
        const uint32_t pitch = (uint32_t)in.pitch_bytes;
        y -= REACH;
        if (x < g.x0 || x + 4 > g.x1) {
            uint32_t at[4];
#pragma unroll
            for (int c = 0; c < 4; c++) {
                at[c] = ((uint32_t)mirror(x + c, g.x0, g.x1) - in.x0) * B;
            }
#pragma unroll
            for (int i = 0; i < SPAN; i++) {
                const uint8_t *row = data + (uint32_t)(mirror(y + i, g.y0, g.y1) - (int)in.y0) * pitch;
#pragma unroll
                for (int c = 0; c < 4; c++) {
                    if constexpr (B == 2) {
                        v[i][c] = __ldca((const int16_t *)(row + at[c]));
                    } else {
                        v[i][c] = __ldca((const T *)(row + at[c]));
                    }
                }
            }
            return;
        }
        data += ((uint32_t)x - in.x0) * B;
        if (y >= g.y0 && y + SPAN <= g.y1) {
            data += (uint32_t)(y - (int)in.y0) * pitch;
#pragma unroll
            for (int i = 0; i < SPAN; i++) {
                fetch_four(v[i], data + (uint32_t)i * pitch);
            }
        } else {
#pragma unroll
            for (int i = 0; i < SPAN; i++) {
                fetch_four(v[i], data + (uint32_t)(mirror(y + i, g.y0, g.y1) - (int)in.y0) * pitch);
            }
        }
    }

    /* ---- Coefficients out ---- */

    /* Bounds of up to three equal bands, of the block row of coefficients of row y. The warp has columns first to last.
     */
    static __device__ __forceinline__ void join_bounds(const wvl_cuda_band *band, int count, int col, int y, int first,
                                                       int last, const uint32_t (&bound)[3])
    {
        const int lane = threadIdx.x & 31;
        const uint32_t row = patch_grid::block_row(*band, y) * band->block_cols;
        first = (first >> band->xcb) - (int)band->block_x0;
        last = (last >> band->xcb) - (int)band->block_x0;
#pragma unroll 1
        for (int c = first; c <= last; c++) {
            uint32_t j0 = join_warp(col == c ? bound[0] : 0), j1 = join_warp(col == c ? bound[1] : 0),
                     j2 = join_warp(col == c ? bound[2] : 0);
            uint32_t joined = lane == 0 ? j0 : lane == 1 ? j1 : j2;
            const bool halves = CB == 2 || (CB == 0 && band[min(lane, count - 1)].coef_bytes == 2);
            joined = halves ? (joined | joined >> 16) & 0x7fffu : joined & 0x7fffffffu;
            if (lane < count && joined) {
                atomicOr((uint32_t *)band[lane].bounds + row + c, joined);
            }
        }
    }

    /* Two coefficients v[0] and v[2]. */
    static __device__ __forceinline__ void put(uint8_t *to, const T *v, float r, bool deep, bool wide, bool keep,
                                               uint32_t &bound)
    {
        if constexpr (CB == 0) {
            put_either<2>(to, v, wide, keep, bound);
        } else {
            put_run<2, CB, DEPTH>(to, v, r, deep, keep, bound);
        }
    }
    /* Rows [begin, end) of the eight to the three bands of the level. */
    template <bool WHOLE>
    __device__ __forceinline__ void put_bands(const wvl_cuda_band *band, int at, bool low, bool high, int begin,
                                              int end, uint32_t (&bound)[3])
    {
        const bool wide0 = patch_grid::is_wide<CB>(band[0]), wide1 = patch_grid::is_wide<CB>(band[1]),
                   wide2 = patch_grid::is_wide<CB>(band[2]);
        uint8_t *hl = (uint8_t *)band[0].samples + at * (1 << wide0),
                *lh = (uint8_t *)band[1].samples + at * (1 << wide1),
                *hh = (uint8_t *)band[2].samples + at * (1 << wide2);
        const uint32_t cell_row = band->cell_width * (CB ? CB : 2);
        const float r0 = band[0].reciprocal, r1 = band[1].reciprocal, r2 = band[2].reciprocal;
        const bool deep = CB == 4 && (band[0].deep || band[1].deep || band[2].deep);
        uint32_t b0 = 0, b1 = 0, b2 = 0;
#pragma unroll
        for (int j = 0; j < PATCH_ROWS / 2; j++) {
            const T *w = v[REACH + 2 * j], *o = v[REACH + 2 * j + 1];
            if (WHOLE || (2 * j >= begin && 2 * j < end)) {
                put(hl, w + 1, r0, deep, wide0, high, b0);
            }
            if (WHOLE || (2 * j >= begin && 2 * j + 1 < end)) {
                put(lh, o, r1, deep, wide1, low, b1);
                put(hh, o + 1, r2, deep, wide2, high, b2);
            }
            hl += cell_row << wide0;
            lh += cell_row << wide1;
            hh += cell_row << wide2;
        }
        bound[0] |= high ? b0 : 0;
        bound[1] |= low ? b1 : 0;
        bound[2] |= high ? b2 : 0;
    }
    /* The same to the last low-low band, whose bounds are joined at once. at: of row y / 2. */
    __device__ __forceinline__ void put_last(const wvl_cuda_band &band, int col, int at, int y, bool low, int begin,
                                             int end, int first, int last)
    {
        const bool wide = patch_grid::is_wide<CB>(band);
        uint8_t *to = (uint8_t *)band.samples + at * (1 << wide);
        uint32_t bound[3] = {0, 0, 0};
#pragma unroll
        for (int j = 0; j < PATCH_ROWS / 2; j++) {
            if (2 * j >= begin && 2 * j < end) {
                put(to, v[REACH + 2 * j], band.reciprocal, band.deep, wide, low, bound[0]);
            }
            to += band.cell_width * (CB ? CB : 2) << wide;
        }
        bound[0] = low ? bound[0] : 0;
        join_bounds(&band, 1, col, y / 2, first, last, bound);
    }

    /* The second column of a pair at the picture's edge may be none of it. */
    __device__ __forceinline__ void clear_beyond(int columns)
    {
#pragma unroll
        for (int r = 0; r < PATCH_ROWS; r++) {
            v[REACH + r][2] = columns < 3 ? (T)0 : v[REACH + r][2];
            v[REACH + r][3] = columns < 4 ? (T)0 : v[REACH + r][3];
        }
    }
};

#endif
