/* SPDX-License-Identifier: BSD-2-Clause */
/* NEON twins of the loads and conversions that pictures commonly need. Loads never read beyond their samples: what is
 * left after the last whole vector is done one by one. */
#include "front/front.h"

#include <arm_neon.h>

#include "front/color_ops.h"
#include "front/packed_pixels.h"

#if WVL_LINE_ROUND < 4
#error "lines lack the room that these kernels touch"
#endif

/* Level shift and the record of what was seen. */
typedef struct shift4 {
    int32x4_t bias, half, seen;
} shift4;

static inline shift4 shift4_of(wvl_front_shift shift)
{
    return (shift4){vdupq_n_s32((int32_t)shift.bias), vdupq_n_s32((int32_t)shift.half), vdupq_n_s32(0)};
}

static inline void put4(shift4 *s, int32x4_t value, int32_t *out)
{
    int32x4_t biased = vaddq_s32(value, s->bias);
    s->seen = vorrq_s32(s->seen, biased);
    vst1q_s32(out, vsubq_s32(biased, s->half));
}

static inline uint32_t seen4(const shift4 *s)
{
    uint32x4_t v = vreinterpretq_u32_s32(s->seen);
    uint32x2_t h = vorr_u32(vget_low_u32(v), vget_high_u32(v));
    return vget_lane_u32(h, 0) | vget_lane_u32(h, 1);
}

static inline void put_s16(shift4 *s, int16x8_t v, int32_t *out)
{
    put4(s, vmovl_s16(vget_low_s16(v)), out);
    put4(s, vmovl_s16(vget_high_s16(v)), out + 4);
}

static inline void put_u16(shift4 *s, uint16x8_t v, int32_t *out)
{
    put4(s, vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(v))), out);
    put4(s, vreinterpretq_s32_u32(vmovl_u16(vget_high_u16(v))), out + 4);
}

/* Eight values from memory; a constant after inlining. Containers lie where the caller put them, maybe not aligned:
 * bytes are loaded. */
typedef void (*load8)(shift4 *s, const uint8_t *p, int32_t *out);
static inline void load8_u8(shift4 *s, const uint8_t *p, int32_t *out) { put_u16(s, vmovl_u8(vld1_u8(p)), out); }
static inline void load8_s8(shift4 *s, const uint8_t *p, int32_t *out)
{
    put_s16(s, vmovl_s8(vreinterpret_s8_u8(vld1_u8(p))), out);
}
static inline void load8_u16(shift4 *s, const uint8_t *p, int32_t *out)
{
    put_u16(s, vreinterpretq_u16_u8(vld1q_u8(p)), out);
}
static inline void load8_s16(shift4 *s, const uint8_t *p, int32_t *out)
{
    put_s16(s, vreinterpretq_s16_u8(vld1q_u8(p)), out);
}
static inline void load8_32(shift4 *s, const uint8_t *p, int32_t *out)
{
    put4(s, vreinterpretq_s32_u8(vld1q_u8(p)), out);
    put4(s, vreinterpretq_s32_u8(vld1q_u8(p + 16)), out + 4);
}

__attribute__((always_inline)) static inline uint32_t load_row(unsigned kind, load8 load, uint32_t bytes,
                                                               const uint8_t *row, uint64_t first, uint32_t n,
                                                               wvl_front_shift shift, int32_t *out)
{
    const uint8_t *p = row + first * bytes;
    shift4 s = shift4_of(shift);
    uint32_t i = 0;
    for (; i + 8 <= n; i += 8) {
        load(&s, p + (uint64_t)i * bytes, out + i);
    }
    return seen4(&s) | wvl_front_fetch_kernels(WVL_CPU_C)->strided[kind](p, i, 1, n - i, shift, out + i);
}

#define LOAD(name, kind, load, bytes)                                                                                  \
    static uint32_t name(const uint8_t *row, uint64_t first, uint64_t stride, uint32_t n, wvl_front_shift shift,       \
                         int32_t *out)                                                                                 \
    {                                                                                                                  \
        (void)stride;                                                                                                  \
        return load_row(kind, load, bytes, row, first, n, shift, out);                                                 \
    }
LOAD(load_u8, WVL_LOAD_U8, load8_u8, 1)
LOAD(load_s8, WVL_LOAD_S8, load8_s8, 1)
LOAD(load_u16, WVL_LOAD_U16, load8_u16, 2)
LOAD(load_s16, WVL_LOAD_S16, load8_s16, 2)
LOAD(load_32, WVL_LOAD_32, load8_32, 4)

/* What is left of interleaved triples, and all there is in short rows. */
static uint32_t load_triple_rest(unsigned kind, const uint8_t *row, uint32_t from, uint32_t n, wvl_front_shift shift,
                                 int32_t *const *out)
{
    wvl_front_load1 load = wvl_front_fetch_kernels(WVL_CPU_C)->strided[kind];
    uint32_t seen = 0;
    for (unsigned place = 0; place < 3; place++) {
        seen |= load(row, 3 * (uint64_t)from + place, 3, n - from, shift, out[place] + from);
    }
    return seen;
}

static uint32_t load_u8x3(const uint8_t *row, ptrdiff_t next, uint32_t n, wvl_front_shift shift, int32_t *const *out)
{
    shift4 s = shift4_of(shift);
    uint32_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const uint8_t *p = row + 3 * (uint64_t)i;
        wvl_front_ask_for(p, next);
        uint8x8x3_t v = vld3_u8(p);
        for (unsigned place = 0; place < 3; place++) {
            put_u16(&s, vmovl_u8(v.val[place]), out[place] + i);
        }
    }
    return seen4(&s) | load_triple_rest(WVL_LOAD_U8, row, i, n, shift, out);
}

