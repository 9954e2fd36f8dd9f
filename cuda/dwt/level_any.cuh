/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One level of any shape, or all that are left of a small picture: pixels or a plane in, coefficients, block bounds and
 * the next plane out.
 *
 * Runs: WVL_CUDA_TILE_THREADS threads a tile of 120 x 16 samples of the resolution, 12 KiB of shared memory for rows
 * and 3 KiB for the split. First a thread takes a column, 23 samples of it in registers, and lifts down; then, behind
 * one barrier, half a warp takes a row, each lane eight samples and the four around them, and lifts across. The room of
 * four samples around a tile makes 1.07 x 1.44 loads of every sample; neighbours find theirs in L1 and L2. Bytes a
 * sample from pixels: container + 2 or 4 a coefficient + 1 for the low-low plane. Symmetric extension of the samples is
 * extension of every lifting step bit by bit (dwt/lift_ops.h), so edges need nothing but folded addresses. 70 and 72
 * registers, 6 thread blocks a multiprocessor, no spills. All levels of an 8192 x 8192 picture of 8 bits by it alone:
 * 14 and 12 % of the convert ceiling on an H200 (the fused kernels: 57 and 51 %).
 */
#ifndef WVL_CUDA_DWT_LEVEL_ANY_CUH
#define WVL_CUDA_DWT_LEVEL_ANY_CUH

#include "cuda/core/order.cuh"
#include "cuda/core/reflect.h"
#include "cuda/dwt/block/lift.cuh"
#include "cuda/dwt/block/load.cuh"
#include "cuda/dwt/block/pack.cuh"
#include "cuda/dwt/block/store.cuh"
#include "cuda/dwt/tuning.h"
#include "dwt/lift_ops.h"
#include "dwt/scheme.h"

namespace any_shape
{

constexpr int ROOM = 4, COLS = 128, THREADS = WVL_CUDA_TILE_THREADS, CORE_ROWS = WVL_CUDA_TILE_HEIGHT;
constexpr int SPAN_ROWS = CORE_ROWS + 2 * ROOM - 1; /* nothing needs the last row of the room */
constexpr int RUN = 8, RUNS = 16; /* samples that a lane lifts across; lanes a row, the last one has only room */
/* Blocks of 4 x 4 in the tile of a band that is not split off but kept whole; as many as three bands of a split one. */
constexpr int BLOCK_COLS = WVL_CUDA_TILE_WIDTH / 4, BLOCKS = BLOCK_COLS * (CORE_ROWS / 4);

template <class T> struct tile {
    T at[(CORE_ROWS + 2 * ROOM) * COLS];
    uint32_t bound[BLOCKS];
    uint32_t row[SPAN_ROWS];      /* folded */
    int64_t offset[3][SPAN_ROWS]; /* of the row, in the plane or the pixels of each component */
    wvl_cuda_split split;
};

/* Lifts CORE samples from v[ROOM] on; v[0] is even. */
template <int CORE> __device__ __forceinline__ void lift_span(int32_t (&v)[CORE + 2 * ROOM - 1])
{
#pragma unroll
    for (int i = 3; i < CORE + 4; i += 2) {
        v[i] = wvl_lift53_high(v[i], v[i - 1], v[i + 1]);
    }
#pragma unroll
    for (int i = 4; i < CORE + 3; i += 2) {
        v[i] = wvl_lift53_low(v[i], v[i - 1], v[i + 1]);
    }
}

template <int CORE> __device__ __forceinline__ void lift_span(float (&v)[CORE + 2 * ROOM - 1])
{
#pragma unroll
    for (int i = 1; i < CORE + 6; i += 2) {
        v[i] = wvl_lift97_step(WVL_LIFT97_ALPHA, v[i - 1], v[i + 1], v[i]);
    }
#pragma unroll
    for (int i = 2; i < CORE + 5; i += 2) {
        v[i] = wvl_lift97_step(WVL_LIFT97_BETA, v[i - 1], v[i + 1], v[i]);
    }
#pragma unroll
    for (int i = 3; i < CORE + 4; i += 2) {
        v[i] = wvl_lift97_step(WVL_LIFT97_GAMMA, v[i - 1], v[i + 1], v[i]);
    }
#pragma unroll
    for (int i = 4; i < CORE + 3; i += 2) {
        v[i] = wvl_lift97_step(WVL_LIFT97_DELTA, v[i - 1], v[i + 1], v[i]);
    }
}

/* A signal of one sample is not filtered: an odd one doubles in 5/3 (F.4.8.1); in 9/7 the reciprocal holds the 2. */
template <int N> __device__ __forceinline__ void double_span(int32_t (&v)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++) {
        v[i] *= 2;
    }
}
template <int N> __device__ __forceinline__ void double_span(float (&)[N]) {}

