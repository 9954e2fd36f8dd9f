/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbols of a unit, sample by sample. The includer defines FETCH_NEIGHBOURS(x), the nine bits of x at 0-2, 6-8 and 12-14.
 *
 * Whether a sample becomes significant is what the arithmetic coder is there to find out, so branches on it would be mispredicted: the
 * loops store the sign symbol in any case, and step over it only where there is one.
 */
#include <string.h>

#include "codec/t1/fast_unit.h"
#include "codec/t1/tables.h"

/* The neighbours that follow a sample in the scan, as seen from itself. */
#define LATER UINT64_C(0xE2)

typedef struct tools {
    const uint8_t *zero_codes; /* 2 * context of zero coding, by neighbourhood read column by column */
} tools;

static WVL_ALWAYS_INLINE tools open_tools(const wvl_t1_fast *b) { return (tools){wvl_t1_zero_codes_by_column(b->in->orient & 3)}; }

/* Context and decision of the sign of bit i, whose neighbourhood of significance is n. */
static WVL_ALWAYS_INLINE uint8_t sign_symbol(const unit *u, unsigned i, unsigned n, int flags)
{
    uint64_t y = u->negative >> (i - WVL_T1_INNER_FIRST);
    unsigned sign = (unsigned)(y >> WVL_T1_INNER_FIRST) & 1;
    if (flags & RAW)
        return (uint8_t)sign;
    return (uint8_t)(wvl_t1_sign_codes_by_column[(n & 0xAA) | (FETCH_NEIGHBOURS(y) >> 1 & 0x55)] ^ sign);
}

static WVL_ALWAYS_INLINE unsigned neighbours(const unit *u, unsigned i) { return FETCH_NEIGHBOURS(u->window >> (i - WVL_T1_INNER_FIRST)); }

/* Zero coding and, where the sample becomes significant, its sign. Returns 1 in that case. */
static WVL_ALWAYS_INLINE unsigned code_sample(const tools *t, unit *u, unsigned i, uint8_t **out, unsigned base, int flags)
{
    unsigned n = neighbours(u, i), bit = (unsigned)(u->bits >> i) & 1;
    (*out)[0] = (uint8_t)(flags & RAW ? bit : (base + t->zero_codes[n]) | bit);
    (*out)[1] = sign_symbol(u, i, n, flags);
    *out += 1 + bit;
    u->window |= (uint64_t)bit << i;
    return bit;
}

/* Returns the samples visited. */
static WVL_ALWAYS_INLINE uint64_t propagate_unit(const tools *t, unit *u, uint8_t **symbols, int flags)
{
    uint64_t insignificant = ~u->window & u->valid, todo = widen(u->window) & insignificant, visited = todo;
    uint8_t *out = *symbols;
    while (todo) {
        unsigned i = wvl_trailing_zeros(todo);
        todo &= todo - 1;
        uint64_t later = LATER << i & insignificant & (0 - (uint64_t)code_sample(t, u, i, &out, 0, flags));
        todo |= later;
        visited |= later;
    }
    *symbols = out;
    return visited;
}

/* A column of the unit in run mode whose first one is not its end: bit i is its top sample. Returns the samples of the column that remain. */
static WVL_ALWAYS_INLINE uint64_t break_run(unit *u, unsigned i, uint8_t **out, int flags)
{
    unsigned row = wvl_trailing_zeros(u->bits >> i);
    (*out)[0] = 2 * WVL_T1_CTX_RUN + 1;
    (*out)[1] = (uint8_t)(2 * WVL_T1_CTX_UNIFORM + (row >> 1));
    (*out)[2] = (uint8_t)(2 * WVL_T1_CTX_UNIFORM + (row & 1));
    (*out)[3] = sign_symbol(u, i + row, neighbours(u, i + row), flags);
    *out += 4;
    u->window |= UINT64_C(1) << (i + row);
    return (UINT64_C(14) << row & 15) << i;
}

static WVL_ALWAYS_INLINE void clean_unit(const tools *t, unit *u, uint64_t visited, uint8_t **symbols, int flags, int full_stripe)
{
    uint64_t todo = ~(u->window | visited) & u->valid, run = 0;
    uint8_t *out = *symbols;
    if (full_stripe) {
        run = ~fold_columns(widen(u->window)) & u->valid & WVL_T1_TOP_ROW;
        todo &= ~(run * 14);
    }
    uint64_t breaks = run & fold_columns(u->bits);
    if (todo == run && !breaks) { /* columns in run mode, from the first: the others are significant or visited */
        memset(out, 2 * WVL_T1_CTX_RUN, 8);
        while (run) {
            run &= run - 1;
            out++;
        }
        *symbols = out;
        return;
    }
    while (todo) {
        unsigned i = wvl_trailing_zeros(todo), base = (unsigned)(run >> i & 1) * 2 * WVL_T1_CTX_RUN;
        uint64_t significant = ~UINT64_C(0);
        todo &= todo - 1;
        if (breaks >> i & 1)
            todo |= break_run(u, i, &out, flags);
        else
            significant = 0 - (uint64_t)code_sample(t, u, i, &out, base, flags);
        /* The next column leaves run mode. */
        uint64_t next = UINT64_C(0x78) << i & run & significant;
        run ^= next;
        breaks &= ~next;
        todo |= next * 14;
    }
    *symbols = out;
}

/* Base of the symbols of a refinement: context 14 + lit + 2 * again. */
static WVL_ALWAYS_INLINE uint8_t *refine_members(uint64_t todo, uint64_t bits, uint64_t lit, uint64_t again, uint8_t *out)
{
    while (todo) {
        unsigned i = wvl_trailing_zeros(todo);
        todo &= todo - 1;
        *out++ = (uint8_t)(2 * WVL_T1_CTX_REFINE + (bits >> i & 1) + 2 * (lit >> i & 1) + 4 * (again >> i & 1));
    }
    return out;
}

static WVL_ALWAYS_INLINE void add_gain(wvl_t1_fast *b, const stripe *s, uint32_t k, uint64_t fresh, int flags)
{
    size_t at = (size_t)s->y * b->in->stride + 8 * k;
    uint64_t sum = 0, count = 0;
    for (; fresh; fresh &= fresh - 1, count++) {
        size_t i = at + b->offsets[wvl_trailing_zeros(fresh)];
        sum += flags & WIDE ? ((const uint32_t *)b->in->coefs)[i] & 0x7FFFFFFF : ((const uint16_t *)b->in->coefs)[i] & 0x7FFFu;
    }
    b->gain_sum += sum;
    b->gain_count += count;
}
