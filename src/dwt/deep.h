/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels of deep samples, in every table. They are rare: the compiler's own vectors will do. */
#pragma once

#include "dwt/dwt.h"
#include "dwt/lift_ops.h"
#include "dwt/quant.h"
#include "geom/handover.h"

#define SAMPLE int64_t
#define HIGH wvl_lift53_high_wide
#define LOW wvl_lift53_low_wide
#define NAME(verb) verb##_i64
#include "dwt/lift53_tmpl.h"

/* A function that packs sample by sample. */
#define PACK_EACH(name, sample, word, find_magnitude, add_sign)                                                        \
    static uint32_t name(const void *line, uint32_t n, float r, void *cell)                                            \
    {                                                                                                                  \
        const sample *x = line;                                                                                        \
        word *out = cell;                                                                                              \
        uint32_t bound = 0;                                                                                            \
        for (uint32_t i = 0; i < n; i++) {                                                                             \
            uint32_t m = find_magnitude(x[i], r);                                                                      \
            bound |= m;                                                                                                \
            out[i] = add_sign(m, x[i] < 0);                                                                            \
        }                                                                                                              \
        return bound;                                                                                                  \
    }

static uint32_t pack_i64_64(const void *line, uint32_t n, float r, void *cell)
{
    const int64_t *x = line;
    uint64_t *out = cell, seen = 0;
    (void)r;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t m = (uint64_t)(x[i] < 0 ? -x[i] : x[i]);
        seen |= m;
        out[i] = m | (x[i] < 0 ? WVL_COEF_SIGN64 : 0);
    }
    return wvl_coef_bound64(seen);
}

static inline uint32_t magnitude_i64(int64_t x, float r)
{
    (void)r;
    return (uint32_t)(x < 0 ? -x : x);
}
PACK_EACH(pack_i64_32, int64_t, uint32_t, magnitude_i64, wvl_quant_sign32)
