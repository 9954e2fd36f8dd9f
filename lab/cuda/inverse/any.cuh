/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One level of any shape: coefficients and the low-low plane in, the next plane out; and planes to pixels of any
 * container.
 *
 * Runs: a level: 128 threads a tile of 120 x 16 samples of the resolution, with a room of four around it. Addresses are
 * sums of what rows and columns say, found once for each by one thread. A warp takes six rows of 128 columns, four a
 * lane, asks for all their samples at once, and lifts across by shuffles; behind one barrier a thread takes a column
 * and lifts down. 15 KiB of shared memory, 61 and 54 registers. Pixels: 256 threads a tile of 64 x 32 samples, or up to
 * four times as many where tiles are few (launch.c). Bytes a sample: coefficient, + 1 for the low-low plane, + 4.
 * Symmetric extension is a matter of folded addresses: it keeps parity, so a low sample is extended by low ones.
 */
#ifndef WVL_CUDA_INVERSE_ANY_CUH
#define WVL_CUDA_INVERSE_ANY_CUH

#include "cuda/core/order.cuh"
#include "lab/cuda/inverse/block/store.cuh"
#include "lab/cuda/inverse/ops.h"
#include "lab/cuda/inverse/split.h"
#include "lab/cuda/inverse/tuning.h"

namespace back
{

constexpr int ROOM = WVL_CUDA_BACK_JOIN_ROOM, WIDTH = WVL_CUDA_BACK_JOIN_WIDTH, HEIGHT = WVL_CUDA_BACK_JOIN_HEIGHT;
constexpr int COLS = WIDTH + 2 * ROOM, ROWS = HEIGHT + 2 * ROOM;
constexpr int WARPS = WVL_CUDA_BACK_JOIN_THREADS / 32, EACH = ROWS / WARPS; /* rows of a warp, the first an even one */

/* Whole-sample symmetric extension (F.3.7) of any index; a signal of one sample repeats. */
__device__ __forceinline__ uint32_t fold(int64_t at, uint32_t first, uint32_t end)
{
    int64_t offset = at - (int64_t)first, last = (int64_t)end - first - 1, period = 2 * last;
    offset = offset < 0 ? -offset : offset;
    while (offset > last && last) { /* tiles reach little beyond, but for the narrowest signals */
        offset = offset > period ? offset - period : period - offset;
    }
    return first + (uint32_t)(last ? offset : 0);
}

__device__ __forceinline__ void set_value(uint32_t m, bool negative, float, int32_t &v)
{
    v = negative ? -(int32_t)m : (int32_t)m;
}
__device__ __forceinline__ void set_value(uint32_t m, bool negative, float half_step, float &v)
{
    v = wvl_inverse_magnitude(m, half_step);
    v = negative ? -v : v;
}

template <class T> __device__ __forceinline__ T *plane_at(const wvl_cuda_plane &p, uint32_t x, uint32_t y)
{
    return (T *)(p.data + (uint64_t)(y - p.y0) * p.pitch_bytes) + (x - p.x0);
}

/* Planes hold samples of 9/7 times WVL_INVERSE_UNIT. */
__device__ __forceinline__ int32_t to_plane(int32_t v) { return v; }
__device__ __forceinline__ float to_plane(float v) { return __fmul_rn(v, WVL_INVERSE_UNIT); }
__device__ __forceinline__ int32_t from_plane(int32_t v) { return v; }
__device__ __forceinline__ float from_plane(float v) { return __fmul_rn(v, 1 / WVL_INVERSE_UNIT); }

__device__ __forceinline__ void from_word(uint32_t w, int32_t &v) { v = (int32_t)w; }
__device__ __forceinline__ void from_word(uint32_t w, float &v) { v = __uint_as_float(w); }

/* Where samples of one parity of rows and columns come from: a band, or the low-low plane. Addresses are those of
 * wvl_coef_at() as sums of what the column and what the row say. */
struct source {
    const wvl_cuda_inverse_band *band;
    const wvl_cuda_plane *plane; /* NULL: the band */

