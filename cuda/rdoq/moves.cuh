/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of four samples move, as wvl_rdoq_choose_border() says, and what becomes of them. */
#pragma once
#include "cuda/rdoq/rows.cuh"

namespace wvl_rdoq
{

/* ---- Neighbours ------------------------------------------------------------------------------ */

/* Levels of four samples and of what is around them. */
struct around {
    uint32_t above_left, above, above_right, left, own, right, below_left, below, below_right;

    template <uint32_t WORDS>
    __device__ __forceinline__ around(const row<WORDS> &up, const row<WORDS> &at, const row<WORDS> &down, uint32_t j)
        : above_left(up.left[j]), above(up.levels[j]), above_right(up.right[j]), left(at.left[j]), own(at.levels[j]),
          right(at.right[j]), below_left(down.left[j]), below(down.levels[j]), below_right(down.right[j])
    {
    }
    /* The highest bit of each level, or the lowest one at level 0. */
    __device__ __forceinline__ uint32_t find_highest() const
    {
        uint32_t highest = own & ~(own >> 1);
        return highest | (~own & BYTES);
    }
    /* wvl_rdoq_count_neighbours() at those bits, held to 7: all borders are the same from 7 on. */
    __device__ __forceinline__ uint32_t count(uint32_t highest) const
    {
        uint32_t corners = (above_left & highest) + (above_right & highest) + (below_left & highest) +
                           (below_right & highest),
                 sides = (above & highest) + (below & highest) + (left & highest) + (right & highest),
                 all = corners + 2 * sides; /* times the bit: 96 at most */
        uint32_t by_one = ((highest >> 1 | highest >> 3) & BYTES) * 127,
                 by_two = ((highest >> 2 | highest >> 3) & BYTES) * 63;
        all = (all & ~by_one) | (all >> 1 & by_one);
        all = (all & ~by_two) | (all >> 2 & by_two);
        uint32_t over = all & 8 * BYTES;
        return (all | (over - (over >> 3))) & 7 * BYTES;
    }
    /* wvl_rdoq_is_near(): 1 or 0. */
    __device__ __forceinline__ uint32_t find_near() const
    {
        return (above_left | above | above_right | left | right | below_left | below | below_right) >> 1 & BYTES;
    }
};

/* ---- Borders --------------------------------------------------------------------------------- */

/* Each byte: a is below b. 0x80 or 0. */
__device__ __forceinline__ uint32_t compare_bytes(uint32_t a, uint32_t b)
{
    uint32_t rest = (a | TOPS) - (b & ~TOPS); /* bit 7: the lower seven bits of a are not below */
    return ((~a & b) | (~(a ^ b) & ~rest)) & TOPS;
}

/* Four entries of a table of eight bytes; n: 0 to 7, a half byte each. */
struct eight_bytes {
    uint32_t low, high;
    __device__ __forceinline__ uint32_t fetch(uint32_t n) const { return __byte_perm(low, high, n); }
};

/* A table of which each of eight lanes has an entry. */
__device__ __forceinline__ eight_bytes gather_entries(uint32_t entry)
{
    uint32_t n = lane_id() % 8, low = n < 4 ? entry << 8 * n : 0, high = n < 4 ? 0 : entry << 8 * (n - 4);
#pragma unroll
    for (uint32_t d = 4; d; d >>= 1) {
        low |= __shfl_sync(~0u, low, lane_id() ^ d);
        high |= __shfl_sync(~0u, high, lane_id() ^ d);
    }
    return {low, high};
}

/* Borders plus 128 (wvl_rdoq_rule), by neighbours. */
struct border_tables {
    eight_bytes first, second, more;
    uint32_t alone; /* four times the same */
    uint32_t open;  /* not `needs`: all bits; else 0 */
    uint32_t least; /* of the first table: samples below it stay at level 0. Four times the same */

