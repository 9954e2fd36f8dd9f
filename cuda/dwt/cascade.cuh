/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two or three levels from a plane in one launch: what is left of a small picture after the first two is too little to
 * march through.
 *
 * Runs: WVL_CUDA_CASCADE_WARPS warps take a tile of the deepest level. Level by level a warp lifts 8 rows of 32 lanes
 * of four columns (block/patch.cuh). Rows of the first level come from the plane, those of the others from shared
 * memory (48 KiB), where the low-low samples lie in between; behind one barrier a level. Of the levels above, a tile
 * splits what it needs: with three levels of a large plane 1.7 (5/3) and 2 (9/7) times its samples. 80 registers in
 * 5/3, 128 in 9/7, no spills; 3 and 2 thread blocks a multiprocessor. choose.c says which planes come here and not to
 * march.cuh: the little ones, and those that do not fit there. One level by itself goes to last.cuh.
 */
#ifndef WVL_CUDA_DWT_CASCADE_CUH
#define WVL_CUDA_DWT_CASCADE_CUH

#include "cuda/core/order.cuh"
#include "cuda/core/split.h"
#include "cuda/dwt/block/patch.cuh"
#include "cuda/dwt/cascade.h"
#include "cuda/dwt/tuning.h"

#define CASCADE_ROWS WVL_CUDA_CASCADE_ROWS
#define CASCADE_THREADS (32 * WVL_CUDA_CASCADE_WARPS)

/* One level of a tile, in its own samples. */
struct cascade_level : patch_area {
    int left, right, top, bottom;                 /* what is finished; left a multiple of 4, top of 8 */
    int own_left, own_right, own_top, own_bottom; /* what is stored */
    int at, pitch,
        rows; /* between levels: first sample, row stride, rows from top - reach on; a row begins with left - 4 */
    int panels, tasks; /* of 120 columns; of eight rows of one */
    uint32_t inverse;  /* of panels, times 2^16: tasks are few */
};

struct cascade_tile {
    uint32_t samples[WVL_CUDA_CASCADE_SAMPLES];
    cascade_level level[WVL_CUDA_CASCADE_LEVELS];
    wvl_cuda_split split[WVL_CUDA_CASCADE_LEVELS];
};

