/* SPDX-License-Identifier: BSD-2-Clause */
/* The NEON twins of dwt_c.c: four lanes. */
#include "base/lanes.h"

static inline lanes deinterleave(const void *x, lanes *odd)
{
    uint32x4x2_t both = vld2q_u32(x);
    *odd = (lanes)both.val[1];
    return (lanes)both.val[0];
}

static inline lanes next(lanes a, lanes b) { return (lanes)vextq_u32((uint32x4_t)a, (uint32x4_t)b, 1); }
static inline lanes before(lanes a, lanes b) { return (lanes)vextq_u32((uint32x4_t)a, (uint32x4_t)b, 3); }
static inline lanes absolute(lanes v) { return (lanes)vabsq_s32((int32x4_t)v); }

static inline void put_halves(uint16_t *to, lanes a, lanes b)
{
    vst1q_u16(to, vuzp1q_u16((uint16x8_t)a, (uint16x8_t)b));
}

static inline void give16(uint16_t *to, lanes v, uint32_t n)
{
    (void)n;
    vst1_u16(to, vmovn_u32((uint32x4_t)v));
}

#include "dwt/dwt_lanes.h"

const wvl_dwt_kernels wvl_dwt_kernels_neon = DWT_KERNELS(WVL_CPU_NEON);
