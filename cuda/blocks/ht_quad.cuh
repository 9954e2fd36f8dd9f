/* SPDX-License-Identifier: BSD-2-Clause */
/* Quads of the HT cleanup pass (15444-15 Annex C, 7.3): what one says to MagSgn, VLC and MEL. codec/ht/cleanup_code.h
 * is the twin. */
#pragma once
#include "cuda/blocks/ht_job.h"
#include "cuda/blocks/lane.cuh"

namespace wvl_ht
{

/* Bits side by side; whole words go to shared memory. Fewer than 32 bits wait between two puts. */
struct writer {
    uint32_t bits, count, at; /* at: address in shared memory */
    __device__ __forceinline__ void open(const uint32_t *to)
    {
        bits = count = 0;
        at = shared_address(to);
    }
    /* n <= 32; bits beyond n are 0. */
    __device__ __forceinline__ void put(uint32_t some, uint32_t n)
    {
        uint32_t over = __funnelshift_l(some, 0, count);
        bits |= shift_left(some, count);
        count += n;
        if (count >= 32) {
            store_shared(at, bits);
            at += 4;
            bits = over;
            count -= 32;
        }
    }
    /* The number of bits since `from`. */
    __device__ __forceinline__ uint32_t finish(const uint32_t *from)
    {
        if (count) {
            store_shared(at, bits);
        }
        return 8 * (at - shared_address(from)) + count;
    }
};

/* Bytes of 0 or 1 to four bits; back. */
__device__ __forceinline__ uint32_t bytes_to_bits(uint32_t b) { return b * 0x01020408u >> 24; }
__device__ __forceinline__ uint32_t bits_to_bytes(uint32_t b) { return b * 0x00204081u & 0x01010101u; }

/* What a quad says: significance, the bits of its CxtVLC codeword, and u. has_event: MEL codes whether rho is
 * nonzero. */
struct quad {
    uint32_t rho, u, code, code_bits, has_event, event;
};

/* From the table's entry. absent: beyond the last column, which says nothing. */
__device__ __forceinline__ quad describe_quad(uint32_t rho, uint32_t u, uint32_t entry, uint32_t context, bool absent)
{
    quad q;
    q.rho = rho;
    q.u = u;
    q.code = entry & 0x7F;
    q.code_bits = entry >> 7 & 7;
    q.has_event = !absent && context == 0;
    q.event = rho != 0;
    return q;
}

/* In the first row the rho to the left decides; in others the significance of the samples above: bits 0 and 2 of
 * `above`.
 */
__device__ __forceinline__ uint32_t find_context(bool is_first, uint32_t above, uint32_t rho_west)
{
    return is_first ? rho_west >> 1 | (rho_west & 1) : above | ((rho_west + 12) >> 3 & 2);
}

/* What a lane gathers along its way: two streams, and events in the order of MEL. */
struct lane_streams {
    const uint32_t *magsgn_words, *vlc_words; /* where they began */
    writer magsgn, vlc;
    uint64_t events;
    uint32_t event_count;
    __device__ __forceinline__ void open(const uint32_t *magsgn_at, const uint32_t *vlc_at, bool is_top)
    {
        magsgn_words = magsgn_at;
        vlc_words = vlc_at;
        magsgn.open(magsgn_words);
        vlc.open(vlc_words);
        events = event_count = 0;
        if (is_top) {
            vlc.put(15, 4);
        }
    }
    /* Both quads of a pair: CxtVLC, U-VLC, events. pairs: U-VLC of this kind of rows. */
    __device__ __forceinline__ void put_pair(const quad &q0, const quad &q1, const uint32_t *pairs, bool is_top)
    {
        uint32_t pair = pairs[q0.u << 5 | q1.u], both = q0.code_bits + q1.code_bits;
        vlc.put(q0.code | q1.code << q0.code_bits | (pair & 0xFFFF) << both, both + (pair >> 16));
        uint32_t e = (q0.has_event & q0.event) | (q1.has_event & q1.event) << q0.has_event,
                 n = q0.has_event + q1.has_event;
        if (is_top && q0.u && q1.u) {
            e |= (uint32_t)(q0.u > 2 && q1.u > 2) << n;
            n++;
        }
        events |= (uint64_t)e << event_count;
        event_count += n;
    }
};

/* ---- Samples of 16 bits, two by halves of a word --------------------------------------------- */

/* 2 mu - 1 or 0; 2 (mu - 1) + sign; 1 where mu > 0. */
struct halves {
    uint32_t t, v, nz;
};

template <bool SHIFTED> __device__ __forceinline__ halves read_halves(uint32_t w, uint32_t shift)
{
    halves s;
    uint32_t mu = w & 0x7FFF7FFF;
    if (SHIFTED) {
        mu = mu >> shift & 0x00010001u * (0x7FFFu >> shift);
    }
    s.nz = (mu + 0x7FFF7FFF) >> 15 & 0x10001;
    s.t = 2 * mu - s.nz;
    s.v = s.t - s.nz + (w >> 15 & 0x10001);
    return s;
}

/* west, own, east: t of the samples above, of the quads above. */
__device__ __forceinline__ quad code_halves(const halves &top, const halves &bottom, uint32_t west, uint32_t own,
                                            uint32_t east, uint32_t rho_west, bool is_first, bool absent,
                                            const uint16_t *vlc, writer &magsgn)
{
    uint32_t bytes = top.nz | bottom.nz << 8, rho = bytes_to_bits(bytes);
    uint32_t near = own | __byte_perm(west, east, 0x5432), some = near & 0x10001;
    /* a half is nonzero where its lowest bit is 1: 2 mu - 1 is odd, and so the OR of two */
    uint32_t context = find_context(is_first, (some | some >> 14) & 5, rho_west);
    uint32_t kappa = (uint32_t)max(31 - __clz((near | near >> 16) & 0xFFFF), 1);
    kappa = rho & (rho - 1) ? kappa : 1;
    uint32_t any = top.t | bottom.t, E = 32 - __clz((any | any >> 16) & 0xFFFF), U = max(E, kappa), u = U - kappa,
             k = U - 1;
    uint32_t emb = bytes_to_bits((top.t >> k & 0x10001) | (bottom.t >> k & 0x10001) << 8);
    emb = u ? emb : 0;
    uint32_t entry = vlc[absent ? 0 : context << 8 | rho << 4 | emb];
    /* lengths in bytes, at most 16 each; shifts and masks look at five bits */
    uint32_t n0 = bytes * U - bits_to_bytes(entry >> 10), n1 = n0 >> 8, n2 = n0 >> 16, n3 = n0 >> 24, sums = n0 + n1;
    uint32_t left = (top.v & low_bits(n0)) | shift_left(bottom.v & low_bits(n1), n0);
    uint32_t right = (top.v >> 16 & low_bits(n2)) | shift_left(bottom.v >> 16 & low_bits(n3), n2);
    magsgn.put(left, sums & 0xFF);
    magsgn.put(right, sums >> 16 & 0xFF);
    return describe_quad(rho, u, entry, context, absent);
}

/* ---- Samples of any size, one a word --------------------------------------------------------- */

/* Sample n: 0 top left, 1 bottom left, 2 top right, 3 bottom right. mu: magnitudes; v: 2 (mu - 1) + sign. near: 2 mu
 * - 1 of the four samples above, ORed; above: bits 0 and 2 of the context. */
__device__ __forceinline__ quad code_words(const uint32_t mu[4], const uint32_t v[4], uint32_t near, uint32_t above,
                                           uint32_t rho_west, bool is_first, bool absent, const uint16_t *vlc,
                                           writer &magsgn)
{
    uint32_t rho = 0, any = 0, emb = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        rho |= (uint32_t)(mu[i] != 0) << i;
        any |= mu[i] ? 2 * mu[i] - 1 : 0;
    }
    uint32_t context = find_context(is_first, above, rho_west), kappa = (uint32_t)max(31 - __clz(near), 1);
    kappa = rho & (rho - 1) ? kappa : 1;
    uint32_t U = max((uint32_t)(32 - __clz(any)), kappa), u = U - kappa;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        emb |= (mu[i] ? (2 * mu[i] - 1) >> (U - 1) & 1 : 0) << i;
    }
    emb = u ? emb : 0;
    uint32_t entry = vlc[absent ? 0 : context << 8 | rho << 4 | emb], known = entry >> 10;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint32_t n = rho >> i & 1 ? U - (known >> i & 1) : 0; /* at most 32 */
        magsgn.put(n < 32 ? v[i] & low_bits(n) : v[i], n);
    }
    return describe_quad(rho, u, entry, context, absent);
}

} // namespace wvl_ht
