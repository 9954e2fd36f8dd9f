/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Twins of dwt_c.c with LANES samples in a vector. Horizontal kernels first write the symmetric extension into the room
 * around the line, then run over pairs (even, odd) with the neighbours of the previous vector kept in registers.
 *
 * A file that includes this one first defines:
 *   deinterleave(x, odd)       2 LANES samples into the even ones and the odd ones
 *   next(a, b), before(a, b)   a without its first lane and the first of b; the last lane of a and b without its last
 *   absolute                   of two's complement
 *   put_halves(to, a, b)       lanes below 2^16 as 16 bits each
 *   give16, give32             (to, v, n) at least n lanes, at most n rounded up to 8, as 16 or 32 bits each; give32
 *                              with more than 8 lanes only
 *   magnitudes(a, r)           with more than 8 lanes only
 */
#pragma once

#include "base/lanes.h"
#include "dwt/deep.h"
#include "dwt/scheme.h"

/* The vector before the first pair starts 2 LANES samples early; the last one, and the one after it, end at most 6
 * LANES late. */
#if WVL_LINE_LEAD < 2 * LANES || WVL_LINE_TAIL < 7 * LANES || WVL_LINE_ROUND < LANES
#error "lines lack the room that these kernels touch"
#endif

/* x + c (a + b): the sum rounded, then one fused multiply-add. */
static inline floats step97(float c, floats a, floats b, floats x) { return fused(spread(c), a + b, x); }

static void vlift97(const wvl_vlift_rows *rows, uint32_t n)
{
    const float *x0 = rows->x0, *x1 = rows->x1, *x2 = rows->x2, *dpp = rows->dpp;
    float *d = rows->d, *s = rows->s, *dp = rows->dp, *sp = rows->sp;
    for (uint32_t i = 0; i < n; i += LANES) {
        floats even = take_floats(x0 + i), d1p = take_floats(dp + i), s1p = take_floats(sp + i);
        floats d1 = step97(WVL_LIFT97_ALPHA, even, take_floats(x2 + i), take_floats(x1 + i));
        floats s1 = step97(WVL_LIFT97_BETA, d1p, d1, even);
        floats d2 = step97(WVL_LIFT97_GAMMA, s1p, s1, d1p);
        floats s2 = step97(WVL_LIFT97_DELTA, take_floats(dpp + i), d2, s1p);
        put_floats(d + i, d1);
        put_floats(s + i, s1);
        put_floats(dp + i, d2);
        put_floats(sp + i, s2);
    }
}

static inline lanes high53(lanes x, lanes a, lanes b) { return x - (lanes)((ints)(a + b) >> 1); }
static inline lanes low53(lanes x, lanes a, lanes b) { return x + (lanes)((ints)(a + b + 2) >> 2); }

static void vlift53(const wvl_vlift_rows *rows, uint32_t n)
{
    const uint32_t *x0 = rows->x0, *x1 = rows->x1, *x2 = rows->x2, *dp = rows->dp;
    uint32_t *d = rows->d, *s = rows->s;
    for (uint32_t i = 0; i < n; i += LANES) {
        lanes even = take(x0 + i), before = take(dp + i), high = high53(take(x1 + i), even, take(x2 + i));
        put(d + i, high);
        put(s + i, low53(even, before, high));
    }
}

/* Copies samples of either kind. */
static void extend(uint8_t *line, uint32_t n, int reach)
{
    uint8_t *last = line + 4 * (uint64_t)(n - 1);
    for (int i = 1; i <= reach; i++) {
        int is_inside = n > (uint32_t)i;
        memcpy(line - 4 * i, line + 4 * (uint64_t)(is_inside ? (uint32_t)i : wvl_lift_reflect(-i, 0, n)), 4);
        memcpy(last + 4 * i,
               line + 4 * (uint64_t)(is_inside ? n - 1 - (uint32_t)i : wvl_lift_reflect((int64_t)n - 1 + i, 0, n)), 4);
    }
}

static inline floats deinterleave_floats(const float *x, floats *odd)
{
    lanes other, even = deinterleave(x, &other);
    *odd = (floats)other;
    return (floats)even;
}
static inline floats next_floats(floats a, floats b) { return (floats)next((lanes)a, (lanes)b); }
static inline floats before_floats(floats a, floats b) { return (floats)before((lanes)a, (lanes)b); }

/*
 * Pairs count from the first even sample. With odd parity, high sample 0 belongs to pair -1: the last lane of the
 * vector before the first. That vector reads the extension (and, in lanes that reach no result, whatever lies before
 * it).
 */
static void hlift97(void *line, uint32_t n, unsigned parity, void *low_line, void *high_line)
{
    float *low = low_line, *high = (float *)high_line + parity;
    extend(line, n, WVL_LIFT97_REACH);
    const float *x = (const float *)line + parity;
    uint32_t pair_count = (n + 1 - parity) / 2;
    floats odd, next_odd, even = deinterleave_floats(x - 2 * LANES, &odd),
                          next_even = deinterleave_floats(x, &next_odd);
    floats d1p = step97(WVL_LIFT97_ALPHA, even, next_floats(even, next_even), odd);
    floats s1p = step97(WVL_LIFT97_BETA, before_floats(d1p, d1p), d1p, even), d2p = d1p;
    for (uint32_t i = 0; i < pair_count + LANES; i += LANES) {
        even = next_even;
        odd = next_odd;
        next_even = deinterleave_floats(x + 2 * (uint64_t)i + 2 * LANES, &next_odd);
        floats d1 = step97(WVL_LIFT97_ALPHA, even, next_floats(even, next_even), odd);
        floats s1 = step97(WVL_LIFT97_BETA, before_floats(d1p, d1), d1, even);
        floats d2 = step97(WVL_LIFT97_GAMMA, s1p, next_floats(s1p, s1), d1p);
        if (i) {
            put_floats(low + i - LANES, step97(WVL_LIFT97_DELTA, before_floats(d2p, d2), d2, s1p));
            put_floats(high + i - LANES, d2);
        } else if (parity) {
            *(float *)high_line = d2[LANES - 1];
        }
        d1p = d1;
        s1p = s1;
        d2p = d2;
    }
}

