/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernels of the transform: one const table per instruction set, all bit-equal. Rows are lines or rows of planes as
 * base/line.h defines them.
 */
#pragma once

#include "base/cpu.h"
#include "base/line.h"

/* How coefficients of a band are packed. */
enum {
    WVL_PACK_I32_16 = 0,
    WVL_PACK_I32_32 = 1,
    WVL_PACK_I64_32 = 2,
    WVL_PACK_F32_16 = 3,
    WVL_PACK_F32_32 = 4,      /* magnitudes of at most WVL_QUANT_FLOAT_BITS bits */
    WVL_PACK_F32_32_DEEP = 5, /* of at most 31 */
    WVL_PACK_I64_64 = 6,
    WVL_PACK_KINDS = 7
};

/*
 * One step of rolling vertical lifting: rows 2n+1 and 2n+2 arrive.
 *   5/3: d = H(x1; x0, x2), s = L(x0; dp, d). Final: s and d. dp = high row n-1. sp, dpp unused.
 *   9/7: d = d1[n], s = s1[n]; dp: d1[n-1] becomes d2[n-1], sp: s1[n-1] becomes s2[n-1], with dpp = d2[n-2].
 *        Final: sp and dp.
 * d may be x1 and s may be x0 (lifting in place), and dp may be x1 where s is of no use. Other rows do not overlap.
 */
typedef struct wvl_vlift_rows {
    const void *x0, *x1, *x2; /* rows 2n, 2n+1, 2n+2 */
    void *d, *s;
    void *dp, *sp;
    const void *dpp;
} wvl_vlift_rows;

typedef struct wvl_dwt_kernels {
    wvl_cpu_level level;
    /* By line kind. n samples; may touch n rounded up to WVL_LINE_ROUND. */
    void (*vlift[WVL_LINE_KINDS])(const wvl_vlift_rows *rows, uint32_t n);
    /* By line kind. x is a line of n >= 2 samples whose first has the given coordinate parity; its samples survive. low
     * may be written up to its count rounded up to WVL_LINE_ROUND, high is a line. */
    void (*hlift[WVL_LINE_KINDS])(void *x, uint32_t n, unsigned parity, void *low, void *high);
    /* By WVL_PACK_*. n samples of a line to a cell row; writes up to n rounded up to 8 where level is not WVL_CPU_C,
     * there exactly n. r is the band's reciprocal, ignored by the integer kinds. Returns the OR of the magnitudes, as
     * bounds have it (geom/handover.h). */
    uint32_t (*pack[WVL_PACK_KINDS])(const void *x, uint32_t n, float r, void *cell);
} wvl_dwt_kernels;

/* The table of the level, or of the highest one below it that is compiled in. */
const wvl_dwt_kernels *wvl_dwt_fetch_kernels(wvl_cpu_level level);
#ifdef WVL_HAVE_AVX2
extern const wvl_dwt_kernels wvl_dwt_kernels_avx2;
extern const wvl_dwt_kernels wvl_dwt_kernels_avx512;
#endif
#ifdef WVL_HAVE_NEON
extern const wvl_dwt_kernels wvl_dwt_kernels_neon;
#endif
