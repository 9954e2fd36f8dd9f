/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference: what every other table must equal, bit by bit. */

#include "dwt/deep.h"
#include "dwt/scheme.h"

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

#define SAMPLE int32_t
#define HIGH wvl_lift53_high
#define LOW wvl_lift53_low
#define NAME(verb) verb##_i32
#include "dwt/lift53_tmpl.h"

static void vlift97(const wvl_vlift_rows *rows, uint32_t n)
{
    const float *x0 = rows->x0, *x1 = rows->x1, *x2 = rows->x2, *dpp = rows->dpp;
    float *d = rows->d, *s = rows->s, *dp = rows->dp, *sp = rows->sp;
    for (uint32_t i = 0; i < n; i++) {
        float d1 = wvl_lift97_step(WVL_LIFT97_ALPHA, x0[i], x2[i], x1[i]);
        float s1 = wvl_lift97_step(WVL_LIFT97_BETA, dp[i], d1, x0[i]);
        float d2 = wvl_lift97_step(WVL_LIFT97_GAMMA, sp[i], s1, dp[i]);
        float s2 = wvl_lift97_step(WVL_LIFT97_DELTA, dpp[i], d2, sp[i]);
        d[i] = d1;
        s[i] = s1;
        dp[i] = d2;
        sp[i] = s2;
    }
}

/* One lifting step on a deinterleaved signal: the neighbours of to[i] are from[i + first - 1] and from[i + first],
 * clamped, which is what symmetric extension comes to. */
static void lift_half(float *to, uint32_t to_count, const float *from, uint32_t from_count, unsigned first, float c)
{
    uint32_t last = from_count - 1;
    for (uint32_t i = 0; i < to_count; i++) {
        uint32_t left = i + first ? i + first - 1 : 0, right = i + first;
        to[i] = wvl_lift97_step(c, from[left < last ? left : last], from[right < last ? right : last], to[i]);
    }
}

static void hlift97(void *line, uint32_t n, unsigned parity, void *low_line, void *high_line)
{
    const float *x = line;
    float *low = low_line, *high = high_line;
    uint32_t low_count = (n + 1 - parity) / 2, high_count = n - low_count;
    for (uint32_t i = 0; i < low_count; i++) {
        low[i] = x[2 * i + parity];
    }
    for (uint32_t i = 0; i < high_count; i++) {
        high[i] = x[2 * i + 1 - parity];
    }
    lift_half(high, high_count, low, low_count, 1 - parity, WVL_LIFT97_ALPHA);
    lift_half(low, low_count, high, high_count, parity, WVL_LIFT97_BETA);
    lift_half(high, high_count, low, low_count, 1 - parity, WVL_LIFT97_GAMMA);
    lift_half(low, low_count, high, high_count, parity, WVL_LIFT97_DELTA);
}

static uint32_t magnitude_i32(int32_t x, float r)
{
    (void)r;
    return x < 0 ? 0u - (uint32_t)x : (uint32_t)x;
}
PACK_EACH(pack_i32_16, int32_t, uint16_t, magnitude_i32, wvl_quant_sign16)
PACK_EACH(pack_i32_32, int32_t, uint32_t, magnitude_i32, wvl_quant_sign32)
PACK_EACH(pack_f32_16, float, uint16_t, wvl_quant_magnitude, wvl_quant_sign16)
PACK_EACH(pack_f32_32, float, uint32_t, wvl_quant_magnitude, wvl_quant_sign32)

static const wvl_dwt_kernels kernels_c = {
    WVL_CPU_C,
    {vlift53_i32, vlift53_i64, vlift97},
    {hlift53_i32, hlift53_i64, hlift97},
    {pack_i32_16, pack_i32_32, pack_i64_32, pack_f32_16, pack_f32_32, pack_f32_32, pack_i64_64},
};

const wvl_dwt_kernels *wvl_dwt_fetch_kernels(wvl_cpu_level level)
{
#ifdef WVL_HAVE_AVX2
    if (level >= WVL_CPU_AVX512) {
        return &wvl_dwt_kernels_avx512;
    }
    if (level >= WVL_CPU_AVX2) {
        return &wvl_dwt_kernels_avx2;
    }
#endif
#ifdef WVL_HAVE_NEON
    if (level >= WVL_CPU_NEON) {
        return &wvl_dwt_kernels_neon;
    }
#endif
    (void)level;
    return &kernels_c;
}
