/* SPDX-License-Identifier: BSD-2-Clause */
/* The formulas of Annex B as they stand, in 64 bits, for tests. */
#pragma once

#include <stdint.h>

typedef struct naive_rect {
    uint64_t x0, y0, x1, y1;
} naive_rect;

static inline uint64_t naive_ceil(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }
static inline uint64_t naive_max(uint64_t a, uint64_t b) { return a > b ? a : b; }
static inline uint64_t naive_min(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline int naive_empty(naive_rect r) { return r.x1 <= r.x0 || r.y1 <= r.y0; }

/* B-6 to B-11: tile t, numbered row by row. */
static inline naive_rect naive_tile(uint64_t t, naive_rect image, uint64_t tx, uint64_t ty, uint64_t tw, uint64_t th)
{
    uint64_t wide = naive_ceil(image.x1 - tx, tw), p = t % wide, q = t / wide;
    naive_rect r = {naive_max(tx + p * tw, image.x0), naive_max(ty + q * th, image.y0),
                    naive_min(tx + (p + 1) * tw, image.x1), naive_min(ty + (q + 1) * th, image.y1)};
    return r;
}

/* B-2, B-12. */
static inline naive_rect naive_component(naive_rect r, uint64_t dx, uint64_t dy)
{
    naive_rect c = {naive_ceil(r.x0, dx), naive_ceil(r.y0, dy), naive_ceil(r.x1, dx), naive_ceil(r.y1, dy)};
    return c;
}

/* B-14. */
static inline naive_rect naive_resolution(naive_rect tc, unsigned levels, unsigned r)
{
    uint64_t d = (uint64_t)1 << (levels - r);
    return naive_component(tc, d, d);
}

/* B-15; horizontal, vertical: 1 for the high-pass side. A difference below 0 rounds up to 0. */
static inline uint64_t naive_band_edge(uint64_t tc, unsigned level, unsigned high)
{
    uint64_t shift = high ? (uint64_t)1 << (level - 1) : 0;
    return tc <= shift ? 0 : naive_ceil(tc - shift, (uint64_t)1 << level);
}

static inline naive_rect naive_band(naive_rect tc, unsigned level, unsigned horizontal, unsigned vertical)
{
    naive_rect b = {naive_band_edge(tc.x0, level, horizontal), naive_band_edge(tc.y0, level, vertical),
                    naive_band_edge(tc.x1, level, horizontal), naive_band_edge(tc.y1, level, vertical)};
    return b;
}

/* B-16, along one axis. */
static inline uint64_t naive_precincts(uint64_t tr0, uint64_t tr1, unsigned pp)
{
    return tr1 > tr0 ? naive_ceil(tr1, (uint64_t)1 << pp) - (tr0 >> pp) : 0;
}
