/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * EBCOT blocks: which samples the propagation pass of each plane codes. A thread a block and plane: what is significant
 * before a plane follows from the magnitudes, so planes do not wait for each other.
 *
 * Two words of each word of a plane come out: fresh (samples that become significant in the pass) and members (all that
 * the pass codes). They have the places of the plane words, in two pieces behind them.
 */
#include "cuda/blocks/t1_words.cuh"

namespace wvl_t1
{

/* What the pass does with a word, column by column. */
struct spread_word {
    uint32_t fresh, member;
};

/*
 * own: significant before the plane. bit: of this plane. near: samples with a significant neighbour among those known
 * before the pass, and those of words before it that are known in the pass. from: fresh samples of the column to the
 * left, in bit 0 of each byte.
 */
__device__ __forceinline__ spread_word spread_columns(uint32_t bit, uint32_t own, uint32_t near, uint32_t valid,
                                                      uint32_t from)
{
    uint32_t open = ~own & valid, may = bit & open, all = 0, f = from;
#pragma unroll
    for (int c = 0; c < 8; c++) {
        const uint32_t C = 0x01010101u << c;
        uint32_t l = c == 0 ? from : f << 1, m = l | l << 8 | l >> 8;
        /* Candidates in a run below a seed are reached: the carry clears them. */
        uint32_t seeds = may & C & (near | m), sum = (may | ~C) + seeds;
        f = may & C & (~sum | seeds);
        all |= f;
    }
    uint32_t left = pick(from, all << 1, 0x01010101u);
    return {all, (near | left | (left | all) << 8 | left >> 8) & open};
}

/* Samples of a plane, as wvl_cuda_t1_plane_counts has them; each sum is at most 4096. */
struct spread_counts {
    uint32_t own, member, fresh, news;

    __device__ __forceinline__ void add(uint32_t older, uint32_t bit, const spread_word &word)
    {
        own += __popc(older);
        member += __popc(word.member);
        fresh += __popc(word.fresh);
        news += __popc(bit & ~older);
    }
};

/* One row up and down. */
__device__ __forceinline__ uint32_t beside_rows(uint32_t up, uint32_t own, uint32_t low)
{
    return __funnelshift_l(up, own, 8) | __funnelshift_r(own, low, 8);
}

/* Samples next to those of v, the vertical sums of three words; middle: without the word's own column. */
__device__ __forceinline__ uint32_t near_columns(uint32_t before, uint32_t v, uint32_t after, uint32_t middle)
{
    return pick(before >> 7, v << 1, 0x01010101u) | pick(after << 7, v >> 1, 0x80808080u) | middle;
}

/* Blocks of W words a stripe, stripe by stripe, rows of words in registers. */
template <int W> struct spread_rows {
    const uint32_t *words;
    uint32_t *fresh, *member;
    uint32_t step, above, stripes; /* above: planes from this one up, itself included */

    __device__ __forceinline__ uint32_t place(uint32_t s) const
    {
        constexpr uint32_t each = 8 / W; /* stripes of a group of eight words */
        return s / each * step + s % each * W;
    }
    /* Loads plane p above this one; with `many` all from there on. */
    __device__ __forceinline__ void load(uint32_t s, uint32_t p, uint32_t end, uint32_t (&v)[W]) const
    {
#pragma unroll
        for (int w = 0; w < W; w++) {
            v[w] = 0;
        }
        if (s < stripes) {
            const uint4 *q = (const uint4 *)(words + place(s));
            for (; p < end; p++) {
#pragma unroll
                for (int w = 0; w < W; w += 4) {
                    uint4 x = q[p * 2 + w / 4];
                    v[w] |= x.x, v[w + 1] |= x.y, v[w + 2] |= x.z, v[w + 3] |= x.w;
                }
            }
        }
    }
    __device__ __forceinline__ void store(uint32_t *to, uint32_t s, const uint32_t (&v)[W]) const
    {
#pragma unroll
        for (int w = 0; w < W; w += 4) {
            *(uint4 *)(to + place(s) + w) = make_uint4(v[w], v[w + 1], v[w + 2], v[w + 3]);
        }
    }
    template <bool COUNTS> __device__ __forceinline__ void run(const wvl_cuda_t1_block &b, spread_counts &counts)
    {
        uint32_t up[W], own[W], low[W];
        const uint32_t seen = b.style & WVL_STYLE_VSC ? 0 : ~0u; /* of the stripe below */
#pragma unroll
        for (int w = 0; w < W; w++) {
            up[w] = 0;
        }
        load(0, 1, above, own);
        for (uint32_t s = 0; s < stripes; s++) {
            uint32_t bit[W], F[W], M[W], left = 0, before = 0;
            load(s, 0, 1, bit);
            load(s + 1, 1, above, low);
            uint32_t beside = beside_rows(up[0], own[0], low[0] & seen), v = own[0] | beside;
#pragma unroll
            for (int w = 0; w < W; w++) {
                uint32_t next_beside = 0, next = 0;
                if (w + 1 < W) {
                    next_beside = beside_rows(up[w + 1], own[w + 1], low[w + 1] & seen);
                    next = own[w + 1] | next_beside;
                }
                spread_word out = spread_columns(bit[w], own[w], near_columns(before, v, next, beside),
                                                 inside(b.width, b.height, w, s), left >> 7 & 0x01010101u);
                if (COUNTS) {
                    counts.add(own[w], bit[w], out);
                }
                F[w] = left = out.fresh;
                M[w] = out.member;
                before = v, v = next, beside = next_beside;
            }
            store(fresh, s, F);
            store(member, s, M);
#pragma unroll
            for (int w = 0; w < W; w++) {
                up[w] = own[w] | F[w];
                own[w] = low[w];
            }
        }
    }
};

/* Any shape, words from memory. */
struct spread_any {
    const uint32_t *words;
    uint32_t *fresh, *member;
    word_layout layout;
    uint32_t above;

