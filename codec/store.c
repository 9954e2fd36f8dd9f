/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/store.h"

#include <string.h>

#include "base/alloc.h"

#define PAGE_BYTES (sizeof(uint8_t *) << WVL_STORE_TABLE_LOG2)

int wvl_store_init(wvl_store *store, const wvl_allocator *allocator)
{
    memset(store, 0, sizeof *store);
    store->allocator = allocator;
    return pthread_mutex_init(&store->lock, NULL) == 0;
}

void wvl_store_fini(wvl_store *store)
{
    for (uint64_t c = 0; c < store->chunk_count; c++) {
        wvl_free(store->allocator, wvl_store_at(store, c << WVL_STORE_CHUNK_LOG2), WVL_STORE_CHUNK);
    }
    for (unsigned p = 0; p < WVL_STORE_PAGES; p++) {
        wvl_free(store->allocator, store->pages[p], PAGE_BYTES);
    }
    pthread_mutex_destroy(&store->lock);
    memset(store, 0, sizeof *store);
}

/* Under the lock. UINT64_MAX: no memory. */
static uint64_t add_chunk(wvl_store *store)
{
    uint64_t c = store->chunk_count, page = c >> WVL_STORE_TABLE_LOG2;
    if (page >= WVL_STORE_PAGES) {
        return UINT64_MAX;
    }
    if (!store->pages[page] && !(store->pages[page] = wvl_alloc_zeroed(store->allocator, PAGE_BYTES))) {
        return UINT64_MAX;
    }
    uint8_t *chunk = wvl_alloc(store->allocator, WVL_STORE_CHUNK);
    if (!chunk) {
        return UINT64_MAX;
    }
    store->pages[page][c & ((1u << WVL_STORE_TABLE_LOG2) - 1)] = chunk;
    store->chunk_count++;
    return c << WVL_STORE_CHUNK_LOG2;
}

uint64_t wvl_store_reserve(wvl_store *store, wvl_store_writer *writer, uint64_t bytes)
{
    bytes = (bytes + 7) & ~(uint64_t)7;
    if (bytes > writer->end - writer->at) {
        pthread_mutex_lock(&store->lock);
        uint64_t start = bytes <= WVL_STORE_CHUNK ? add_chunk(store) : UINT64_MAX;
        pthread_mutex_unlock(&store->lock);
        if (start == UINT64_MAX) {
            return UINT64_MAX;
        }
        writer->at = start;
        writer->end = start + WVL_STORE_CHUNK;
    }
    uint64_t at = writer->at;
    writer->at += bytes;
    return at;
}
