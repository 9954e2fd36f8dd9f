/* SPDX-License-Identifier: BSD-2-Clause */
#define _DEFAULT_SOURCE /* madvise, mmap */
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "base/intmath.h"
#include "base/pages.h"

#define ALIGNMENT 64u
#define HUGE_PAGE ((uint64_t)2 << 20)
/* Smaller blocks stay with malloc, which has them at hand for the next picture. */
#define MAP_LEAST ((uint64_t)16 << 20)

#if defined(MADV_HUGEPAGE)
/* Linux hands out large pages where it is asked to: of an arena that malloc takes from the system for every picture,
 * touching pages of 4 KiB for the first time was 43 % of a lossless HT encode of 2048x1080 with 32-bit coefficients
 * (D-drive-04). What is left beyond whole large pages takes one more if that wastes less than half of it. */
static uint64_t round_to_large_pages(uint64_t bytes)
{
    return bytes % HUGE_PAGE > HUGE_PAGE / 2 ? wvl_align_up(bytes, HUGE_PAGE) : bytes;
}

static void wish_large_pages(void *memory, uint64_t bytes)
{
    uint64_t before = (HUGE_PAGE - (uintptr_t)memory % HUGE_PAGE) % HUGE_PAGE;
    (void)madvise((uint8_t *)memory + before, (size_t)((bytes - before) / HUGE_PAGE * HUGE_PAGE), MADV_HUGEPAGE);
}

/*
 * Large blocks do not go through malloc: glibc's would take the first one that comes back as a sign to keep up to twice
 * as much of whatever is freed later, and that stays resident. Pages around the aligned block are given back at once.
 */
static void *map_block(uint64_t bytes)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), used = wvl_align_up(bytes, page), whole = used + HUGE_PAGE;
    uint8_t *start = mmap(NULL, (size_t)whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) {
        return NULL;
    }
    uint64_t before = (HUGE_PAGE - (uintptr_t)start % HUGE_PAGE) % HUGE_PAGE;
    if (before) {
        (void)munmap(start, (size_t)before);
    }
    (void)munmap(start + before + used, (size_t)(HUGE_PAGE - before));
    wish_large_pages(start + before, bytes);
    return start + before;
}
#endif

static void *allocate_from_system(uint64_t bytes)
{
#if defined(MADV_HUGEPAGE)
    if (bytes >= MAP_LEAST) {
        return map_block(round_to_large_pages(bytes));
    }
#endif
    void *memory = aligned_alloc(ALIGNMENT, (size_t)bytes);
#if defined(MADV_HUGEPAGE)
    if (memory && bytes >= 2 * HUGE_PAGE) {
        wish_large_pages(
            memory, bytes); /* those that it has as a whole: aligned to them, it would leave holes in malloc's memory */
    }
#endif
    return memory;
}

/* bytes: as allocated. */
static void release_to_system(void *memory, uint64_t bytes)
{
#if defined(MADV_HUGEPAGE)
    if (bytes >= MAP_LEAST) {
        (void)munmap(memory, (size_t)round_to_large_pages(bytes));
        return;
    }
#endif
    (void)bytes;
    free(memory);
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
    release_to_system(memory, wvl_align_up(bytes ? bytes : 1, ALIGNMENT));
}

/* A child's copies would part this process from what a device reads. */
void *wvl_map_pages(uint64_t bytes)
{
#if defined(MADV_HUGEPAGE)
    uint64_t whole = bytes <= SIZE_MAX / 2 ? round_to_large_pages(bytes) : 0;
    void *memory = whole ? map_block(whole) : NULL;
    if (memory) {
        (void)madvise(memory, (size_t)whole, MADV_DONTFORK);
    }
    return memory;
#else
    (void)bytes;
    return NULL;
#endif
}

void wvl_unmap_pages(void *memory, uint64_t bytes)
{
#if defined(MADV_HUGEPAGE)
    (void)munmap(memory, (size_t)round_to_large_pages(bytes));
#else
    (void)memory, (void)bytes;
#endif
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
