/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Up to three levels from a plane in one launch: what is left of a picture after the first two is too little to march through.
 *
 * Runs: WVL_CUDA_CASCADE_WARPS warps take a tile of the deepest level. Level by level a warp lifts 8 rows of 32 lanes of four columns, with the
 * rows around them (15 in 9/7, 11 in 5/3) all in registers, so that nothing waits for a row before it; one lane at either side recomputes what
 * the neighbouring warp owns. Rows of the first level come from the plane, those of the others from shared memory (48 KiB), where the low-low
 * samples lie in between; behind one barrier a level. Samples beyond the picture's edge are there mirrored, so that lifting knows no edges.
 * Of the levels above, a tile splits what it needs: with three levels of a large plane 1.7 (5/3) and 2 (9/7) times its samples.
 * 80 registers in 5/3, 128 in 9/7, no spills; 3 and 2 thread blocks a multiprocessor. tables.c says which planes come here and not to march.cu:
 * those of which one or two levels are left, the little ones, and those that do not fit there.
 */
#include "cuda/block/lift.cuh"
#include "cuda/block/order.cuh"
#include "cuda/block/pack.cuh"
#include "cuda/cascade.h"
#include "cuda/job.h"
#include "cuda/tuning.h"

#define CASCADE_ROWS WVL_CUDA_CASCADE_ROWS
#define CASCADE_THREADS (32 * WVL_CUDA_CASCADE_WARPS)

/* One level of a tile, in its own samples. */
struct cascade_level {
    int x0, y0, x1, y1;      /* the resolution */
    int left, right, top, bottom; /* what is finished; left a multiple of 4, top of 8 */
    int own_left, own_right, own_top, own_bottom; /* what is stored */
    int at, pitch, rows;     /* between levels: first sample, row stride, rows from top - reach on; a row begins with left - 4 */
    int strips, tasks;       /* of 120 columns; of eight rows of one */
    uint32_t inverse;        /* of strips, times 2^16: tasks are few */
};

struct cascade_tile {
    uint32_t samples[WVL_CUDA_CASCADE_SAMPLES];
    cascade_level level[WVL_CUDA_CASCADE_LEVELS];
    wvl_cuda_job job[WVL_CUDA_CASCADE_LEVELS];
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

/* Where the lane's coefficients of one band, or of bands alike, lie. */
struct cascade_grid {
    uint32_t left_bytes;     /* in a block row */
    int col;                 /* of the block */

