/* SPDX-License-Identifier: BSD-2-Clause */
/* NEON twins of the quantiser and of sign-magnitude packing; the proofs are in dwt/quant.h. */
#include "dwt/arm/pack_neon.h"

#include <arm_neon.h>

#include "dwt/quant.h"

/* Four magnitudes and, in bit 31, the signs of those that are not zero. */
typedef struct signed4 {
    uint32x4_t magnitude, sign;
} signed4;

static inline uint32x4_t sign_of(uint32x4_t x, uint32x4_t magnitude)
{
    return vandq_u32(vandq_u32(x, vdupq_n_u32(0x80000000)), vtstq_u32(magnitude, magnitude));
}

static inline signed4 from_i32(const uint32_t *x, float r)
{
    uint32x4_t v = vld1q_u32(x), m = vreinterpretq_u32_s32(vabsq_s32(vreinterpretq_s32_u32(v)));
    (void)r;
    return (signed4){m, sign_of(v, m)};
}

static inline signed4 from_f32(const uint32_t *p, float r)
{
    uint32x4_t x = vld1q_u32(p);
    float32x4_t a = vabsq_f32(vreinterpretq_f32_u32(x)), rr = vdupq_n_f32(r);
    int32x4_t i = vcvtq_s32_f32(vmulq_f32(a, rr));
    float32x4_t error = vfmaq_f32(vnegq_f32(vcvtq_f32_s32(i)), a, rr);
    uint32x4_t m = vreinterpretq_u32_s32(vaddq_s32(i, vshrq_n_s32(vreinterpretq_s32_f32(error), 31)));
    return (signed4){m, sign_of(x, m)};
}

static inline uint32x2_t magnitudes_deep(float32x2_t a, float64x2_t r)
{
    return vmovn_u64(vcvtq_u64_f64(vmulq_f64(vcvt_f64_f32(a), r)));
}

static inline signed4 from_f32_deep(const uint32_t *p, float r)
{
    uint32x4_t x = vld1q_u32(p);
    float32x4_t a = vabsq_f32(vreinterpretq_f32_u32(x));
    float64x2_t rr = vdupq_n_f64((double)r);
    uint32x4_t m = vcombine_u32(magnitudes_deep(vget_low_f32(a), rr), magnitudes_deep(vget_high_f32(a), rr));
    return (signed4){m, sign_of(x, m)};
}

/* All ones in the first n of four lanes. */
static inline uint32x4_t first_lanes(uint32_t n)
{
    static const uint32_t lanes[4] = {0, 1, 2, 3};
    return vcltq_u32(vld1q_u32(lanes), vdupq_n_u32(n));
}

static inline uint32_t or_lanes(uint32x4_t v)
{
    uint32x2_t h = vorr_u32(vget_low_u32(v), vget_high_u32(v));
    return vget_lane_u32(h, 0) | vget_lane_u32(h, 1);
}

/* How four samples become magnitudes. Always a constant after inlining. */
typedef signed4 (*from4)(const uint32_t *x, float r);

/* The last, partial vector is computed whole (a line has room) and counted only where it has samples. */
__attribute__((always_inline)) static inline uint32_t pack_16(const uint32_t *x, uint32_t n, float r, uint16_t *out,
                                                              from4 from)
{
    uint32x4_t bound = vdupq_n_u32(0);
    for (uint32_t i = 0; i < n; i += 4) {
        signed4 q = from(x + i, r);
        bound = vorrq_u32(bound, vandq_u32(q.magnitude, first_lanes(n - i)));
        vst1_u16(out + i, vmovn_u32(vorrq_u32(q.magnitude, vshrq_n_u32(q.sign, 16))));
    }
    return or_lanes(bound);
}

__attribute__((always_inline)) static inline uint32_t pack_32(const uint32_t *x, uint32_t n, float r, uint32_t *out,
                                                              from4 from)
{
    uint32x4_t bound = vdupq_n_u32(0);
    for (uint32_t i = 0; i < n; i += 4) {
        signed4 q = from(x + i, r);
        bound = vorrq_u32(bound, vandq_u32(q.magnitude, first_lanes(n - i)));
        vst1q_u32(out + i, vorrq_u32(q.magnitude, q.sign));
    }
    return or_lanes(bound);
}

uint32_t wvl_dwt_pack_i32_16_neon(const void *x, uint32_t n, float r, void *slot)
{
    return pack_16(x, n, r, slot, from_i32);
}
uint32_t wvl_dwt_pack_i32_32_neon(const void *x, uint32_t n, float r, void *slot)
{
    return pack_32(x, n, r, slot, from_i32);
}
uint32_t wvl_dwt_pack_f32_16_neon(const void *x, uint32_t n, float r, void *slot)
{
    return pack_16(x, n, r, slot, from_f32);
}
uint32_t wvl_dwt_pack_f32_32_neon(const void *x, uint32_t n, float r, void *slot)
{
    return pack_32(x, n, r, slot, from_f32);
}
uint32_t wvl_dwt_pack_f32_32_deep_neon(const void *x, uint32_t n, float r, void *slot)
{
    return pack_32(x, n, r, slot, from_f32_deep);
}

/* Deep samples are rare: the compiler's own vectors will do. */
uint32_t wvl_dwt_pack_i64_32_neon(const void *x, uint32_t n, float r, void *slot)
{
    const int64_t *v = x;
    uint32_t *out = slot, bound = 0;
    (void)r;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t m = (uint32_t)(v[i] < 0 ? -v[i] : v[i]);
        bound |= m;
        out[i] = wvl_quant_sign32(m, v[i] < 0);
    }
    return bound;
}
