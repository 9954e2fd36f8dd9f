/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One level of any shape: coefficients and the low-low plane in, the next plane out; and planes to pixels of any container.
 *
 * Runs: WVL_CUDA_BACK_TILE_THREADS threads a tile of 64 x 32 samples of the resolution on the absolute grid, or up to four times as many where tiles
 * are few (inverse_launch.c); 12 KiB of shared memory with the room of four samples around it, 38 registers (planes to pixels: 32 and 42, none).
 * Bytes a sample: coefficient, + 1 for the low-low plane, + 4.
 * Symmetric extension is a matter of folded addresses: it keeps parity, so a low sample is extended by low ones.
 */
#include "cuda/block/order.cuh"
#include "cuda/inverse_job.h"
#include "cuda/inverse_ops.h"
#include "cuda/inverse_tuning.h"

namespace back {

constexpr int ROOM = WVL_CUDA_BACK_TILE_ROOM, WIDTH = WVL_CUDA_BACK_TILE_WIDTH, HEIGHT = WVL_CUDA_BACK_TILE_HEIGHT;
constexpr int COLS = WIDTH + 2 * ROOM, ROWS = HEIGHT + 2 * ROOM, PITCH = COLS + 1;

template <class T> struct tile { T at[ROWS * PITCH]; };

/* Whole-sample symmetric extension (F.3.7) of any index; a signal of one sample repeats. */
__device__ __forceinline__ uint32_t fold(int64_t at, uint32_t first, uint32_t end)
{
    int64_t offset = at - (int64_t)first, last = (int64_t)end - first - 1, period = 2 * last;
    if (offset >= 0 && offset <= last) {
        return (uint32_t)at;
    }
    if (!last) {
        return first;
    }
    int64_t folded = offset % period;
    folded = folded < 0 ? folded + period : folded;
    return first + (uint32_t)(folded <= last ? folded : period - folded);
}

__device__ __forceinline__ void set_value(uint32_t m, bool negative, float, int32_t &v) { v = negative ? -(int32_t)m : (int32_t)m; }
__device__ __forceinline__ void set_value(uint32_t m, bool negative, float half_step, float &v)
{
    v = wvl_inverse_magnitude(m, half_step);
    v = negative ? -v : v;
}

/* The coefficient at (x, y) of the band's own grid: wvl_coef_at() with addresses. */
template <class T> __device__ T read_coefficient(const wvl_cuda_inverse_band &band, uint32_t x, uint32_t y)
{
    uint32_t col = (x >> band.xcb) - band.block_x0, row = (y >> band.ycb) - band.block_y0;
    uint32_t left = col ? x >> band.xcb << band.xcb : band.rect.x0, top = row ? y >> band.ycb << band.ycb : band.rect.y0;
    uint64_t at = band.samples + row * band.row_bytes + (uint64_t)col * band.slot_bytes +
                  ((uint64_t)(y - top) * band.slot_width + (x - left)) * band.coef_bytes;
    uint32_t w = band.coef_bytes == 2 ? *(const uint16_t *)at : *(const uint32_t *)at, sign = band.coef_bytes == 2 ? 0x8000u : 0x80000000u;
    T v;
    set_value(w & (sign - 1), (w & sign) != 0, band.half_step, v);
    return v;
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

/* The sample of the interleaved bands at (x, y) of the resolution. */
template <class T> __device__ __forceinline__ T read_interleaved(const wvl_cuda_inverse_job &job, uint32_t x, uint32_t y)
{
    uint32_t orient = (x & 1) | (y & 1) << 1;
    return orient == WVL_BAND_LL && job.in.data ? from_plane(*plane_at<const T>(job.in, x / 2, y / 2))
                                                : read_coefficient<T>(job.band[orient], x / 2, y / 2);
}

/* What there is of a tile, with the room around: columns and rows of it from the even ones `col` and `row` on. */
struct extent { int col, row, cols, rows; };

/* Every second line from `first`: lines of `step` elements apart, `count` of them, each `across` long with elements `element` apart. The first
 * has an even coordinate: odd lines are high. */
template <class T, class F> __device__ void lift_back(T *at, int first, int count, int step, int across, int element, F lift)
{
    int lines = (count - first) / 2; /* the last line has no neighbour beyond it */
#pragma unroll 1
    for (int i = threadIdx.x; i < lines * across; i += blockDim.x) {
        int k = i / across, j = i - k * across;
        T *p = at + (first + 2 * k) * step + j * element;
        *p = lift(*p, p[-step], p[step]);
    }
    __syncthreads();
}

__device__ __noinline__ void join_axis(int32_t *at, int count, int step, int across, int element)
{
    lift_back(at, 2, count, step, across, element, [](int32_t x, int32_t a, int32_t b) { return wvl_inverse53_low(x, a, b); });
    lift_back(at, 3, count, step, across, element, [](int32_t x, int32_t a, int32_t b) { return wvl_inverse53_high(x, a, b); });
}

__device__ __noinline__ void join_axis(float *at, int count, int step, int across, int element)
{
    lift_back(at, 2, count, step, across, element, [](float x, float a, float b) { return wvl_lift97_step(-WVL_LIFT97_DELTA, a, b, x); });
    lift_back(at, 3, count, step, across, element, [](float x, float a, float b) { return wvl_lift97_step(-WVL_LIFT97_GAMMA, a, b, x); });
    lift_back(at, 4, count, step, across, element, [](float x, float a, float b) { return wvl_lift97_step(-WVL_LIFT97_BETA, a, b, x); });
    lift_back(at, 5, count, step, across, element, [](float x, float a, float b) { return wvl_lift97_step(-WVL_LIFT97_ALPHA, a, b, x); });
}

/* A signal of one sample is not filtered: an odd one is halved in 5/3 (F.3.6); in 9/7 the step holds the half. */
__device__ __forceinline__ int32_t halve(int32_t x) { return x / 2; }
__device__ __forceinline__ float halve(float x) { return x; }

template <class T> __device__ void halve_tile(tile<T> &s)
{
    for (int i = threadIdx.x; i < ROWS * COLS; i += blockDim.x) {
        T *p = &s.at[i / COLS * PITCH + i % COLS];
        *p = halve(*p);
    }
    __syncthreads();
}

template <class T> __device__ void join_tile(tile<T> &s, const wvl_rect &rect, const extent &e)
{
    T *at = &s.at[e.row * PITCH + e.col];
    if (rect.x1 - rect.x0 > 1) {
        join_axis(at, e.cols, 1, e.rows, PITCH);
    } else if (rect.x0 & 1) {
        halve_tile(s);
    }
    if (rect.y1 - rect.y0 > 1) {
        join_axis(at, e.rows, PITCH, e.cols, 1);
    } else if (rect.y0 & 1) {
        halve_tile(s);
    }
}

__device__ __forceinline__ extent tile_extent(const wvl_rect &r, int64_t x0, int64_t y0)
{
    extent e;
    e.col = (int)max((int64_t)r.x0 - x0, (int64_t)0) & ~1;
    e.row = (int)max((int64_t)r.y0 - y0, (int64_t)0) & ~1;
    e.cols = (int)min((int64_t)r.x1 - x0, (int64_t)WIDTH) - e.col + 2 * ROOM;
    e.rows = (int)min((int64_t)r.y1 - y0, (int64_t)HEIGHT) - e.row + 2 * ROOM;
    return e;
}

/* Code is fetched anew for every picture: loops are short rather than unrolled. */
template <class T> __device__ void run_tile(const wvl_cuda_inverse_job *jobs, const wvl_cuda_item *items)
{
    __shared__ tile<T> s;
    __shared__ wvl_cuda_inverse_job job; /* asked for all at once: its members would be fetched one after the other */
    const wvl_cuda_item item = items[blockIdx.x];
    for (unsigned i = threadIdx.x; i < sizeof job / 4; i += blockDim.x) {
        ((uint32_t *)&job)[i] = ((const uint32_t *)&jobs[item.job])[i];
    }
    __syncthreads();
    wait_for_launch_in_front();
    const wvl_rect r = job.rect;
    const int64_t x0 = (int64_t)item.x * WIDTH, y0 = (int64_t)item.y * HEIGHT;
    const extent e = tile_extent(r, x0, y0);
#pragma unroll 4
    for (int i = threadIdx.x; i < e.rows * e.cols; i += blockDim.x) {
        int k = i / e.cols, row = e.row + k, col = e.col + i - k * e.cols;
        uint32_t x = fold(x0 + col - ROOM, r.x0, r.x1), y = fold(y0 + row - ROOM, r.y0, r.y1);
        s.at[row * PITCH + col] = job.levels == WVL_CUDA_PLAIN ? read_coefficient<T>(job.band[WVL_BAND_LL], x, y)
                                                               : read_interleaved<T>(job, x, y);
    }
    __syncthreads();
    if (job.levels != WVL_CUDA_PLAIN) {
        join_tile(s, r, e);
    }
#pragma unroll 1
    for (int i = threadIdx.x; i < (e.rows - 2 * ROOM) * (e.cols - 2 * ROOM); i += blockDim.x) {
        int k = i / (e.cols - 2 * ROOM), row = e.row + k, col = e.col + i - k * (e.cols - 2 * ROOM);
        int64_t x = x0 + col, y = y0 + row;
        if (x >= r.x0 && y >= r.y0) {
            *plane_at<T>(job.out, (uint32_t)x, (uint32_t)y) = to_plane(s.at[(ROOM + row) * PITCH + ROOM + col]);
        }
    }
}

/* ---- Planes to pixels -------------------------------------------------------------------------------------------------------------- */

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

template <class T> __device__ void run_pixels(const wvl_cuda_inverse_job *jobs, const wvl_cuda_item *items)
{
    const wvl_cuda_item item = items[blockIdx.x];
    const wvl_cuda_inverse_job *job = &jobs[item.job];
    const wvl_rect r = job->rect;
    wait_for_launch_in_front();
    for (int i = threadIdx.x; i < WIDTH * HEIGHT; i += blockDim.x) {
        uint64_t x = (uint64_t)item.x * WIDTH + (uint32_t)(i % WIDTH);
        uint64_t y = (uint64_t)item.y * HEIGHT + (uint32_t)(i / WIDTH);
        if (x < r.x0 || x >= r.x1 || y < r.y0 || y >= r.y1) {
            continue;
        }
        if (job->parts == 1) {
            put_stored(job->pixels, (uint32_t)x, (uint32_t)y, stored(job->pixels, from_plane(*plane_at<const T>(job->in, (uint32_t)x, (uint32_t)y))));
            continue;
        }
        T v[3];
        for (int c = 0; c < 3; c++) {
            v[c] = from_plane(*plane_at<const T>(job[c].in, (uint32_t)x, (uint32_t)y));
        }
        undo_color(v);
        for (int c = 0; c < 3; c++) {
            put_stored(job[c].pixels, (uint32_t)x, (uint32_t)y, stored(job[c].pixels, v[c]));
        }
    }
}

} // namespace back

#define BACK(name, run)                                                                                                                       \
    extern "C" __global__ void __launch_bounds__(WVL_CUDA_BACK_TILE_THREADS_MAX) name(const wvl_cuda_inverse_job *jobs, const wvl_cuda_item *items) \
    {                                                                                                                                         \
        back::run(jobs, items);                                                                                                               \
    }

BACK(wvl_back_any53, run_tile<int32_t>)
BACK(wvl_back_any97, run_tile<float>)
BACK(wvl_back_pixels53, run_pixels<int32_t>)
BACK(wvl_back_pixels97, run_pixels<float>)