/* T: int32_t (5/3) or float (9/7). B: bytes a sample of the plane. CB: bytes a coefficient. */
template <class T, int B, int CB> struct cascade : patch<T, B, CB> {
    typedef patch<T, B, CB> base;
    using base::F97;
    using base::mirror;
    using base::REACH;
    using base::SPAN;
    using base::v;

    /* ---- Geometry ---- */

    static __device__ __forceinline__ void open_level(cascade_tile &s, int k, int levels, int x, int y)
    {
        const wvl_cuda_split &split = s.split[k];
        const int shift = levels - 1 - k, margin = wvl_cuda_cascade_margin(REACH, shift);
        const wvl_rect deep = s.split[levels - 1].rect;
        const int c0 = ((int)deep.x0 & ~3) + x * (int)s.split[0].tile_width,
                  r0 = ((int)deep.y0 & ~7) + y * (int)s.split[0].tile_height;
        const int c1 = c0 + (int)s.split[0].tile_width, r1 = r0 + (int)s.split[0].tile_height;
        cascade_level g;
        g.x0 = (int)split.rect.x0;
        g.y0 = (int)split.rect.y0;
        g.x1 = (int)split.rect.x1;
        g.y1 = (int)split.rect.y1;
        g.left = max((c0 << shift) - margin, g.x0);
        g.right = min((c1 << shift) + margin, g.x1);
        g.top = max((r0 << shift) - margin, g.y0) & ~7;
        g.bottom = min((r1 << shift) + margin, g.y1);
        g.own_left = c0 << shift;
        g.own_right = min(c1 << shift, g.x1);
        g.own_top = max(r0 << shift, g.y0);
        g.own_bottom = min(r1 << shift, g.y1);
        g.pitch = ((g.right - g.left + 3) & ~3) + 8;
        g.panels = (g.right - g.left + WVL_CUDA_CASCADE_OWN - 1) / WVL_CUDA_CASCADE_OWN;
        const int chunks = (g.bottom - g.top + CASCADE_ROWS - 1) / CASCADE_ROWS;
        g.tasks = g.panels * chunks;
        g.inverse = 0x10000u / (uint32_t)g.panels + 1;
        g.rows = chunks * CASCADE_ROWS + 2 * REACH;
        g.at = 0;
        s.level[k] = g;
    }

    /* ---- Rows in ---- */

    __device__ __forceinline__ void fetch_between(const cascade_tile &s, const cascade_level &g, int x, int y)
    {
        const uint32_t *row = s.samples + g.at + (y - g.top) * g.pitch + min(x - g.left + 4, g.pitch - 4);
#pragma unroll
        for (int i = 0; i < SPAN; i++) {
            base::take_words(v[i], *(const uint4 *)(row + i * g.pitch));
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
    __device__ __forceinline__ void put_plane(const wvl_cuda_plane &low, const cascade_level &g, int x, int y,
                                              bool keep)
    {
        uint8_t *to = (uint8_t *)low.data + (int64_t)(y / 2 - (int)low.y0) * (int64_t)low.pitch_bytes +
                      (int64_t)(x / 2 - (int)low.x0) * 4;
#pragma unroll
        for (int j = 0; j < CASCADE_ROWS / 2; j++) {
            if (keep && y + 2 * j >= g.own_top && y + 2 * j < g.own_bottom) {
                if constexpr (F97) {
                    *(float2 *)(to + j * (int64_t)low.pitch_bytes) =
                        make_float2(v[REACH + 2 * j][0], v[REACH + 2 * j][2]);
                } else {
                    *(int2 *)(to + j * (int64_t)low.pitch_bytes) = make_int2(v[REACH + 2 * j][0], v[REACH + 2 * j][2]);
                }
            }
        }
    }

    __device__ __forceinline__ void run_task(cascade_tile &s, int k, int levels, int panel, int chunk)
    {
        const cascade_level &g = s.level[k];
        const wvl_cuda_split &split = s.split[k];
        const wvl_cuda_band *band = split.band + 1;
        const int lane = threadIdx.x & 31, from = g.left + panel * WVL_CUDA_CASCADE_OWN, x = from + 4 * (lane - 1),
                  y = g.top + chunk * CASCADE_ROWS;
        if (k) {
            fetch_between(s, g, x, y);
        } else {
            this->fetch_plane(split.in, g, x, y);
        }
        this->lift_down();
        __syncwarp();
        this->lift_across();
        const bool valid = lane > 0 && lane < 31 && x < g.right, own = valid && x >= g.own_left && x < g.own_right;
        if (k + 1 < levels) {
            put_between(s, s.level[k + 1], x, y, valid);
        }
        const int begin = g.own_top - y, end = g.own_bottom - y;
        if (begin >= CASCADE_ROWS || end <= 0) {
            return;
        }
        if (k + 1 == levels && split.low.data) {
            put_plane(split.low, g, x, y, own);
        }
        const int first = max(from, g.own_left) / 2, last = (min(from + WVL_CUDA_CASCADE_OWN, g.own_right) - 1) / 2;
        const bool cut = __any_sync(FULL_WARP, own && x + 4 > g.x1);
        const patch_grid grid = patch_grid::find<CB>(*band, x / 2);
        const int at = grid.offset<CB>(*band, y / 2);
        uint32_t bound[3] = {0, 0, 0};
        if (begin <= 0 && end >= CASCADE_ROWS && !cut) {
            base::template put_bands<true>(band, at, own, own, begin, end, bound);
        } else {
            if (cut) {
                this->clear_beyond(own ? g.x1 - x : 4);
            }
            base::template put_bands<false>(band, at, own, own && x + 1 < g.x1, begin, end, bound);
        }
        this->join_bounds(band, 3, grid.col, y / 2, first, last, bound);
        if (split.band[0].samples) {
            const patch_grid low = patch_grid::find<CB>(split.band[0], x / 2);
            this->put_last(split.band[0], low.col, low.offset<CB>(split.band[0], y / 2), y, own, begin, end, first,
                           last);
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

    static __device__ __forceinline__ void open(cascade_tile &s, const wvl_cuda_split *splits,
                                                const wvl_cuda_item &item)
    {
        const int levels = splits->chain;
        for (unsigned i = threadIdx.x; i < levels * sizeof *splits / 4; i += CASCADE_THREADS) {
            ((uint32_t *)s.split)[i] = ((const uint32_t *)splits)[i];
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
    __device__ __forceinline__ void run(cascade_tile &s, const wvl_cuda_split *splits, const wvl_cuda_item *items)
    {
        open(s, splits, items[blockIdx.x]);
        const int levels = s.split[0].chain;
        wait_for_tile(s.split[0].front_flags, items[blockIdx.x]);
#pragma unroll 1
        for (int k = 0; k < levels; k++) {
            if (k) {
                __syncthreads();
                mirror_edges(s, s.level[k]);
            }
            const int panels = s.level[k].panels, tasks = s.level[k].tasks;
#pragma unroll 1
            for (int t = threadIdx.x >> 5; t < tasks; t += WVL_CUDA_CASCADE_WARPS) {
                const int chunk = (int)((uint32_t)t * s.level[k].inverse >> 16);
                run_task(s, k, levels, t - chunk * panels, chunk);
            }
        }
        let_next_launch_begin();
        end_launch();
    }
};

template <class ROW> __device__ __forceinline__ void run_cascade(LAUNCH_ARGUMENTS)
{
    static_assert(sizeof(cascade_tile) == ROW::shared_bytes && ROW::threads == CASCADE_THREADS,
                  "the row says what the kernel takes");
    __shared__ __align__(16) cascade_tile s;
    cascade<typename sample_type<ROW::reversible>::type, ROW::container_bits / 8, ROW::coef_bits / 8> tile;
    tile.run(s, splits + split_of(items[blockIdx.x], only), items);
}

#endif
