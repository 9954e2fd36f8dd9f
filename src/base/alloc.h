/* SPDX-License-Identifier: BSD-2-Clause */
/* Host memory through the caller's allocator triple. Every release names the size it was allocated with. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "wavelane.h"

/* NULL when bytes does not fit size_t or memory is short; 0 bytes give a valid pointer. Aligned to 64. */
void *wvl_alloc(const wvl_allocator *allocator, uint64_t bytes);
void *wvl_alloc_zeroed(const wvl_allocator *allocator, uint64_t bytes);
void wvl_free(const wvl_allocator *allocator, void *memory, uint64_t bytes);

/* Bytes that an allocation of `bytes` really takes from the allocator. */
static inline uint64_t wvl_alloc_size(uint64_t bytes)
{
    return bytes > UINT64_MAX - 64 ? UINT64_MAX : (bytes ? bytes + 63 : 64) & ~(uint64_t)63;
}

/* Doubling array growth: returns 0 and leaves everything as it was when memory is short. */
int wvl_grow(const wvl_allocator *allocator, void **array, uint64_t *capacity, uint64_t need, uint64_t element_bytes);