/* [first, end): the axis of the resolution. */
template <int CORE, class T>
__device__ __forceinline__ void split_span(T (&v)[CORE + 2 * ROOM - 1], uint32_t first, uint32_t end)
{
    if (end - first > 1) {
        lift_span<CORE>(v);
    } else if (first & 1) {
        double_span(v);
    }
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* Finds where the rows around the tile at y0 lie. */
template <class T> __device__ __forceinline__ void find_rows(tile<T> &s, uint32_t y0)
{
    const int i = threadIdx.x & 31, c = threadIdx.x / 32;
    if (i < SPAN_ROWS && c < 3) {
        const uint32_t y = wvl_cuda_reflect_near((int64_t)y0 - ROOM + i, s.split.rect.y0, s.split.rect.y1);
        s.row[i] = y;
        s.offset[c][i] = s.split.from_pixels ? (int64_t)(y - s.split.pixels[c].y0) * s.split.pixels[c].pitch_bytes
                                             : (int64_t)((y - s.split.in.y0) * s.split.in.pitch_bytes);
    }
    __syncthreads();
}

template <class S, class T>
__device__ __forceinline__ void fetch_samples(T (&v)[SPAN_ROWS], const tile<T> &s, uint32_t x)
{
    const uint8_t *at = (const uint8_t *)s.split.in.data + (uint64_t)(x - s.split.in.x0) * sizeof(S);
#pragma unroll
    for (int i = 0; i < SPAN_ROWS; i++) {
        v[i] = *(const S *)(at + s.offset[0][i]);
    }
}

__device__ __forceinline__ void fetch_plane(int32_t (&v)[SPAN_ROWS], const tile<int32_t> &s, uint32_t x)
{
    if (s.split.in.narrow) {
        fetch_samples<int16_t>(v, s, x);
    } else {
        fetch_samples<int32_t>(v, s, x);
    }
}

__device__ __forceinline__ void fetch_plane(float (&v)[SPAN_ROWS], const tile<float> &s, uint32_t x)
{
    fetch_samples<float>(v, s, x);
}

__device__ __forceinline__ bool is_whole(const wvl_cuda_pixels &p, const wvl_cuda_pixels &like)
{
    return !p.is_signed && p.container == like.container &&
           (p.container == WVL_SAMPLE_8 || (p.container == WVL_SAMPLE_16 && !((p.data | (uint64_t)p.pitch_bytes) & 1)));
}

/* Whole containers of one kind: 8 bits, or 16 aligned ones. */
template <class C> struct container_column {
    const uint8_t *at;
    __device__ __forceinline__ void open(const wvl_cuda_pixels &p, uint32_t x)
    {
        at = (const uint8_t *)p.data + (p.first + (uint64_t)(x - p.x0) * p.stride) * sizeof(C);
    }
    __device__ __forceinline__ int32_t fetch(const wvl_cuda_pixels &p, int64_t offset, uint32_t &seen) const
    {
        uint32_t v = *(const C *)(at + offset);
        seen |= v;
        return (int32_t)(v - p.half);
    }
};

template <class C, class T>
__device__ __forceinline__ uint32_t fetch_gray(T (&v)[SPAN_ROWS], const tile<T> &s, uint32_t x)
{
    const wvl_cuda_split &split = s.split;
    container_column<C> column;
    uint32_t seen = 0;
    column.open(split.pixels[0], x);
#pragma unroll
    for (int i = 0; i < SPAN_ROWS; i++) {
        v[i] = (T)column.fetch(split.pixels[0], s.offset[0][i], seen);
    }
    return seen >> split.pixels[0].depth;
}

/* The colour transform and any container go by way of the shared rows, where a thread reads what it wrote: fewer
 * registers, code once. */
template <class T> __device__ __forceinline__ void fetch_shared(T (&v)[SPAN_ROWS], const tile<T> &s)
{
#pragma unroll
    for (int i = 0; i < SPAN_ROWS; i++) {
        v[i] = s.at[i * COLS + threadIdx.x];
    }
}

template <class C, class T> __device__ __forceinline__ uint32_t fetch_color(T (&v)[SPAN_ROWS], tile<T> &s, uint32_t x)
{
    const wvl_cuda_split &split = s.split;
    container_column<C> column[3];
    uint32_t seen[3] = {0, 0, 0};
#pragma unroll
    for (int c = 0; c < 3; c++) {
        column[c].open(split.pixels[c], x);
    }
#pragma unroll 6
    for (int i = 0; i < SPAN_ROWS; i++) {
        int32_t a = column[0].fetch(split.pixels[0], s.offset[0][i], seen[0]),
                b = column[1].fetch(split.pixels[1], s.offset[1][i], seen[1]);
        put_color(split, a, b, column[2].fetch(split.pixels[2], s.offset[2][i], seen[2]),
                  &s.at[i * COLS + threadIdx.x]);
    }
    fetch_shared(v, s);
    return seen[0] >> split.pixels[0].depth | seen[1] >> split.pixels[1].depth | seen[2] >> split.pixels[2].depth;
}

template <class C, class T> __device__ __forceinline__ uint32_t fetch_whole(T (&v)[SPAN_ROWS], tile<T> &s, uint32_t x)
{
    return s.split.mct_part ? fetch_color<C>(v, s, x) : fetch_gray<C>(v, s, x);
}

template <class T>
__device__ __noinline__ T load_one(const wvl_cuda_split &split, uint32_t x, uint32_t y, uint32_t &outside)
{
    return load_pixel<T>(split, x, y, outside);
}

template <class T> __device__ __forceinline__ uint32_t fetch_any(T (&v)[SPAN_ROWS], tile<T> &s, uint32_t x)
{
    uint32_t outside = 0;
#pragma unroll 1
    for (int i = 0; i < SPAN_ROWS; i++) {
        s.at[i * COLS + threadIdx.x] = load_one<T>(s.split, x, s.row[i], outside);
    }
    fetch_shared(v, s);
    return outside;
}

/* Lifts the column at x0 - ROOM + thread and leaves its core in the shared rows. */
template <class T> __device__ __forceinline__ void split_column(tile<T> &s, uint32_t x0)
{
    const wvl_cuda_split &split = s.split;
    const wvl_rect rect = split.rect;
    int64_t at = (int64_t)x0 - ROOM + threadIdx.x;
    uint32_t x = wvl_cuda_reflect_near(at < (int64_t)rect.x1 + ROOM ? at : (int64_t)rect.x1 - 1, rect.x0, rect.x1),
             outside = 0;
    T v[SPAN_ROWS];
    if (!split.from_pixels) {
        fetch_plane(v, s, x);
    } else if (is_whole(split.pixels[0], split.pixels[0]) &&
               (!split.mct_part ||
                (is_whole(split.pixels[1], split.pixels[0]) && is_whole(split.pixels[2], split.pixels[0])))) {
        outside =
            split.pixels[0].container == WVL_SAMPLE_8 ? fetch_whole<uint8_t>(v, s, x) : fetch_whole<uint16_t>(v, s, x);
    } else {
        outside = fetch_any(v, s, x);
    }
    if (outside) {
        atomicOr((uint32_t *)split.outside, 1u);
    }
    if (split.levels != WVL_CUDA_PLAIN) {
        split_span<CORE_ROWS>(v, rect.y0, rect.y1);
    }
#pragma unroll
    for (int i = 0; i < CORE_ROWS; i++) {
        s.at[i * COLS + threadIdx.x] = v[ROOM + i];
    }
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Blocks below 4 x 4, which tiny precincts make, have no place in the tile's table. */
__device__ __forceinline__ bool has_tiny_blocks(const wvl_cuda_band &band) { return band.xcb < 2 || band.ycb < 2; }

/* What is rare stands apart, so that the rest is short. */
__device__ __noinline__ uint32_t put_one(const wvl_cuda_band &band, uint32_t x, uint32_t y, uint32_t magnitude,
                                         bool negative)
{
    if (x < band.rect.x0 || x >= band.rect.x1) {
        return 0;
    }
    put_sample(band, x, y, magnitude, negative);
    if (has_tiny_blocks(band)) {
        atomicOr(block_bound(band, x, y), magnitude);
        return 0;
    }
    return magnitude;
}

__device__ __noinline__ uint32_t deep_magnitude(float v, float r) { return wvl_quant_magnitude(v, r); }

__device__ __forceinline__ void find_magnitudes(const wvl_cuda_band &, const int32_t (&v)[4], uint32_t (&m)[4])
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        m[i] = (uint32_t)abs(v[i]);
    }
}

