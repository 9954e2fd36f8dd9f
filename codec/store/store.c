/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/store/store.h"

#include "base/alloc.h"

#define IN_PAGE ((1u << WVL_STORE_TABLE_LOG2) - 1)

int wvl_store_init(wvl_store *store, const wvl_allocator *allocator, wvl_spill *spill)
{
    memset(store, 0, sizeof *store);
    store->allocator = allocator;
    store->spill = spill;
    store->first_mapped = UINT64_MAX;
    return pthread_mutex_init(&store->lock, NULL) == 0;
}

void wvl_store_fini(wvl_store *store)
{
    for (uint64_t c = 0; c < store->chunk_count && c < store->first_mapped; c++) {
        void *chunk = wvl_store_at(store, c << WVL_STORE_CHUNK_LOG2);
        if (store->spill) {
            wvl_spill_give(store->spill, chunk);
        } else {
            wvl_free(store->allocator, chunk, WVL_STORE_CHUNK);
        }
    }
    for (unsigned p = 0; p < WVL_STORE_PAGES; p++) {
        wvl_free(store->allocator, store->pages[p], sizeof *store->pages[p]);
    }
    pthread_mutex_destroy(&store->lock);
    memset(store, 0, sizeof *store);
}

/* Under the lock. UINT64_MAX: no memory. */
static uint64_t add_chunk(wvl_store *store)
{
    uint64_t c = store->chunk_count, page = c >> WVL_STORE_TABLE_LOG2;
    if (store->free_count) {
        /* The first one that is free, those in memory before those of the file. */
        for (c = 0; !store->pages[c >> WVL_STORE_TABLE_LOG2]->is_free[c & IN_PAGE]; c++) {
        }
        store->pages[c >> WVL_STORE_TABLE_LOG2]->is_free[c & IN_PAGE] = 0;
        store->free_count--;
        return c << WVL_STORE_CHUNK_LOG2;
    }
    if (page >= WVL_STORE_PAGES) {
        return UINT64_MAX;
    }
    if (!store->pages[page] && !(store->pages[page] = wvl_alloc_zeroed(store->allocator, sizeof *store->pages[page]))) {
        return UINT64_MAX;
    }
    /* Once a chunk was mapped, memory is used up. */
    int is_mapped = 0;
    uint8_t *chunk =
        store->spill ? wvl_spill_take(store->spill, &is_mapped) : wvl_alloc(store->allocator, WVL_STORE_CHUNK);
    if (is_mapped && store->first_mapped == UINT64_MAX) {
        store->first_mapped = store->chunk_count;
    }
    if (!chunk) {
        return UINT64_MAX;
    }
    store->pages[page]->chunks[c & IN_PAGE] = chunk;
    store->chunk_count++;
    return c << WVL_STORE_CHUNK_LOG2;
}

/* Under the lock: a span for the writer, at least `bytes`; the one it has goes on where nothing lies behind it. 0: no
 * memory. */
static int open_span(wvl_store *store, wvl_store_writer *writer, uint64_t bytes)
{
    int goes_on = writer->end == store->at && store->end > store->at && store->end - writer->at >= bytes;
    if (!goes_on && bytes > store->end - store->at) {
        uint64_t start = bytes <= WVL_STORE_CHUNK ? add_chunk(store) : UINT64_MAX;
        if (start == UINT64_MAX) {
            return 0;
        }
        store->at = start;
        store->end = start + WVL_STORE_CHUNK;
    }
    writer->at = goes_on ? writer->at : store->at;
    store->at = wvl_min_u64(store->end, wvl_max_u64(writer->at + bytes, store->at + WVL_STORE_SPAN));
    writer->end = store->at;
    return 1;
}

uint64_t wvl_store_reserve(wvl_store *store, wvl_store_writer *writer, uint64_t bytes)
{
    bytes = (bytes + 7) & ~(uint64_t)7;
    if (bytes > writer->end - writer->at) {
        pthread_mutex_lock(&store->lock);
        int is_open = open_span(store, writer, bytes);
        pthread_mutex_unlock(&store->lock);
        if (!is_open) {
            return UINT64_MAX;
        }
    }
    uint64_t at = writer->at;
    writer->at += bytes;
    return at;
}

static void set_free(wvl_store *store, uint64_t chunk)
{
    wvl_store_page *page = store->pages[chunk >> WVL_STORE_TABLE_LOG2];
    store->free_count += !page->is_free[chunk & IN_PAGE];
    page->is_free[chunk & IN_PAGE] = 1;
    atomic_store(&page->blocks[chunk & IN_PAGE], 0);
}

void wvl_store_empty(wvl_store *store)
{
    for (uint64_t c = 0; c < store->chunk_count; c++) {
        set_free(store, c);
    }
    store->at = store->end = 0;
}

static int has_span(const void *writers, uint32_t count, size_t stride, uint64_t chunk)
{
    for (uint32_t w = 0; w < count; w++) {
        const wvl_store_writer *writer = (const void *)((const char *)writers + w * stride);
        if (writer->end > writer->at && writer->at >> WVL_STORE_CHUNK_LOG2 == chunk) {
            return 1;
        }
    }
    return 0;
}

void wvl_store_free_chunks(wvl_store *store, const wvl_store_writer *writers, uint32_t count, size_t stride)
{
    for (uint64_t c = 0; c < store->chunk_count; c++) {
        const wvl_store_page *page = store->pages[c >> WVL_STORE_TABLE_LOG2];
        int is_newest = store->end > store->at && store->at >> WVL_STORE_CHUNK_LOG2 == c;
        if (!page->is_free[c & IN_PAGE] && !atomic_load(&page->blocks[c & IN_PAGE]) && !is_newest &&
            !has_span(writers, count, stride, c)) {
            set_free(store, c);
        }
    }
}
