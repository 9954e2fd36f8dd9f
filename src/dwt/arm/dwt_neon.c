/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NEON twins of dwt_c.c. Horizontal kernels first write the symmetric extension into the room around the line, then run
 * over pairs (even, odd) four at a time with the neighbours of the previous vector kept in registers.
 */
#include "dwt/dwt.h"

#include <arm_neon.h>

#include "dwt/arm/pack_neon.h"
#include "dwt/lift_ops.h"
#include "dwt/scheme.h"

#if WVL_LINE_LEAD < 8 + WVL_LIFT97_REACH || WVL_LINE_TAIL < 32 || WVL_LINE_ROUND < 4
#error "lines lack the room that these kernels touch"
#endif

#define SAMPLE int64_t
#define HIGH wvl_lift53_high_wide
#define LOW wvl_lift53_low_wide
#define NAME(verb) verb##_i64
#include "dwt/lift53_tmpl.h"

/* x + c (a + b): the sum rounded, then one fused multiply-add. */
static inline float32x4_t step97(float c, float32x4_t a, float32x4_t b, float32x4_t x)
{
    return vfmaq_f32(x, vdupq_n_f32(c), vaddq_f32(a, b));
}

static void vlift97(const wvl_vlift_rows *rows, uint32_t n)
{
    const float *x0 = rows->x0, *x1 = rows->x1, *x2 = rows->x2, *dpp = rows->dpp;
    float *d = rows->d, *s = rows->s, *dp = rows->dp, *sp = rows->sp;
    for (uint32_t i = 0; i < n; i += 4) {
        float32x4_t even = vld1q_f32(x0 + i), d1p = vld1q_f32(dp + i), s1p = vld1q_f32(sp + i);
        float32x4_t d1 = step97(WVL_LIFT97_ALPHA, even, vld1q_f32(x2 + i), vld1q_f32(x1 + i));
        float32x4_t s1 = step97(WVL_LIFT97_BETA, d1p, d1, even);
        float32x4_t d2 = step97(WVL_LIFT97_GAMMA, s1p, s1, d1p);
        float32x4_t s2 = step97(WVL_LIFT97_DELTA, vld1q_f32(dpp + i), d2, s1p);
        vst1q_f32(d + i, d1);
        vst1q_f32(s + i, s1);
        vst1q_f32(dp + i, d2);
        vst1q_f32(sp + i, s2);
    }
}

static inline int32x4_t high53(int32x4_t x, int32x4_t a, int32x4_t b)
{
    return vsubq_s32(x, vshrq_n_s32(vaddq_s32(a, b), 1));
}
static inline int32x4_t low53(int32x4_t x, int32x4_t a, int32x4_t b)
{
    return vaddq_s32(x, vshrq_n_s32(vaddq_s32(vaddq_s32(a, b), vdupq_n_s32(2)), 2));
}

static void vlift53(const wvl_vlift_rows *rows, uint32_t n)
{
    const int32_t *x0 = rows->x0, *x1 = rows->x1, *x2 = rows->x2, *dp = rows->dp;
    int32_t *d = rows->d, *s = rows->s;
    for (uint32_t i = 0; i < n; i += 4) {
        int32x4_t even = vld1q_s32(x0 + i), before = vld1q_s32(dp + i);
        int32x4_t high = high53(vld1q_s32(x1 + i), even, vld1q_s32(x2 + i));
        vst1q_s32(d + i, high);
        vst1q_s32(s + i, low53(even, before, high));
    }
}

static void extend_f32(float *x, uint32_t n)
{
    for (int i = 1; i <= WVL_LIFT97_REACH; i++) {
        x[-i] = x[wvl_lift_reflect(-i, 0, n)];
        x[(int64_t)n - 1 + i] = x[wvl_lift_reflect((int64_t)n - 1 + i, 0, n)];
    }
}

