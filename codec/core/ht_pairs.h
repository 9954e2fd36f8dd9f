/* SPDX-License-Identifier: BSD-2-Clause */
/* What U-VLC sends of a pair of quads (15444-15 Table 3), written out by the preprocessor: the look-up is as fast as in
 * a generated table, and the rule can be read. */
#pragma once

#include <stdint.h>

/* The code of u, at most 31 as magnitudes have 31 bits: a prefix, then a suffix, each sent from its lowest bit. */
#define WVL_U_PREFIX(u) ((u) < 3 ? (u) : ((u) < 5) * 4)
#define WVL_U_PREFIX_BITS(u) ((u) < 3 ? (u) : 3)
#define WVL_U_SUFFIX(u) ((u) < 3 ? 0 : (u)-3 - ((u) > 4) * 2)
#define WVL_U_SUFFIX_BITS(u) ((u) < 3 ? 0 : 1 + ((u) > 4) * 4)

/* Both prefixes go before both suffixes. Above bit 16 stands the number of bits, which is at most 16. */
#define WVL_U_PAIR(a, b)                                                                                               \
    (WVL_U_PREFIX(a) | WVL_U_PREFIX(b) << WVL_U_PREFIX_BITS(a) |                                                       \
     WVL_U_SUFFIX(a) << (WVL_U_PREFIX_BITS(a) + WVL_U_PREFIX_BITS(b)) |                                                \
     WVL_U_SUFFIX(b) << (WVL_U_PREFIX_BITS(a) + WVL_U_PREFIX_BITS(b) + WVL_U_SUFFIX_BITS(a)) |                         \
     (WVL_U_PREFIX_BITS(a) + WVL_U_PREFIX_BITS(b) + WVL_U_SUFFIX_BITS(a) + WVL_U_SUFFIX_BITS(b)) << 16)

/* First row: MEL says whether both exceed 2, and then both are sent less 2; if they do not and the first does, one bit
 * is enough for the other. */
#define WVL_U_FIRST_PAIR(a, b) ((a) > 2 && (b) ? WVL_U_LONG_PAIR(a, b) : WVL_U_PAIR(a, b))
#define WVL_U_LONG_PAIR(a, b) ((b) > 2 ? WVL_U_PAIR(WVL_U_LESS(a), WVL_U_LESS(b)) : WVL_U_PAIR_OF_BIT(a, (b) > 1))
#define WVL_U_LESS(u) ((u) - ((u) > 2) * 2)
#define WVL_U_PAIR_OF_BIT(a, bit)                                                                                      \
    (WVL_U_PREFIX(a) | (bit) << 3 | WVL_U_SUFFIX(a) << 4 | (4 + WVL_U_SUFFIX_BITS(a)) << 16)

#define WVL_U_FOUR(pair, a, b) pair(a, b), pair(a, b + 1), pair(a, b + 2), pair(a, b + 3)
#define WVL_U_HALF(pair, a, b)                                                                                         \
    WVL_U_FOUR(pair, a, b), WVL_U_FOUR(pair, a, b + 4), WVL_U_FOUR(pair, a, b + 8), WVL_U_FOUR(pair, a, b + 12)
#define WVL_U_ALL(pair, a) WVL_U_HALF(pair, a, 0), WVL_U_HALF(pair, a, 16)
#define WVL_U_ROWS(pair, a)                                                                                            \
    WVL_U_ALL(pair, a), WVL_U_ALL(pair, a + 1), WVL_U_ALL(pair, a + 2), WVL_U_ALL(pair, a + 3),                        \
        WVL_U_ALL(pair, a + 4), WVL_U_ALL(pair, a + 5), WVL_U_ALL(pair, a + 6), WVL_U_ALL(pair, a + 7)
#define WVL_U_TABLE(pair) WVL_U_ROWS(pair, 0), WVL_U_ROWS(pair, 8), WVL_U_ROWS(pair, 16), WVL_U_ROWS(pair, 24)

/* [first row 0, others 1][u of the first quad << 5 | u of the second] */
static const uint32_t wvl_ht_uvlc[2][1024] = {{WVL_U_TABLE(WVL_U_FIRST_PAIR)}, {WVL_U_TABLE(WVL_U_PAIR)}};
