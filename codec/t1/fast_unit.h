/* SPDX-License-Identifier: BSD-2-Clause */
/* A unit in work, and what both ways of listing its symbols (fast_units.h, x86/fast_pass_avx512.c) start from. */
#pragma once

#include "codec/t1/fast.h"

enum { RAW = 1, CAUSAL = 2, WIDE = 4, GAINS = 8 };

/* A unit in work. */
typedef struct unit {
    uint64_t window;   /* of significance */
    uint64_t negative; /* window */
    uint64_t bits;     /* of the plane being coded */
    uint64_t valid;    /* samples inside the block */
} unit;

typedef struct stripe {
    uint64_t *significant; /* first unit of the row */
    uint64_t row_mask;
    uint32_t y, first; /* index of its first unit in the unframed arrays */
} stripe;

/* Samples with a significant neighbour, or significant; only rows of the unit are meaningful. */
static WVL_ALWAYS_INLINE uint64_t widen(uint64_t window)
{
    uint64_t v = window | window << 1 | window >> 1;
    return v | v << 6 | v >> 6;
}

static WVL_ALWAYS_INLINE uint64_t widen_neighbours(uint64_t window)
{
    uint64_t beside = window << 1 | window >> 1, v = window | beside;
    return beside | v << 6 | v >> 6;
}

/* The samples that propagation visits. Which they are is known before one is coded: what becomes significant brings
 * those that follow it in. */
static WVL_ALWAYS_INLINE uint64_t find_visited(const unit *u)
{
    uint64_t insignificant = ~u->window & u->valid, visited = 0, more = widen(u->window) & insignificant;
    while (more != visited) {
        visited = more;
        uint64_t fresh = visited & u->bits, later = fresh | fresh << 1 | fresh << 2;
        more |= (later << 5 | fresh << 1) & insignificant;
    }
    return visited;
}

/* The OR of the four samples of each column, at its top one. */
static WVL_ALWAYS_INLINE uint64_t fold_columns(uint64_t v)
{
    v &= WVL_T1_INNER;
    v |= v >> 1;
    return (v | v >> 2) & WVL_T1_TOP_ROW;
}

/* Tops of columns that are in run mode when they are reached. */
static WVL_ALWAYS_INLINE uint64_t find_runs(uint64_t before, uint64_t after, uint64_t valid)
{
    uint64_t b = before | before << 1 | before >> 1, a = after | after << 1 | after >> 1;
    return ~fold_columns(b | b >> 6 | a << 6) & valid & WVL_T1_TOP_ROW;
}

/* How many of eight columns have a bit at their top. */
static WVL_ALWAYS_INLINE unsigned count_tops(uint64_t tops)
{
    return (unsigned)((tops >> WVL_T1_INNER_FIRST) * UINT64_C(0x41041041041) >> 42) & 15;
}

static WVL_ALWAYS_INLINE void add_each_gain(wvl_t1_fast *b, const stripe *s, uint32_t k, uint64_t fresh, int flags)
{
    size_t at = (size_t)s->y * b->in->stride + 8 * k;
    uint64_t sum = 0, count = 0;
    for (; fresh; fresh &= fresh - 1, count++) {
        size_t i = at + b->offsets[(unsigned)__builtin_ctzll(fresh)];
        sum += flags & WIDE ? ((const uint32_t *)b->in->coefs)[i] & 0x7FFFFFFF
                            : ((const uint16_t *)b->in->coefs)[i] & 0x7FFFu;
    }
    b->gain_sum += sum;
    b->gain_count += count;
}