/* Windows of pixels i and i + 1, whose bytes lie in 16 from a word on. */
__attribute__((always_inline)) static inline uint64x2_t window2(wvl_packed_pixels l, const uint8_t *p, uint32_t i)
{
    uint32_t base = wvl_packed_word(l, i);
    uint64x2_t look_up =
        vcombine_u64(vcreate_u64(wvl_packed_look_up(l, i, base)), vcreate_u64(wvl_packed_look_up(l, i + 1, base)));
    return vreinterpretq_u64_u8(vqtbl1q_u8(vld1q_u8(p + base), vreinterpretq_u8_u64(look_up)));
}

__attribute__((always_inline)) static inline uint32x4_t shift2(wvl_packed_pixels l, uint64x2_t window, uint32_t i,
                                                               uint32_t c)
{
    int64x2_t up = vcombine_s64(vcreate_s64((uint64_t) - (int64_t)wvl_packed_shift(l, i, c)),
                                vcreate_s64((uint64_t) - (int64_t)wvl_packed_shift(l, i + 1, c)));
    return vreinterpretq_u32_u64(vshlq_u64(window, up));
}

/* Pixels i .. i + 3 of 16 at p. */
__attribute__((always_inline)) static inline void put_pixels4(wvl_packed_pixels l, const uint8_t *p, uint32_t i,
                                                              shift4 *s, int32_t *const *out, uint32_t at)
{
    uint64x2_t a = window2(l, p, i), b = window2(l, p, i + 2);
    for (unsigned c = 0; c < 3; c++) {
        uint32x4_t both = vuzp1q_u32(shift2(l, a, i, c), shift2(l, b, i + 2, c));
        put4(s, vreinterpretq_s32_u32(vandq_u32(both, vdupq_n_u32((1u << l.bits) - 1))), out[c] + at + i);
    }
}

__attribute__((always_inline)) static inline uint32_t load_pixels(wvl_packed_pixels l, const uint8_t *row,
                                                                  ptrdiff_t next, uint32_t n, wvl_front_shift shift,
                                                                  int32_t *const *out)
{
    shift4 s = shift4_of(shift);
    uint32_t i = 0;
    for (; n - i >= 16 + WVL_PACKED_PIXELS_ROOM; i += 16) {
        const uint8_t *p = row + (uint64_t)i / 16 * (2 * l.pixel_bits);
        wvl_front_ask_for(p, next);
        if (l.pixel_bits > 32) {
            wvl_front_ask_for(p + 64, next);
        }
        put_pixels4(l, p, 0, &s, out, i);
        put_pixels4(l, p, 4, &s, out, i);
        put_pixels4(l, p, 8, &s, out, i);
        put_pixels4(l, p, 12, &s, out, i);
    }
    return seen4(&s) | load_triple_rest(l.kind, row, i, n, shift, out);
}

WVL_PACKED_PIXELS(WVL_LOAD_PIXELS)

static void to_f32(const int32_t *const *in, uint32_t n, void *const *out)
{
    float *x = out[0];
    for (uint32_t i = 0; i < n; i += 4) {
        vst1q_f32(x + i, vcvtq_f32_s32(vld1q_s32(in[0] + i)));
    }
}

static void rct(const int32_t *const *in, uint32_t n, void *const *out)
{
    int32_t *luma = out[0], *u = out[1], *v = out[2];
    for (uint32_t i = 0; i < n; i += 4) {
        int32x4_t r = vld1q_s32(in[0] + i), g = vld1q_s32(in[1] + i), b = vld1q_s32(in[2] + i);
        vst1q_s32(luma + i, vshrq_n_s32(vaddq_s32(vaddq_s32(r, b), vaddq_s32(g, g)), 2));
        vst1q_s32(u + i, vsubq_s32(b, g));
        vst1q_s32(v + i, vsubq_s32(r, g));
    }
}

static void ict(const int32_t *const *in, uint32_t n, void *const *out)
{
    const float32x4_t kr = vdupq_n_f32(WVL_ICT_RED), kg = vdupq_n_f32(WVL_ICT_GREEN), kb = vdupq_n_f32(WVL_ICT_BLUE);
    float *luma = out[0], *cb = out[1], *cr = out[2];
    for (uint32_t i = 0; i < n; i += 4) {
        float32x4_t r = vcvtq_f32_s32(vld1q_s32(in[0] + i)), g = vcvtq_f32_s32(vld1q_s32(in[1] + i)),
                    b = vcvtq_f32_s32(vld1q_s32(in[2] + i));
        float32x4_t y = vfmaq_f32(vfmaq_f32(vmulq_f32(kb, b), kg, g), kr, r);
        vst1q_f32(luma + i, y);
        vst1q_f32(cb + i, vsubq_f32(b, y));
        vst1q_f32(cr + i, vsubq_f32(r, y));
    }
}

const wvl_front_kernels wvl_front_kernels_neon = {
    WVL_CPU_NEON,
    {NULL},
    {load_u8, load_s8, load_u16, load_s16, load_32},
    {load_u8x3, NULL, NULL, NULL, NULL, load_packed10x3, load_packed12x3, load_filled10x3_be, load_filled10x3_le,
     load_filled12x3_be, load_filled12x3_le, load_words12x3_be, load_words12x3_le, load_words10x3_be, load_words10x3_le,
     load_u16x3_be},
    {NULL, to_f32, rct, NULL, ict},
    {NULL, NULL, NULL},
};
