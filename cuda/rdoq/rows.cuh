/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of blocks, from the first to the last. LANES lanes have a block, so a warp has one, two or four of them. A lane
 * has WORDS words of each row, side by side. A word is four samples: a byte each for what is known of it.
 */
#pragma once
#include "cuda/rdoq/blocks.cuh"

namespace wvl_rdoq
{

constexpr uint32_t BYTES = 0x01010101, TOPS = 0x80808080, HALVES = 0x00010001;

/* Bytes of 1 or 0: all their bits. */
__device__ __forceinline__ uint32_t fill_bytes(uint32_t ones) { return ones * 255; }

/* ---- Samples --------------------------------------------------------------------------------- */

/* The rows of a block, as one of its lanes sees them. */
struct block_rows {
    uint64_t first;   /* address of the lane's first sample in row 0 */
    uint32_t pitch;   /* bytes */
    uint32_t height;  /* 0: the lanes have no rows to look at */
    uint32_t columns; /* from the lane's first one on; 0: none */
    bool is_wide;     /* samples of 32 bits, not of 16 */
    bool is_aligned;  /* four samples are a word of memory */

    __device__ __forceinline__ block_rows(const wvl_cuda_t1_block &b, uint32_t first_column, bool is_asked)
        : first(b.coefs + (uint64_t)first_column * b.coef_bytes), pitch(b.stride * b.coef_bytes),
          height(is_asked ? b.height : 0), columns(b.width > first_column ? b.width - first_column : 0),
          is_wide(b.coef_bytes == 4), is_aligned(!(b.coefs % (4u * b.coef_bytes) || b.stride % 4))
    {
    }
    /* Samples of word j that the block has. */
    __device__ __forceinline__ uint32_t count(uint32_t j) const { return columns > 4 * j ? columns - 4 * j : 0; }
    __device__ __forceinline__ uint64_t at(uint32_t j, uint32_t y) const
    {
        return first + (uint64_t)y * pitch + j * (is_wide ? 16 : 8);
    }
    /* Samples come as they lie in memory: of 16 bits in x and y, of 32 bits in all of the result. 0 beyond the block.
     */
    __device__ __forceinline__ uint4 load(uint32_t j, uint32_t y) const;
    __device__ __forceinline__ void store(uint32_t j, uint32_t y, const uint4 &v, uint64_t copies) const;
};

/* Word k of four, which is not known when this is compiled. */
__device__ __forceinline__ uint32_t pick(const uint4 &v, uint32_t k)
{
    uint32_t low = k & 1 ? v.y : v.x, high = k & 1 ? v.w : v.z;
    return k & 2 ? high : low;
}
__device__ __forceinline__ void replace(uint4 &v, uint32_t k, uint32_t by)
{
    v.x = k == 0 ? by : v.x;
    v.y = k == 1 ? by : v.y;
    v.z = k == 2 ? by : v.z;
    v.w = k == 3 ? by : v.w;
}

/* Words of 16-bit samples. */
struct alignas(8) two_words {
    uint32_t x, y;
};

__device__ __forceinline__ uint4 block_rows::load(uint32_t j, uint32_t y) const
{
    uint32_t n = y < height ? count(j) : 0;
    uint4 v = make_uint4(0, 0, 0, 0);
    if (n >= 4 && is_aligned) {
        if (is_wide) {
            return *(const uint4 *)at(j, y);
        }
        const two_words w = *(const two_words *)at(j, y);
        v.x = w.x;
        v.y = w.y;
        return v;
    }
#pragma unroll 1
    for (uint32_t k = 0; k < min(n, 4u); k++) {
        if (is_wide) {
            replace(v, k, ((const uint32_t *)at(j, y))[k]);
        } else {
            replace(v, k / 2, pick(v, k / 2) | (uint32_t)((const uint16_t *)at(j, y))[k] << 16 * (k & 1));
        }
    }
    return v;
}

__device__ __forceinline__ void block_rows::store(uint32_t j, uint32_t y, const uint4 &v, uint64_t copies) const
{
    uint32_t n = y < height ? count(j) : 0;
    uint64_t to = at(j, y) + copies;
    if (n >= 4 && is_aligned) {
        if (is_wide) {
            *(uint4 *)to = v;
        } else {
            *(two_words *)to = {v.x, v.y};
        }
        return;
    }
#pragma unroll 1
    for (uint32_t k = 0; k < min(n, 4u); k++) {
        if (is_wide) {
            ((uint32_t *)to)[k] = pick(v, k);
        } else {
            ((uint16_t *)to)[k] = (uint16_t)(pick(v, k / 2) >> 16 * (k & 1));
        }
    }
}

/* ---- Levels ---------------------------------------------------------------------------------- */

/* How samples are split at a plane of step S (wvl_rdoq_split_sample), without a look at single samples. */
struct scale {
    uint32_t most;        /* magnitudes are held to it; of samples of 16 bits: in both halves */
    uint32_t left, right; /* shifts, one of which is 0 */
    uint32_t mask;        /* of both halves, behind the shifts */
    bool is_wide;

