/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The HT SigProp and MagRef passes (15444-15 Annex C), one plane below the cleanup pass: a warp a block.
 * codec/ht/refine_code.h is the twin.
 *
 * Samples lie in words: four columns of a stripe, a column a byte, its upper sample in bit 0. SigProp depends on what
 * the samples before became, so stripes go on as a front: lane k is at group g - 2k of stripe k of 32 when lane 0 is
 * at group g. MagRef depends on nothing.
 *
 * Where EBCOT kernels have split the block, all of that is known: words say which samples are coded and which become
 * significant, and lanes take words in raster order.
 */
#include "cuda/blocks/ht_put.cuh"
#include "cuda/blocks/ht_tables.cuh"
#include "geom/plan.h"

namespace wvl_ht
{

/* Words of groups of four stripe columns, raster order. */
struct stripes {
    uint32_t *significant, *bit, *negative, *fresh;
    uint32_t groups, count, width, height; /* groups of a stripe, stripes; samples */
    bool is_causal;
    /* Reads old and new significance; outside there is none. */
    __device__ __forceinline__ uint32_t at(const uint32_t *of, int stripe, int group) const
    {
        return (uint32_t)stripe < count && (uint32_t)group < groups ? of[(uint32_t)stripe * groups + (uint32_t)group]
                                                                    : 0;
    }
    __device__ __forceinline__ uint32_t either(int stripe, int group) const
    {
        return at(significant, stripe, group) | at(fresh, stripe, group);
    }
};

__device__ __forceinline__ uint32_t fetch_sample(const wvl_cuda_ht_block &b, uint32_t x, uint32_t y)
{
    size_t i = (size_t)y * b.stride + x;
    return b.coef_bytes == 2 ? ((const uint16_t *)b.coefs)[i] : ((const uint32_t *)b.coefs)[i];
}

__device__ __forceinline__ void load_group(const stripes &s, const wvl_cuda_ht_block &b, uint32_t i)
{
    uint32_t plane = plane_of(b), top = 8u * b.coef_bytes - 1, x = 4 * (i % s.groups), y = 4 * (i / s.groups),
             significant = 0, bit = 0, negative = 0;
    for (uint32_t k = 0; k < 16; k++) {
        uint32_t column = x + (k & 3), row = y + (k >> 2), to = 8 * (k & 3) + (k >> 2);
        if (column < s.width && row < s.height) {
            uint32_t sample = fetch_sample(b, column, row), magnitude = sample & ~(1u << top);
            significant |= (uint32_t)(magnitude >> plane != 0) << to;
            bit |= (magnitude >> (plane - 1) & 1) << to;
            negative |= (sample >> top) << to;
        }
    }
    s.significant[i] = significant;
    s.bit[i] = bit;
    s.negative[i] = negative;
    s.fresh[i] = 0;
}

/* Samples of a group with a significant neighbour, before it gets new ones. */
__device__ __forceinline__ uint32_t find_members(const stripes &s, int stripe, int group)
{
    uint32_t own = s.at(s.significant, stripe, group), right = s.at(s.significant, stripe, group + 1),
             over = s.either(stripe - 1, group);
    uint32_t sides = own << 8 | s.either(stripe, group - 1) >> 24 | own >> 8 | right << 24;
    uint32_t above = over | over << 8 | over >> 8 | s.either(stripe - 1, group - 1) >> 24 |
                     s.either(stripe - 1, group + 1) << 24,
             below = 0;
    if (!s.is_causal) {
        uint32_t under = s.at(s.significant, stripe + 1, group);
        below = under | under << 8 | under >> 8 | s.at(s.significant, stripe + 1, group - 1) >> 24 |
                s.at(s.significant, stripe + 1, group + 1) << 24;
    }
    uint32_t near =
        sides | sides << 1 | sides >> 1 | own << 1 | own >> 1 | (above >> 3 & 0x01010101u) | (below & 0x01010101u) << 3;
    return near & 0x0F0F0F0Fu;
}

/* Bits of `from` where `which` has 1s, next to each other. */
__device__ __forceinline__ uint32_t extract(uint32_t from, uint32_t which)
{
    uint32_t bits = 0;
    for (uint32_t n = 0; which; which &= which - 1, n++) {
        bits |= (from >> (__ffs(which) - 1) & 1) << n;
    }
    return bits;
}

/* Samples of a group that do not exist. */
__device__ __forceinline__ uint32_t find_absent(const stripes &s, uint32_t stripe, uint32_t group)
{
    uint32_t rows = min(s.height - 4 * stripe, 4u), columns = min(s.width - 4 * group, 4u);
    return (15u << rows & 15u) * 0x01010101u | (columns < 4 ? ~0u << 8 * columns : 0);
}

/* The bits of a group, then the signs of what became significant: at most 16 of either. */
__device__ __forceinline__ void put_group(const stripes &s, uint32_t stripe, uint32_t group, writer &to)
{
    uint32_t i = stripe * s.groups + group, members = find_members(s, (int)stripe, (int)group);
    uint32_t own = s.significant[i] | find_absent(s, stripe, group), bits = s.bit[i], all = 0, fresh = 0, code = 0,
             count = 0;
    if (!(members & ~own)) {
        return;
    }
    uint32_t columns = min(s.width - 4 * group, 4u);
    for (uint32_t k = 0; k < columns; k++) {
        uint32_t near = (members >> 8 * k | fresh | fresh << 1 | fresh >> 1) & 15;
        uint32_t entry = wvl_ht_column[near | (own >> 8 * k & 15) << 4 | (bits >> 8 * k & 15) << 8];
        code |= (entry & 15) << count;
        count += entry >> 4 & 7;
        fresh = entry >> 8;
        all |= fresh << 8 * k;
    }
    s.fresh[i] = all;
    to.put(code | shift_left(extract(s.negative[i], all), count), count + __popc(all));
}

/* Bits of lanes to their places in a stream of `base` bits; returns its bits then. */
__device__ __forceinline__ uint32_t append_rows(uint32_t *plain, const uint32_t *words, uint32_t length, uint32_t base)
{
    uint32_t sum = scan<32>(length), offset = base + sum - length;
    __syncwarp();
    for (uint32_t j = 0; 32 * j < length; j++) {
        uint32_t shift = offset & 31, over = __funnelshift_l(words[j], 0, shift);
        atomicOr(plain + offset / 32 + j, words[j] << shift);
        if (over) {
            atomicOr(plain + offset / 32 + j + 1, over);
        }
    }
    __syncwarp();
    return base + __shfl_sync(~0u, sum, 31);
}

/* All of SigProp to `plain`; rows: room for what lanes gather. Returns bits. */
__device__ __forceinline__ uint32_t put_propagation(const stripes &s, uint32_t *rows, uint32_t *plain)
{
    uint32_t lane = lane_id(), bits = 0;
    for (uint32_t first = 0; first < s.count; first += 32) {
        uint32_t lanes = min(s.count - first, 32u), steps = s.groups + 2 * (lanes - 1);
        writer own;
        const uint32_t *row = rows + (lane < lanes ? lane * (s.groups + 1) : 0);
        own.open(row);
        for (uint32_t step = 0; step < steps; step++) {
            uint32_t group = step - 2 * lane;
            if (lane < lanes && step >= 2 * lane && group < s.groups) {
                put_group(s, first + lane, group, own);
            }
            __syncwarp();
        }
        bits = append_rows(plain, row, lane < lanes ? own.finish(row) : 0, bits);
    }
    return bits;
}

/* A lane takes up to 8 groups in raster order. */
__device__ __forceinline__ uint32_t put_magnitudes(const stripes &s, uint32_t *rows, uint32_t *plain)
{
    uint32_t total = s.groups * s.count, each = (total + 31) / 32, first = min(lane_id() * each, total);
    writer own;
    const uint32_t *row = rows + lane_id() * 5;
    own.open(row);
    for (uint32_t i = first; i < min(first + each, total); i++) {
        uint32_t which = s.significant[i];
        own.put(extract(s.bit[i], which), __popc(which));
    }
    return append_rows(plain, row, own.finish(row), 0);
}

/* ---- From words of EBCOT planes -------------------------------------------------------------- */

/* Index bits `HIGH` and `LOW` of all bits change places. */
template <uint32_t HIGH, uint32_t LOW, uint32_t MASK> __device__ __forceinline__ uint32_t swap_index(uint32_t v)
{
    constexpr uint32_t D = (1u << HIGH) - (1u << LOW);
    uint32_t t = ((v >> D) ^ v) & MASK;
    return v ^ t ^ (t << D);
}

/* Rows of 8 columns to columns of 4 rows: bit 8 r + c becomes bit 4 c + r. The lower half is a group, the upper half
 * the next one. */
__device__ __forceinline__ uint32_t turn_columns(uint32_t v)
{
    v = swap_index<4, 2, 0x0000F0F0u>(v);
    v = swap_index<3, 1, 0x00CC00CCu>(v);
    v = swap_index<2, 0, 0x0A0A0A0Au>(v);
    return swap_index<1, 0, 0x22222222u>(v);
}

/* Does what extract() does, in the same time whatever the bits are: bits move by the 0s of `which` below them, by 1, 2,
 * 4, 8 and 16 places. */
__device__ __forceinline__ uint32_t extract_word(uint32_t from, uint32_t which)
{
    uint32_t v = from & which, below = ~which << 1;
#pragma unroll
    for (uint32_t d = 1; d < 32; d *= 2) {
        uint32_t odd = below ^ (below << 1);
        odd ^= odd << 2;
        odd ^= odd << 4;
        odd ^= odd << 8;
        odd ^= odd << 16;
        uint32_t moved = odd & which, t = v & moved;
        which = (which ^ moved) | moved >> d;
        v = (v ^ t) | t >> d;
        below &= ~odd;
    }
    return v;
}

/* A block whose planes are split. */
struct split_block {
    const uint32_t *words;
    uint32_t step, total, count, planes, plane; /* plane: of the two passes */