static void hlift53(void *line, uint32_t n, unsigned parity, void *low_line, void *high_line)
{
    int32_t *low = low_line, *high = (int32_t *)high_line + parity;
    extend(line, n, WVL_LIFT53_REACH);
    const int32_t *x = (const int32_t *)line + parity;
    uint32_t pair_count = (n + 1 - parity) / 2;
    int32_t first = wvl_lift53_high(x[-1], x[-2], x[0]);
    lanes odd, next_odd, even, next_even = deinterleave(x, &next_odd), dp = (lanes){0} + (uint32_t)first;
    if (parity) {
        high[-1] = first;
    }
    for (uint32_t i = 0; i < pair_count; i += LANES) {
        even = next_even;
        odd = next_odd;
        next_even = deinterleave(x + 2 * (uint64_t)i + 2 * LANES, &next_odd);
        lanes d = high53(odd, even, next(even, next_even));
        put(low + i, low53(even, before(dp, d), d));
        put(high + i, d);
        dp = d;
    }
}

/* ---- Packing --------------------------------------------------------------------------------- */

/* Magnitudes and, in bit 31, the signs of those that are not zero. */
typedef struct signed_lanes {
    lanes magnitude, sign;
} signed_lanes;

#if LANES <= 8
/* Floor of a product below 2^23; dwt/quant.h has the proof. */
static inline lanes magnitudes(floats a, floats r)
{
    ints i = __builtin_convertvector(a * r, ints);
    return (lanes)(i + ((ints)fused(a, r, -__builtin_convertvector(i, floats)) >> 31));
}

/* A whole vector stays within the room. */
static inline void give32(uint32_t *to, lanes v, uint32_t n)
{
    (void)n;
    put(to, v);
}

#endif

/* How samples become magnitudes. Always a constant after inlining. */
typedef signed_lanes (*quantiser)(lanes x, float r);

static inline signed_lanes from_i32(lanes x, float r)
{
    (void)r;
    return (signed_lanes){absolute(x), x & 0x80000000};
}

/* The negative of a magnitude that is not zero has bit 31. */
static inline signed_lanes with_sign(lanes magnitude, lanes x)
{
    return (signed_lanes){magnitude, -magnitude & x & 0x80000000};
}

static inline signed_lanes from_f32(lanes x, float r)
{
    return with_sign(magnitudes((floats)(x & 0x7FFFFFFF), spread(r)), x);
}

static inline signed_lanes from_f32_deep(lanes x, float r)
{
    typedef double doubles __attribute__((vector_size(8 * LANES)));
    doubles product = __builtin_convertvector((floats)(x & 0x7FFFFFFF), doubles) * (double)r;
    return with_sign((lanes) __builtin_convertvector(product, ints), x);
}

static inline lanes word16(signed_lanes q) { return q.magnitude | q.sign >> 16; }
static inline lanes word32(signed_lanes q) { return q.magnitude | q.sign; }

/* The magnitudes of the first n lanes. The last, partial vector is computed whole (a line has room). */
static inline lanes first_of(signed_lanes q, uint32_t n)
{
    static const ints number = LANES_NUMBERED;
    return q.magnitude & (lanes)(number < (int32_t)n);
}

__attribute__((always_inline)) static inline uint32_t pack_16(const uint32_t *x, uint32_t n, float r, uint16_t *out,
                                                              quantiser from)
{
    lanes bound = {0};
    uint32_t i = 0;
    for (; i + 2 * LANES <= n; i += 2 * LANES) {
        signed_lanes a = from(take(x + i), r), b = from(take(x + i + LANES), r);
        bound |= a.magnitude | b.magnitude;
        put_halves(out + i, word16(a), word16(b));
    }
    for (; i < n; i += LANES) {
        signed_lanes q = from(take(x + i), r);
        bound |= first_of(q, n - i);
        give16(out + i, word16(q), n - i);
    }
    return or_of(bound);
}

__attribute__((always_inline)) static inline uint32_t pack_32(const uint32_t *x, uint32_t n, float r, uint32_t *out,
                                                              quantiser from)
{
    lanes bound = {0};
    uint32_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        signed_lanes q = from(take(x + i), r);
        bound |= q.magnitude;
        put(out + i, word32(q));
    }
    if (i < n) {
        signed_lanes q = from(take(x + i), r);
        bound |= first_of(q, n - i);
        give32(out + i, word32(q), n - i);
    }
    return or_of(bound);
}

#define PACK(name, pack, from)                                                                                         \
    static uint32_t name(const void *x, uint32_t n, float r, void *cell) { return pack(x, n, r, cell, from); }
PACK(pack_i32_16, pack_16, from_i32)
PACK(pack_i32_32, pack_32, from_i32)
PACK(pack_f32_16, pack_16, from_f32)
PACK(pack_f32_32, pack_32, from_f32)
PACK(pack_f32_32_deep, pack_32, from_f32_deep)

#define DWT_KERNELS(level)                                                                                             \
    {                                                                                                                  \
        level, {vlift53, vlift53_i64, vlift97}, {hlift53, hlift53_i64, hlift97},                                       \
        {                                                                                                              \
            pack_i32_16, pack_i32_32, pack_i64_32, pack_f32_16, pack_f32_32, pack_f32_32_deep, pack_i64_64             \
        }                                                                                                              \
    }
