/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two levels in one pass: level shift, colour transform, lifting, quantisation and bounds from pixels, or the next two levels from a plane.
 *
 * Runs: one warp a thread block, so that all but the lane is uniform, takes a strip of 32 lanes of C columns and marches down, four rows an
 * iteration with the next four in registers (5/3) or eight on their way through 2 to 8 KiB of shared memory (9/7, planes); no barrier. Of three components each has a warp of its own, in neighbouring
 * blocks: the pixels that all three read come to the second and third from L2.
 * Lifting state stays in registers; one lane at either side (two for 9/7 with 8 columns) recomputes what the neighbouring strip owns.
 * Bytes a sample: container + coefficient + 1/4 for the low-low plane; 2 of 32 (4 of 32) lanes and 9 (21) rows of a segment are read twice.
 * tables.c says which pictures fit; the others go through the any-shape kernels.
 */
#include "cuda/block/lift.cuh"
#include "cuda/block/pack.cuh"
#include "cuda/block/rows.cuh"
#include "cuda/tuning.h"

__device__ __forceinline__ int mirror_row(int y, int first, int end)
{
    y = y < first ? 2 * first - y : y;
    return y >= end ? 2 * (end - 1) - y : y;
}

/* Three bands of one level, which tables.c has found to share their block grid and first row. */
template <int CB> struct march_bands {
    uint8_t *to[3];          /* one slot row before the first slot, so that offsets of row -1 are not negative */
    float r[3];
    const wvl_cuda_band *band;
    uint32_t row_bytes, slot_row, rows_log2, mask, y_block, bound_cols, top;
    uint32_t bound[3], at, block_col;

    /* x: of the lane's first sample; y: the row that comes first, which may lie before the band. */
    __device__ __forceinline__ void open(const wvl_cuda_band *bands, uint32_t x, int y)
    {
        band = bands + 1;
#pragma unroll
        for (int b = 0; b < 3; b++) {
            to[b] = (uint8_t *)band[b].samples - band->slot_width * CB;
            r[b] = band[b].reciprocal;
            bound[b] = 0;
        }
        row_bytes = (uint32_t)band->row_bytes;
        slot_row = band->slot_width * CB;
        rows_log2 = band->ycb;
        mask = (1u << rows_log2) - 1;
        y_block = band->block_y0;
        bound_cols = band->block_cols;
        top = (band->rect.y0 & mask) * slot_row;
        block_col = (x >> band->xcb) - band->block_x0;
        uint32_t left = block_col ? x & ((1u << band->xcb) - 1) : x - band->rect.x0;
        at = slot_row + (uint32_t)block_row(y) * row_bytes + ((uint32_t)y & mask) * slot_row - (block_row(y) <= 0 ? top : 0) +
             block_col * band->slot_bytes + left * CB;
    }
    __device__ __forceinline__ int block_row(int y) const { return (y >> (int)rows_log2) - (int)y_block; }
    __device__ __forceinline__ bool begins(int y) const { return !((uint32_t)y & mask); }
    /* Row y begins blocks: `at` was a row past the block above. Slots of the first block row begin with the band. */
    __device__ __forceinline__ void jump(int y) { at += row_bytes - (mask + 1) * slot_row + (block_row(y) == 1 ? top : 0); }
    /* Row y is the last of its blocks, or of the segment. The lanes of a block are neighbours: the first of them speaks for all, because
     * bounds of neighbouring blocks lie in one part of L2, which serves one of them at a time. */
    __device__ __forceinline__ void flush(int y, bool keep)
    {
        const int lane = threadIdx.x & 31;
        uint32_t index = (uint32_t)block_row(y) * bound_cols + block_col, group = keep ? block_col : UINT32_MAX;
        uint32_t before = __shfl_up_sync(FULL_WARP, group, 1);
        bool leads = keep && (lane == 0 || before != group);
#pragma unroll
        for (int b = 0; b < 3; b++) {
            bound[b] = CB == 2 ? (bound[b] | bound[b] >> 16) & 0x7fffu : bound[b];
        }
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            bool joined = __shfl_down_sync(FULL_WARP, group, d) == group && lane + d < 32;
#pragma unroll
            for (int b = 0; b < 3; b++) {
                uint32_t other = __shfl_down_sync(FULL_WARP, bound[b], d);
                bound[b] |= joined ? other : 0;
            }
        }
#pragma unroll
        for (int b = 0; b < 3; b++) {
            if (leads && bound[b]) {
                atomicOr((uint32_t *)band[b].bounds + index, bound[b]);
            }
            bound[b] = 0;
        }
    }
};

