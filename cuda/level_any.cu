/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One level of any shape: pixels or a plane in, coefficients, block bounds and the next plane out.
 *
 * Runs: WVL_CUDA_TILE_THREADS threads a tile of 64 x 32 samples of the resolution on the absolute grid, 13 KiB of shared memory with the
 * room of four samples around it (1.41 times the samples are loaded; neighbours find them in L2). Bytes a sample from pixels: container
 * + 2 or 4 a coefficient + 1 for the low-low plane. Symmetric extension of the samples is extension of every lifting step bit by bit
 * (dwt/lift_ops.h), so edges need nothing but folded addresses.
 */
#include "cuda/block/load.cuh"
#include "cuda/block/store.cuh"
#include "cuda/tuning.h"
#include "dwt/lift_ops.h"
#include "dwt/scheme.h"

#define ROOM WVL_CUDA_TILE_ROOM
#define COLS (WVL_CUDA_TILE_WIDTH + 2 * ROOM)
#define ROWS (WVL_CUDA_TILE_HEIGHT + 2 * ROOM)
#define PITCH (COLS + 1)
#define THREADS WVL_CUDA_TILE_THREADS
/* Blocks of 4 x 4 in the tile of a band that is not split off but kept whole. */
#define BLOCKS ((WVL_CUDA_TILE_WIDTH / 4) * (WVL_CUDA_TILE_HEIGHT / 4))

template <class T> struct tile { T at[ROWS * PITCH]; uint32_t bound[BLOCKS]; };

template <class T> __device__ void fetch_tile(tile<T> &s, const wvl_cuda_job &job, int64_t x0, int64_t y0)
{
    uint32_t outside = 0;
    const wvl_rect rect = job.rect;
    if (job.from_pixels) {
        for (int i = threadIdx.x; i < ROWS * COLS; i += THREADS) {
            int row = i / COLS, col = i - row * COLS;
            s.at[row * PITCH + col] = load_pixel<T>(job, reflect(x0 + col, rect.x0, rect.x1), reflect(y0 + row, rect.y0, rect.y1), outside);
        }
    } else {
        const wvl_cuda_plane in = job.in;
#pragma unroll 4
        for (int i = threadIdx.x; i < ROWS * COLS; i += THREADS) {
            int row = i / COLS, col = i - row * COLS;
            uint32_t x = reflect(x0 + col, rect.x0, rect.x1), y = reflect(y0 + row, rect.y0, rect.y1);
            s.at[row * PITCH + col] = ((const T *)(in.data + (y - in.y0) * in.pitch_bytes))[x - in.x0];
        }
    }
    if (outside) {
        atomicOr((uint32_t *)job.outside, 1u);
    }
    __syncthreads();
}

/* Step n of lifting over every second line from ROOM - (steps - n) inwards: lines of `step` elements apart, `count` of them, each `across`
 * long with elements `element` apart. The tile starts at an even coordinate: odd lines are high. */
template <class T, class F> __device__ void lift_lines(tile<T> &s, int first, int count, int step, int across, int element, F lift)
{
    int lines = (count - first) / 2; /* the last line has no neighbour beyond it */
    for (int i = threadIdx.x; i < lines * across; i += THREADS) {
        int k = i / across, j = i - k * across;
        T *p = &s.at[(first + 2 * k) * step + j * element];
        *p = lift(*p, p[-step], p[step]);
    }
    __syncthreads();
}

__device__ void lift_axis(tile<int32_t> &s, int count, int step, int across, int element)
{
    lift_lines(s, 1, count, step, across, element, [](int32_t x, int32_t a, int32_t b) { return wvl_lift53_high(x, a, b); });
    lift_lines(s, 2, count, step, across, element, [](int32_t x, int32_t a, int32_t b) { return wvl_lift53_low(x, a, b); });
}

__device__ void lift_axis(tile<float> &s, int count, int step, int across, int element)
{
    lift_lines(s, 1, count, step, across, element, [](float x, float a, float b) { return wvl_lift97_step(WVL_LIFT97_ALPHA, a, b, x); });
    lift_lines(s, 2, count, step, across, element, [](float x, float a, float b) { return wvl_lift97_step(WVL_LIFT97_BETA, a, b, x); });
    lift_lines(s, 3, count, step, across, element, [](float x, float a, float b) { return wvl_lift97_step(WVL_LIFT97_GAMMA, a, b, x); });
    lift_lines(s, 4, count, step, across, element, [](float x, float a, float b) { return wvl_lift97_step(WVL_LIFT97_DELTA, a, b, x); });
}

/* A signal of one sample is not filtered: an odd one doubles in 5/3 (F.4.8.1); in 9/7 the reciprocal holds the 2. */
__device__ __forceinline__ int32_t single(int32_t x, bool odd) { return odd ? 2 * x : x; }
__device__ __forceinline__ float single(float x, bool) { return x; }

template <class T> __device__ void double_tile(tile<T> &s)
{
    for (int i = threadIdx.x; i < ROWS * COLS; i += THREADS) {
        T *p = &s.at[i / COLS * PITCH + i % COLS];
        *p = single(*p, true);
    }
    __syncthreads();
}

