/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the next result will probably take, from what the last ones took: the largest of them, and a little more. It
 * decides how much is copied without being asked, never a byte. Any thread may note and read.
 */
#pragma once

#include <stdatomic.h>

#include "base/intmath.h"

#define WVL_CUDA_RECENT 8u
#define WVL_CUDA_FORECAST_MORE 64u /* a part of the largest */

typedef struct wvl_cuda_forecast {
    _Atomic uint64_t recent[WVL_CUDA_RECENT], count;
} wvl_cuda_forecast;

static inline void wvl_cuda_note_size(wvl_cuda_forecast *forecast, uint64_t size)
{
    uint64_t at = atomic_fetch_add_explicit(&forecast->count, 1, memory_order_relaxed);
    atomic_store_explicit(&forecast->recent[at % WVL_CUDA_RECENT], size, memory_order_relaxed);
}

/* 0: there was none, or they took nothing. */
static inline uint64_t wvl_cuda_predict_size(const wvl_cuda_forecast *forecast)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < WVL_CUDA_RECENT; i++) {
        most = wvl_max_u64(most, atomic_load_explicit(&forecast->recent[i], memory_order_relaxed));
    }
    return most + most / WVL_CUDA_FORECAST_MORE;
}