    /* x: of the lane's first coefficient. */
    template <int CB> static __device__ __forceinline__ cascade_grid find(const wvl_cuda_band &band, int x)
    {
        const int col = (x >> band.xcb) - (int)band.block_x0, first = col ? x >> band.xcb << band.xcb : (int)band.rect.x0;
        return {(uint32_t)col * band.slot_bytes + (uint32_t)(x - first) * CB, col};
    }
    static __device__ __forceinline__ uint32_t block_row(const wvl_cuda_band &band, int y) { return ((uint32_t)y >> band.ycb) - band.block_y0; }
    /* Negative where rows begin above the band. */
    template <int CB> __device__ __forceinline__ int offset(const wvl_cuda_band &band, int y) const
    {
        uint32_t row = block_row(band, y), first = row ? (uint32_t)y >> band.ycb << band.ycb : band.rect.y0;
        return (int)(row * (uint32_t)band.row_bytes + ((uint32_t)y - first) * band.slot_width * CB + left_bytes);
    }
};

/* T: int32_t (5/3) or float (9/7). B: bytes a sample of the plane. CB: bytes a coefficient. */
template <class T, int B, int CB> struct cascade {
    static constexpr bool F97 = column<T, 1>::lag == 1;
    static constexpr int REACH = F97 ? WVL_CUDA_CASCADE_REACH97 : WVL_CUDA_CASCADE_REACH53, SPAN = CASCADE_ROWS + 2 * REACH - 1;

    /* ---- Geometry ---- */

    static __device__ __forceinline__ void open_level(cascade_tile &s, int k, int levels, int x, int y)
    {
        const wvl_cuda_job &job = s.job[k];
        const int shift = levels - 1 - k, margin = wvl_cuda_cascade_margin(REACH, shift);
        const wvl_rect deep = s.job[levels - 1].rect;
        const int c0 = ((int)deep.x0 & ~3) + x * (int)s.job[0].tile_width, r0 = ((int)deep.y0 & ~7) + y * (int)s.job[0].tile_height;
        const int c1 = c0 + (int)s.job[0].tile_width, r1 = r0 + (int)s.job[0].tile_height;
        cascade_level g;
        g.x0 = (int)job.rect.x0;
        g.y0 = (int)job.rect.y0;
        g.x1 = (int)job.rect.x1;
        g.y1 = (int)job.rect.y1;
        g.left = max((c0 << shift) - margin, g.x0);
        g.right = min((c1 << shift) + margin, g.x1);
        g.top = max((r0 << shift) - margin, g.y0) & ~7;
        g.bottom = min((r1 << shift) + margin, g.y1);
        g.own_left = c0 << shift;
        g.own_right = min(c1 << shift, g.x1);
        g.own_top = max(r0 << shift, g.y0);
        g.own_bottom = min(r1 << shift, g.y1);
        g.pitch = ((g.right - g.left + 3) & ~3) + 8;
        g.strips = (g.right - g.left + WVL_CUDA_CASCADE_OWN - 1) / WVL_CUDA_CASCADE_OWN;
        const int chunks = (g.bottom - g.top + CASCADE_ROWS - 1) / CASCADE_ROWS;
        g.tasks = g.strips * chunks;
        g.inverse = 0x10000u / (uint32_t)g.strips + 1;
        g.rows = chunks * CASCADE_ROWS + 2 * REACH;
        g.at = 0;
        s.level[k] = g;
    }

    /* ---- Lifting ---- */

    T v[SPAN][4];            /* row i of it is REACH rows before row i of the eight */

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
            const float c = step == 0 ? WVL_LIFT97_ALPHA : step == 1 ? WVL_LIFT97_BETA : step == 2 ? WVL_LIFT97_GAMMA : WVL_LIFT97_DELTA;
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
            T next[CASCADE_ROWS];
#pragma unroll
            for (int r = 0; r < CASCADE_ROWS; r++) {
                T(&w)[4] = v[REACH + r];
                next[r] = step & 1 ? __shfl_up_sync(FULL_WARP, w[3], 1) : __shfl_down_sync(FULL_WARP, w[0], 1);
            }
#pragma unroll
            for (int r = 0; r < CASCADE_ROWS; r++) {
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
    static __device__ __forceinline__ int mirror(int at, int first, int end)
    {
        at = at < first ? 2 * first - at : at;
        at = at >= end ? 2 * (end - 1) - at : at;
        return max(min(at, end - 1), first);
    }
    __device__ __forceinline__ void fetch_plane(const wvl_cuda_plane &in, const cascade_level &g, int x, int y)
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
    __device__ __forceinline__ void fetch_between(const cascade_tile &s, const cascade_level &g, int x, int y)
    {
        const uint32_t *row = s.samples + g.at + (y - g.top) * g.pitch + min(x - g.left + 4, g.pitch - 4);
#pragma unroll
        for (int i = 0; i < SPAN; i++) {
            take_words(v[i], *(const uint4 *)(row + i * g.pitch));
        }
    }

    /* ---- Rows out ---- */

    __device__ __forceinline__ void put_between(cascade_tile &s, const cascade_level &next, int x, int y, bool valid)
    {
        const int row = y / 2 - next.top + REACH;
        T *to = (T *)s.samples + next.at + row * next.pitch + (x / 2 - next.left + 4);
#pragma unroll
        for (int j = 0; j < CASCADE_ROWS / 2; j++) {
            if (valid && (unsigned)(row + j) < (unsigned)next.rows) {
                if constexpr (F97) {
                    *(float2 *)(to + j * next.pitch) = make_float2(v[REACH + 2 * j][0], v[REACH + 2 * j][2]);
                } else {
                    *(int2 *)(to + j * next.pitch) = make_int2(v[REACH + 2 * j][0], v[REACH + 2 * j][2]);
                }
            }
        }
    }
    __device__ __forceinline__ void put_plane(const wvl_cuda_plane &low, const cascade_level &g, int x, int y, bool keep)
    {
        uint8_t *to = (uint8_t *)low.data + (int64_t)(y / 2 - (int)low.y0) * (int64_t)low.pitch_bytes + (int64_t)(x / 2 - (int)low.x0) * 4;
#pragma unroll
        for (int j = 0; j < CASCADE_ROWS / 2; j++) {
            if (keep && y + 2 * j >= g.own_top && y + 2 * j < g.own_bottom) {
                if constexpr (F97) {
                    *(float2 *)(to + j * (int64_t)low.pitch_bytes) = make_float2(v[REACH + 2 * j][0], v[REACH + 2 * j][2]);
                } else {
                    *(int2 *)(to + j * (int64_t)low.pitch_bytes) = make_int2(v[REACH + 2 * j][0], v[REACH + 2 * j][2]);
                }
            }
        }
    }

    /* Bounds of up to three bands alike, of the block row of coefficients of row y. The warp has columns first to last. */
    static __device__ __forceinline__ void join_bounds(const wvl_cuda_band *band, int count, int col, int y, int first, int last,
                                                       const uint32_t (&bound)[3])
    {
        const int lane = threadIdx.x & 31;
        const uint32_t row = cascade_grid::block_row(*band, y) * band->block_cols;
        first = (first >> band->xcb) - (int)band->block_x0;
        last = (last >> band->xcb) - (int)band->block_x0;
#pragma unroll 1
        for (int c = first; c <= last; c++) {
            uint32_t j0 = join_warp(col == c ? bound[0] : 0), j1 = join_warp(col == c ? bound[1] : 0), j2 = join_warp(col == c ? bound[2] : 0);
            uint32_t joined = lane == 0 ? j0 : lane == 1 ? j1 : j2;
            joined = CB == 2 ? (joined | joined >> 16) & 0x7fffu : joined & 0x7fffffffu;
            if (lane < count && joined) {
                atomicOr((uint32_t *)band[lane].bounds + row + c, joined);
            }
        }
    }

    /* Rows [begin, end) of the eight to the three bands of the level. */
    template <bool WHOLE> __device__ __forceinline__ void put_bands(const wvl_cuda_band *band, int at, bool low, bool high, int begin, int end,
                                                                    uint32_t (&bound)[3])
    {
        uint8_t *hl = (uint8_t *)band[0].samples + at, *lh = (uint8_t *)band[1].samples + at, *hh = (uint8_t *)band[2].samples + at;
        const uint32_t slot_row = band->slot_width * CB;
        const float r0 = band[0].reciprocal, r1 = band[1].reciprocal, r2 = band[2].reciprocal;
        const bool deep = CB == 4 && (band[0].deep || band[1].deep || band[2].deep);
        uint32_t b0 = 0, b1 = 0, b2 = 0;
#pragma unroll
        for (int j = 0; j < CASCADE_ROWS / 2; j++) {
            const T *w = v[REACH + 2 * j], *o = v[REACH + 2 * j + 1];
            if (WHOLE || (2 * j >= begin && 2 * j < end)) {
                put_run<2, CB>(hl, w + 1, r0, deep, high, b0);
            }
            if (WHOLE || (2 * j >= begin && 2 * j + 1 < end)) {
                put_run<2, CB>(lh, o, r1, deep, low, b1);
                put_run<2, CB>(hh, o + 1, r2, deep, high, b2);
            }
            hl += slot_row;
            lh += slot_row;
            hh += slot_row;
        }
        bound[0] |= high ? b0 : 0;
        bound[1] |= low ? b1 : 0;
        bound[2] |= high ? b2 : 0;
    }
    /* The same to the last low-low band, whose bounds are joined at once. */
    __device__ __forceinline__ void put_last(const wvl_cuda_band &band, int x, int y, bool low, int begin, int end, int first, int last)
    {
        const cascade_grid grid = cascade_grid::find<CB>(band, x / 2);
        uint8_t *to = (uint8_t *)band.samples + grid.offset<CB>(band, y / 2);
        uint32_t bound[3] = {0, 0, 0};
#pragma unroll
        for (int j = 0; j < CASCADE_ROWS / 2; j++) {
            if (2 * j >= begin && 2 * j < end) {
                put_run<2, CB>(to, v[REACH + 2 * j], band.reciprocal, band.deep, low, bound[0]);
            }
            to += band.slot_width * CB;
        }
        bound[0] = low ? bound[0] : 0;
        join_bounds(&band, 1, grid.col, y / 2, first, last, bound);
    }

    /* The second column of a pair at the picture's edge may be none of it. */
    __device__ __forceinline__ void clear_beyond(int columns)
    {
#pragma unroll
        for (int r = 0; r < CASCADE_ROWS; r++) {
            v[REACH + r][2] = columns < 3 ? (T)0 : v[REACH + r][2];
            v[REACH + r][3] = columns < 4 ? (T)0 : v[REACH + r][3];
        }
    }

    __device__ __forceinline__ void run_task(cascade_tile &s, int k, int levels, int strip, int chunk)
    {
        const cascade_level &g = s.level[k];
        const wvl_cuda_job &job = s.job[k];
        const wvl_cuda_band *band = job.band + 1;
        const int lane = threadIdx.x & 31, from = g.left + strip * WVL_CUDA_CASCADE_OWN, x = from + 4 * (lane - 1), y = g.top + chunk * CASCADE_ROWS;
        if (k) {
            fetch_between(s, g, x, y);
        } else {
            fetch_plane(job.in, g, x, y);
        }
        lift_down();
        __syncwarp();
        lift_across();
        const bool valid = lane > 0 && lane < 31 && x < g.right, own = valid && x >= g.own_left && x < g.own_right;
        if (k + 1 < levels) {
            put_between(s, s.level[k + 1], x, y, valid);
        }
        const int begin = g.own_top - y, end = g.own_bottom - y;
        if (begin >= CASCADE_ROWS || end <= 0) {
            return;
        }
        if (k + 1 == levels && job.low.data) {
            put_plane(job.low, g, x, y, own);
        }
        const int first = max(from, g.own_left) / 2, last = (min(from + WVL_CUDA_CASCADE_OWN, g.own_right) - 1) / 2;
        const bool cut = __any_sync(FULL_WARP, own && x + 4 > g.x1);
        const cascade_grid grid = cascade_grid::find<CB>(*band, x / 2);
        const int at = grid.offset<CB>(*band, y / 2);
        uint32_t bound[3] = {0, 0, 0};
        if (begin <= 0 && end >= CASCADE_ROWS && !cut) {
            put_bands<true>(band, at, own, own, begin, end, bound);
        } else {
            if (cut) {
                clear_beyond(own ? g.x1 - x : 4);
            }
            put_bands<false>(band, at, own, own && x + 1 < g.x1, begin, end, bound);
        }
        join_bounds(band, 3, grid.col, y / 2, first, last, bound);
        if (job.band[0].samples) {
            put_last(job.band[0], x, y, own, begin, end, first, last);
        }
    }

    /* ---- Edges ---- */

    /* Between levels, samples beyond the resolution. */
    static __device__ __forceinline__ void mirror_edges(cascade_tile &s, const cascade_level &g)
    {
        uint32_t *at = s.samples + g.at;
        const int left = g.left - 4, top = g.top - REACH, right = left + g.pitch, bottom = top + g.rows;
        if (left < g.x0 || right > g.x1) {
            for (int i = threadIdx.x; i < g.rows * 8; i += CASCADE_THREADS) {
                const int side = i & 7, to = side < 4 ? g.x0 - 1 - side : g.x1 + side - 4, of = mirror(to, g.x0, g.x1);
                if (to >= left && to < right && of >= left && of < right) {
                    at[i / 8 * g.pitch + to - left] = at[i / 8 * g.pitch + of - left];
                }
            }
            __syncthreads();
        }
        if (top < g.y0 || bottom > g.y1) {
            for (int i = threadIdx.x >> 5; i < 2 * REACH; i += WVL_CUDA_CASCADE_WARPS) {
                const int to = i < REACH ? g.y0 - 1 - i : g.y1 + i - REACH, of = mirror(to, g.y0, g.y1);
                if (to >= top && to < bottom && of >= top && of < bottom) {
                    for (int c = threadIdx.x & 31; c < g.pitch; c += 32) {
                        at[(to - top) * g.pitch + c] = at[(of - top) * g.pitch + c];
                    }
                }
            }
            __syncthreads();
        }
    }

    static __device__ __forceinline__ void open(cascade_tile &s, const wvl_cuda_job *jobs, const wvl_cuda_item &item)
    {
        const int levels = jobs->chain;
        for (unsigned i = threadIdx.x; i < levels * sizeof *jobs / 4; i += CASCADE_THREADS) {
            ((uint32_t *)s.job)[i] = ((const uint32_t *)jobs)[i];
        }
        __syncthreads();
        if (threadIdx.x < levels) {
            open_level(s, threadIdx.x, levels, item.x, item.y);
        }
        __syncthreads();
        if (threadIdx.x == 0 && levels > 2) {
            s.level[2].at = s.level[1].rows * s.level[1].pitch;
        }
        __syncthreads();
    }
    __device__ __forceinline__ void run(cascade_tile &s, const wvl_cuda_job *jobs, const wvl_cuda_item *items)
    {
        open(s, jobs, items[blockIdx.x]);
        const int levels = s.job[0].chain;
        wait_for_tile(s.job[0].front_flags, items[blockIdx.x]);
#pragma unroll 1
        for (int k = 0; k < levels; k++) {
            if (k) {
                __syncthreads();
                mirror_edges(s, s.level[k]);
            }
            const int strips = s.level[k].strips, tasks = s.level[k].tasks;
#pragma unroll 1
            for (int t = threadIdx.x >> 5; t < tasks; t += WVL_CUDA_CASCADE_WARPS) {
                const int chunk = (int)((uint32_t)t * s.level[k].inverse >> 16);
                run_task(s, k, levels, t - chunk * strips, chunk);
            }
        }
        let_next_launch_begin();
        end_launch();
    }
};

#define CASCADE(name, T, B, CB, BLOCKS)                                                                                                      \
    extern "C" __global__ void __launch_bounds__(CASCADE_THREADS, BLOCKS) name(const wvl_cuda_job *jobs, const wvl_cuda_item *items, uint32_t) \
    {                                                                                                                                        \
        __shared__ __align__(16) cascade_tile s;                                                                                             \
        cascade<T, B, CB> tile;                                                                                                              \
        tile.run(s, jobs + items[blockIdx.x].job, items);                                                                                                  \
    }

CASCADE(wvl_cascade53, int32_t, 4, 2, WVL_CUDA_CASCADE_BLOCKS53)
CASCADE(wvl_cascade97, float, 4, 2, WVL_CUDA_CASCADE_BLOCKS97)
CASCADE(wvl_cascade53_w, int32_t, 4, 4, WVL_CUDA_CASCADE_BLOCKS53)
CASCADE(wvl_cascade97_w, float, 4, 4, WVL_CUDA_CASCADE_BLOCKS97)
CASCADE(wvl_cascade53_s, int32_t, 2, 2, WVL_CUDA_CASCADE_BLOCKS53)