    /* Of the parities that columns and rows of a tile have, which is what its signals have where those are longer than
     * a sample. */
    __device__ __forceinline__ void open(const wvl_cuda_inverse_split &split, uint32_t odd_x, uint32_t odd_y)
    {
        const wvl_rect r = split.rect;
        const uint32_t x = r.x1 - r.x0 > 1 ? odd_x : r.x0 & 1, y = r.y1 - r.y0 > 1 ? odd_y : r.y0 & 1;
        const uint32_t orient = split.levels == WVL_CUDA_PLAIN ? (uint32_t)WVL_BAND_LL : x | y << 1;
        band = &split.band[orient];
        plane = orient == WVL_BAND_LL && split.in.data ? &split.in : NULL;
    }
    __device__ __forceinline__ uint64_t column(uint32_t x) const
    {
        if (plane) {
            return plane->data + 4ull * (x - plane->x0);
        }
        uint32_t block = (x >> band->xcb) - band->block_x0, left = block ? x >> band->xcb << band->xcb : band->rect.x0;
        return band->samples + (uint64_t)block * band->cell_bytes + (uint64_t)(x - left) * band->coef_bytes;
    }
    __device__ __forceinline__ uint64_t row(uint32_t y) const
    {
        if (plane) {
            return (uint64_t)(y - plane->y0) * plane->pitch_bytes;
        }
        uint32_t block = (y >> band->ycb) - band->block_y0, top = block ? y >> band->ycb << band->ycb : band->rect.y0;
        return block * band->row_bytes + (uint64_t)(y - top) * band->cell_width * band->coef_bytes;
    }
    __device__ __forceinline__ bool narrow() const { return !plane && band->coef_bytes == 2; }
    template <class T> __device__ __forceinline__ T value(uint32_t w) const
    {
        T v;
        if (plane) {
            from_word(w, v);
            return from_plane(v);
        }
        const uint32_t sign = band->coef_bytes == 2 ? 0x8000u : 0x80000000u;
        set_value(w & (sign - 1), (w & sign) != 0, band->half_step, v);
        return v;
    }
};

/* What columns say, by the parity of the row, and rows by that of the column. */
struct addresses {
    uint64_t column[2][COLS], row[2][ROWS];
};

/* By all threads of the block. x0, y0: of the tile with its room, even. */
__device__ __forceinline__ void open_addresses(const wvl_cuda_inverse_split &split, int64_t x0, int64_t y0,
                                               addresses &at)
{
    const uint32_t t = threadIdx.x,
                   shift = split.levels != WVL_CUDA_PLAIN; /* of coordinates: else all of it is the low-low band */
    const uint32_t x = fold(x0 + t, split.rect.x0, split.rect.x1) >> shift;
    source from;
#pragma unroll
    for (uint32_t odd = 0; odd < 2; odd++) {
        from.open(split, t & 1, odd);
        at.column[odd][t] = from.column(x);
    }
    if (t < 2 * ROWS) {
        const uint32_t k = t / 2;
        from.open(split, t & 1, k & 1);
        at.row[t & 1][k] = from.row(fold(y0 + k, split.rect.y0, split.rect.y1) >> shift);
    }
    __syncthreads();
}

/* From global memory, which the compiler cannot know. */
__device__ __forceinline__ uint32_t load(uint64_t at, bool narrow)
{
    uint32_t w;
    if (narrow) {
        uint16_t half;
        asm volatile("ld.global.u16 %0, [%1];" : "=h"(half) : "l"(at));
        w = half;
    } else {
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(w) : "l"(at));
    }
    return w;
}

/* A signal of one sample is not filtered: an odd one is halved in 5/3 (F.3.6); in 9/7 the step holds the half. */
__device__ __forceinline__ int32_t halve(int32_t x) { return x / 2; }
__device__ __forceinline__ float halve(float x) { return x; }

template <int N, class T> __device__ __forceinline__ void halve_all(T (&v)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++) {
        v[i] = halve(v[i]);
    }
}

/* Rows FIRST, FIRST + 2, ... of a column, as far as both neighbours are there. */
template <int FIRST, class T, class F> __device__ __forceinline__ void lift_column(T (&v)[ROWS], F lift)
{
#pragma unroll
    for (int i = FIRST; i + 1 < ROWS; i += 2) {
        v[i] = lift(v[i], v[i - 1], v[i + 1]);
    }
}