    __device__ __forceinline__ split_block(const wvl_cuda_ht_words &from, uint32_t refined)
        : words((const uint32_t *)from.words), step(from.step), total(from.total), count(from.count),
          planes(from.planes), plane(refined)
    {
    }
    __device__ __forceinline__ const uint32_t *at(uint32_t n) const { return words + n / 8 * step + n % 8; }
    __device__ __forceinline__ uint32_t each() const { return (count + 31) / 32; }
    __device__ __forceinline__ uint32_t first() const { return min(lane_id() * each(), count); }
    __device__ __forceinline__ uint32_t end() const { return min(first() + each(), count); }
};

/* The bits of a group, then its signs; at most 16 of either. Bits of two groups lie side by side. */
__device__ __forceinline__ void put_two_groups(uint32_t bits, uint32_t members, uint32_t signs, uint32_t fresh,
                                               writer &to)
{
    uint32_t n = __popc(members & 0xFFFF), k = __popc(fresh & 0xFFFF);
    to.put((bits & low_bits(n)) | shift_left(signs & low_bits(k), n), n + k);
    bits >>= n;
    signs >>= k;
    n = __popc(members >> 16);
    to.put(bits | shift_left(signs, n), n + __popc(fresh >> 16));
}

__device__ __forceinline__ uint32_t put_split_propagation(const split_block &b, uint32_t *rows, uint32_t *plain)
{
    writer own;
    const uint32_t *row = rows + lane_id() * 17;
    own.open(row);
    for (uint32_t i = b.first(), end = b.end(); i < end; i++) {
        const uint32_t *at = b.at(i), *of = at + b.plane * 8;
        uint32_t members = of[2 * b.total];
        if (members) {
            uint32_t fresh = turn_columns(of[b.total]);
            members = turn_columns(members);
            put_two_groups(extract_word(turn_columns(*of), members), members,
                           extract_word(turn_columns(at[b.planes * 8]), fresh), fresh, own);
        }
    }
    return append_rows(plain, row, own.finish(row), 0);
}

__device__ __forceinline__ uint32_t put_split_magnitudes(const split_block &b, uint32_t *rows, uint32_t *plain)
{
    writer own;
    const uint32_t *row = rows + lane_id() * 9;
    own.open(row);
    for (uint32_t i = b.first(), end = b.end(); i < end; i++) {
        const uint32_t *at = b.at(i);
        uint32_t which = 0;
        for (uint32_t plane = b.plane + 1; plane < b.planes; plane++) {
            which |= at[plane * 8];
        }
        which = turn_columns(which);
        own.put(extract_word(turn_columns(at[b.plane * 8]), which), __popc(which));
    }
    return append_rows(plain, row, own.finish(row), 0);
}

/* ---- The second segment ---------------------------------------------------------------------- */

__device__ __forceinline__ void clear_words(uint32_t *words, uint32_t count)
{
    for (uint32_t i = lane_id(); i < count; i += 32) {
        words[i] = 0;
    }
    __syncwarp();
}

/* Both streams fill their last bytes from the lowest bit; one byte serves both where their bits agree. Lane 0. */
__device__ __forceinline__ void join(wvl_cuda_ht_part &p, uint8_t *piece, const ending &sigprop, const ending &magref)
{
    uint32_t both = sigprop.bits | magref.bits, mask = ((1u << sigprop.left) - 1) | (sigprop.flag ? 0x80u : 0),
             other = (1u << magref.left) - 1;
    p.sigprop = sigprop.count;
    p.magref = magref.count;
    if (mask && other && !((sigprop.bits ^ magref.bits) & mask & other) && both != 0xFF) {
        piece[p.sigprop++] = (uint8_t)both;
        return;
    }
    if (mask) {
        piece[p.sigprop++] = (uint8_t)sigprop.bits;
    }
    if (other) {
        piece[p.sigprop++] = (uint8_t)magref.bits;
    }
}

/* The second segment of a block from its plain bits; with_magref: it holds MagRef, too. */
__device__ __forceinline__ void put_refinement(const wvl_cuda_ht_job &job, uint32_t *plain, uint32_t *plain_magref,
                                               uint32_t id, uint32_t bits, uint32_t magref_bits, bool with_magref)
{
    uint32_t bytes = most_bytes(bits) + most_bytes(magref_bits), units = take_scratch(job, bytes);
    if (units == ~0u) {
        put_nothing(job, id, WVL_CUDA_HT_LEFT);
        return;
    }
    uint8_t *piece = (uint8_t *)job.scratch + (uint64_t)units * 16;
    stream none = {plain, 0, 0, bits};
    ending sigprop = put_stream<false>({plain, 0, ~0u, 0, 0, piece}, none), magref = {0, 0, 0, 0};
    if (with_magref) {
        none.total = magref_bits;
        magref = put_stream<true>({plain_magref, 0, ~0u, 0, 0, piece + bytes}, none);
    }
    if (!lane_id()) {
        wvl_cuda_ht_part &p = part_of(job, id);
        wvl_cuda_ht_record &r = record_of(job, id);
        p.refinement = units;
        p.magref_end = bytes;
        join(p, piece, sigprop, magref);
        r.tail_count = sigprop.left || sigprop.flag;
        r.tail = (uint8_t)sigprop.bits;
        r.sigprop_bytes = sigprop.count + r.tail_count;
        r.has_sigprop = 1;
        r.has_magref = with_magref;
    }
}

__device__ __forceinline__ stripes open_stripes(const wvl_cuda_ht_block &b, uint32_t *words)
{
    stripes s = {words,       words + 256,        words + 512,
                 words + 768, (b.width + 3u) / 4, (b.height + 3u) / 4,
                 b.width,     b.height,           (b.style & WVL_STYLE_VSC) != 0};
    for (uint32_t i = lane_id(); i < s.groups * s.count; i += 32) {
        load_group(s, b, i);
    }
    __syncwarp();
    return s;
}

__device__ __forceinline__ void refine_block(const wvl_cuda_ht_job &job, uint32_t *words, uint32_t id)
{
    const wvl_cuda_ht_block b = block_of(job, id);
    if (!b.cleanup_plane || b.max_passes < 2 || b.set_passes == 1 || !record_of(job, id).cleanup_bytes) {
        return;
    }
    bool with_magref = b.max_passes > 2 && b.set_passes != 2;
    uint32_t *rows = words + 1024, *plain = rows + 288, *plain_magref = plain + 300, bits, magref_bits = 0;
    __syncwarp();
    clear_words(plain, 300 + 172);
    if (job.words) {
        const split_block split(((const wvl_cuda_ht_words *)job.words)[id], b.cleanup_plane - 1u);
        bits = put_split_propagation(split, words, plain);
        magref_bits = with_magref ? put_split_magnitudes(split, rows, plain_magref) : 0;
    } else {
        const stripes s = open_stripes(b, words);
        bits = put_propagation(s, rows, plain);
        magref_bits = with_magref ? put_magnitudes(s, rows, plain_magref) : 0;
    }
    put_refinement(job, plain, plain_magref, id, bits, magref_bits, with_magref);
}

} // namespace wvl_ht

extern "C" __global__ void __launch_bounds__(32 * WVL_CUDA_HT_REFINE_WARPS, 1) wvl_ht_refine(const wvl_cuda_ht_job job)
{
    WVL_HT_SHARED(shared);
    uint32_t *words = shared + (threadIdx.x >> 5) * WVL_CUDA_HT_REFINE_WORDS, id;
    wvl_ht::item_list items;
    items.open(wvl_ht::next_of(job, WVL_CUDA_HT_CLASSES), 1);
    for (;;) {
        if (!wvl_ht::find_block(job, items.take(), &id)) {
            return;
        }
        wvl_ht::refine_block(job, words, id);
    }
}
