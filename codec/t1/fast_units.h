/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbols of a unit, sample by sample. The includer defines FETCH_NEIGHBOURS(x), the nine bits of x at 0-2, 6-8 and
 * 12-14.
 *
 * Whether a sample becomes significant is what the arithmetic coder is there to find out, so branches on it would be
 * mispredicted: the loops store the sign symbol in any case, and step over it only where there is one.
 */
#include <string.h>

#include "codec/t1/fast_unit.h"
#include "codec/t1/tables.h"

typedef struct tools {
    const uint8_t *zero_codes; /* 2 * context of zero coding, by neighbourhood read column by column */
} tools;

static WVL_ALWAYS_INLINE tools open_tools(const wvl_t1_fast *b)
{
    return (tools){wvl_t1_zero_codes_by_column(b->in->orient & 3)};
}

/* Context and decision of the sign of bit i, whose neighbourhood of significance is n. */
static WVL_ALWAYS_INLINE uint8_t sign_symbol(const unit *u, unsigned i, unsigned n, int flags)
{
    uint64_t y = u->negative >> (i - WVL_T1_INNER_FIRST);
    unsigned sign = (unsigned)(y >> WVL_T1_INNER_FIRST) & 1;
    if (flags & RAW) {
        return (uint8_t)sign;
    }
    return (uint8_t)(wvl_t1_sign_codes_by_column[(n & 0xAA) | (FETCH_NEIGHBOURS(y) >> 1 & 0x55)] ^ sign);
}

static WVL_ALWAYS_INLINE unsigned neighbours(const unit *u, unsigned i)
{
    return FETCH_NEIGHBOURS(u->window >> (i - WVL_T1_INNER_FIRST));
}

/* Zero coding and, where the sample becomes significant, its sign. */
static WVL_ALWAYS_INLINE void code_sample(const tools *t, unit *u, unsigned i, uint8_t **out, unsigned base, int flags)
{
    unsigned n = neighbours(u, i), bit = (unsigned)(u->bits >> i) & 1;
    (*out)[0] = (uint8_t)(flags & RAW ? bit : (base + t->zero_codes[n]) | bit);
    (*out)[1] = sign_symbol(u, i, n, flags);
    *out += 1 + bit;
    u->window |= (uint64_t)bit << i;
}

/* Returns the samples visited. */
static WVL_ALWAYS_INLINE uint64_t propagate_unit(const tools *t, unit *u, uint8_t **symbols, int flags)
{
    uint64_t visited = find_visited(u);
    uint8_t *out = *symbols;
    for (uint64_t todo = visited; todo; todo &= todo - 1) {
        code_sample(t, u, (unsigned)__builtin_ctzll(todo), &out, 0, flags);
    }
    *symbols = out;
    return visited;
}

/* The end of a run: bit i is the sample that becomes significant, tops those of columns where runs end. */
static WVL_ALWAYS_INLINE void break_run(unit *u, unsigned i, uint64_t tops, uint8_t **out, int flags)
{
    uint64_t column = tops & (UINT64_C(0x1E) << i >> 4);
    unsigned row = i - (unsigned)__builtin_ctzll(column);
    (*out)[0] = 2 * WVL_T1_CTX_RUN + 1;
    (*out)[1] = (uint8_t)(2 * WVL_T1_CTX_UNIFORM + (row >> 1));
    (*out)[2] = (uint8_t)(2 * WVL_T1_CTX_UNIFORM + (row & 1));
    (*out)[3] = sign_symbol(u, i, neighbours(u, i), flags);
    *out += 4;
    u->window |= UINT64_C(1) << i;
}

static WVL_ALWAYS_INLINE void clean_unit(const tools *t, unit *u, uint64_t visited, uint8_t **symbols, int flags,
                                         int full_stripe)
{
    uint64_t coded = ~(u->window | visited) & u->valid, after = u->window | (coded & u->bits);
    uint64_t run = full_stripe ? find_runs(u->window, after, u->valid) : 0, breaks = run & fold_columns(u->bits);
    uint8_t *out = *symbols;
    if (!breaks && coded == run * 15) { /* maybe none */
        memset(out, 2 * WVL_T1_CTX_RUN, 8);
        *symbols = out + count_tops(run);
        return;
    }
    /* Of a broken run's column, the samples up to the first that becomes significant. */
    uint64_t broken = u->bits & (breaks * 15), upto = broken ^ (broken - breaks), first = broken & upto,
             whole = run ^ breaks;
    coded &= ~(whole * 14 | (upto ^ first));
    for (; coded; coded &= coded - 1) {
        unsigned i = (unsigned)__builtin_ctzll(coded);
        if (first >> i & 1) {
            break_run(u, i, breaks, &out, flags);
        } else {
            code_sample(t, u, i, &out, (unsigned)(whole >> i & 1) * 2 * WVL_T1_CTX_RUN, flags);
        }
    }
    *symbols = out;
}

static WVL_ALWAYS_INLINE uint8_t *finish_units(const tools *t, uint8_t *out, int flags)
{
    (void)t, (void)flags;
    return out;
}
