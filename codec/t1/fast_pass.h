/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The three coding passes as lists of symbols. Included by one file per instruction set, which defines FETCH_NEIGHBOURS(x), the nine bits
 * of x at 0-2, 6-8 and 12-14, and gets `list_pass`.
 *
 * Whether a sample becomes significant is what the arithmetic coder is there to find out, so branches on it would be mispredicted: the
 * loops store the sign symbol in any case, and step over it only where there is one.
 */
#include <string.h>

#include "codec/t1/bits.h"
#include "codec/t1/fast.h"
#include "codec/t1/tables.h"

enum { RAW = 1, CAUSAL = 2, WIDE = 4, GAINS = 8 };

/* A sample's eight neighbours as seen from WVL_T1_INNER_FIRST bits below it, and those that follow it in the scan as seen from itself. */
#define LATER UINT64_C(0xE2)

/* A unit in work. */
typedef struct unit {
    uint64_t window;   /* of significance */
    uint64_t negative; /* window */
    uint64_t bits;     /* of the plane being coded */
    uint64_t valid;    /* samples inside the block */
    const uint8_t *zero_codes;
} unit;

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
static WVL_ALWAYS_INLINE unsigned code_sample(unit *u, unsigned i, uint8_t **out, unsigned base, int flags)
{
    unsigned n = neighbours(u, i), bit = (unsigned)(u->bits >> i) & 1;
    (*out)[0] = (uint8_t)(flags & RAW ? bit : (base + u->zero_codes[n]) | bit);
    (*out)[1] = sign_symbol(u, i, n, flags);
    *out += 1 + bit;
    u->window |= (uint64_t)bit << i;
    return bit;
}

