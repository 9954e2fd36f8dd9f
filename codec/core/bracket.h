/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The search for the least slope threshold whose codestream keeps a budget, step by step: what is measured next, and
 * what was learnt. Shared by host and device: both measure the same thresholds in the same order.
 *
 * The bytes on the hulls propose; the rest (headers, and what the estimate gets wrong) is learnt from each measurement;
 * after a few proposals plain bisection ends it. Sums of doubles have one order.
 */
#pragma once

#include "geom/handover_packets.h"

#define WVL_NO_BUDGET UINT64_MAX
#define WVL_BRACKET_GUESSES 6

/* Thresholds from `good` on fit; `bad` and below do not, if least_bad. WVL_SLOPE_NOTHING + 1: nothing has fitted yet.
 */
typedef struct wvl_bracket {
    uint32_t good, bad;
    int least_bad, step;
    double rest; /* bytes beside those on the hulls, as last learnt */
} wvl_bracket;

/* overhead_bytes: what is no packet; sent_bytes: packets of layers before. */
WVL_HD void wvl_bracket_open(wvl_bracket *b, uint32_t least, uint64_t overhead_bytes, uint64_t sent_bytes,
                             uint64_t budget)
{
    b->good = WVL_SLOPE_NOTHING + 1;
    b->bad = least;
    b->least_bad = b->step = 0;
    b->rest = (double)overhead_bytes + 2.0 * (double)sent_bytes / 100.0 +
              (budget < WVL_NO_BUDGET ? (double)budget / 32.0 : 0.0);
}

WVL_HD int wvl_bracket_is_open(const wvl_bracket *b)
{
    return b->good > b->bad && !(b->least_bad && b->good == b->bad + 1);
}

/* Says whether a guess from the bytes on the hulls is wanted for the next proposal. */
WVL_HD int wvl_bracket_wants_guess(const wvl_bracket *b) { return b->step < WVL_BRACKET_GUESSES; }

/* The threshold to be measured next. */
WVL_HD uint32_t wvl_bracket_propose(const wvl_bracket *b, uint32_t guess)
{
    uint32_t low = b->least_bad ? b->bad + 1 : b->bad, high = b->good - 1,
             t = wvl_bracket_wants_guess(b) ? guess : low + (high - low) / 2;
    t = t < low ? low : t;
    return t > high ? high : t;
}

/* threshold: measured; body_bytes: on the hulls at it. */
WVL_HD void wvl_bracket_learn(wvl_bracket *b, uint32_t threshold, int fits, uint64_t codestream_bytes,
                              double body_bytes)
{
    if (fits) {
        b->good = threshold;
    } else {
        b->bad = threshold;
        b->least_bad = 1;
    }
    b->rest = (double)codestream_bytes - body_bytes;
    b->step++;
}

/* Slopes below the threshold that a byte target may still use up its last bytes with; 65536: any. Finite where blocks
 * are many, so that no block need be coded much deeper than its cut. */
WVL_HD uint32_t wvl_rate_reach(const wvl_plan *plan)
{
    uint32_t many = plan->syntax.total_samples < 1u << 21 ? 64 : 32;
    return plan->syntax.total_samples < 1u << 19 ? 65536 : many;
}

/* Says whether bodies and a fixed rest are estimated to keep the budget. */
WVL_HD int wvl_bracket_expects(double body_bytes, double rest, uint64_t budget)
{
    return body_bytes + rest <= (double)budget;
}
