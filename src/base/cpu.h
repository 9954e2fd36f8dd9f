/* SPDX-License-Identifier: BSD-2-Clause */
/* Which kernels this processor can run. Every level gives the same bytes. */
#pragma once

/* Ordered: a level includes the ones below it that its architecture has. */
typedef enum wvl_cpu_level {
    WVL_CPU_C = 0,
    WVL_CPU_AVX2 = 1,   /* AVX2, FMA, BMI1, BMI2 and POPCNT, enabled by the operating system */
    WVL_CPU_AVX512 = 2, /* AVX-512 F, BW, CD, DQ, VL, VBMI, VBMI2: Ice Lake and Zen 4 */
    WVL_CPU_NEON = 3    /* arm64, where every processor has it */
} wvl_cpu_level;

/* The highest level that is both compiled in and present. With WVL_TESTING defined, the environment variable
 * WVL_SIMD=c|avx2|avx512 lowers it. */
wvl_cpu_level wvl_cpu_fetch_level(void);
/* PEXT and PDEP take a few cycles, not hundreds. */
int wvl_cpu_has_fast_pext(void);
/* Nothing above `level` from now on: for benches, before anything is encoded. Returns nonzero if this machine does not
 * have the level. */
int wvl_cpu_limit_level(wvl_cpu_level level);
/* Compiled in, present, and not above the limit. */
int wvl_cpu_has_level(wvl_cpu_level level);
const char *wvl_cpu_level_text(wvl_cpu_level level);
