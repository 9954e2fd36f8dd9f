/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Squared error removed by one decision, in integers (D-t1-02).
 *
 * A magnitude m carries F fractional bits; P = p + F is the position of the plane being coded, and the decoder puts
 * what it knows of a sample at the middle of its interval. Let t = m / 2^P; errors are in units of (step / 2^F)^2, so
 * that t counts as 2^P.
 *   Newly significant, t in [1, 2): the error is t^2 before and (t - 3/2)^2 after; 3t - 9/4 is removed.
 *   Refined, t' = t mod 2: the error is (t' - 1)^2 before; after it is (t' - 3/2)^2 for bit 1 and (t' - 1/2)^2 for
 *   bit 0; t' - 5/4 or 3/4 - t' is removed.
 * Times 4^P, in quarters of 2^P, with m' = m mod 2^(P+1): each is linear in m', and the gain of the pass is a sum of
 *   2^(P-2) * (12 m' - 9 * 2^P)   newly significant
 *   2^(P-2) * (4 m' - 5 * 2^P)    refined, bit 1
 *   2^(P-2) * (3 * 2^P - 4 m')    refined, bit 0
 * Both cases of refinement are 2^(P-2) * (4 |m' - 2^P| - 2^P).
 * A reversible sample at P = 0 is rebuilt exactly: a newly significant one removes t^2 = 1, a refined one (t' - 1)^2.
 *
 * |gain| of one decision is below 12 * 2^(P+1) <= 2^35; a pass of 4096 samples stays below 2^47.
 */
#pragma once

#include <stdint.h>

#include "base/hd.h"

/* Sums over a pass: count decisions; sum = sum of m' (newly significant) or of |m' - 2^P| (refined). Result in quarters
 * * 2^(P-2). */
WVL_HD int64_t wvl_gain_significant(uint64_t sum, uint64_t count, unsigned P, int exact)
{
    return exact ? 4 * (int64_t)count : 12 * (int64_t)sum - (int64_t)((9 * count) << P);
}

WVL_HD int64_t wvl_gain_refined(uint64_t sum, uint64_t count, unsigned P, int exact)
{
    return exact ? 4 * (int64_t)sum : 4 * (int64_t)sum - (int64_t)(count << P);
}