    __device__ __forceinline__ scale(uint32_t plane, bool wide)
        : left(plane < 7 ? 7 - plane : 0), right(plane < 7 ? 0 : plane - 7), is_wide(wide)
    {
        /* What is above is at level 4, and far from its border. 32 bits hold nothing above for planes from 28 on. */
        most = (16u << plane) - 1;
        mask = 0;
        if (!wide) { /* a plane of samples of 16 bits is at most 14 */
            most = min(most, 0x7FFFu) * HALVES;
            mask = min(0x7FFFu >> right, 0x7FFu) * HALVES;
        }
    }
    /* Magnitudes in S / 128, held to 2047: two in a word. */
    __device__ __forceinline__ two_words measure(const uint4 &v) const
    {
        if (is_wide) {
            return {measure_wide(v.x) | measure_wide(v.y) << 16, measure_wide(v.z) | measure_wide(v.w) << 16};
        }
        return {measure_narrow(v.x), measure_narrow(v.y)};
    }
    __device__ __forceinline__ uint32_t measure_wide(uint32_t v) const
    {
        return min(v & 0x7FFFFFFF, most) << left >> right;
    }
    __device__ __forceinline__ uint32_t measure_narrow(uint32_t v) const
    {
        return __vminu2(v & 0x7FFF7FFF, most) << left >> right & mask;
    }
};

/*
 * The levels of four samples as bits: 0, 1, 3, 7 and 15 stand for 0 to 4. So a neighbour is at the level of a sample or
 * above if it has the highest bit of that sample. `offsets` are fractions plus 128; of samples below 2 S they are just
 * the lowest eight bits of the measure.
 */
struct four_levels {
    uint32_t levels, offsets;
};

__device__ __forceinline__ four_levels split_four(const two_words &measures)
{
    uint32_t octaves = __byte_perm(measures.x >> 7, measures.y >> 7, 0x6420), /* in S */
        low = __byte_perm(measures.x, measures.y, 0x6420);
    uint32_t bits = octaves | (octaves >> 1 & 7 * BYTES);
    bits |= bits >> 2 & 3 * BYTES;
    uint32_t rest = octaves & ~(bits & ~(bits >> 1)); /* not 0: far above the lower end of the octave */
    uint32_t full = (rest + 0x7F * BYTES) & TOPS;
    return {bits, low | (fill_bytes(bits >> 1 & BYTES) & (TOPS | (full - (full >> 7))))};
}

/* The same where only samples from S to 2 S are asked for their offset. That of others is wrong. */
__device__ __forceinline__ four_levels split_roughly(const two_words &measures)
{
    four_levels all = split_four(measures);
    all.offsets = __byte_perm(measures.x, measures.y, 0x6420);
    return all;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Words of a row in a lane. left, right: the levels of the samples beside. */
template <uint32_t WORDS> struct row {
    uint4 samples[WORDS];
    uint32_t levels[WORDS], offsets[WORDS], left[WORDS], right[WORDS];
};

template <uint32_t WORDS> __device__ __forceinline__ void split_row(const scale &s, row<WORDS> &r)
{
#pragma unroll
    for (uint32_t j = 0; j < WORDS; j++) {
        four_levels four = split_four(s.measure(r.samples[j]));
        r.levels[j] = four.levels;
        r.offsets[j] = four.offsets;
    }
}

/* The word of the lane before, and behind; 0 beyond the block. */
template <uint32_t LANES> __device__ __forceinline__ uint32_t fetch_before(uint32_t v)
{
    uint32_t other = __shfl_up_sync(~0u, v, 1, LANES);
    return lane_id() % LANES ? other : 0;
}
template <uint32_t LANES> __device__ __forceinline__ uint32_t fetch_behind(uint32_t v)
{
    uint32_t other = __shfl_down_sync(~0u, v, 1, LANES);
    return (lane_id() + 1) % LANES ? other : 0;
}

/* All lanes. */
template <uint32_t LANES, uint32_t WORDS>
__device__ __forceinline__ void look_beside(const uint32_t (&v)[WORDS], uint32_t (&left)[WORDS],
                                            uint32_t (&right)[WORDS])
{
    uint32_t before = fetch_before<LANES>(v[WORDS - 1]), behind = fetch_behind<LANES>(v[0]);
#pragma unroll
    for (uint32_t j = 0; j < WORDS; j++) {
        left[j] = __funnelshift_l(j ? v[j - 1] : before, v[j], 8);
        right[j] = __funnelshift_r(v[j], j + 1 < WORDS ? v[j + 1] : behind, 8);
    }
}

/*
 * Calls split(row) for every row, and then visit(above, row, below, y), with the row below split already. Rows beyond
 * the block are 0. Samples are on their way while the row before is looked at. All lanes of the warp.
 */
template <uint32_t LANES, uint32_t WORDS, typename SPLIT, typename VISIT>
__device__ __forceinline__ void visit_rows(const block_rows &rows, const SPLIT &split, const VISIT &visit)
{
    row<WORDS> above = {}, own = {}, below = {};
    uint32_t most = most_lanes(rows.height);
    auto load = [&](row<WORDS> &to, uint32_t y) {
#pragma unroll
        for (uint32_t j = 0; j < WORDS; j++) {
            to.samples[j] = rows.load(j, y);
        }
    };
    load(own, 0);
    load(below, 1);
    split(own);
#pragma unroll 1 /* the code of several rows exceeds the instruction caches */
    for (uint32_t y = 0; y < most; y++) {
        row<WORDS> ahead = {};
        load(ahead, y + 2);
        split(below);
        visit(above, own, below, y);
        above = own;
        own = below;
        below = ahead;
    }
}

} // namespace wvl_rdoq
