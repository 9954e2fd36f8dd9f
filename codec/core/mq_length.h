/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many bytes a decoder needs, as functions of the MQ registers alone.
 *
 * The code so far is a half-open interval [C, U) with U = C + A. C is the register of Annex C (spacer and byte bits
 * included, carry not yet resolved); with CT shifts left before the next byte leaves, bit 27 - CT is the carry into the
 * pending byte B, the next byte takes the 8 bits below it, and so on down. A decoder given n bytes and then 0xFF sees
 * the value "n bytes, then ones for ever"; call it V_n. It decodes every decision so far exactly when V_n lies in [C,
 * U).
 *
 * U <= 2 * 2^(27-CT) always: after a byte leaves, C < 2^19 and A < 2^16 with CT = 8 (or both one bit up with CT = 7),
 * and intervals nest from there. Before the first byte U <= 2^(27-12), so nothing ever carries out of the segment.
 *
 * Stuffing: the byte after 0xFF has 7 new bits (its top bit takes a late carry), and is at most 0x8F, so never 0xFF
 * itself.
 */
#pragma once

#include <stdint.h>

#include "base/hd.h"

typedef struct wvl_mq_registers {
    uint32_t a;
    uint32_t c;
    uint32_t ct;
    uint32_t b; /* pending byte; anything but 0xFF before the first byte of a segment */
} wvl_mq_registers;

/* A way to end the codeword: bytes[0] replaces B, the others follow it. */
typedef struct wvl_mq_tail {
    uint8_t bytes[6];
    uint8_t count; /* B included */
} wvl_mq_tail;

/*
 * Bytes beyond B that make every prefix safe, whatever is coded later.
 *
 * Later codewords are values V anywhere in [C, U): the upper edge stays where it is while the more probable symbol is
 * coded, so V comes as close to U as one likes. Cutting V after n bytes and filling with ones gives V_n, the top of its
 * cell of n bytes. From above: V_n < U for all V if and only if U is a multiple of the cell, that is, all bits of U
 * below the cell are 0 (else take V in the cell that holds U). From below: V_n < V happens only when a late carry was
 * left out after a final 0xFF; that byte left the coder when its cell held the C of that time, which is not below the C
 * of now, so V_n >= C still. Were that byte B itself, U would exceed the carry and not be a multiple of it, and at
 * least one more byte is asked for. What remains is how many bits k bytes cover below the carry bit: 8 each, 7 after a
 * 0xFF. Only values next to U matter, so a byte can be 0xFF only where U - 1 has ones, or zeros that a carry made of
 * ones.
 */
WVL_HD unsigned wvl_mq_safe_extra(const wvl_mq_registers *r)
{
    uint32_t u = r->c + r->a;
    unsigned carry_bit = 27 - r->ct, zeros = 0, cover;
    while (!(u >> zeros & 1)) {
        zeros++;
    }
    if (zeros >= carry_bit) {
        return 0;
    }
    int b_stuffs = r->b == 0xFF || (r->b == 0xFE && u > (uint32_t)1 << carry_bit);
    uint32_t first = (u - 1) >> (carry_bit - 8) & 0xFF;
    int first_stuffs = first == 0xFF || first == 0;
    cover = b_stuffs ? 7 : 8;
    if (zeros + cover >= carry_bit) {
        return 1;
    }
    cover = b_stuffs || first_stuffs ? 15 : 16;
    if (zeros + cover >= carry_bit) {
        return 2;
    }
    cover = b_stuffs ? 22 : 23;
    return zeros + cover >= carry_bit ? 3 : 4;
}

