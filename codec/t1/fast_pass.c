/* SPDX-License-Identifier: BSD-2-Clause */
/* The three coding passes as lists of symbols. */
#include <string.h>

#include "codec/t1/bits.h"
#include "codec/t1/fast.h"
#include "codec/t1/tables.h"

enum { RAW = 1, CAUSAL = 2, WIDE = 4 };

/* Where a word of masks stands, and the working copies of its sets: locals, as any store of a symbol might alias the block's. */
typedef struct word {
    uint64_t *columns; /* of its first column */
    uint64_t valid;    /* samples inside the block */
    uint64_t significant;
    uint64_t around;   /* samples with a significant neighbour, or significant */
    uint64_t bits;     /* of the plane being coded */
    uint64_t negative;
    const uint8_t *zero_codes;
    const void *coefs; /* of the stripe, at the first column of the word */
    size_t stride;
    size_t column_stride;
    uint64_t gain_sum, gain_count;
} word;

/* The sample itself and its neighbours within the word. */
#define AROUND_ROWS(i) ((i) % 4 == 0 ? 3 : (i) % 4 == 1 ? 7 : (i) % 4 == 2 ? 14 : 12)
#define AROUND_COLUMN(i) ((uint64_t)AROUND_ROWS(i) << ((i) & ~3))
#define AROUND(i) (AROUND_COLUMN(i) | AROUND_COLUMN(i) << 4 | AROUND_COLUMN(i) >> 4)
static const uint64_t around_table[64] = {WVL_ROWS_64(AROUND, 0)};

/* A set widened by one row up and down. */
static WVL_ALWAYS_INLINE uint64_t widen_rows(uint64_t v, uint64_t above, uint64_t below)
{
    return v | (v << 1 & WVL_NIBBLES(14)) | (v >> 1 & WVL_NIBBLES(7)) | (above >> 3 & WVL_NIBBLES(1)) | (below << 3 & WVL_NIBBLES(8));
}

static WVL_ALWAYS_INLINE uint64_t widen_columns(uint64_t left, uint64_t own, uint64_t right)
{
    return own | own << 4 | own >> 4 | left >> 60 | right << 60;
}

/* Significance of one sample reaches the eight around it; in causal mode not those of the stripe above. */
static WVL_ALWAYS_INLINE void mark_columns(uint64_t *column, size_t stride, unsigned row, uint64_t mark, int flags)
{
    column[-1] |= mark << (3 * row + 5);
    column[0] |= mark << (3 * row + 4);
    column[1] |= mark << (3 * row + 3);
    /* Row 0 is row 4 of the stripe above, row 3 is row -1 of the one below. Which row is as good as random: no branch. */
    uint64_t *other = row ? column + stride : column - stride;
    uint64_t outer = row == 3 || (row == 0 && !(flags & CAUSAL)) ? mark : 0;
    outer <<= row ? 0 : 15;
    other[-1] |= outer << 2;
    other[0] |= outer << 1;
    other[1] |= outer;
}

static WVL_ALWAYS_INLINE uint32_t magnitude_at(const word *w, unsigned i, int flags)
{
    size_t at = (i & 3) * w->stride + (i >> 2);
    return flags & WIDE ? ((const uint32_t *)w->coefs)[at] & 0x7FFFFFFF : ((const uint16_t *)w->coefs)[at] & 0x7FFFu;
}

/* Sample i of the word becomes significant: its sign symbol, and what changes around it. */
static WVL_ALWAYS_INLINE uint8_t *put_significance(word *w, unsigned i, uint8_t *out, int flags)
{
    uint64_t *column = w->columns + (i >> 2);
    unsigned row = i & 3, sign = w->negative >> i & 1;
    if (flags & RAW) {
        *out++ = (uint8_t)sign;
    } else {
        uint64_t f = *column >> 3 * row;
        *out++ = (uint8_t)(wvl_t1_sign_codes[(f & 0xAA) | (f >> 33 & 0x55)] ^ sign);
    }
    w->significant |= (uint64_t)1 << i;
    w->around |= around_table[i];
    mark_columns(column, w->column_stride, row, 1 | (uint64_t)sign << 32, flags);
    w->gain_sum += magnitude_at(w, i, flags);
    w->gain_count++;
    return out;
}

static WVL_ALWAYS_INLINE uint8_t zero_code(const word *w, unsigned i)
{
    return w->zero_codes[w->columns[i >> 2] >> 3 * (i & 3) & 0x1FF];
}