/* T: int32_t (5/3) or float (9/7). R: the rows it reads. A: how they come. C: columns a lane. CB: bytes a coefficient. */
template <class T, class R, class A, int C, int CB> struct marcher {
    static constexpr bool F97 = column<T, 1>::lag == 1;
    static constexpr int H = C / 2, Q = C / 4, HALO = (C == 16 || !F97) ? 1 : 2, OUT = 32 - 2 * HALO;
    static constexpr int LAG = F97, WARM = F97 ? 5 : 2, R0 = F97 ? 5 : 3;

    R rows;
    A ahead;
    uint32_t seen;
    int slot;                /* of the next two rows */
    column<T, C> v1;
    column<T, H> v2;
    march_bands<CB> one, two;
    T keep[H], even[H];
    bool first, last, mine;
    int part, y0, y1, l0, l1, m, from, to, bias; /* l0, l1: rows of the low-low band of level 1 */
    float shift;
    uint8_t *low;
    uint64_t low_pitch;

    __device__ __forceinline__ void unpack(T (&v)[C], const uint32_t (&w)[R::words])
    {
        if constexpr (R::bytes == 0) {
            unpack_plane<R, C>(v, w);
        } else if constexpr (R::parts == 3) {
            unpack_color<R, C>(v, w, shift, part);
        } else {
            unpack_row<R, C>(v, w, shift);
        }
        if (R::bytes == 2) {
#pragma unroll
            for (int i = 0; i < R::words; i++) {
                seen |= w[i];
            }
        }
    }

    /* Rows y and y + 1 set out. */
    __device__ __forceinline__ void fetch(int to_slot, int y)
    {
        ahead.fetch(rows, to_slot, mirror_row(y, y0, y1));
        ahead.fetch(rows, to_slot + 1, mirror_row(y + 1, y0, y1));
        ahead.close();
    }

    /* Iteration m finishes rows 2m + 1, 2m + 2 of level 1 and row m - LAG of level 2. */
    __device__ __forceinline__ void open_rows(const wvl_cuda_job &job, uint32_t segment)
    {
        y0 = (int)job.rect.y0;
        y1 = (int)job.rect.y1;
        l0 = (y0 + 1) >> 1;
        l1 = (y1 + 1) >> 1;
        int base = ((y0 >> 1) - 1) >> 1, end = max((((y1 - 1) >> 1) - 1) >> 1, ((l1 - 1) >> 1) + LAG) + 1;
        from = base + (int)segment * (int)job.segment;
        to = min(from + (int)job.segment, end);
        m = from - WARM;
    }

    __device__ __forceinline__ void open(const wvl_cuda_job &job, const wvl_cuda_item &item)
    {
        const int lane = threadIdx.x & 31, width = (int)(job.rect.x1 - job.rect.x0);
        const int room = width > 32 * C ? HALO : 0; /* a single strip needs none; others begin with it */
        const int col = ((int)item.x * OUT + lane - room) * C;
        first = col == 0;
        last = col + C == width;
        mine = col >= 0 && col < width && (room == 0 || (lane >= HALO && lane < 32 - HALO));
        open_rows(job, item.y);
        part = R::parts == 3 ? job.mct_part : 0;
        int unshift = R::bytes ? (int)(job.pixels[0].half - job.pixels[0].bias) : 0;
        shift = 8388608.0f + (float)unshift;
        bias = part <= 1 ? unshift : 0;
        rows.open(job, job.rect.x0 + (uint32_t)max(0, min(col, width - C)));
        const uint32_t x1 = (job.rect.x0 >> 1) + (uint32_t)(col >> 1), x2 = (job.rect.x0 >> 2) + (uint32_t)(col >> 2);
        one.open(job.band, x1, 2 * m + 1);
        two.open(job.deep_band, x2, m - LAG);
        low_pitch = job.low.pitch_bytes;
        low = (uint8_t *)job.low.data + (int64_t)(m - LAG - (int)job.low.y0) * (int64_t)low_pitch + (int64_t)(x2 - job.low.x0) * 4;
        v1.clear();
        v2.clear();
        seen = 0;
        uint32_t raw[R::words];
        slot = 0;
        fetch(0, 4 * m + R0 - 1);
        wait_groups<0>();
        ahead.read(0, raw);
        unpack(v1.x, raw);
#pragma unroll
        for (int i = 0; i < A::slots; i += 2) {
            fetch(i, 4 * m + R0 + i);
        }
    }

    /* Rows 2m + 1 + h of level 1's bands; a row of its low-low band goes to `ll`. */
    __device__ __forceinline__ void put_one(int h, T (&ll)[H])
    {
        T o[C], e[C], lo[C];
        const int q = 2 * m + 1 + h;
        uint32_t raw[R::words];
        const int at = A::slots == 4 ? 2 * h : slot;
        ahead.wait();
        ahead.read(at, raw);
        unpack(o, raw);
        ahead.read(at + 1, raw);
        unpack(e, raw);
        fetch(at, 4 * m + A::slots + R0 + 2 * h);
        slot = (slot + 2) % A::slots;
        v1.template step<false>(o, e, lo, 0);
        if (h == 1 && one.begins(q)) {
            one.flush(q - 1, mine);
            one.jump(q);
        }
        lift_row<C>(lo, first, last);
        if (m >= from) {
            lift_row<C>(o, first, last);
            if (2 * q >= y0 && 2 * q < y1) {
                put_run<H, CB>(one.to[0] + one.at, lo + 1, one.r[0], mine, one.bound[0]);
            }
            if (2 * q + 1 >= y0 && 2 * q + 1 < y1) {
                put_run<H, CB>(one.to[1] + one.at, o, one.r[1], mine, one.bound[1]);
                put_run<H, CB>(one.to[2] + one.at, o + 1, one.r[2], mine, one.bound[2]);
            }
        }
        one.at += one.slot_row;
#pragma unroll
        for (int j = 0; j < H; j++) {
            ll[j] = lo[2 * j];
        }
    }

    __device__ __forceinline__ void put_low(const T (&l2)[H])
    {
        uint32_t w[Q];
#pragma unroll
        for (int j = 0; j < Q; j++) {
            if constexpr (F97) {
                w[j] = __float_as_uint(l2[2 * j]);
            } else {
                w[j] = (uint32_t)(l2[2 * j] - bias);
            }
        }
        if (mine) {
            if constexpr (Q == 4) {
                *(uint4 *)low = make_uint4(w[0], w[1], w[2], w[3]);
            } else {
                *(uint2 *)low = make_uint2(w[0], w[1]);
            }
        }
    }

    /* Row m - LAG of level 2. */
    __device__ __forceinline__ void put_two()
    {
        T l2[H];
        const int edges = step_edges(m, l0, l1 - 1), q = m - LAG;
        if (edges) {
            v2.template step<true>(keep, even, l2, edges);
        } else {
            v2.template step<false>(keep, even, l2, 0);
        }
        if (m >= from) {
            lift_row<H>(l2, first, last);
            lift_row<H>(keep, first, last);
            if (2 * q >= l0 && 2 * q < l1) {
                put_run<Q, CB>(two.to[0] + two.at, l2 + 1, two.r[0], mine, two.bound[0]);
                put_low(l2);
            }
            if (2 * q + 1 >= l0 && 2 * q + 1 < l1) {
                put_run<Q, CB>(two.to[1] + two.at, keep, two.r[1], mine, two.bound[1]);
                put_run<Q, CB>(two.to[2] + two.at, keep + 1, two.r[2], mine, two.bound[2]);
            }
        }
        two.at += two.slot_row;
        low += low_pitch;
        if (two.begins(q + 1)) {
            two.flush(q, mine);
            two.jump(q + 1);
        }
    }

    __device__ __forceinline__ void run(uint4 *shared, const wvl_cuda_job &job, const wvl_cuda_item &item)
    {
        ahead.open(shared);
        open(job, item);
#pragma unroll 1
        for (; m < to; m++) {
            put_one(0, keep);
            put_one(1, even);
            put_two();
        }
        one.flush(2 * to, mine);
        two.flush(to - 1 - LAG, mine);
        if (R::bytes == 2) {
            const uint32_t beyond = ~((1u << job.pixels[0].depth) - 1) & 0xffffu;
            if (seen & (beyond | beyond << 16)) {
                atomicOr((uint32_t *)job.outside, 1u);
            }
        }
    }
};

