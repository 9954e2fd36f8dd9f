/* SPDX-License-Identifier: BSD-2-Clause */
/* Random code blocks of many tempers, for the tests of the block coders. */
#pragma once

#include "codec/t1/t1.h"
#include "tests/support/support.h"

typedef struct t1_rng {
    uint64_t s;
} t1_rng;

static inline uint32_t t1_random(t1_rng *r) { return test_draw32(&r->s); }

static inline uint64_t t1_seed(void)
{
    const char *seed = getenv("WVL_TEST_SEED");
    return seed ? strtoull(seed, NULL, 0) | 1 : 0x9E3779B97F4A7C15u;
}

enum { T1_TEMPERS = 9 };

/* One magnitude below 2^bits at (x, y); the tempers span noise, natural decay, emptiness and patterns made to hurt. */
static inline uint32_t t1_draw_magnitude(t1_rng *r, unsigned temper, unsigned bits, uint32_t x, uint32_t y)
{
    uint32_t top = bits ? (uint32_t)1 << (bits - 1) : 0, mask = bits ? top - 1 + top : 0, v = t1_random(r);
    switch (temper) {
    case 0: return v & mask;
    case 1: return (v & mask) >> (t1_random(r) % (bits + 1));
    case 2: return t1_random(r) % 16 ? 0 : v & mask;
    case 3: return mask;
    case 4: return (x + y) & 1 ? mask : top;
    case 5: return x / 8 % 2 == y / 8 % 2 ? (v & mask) >> (bits / 2) : 0;
    case 6: return t1_random(r) % 200 ? (v & mask) >> (bits - bits / 4) : mask;
    case 7: return (x & 3) == 0 && (y & 3) == 3 ? v & mask : 0;
    default: return x * 37 % 64 == y ? top : mask & 0x55555555;
    }
}

/* Fills w x h samples at the given stride, with rubbish between the rows, and sets in->coefs, bound and geometry. */
static inline void t1_draw_block(t1_rng *r, wvl_t1_input *in, void *samples, uint32_t w, uint32_t h, uint32_t stride,
                                 unsigned bits)
{
    unsigned temper = t1_random(r) % T1_TEMPERS;
    in->bound = 0;
    for (uint32_t y = 0; y < h; y++) {
        for (uint32_t x = 0; x < stride; x++) {
            uint32_t m = x < w ? t1_draw_magnitude(r, temper, bits, x, y) : t1_random(r);
            uint32_t negative = temper == 3 ? 0 : t1_random(r) & 1;
            if (x < w) {
                in->bound |= m;
                negative &= m != 0;
            }
            size_t i = (size_t)y * stride + x;
            if (in->coef_bytes == 2) {
                ((uint16_t *)samples)[i] = (uint16_t)(x < w ? m | negative << 15 : m);
            } else {
                ((uint32_t *)samples)[i] = x < w ? m | negative << 31 : m;
            }
        }
    }
    in->coefs = samples;
    in->stride = stride;
    in->width = (uint16_t)w;
    in->height = (uint16_t)h;
}