static WVL_ALWAYS_INLINE uint8_t *propagate_word(word *w, uint64_t *all_visited, uint8_t *out, int flags)
{
    uint64_t todo = w->around & ~w->significant & w->valid, visited = todo;
    while (todo) {
        unsigned i = wvl_trailing_zeros(todo), bit = w->bits >> i & 1;
        todo &= todo - 1;
        *out++ = (uint8_t)(flags & RAW ? bit : zero_code(w, i) | bit);
        if (bit) {
            out = put_significance(w, i, out, flags);
            uint64_t later = around_table[i] & ~w->significant & w->valid & ~visited & ~UINT64_C(1) << i;
            todo |= later;
            visited |= later;
        }
    }
    *all_visited = visited;
    return out;
}

static WVL_ALWAYS_INLINE uint8_t *clean_word(word *w, uint64_t visited, uint8_t *out, int flags, int full_stripe)
{
    uint64_t todo = ~(w->significant | visited) & w->valid;
    if (full_stripe && !(w->around | (w->bits & todo))) {
        unsigned columns = w->valid == ~UINT64_C(0) ? 16 : wvl_trailing_zeros(~w->valid) / 4;
        memset(out, 2 * WVL_T1_CTX_RUN, columns);
        return out + columns;
    }
    while (todo) {
        unsigned i = wvl_trailing_zeros(todo);
        if (full_stripe && !(w->around >> (i & ~3u) & 15)) {
            unsigned rows = w->bits >> i & 15;
            if (!rows) {
                *out++ = 2 * WVL_T1_CTX_RUN;
                todo &= ~((uint64_t)15 << i);
                continue;
            }
            unsigned row = wvl_trailing_zeros(rows);
            *out++ = 2 * WVL_T1_CTX_RUN + 1;
            *out++ = (uint8_t)(2 * WVL_T1_CTX_UNIFORM + (row >> 1));
            *out++ = (uint8_t)(2 * WVL_T1_CTX_UNIFORM + (row & 1));
            i += row;
            todo &= ~UINT64_C(1) << i;
            out = put_significance(w, i, out, flags);
            continue;
        }
        unsigned bit = w->bits >> i & 1;
        todo &= todo - 1;
        *out++ = (uint8_t)(zero_code(w, i) | bit);
        if (bit)
            out = put_significance(w, i, out, flags);
    }
    return out;
}

/* Base of the symbols of a refinement: context 14 + lit + 2 * again. */
static WVL_ALWAYS_INLINE uint8_t *refine_word(uint64_t todo, uint64_t bits, uint64_t lit, uint64_t again, uint8_t *out)
{
    while (todo) {
        unsigned i = wvl_trailing_zeros(todo);
        todo &= todo - 1;
        *out++ = (uint8_t)(2 * WVL_T1_CTX_REFINE + (bits >> i & 1) + 2 * (lit >> i & 1) + 4 * (again >> i & 1));
    }
    return out;
}

typedef struct stripe {
    uint64_t *significant; /* first word of the row of masks */
    uint64_t row_mask;
    uint32_t y, first; /* index of its first word in the unframed arrays */
} stripe;

static WVL_ALWAYS_INLINE uint64_t widen_at(const wvl_t1_fast *b, const stripe *s, uint32_t k, int flags)
{
    const uint64_t *v = s->significant + k;
    size_t row = b->words + 1;
    return widen_rows(v[0], *(v - row), flags & CAUSAL ? 0 : v[row]);
}

static WVL_ALWAYS_INLINE uint8_t *list_stripe(wvl_t1_fast *b, const stripe *s, int kind, uint32_t plane, uint8_t *out, int flags)
{
    wvl_t1_fast_state *st = b->s;
    uint64_t left = 0, own = widen_at(b, s, 0, flags);
    for (uint32_t k = 0; k < b->words; k++) {
        uint32_t at = s->first + k;
        uint64_t right = k + 1 < b->words ? widen_at(b, s, k + 1, flags) : 0;
        word w = {.zero_codes = b->zero_codes, .stride = b->in->stride, .column_stride = b->column_stride};
        w.coefs = (const uint8_t *)b->in->coefs + (s->y * w.stride + 16 * k) * (flags & WIDE ? 4 : 2);
        w.columns = st->columns + (s->y / 4 + 1) * w.column_stride + 1 + 16 * k;
        w.valid = (k + 1 < b->words ? ~UINT64_C(0) : b->last_word_mask) & s->row_mask;
        w.significant = s->significant[k];
        w.around = widen_columns(left, own, right);
        w.bits = st->planes[(size_t)plane * b->word_count + at];
        w.negative = st->negative[at];
        if (kind == WVL_T1_PROPAGATE) {
            st->members[at] = w.significant;
            out = propagate_word(&w, &st->visited[at], out, flags);
        } else {
            out = clean_word(&w, st->visited[at], out, flags, s->row_mask == ~UINT64_C(0));
        }
        s->significant[k] = w.significant;
        b->gain_sum += w.gain_sum;
        b->gain_count += w.gain_count;
        left = widen_at(b, s, k, flags);
        own = right;
    }
    return out;
}

