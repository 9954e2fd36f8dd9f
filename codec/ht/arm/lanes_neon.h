/* SPDX-License-Identifier: BSD-2-Clause */
/* What codec/ht/cleanup_lanes.h wants, with four quads in a vector. */
#pragma once

#include "base/lanes.h"

/* The last columns of a line, with 0 behind them; bytes <= 16. */
static inline uint8x16_t load_part(const uint8_t *p, size_t bytes)
{
    uint8_t part[16] = {0};
    if (bytes == 16) {
        return vld1q_u8(p);
    }
    memcpy(part, p, bytes);
    return vld1q_u8(part);
}

static inline halves load16(const uint8_t *line, uint32_t count, unsigned shift, halves *sign)
{
    uint16x8_t v = vreinterpretq_u16_u8(load_part(line, 2 * (size_t)count));
    *sign = (halves)vshrq_n_u16(v, 15);
    return (halves)vshlq_u16(vandq_u16(v, vdupq_n_u16(0x7FFF)), vdupq_n_s16((int16_t) - (int)shift));
}

static inline halves load32(const uint8_t *line, uint32_t count, unsigned shift, halves *sign)
{
    const uint32x4_t magnitude = vdupq_n_u32(INT32_MAX);
    int32x4_t by = vdupq_n_s32(-(int)shift);
    uint32_t first = count < 4 ? count : 4;
    uint32x4_t a = vreinterpretq_u32_u8(load_part(line, 4 * (size_t)first)),
               b = vreinterpretq_u32_u8(load_part(line + 4 * first, 4 * (size_t)(count - first)));
    *sign = (halves)vcombine_u16(vmovn_u32(vshrq_n_u32(a, 31)), vmovn_u32(vshrq_n_u32(b, 31)));
    return (halves)vcombine_u16(vmovn_u32(vshlq_u32(vandq_u32(a, magnitude), by)),
                                vmovn_u32(vshlq_u32(vandq_u32(b, magnitude), by)));
}

static inline halves less_one(halves v) { return (halves)vqsubq_u16((uint16x8_t)v, vdupq_n_u16(1)); }
static inline lanes greatest(lanes a, lanes b) { return (lanes)vmaxq_u32((uint32x4_t)a, (uint32x4_t)b); }
static inline lanes length(lanes v) { return 32 - (lanes)vclzq_u32((uint32x4_t)v); }

static inline lanes at_bit(lanes t, lanes U)
{
    int16x8_t by = vsubq_s16(vdupq_n_s16(1), (int16x8_t)(U | U << 16));
    return (lanes)vshlq_u16((uint16x8_t)t, by) & 0x10001;
}

static inline lanes keep(lanes v, lanes n)
{
    return (lanes)vbicq_u16((uint16x8_t)v, vshlq_u16(vdupq_n_u16(0xFFFF), (int16x8_t)n));
}

static inline pairs left(pairs v, pairs n) { return (pairs)vshlq_u64((uint64x2_t)v, (int64x2_t)n); }
static inline lanes behind(lanes before, lanes now) { return (lanes)vextq_u32((uint32x4_t)before, (uint32x4_t)now, 3); }
static inline pairs crossed(pairs v) { return (pairs)vextq_u64((uint64x2_t)v, (uint64x2_t)v, 1); }
static inline void put_even(uint64_t *to, pairs v) { *to = v[0]; }

static inline void put_turns(uint64_t *to, pairs even, pairs odd)
{
    vst1q_u64(to, vzip1q_u64((uint64x2_t)even, (uint64x2_t)odd));
    vst1q_u64(to + 2, vzip2q_u64((uint64x2_t)even, (uint64x2_t)odd));
}

static inline uint32_t mask_of(lanes v)
{
    static const uint32_t places[4] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(vtstq_u32((uint32x4_t)v, (uint32x4_t)v), vld1q_u32(places)));
}

static inline uint32_t squeeze(uint32_t bits, uint32_t members)
{
    uint32_t squeezed = 0;
    for (unsigned n = 0; members; members &= members - 1, n++) {
        squeezed |= (bits >> __builtin_ctz(members) & 1) << n;
    }
    return squeezed;
}

/* Tables may be of smaller numbers. */
static inline uint32_t pick_one(const uint32_t *table, uint64_t index)
{
    uint32_t v;
    memcpy(&v, (const uint8_t *)table + 4 * index, sizeof v);
    return v;
}

static inline lanes pick(const uint32_t *table, lanes index)
{
    return (lanes){pick_one(table, index[0]), pick_one(table, index[1]), pick_one(table, index[2]),
                   pick_one(table, index[3])};
}

static inline pairs pick_pairs(const uint32_t *table, pairs index)
{
    return (pairs){pick_one(table, index[0]), pick_one(table, index[1])};
}