#define MARCH(name, T, ROWS, AHEAD, C, CB, BLOCKS)                                                                       \
    extern "C" __global__ void __launch_bounds__(32, BLOCKS) name(const wvl_cuda_job *jobs, const wvl_cuda_item *items)   \
    {                                                                                                                    \
        __shared__ uint4 shared[AHEAD<ROWS>::shared_bytes / 16];                                                         \
        const wvl_cuda_item item = items[blockIdx.x / ROWS::parts];                                                      \
        marcher<T, ROWS, AHEAD<ROWS>, C, CB> march;                                                                      \
        march.run(shared, jobs[item.job + blockIdx.x % ROWS::parts], item);                                              \
    }

typedef plane_rows<8> rows_plane;
typedef pixel_rows<16, 1, 1, false> rows_8;
typedef pixel_rows<8, 1, 1, false> rows_8n;
typedef pixel_rows<8, 1, 3, true> rows_8x3;
typedef pixel_rows<8, 1, 3, false> rows_8p3;
typedef pixel_rows<8, 2, 1, false> rows_16;

MARCH(wvl_plane53, int32_t, rows_plane, row_ring, 8, 2, WVL_CUDA_MARCH_WARPS53)
MARCH(wvl_plane97, float, rows_plane, row_ring, 8, 2, WVL_CUDA_MARCH_WARPS97)
MARCH(wvl_plane53_w, int32_t, rows_plane, row_ring, 8, 4, WVL_CUDA_MARCH_WARPS53)
MARCH(wvl_plane97_w, float, rows_plane, row_ring, 8, 4, WVL_CUDA_MARCH_WARPS97)
MARCH(wvl_march53_8, int32_t, rows_8, row_ring, 16, 2, WVL_CUDA_MARCH_WARPS53_8)
MARCH(wvl_march97_8, float, rows_8, row_ring, 16, 2, WVL_CUDA_MARCH_WARPS97_8)
MARCH(wvl_march53_8n, int32_t, rows_8n, row_ring, 8, 2, WVL_CUDA_MARCH_WARPS53)
MARCH(wvl_march97_8n, float, rows_8n, row_ring, 8, 2, WVL_CUDA_MARCH_WARPS97)
MARCH(wvl_march53_8x3, int32_t, rows_8x3, row_ring, 8, 2, WVL_CUDA_MARCH_WARPS53_X3)
MARCH(wvl_march97_8x3, float, rows_8x3, row_ring, 8, 2, WVL_CUDA_MARCH_WARPS97_X3)
MARCH(wvl_march53_8p3, int32_t, rows_8p3, row_ring, 8, 2, WVL_CUDA_MARCH_WARPS53_X3)
MARCH(wvl_march97_8p3, float, rows_8p3, row_ring, 8, 2, WVL_CUDA_MARCH_WARPS97_X3)
MARCH(wvl_march53_16, int32_t, rows_16, row_registers, 8, 2, WVL_CUDA_MARCH_WARPS53)
MARCH(wvl_march97_16, float, rows_16, row_ring, 8, 2, WVL_CUDA_MARCH_WARPS97)
MARCH(wvl_march53_16w, int32_t, rows_16, row_registers, 8, 4, WVL_CUDA_MARCH_WARPS53)
MARCH(wvl_march97_16w, float, rows_16, row_ring, 8, 4, WVL_CUDA_MARCH_WARPS97)