static WVL_ALWAYS_INLINE uint8_t *refine_stripe(wvl_t1_fast *b, const stripe *s, uint32_t plane, uint8_t *out, int flags)
{
    wvl_t1_fast_state *st = b->s;
    uint64_t left = 0, own = widen_at(b, s, 0, flags);
    for (uint32_t k = 0; k < b->words; k++) {
        uint32_t at = s->first + k;
        uint64_t right = k + 1 < b->words ? widen_at(b, s, k + 1, flags) : 0;
        uint64_t members = st->members[at], again = st->refined[at], v = s->significant[k];
        if (members) {
            uint64_t above = *(s->significant + k - (b->words + 1)), below = flags & CAUSAL ? 0 : s->significant[k + b->words + 1];
            uint64_t beside = widen_columns(left, 0, right) | own << 4 | own >> 4;
            uint64_t vertical = (v << 1 & WVL_NIBBLES(14)) | (v >> 1 & WVL_NIBBLES(7)) | (above >> 3 & WVL_NIBBLES(1)) | (below << 3 & WVL_NIBBLES(8));
            uint64_t bits = st->planes[(size_t)plane * b->word_count + at];
            out = refine_word(members, bits, (beside | vertical) & ~again, again, out);
        }
        st->refined[at] = members;
        left = own;
        own = right;
    }
    return out;
}

static WVL_ALWAYS_INLINE size_t list_pass(wvl_t1_fast *b, int kind, uint32_t plane, int flags)
{
    uint8_t *out = b->s->symbols;
    b->gain_sum = b->gain_count = 0;
    stripe s = {b->s->significant + b->words + 2, ~UINT64_C(0), 0, 0};
    for (uint32_t n = 0; n < b->stripes; n++) {
        if (n + 1 == b->stripes)
            s.row_mask = b->last_stripe_mask;
        if (kind == WVL_T1_REFINE)
            out = refine_stripe(b, &s, plane, out, flags);
        else
            out = list_stripe(b, &s, kind, plane, out, flags);
        s.significant += b->words + 1;
        s.first += b->words;
        s.y += 4;
    }
    return (size_t)(out - b->s->symbols);
}

static WVL_ALWAYS_INLINE size_t list_pass_wide(wvl_t1_fast *b, int kind, uint32_t plane, int flags)
{
    return b->in->coef_bytes == 4 ? list_pass(b, kind, plane, flags | WIDE) : list_pass(b, kind, plane, flags);
}

static size_t list_propagate(wvl_t1_fast *b, uint32_t plane) { return list_pass_wide(b, WVL_T1_PROPAGATE, plane, 0); }
static size_t list_propagate_raw(wvl_t1_fast *b, uint32_t plane) { return list_pass_wide(b, WVL_T1_PROPAGATE, plane, RAW); }
static size_t list_propagate_causal(wvl_t1_fast *b, uint32_t plane) { return list_pass_wide(b, WVL_T1_PROPAGATE, plane, CAUSAL); }
static size_t list_propagate_causal_raw(wvl_t1_fast *b, uint32_t plane) { return list_pass_wide(b, WVL_T1_PROPAGATE, plane, CAUSAL | RAW); }
static size_t list_refine(wvl_t1_fast *b, uint32_t plane) { return list_pass(b, WVL_T1_REFINE, plane, 0); }
static size_t list_refine_causal(wvl_t1_fast *b, uint32_t plane) { return list_pass(b, WVL_T1_REFINE, plane, CAUSAL); }
static size_t list_clean(wvl_t1_fast *b, uint32_t plane) { return list_pass_wide(b, WVL_T1_CLEANUP, plane, 0); }
static size_t list_clean_causal(wvl_t1_fast *b, uint32_t plane) { return list_pass_wide(b, WVL_T1_CLEANUP, plane, CAUSAL); }

size_t wvl_t1_fast_list_pass(wvl_t1_fast *b, int kind, int raw, unsigned plane)
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