    /* Significant before the plane. */
    __device__ __forceinline__ uint32_t own(uint32_t word, uint32_t s) const
    {
        uint32_t n = (s << layout.width_log2) + word, v = 0;
        if (word >> layout.width_log2 || n >= layout.words) {
            return 0;
        }
        for (uint32_t p = 1; p < above; p++) {
            v |= words[layout.place(n) + p * 8];
        }
        return v;
    }
    /* The same, with what this pass has found: of the stripe before. */
    __device__ __forceinline__ uint32_t up(uint32_t word, uint32_t s) const
    {
        uint32_t n = ((s - 1) << layout.width_log2) + word;
        return s && !(word >> layout.width_log2) ? own(word, s - 1) | fresh[layout.place(n)] : 0;
    }
    __device__ __forceinline__ void run(const wvl_cuda_t1_block &b, spread_counts &counts)
    {
        const uint32_t seen = b.style & WVL_STYLE_VSC ? 0 : ~0u;
        uint32_t width = 1u << layout.width_log2, left = 0, before = 0, beside = 0, v = 0, here = 0;
        for (uint32_t n = 0; n < layout.words; n++) {
            uint32_t word = n & (width - 1), s = n >> layout.width_log2;
            if (!word) {
                here = own(0, s);
                beside = beside_rows(up(0, s), here, own(0, s + 1) & seen);
                before = left = 0;
                v = here | beside;
            }
            uint32_t next_own = own(word + 1, s),
                     next_beside = beside_rows(up(word + 1, s), next_own, own(word + 1, s + 1) & seen);
            uint32_t next = next_own | next_beside, at = layout.place(n);
            spread_word out = spread_columns(words[at], here, near_columns(before, v, next, beside),
                                             inside(b.width, b.height, word, s), left >> 7 & 0x01010101u);
            counts.add(here, words[at], out);
            fresh[at] = left = out.fresh;
            member[at] = out.member;
            before = v, v = next, beside = next_beside, here = next_own;
        }
    }
};

/* The block and plane of this thread; NULL: none. */
__device__ __forceinline__ uint32_t *find_plane(const wvl_cuda_t1_job &job, uint32_t kind, uint32_t *id,
                                                uint32_t *plane)
{
    uint32_t at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= *counter_of(job, WVL_CUDA_T1_ITEMS + kind) || !is_asked(job)) {
        return NULL;
    }
    uint32_t item = ((const uint32_t *)job.items)[job.item_first[kind] + at];
    *id = item >> 8;
    *plane = item & 0xFF;
    return units_at(job, state_of(job, *id).words) + *plane * 8;
}

