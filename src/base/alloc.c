/* SPDX-License-Identifier: BSD-2-Clause */
#define _DEFAULT_SOURCE /* madvise */
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "base/intmath.h"

#define ALIGNMENT 64u
#define HUGE_PAGE ((uint64_t)2 << 20)

/* Linux hands out large pages where it is asked to: of an arena that malloc takes from the system for every picture, touching pages of 4 KiB for
 * the first time was 43 % of a lossless HT encode of 2048x1080 with 32-bit coefficients (docs/results.md). */
static void *allocate_from_system(uint64_t bytes)
{
#if defined(MADV_HUGEPAGE)
    if (bytes >= 2 * HUGE_PAGE) {
        uint64_t rounded = wvl_align_up(bytes, HUGE_PAGE);
        void *memory = aligned_alloc(HUGE_PAGE, (size_t)rounded);
        if (memory) {
            (void)madvise(memory, (size_t)rounded, MADV_HUGEPAGE); /* a wish */
        }
        return memory;
    }
#endif
    return aligned_alloc(ALIGNMENT, (size_t)bytes);
}

void *wvl_alloc(const wvl_allocator *allocator, uint64_t bytes)
{
    uint64_t rounded = wvl_align_up(bytes ? bytes : 1, ALIGNMENT);
    if (rounded < bytes || rounded > SIZE_MAX / 2) {
        return NULL;
    }
    if (allocator && allocator->allocate) {
        return allocator->allocate(allocator->user, (size_t)rounded, ALIGNMENT, NULL);
    }
    return allocate_from_system(rounded);
}

void *wvl_alloc_zeroed(const wvl_allocator *allocator, uint64_t bytes)
{
    void *memory = wvl_alloc(allocator, bytes);
    if (memory) {
        memset(memory, 0, (size_t)bytes);
    }
    return memory;
}

void wvl_free(const wvl_allocator *allocator, void *memory, uint64_t bytes)
{
    if (!memory) {
        return;
    }
    if (allocator && allocator->release) {
        allocator->release(allocator->user, memory, (size_t)wvl_align_up(bytes ? bytes : 1, ALIGNMENT), NULL);
        return;
    }
    free(memory);
}

int wvl_grow(const wvl_allocator *allocator, void **array, uint64_t *capacity, uint64_t need, uint64_t element_bytes)
{
    if (need <= *capacity) {
        return 1;
    }
    uint64_t next = wvl_max_u64(need, wvl_add_saturate(*capacity, *capacity / 2 + 8));
    uint64_t bytes = wvl_mul_saturate(next, element_bytes);
    void *memory = bytes == UINT64_MAX ? NULL : wvl_alloc(allocator, bytes);
    if (!memory) {
        return 0;
    }
    if (*array) {
        memcpy(memory, *array, (size_t)(*capacity * element_bytes));
        wvl_free(allocator, *array, *capacity * element_bytes);
    }
    *array = memory;
    *capacity = next;
    return 1;
}
