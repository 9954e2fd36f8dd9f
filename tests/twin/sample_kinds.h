/* SPDX-License-Identifier: BSD-2-Clause */
/* What the samples of blocks are in the twins of both block coders, and the shapes that blocks have. */
#pragma once

#include "emulated_suite.h"

/* ONES: MagSgn of HT is nothing but 1s; MIXED: mostly so. NATURAL, COLUMNS: for contexts of EBCOT. */
enum {
    NOISE,
    ZERO,
    TOP,
    ONES,
    MIXED,
    SPARSE,
    SMALL,
    POWERS,
    CHECKERS,
    ONE_SAMPLE,
    RAMP,
    QUIET,
    NATURAL,
    COLUMNS,
    KINDS
};

static inline uint32_t draw_magnitude(unsigned kind, unsigned planes, uint32_t share, uint32_t x, uint32_t y)
{
    uint32_t top = (uint32_t)(((uint64_t)1 << planes) - 1), any = (draw() << 8 ^ draw()) & top,
             ones = planes > 1 ? 1u << (planes - 2) : 1;
    switch (kind) {
    case NOISE: return any;
    case TOP: return top;
    case ONES: return ones;
    case MIXED: return below(64) < share ? ones : any;
    case SPARSE: return below(64) ? 0 : any;
    case SMALL: return !below(3);
    case POWERS: return 1u << below(planes);
    case CHECKERS: return (x ^ y) & 1 ? top : 0;
    case ONE_SAMPLE: return x + y ? 0 : top;
    case RAMP: return any >> below(planes);
    case QUIET: return !below(1024);
    case NATURAL: return any >> (planes - 1) * ((x / 9 + y / 7) % 5) / 5 >> below(3);
    case COLUMNS: return x % 5 || y % 4 != x / 5 % 4 ? 0 : any;
    default: return 0;
    }
}

static inline void fill_block(ht_list *list, wvl_cuda_ht_block *b, unsigned kind, unsigned planes)
{
    uint32_t share = between(32, 64);
    for (uint32_t i = 0; i < (uint32_t)b->width * b->height; i++) {
        uint32_t x = i % b->width, y = i / b->width;
        unsigned negative = kind == TOP ? x & 1 : below(2);
        if (kind == ONES || kind == MIXED) {
            negative = below(64) < share;
        }
        ht_list_put(list, b, x, y, draw_magnitude(kind, planes, share, x, y), negative);
    }
}

static inline uint32_t draw_stride(uint32_t width) { return below(2) ? (width + 7) & ~7u : width + between(0, 9); }

/* The k-th shape at the borders, from 1 on: widths 1 to 67 and the extremes, at heights of all remainders. */
enum { BORDER_SHAPES = 67 + 10 };
static inline void draw_border(uint32_t k, int turned, uint32_t *width, uint32_t *height)
{
    static const uint32_t extremes[BORDER_SHAPES - 67] = {127, 128, 129, 255, 511, 513, 1021, 1022, 1023, 1024};
    uint32_t one = k <= 67 ? k : extremes[k - 68], most = wvl_min_u32(4096u >> wvl_bit_length(one - 1), 1024),
             other = between(1, most);
    other = below(2) && other > 9 ? between(1, 9) : other;
    *width = turned ? other : one;
    *height = turned ? one : other;
}