    /* All lanes. */
    __device__ __forceinline__ explicit border_tables(const wvl_rdoq_end &end)
    {
        wvl_rdoq_borders mine = wvl_rdoq_find_borders(&end, lane_id() % 8);
        uint32_t smallest = (uint32_t)(mine.first + 128);
        first = gather_entries((uint32_t)(mine.first + 128));
        second = gather_entries((uint32_t)(mine.second + 128));
        more = gather_entries((uint32_t)(mine.more + 128));
        alone = (uint32_t)(wvl_rdoq_find_alone(&end) + 128) * BYTES;
        open = wvl_rdoq_needs_near(&end) ? 0 : ~0u;
#pragma unroll
        for (uint32_t d = 4; d; d >>= 1) {
            smallest = min(smallest, __shfl_sync(~0u, smallest, lane_id() ^ d));
        }
        least = smallest * BYTES;
    }
    /* Says whether any sample may move: none does at level 0 and below all borders. */
    __device__ __forceinline__ bool may_move(const four_levels &four) const
    {
        return (four.levels | (~compare_bytes(four.offsets, least) & TOPS)) != 0;
    }
};

/* Bytes of 0x80 or 0: what moves down, and up. */
struct four_moves {
    uint32_t lowered, raised;
};

/* highest: near.find_highest(). */
__device__ __forceinline__ four_moves decide_four(const around &near, uint32_t highest, uint32_t offsets,
                                                  const border_tables &borders)
{
    uint32_t n = near.count(highest), entries = __byte_perm(n | n >> 4, 0, 0x4420),
             is_near = fill_bytes(near.find_near()) | borders.open, from_two = fill_bytes(near.own >> 1 & BYTES),
             from_three = fill_bytes(near.own >> 2 & BYTES);
    uint32_t second = (borders.second.fetch(entries) & is_near) | (borders.alone & ~is_near);
    uint32_t border = (borders.first.fetch(entries) & ~from_two) | (second & from_two);
    border = (border & ~from_three) | (borders.more.fetch(entries) & from_three);
    uint32_t is_below = compare_bytes(offsets, border), is_up = near.own << 7, is_open = is_near | from_two;
    return {is_below & is_up & is_open, ~(is_below | is_up) & is_open & TOPS};
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* What lanes find as they move samples. The error of a sample is that which gains do not see: (m - v)^2 - (after -
 * v)^2, where v is the decoder's value. That is (m - after) (m + after - 2 v). */
struct moved {
    wvl_uwide error;         /* of samples of 32 bits: all of it, */
    uint64_t squares;        /* of 16 bits: sum of m^2 - after^2, */
    uint32_t before, behind; /* and of 2 v m and 2 v after, in steps */
    uint32_t bound;          /* magnitudes joined; of 16 bits: those of both halves of words */

    __device__ __forceinline__ wvl_uwide sum_error(uint32_t plane) const
    {
        return error + (squares - ((uint64_t)(int32_t)(before - behind) << plane));
    }
};

/* How samples of a block move. */
struct mover {
    wvl_rdoq_end end;
    uint32_t step;
    uint32_t is_cleanup; /* 1 or 0 in each byte */
    uint32_t above;      /* 1 or 0 in each byte: what 2 v has beside twice the level, in steps, from level 2 on */
    bool is_wide;

    __device__ __forceinline__ mover(const wvl_rdoq_end &at, bool wide)
        : end(at), step(1u << at.plane), is_cleanup(at.type == 2 ? BYTES : 0), above(at.type ? BYTES : 0), is_wide(wide)
    {
    }
    /* moves, and levels after them; near: find_near() after them, asked of what is lowered to level 1. */
    __device__ __forceinline__ void move(uint4 &samples, const four_moves &moves, uint32_t levels, uint32_t near,
                                         moved *m) const
    {
        if (is_wide) {
            move_singly(samples, moves, levels, near, m);
        } else {
            move_halves(samples, moves, levels, near, m);
        }
    }
    __device__ __forceinline__ void move_singly(uint4 &samples, const four_moves &moves, uint32_t levels, uint32_t near,
                                                moved *m) const;
    __device__ __forceinline__ void move_halves(uint4 &samples, const four_moves &moves, uint32_t levels, uint32_t near,
                                                moved *m) const;
};

__device__ __forceinline__ void mover::move_singly(uint4 &samples, const four_moves &moves, uint32_t levels,
                                                   uint32_t near, moved *m) const
{
    uint32_t left = moves.lowered | moves.raised;
    while (left) {
        uint32_t at = (uint32_t)__ffs(left) - 8, v = pick(samples, at / 8), before = v & 0x7FFFFFFF,
                 level = levels >> at & 15, is_raised = moves.raised >> at & 0x80,
                 lowered = level ? ((level + 1) << end.plane) - 1 : 0, after = is_raised ? step : lowered;
        uint64_t decoded = is_raised ? 3 * (uint64_t)step : wvl_rdoq_twice_lowered(&end, after, (int)(near >> at & 1));
        /* both factors have one sign: the decoder's value lies beyond `after` */
        int64_t by = (int64_t)before - after, far = (int64_t)before + after - (int64_t)decoded;
        m->error += (wvl_uwide)(uint64_t)(by < 0 ? -by : by) * (uint64_t)(far < 0 ? -far : far);
        replace(samples, at / 8, after ? after | (v & 0x80000000u) : 0);
        left &= left - 1;
    }
}

/* The difference of the squares of two halves. */
__device__ __forceinline__ uint64_t compare_squares(uint32_t m, uint32_t after)
{
    uint32_t low = m & 0xFFFF, high = m >> 16, low_after = after & 0xFFFF, high_after = after >> 16;
    return (uint64_t)((int64_t)((int32_t)low - (int32_t)low_after) * (int32_t)(low + low_after) +
                      (int64_t)((int32_t)high - (int32_t)high_after) * (int32_t)(high + high_after));
}

/* Four samples of 16 bits at once. With the level after the move as bits: a lowered sample becomes (level + 1) S - 1,
 * or 0 at level 0; a raised one becomes S. */
__device__ __forceinline__ void mover::move_halves(uint4 &samples, const four_moves &moves, uint32_t levels,
                                                   uint32_t near, moved *m) const
{
    uint32_t moving = fill_bytes((moves.lowered | moves.raised) >> 7), less = moves.lowered >> 7 & levels,
             steps = (levels & moving) + less, stays = moves.raised | less << 7; /* a sample, and so its sign */
    uint32_t from_two = fill_bytes(levels >> 1 & BYTES),
             at_one = ((near | is_cleanup) & levels & BYTES) | moves.raised >> 7,
             twice = ((2 * levels + above) & from_two) | (3 * at_one & ~from_two);
    twice &= moving; /* 2 v in steps (wvl_rdoq_twice_lowered) */
#pragma unroll
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t &word = k ? samples.y : samples.x;
        uint32_t mask = __byte_perm(moving, 0, k ? 0x3322 : 0x1100),
                 after = __byte_perm(steps, 0, k ? 0x4342 : 0x4140) * step - __byte_perm(less, 0, k ? 0x4342 : 0x4140),
                 before = word & mask & 0x7FFF7FFF;
        m->squares += compare_squares(before, after);
        m->before = k ? __dp2a_hi(before, twice, m->before) : __dp2a_lo(before, twice, m->before);
        m->behind = k ? __dp2a_hi(after, twice, m->behind) : __dp2a_lo(after, twice, m->behind);
        word = (word & (~mask | __byte_perm(stays, 0, k ? 0x3424 : 0x1404))) | after;
    }
}

/* Magnitudes of a word, joined. */
__device__ __forceinline__ uint32_t join_magnitudes(const uint4 &v, bool is_wide)
{
    return is_wide ? (v.x | v.y | v.z | v.w) & 0x7FFFFFFF : (v.x | v.y) & 0x7FFF7FFF;
}

} // namespace wvl_rdoq