__device__ __forceinline__ void find_magnitudes(const wvl_cuda_band &band, const float (&v)[4], uint32_t (&m)[4])
{
    const bool deep = band.deep;
    const float r = band.reciprocal;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        m[i] = deep ? deep_magnitude(v[i], r) : magic_magnitude(v[i], r) & 0x7fffffu;
    }
}

/* Four coefficients of a row of a band, those inside it. Returns the OR of their magnitudes, unless they have gone to
 * their blocks. */
template <class T>
__device__ __forceinline__ uint32_t put_four(const wvl_cuda_band &band, uint32_t x, uint32_t y, const T (&v)[4])
{
    uint32_t m[4];
    if (y < band.rect.y0 || y >= band.rect.y1 || x + 4 <= band.rect.x0 || x >= band.rect.x1) {
        return 0;
    }
    find_magnitudes(band, v, m);
    const bool full = x >= band.rect.x0 && x + 4 <= band.rect.x1 && !has_tiny_blocks(band);
    const uint64_t to = full ? band_address(band, x, y) : 1;
    if (to & (4u * band.coef_bytes - 1)) {
        uint32_t bound = 0;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            bound |= put_one(band, x + i, y, m[i], v[i] < 0);
        }
        return bound;
    }
    if (band.coef_bytes == 2) {
        *(uint2 *)to = make_uint2(wvl_quant_sign16(m[0], v[0] < 0) | (uint32_t)wvl_quant_sign16(m[1], v[1] < 0) << 16,
                                  wvl_quant_sign16(m[2], v[2] < 0) | (uint32_t)wvl_quant_sign16(m[3], v[3] < 0) << 16);
    } else {
        *(uint4 *)to = make_uint4(wvl_quant_sign32(m[0], v[0] < 0), wvl_quant_sign32(m[1], v[1] < 0),
                                  wvl_quant_sign32(m[2], v[2] < 0), wvl_quant_sign32(m[3], v[3] < 0));
    }
    return m[0] | m[1] | m[2] | m[3];
}

