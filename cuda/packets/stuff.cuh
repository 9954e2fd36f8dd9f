/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plain bits of a packet header to its bytes (B.10.1), by a team. The bits stand in a window of shared memory,
 * a word a thread, the first bit on top.
 *
 * A unit is a byte of 8 bits, or 15 bits in two bytes where the first is 0xFF. A unit begins in a word at one of 15
 * offsets, left by the unit before. Each thread finds for all offsets of entry where the next word is entered; warps
 * and threads are then chained by lookups.
 */
#pragma once
#include "cuda/packets/source.cuh"

namespace wvl_packets
{

/* The map of a word without a byte 0xFF. */
constexpr uint64_t STRAIGHT = UINT64_C(0x7654321076543210);

/* Finds where units that begin at each of 16 offsets leave the word: 16 offsets of 4 bits. ones: bit 31 - p says that a
 * byte at offset p is 0xFF. */
__device__ __forceinline__ uint64_t map_entries(uint32_t ones)
{
    if (!ones) {
        return STRAIGHT;
    }
    uint64_t map = UINT64_C(0xFEDCBA9876543210); /* offsets 32 to 47 leave at 0 to 15 */
    for (uint32_t p = 0; p < 32; p++, ones >>= 1) {
        map = map << 4 | (map >> (ones & 1 ? 56 : 28) & 15);
    }
    return map;
}

/* The bytes of a word. */
struct stuffed {
    uint64_t bytes; /* the first one lowest; at most 6 */
    uint32_t count;
};

/* word: 32 bits on top, what follows below. limit: units begin before this offset. */
__device__ __forceinline__ stuffed stuff_word(uint64_t word, uint32_t ones, uint32_t entry, uint32_t limit)
{
    stuffed s = {0, 0};
    uint32_t p = entry;
    while (p < limit) {
        s.bytes |= (word << p >> 56) << 8 * s.count++;
        if (ones << p >> 31) {
            s.bytes |= (word << (p + 8) >> 57) << 8 * s.count++;
            p += 7;
        }
        p += 8;
    }
    return s;
}

/* A lookup in the maps of a warp's words, one after the other. Returns what offset `entry` of the first word becomes
 * behind the last; *own: at the word of this lane. A word without a byte 0xFF takes 8 off an offset above 7, and that
 * is all: such words are not looked up. `bent`: bit i: word i has one. */
__device__ __forceinline__ uint32_t follow_words(uint64_t map, uint32_t bent, uint32_t entry, uint32_t *own)
{
    uint32_t lane = wvl_ht::lane_id(), next = 0; /* word that `entry` is known of */
    *own = entry;
    for (; bent; bent &= bent - 1) {
        uint32_t i = (uint32_t)__ffs((int)bent) - 1, low = __shfl_sync(~0u, (uint32_t)map, i),
                 high = __shfl_sync(~0u, (uint32_t)(map >> 32), i);
        *own = lane > next ? entry & 7 : *own;
        entry = i > next ? entry & 7 : entry;
        entry = (entry & 8 ? high : low) >> 4 * (entry & 7) & 15;
        next = i + 1;
        *own = lane == next ? entry : *own;
    }
    *own = lane > next ? entry & 7 : *own;
    return next < 32 ? entry & 7 : entry;
}

/* Finds where units enter the word of this thread. entries: 16 words a warp. */
template <class TEAM> __device__ __forceinline__ uint32_t find_entry(uint64_t map, uint32_t first, uint32_t *entries)
{
    uint32_t lane = wvl_ht::lane_id(), warp = TEAM::rank() >> 5, own = 0, bent = __ballot_sync(~0u, map != STRAIGHT),
             left = follow_words(map, bent, lane & 15, &own);
    if (lane < 16) {
        entries[16 * warp + lane] = left;
    }
    TEAM::meet();
    for (uint32_t w = 0; w < warp; w++) {
        first = entries[16 * w + first];
    }
    (void)follow_words(map, bent, first, &own);
    return own;
}

/* Bits that wait for their bytes. All members are the same for all threads. */
struct bit_window {
    uint32_t *words; /* [room + 1]: the last is 0 */
    uint32_t *sums, *entries, *share;
    uint32_t room; /* words: a multiple of the threads */
    uint8_t *out;
    uint32_t out_count;
    uint64_t at;    /* bits before the first word */
    uint32_t entry; /* where a unit begins in the first word */
};

template <class TEAM> __device__ __forceinline__ void clear_window(const bit_window &w)
{
    for (uint32_t i = TEAM::rank(); i <= w.room; i += TEAM::size()) {
        w.words[i] = 0;
    }
}

/* The bytes of units that begin in the next words, one a thread, before bit `bits`. The last word of a window that is
 * not the last one is kept. */
template <class TEAM>
__device__ __forceinline__ void stuff_words(bit_window &w, uint32_t first, uint32_t bits, bool is_last)
{
    uint32_t at = first + TEAM::rank(), begin = 32 * at, left = bits > begin ? bits - begin : 0;
    uint64_t word = (uint64_t)w.words[at] << 32 | w.words[at + 1], ones = word & word << 1, all;
    ones &= ones << 2;
    ones &= ones << 4;
    uint32_t is_ff = (uint32_t)(ones >> 32);
    uint64_t map = map_entries(is_ff);
    uint32_t entry = find_entry<TEAM>(map, w.entry, w.entries);
    bool is_kept = !is_last && at + 1 == w.room;
    stuffed s = stuff_word(word, is_ff, entry, is_kept ? 0 : min(left, 32u));
    if (TEAM::rank() + 1 == TEAM::size()) {
        w.share[1] = is_kept ? entry : (uint32_t)(map >> 4 * entry) & 15;
    }
    uint64_t end = TEAM::scan(s.count, w.sums, &all);
    uint8_t *to = w.out + w.out_count + (uint32_t)end - s.count;
    for (uint32_t i = 0; i < s.count; i++) {
        to[i] = (uint8_t)(s.bytes >> 8 * i);
    }
    w.out_count += (uint32_t)all;
    w.entry = w.share[1];
    TEAM::meet();
}

/* Writes the bytes of `bits` bits in the window; if they are the last ones, all of them, else those of all words but
 * the last, which becomes the first. */
template <class TEAM> __device__ __forceinline__ void empty_window(bit_window &w, uint32_t bits, bool is_last)
{
    for (uint32_t first = 0; 32 * first < bits; first += TEAM::size()) {
        stuff_words<TEAM>(w, first, bits, is_last);
    }
    if (!is_last) {
        uint32_t kept = w.words[w.room - 1];
        TEAM::meet();
        clear_window<TEAM>(w);
        TEAM::meet();
        if (!TEAM::rank()) {
            w.words[0] = kept;
        }
        w.at += 32 * (w.room - 1);
        TEAM::meet();
    }
}

} // namespace wvl_packets
