/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Context tables of the EBCOT block coder (15444-1 D.3), as constant expressions: host and device instantiate them from
 * here.
 *
 * A neighbourhood is nine bits, row by row: 0 NW, 1 N, 2 NE, 3 W, 4 the sample itself, 5 E, 6 SW, 7 S, 8 SE.
 */
#pragma once

#include "codec/core/mq_table.h"

#define WVL_NB_SIGN_MASK 0xAAu /* N, W, E, S */

#define WVL_NB_BIT(n, b) ((int)((n) >> (b)) & 1)
#define WVL_NB_H(n) (WVL_NB_BIT(n, 3) + WVL_NB_BIT(n, 5))
#define WVL_NB_V(n) (WVL_NB_BIT(n, 1) + WVL_NB_BIT(n, 7))
#define WVL_NB_D(n) (WVL_NB_BIT(n, 0) + WVL_NB_BIT(n, 2) + WVL_NB_BIT(n, 6) + WVL_NB_BIT(n, 8))

/* Table D.1, columns 1 and 2: `along` counts the neighbours in the direction of the band's low-pass filter. */
#define WVL_ZC_EDGE(along, across, d)                                                                                  \
    ((along) == 2 ? 8 : (along) == 1 ? ((across) ? 7 : (d) ? 6 : 5) : (across) ? 2 + (across) : ((d) > 2 ? 2 : (d)))
#define WVL_ZC_LH(n) WVL_ZC_EDGE(WVL_NB_H(n), WVL_NB_V(n), WVL_NB_D(n)) /* also LL */
#define WVL_ZC_HL(n) WVL_ZC_EDGE(WVL_NB_V(n), WVL_NB_H(n), WVL_NB_D(n))

/* Table D.1, column 3. */
#define WVL_ZC_CROSS(hv, d)                                                                                            \
    ((d) > 2 ? 8 : (d) == 2 ? ((hv) ? 7 : 6) : (d) == 1 ? 3 + ((hv) > 2 ? 2 : (hv)) : ((hv) > 2 ? 2 : (hv)))
#define WVL_ZC_HH(n) WVL_ZC_CROSS(WVL_NB_H(n) + WVL_NB_V(n), WVL_NB_D(n))

/*
 * Sign coding (Tables D.2, D.3). The index holds for N, W, E, S a pair of bits: significant (odd bit), negative (even
 * bit); from a neighbourhood and one of negative neighbours: (n & mask) | (negative & mask) >> 1. The entry is 2 *
 * context + flip, so that entry ^ sign is context and decision in one.
 */
#define WVL_SC_PAIR(i, k) (WVL_NB_BIT(i, 2 * (k) + 1) * (1 - 2 * WVL_NB_BIT(i, 2 * (k))))
#define WVL_SC_CLAMP(x) ((x) > 1 ? 1 : (x) < -1 ? -1 : (x))
#define WVL_SC_V(i) WVL_SC_CLAMP(WVL_SC_PAIR(i, 0) + WVL_SC_PAIR(i, 3))
#define WVL_SC_H(i) WVL_SC_CLAMP(WVL_SC_PAIR(i, 1) + WVL_SC_PAIR(i, 2))
#define WVL_SC_FLIP(h, v) ((h) < 0 || ((h) == 0 && (v) < 0))
#define WVL_SC_CTX(h, v) ((h) > 0 ? 12 + (v) : (h) < 0 ? 12 - (v) : (v) ? 10 : 9)
#define WVL_SC_CODE(i) (2 * WVL_SC_CTX(WVL_SC_H(i), WVL_SC_V(i)) + WVL_SC_FLIP(WVL_SC_H(i), WVL_SC_V(i)))

/* Rows of constant expressions: WVL_ROWS_256(F, base) lists F(base) .. F(base + 255). */
#define WVL_ROWS_4(F, i) F(i), F((i) + 1), F((i) + 2), F((i) + 3)
#define WVL_ROWS_16(F, i) WVL_ROWS_4(F, i), WVL_ROWS_4(F, (i) + 4), WVL_ROWS_4(F, (i) + 8), WVL_ROWS_4(F, (i) + 12)
#define WVL_ROWS_64(F, i)                                                                                              \
    WVL_ROWS_16(F, i), WVL_ROWS_16(F, (i) + 16), WVL_ROWS_16(F, (i) + 32), WVL_ROWS_16(F, (i) + 48)
#define WVL_ROWS_256(F, i)                                                                                             \
    WVL_ROWS_64(F, i), WVL_ROWS_64(F, (i) + 64), WVL_ROWS_64(F, (i) + 128), WVL_ROWS_64(F, (i) + 192)