__device__ __forceinline__ uint32_t sample_bits(int32_t v) { return (uint32_t)v; }
__device__ __forceinline__ uint32_t sample_bits(float v) { return __float_as_uint(v); }

template <class T>
__device__ __forceinline__ void put_low(const wvl_cuda_split &split, uint32_t x, uint32_t y, const T (&v)[4])
{
    const uint32_t x0 = (uint32_t)(((uint64_t)split.rect.x0 + 1) / 2),
                   y0 = (uint32_t)(((uint64_t)split.rect.y0 + 1) / 2);
    const uint32_t x1 = (uint32_t)(((uint64_t)split.rect.x1 + 1) / 2),
                   y1 = (uint32_t)(((uint64_t)split.rect.y1 + 1) / 2);
    const wvl_cuda_plane low = split.low;
    if (y < y0 || y >= y1 || x + 4 <= x0 || x >= x1) {
        return;
    }
    T *to = (T *)(low.data + (y - low.y0) * low.pitch_bytes) + (x - low.x0);
    if (x >= x0 && x + 4 <= x1) {
        *(uint4 *)to = make_uint4(sample_bits(v[0]), sample_bits(v[1]), sample_bits(v[2]), sample_bits(v[3]));
        return;
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if (x + i >= x0 && x + i < x1) {
            to[i] = v[i];
        }
    }
}

