/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tag trees of a packet in a closed form (B.10.2): what a block says of the nodes above it follows from the nodes
 * alone, so that all blocks are coded at the same time.
 *
 * A node of the inclusion tree is said by the block at its top left: 1 if any block below is included; nothing is said
 * below a 0. A node of the tree of zero planes is said by the first included block below it: 0s from the value of its
 * parent to its own, and a 1.
 *
 * Blocks that a layer before has included say a bit of their own, and nodes with such blocks below them are known in
 * both trees: they say nothing. All blocks below another node wait since the first layer. In the last packet that said
 * anything they said of it what they could: that its value is not below `since` (wvl_cuda_packets_job). Packets that
 * say nothing leave the trees as they are. So where the parent is known, or there is none, a 0 for each of the layers
 * missed comes in front; where the parent becomes known now, what it says stands for these (D-device-20).
 *
 * A node of both trees is a word: the first included block and 1 << 7 | the least number of zero planes. NODE_KNOWN: a
 * block below was sent before. NODE_EMPTY: no block below is included.
 */
#pragma once
#include "cuda/packets/source.cuh"

namespace wvl_packets
{

constexpr uint32_t NODE_PLANES = 127, NODE_KNOWN = 0, NODE_EMPTY = WVL_ASSEMBLY_MOST_BLOCKS - 1;

/* The packet in work. All members are the same for all threads. */
struct packet_view {
    const wvl_assembly_packet *packet;
    uint32_t *nodes;  /* of all bands, one after the other; leaves first, in raster order */
    uint32_t *levels; /* [3][WVL_ASSEMBLY_MOST_LEVELS]: the first node of a level */
    uint32_t missed;  /* layers before in which the packet of the precinct said nothing, since the last that did */
};

/* A block: its band and place. */
struct block_place {
    uint32_t band, index, x, y;
};

__device__ __forceinline__ uint32_t count_blocks(const wvl_assembly_band &b) { return b.cols * b.rows; }
__device__ __forceinline__ uint32_t level_size(uint32_t leaves, uint32_t level)
{
    return (leaves + (1u << level) - 1) >> level;
}
__device__ __forceinline__ uint32_t count_levels(const wvl_assembly_band &b)
{
    uint32_t most = max(b.cols, b.rows);
    return count_blocks(b) ? 33 - (uint32_t)__clz(most - 1) : 0;
}

__device__ __forceinline__ block_place find_place(const wvl_assembly_packet &p, uint32_t i)
{
    block_place at = {0, i, 0, 0};
    while (at.index >= count_blocks(p.band[at.band])) {
        at.index -= count_blocks(p.band[at.band++]);
    }
    at.y = at.index / p.band[at.band].cols;
    at.x = at.index - at.y * p.band[at.band].cols;
    return at;
}

__device__ __forceinline__ uint32_t node_at(const packet_view &v, const block_place &at, uint32_t level)
{
    uint32_t cols = level_size(v.packet->band[at.band].cols, level);
    return v.nodes[v.levels[at.band * WVL_ASSEMBLY_MOST_LEVELS + level] + (at.y >> level) * cols + (at.x >> level)];
}

/* Returns what the inclusion tree holds: the block that is counted from 1, or NODE_*. */
__device__ __forceinline__ uint32_t first_at(const packet_view &v, const block_place &at, uint32_t level)
{
    return node_at(v, at, level) >> 7;
}

__device__ __forceinline__ uint32_t make_leaf(const sent_block &b, uint32_t index)
{
    uint32_t first = b.segment_count ? index + 1 : NODE_EMPTY;
    return (b.flags & WVL_CUDA_PACKETS_SENT ? (uint32_t)NODE_KNOWN : first) << 7 | b.zero_planes;
}

/* A thread a band. */
template <class TEAM> __device__ __forceinline__ void find_levels(const packet_view &v)
{
    uint32_t node = 0, band = TEAM::rank();
    if (band >= v.packet->band_count) {
        return;
    }
    for (uint32_t b = 0; b <= band; b++) {
        const wvl_assembly_band &from = v.packet->band[b];
        for (uint32_t k = 0; k < count_levels(from); k++) {
            v.levels[band * WVL_ASSEMBLY_MOST_LEVELS + k] = b == band ? node : 0;
            node += level_size(from.cols, k) * level_size(from.rows, k);
        }
    }
}

/* A node from those below it. */
__device__ __forceinline__ uint32_t join_nodes(const uint32_t *below, uint32_t cols, uint32_t rows, uint32_t x,
                                               uint32_t y)
{
    uint32_t first = NODE_EMPTY, planes = NODE_PLANES;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t cx = 2 * x + (k & 1), cy = 2 * y + (k >> 1);
        if (cx < cols && cy < rows) {
            uint32_t node = below[cy * cols + cx];
            first = min(first, node >> 7);
            planes = min(planes, node & NODE_PLANES);
        }
    }
    return first << 7 | planes;
}

