/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Twins of front_c.c with LANES samples in a vector: the loads and conversions that pictures commonly need. Loads never
 * read beyond their samples.
 *
 * A file that includes this one defines, behind front_steps.h:
 *   widen_u8, widen_s8, widen_u16, widen_s16, widen_32     STEP samples from memory
 *   take_u8x3                                              16 interleaved pixels of bytes
 *   take_pixels                                            16 pixels of packed_pixels.h; it may read as many bytes
 *                                                          behind them as PIXELS_ROOM more pixels have
 */
#pragma once

#include "front/color_ops.h"
#include "front/front_steps.h"

#if WVL_LINE_ROUND < LANES
#error "lines lack the room that these kernels touch"
#endif

/* Level shift and the record of what was seen. */
typedef struct shifts {
    lanes bias, half, seen;
} shifts;

static inline shifts shifts_of(wvl_front_shift shift)
{
    return (shifts){(lanes){0} + shift.bias, (lanes){0} + shift.half, (lanes){0}};
}

static inline void put_shifted(shifts *s, lanes value, int32_t *out)
{
    lanes biased = value + s->bias;
    s->seen |= biased;
    put(out, biased - s->half);
}

static inline void put_step(shifts *s, step v, int32_t *out)
{
    for (unsigned k = 0; k < STEP / LANES; k++) {
        put_shifted(s, v.part[k], out + k * LANES);
    }
}

/* The last step takes some samples for the second time. */
__attribute__((always_inline)) static inline uint32_t load_row(unsigned kind, widener widen, uint32_t bytes,
                                                               const uint8_t *p, uint32_t n, wvl_front_shift shift,
                                                               int32_t *out)
{
    shifts s = shifts_of(shift);
    uint32_t i = 0;
    if (n < STEP) {
        return wvl_front_fetch_kernels(WVL_CPU_C)->strided[kind](p, 0, 1, n, shift, out);
    }
    for (; i + STEP <= n; i += STEP) {
        put_step(&s, widen(p + (uint64_t)i * bytes), out + i);
    }
    if (i < n) {
        put_step(&s, widen(p + (uint64_t)(n - STEP) * bytes), out + n - STEP);
    }
    return or_of(s.seen);
}

#define LOAD(name, kind, widen, bytes)                                                                                 \
    static uint32_t name(const uint8_t *row, uint64_t first, uint64_t stride, uint32_t n, wvl_front_shift shift,       \
                         int32_t *out)                                                                                 \
    {                                                                                                                  \
        (void)stride;                                                                                                  \
        return load_row(kind, widen, bytes, row + first * (bytes), n, shift, out);                                     \
    }
LOAD(load_u8, WVL_LOAD_U8, widen_u8, 1)
LOAD(load_s8, WVL_LOAD_S8, widen_s8, 1)
LOAD(load_u16, WVL_LOAD_U16, widen_u16, 2)
LOAD(load_s16, WVL_LOAD_S16, widen_s16, 2)
LOAD(load_32, WVL_LOAD_32, widen_32, 4)

/* 16 pixels at a time: whole words in every layout. What is left, and all there is in short rows, is done one by one.
 */
__attribute__((always_inline)) static inline uint32_t load_pixels(wvl_packed_pixels l, pixel_taker take_16,
                                                                  uint32_t room, const uint8_t *row, ptrdiff_t next,
                                                                  uint32_t n, wvl_front_shift shift,
                                                                  int32_t *const *out)
{
    wvl_front_load1 load = wvl_front_fetch_kernels(WVL_CPU_C)->strided[l.kind];
    shifts s = shifts_of(shift);
    uint32_t i = 0;
    for (; n - i >= 16 + room; i += 16) {
        const uint8_t *p = row + (uint64_t)i / 16 * (2 * l.pixel_bits);
        wvl_front_ask_for(p, next);
        if (l.pixel_bits > 32) {
            wvl_front_ask_for(p + 64, next);
        }
        pixels v = take_16(l, p);
        for (unsigned c = 0; c < 3; c++) {
            for (unsigned k = 0; k < 16 / LANES; k++) {
                put_shifted(&s, v.part[c][k], out[c] + i + k * LANES);
            }
        }
    }
    uint32_t seen = or_of(s.seen);
    for (unsigned c = 0; c < 3; c++) {
        seen |= load(row, 3 * (uint64_t)i + c, 3, n - i, shift, out[c] + i);
    }
    return seen;
}

#define LOAD_PIXELS(name, take_16, room, kind, ...)                                                                    \
    static uint32_t load_##name(const uint8_t *row, ptrdiff_t next, uint32_t n, wvl_front_shift shift,                 \
                                int32_t *const *out)                                                                   \
    {                                                                                                                  \
        return load_pixels((wvl_packed_pixels){kind, __VA_ARGS__}, take_16, room, row, next, n, shift, out);           \
    }
#define LOAD_PACKED(name, ...) LOAD_PIXELS(name, take_pixels, PIXELS_ROOM, __VA_ARGS__)
LOAD_PIXELS(u8x3, take_u8x3, 0, WVL_LOAD_U8, 24, 8, 8, 0, 0)
WVL_PACKED_PIXELS(LOAD_PACKED)

static inline floats line_floats(const int32_t *p) { return __builtin_convertvector((ints)take(p), floats); }

static void to_f32(const int32_t *const *in, uint32_t n, void *const *out)
{
    float *x = out[0];
    for (uint32_t i = 0; i < n; i += LANES) {
        put_floats(x + i, line_floats(in[0] + i));
    }
}

static void rct(const int32_t *const *in, uint32_t n, void *const *out)
{
    const int32_t *red = in[0], *green = in[1], *blue = in[2];
    int32_t *luma = out[0], *u = out[1], *v = out[2];
    for (uint32_t i = 0; i < n; i += LANES) {
        lanes r = take(red + i), g = take(green + i), b = take(blue + i);
        put(luma + i, (lanes)((ints)(r + g + g + b) >> 2));
        put(u + i, b - g);
        put(v + i, r - g);
    }
}

static void ict(const int32_t *const *in, uint32_t n, void *const *out)
{
    const floats kr = spread(WVL_ICT_RED), kg = spread(WVL_ICT_GREEN), kb = spread(WVL_ICT_BLUE);
    const int32_t *red = in[0], *green = in[1], *blue = in[2];
    float *luma = out[0], *cb = out[1], *cr = out[2];
    for (uint32_t i = 0; i < n; i += LANES) {
        floats r = line_floats(red + i), g = line_floats(green + i), b = line_floats(blue + i);
        floats y = fused(kr, r, fused(kg, g, kb * b));
        put_floats(luma + i, y);
        put_floats(cb + i, b - y);
        put_floats(cr + i, r - y);
    }
}

#define FRONT_KERNELS(level, put_xyz)                                                                                  \
    {                                                                                                                  \
        level, {NULL}, {load_u8, load_s8, load_u16, load_s16, load_32}, TRIPLES, {NULL, to_f32, rct, NULL, ict},       \
        {                                                                                                              \
            NULL, NULL, put_xyz                                                                                        \
        }                                                                                                              \
    }
#define TRIPLES                                                                                                        \
    {                                                                                                                  \
        load_u8x3, NULL, load_u16x3, NULL, NULL, load_packed10x3, load_packed12x3, load_filled10x3_be,                 \
            load_filled10x3_le, load_filled12x3_be, load_filled12x3_le, load_words12x3_be, load_words12x3_le,          \
            load_words10x3_be, load_words10x3_le, load_u16x3_be                                                        \
    }
