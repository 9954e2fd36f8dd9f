/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Context modelling (15444-1 Annex D) on words of 32 samples: 8 columns of a stripe. Byte r of a word is row r of the
 * stripe, bit c of that byte is column c. A move by a row is a move by a byte. Eight words whose bits are transposed
 * in bytes become a word for each column, whose bytes are its rows in the order of coding.
 *
 * A block has W words a stripe, W a power of two. The words of a plane are numbered stripe by stripe. The planes of
 * eight such words lie side by side in scratch memory, the lowest first and the signs last: what one thread reads of
 * several planes is close together.
 */
#pragma once
#include "codec/core/mq_table.h"
#include "codec/core/t1_bound.h"
#include "cuda/blocks/lane.cuh"
#include "cuda/blocks/t1_job.h"

namespace wvl_t1
{

using wvl_ht::lane_id;

constexpr uint32_t CHUNK_DATA = WVL_CUDA_T1_CHUNK_UNITS - 1; /* units of a chunk that hold symbols */

__device__ __forceinline__ const wvl_cuda_t1_block &block_of(const wvl_cuda_t1_job &job, uint32_t id)
{
    return ((const wvl_cuda_t1_block *)job.blocks)[id];
}
__device__ __forceinline__ wvl_cuda_t1_state &state_of(const wvl_cuda_t1_job &job, uint32_t id)
{
    return ((wvl_cuda_t1_state *)job.states)[id];
}
__device__ __forceinline__ uint32_t *units_at(const wvl_cuda_t1_job &job, uint32_t unit)
{
    return (uint32_t *)(job.scratch + (uint64_t)unit * 16);
}
__device__ __forceinline__ uint32_t *counter_of(const wvl_cuda_t1_job &job, uint32_t which)
{
    return (uint32_t *)job.counters + which;
}

/* Says whether words and gains of this launch count. */
__device__ __forceinline__ bool is_asked(const wvl_cuda_t1_job &job)
{
    return !job.asked || *(const uint32_t *)job.asked;
}

/* Units of `ends` of a block; with gains, its values stand behind them. */
__device__ __forceinline__ uint32_t units_of_ends(uint32_t planes) { return (3 * planes + 3) / 4; }

/* Meeting of the threads of a block. */
template <uint32_t WARPS> __device__ __forceinline__ void meet()
{
    if (WARPS > 1) {
        __syncthreads();
    } else {
        __syncwarp();
    }
}

/* How the words of a block lie. */
struct word_layout {
    uint32_t width_log2; /* of W */
    uint32_t words;      /* of a plane */
    uint32_t step;       /* from a group of eight words to the next, in words: all planes and the signs */
    uint32_t total;      /* of all groups */
    __device__ __forceinline__ word_layout(uint32_t log2, uint32_t height, uint32_t planes)
        : width_log2(log2), words(((height + 3) / 4) << log2), step((planes + 1) * 8), total((words + 7) / 8 * step)
    {
    }
    __device__ __forceinline__ uint32_t place(uint32_t n) const { return n / 8 * step + n % 8; }
};

/* log2 of W for a block of class ANY. */
__device__ __forceinline__ uint32_t any_width_log2(uint32_t width)
{
    return width > 8 ? 32 - (uint32_t)__clz((width + 7) / 8 - 1) : 0;
}

/* The same of any block: by the class that context modelling takes it in (t1_lists.c). */
__device__ __forceinline__ uint32_t width_log2_of(const wvl_cuda_t1_block &b)
{
    if (b.width > 64 || b.height > 64) {
        return any_width_log2(b.width);
    }
    return b.width <= 32 && b.height <= 32 ? 2 : 3;
}

__device__ __forceinline__ uint32_t pick(uint32_t a, uint32_t b, uint32_t mask) { return (a & mask) | (b & ~mask); }

template <int D, uint32_t LOW> __device__ __forceinline__ void swap_bits(uint32_t (&v)[8])
{
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const int i = k / D * 2 * D + k % D;
        uint32_t a = v[i], b = v[i + D];
        v[i] = pick(a, b << D, LOW);
        v[i + D] = pick(a >> D, b, LOW);
    }
}
/* Bit i of byte b of word k becomes bit k of byte b of word i. */
__device__ __forceinline__ void transpose(uint32_t (&v)[8])
{
    swap_bits<4, 0x0F0F0F0Fu>(v);
    swap_bits<2, 0x33333333u>(v);
    swap_bits<1, 0x55555555u>(v);
}

/* Which samples of a word lie in the block. */
__device__ __forceinline__ uint32_t inside(uint32_t width, uint32_t height, uint32_t word, uint32_t stripe)
{
    uint32_t columns = width > 8 * word ? min(width - 8 * word, 8u) : 0,
             rows = height > 4 * stripe ? min(height - 4 * stripe, 4u) : 0;
    return ((1u << columns) - 1) * 0x01010101u & (rows == 4 ? ~0u : (1u << 8 * rows) - 1);
}

/* Passes of a plane that lies k below the top one: propagation, refinement, cleanup. */
__device__ __forceinline__ bool is_raw_plane(uint32_t k, uint32_t style)
{
    return (style & WVL_STYLE_BYPASS) && k >= 4; /* passes 10 and on (D.6) */
}

} // namespace wvl_t1