/* Level k + 1 of all bands from level k; the same threads take the bands in turn. */
template <class TEAM> __device__ __forceinline__ bool build_level(const packet_view &v, uint32_t k)
{
    bool any = false;
    for (uint32_t b = 0; b < v.packet->band_count; b++) {
        const wvl_assembly_band &band = v.packet->band[b];
        if (k + 1 >= count_levels(band)) {
            continue;
        }
        const uint32_t *from = v.nodes + v.levels[b * WVL_ASSEMBLY_MOST_LEVELS + k];
        uint32_t *to = v.nodes + v.levels[b * WVL_ASSEMBLY_MOST_LEVELS + k + 1], cols = level_size(band.cols, k + 1),
                 count = cols * level_size(band.rows, k + 1);
        for (uint32_t i = TEAM::rank(); i < count; i += TEAM::size()) {
            to[i] = join_nodes(from, level_size(band.cols, k), level_size(band.rows, k), i % cols, i / cols);
        }
        any = true;
    }
    return any;
}

/* ---- What a block says ----------------------------------------------------------------------- */

/* Bits that are only counted, and bits into a window. A word of the window takes what lies in it. */
struct bit_counter {
    uint32_t bits;
    __device__ __forceinline__ void skip(uint32_t n) { bits += n; }
    __device__ __forceinline__ void put(uint32_t, uint32_t n) { bits += n; }
};
struct bit_placer {
    uint32_t *words, count;
    int at; /* from the first bit of the window */
    __device__ __forceinline__ void put_word(int word, uint32_t bits)
    {
        if (bits && word >= 0 && word < (int)count) {
            atomicOr(&words[word], bits);
        }
    }
    __device__ __forceinline__ void skip(uint32_t n) { at += (int)n; }
    __device__ __forceinline__ void put(uint32_t value, uint32_t n) /* n <= 32 */
    {
        uint64_t bits = n ? (uint64_t)value << (64 - n) >> (at & 31) : 0;
        put_word(at >> 5, (uint32_t)(bits >> 32));
        put_word((at >> 5) + 1, (uint32_t)bits);
        at += (int)n;
    }
};

template <class S> __device__ __forceinline__ void say_inclusion(S &s, const packet_view &v, const block_place &at)
{
    uint32_t top = count_levels(v.packet->band[at.band]) - 1, corner = at.x | at.y,
             level = corner ? min((uint32_t)__ffs((int)corner) - 1, top) : top;
    uint32_t above = level == top ? NODE_KNOWN : first_at(v, at, level + 1);
    for (uint32_t k = level + 1; above != NODE_EMPTY && k-- > 0;) {
        uint32_t own = first_at(v, at, k);
        if (own != NODE_KNOWN) {
            s.skip(above == NODE_KNOWN ? v.missed : 0);
            s.put(own != NODE_EMPTY, 1);
        }
        above = own;
    }
}

template <class S> __device__ __forceinline__ void say_zero_planes(S &s, const packet_view &v, const block_place &at)
{
    uint32_t levels = count_levels(v.packet->band[at.band]), level = 0;
    while (level < levels && first_at(v, at, level) == at.index + 1) {
        level++;
    }
    uint32_t known = level < levels ? node_at(v, at, level) & NODE_PLANES : 0;
    while (level-- > 0) {
        uint32_t planes = node_at(v, at, level) & NODE_PLANES;
        s.skip(planes - known);
        s.put(1, 1);
        known = planes;
    }
}

template <class S> __device__ __forceinline__ void say_lengths(S &s, const sent_block &b)
{
    unsigned bits, before = WVL_PACKET_FIRST_LBLOCK + (b.flags >> WVL_CUDA_PACKETS_GROWTH), lblock = before;
    uint32_t code = wvl_packet_pass_code(b.passes, &bits);
    s.put(code, bits);
    for (uint32_t i = 0; i < b.segment_count; i++) {
        uint32_t segment = segment_of(b, i);
        lblock = wvl_packet_raise_lblock(lblock, segment >> 24, segment & 0xFFFFFF);
    }
    s.put(wvl_packet_lblock_code(lblock - before), lblock - before + 1);
    for (uint32_t i = 0; i < b.segment_count; i++) {
        uint32_t segment = segment_of(b, i);
        s.put(segment & 0xFFFFFF, lblock + wvl_packet_extra_bits(segment >> 24));
    }
}

template <class S>
__device__ __forceinline__ void say_block(S &s, const packet_view &v, const block_place &at, const sent_block &b)
{
    if (b.flags & WVL_CUDA_PACKETS_SENT) {
        s.put(b.segment_count != 0, 1);
    } else {
        say_inclusion(s, v, at);
        if (b.segment_count) {
            say_zero_planes(s, v, at);
        }
    }
    if (b.segment_count) {
        say_lengths(s, b);
    }
}

} // namespace wvl_packets
