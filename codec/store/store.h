/* SPDX-License-Identifier: BSD-2-Clause */
/* An elastic store for coded data: chunks that never move, positions instead of pointers. Writers own a span of a chunk
 * each, so that they meet only when one is full. A piece never straddles chunks. */
#pragma once

#include "codec/store/spill.h"
#include "geom/handover_blocks.h"

#define WVL_STORE_CHUNK_LOG2 WVL_CHUNK_LOG2
#define WVL_STORE_CHUNK WVL_CHUNK_BYTES
#define WVL_STORE_SPAN ((uint64_t)128 << 10) /* a writer may leave so much unused */
#define WVL_STORE_TABLE_LOG2 10u             /* chunk pointers per table page */
#define WVL_STORE_PAGES 4096u                /* 2^42 bytes in all */

/* Chunks and, where blocks leave before all have come, how many blocks begin in each. */
typedef struct wvl_store_page {
    uint8_t *chunks[1u << WVL_STORE_TABLE_LOG2];
    _Atomic uint32_t blocks[1u << WVL_STORE_TABLE_LOG2];
    uint8_t is_free[1u << WVL_STORE_TABLE_LOG2];
} wvl_store_page;

typedef struct wvl_store {
    const wvl_allocator *allocator;
    pthread_mutex_t lock;
    wvl_spill *spill; /* where chunks come from; NULL: the allocator alone */
    uint64_t chunk_count;
    uint64_t first_mapped;                  /* chunks before this one are memory of the allocator */
    uint64_t free_count;                    /* chunks that are taken again before new ones are */
    uint64_t at, end;                       /* of the newest chunk: what is in no span yet */
    wvl_store_page *pages[WVL_STORE_PAGES]; /* pages never move either: readers need no lock */
} wvl_store;

/* Per writer; zero-initialise. */
typedef struct wvl_store_writer {
    uint64_t at, end;
} wvl_store_writer;

/* spill: may be NULL. */
int wvl_store_init(wvl_store *store, const wvl_allocator *allocator, wvl_spill *spill);
void wvl_store_fini(wvl_store *store);
/* Position of `bytes` (at most WVL_STORE_CHUNK) new bytes aligned to 8; UINT64_MAX: no memory. */
uint64_t wvl_store_reserve(wvl_store *store, wvl_store_writer *writer, uint64_t bytes);
/* While nobody writes: all chunks are free, and the writers' spans are void. */
void wvl_store_empty(wvl_store *store);
/* While nobody writes: chunks in which no counted block begins are free, but for those with a span of a writer (count
 * of them, `stride` bytes apart). */
void wvl_store_free_chunks(wvl_store *store, const wvl_store_writer *writers, uint32_t count, size_t stride);

static inline void *wvl_store_at(const wvl_store *store, uint64_t at)
{
    uint64_t chunk = at >> WVL_STORE_CHUNK_LOG2;
    return store->pages[chunk >> WVL_STORE_TABLE_LOG2]->chunks[chunk & ((1u << WVL_STORE_TABLE_LOG2) - 1)] +
           (at & (WVL_STORE_CHUNK - 1));
}

/* A piece is counted (1), or has left (-1). From any thread. */
static inline void wvl_store_count(const wvl_store *store, uint64_t at, int by)
{
    uint64_t chunk = at >> WVL_STORE_CHUNK_LOG2;
    wvl_store_page *page = store->pages[chunk >> WVL_STORE_TABLE_LOG2];
    atomic_fetch_add_explicit(&page->blocks[chunk & ((1u << WVL_STORE_TABLE_LOG2) - 1)], (uint32_t)by,
                              memory_order_relaxed);
}
