/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coefficients on their way: what a lane needs of one iteration lies in one place of a ring in shared memory,
 * copied by that lane alone, so there is no barrier. Pieces of a place lie lane by lane: no bank is met twice.
 */
#ifndef WVL_CUDA_INVERSE_BLOCK_RING_CUH
#define WVL_CUDA_INVERSE_BLOCK_RING_CUH

#include "lab/cuda/inverse/block/unpack.cuh"
#include "lab/cuda/inverse/split.h"

/* BYTES (4, 8 or 16) from global to shared memory, behind the thread's back where the machine can. */
template <int BYTES> __device__ __forceinline__ void send_piece(uint8_t *to, const uint8_t *from)
{
#if __CUDA_ARCH__ >= 800
    uint32_t at = (uint32_t)__cvta_generic_to_shared(to);
    if constexpr (BYTES == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(BYTES) : "memory");
    }
#else
    if constexpr (BYTES == 16) {
        *(uint4 *)to = *(const uint4 *)from;
    } else if constexpr (BYTES == 8) {
        *(uint2 *)to = *(const uint2 *)from;
    } else {
        *(uint32_t *)to = *(const uint32_t *)from;
    }
#endif
}

template <int BYTES> __device__ __forceinline__ void read_piece(uint32_t *w, const uint8_t *from)
{
    if constexpr (BYTES == 16) {
        uint4 v = *(const uint4 *)from;
        w[0] = v.x;
        w[1] = v.y;
        w[2] = v.z;
        w[3] = v.w;
    } else if constexpr (BYTES == 8) {
        uint2 v = *(const uint2 *)from;
        w[0] = v.x;
        w[1] = v.y;
    } else {
        w[0] = *(const uint32_t *)from;
    }
}

template <int BYTES> __device__ __forceinline__ void write_piece(uint8_t *to, const uint32_t *w)
{
    if constexpr (BYTES == 16) {
        *(uint4 *)to = make_uint4(w[0], w[1], w[2], w[3]);
    } else if constexpr (BYTES == 8) {
        *(uint2 *)to = make_uint2(w[0], w[1]);
    } else {
        *(uint32_t *)to = w[0];
    }
}

/* What was written stays there: the compiler shall not carry it in registers. */
__device__ __forceinline__ void hold_memory(void)
{
#ifdef __CUDA_ARCH__
    asm volatile("" ::: "memory");
#endif
}

__device__ __forceinline__ void close_sending(void)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* All but the last N groups have arrived. */
template <int N> __device__ __forceinline__ void await_sending(void)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
}

/* Three bands of one level, which share their block grid and first row: what is the same for all lanes. Rows are told
 * by their bytes from the first row of the lane's first place, modulo 2^32. */
struct alignas(16) band_grid {
    uint32_t cell_row, log2_rows, jump, base; /* jump: from the end of a block to the one below */
    uint32_t beyond[2];                       /* from HL to the others: within 4 GiB, as tables.c sees to */
    uint32_t lead, first_block;               /* lead: by how much blocks of the first row are shorter */
    float scaled[3];                          /* half a step, for unpack_run() */
    int top, end;                             /* rows of the resolution that the bands make up */

    template <bool DEEP> __device__ __forceinline__ void open(const wvl_cuda_inverse_band *bands, int first, int last)
    {
        top = first;
        end = last + 1;
        const wvl_cuda_inverse_band *band = bands + 1;
#pragma unroll
        for (int b = 0; b < 3; b++) {
            scaled[b] = scale_step<DEEP>(band[b].half_step);
        }
        beyond[0] = (uint32_t)(band[1].samples - band->samples);
        beyond[1] = (uint32_t)(band[2].samples - band->samples);
        cell_row = band->cell_width * band->coef_bytes;
        log2_rows = band->ycb;
        jump = (uint32_t)band->row_bytes - (cell_row << log2_rows);
        first_block = band->block_y0;
        base = 0 - first_block * (uint32_t)band->row_bytes;
        lead = (band->rect.y0 & ((1u << log2_rows) - 1)) * cell_row;
    }
    /* Row n of the low (high = 0) or high band; beyond the edges its mirror image, once, which keeps parity. */
    __device__ __forceinline__ int mirrored(int n, int high) const
    {
        int y = 2 * n + high;
        y = y < top ? 2 * top - y : y;
        return (y >= end ? 2 * (end - 1) - y : y) >> 1;
    }
    /* Within the edges, below the first row of blocks where that is shorter: the same of both bands. */
    __device__ __forceinline__ uint32_t plain_row(int n) const
    {
        return (uint32_t)n * cell_row + ((uint32_t)n >> log2_rows) * jump + base;
    }
    __device__ __forceinline__ uint32_t row(int n, int high) const
    {
        const int y = mirrored(n, high);
        return plain_row(y) - ((uint32_t)y >> log2_rows == first_block ? lead : 0);
    }
    /* From this row on rows are plain, as far as blocks go. */
    __device__ __forceinline__ int first_plain_row() const
    {
        return lead ? (int)((first_block + 1) << log2_rows) : top >> 1;
    }
};

/* The lane's place in the first row of HL; x: of its first sample. */
__device__ __forceinline__ const uint8_t *lane_samples(const wvl_cuda_inverse_band *bands, uint32_t x)
{
    const wvl_cuda_inverse_band *band = bands + 1;
    uint32_t block_col = (x >> band->xcb) - band->block_x0,
             left = block_col ? x & ((1u << band->xcb) - 1) : x - band->rect.x0;
    return (const uint8_t *)band->samples + block_col * band->cell_bytes + left * band->coef_bytes;
}

/* Where a warp keeps both grids: in registers, or in shared memory where registers are short. */
template <bool SHARED, bool DEEP> struct grid_pair {
    band_grid pair[2];
    __device__ __forceinline__ void open(band_grid *, const wvl_cuda_inverse_split &split)
    {
        const int y0 = (int)split.rect.y0, last = (int)split.rect.y1 - 1;
        pair[0].template open<DEEP>(split.band, y0, last);
        pair[1].template open<DEEP>(split.deep_band, y0 >> 1, last >> 1);
    }
    __device__ __forceinline__ const band_grid &at(int level) const { return pair[level]; }
};

template <bool DEEP> struct grid_pair<true, DEEP> {
    const band_grid *pair;
    __device__ __forceinline__ void open(band_grid *room, const wvl_cuda_inverse_split &split)
    {
        if ((threadIdx.x & 31) < 2) {
            const int deep = threadIdx.x & 31;
            room[deep].template open<DEEP>(deep ? split.deep_band : split.band, (int)split.rect.y0 >> deep,
                                           (int)(split.rect.y1 - 1) >> deep);
        }
        __syncwarp();
        pair = room;
    }
    __device__ __forceinline__ const band_grid &at(int level) const { return pair[level]; }
};

#endif