__device__ __forceinline__ void join_column(int32_t (&v)[ROWS])
{
    lift_column<2>(v, [](int32_t x, int32_t a, int32_t b) { return wvl_inverse53_low(x, a, b); });
    lift_column<3>(v, [](int32_t x, int32_t a, int32_t b) { return wvl_inverse53_high(x, a, b); });
}

__device__ __forceinline__ void join_column(float (&v)[ROWS])
{
    lift_column<2>(v, [](float x, float a, float b) { return wvl_lift97_step(-WVL_LIFT97_DELTA, a, b, x); });
    lift_column<3>(v, [](float x, float a, float b) { return wvl_lift97_step(-WVL_LIFT97_GAMMA, a, b, x); });
    lift_column<4>(v, [](float x, float a, float b) { return wvl_lift97_step(-WVL_LIFT97_BETA, a, b, x); });
    lift_column<5>(v, [](float x, float a, float b) { return wvl_lift97_step(-WVL_LIFT97_ALPHA, a, b, x); });
}

/* A warp's rows from `first` on, lifted across: the outermost lanes hold nothing of use then. */
template <class T>
__device__ __forceinline__ void join_across(const wvl_cuda_inverse_split &split, const addresses &at, int first,
                                            T (*to)[COLS])
{
    const int column = 4 * (int)(threadIdx.x & 31);
    uint32_t w[4][EACH]; /* by parities: of the column, and twice that of the row */
    T v[4][EACH];
    source from;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        from.open(split, k & 1, k >> 1);
        const bool narrow = from.narrow();
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const uint64_t sample =
                at.column[k >> 1][column + (k & 1) + 2 * (i & 1)] + at.row[k & 1][first + (i & ~1) + (k >> 1)];
            w[k][i] = load(sample, narrow);
        }
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        from.open(split, k & 1, k >> 1);
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            v[k][i] = from.template value<T>(w[k][i]);
        }
    }
#pragma unroll
    for (int i = 0; i < EACH; i += 2) {
        T a[4] = {v[0][i], v[1][i], v[0][i + 1], v[1][i + 1]}, b[4] = {v[2][i], v[3][i], v[2][i + 1], v[3][i + 1]};
        if (split.levels != WVL_CUDA_PLAIN && split.rect.x1 - split.rect.x0 > 1) {
            join_rows<4>(a, b, false, false);
        } else if (split.levels != WVL_CUDA_PLAIN && (split.rect.x0 & 1)) {
            halve_all(a);
            halve_all(b);
        }
#pragma unroll
        for (int j = 0; j < 4; j++) {
            to[i][column + j] = a[j];
            to[i + 1][column + j] = b[j];
        }
    }
}

template <class T> __device__ void run_tile(const wvl_cuda_inverse_split *splits, const wvl_cuda_item *items)
{
    __shared__ alignas(16) T rows[ROWS][COLS];
    __shared__ addresses at;
    __shared__ wvl_cuda_inverse_split
        split; /* asked for all at once: its members would be fetched one after the other */
    const wvl_cuda_item item = items[blockIdx.x];
    for (unsigned i = threadIdx.x; i < sizeof split / 4; i += WVL_CUDA_BACK_JOIN_THREADS) {
        ((uint32_t *)&split)[i] = ((const uint32_t *)&splits[item.split])[i];
    }
    __syncthreads();
    const wvl_rect r = split.rect;
    const int first = threadIdx.x / 32 * EACH;
    const int64_t x0 = (int64_t)(r.x0 & ~1u) + (int64_t)item.x * WIDTH - ROOM,
                  y0 = (int64_t)(r.y0 & ~1u) + (int64_t)item.y * HEIGHT - ROOM;
    open_addresses(split, x0, y0, at);
    wait_for_launch_in_front();
    join_across<T>(split, at, first, rows + first);
    __syncthreads();
    T v[ROWS];
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        v[i] = rows[i][threadIdx.x];
    }
    if (split.levels != WVL_CUDA_PLAIN && r.y1 - r.y0 > 1) {
        join_column(v);
    } else if (split.levels != WVL_CUDA_PLAIN && (r.y0 & 1)) {
        halve_all(v);
    }
    const int64_t x = x0 + (int)threadIdx.x;
    if ((int)threadIdx.x < ROOM || (int)threadIdx.x >= COLS - ROOM || x < r.x0 || x >= r.x1) {
        return;
    }
    uint64_t to = split.out.data + (uint64_t)(x - split.out.x0) * 4 +
                  (y0 + ROOM - (int64_t)split.out.y0) * (int64_t)split.out.pitch_bytes;
