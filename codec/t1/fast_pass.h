/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The three coding passes as lists of symbols: the walk over stripes and units. A file for each instruction set
 * includes this one and gets list_pass(). It first defines: tools, open_tools()    what is the same for all units of a
 * pass propagate_unit()       lists its symbols, marks significance in the window, returns the samples visited
 *   clean_unit()           the same for those not visited; full_stripe: columns may be in run mode
 *   refine_members()       lists the symbols of a refinement
 *   finish_units()         lists what units before still wait for
 *   add_gain()             adds to gain_sum and gain_count what became significant
 */
#include "codec/t1/fast_unit.h"

static WVL_ALWAYS_INLINE uint64_t add_rows(const wvl_t1_fast *b, const stripe *s, uint32_t k, int flags)
{
    return wvl_t1_add_rows(s->significant + k, b->units + 1, !(flags & CAUSAL));
}

static WVL_ALWAYS_INLINE uint8_t *list_stripe(wvl_t1_fast *b, tools *t, const stripe *s, int kind, uint32_t plane,
                                              uint8_t *out, int flags)
{
    wvl_t1_fast_state *st = b->s;
    uint64_t left = 0, own = add_rows(b, s, 0, flags);
    for (uint32_t k = 0; k < b->units; k++) {
        uint32_t at = s->first + k;
        uint64_t right = k + 1 < b->units ? add_rows(b, s, k + 1, flags) : 0;
        unit u = {.window = wvl_t1_add_columns(left, own, right), .negative = st->negative[at]};
        u.bits = st->planes[(size_t)plane * b->unit_count + at];
        u.valid = (k + 1 < b->units ? WVL_T1_INNER : b->last_unit_mask) & s->row_mask;
        uint64_t before = s->significant[k], after;
        if (kind == WVL_T1_PROPAGATE) {
            st->members[at] = before;
            st->visited[at] = propagate_unit(t, &u, &out, flags);
        } else {
            clean_unit(t, &u, st->visited[at], &out, flags, s->row_mask == ~UINT64_C(0));
        }
        after = u.window & WVL_T1_INNER;
        s->significant[k] = after;
        if (flags & GAINS) {
            add_gain(b, s, k, after ^ before, flags);
        }
        left = own | after;
        own = right;
    }
    return out;
}

static WVL_ALWAYS_INLINE uint8_t *refine_stripe(wvl_t1_fast *b, const stripe *s, uint32_t plane, uint8_t *out,
                                                int flags)
{
    wvl_t1_fast_state *st = b->s;
    uint64_t left = 0, own = add_rows(b, s, 0, flags);
    for (uint32_t k = 0; k < b->units; k++) {
        uint32_t at = s->first + k;
        uint64_t right = k + 1 < b->units ? add_rows(b, s, k + 1, flags) : 0;
        uint64_t members = st->members[at], again = st->refined[at];
        uint64_t lit = widen_neighbours(wvl_t1_add_columns(left, own, right)) & ~again;
        out = refine_members(members, st->planes[(size_t)plane * b->unit_count + at], lit, again, out);
        st->refined[at] = members;
        left = own;
        own = right;
    }
    return out;
}

static WVL_ALWAYS_INLINE size_t list_stripes(wvl_t1_fast *b, int kind, uint32_t plane, int flags)
{
    tools t = open_tools(b);
    uint8_t *out = b->s->symbols;
    b->gain_sum = b->gain_count = 0;
    stripe s = {b->s->significant + b->units + 2, ~UINT64_C(0), 0, 0};
    for (uint32_t n = 0; n < b->stripes; n++) {
        if (n + 1 == b->stripes) {
            s.row_mask = b->last_stripe_mask;
        }
        if (kind == WVL_T1_REFINE) {
            out = refine_stripe(b, &s, plane, out, flags);
        } else {
            out = list_stripe(b, &t, &s, kind, plane, out, flags);
        }
        s.significant += b->units + 1;
        s.first += b->units;
        s.y += 4;
    }
    return (size_t)(finish_units(&t, out, flags) - b->s->symbols);
}

static WVL_ALWAYS_INLINE size_t list_with_gains(wvl_t1_fast *b, int kind, uint32_t plane, int flags)
{
    if (!b->in->want_gains) {
        return list_stripes(b, kind, plane, flags);
    }
    return b->in->coef_bytes == 4 ? list_stripes(b, kind, plane, flags | GAINS | WIDE)
                                  : list_stripes(b, kind, plane, flags | GAINS);
}

/* Each call is a loop of its own, without what its flags leave out. */
static size_t list_pass(wvl_t1_fast *b, int kind, int raw, unsigned plane)
{
    int causal = (b->in->style & WVL_STYLE_VSC) != 0;
    if (kind == WVL_T1_REFINE) {
        return causal ? list_stripes(b, WVL_T1_REFINE, plane, CAUSAL) : list_stripes(b, WVL_T1_REFINE, plane, 0);
    }
    if (kind == WVL_T1_CLEANUP) {
        return causal ? list_with_gains(b, WVL_T1_CLEANUP, plane, CAUSAL)
                      : list_with_gains(b, WVL_T1_CLEANUP, plane, 0);
    }
    if (raw) {
        return causal ? list_with_gains(b, WVL_T1_PROPAGATE, plane, CAUSAL | RAW)
                      : list_with_gains(b, WVL_T1_PROPAGATE, plane, RAW);
    }
    return causal ? list_with_gains(b, WVL_T1_PROPAGATE, plane, CAUSAL)
                  : list_with_gains(b, WVL_T1_PROPAGATE, plane, 0);
}