template <class T> __device__ void split_tile(tile<T> &s, const wvl_rect &rect)
{
    if (rect.y1 - rect.y0 > 1) {
        lift_axis(s, ROWS, PITCH, COLS, 1);
    } else if (rect.y0 & 1) {
        double_tile(s);
    }
    if (rect.x1 - rect.x0 > 1) {
        lift_axis(s, COLS, 1, ROWS, PITCH);
    } else if (rect.x0 & 1) {
        double_tile(s);
    }
}

/* The samples of one band in the tile: every `stride`th from (dx, dy). Warps go through rows of 32. */
template <class T>
__device__ void put_band(tile<T> &s, const wvl_cuda_band band, uint32_t bx, uint32_t by, int stride, int dx, int dy)
{
    int width = WVL_CUDA_TILE_WIDTH / stride, height = WVL_CUDA_TILE_HEIGHT / stride;
    int across = width >> wvl_min_u32(band.xcb, 5 + (stride == 1)); /* blocks of the tile in a row, at least one */
    for (int i = threadIdx.x; i < BLOCKS; i += THREADS) {
        s.bound[i] = 0;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < width * height; i += THREADS) {
        uint32_t row = (uint32_t)(i / width), col = (uint32_t)(i % width), x = bx + col, y = by + row, magnitude = 0;
        if (x >= band.rect.x0 && x < band.rect.x1 && y >= band.rect.y0 && y < band.rect.y1) {
            magnitude = put_coefficient(band, x, y, s.at[(ROOM + dy + (int)row * stride) * PITCH + ROOM + dx + (int)col * stride]);
        }
        uint32_t *bound = &s.bound[(row >> band.ycb) * across + (col >> band.xcb)];
        if (band.xcb >= 5) {
            magnitude = warp_or(magnitude);
            magnitude = (threadIdx.x & 31) ? 0 : magnitude;
        }
        if (magnitude) {
            atomicOr(bound, magnitude);
        }
    }
    __syncthreads();
    int down = wvl_max_u32((uint32_t)height >> band.ycb, 1);
    for (int i = threadIdx.x; i < across * down; i += THREADS) {
        if (s.bound[i]) {
            atomicOr(block_bound(band, bx + ((uint32_t)(i % across) << band.xcb), by + ((uint32_t)(i / across) << band.ycb)), s.bound[i]);
        }
    }
    __syncthreads();
}

template <class T> __device__ void put_low(const tile<T> &s, const wvl_cuda_job &job, uint32_t bx, uint32_t by)
{
    const int width = WVL_CUDA_TILE_WIDTH / 2, height = WVL_CUDA_TILE_HEIGHT / 2;
    uint32_t x0 = (uint32_t)(((uint64_t)job.rect.x0 + 1) / 2), y0 = (uint32_t)(((uint64_t)job.rect.y0 + 1) / 2);
    uint32_t x1 = (uint32_t)(((uint64_t)job.rect.x1 + 1) / 2), y1 = (uint32_t)(((uint64_t)job.rect.y1 + 1) / 2);
    const wvl_cuda_plane low = job.low;
    for (int i = threadIdx.x; i < width * height; i += THREADS) {
        int row = i / width, col = i % width;
        uint32_t x = bx + (uint32_t)col, y = by + (uint32_t)row;
        if (x >= x0 && x < x1 && y >= y0 && y < y1) {
            T *to = (T *)(low.data + (y - low.y0) * low.pitch_bytes) + (x - low.x0);
            *to = s.at[(ROOM + 2 * row) * PITCH + ROOM + 2 * col];
        }
    }
}

template <class T> __device__ void run_tile(const wvl_cuda_job *jobs, const wvl_cuda_item *items)
{
    __shared__ tile<T> s;
    const wvl_cuda_item item = items[blockIdx.x];
    const wvl_cuda_job &job = jobs[item.job];
    uint32_t x = item.x * WVL_CUDA_TILE_WIDTH, y = item.y * WVL_CUDA_TILE_HEIGHT;
    fetch_tile(s, job, (int64_t)x - ROOM, (int64_t)y - ROOM);
    if (job.levels == WVL_CUDA_PLAIN) {
        put_band(s, job.band[WVL_BAND_LL], x, y, 1, 0, 0);
        return;
    }
    split_tile(s, job.rect);
    x /= 2;
    y /= 2;
    if (job.low.data) {
        put_low(s, job, x, y);
    }
    for (int b = 0; b < 4; b++) {
        if (job.band[b].samples) {
            put_band(s, job.band[b], x, y, 2, b & 1, b >> 1);
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) wvl_any53(const wvl_cuda_job *jobs, const wvl_cuda_item *items) { run_tile<int32_t>(jobs, items); }
extern "C" __global__ void __launch_bounds__(THREADS) wvl_any97(const wvl_cuda_job *jobs, const wvl_cuda_item *items) { run_tile<float>(jobs, items); }