#pragma unroll
    for (int i = 0; i < HEIGHT; i++) {
        const int64_t y = y0 + ROOM + i;
        store_words((uint8_t *)to, y >= r.y0 && y < r.y1, raw_bits(to_plane(v[ROOM + i])));
        to += split.out.pitch_bytes;
    }
}

/* ---- Planes to pixels ------------------------------------------------------------------------ */

constexpr int TILE_WIDTH = WVL_CUDA_BACK_TILE_WIDTH, TILE_HEIGHT = WVL_CUDA_BACK_TILE_HEIGHT;

__device__ __forceinline__ int32_t stored(const wvl_cuda_pixels &p, int32_t v)
{
    int64_t shifted = (int64_t)v + p.half, top = (int64_t)(1u << p.depth) - 1;
    return (int32_t)((shifted < 0 ? 0 : shifted > top ? top : shifted) - p.bias);
}

__device__ __forceinline__ int32_t stored(const wvl_cuda_pixels &p, float v)
{
    return (int32_t)(wvl_inverse_store(v, wvl_inverse_set_scale(p.depth, p.half)) - p.bias);
}

/* Pixels need no alignment. */
__device__ __forceinline__ void put_stored(const wvl_cuda_pixels &p, uint32_t x, uint32_t y, int32_t v)
{
    uint8_t *row = (uint8_t *)p.data + (int64_t)(y - p.y0) * p.pitch_bytes;
    uint64_t at = p.first + (uint64_t)(x - p.x0) * p.stride;
    const int bytes = p.container == WVL_SAMPLE_8 ? 1 : p.container == WVL_SAMPLE_16 ? 2 : 4;
    for (int i = 0; i < bytes; i++) {
        row[at * bytes + i] = (uint8_t)((uint32_t)v >> (8 * i));
    }
}

__device__ __forceinline__ void undo_color(int32_t (&v)[3]) { wvl_inverse_rct(&v[0], &v[1], &v[2]); }
__device__ __forceinline__ void undo_color(float (&v)[3]) { wvl_inverse_ict(&v[0], &v[1], &v[2]); }

template <class T> __device__ void run_pixels(const wvl_cuda_inverse_split *splits, const wvl_cuda_item *items)
{
    const wvl_cuda_item item = items[blockIdx.x];
    const wvl_cuda_inverse_split *split = &splits[item.split];
    const wvl_rect r = split->rect;
    wait_for_launch_in_front();
    for (int i = threadIdx.x; i < TILE_WIDTH * TILE_HEIGHT; i += blockDim.x) {
        uint64_t x = (uint64_t)item.x * TILE_WIDTH + (uint32_t)(i % TILE_WIDTH);
        uint64_t y = (uint64_t)item.y * TILE_HEIGHT + (uint32_t)(i / TILE_WIDTH);
        if (x < r.x0 || x >= r.x1 || y < r.y0 || y >= r.y1) {
            continue;
        }
        if (split->parts == 1) {
            put_stored(split->pixels, (uint32_t)x, (uint32_t)y,
                       stored(split->pixels, from_plane(*plane_at<const T>(split->in, (uint32_t)x, (uint32_t)y))));
            continue;
        }
        T v[3];
        for (int c = 0; c < 3; c++) {
            v[c] = from_plane(*plane_at<const T>(split[c].in, (uint32_t)x, (uint32_t)y));
        }
        undo_color(v);
        for (int c = 0; c < 3; c++) {
            put_stored(split[c].pixels, (uint32_t)x, (uint32_t)y, stored(split[c].pixels, v[c]));
        }
    }
}

} // namespace back

#endif