static void extend_i32(int32_t *x, uint32_t n)
{
    for (int i = 1; i <= WVL_LIFT53_REACH; i++) {
        x[-i] = x[wvl_lift_reflect(-i, 0, n)];
        x[(int64_t)n - 1 + i] = x[wvl_lift_reflect((int64_t)n - 1 + i, 0, n)];
    }
}

/* The lanes one to the right (a1 a2 a3 b0), one to the left (a3 b0 b1 b2). */
static inline float32x4_t next_f32(float32x4_t a, float32x4_t b) { return vextq_f32(a, b, 1); }
static inline float32x4_t before_f32(float32x4_t a, float32x4_t b) { return vextq_f32(a, b, 3); }

/*
 * Pairs count from the first even sample. With odd parity, high sample 0 belongs to pair -1: the last lane of the
 * vector before the first. That vector reads the extension (and, in lanes that reach no result, whatever lies before
 * it).
 */
static void hlift97(void *line, uint32_t n, unsigned parity, void *low_line, void *high_line)
{
    float *low = low_line, *high = (float *)high_line + parity;
    extend_f32(line, n);
    const float *x = (const float *)line + parity;
    uint32_t pairs = (n + 1 - parity) / 2;
    float32x4x2_t now = vld2q_f32(x - 8), next = vld2q_f32(x);
    float32x4_t d1p = step97(WVL_LIFT97_ALPHA, now.val[0], next_f32(now.val[0], next.val[0]), now.val[1]);
    float32x4_t s1p = step97(WVL_LIFT97_BETA, before_f32(d1p, d1p), d1p, now.val[0]), d2p = d1p;
    for (uint32_t i = 0; i < pairs + 4; i += 4) {
        now = next;
        next = vld2q_f32(x + 2 * (uint64_t)i + 8);
        float32x4_t d1 = step97(WVL_LIFT97_ALPHA, now.val[0], next_f32(now.val[0], next.val[0]), now.val[1]);
        float32x4_t s1 = step97(WVL_LIFT97_BETA, before_f32(d1p, d1), d1, now.val[0]);
        float32x4_t d2 = step97(WVL_LIFT97_GAMMA, s1p, next_f32(s1p, s1), d1p);
        if (i) {
            vst1q_f32(low + i - 4, step97(WVL_LIFT97_DELTA, before_f32(d2p, d2), d2, s1p));
            vst1q_f32(high + i - 4, d2);
        } else if (parity) {
            *(float *)high_line = vgetq_lane_f32(d2, 3);
        }
        d1p = d1;
        s1p = s1;
        d2p = d2;
    }
}

static void hlift53(void *line, uint32_t n, unsigned parity, void *low_line, void *high_line)
{
    int32_t *low = low_line, *high = (int32_t *)high_line + parity;
    extend_i32(line, n);
    const int32_t *x = (const int32_t *)line + parity;
    uint32_t pairs = (n + 1 - parity) / 2;
    int32x4x2_t now, next = vld2q_s32(x);
    int32x4_t dp = vdupq_n_s32(wvl_lift53_high(x[-1], x[-2], x[0]));
    if (parity) {
        high[-1] = vgetq_lane_s32(dp, 0);
    }
    for (uint32_t i = 0; i < pairs; i += 4) {
        now = next;
        next = vld2q_s32(x + 2 * (uint64_t)i + 8);
        int32x4_t d = high53(now.val[1], now.val[0], vextq_s32(now.val[0], next.val[0], 1));
        vst1q_s32(low + i, low53(now.val[0], vextq_s32(dp, d, 3), d));
        vst1q_s32(high + i, d);
        dp = d;
    }
}

const wvl_dwt_kernels wvl_dwt_kernels_neon = {
    WVL_CPU_NEON,
    {vlift53, vlift53_i64, vlift97},
    {hlift53, hlift53_i64, hlift97},
    {wvl_dwt_pack_i32_16_neon, wvl_dwt_pack_i32_32_neon, wvl_dwt_pack_i64_32_neon, wvl_dwt_pack_f32_16_neon,
     wvl_dwt_pack_f32_32_neon, wvl_dwt_pack_f32_32_deep_neon},
};