/* ORs `value` of the lanes of half a warp that share a block, which are neighbours, and leaves it in the tile's table
 * of bounds. */
__device__ __forceinline__ void keep_bound(uint32_t *table, uint32_t col, uint32_t value)
{
    const int lane = threadIdx.x & (RUNS - 1);
    uint32_t before = __shfl_up_sync(0xffffffffu, col, 1, RUNS);
#pragma unroll
    for (int d = 1; d < RUNS; d <<= 1) {
        uint32_t other = __shfl_down_sync(0xffffffffu, value, d, RUNS),
                 of = __shfl_down_sync(0xffffffffu, col, d, RUNS);
        value |= lane + d < RUNS && of == col ? other : 0;
    }
    if (value && (lane == 0 || before != col)) {
        atomicOr(&table[col], value);
    }
}

/* Bands of the row pair that a warp has: even rows hold LL and HL, odd ones LH and HH. */
template <class T>
__device__ __forceinline__ void put_split(tile<T> &s, const T (&v)[RUN + 2 * ROOM - 1], uint32_t x0, uint32_t y0,
                                          int row, int run)
{
    const wvl_cuda_split &split = s.split;
    const int odd = row & 1;
    const uint32_t x = x0 / 2 + (uint32_t)run * (RUN / 2), y = y0 / 2 + (uint32_t)(row >> 1);
    const T low[4] = {v[4], v[6], v[8], v[10]}, high[4] = {v[5], v[7], v[9], v[11]};
    const bool works = run < RUNS - 1;
    if (!odd && split.low.data && works) {
        put_low(split, x, y, low);
    }
#pragma unroll 1
    for (int h = 0; h < 2; h++) {
        const wvl_cuda_band &band = split.band[2 * odd + h];
        uint32_t bound = 0;
        if (works && band.samples) {
            const T four[4] = {h ? high[0] : low[0], h ? high[1] : low[1], h ? high[2] : low[2], h ? high[3] : low[3]};
            bound = put_four(band, x, y, four);
        }
        uint32_t *table =
            s.bound + (2 * odd + h) * BLOCK_COLS + ((y >> band.ycb) - ((y0 / 2) >> band.ycb)) * (BLOCK_COLS / 2);
        keep_bound(table, (x >> band.xcb) - ((x0 / 2) >> band.xcb), bound);
    }
}

/* A component without decomposition. */
template <class T>
__device__ __forceinline__ void put_whole(tile<T> &s, const T (&v)[RUN + 2 * ROOM - 1], uint32_t x0, uint32_t y0,
                                          int row, int run)
{
    const wvl_cuda_band &band = s.split.band[WVL_BAND_LL];
    const uint32_t y = y0 + (uint32_t)row;
#pragma unroll 1
    for (int h = 0; h < 2; h++) {
        const uint32_t x = x0 + (uint32_t)run * RUN + 4 * h;
        const T four[4] = {h ? v[8] : v[4], h ? v[9] : v[5], h ? v[10] : v[6], h ? v[11] : v[7]};
        uint32_t bound = run < RUNS - 1 ? put_four(band, x, y, four) : 0;
        keep_bound(s.bound + ((y >> band.ycb) - (y0 >> band.ycb)) * BLOCK_COLS, (x >> band.xcb) - (x0 >> band.xcb),
                   bound);
    }
}

