/* SPDX-License-Identifier: BSD-2-Clause */
/* An elastic store for coded data: chunks that never move, positions instead of pointers. Writers own a span of a chunk
 * each, so that they meet only when one is full. A piece never straddles chunks. */
#ifndef WVL_CODEC_STORE_H
#define WVL_CODEC_STORE_H

#include <pthread.h>
#include <stdint.h>

#include "codec/store_spill.h"
#include "geom/handover_blocks.h"
#include "wavelane.h"

#define WVL_STORE_CHUNK_LOG2 WVL_CHUNK_LOG2
#define WVL_STORE_CHUNK WVL_CHUNK_BYTES
#define WVL_STORE_SPAN ((uint64_t)128 << 10) /* a writer may leave so much unused */
#define WVL_STORE_TABLE_LOG2 10u             /* chunk pointers per table page */
#define WVL_STORE_PAGES 4096u                /* 2^42 bytes in all */

typedef struct wvl_store {
    const wvl_allocator *allocator;
    pthread_mutex_t lock;
    wvl_spill *spill; /* where chunks come from; NULL: the allocator alone */
    uint64_t chunk_count;
    uint64_t first_mapped;            /* chunks before this one are memory of the allocator */
    uint64_t at, end;                 /* of the newest chunk: what is in no span yet */
    uint8_t **pages[WVL_STORE_PAGES]; /* pages never move either: readers need no lock */
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

static inline void *wvl_store_at(const wvl_store *store, uint64_t at)
{
    uint64_t chunk = at >> WVL_STORE_CHUNK_LOG2;
    return store->pages[chunk >> WVL_STORE_TABLE_LOG2][chunk & ((1u << WVL_STORE_TABLE_LOG2) - 1)] +
           (at & (WVL_STORE_CHUNK - 1));
}

#endif
