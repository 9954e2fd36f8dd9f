/* SPDX-License-Identifier: BSD-2-Clause */
/* Bits of a packet header, most significant first, with a 0 stuffed after every 0xFF byte (B.10.1), and the rules of
 * its codewords (B.10.2 to B.10.7). Shared by host and device. */
#pragma once

#include "base/intmath.h"

typedef struct wvl_bit_writer {
    uint8_t *bytes; /* room proved by wvl_t2_header_bound */
    uint64_t count; /* whole bytes written */
    uint32_t byte;  /* bits of the byte being filled, right-justified */
    unsigned free;  /* bits still free in it: 8, or 7 after 0xFF */
} wvl_bit_writer;

WVL_HD void wvl_bits_open(wvl_bit_writer *w, uint8_t *bytes)
{
    w->bytes = bytes;
    w->count = 0;
    w->byte = 0;
    w->free = 8;
}

/* The n low bits of value, n up to 32. */
WVL_HD void wvl_bits_put(wvl_bit_writer *w, uint32_t value, unsigned n)
{
    while (n) {
        unsigned take = n < w->free ? n : w->free;
        n -= take;
        w->byte = w->byte << take | (value >> n & ((1u << take) - 1));
        w->free -= take;
        if (!w->free) {
            w->bytes[w->count++] = (uint8_t)w->byte;
            w->free = w->byte == 0xFF ? 7 : 8;
            w->byte = 0;
        }
    }
}

/* Pads with 0 to a byte; a header never ends in 0xFF, so after one a 0x00 follows. Returns the length in bytes. */
WVL_HD uint64_t wvl_bits_close(wvl_bit_writer *w)
{
    int after_ff = w->count && w->bytes[w->count - 1] == 0xFF;
    if (w->free != (after_ff ? 7u : 8u) || after_ff) {
        w->bytes[w->count++] = (uint8_t)(w->byte << w->free);
    }
    return w->count;
}

/* ---- Codewords ------------------------------------------------------------------------------- */

#define WVL_PACKET_FIRST_LBLOCK 3u /* B.10.7.1 */

/* The codeword of a number of passes, 1 to 164, and its bits (Table B.4). */
WVL_HD uint32_t wvl_packet_pass_code(uint32_t n, unsigned *bits)
{
    if (n <= 2) {
        *bits = n;
        return n == 1 ? 0 : 2;
    }
    if (n <= 5) {
        *bits = 4;
        return 0xC | (n - 3);
    }
    *bits = n <= 36 ? 9 : 16;
    return n <= 36 ? 0x1E0 | (n - 6) : 0xFF80 | (n - 37);
}

WVL_HD void wvl_bits_put_pass_count(wvl_bit_writer *w, uint32_t n)
{
    unsigned bits;
    uint32_t code = wvl_packet_pass_code(n, &bits);
    wvl_bits_put(w, code, bits);
}

/* Bits of a segment's length beyond Lblock: floor(log2(passes)) (B.10.7.1). */
WVL_HD unsigned wvl_packet_extra_bits(uint32_t passes) { return wvl_bit_length(passes) - 1; }

/* The Lblock that a segment of this number of passes and bytes needs; never less than the present one. */
WVL_HD unsigned wvl_packet_raise_lblock(unsigned lblock, uint32_t passes, uint32_t bytes)
{
    unsigned need = wvl_bit_length(bytes), have = lblock + wvl_packet_extra_bits(passes);
    return lblock + (need > have ? need - have : 0);
}

/* The codeword by which Lblock grows, of that number of bits and one. */
WVL_HD uint32_t wvl_packet_lblock_code(unsigned growth) { return ((UINT32_C(1) << growth) - 1) << 1; }

/* Lblock becomes `to`. */
WVL_HD void wvl_bits_put_lblock(wvl_bit_writer *w, unsigned from, unsigned to)
{
    wvl_bits_put(w, wvl_packet_lblock_code(to - from), to - from + 1);
}

/* ---- Tag trees ------------------------------------------------------------------------------- */

/* A node of a tag tree (B.10.2). low: what the decoder knows to be a lower bound. known: the decoder has the value. */
typedef struct wvl_tag_node {
    uint16_t value, low;
    uint8_t known;
} wvl_tag_node;

/* Puts what a node adds on the way from the root: whether its value is less than threshold, as far as the decoder does
 * not know. low: of its parent, 0 of the root; returns its own. */
WVL_HD uint32_t wvl_bits_put_tag(wvl_bit_writer *w, wvl_tag_node *node, uint32_t low, uint32_t threshold)
{
    low = node->low > low ? node->low : low;
    while (low < threshold && !node->known) {
        if (node->value <= low) {
            wvl_bits_put(w, 1, 1);
            node->known = 1;
        } else {
            wvl_bits_put(w, 0, 1);
            low++;
        }
    }
    node->low = (uint16_t)low;
    return low;
}