template <class T> __device__ __forceinline__ void split_rows(tile<T> &s, uint32_t x0, uint32_t y0)
{
    const int run = threadIdx.x & (RUNS - 1);
#pragma unroll 1
    for (int row = threadIdx.x / RUNS; row < CORE_ROWS; row += THREADS / RUNS) {
        T v[RUN + 2 * ROOM - 1];
        const T *from = &s.at[row * COLS + wvl_min_u32(run, RUNS - 2) * RUN];
#pragma unroll
        for (int i = 0; i < RUN + 2 * ROOM - 1; i++) {
            v[i] = from[i];
        }
        if (s.split.levels == WVL_CUDA_PLAIN) {
            put_whole(s, v, x0, y0, row, run);
        } else {
            split_span<RUN>(v, s.split.rect.x0, s.split.rect.x1);
            put_split(s, v, x0, y0, row, run);
        }
    }
}

/* ---- Tiles ----------------------------------------------------------------------------------- */

template <class T> __device__ __forceinline__ void flush_bounds(const tile<T> &s, uint32_t x0, uint32_t y0)
{
    const bool whole = s.split.levels == WVL_CUDA_PLAIN;
    for (int i = threadIdx.x; i < BLOCKS; i += THREADS) {
        if (s.bound[i]) {
            int in_band = whole ? i : i % BLOCK_COLS, cols = whole ? BLOCK_COLS : BLOCK_COLS / 2;
            const wvl_cuda_band &band = s.split.band[whole ? WVL_BAND_LL : i / BLOCK_COLS];
            uint32_t bx = ((whole ? x0 : x0 / 2) >> band.xcb) + in_band % cols,
                     by = ((whole ? y0 : y0 / 2) >> band.ycb) + in_band / cols;
            atomicOr((uint32_t *)band.bounds + (uint64_t)(by - band.block_y0) * band.block_cols + (bx - band.block_x0),
                     s.bound[i]);
        }
    }
}

template <class T> __device__ __forceinline__ void run_tile(tile<T> &s, uint32_t x0, uint32_t y0)
{
    for (int i = threadIdx.x; i < BLOCKS; i += THREADS) {
        s.bound[i] = 0;
    }
    find_rows(s, y0);
    split_column(s, x0);
    __syncthreads();
    split_rows(s, x0, y0);
    __syncthreads();
    flush_bounds(s, x0, y0);
}

/* Asked for all at once: members would be fetched one after the other. */
template <class T> __device__ __forceinline__ void fetch_split(tile<T> &s, const wvl_cuda_split *split)
{
    for (unsigned i = threadIdx.x; i < sizeof *split / 4; i += THREADS) {
        ((uint32_t *)&s.split)[i] = ((const uint32_t *)split)[i];
    }
    __syncthreads();
}

/* One tile; or all tiles of a split whose resolution is small, and of the splits after it, which read what this thread
 * block wrote. One call of run_tile: instructions that miss the cache are what small levels wait for. */
template <class T>
__device__ __forceinline__ void run_item(const wvl_cuda_split *splits, const wvl_cuda_item *items, uint32_t only)
{
    __shared__ tile<T> s;
    wvl_cuda_item item = items[blockIdx.x];
    fetch_split(s, splits + split_of(item, only));
    wait_for_tile(s.split.front_flags, item);
    for (;;) {
        const wvl_rect rect = s.split.rect;
        const uint32_t x0 = rect.x0 & ~7u, y0 = rect.y0 & ~7u, x = item.x * WVL_CUDA_TILE_WIDTH, y = item.y * CORE_ROWS;
        run_tile(s, x0 + x, y0 + y);
        if (!s.split.chain) {
            break;
        }
        item.x++;
        if (item.x * WVL_CUDA_TILE_WIDTH >= rect.x1 - x0) {
            item.x = 0;
            item.y++;
        }
        bool ends = item.y * CORE_ROWS >= rect.y1 - y0;
        if (ends && s.split.chain == 1) {
            break;
        }
        __syncthreads();
        if (ends) {
            item.y = 0;
            fetch_split(s, splits + ++item.split);
        }
    }
    end_launch();
}

template <class ROW> __device__ __forceinline__ void run_any(LAUNCH_ARGUMENTS)
{
    typedef typename sample_type<ROW::reversible>::type T;
    static_assert(sizeof(tile<T>) == ROW::shared_bytes && ROW::threads == THREADS,
                  "the row says what the kernel takes");
    (void)asked;
    run_item<T>(splits, items, only);
}

} // namespace any_shape

#endif
