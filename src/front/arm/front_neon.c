/* SPDX-License-Identifier: BSD-2-Clause */
/* The NEON twins of front_c.c: four lanes. */
#include "front/front_steps.h"

static inline step step_u16(uint16x8_t v)
{
    return (step){{(lanes)vmovl_u16(vget_low_u16(v)), (lanes)vmovl_u16(vget_high_u16(v))}};
}

static inline step step_s16(int16x8_t v)
{
    return (step){{(lanes)vmovl_s16(vget_low_s16(v)), (lanes)vmovl_s16(vget_high_s16(v))}};
}

static inline step widen_u8(const uint8_t *p) { return step_u16(vmovl_u8(vld1_u8(p))); }
static inline step widen_s8(const uint8_t *p) { return step_s16(vmovl_s8(vreinterpret_s8_u8(vld1_u8(p)))); }
static inline step widen_u16(const uint8_t *p) { return step_u16(vreinterpretq_u16_u8(vld1q_u8(p))); }
static inline step widen_s16(const uint8_t *p) { return step_s16(vreinterpretq_s16_u8(vld1q_u8(p))); }
static inline step widen_32(const uint8_t *p) { return (step){{take(p), take(p + 16)}}; }

static inline pixels take_u8x3(wvl_packed_pixels l, const uint8_t *p)
{
    uint8x16x3_t bytes = vld3q_u8(p);
    pixels v;
    (void)l;
    for (unsigned place = 0; place < 3; place++) {
        step low = step_u16(vmovl_u8(vget_low_u8(bytes.val[place])));
        step high = step_u16(vmovl_u8(vget_high_u8(bytes.val[place])));
        v.part[place][0] = low.part[0];
        v.part[place][1] = low.part[1];
        v.part[place][2] = high.part[0];
        v.part[place][3] = high.part[1];
    }
    return v;
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

#define PIXELS_ROOM WVL_PACKED_PIXELS_ROOM
__attribute__((always_inline)) static inline pixels take_pixels(wvl_packed_pixels l, const uint8_t *p)
{
    pixels v;
    for (uint32_t i = 0; i < 16; i += 4) {
        uint64x2_t a = window2(l, p, i), b = window2(l, p, i + 2);
        for (unsigned c = 0; c < 3; c++) {
            uint32x4_t both = vuzp1q_u32(shift2(l, a, i, c), shift2(l, b, i + 2, c));
            v.part[c][i / 4] = (lanes)both & ((1u << l.bits) - 1);
        }
    }
    return v;
}

#include "front/front_lanes.h"

const wvl_front_kernels wvl_front_kernels_neon = FRONT_KERNELS(WVL_CPU_NEON, NULL);
