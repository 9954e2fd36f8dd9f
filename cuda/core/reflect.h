/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole-sample symmetric extension (F.3.7, F.4.7) of the samples [first, end). Host and device. */
#pragma once

#include <stdint.h>

#include "base/hd.h"

/* The sample at `at`, which lies at most end - first - 1 beyond either edge. */
WVL_HD int wvl_cuda_reflect_once(int at, int first, int end)
{
    at = at < first ? 2 * first - at : at;
    return at >= end ? 2 * (end - 1) - at : at;
}

/* The sample at any `at` near the signal; a signal of one sample repeats. A loop is shorter here than a division. */
WVL_HD uint32_t wvl_cuda_reflect_near(int64_t at, uint32_t first, uint32_t end)
{
    const int64_t last = (int64_t)(end - first) - 1;
    at = last ? at - first : 0;
    while (at < 0 || at > last) {
        at = at < 0 ? -at : 2 * last - at;
    }
    return first + (uint32_t)at;
}