__device__ __forceinline__ void store_counts(const wvl_cuda_t1_job &job, const wvl_cuda_t1_block &b,
                                             const wvl_cuda_t1_state &state, uint32_t plane, const spread_counts &c)
{
    uint32_t all = wvl_cuda_t1_all_passes(state.planes, b.max_passes);
    int64_t *gains = (int64_t *)units_at(job, state.ends + units_of_ends(state.planes)) + all;
    if (plane < all) {
        ((wvl_cuda_t1_plane_counts *)gains)[plane] = {(uint16_t)c.own, (uint16_t)c.member, (uint16_t)c.fresh,
                                                      (uint16_t)c.news};
    }
}

/* A plane of a block of 1 << WIDTH_LOG2 words a stripe. */
template <uint32_t WIDTH_LOG2>
__device__ __forceinline__ void spread_plane(const wvl_cuda_t1_job &job, uint32_t id, uint32_t plane, uint32_t *words)
{
    const wvl_cuda_t1_block &b = block_of(job, id);
    uint32_t planes = state_of(job, id).planes;
    word_layout layout(WIDTH_LOG2, b.height, planes);
    spread_rows<1 << WIDTH_LOG2> rows = {words,       words + layout.total, words + 2 * layout.total,
                                         layout.step, planes - plane,       (b.height + 3u) / 4};
    spread_counts counts = {0, 0, 0, 0};
    if (job.foresees) {
        rows.template run<true>(b, counts);
        store_counts(job, b, state_of(job, id), plane, counts);
    } else {
        rows.template run<false>(b, counts);
    }
}

template <uint32_t KIND, uint32_t WIDTH_LOG2> __device__ __forceinline__ void spread_blocks(const wvl_cuda_t1_job &job)
{
    uint32_t id, plane, *words = find_plane(job, KIND, &id, &plane);
    if (words) {
        spread_plane<WIDTH_LOG2>(job, id, plane, words);
    }
}

/* Four and eight words a stripe stand in registers here too: most blocks of this class have 32-bit samples, and no
 * other shape than the others. */
__device__ __forceinline__ void spread_any_blocks(const wvl_cuda_t1_job &job)
{
    uint32_t id, plane, *words = find_plane(job, WVL_CUDA_T1_ANY, &id, &plane);
    if (!words) {
        return;
    }
    const wvl_cuda_t1_block &b = block_of(job, id);
    uint32_t planes = state_of(job, id).planes, width_log2 = any_width_log2(b.width);
    if (width_log2 == 3) {
        spread_plane<3>(job, id, plane, words);
    } else if (width_log2 == 2) {
        spread_plane<2>(job, id, plane, words);
    } else {
        word_layout layout(width_log2, b.height, planes);
        spread_any any = {words, words + layout.total, words + 2 * layout.total, layout, planes - plane};
        spread_counts counts = {0, 0, 0, 0};
        any.run(b, counts);
        if (job.foresees) {
            store_counts(job, b, state_of(job, id), plane, counts);
        }
    }
}

} // namespace wvl_t1

extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_SPREAD_THREADS) wvl_t1_spread_64(const wvl_cuda_t1_job job)
{
    wvl_t1::spread_blocks<WVL_CUDA_T1_64, 3>(job);
}

extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_SPREAD_THREADS) wvl_t1_spread_32(const wvl_cuda_t1_job job)
{
    wvl_t1::spread_blocks<WVL_CUDA_T1_32, 2>(job);
}

extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_SPREAD_THREADS) wvl_t1_spread_any(const wvl_cuda_t1_job job)
{
    wvl_t1::spread_any_blocks(job);
}
