/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contexts of whole units in bits: bit i of each word belongs to the sample at bit i of the window (fast.h), a
 * vector holds several units. Which samples become significant is known before one of them is coded: a sample's
 * neighbours before it in the scan are as they are after the unit, those behind it as they were before.
 */
#pragma once

#include "base/lanes.h"
#include "codec/t1/fast_unit.h"

enum { CODE_RUN = 14, CODE_UNIFORM = 15 }; /* below: contexts 0 to 13 */

/* Windows of significance before and after the units, and of negative samples. */
typedef struct windows {
    pairs before, after, negative;
} windows;

/* Codes of zero coding (D.3.1) and of signs (D.3.2), bit by bit; bit 3 of a sign's code is 1. */
typedef struct unit_codes {
    pairs zero[4], sign[3], flip;
} unit_codes;

/* How many of two neighbours are significant: exactly one, both. */
typedef struct pair_count {
    pairs one, two;
} pair_count;

static WVL_ALWAYS_INLINE pair_count count_pair(pairs a, pairs b) { return (pair_count){a ^ b, a & b}; }

/* Table D.1, columns 1 and 2. any: one diagonal neighbour at least; many: two. */
static WVL_ALWAYS_INLINE void find_edge_codes(pair_count along, pair_count across, pairs any, pairs many, pairs code[4])
{
    pairs some = across.one | across.two, none = ~(along.one | along.two);
    code[3] = along.two;
    code[2] = along.one | (none & across.two);
    code[1] = (along.one & (some | any)) | (none & (across.one | (many & ~across.two)));
    code[0] = (along.one & (some | ~any)) | (none & (across.one | (any & ~many & ~across.two)));
}

/* Column 3. three: there are three diagonal neighbours or four. */
static WVL_ALWAYS_INLINE void find_cross_codes(pair_count h, pair_count v, pairs any, pairs many, pairs three,
                                               pairs code[4])
{
    pairs some = h.one | h.two | v.one | v.two, both = h.two | v.two | (h.one & v.one), two = many & ~three,
          one = any & ~many;
    code[3] = three;
    code[2] = two | (one & some);
    code[1] = two | (one & ~some) | (~any & both);
    code[0] = (two & some) | (one & (both | ~some)) | (~any & some & ~both);
}

static WVL_ALWAYS_INLINE void find_zero_codes(const windows *w, unsigned orient, pairs code[4])
{
    pairs nw = w->after << 7, sw = w->after << 5, ne = w->before >> 5, se = w->before >> 7;
    pair_count h = count_pair(w->after << 6, w->before >> 6), v = count_pair(w->after << 1, w->before >> 1),
               left = count_pair(nw, sw), right = count_pair(ne, se);
    pairs any = left.one | left.two | right.one | right.two, many = left.two | right.two | (left.one & right.one),
          three = (left.two & (ne | se)) | (right.two & (nw | sw));
    if (orient == 3) {
        find_cross_codes(h, v, any, many, three, code);
    } else if (orient == 1) {
        find_edge_codes(v, h, any, many, code);
    } else {
        find_edge_codes(h, v, any, many, code);
    }
}

/* The sum of two neighbours' signs: above 0, below 0. */
typedef struct sign_sum {
    pairs up, down;
} sign_sum;

static WVL_ALWAYS_INLINE sign_sum add_signs(pairs a, pairs a_negative, pairs b, pairs b_negative)
{
    pairs up = (a & ~a_negative) | (b & ~b_negative), down = (a & a_negative) | (b & b_negative);
    return (sign_sum){up & ~down, down & ~up};
}

static WVL_ALWAYS_INLINE void find_sign_codes(const windows *w, pairs code[3], pairs *flip)
{
    sign_sum h = add_signs(w->after << 6, w->negative << 6, w->before >> 6, w->negative >> 6),
             v = add_signs(w->after << 1, w->negative << 1, w->before >> 1, w->negative >> 1);
    pairs level = h.up | h.down, upright = v.up | v.down, opposed = (h.up & v.down) | (h.down & v.up);
    code[2] = level & ~opposed;
    code[1] = opposed | (upright & ~level);
    code[0] = ~(level ^ upright);
    *flip = h.down | (v.down & ~level);
}