/* Returns the samples visited. */
static WVL_ALWAYS_INLINE uint64_t propagate_unit(unit *u, uint8_t **symbols, int flags)
{
    uint64_t insignificant = ~u->window & u->valid, todo = widen(u->window) & insignificant, visited = todo;
    uint8_t *out = *symbols;
    while (todo) {
        unsigned i = wvl_trailing_zeros(todo);
        todo &= todo - 1;
        uint64_t later = LATER << i & insignificant & (0 - (uint64_t)code_sample(u, i, &out, 0, flags));
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

/* The OR of the four samples of each column, at its top one. */
static WVL_ALWAYS_INLINE uint64_t fold_columns(uint64_t v)
{
    v &= WVL_T1_INNER;
    v |= v >> 1;
    return (v | v >> 2) & WVL_T1_TOP_ROW;
}

static WVL_ALWAYS_INLINE void clean_unit(unit *u, uint64_t visited, uint8_t **symbols, int flags, int full_stripe)
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
            significant = 0 - (uint64_t)code_sample(u, i, &out, base, flags);
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

typedef struct stripe {
    uint64_t *significant; /* first unit of the row */
    uint64_t row_mask;
    uint32_t y, first; /* index of its first unit in the unframed arrays */
} stripe;

static WVL_ALWAYS_INLINE uint64_t add_rows(const wvl_t1_fast *b, const stripe *s, uint32_t k, int flags)
{
    return wvl_t1_add_rows(s->significant + k, b->units + 1, !(flags & CAUSAL));
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

static WVL_ALWAYS_INLINE uint8_t *list_stripe(wvl_t1_fast *b, const stripe *s, int kind, uint32_t plane, uint8_t *out, int flags)
{
    wvl_t1_fast_state *st = b->s;
    uint64_t left = 0, own = add_rows(b, s, 0, flags);
    for (uint32_t k = 0; k < b->units; k++) {
        uint32_t at = s->first + k;
        uint64_t right = k + 1 < b->units ? add_rows(b, s, k + 1, flags) : 0;
        unit u = {.window = wvl_t1_add_columns(left, own, right), .negative = st->negative[at], .zero_codes = b->zero_codes};
        u.bits = st->planes[(size_t)plane * b->unit_count + at];
        u.valid = (k + 1 < b->units ? WVL_T1_INNER : b->last_unit_mask) & s->row_mask;
        uint64_t before = s->significant[k], after;
        if (kind == WVL_T1_PROPAGATE) {
            st->members[at] = before;
            st->visited[at] = propagate_unit(&u, &out, flags);
        } else {
            clean_unit(&u, st->visited[at], &out, flags, s->row_mask == ~UINT64_C(0));
        }
        after = u.window & WVL_T1_INNER;
        s->significant[k] = after;
        if (flags & GAINS)
            add_gain(b, s, k, after ^ before, flags);
        left = own | after;
        own = right;
    }
    return out;
}

static WVL_ALWAYS_INLINE uint8_t *refine_stripe(wvl_t1_fast *b, const stripe *s, uint32_t plane, uint8_t *out, int flags)
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
    uint8_t *out = b->s->symbols;
    b->gain_sum = b->gain_count = 0;
    stripe s = {b->s->significant + b->units + 2, ~UINT64_C(0), 0, 0};
    for (uint32_t n = 0; n < b->stripes; n++) {
        if (n + 1 == b->stripes)
            s.row_mask = b->last_stripe_mask;
        if (kind == WVL_T1_REFINE)
            out = refine_stripe(b, &s, plane, out, flags);
        else
            out = list_stripe(b, &s, kind, plane, out, flags);
        s.significant += b->units + 1;
        s.first += b->units;
        s.y += 4;
    }
    return (size_t)(out - b->s->symbols);
}

static WVL_ALWAYS_INLINE size_t list_with_gains(wvl_t1_fast *b, int kind, uint32_t plane, int flags)
{
    if (!b->in->want_gains)
        return list_stripes(b, kind, plane, flags);
    return b->in->coef_bytes == 4 ? list_stripes(b, kind, plane, flags | GAINS | WIDE) : list_stripes(b, kind, plane, flags | GAINS);
}

static size_t list_propagate(wvl_t1_fast *b, uint32_t plane) { return list_with_gains(b, WVL_T1_PROPAGATE, plane, 0); }
static size_t list_propagate_raw(wvl_t1_fast *b, uint32_t plane) { return list_with_gains(b, WVL_T1_PROPAGATE, plane, RAW); }
static size_t list_propagate_causal(wvl_t1_fast *b, uint32_t plane) { return list_with_gains(b, WVL_T1_PROPAGATE, plane, CAUSAL); }
static size_t list_propagate_causal_raw(wvl_t1_fast *b, uint32_t plane) { return list_with_gains(b, WVL_T1_PROPAGATE, plane, CAUSAL | RAW); }
static size_t list_refine(wvl_t1_fast *b, uint32_t plane) { return list_stripes(b, WVL_T1_REFINE, plane, 0); }
static size_t list_refine_causal(wvl_t1_fast *b, uint32_t plane) { return list_stripes(b, WVL_T1_REFINE, plane, CAUSAL); }
static size_t list_clean(wvl_t1_fast *b, uint32_t plane) { return list_with_gains(b, WVL_T1_CLEANUP, plane, 0); }
static size_t list_clean_causal(wvl_t1_fast *b, uint32_t plane) { return list_with_gains(b, WVL_T1_CLEANUP, plane, CAUSAL); }

static size_t list_pass(wvl_t1_fast *b, int kind, int raw, unsigned plane)
{
    int causal = (b->in->style & WVL_STYLE_VSC) != 0;
    if (kind == WVL_T1_REFINE)
        return causal ? list_refine_causal(b, plane) : list_refine(b, plane);
    if (kind == WVL_T1_CLEANUP)
        return causal ? list_clean_causal(b, plane) : list_clean(b, plane);
    if (raw)
        return causal ? list_propagate_causal_raw(b, plane) : list_propagate_raw(b, plane);
    return causal ? list_propagate_causal(b, plane) : list_propagate(b, plane);
}
