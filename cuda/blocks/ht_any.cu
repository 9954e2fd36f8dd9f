/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HT cleanup pass of blocks of any shape, and of 32-bit samples: a warp a block. A lane takes up to 16 pairs of quads
 * that follow each other in raster order; it reads its samples and those around them from global memory. All else is
 * as in ht_rows.cu, which is faster where it can be used.
 */
#include "cuda/blocks/ht_put.cuh"
#include "cuda/blocks/ht_tables.cuh"

namespace wvl_ht
{

/* The samples of a block; outside there are zeros. */
template <typename T> struct sample_source {
    const T *samples;
    uint32_t stride, width, height, shift;
    /* The container. */
    __device__ __forceinline__ uint32_t fetch(int x, int y) const
    {
        return (uint32_t)x < width && (uint32_t)y < height ? samples[(size_t)y * stride + x] : 0;
    }
    __device__ __forceinline__ uint32_t magnitude(uint32_t sample) const
    {
        return (sample & (uint32_t)((T) ~(T)0 >> 1)) >> shift;
    }
    __device__ __forceinline__ uint32_t sign(uint32_t sample) const { return sample >> (8 * sizeof(T) - 1); }
    __device__ __forceinline__ uint32_t fetch_magnitude(int x, int y) const { return magnitude(fetch(x, y)); }
};

/* A row of quads as a lane sees it at the pair that starts at column x. */
struct pair_view {
    int x, y; /* of its first sample */
    uint32_t rho_west;
    uint32_t near[2], above[2]; /* as code_words takes them */
};

template <typename T> __device__ __forceinline__ void look_above(const sample_source<T> &from, pair_view &v)
{
    uint32_t mu[6];
#pragma unroll
    for (int i = 0; i < 6; i++) {
        mu[i] = v.y ? from.fetch_magnitude(v.x - 1 + i, v.y - 1) : 0;
    }
#pragma unroll
    for (int q = 0; q < 2; q++) {
        v.near[q] = 0;
        for (int i = 2 * q; i < 2 * q + 4; i++) {
            v.near[q] |= mu[i] ? 2 * mu[i] - 1 : 0;
        }
        v.above[q] = (uint32_t)((mu[2 * q] | mu[2 * q + 1]) != 0) | (uint32_t)((mu[2 * q + 2] | mu[2 * q + 3]) != 0)
                                                                        << 2;
    }
}

template <typename T> __device__ __forceinline__ uint32_t look_west(const sample_source<T> &from, const pair_view &v)
{
    uint32_t rho = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        rho |= (uint32_t)(v.x && from.fetch_magnitude(v.x - 2 + (i >> 1), v.y + (i & 1)) != 0) << i;
    }
    return rho;
}

template <typename T>
__device__ __forceinline__ quad code_any(const sample_source<T> &from, const pair_view &v, int q, uint32_t rho_west,
                                         const uint16_t *vlc, writer &magsgn)
{
    uint32_t mu[4], value[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint32_t sample = from.fetch(v.x + 2 * q + (i >> 1), v.y + (i & 1));
        mu[i] = from.magnitude(sample);
        value[i] = 2 * (mu[i] - 1) + from.sign(sample);
    }
    return code_words(mu, value, v.near[q], v.above[q], rho_west, v.y == 0, v.x + 2 * q >= (int)from.width, vlc,
                      magsgn);
}

/* Pairs [first, end) in raster order, `columns` a row. */
template <typename T>
__device__ __forceinline__ void code_pairs(lane_streams &own, const sample_source<T> &from, uint32_t first,
                                           uint32_t end, uint32_t columns, const uint32_t *shared)
{
    pair_view v;
    v.x = (int)(4 * (first % columns));
    v.y = (int)(2 * (first / columns));
    v.rho_west = first < end ? look_west(from, v) : 0;
    for (uint32_t p = first; p < end; p++) {
        bool is_top = v.y == 0;
        const uint16_t *vlc = (const uint16_t *)shared + (is_top ? 0 : 2048);
        look_above(from, v);
        quad q0 = code_any(from, v, 0, v.rho_west, vlc, own.magsgn), q1 = code_any(from, v, 1, q0.rho, vlc, own.magsgn);
        own.put_pair(q0, q1, shared + 2048 + (is_top ? 0 : 1024), is_top);
        v.rho_west = q1.rho;
        v.x += 4;
        if (v.x >= (int)(4 * columns)) {
            v.x = 0;
            v.y += 2;
            v.rho_west = 0;
        }
    }
}

template <typename T>
__device__ __forceinline__ void code_block(const wvl_cuda_ht_job &job, const uint32_t *shared, uint32_t *words,
                                           uint32_t id)
{
    constexpr uint32_t pitch = 32 * sizeof(T) + 1, vlc_pitch = 17;
    const wvl_cuda_ht_block b = block_of(job, id);
    if (!is_coded(b)) {
        put_nothing(job, id, 0);
        return;
    }
    uint32_t lane = lane_id(), columns = (b.width + 3u) / 4, pairs = columns * ((b.height + 1u) / 2),
             each = (pairs + 31) / 32, first = min(lane * each, pairs);
    sample_source<T> from = {(const T *)b.coefs, b.stride, b.width, b.height, plane_of(b)};
    lane_streams own;
    __syncwarp();
    own.open(words + lane * pitch, words + 32 * pitch + lane * vlc_pitch, lane == 0);
    code_pairs(own, from, first, min(first + each, pairs), columns, shared);
    block_streams s = measure_streams<32>(own);
    __syncwarp();
    put_block(job, words + 32 * (pitch + vlc_pitch), own, s, 0, true, id);
}

template <typename T>
__device__ __forceinline__ void run_any(const wvl_cuda_ht_job &job, uint32_t *shared, uint32_t kind)
{
    const uint32_t class_count = count_of(job, kind);
    if (!class_count) {
        return;
    }
    stage_tables(shared);
    uint32_t *words =
        shared + WVL_CUDA_HT_TABLE_WORDS + (threadIdx.x >> 5) * WVL_CUDA_HT_ANY_WORDS((uint32_t)sizeof(T));
    const uint32_t *order = (const uint32_t *)job.order + job.class_first[kind];
    item_list items;
    items.open(next_of(job, kind), 1);
    for (;;) {
        uint32_t next = items.take();
        if (next >= class_count) {
            return;
        }
        code_block<T>(job, shared, words, order[next]);
    }
}

} // namespace wvl_ht

extern "C" __global__ void __launch_bounds__(32 * WVL_CUDA_HT_MOST_WARPS, 1) wvl_ht_any_16(const wvl_cuda_ht_job job)
{
    WVL_HT_SHARED(shared);
    wvl_ht::run_any<uint16_t>(job, shared, WVL_CUDA_HT_ANY16);
}

extern "C" __global__ void __launch_bounds__(32 * WVL_CUDA_HT_MOST_WARPS, 1) wvl_ht_any_32(const wvl_cuda_ht_job job)
{
    WVL_HT_SHARED(shared);
    wvl_ht::run_any<uint32_t>(job, shared, WVL_CUDA_HT_ANY32);
}