/*
 * The fewest bytes that end the codeword here. V must have ones below some bit e and lie in [C, U): V = T - (a trace)
 * with T a multiple of 2^e and C < T <= U; the largest candidate T is U rounded down. With no byte beyond B, T can only
 * be the carry itself: B stays and all below is ones. If that fails the carry is the same for all values in the
 * interval. As A >= 2^15, e <= 15 always has a T, and two bytes reach e = 12 - CT at worst, so two bytes suffice. A
 * result with bytes beyond B ends neither in 0xFF nor in 0xFF 0x7F: either would mean that fewer bytes had served. With
 * count = 1 the caller strips such endings.
 *
 * The result is the shortest of all strings with the given bytes before B, and any string that ends a later codeword
 * also ends this one (intervals nest): the length never falls from one pass to the next.
 */
WVL_HD wvl_mq_tail wvl_mq_end_shortest(const wvl_mq_registers *r)
{
    uint32_t u = r->c + r->a, carry = (uint32_t)1 << (27 - r->ct);
    wvl_mq_tail tail = {{(uint8_t)r->b, 0}, 1};
    if (r->c < carry && u >= carry) {
        return tail;
    }
    if (r->c >= carry && r->b != 0xFF) {
        tail.bytes[0]++;
    }
    int was_ff = r->b == 0xFF, is_ff = tail.bytes[0] == 0xFF;
    unsigned e = (is_ff ? 20 : 19) - r->ct;
    uint32_t first_mask = is_ff && !was_ff ? 0x7F : 0xFF;
    uint32_t t = u >> e << e;
    tail.count = 2;
    if (t <= r->c) {
        t = u >> (12 - r->ct) << (12 - r->ct);
        tail.count = 3;
    }
    uint32_t v = t - 1;
    tail.bytes[1] = (uint8_t)(v >> e & first_mask);
    if (tail.count == 3) {
        if (is_ff) {
            tail.bytes[2] = (uint8_t)(v >> (12 - r->ct));
        } else if (tail.bytes[1] == 0xFF) {
            tail.bytes[2] = v >> (12 - r->ct) & 0x7F;
        } else {
            tail.bytes[2] = (uint8_t)(v >> (11 - r->ct));
        }
    }
    return tail;
}

/* BYTEOUT of Annex C (Figure C.8) on a copy: appends to the tail. */
WVL_HD void wvl_mq_tail_byte(wvl_mq_tail *tail, uint32_t *c, uint32_t *ct)
{
    uint8_t *b = &tail->bytes[tail->count - 1];
    if (*b != 0xFF && *c >> 27) {
        ++*b;
        *c &= 0x7FFFFFF;
    }
    unsigned e = *b == 0xFF ? 20 : 19;
    tail->bytes[tail->count++] = (uint8_t)(*c >> e);
    *c &= ((uint32_t)1 << e) - 1;
    *ct = e == 20 ? 7 : 8;
}

/*
 * Predictable termination (D.4.2). Its last byte may come out as 0xFF, which is not written; then `count` shrinks by
 * one. At most 15 bits of C are left out, and A >= 2^15, so the ones that the decoder supplies stay inside [C, U).
 * Leaving out that 0xFF can make a codeword one byte shorter than at the pass before. Where the caller asks for at
 * least `floor_count` bytes from B on, the 0xFF stays and the next bytes of C follow; a decoder sees only more bits of
 * the same C. The bits of C end within four bytes and zeros follow, so six bytes hold the longest result.
 */
WVL_HD wvl_mq_tail wvl_mq_end_predictable(const wvl_mq_registers *r, unsigned floor_count)
{
    uint32_t c = r->c, ct = r->ct;
    int k = 12 - (int)ct;
    wvl_mq_tail tail = {{(uint8_t)r->b, 0}, 1};
    while (k > 0) {
        c <<= ct;
        wvl_mq_tail_byte(&tail, &c, &ct);
        k -= (int)ct;
    }
    while (tail.count - (tail.bytes[tail.count - 1] == 0xFF) < (int)floor_count) {
        c <<= ct;
        wvl_mq_tail_byte(&tail, &c, &ct);
    }
    tail.count = (uint8_t)(tail.count - (tail.bytes[tail.count - 1] == 0xFF));
    return tail;
}
