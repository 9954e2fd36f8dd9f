/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The most bytes a code block can take.
 *
 * Shifts. A decision of the MQ coder costs at most 31/7 shifts in the long run: there are potentials f(A) >= 0 of the
 * interval and h(row) >= 0 of each context's state such that every possible step, from any A and any state, satisfies
 *     7 * shifts <= 31 + f(A) - f(A') + h(row) - h(row').
 * The mq test holds both tables (the solution of a linear program) and tries all A, rows and decisions. Summed over a
 * block, what potentials add is f(0x8000) = 26 at each start of a segment and h(4) = 4 at each reset of the contexts
 * (the other initial rows have h = 0). A raw bit costs 1.
 *
 * Decisions. Each plane codes a sample at most once; a block codes a sign at most once a sample. Run mode replaces the
 * four decisions of a column by one, or, when it breaks at row r, by three and those below r: at most two more than one
 * a sample, and a column whose run breaks holds a significant sample from then on, so that this happens once. A
 * segmentation symbol is four decisions.
 *
 * Bytes. The first byte of an MQ segment leaves after 12 shifts, later ones after 8, or 7 after 0xFF, which cannot
 * happen twice running: k bytes take at least 11.5 + 7.5 (k - 1) shifts, raw bytes 7.5 k - 0.5. So a segment of S
 * shifts has at most 2 (S + 1) / 15 bytes, and ending it adds at most 5 (core/mq_length.h; a raw one at most 2). One
 * byte more is the one before the first.
 */
#pragma once

#include "geom/plan.h"

#define WVL_MQ_SEVENTHS_PER_DECISION 31
#define WVL_MQ_SEVENTHS_PER_SEGMENT 26
#define WVL_MQ_SEVENTHS_PER_RESET 4

/* Bytes of `decisions` decisions in `passes` passes. */
WVL_HD size_t wvl_t1_bound_symbols(uint64_t decisions, uint64_t passes, unsigned style)
{
    uint64_t segments = style & (WVL_STYLE_TERMALL | WVL_STYLE_BYPASS) ? passes : 1;
    uint64_t resets = style & WVL_STYLE_RESET ? passes : 1;
    uint64_t sevenths = WVL_MQ_SEVENTHS_PER_DECISION * decisions + WVL_MQ_SEVENTHS_PER_SEGMENT * segments +
                        WVL_MQ_SEVENTHS_PER_RESET * resets;
    return (size_t)(2 * (sevenths + 7 * segments) / (7 * 15) + 1 + 5 * segments + 1);
}

WVL_HD size_t wvl_t1_bound_bytes(uint32_t width, uint32_t height, uint32_t planes, unsigned style)
{
    uint64_t samples = (uint64_t)width * height, columns = (uint64_t)width * ((height + 3) / 4);
    uint64_t decisions = samples * (planes + 1) + 2 * columns + (style & WVL_STYLE_SEGSYM ? 4 * (uint64_t)planes : 0);
    return wvl_t1_bound_symbols(decisions, planes ? 3 * (uint64_t)planes - 2 : 0, style);
}
