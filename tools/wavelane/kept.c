/* SPDX-License-Identifier: BSD-2-Clause */
#include "kept.h"

#include <pthread.h>
#include <stdlib.h>

#include "tools/imageio/imageio.h"

#define PAGE_BYTES ((size_t)4096)
#define SPAN_BYTES ((size_t)64 << 20) /* address space; memory comes with the first use of a page */
#define LEAST_BYTES ((size_t)64 << 10)
#define MOST_BYTES (SPAN_BYTES / 2) /* larger blocks go back to the system at once */
#define SPAN_PAGES (SPAN_BYTES / PAGE_BYTES)

/* Memory of one thread. */
typedef struct span {
    struct span *next;
    pthread_t owner;
    uint8_t *memory;
    size_t taken;                 /* pages */
    uint8_t is_taken[SPAN_PAGES]; /* of each page */
} span;

struct wvl_cli_kept {
    pthread_mutex_t lock; /* guards the spans: a thread may give back what another one took */
    span *spans;
};

static size_t whole_pages(size_t bytes) { return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES; }

static int is_kept(size_t bytes) { return bytes >= LEAST_BYTES && bytes <= MOST_BYTES; }

/* ---- Spans, under the lock ------------------------------------------------------------------- */

static span *add_span(wvl_cli_kept *k)
{
    span *s = malloc(sizeof *s);
    uint8_t *memory = s ? wvl_io_take_large(SPAN_BYTES) : NULL;
    if (!memory) {
        free(s);
        return NULL;
    }
    *s = (span){.next = k->spans, .owner = pthread_self(), .memory = memory};
    k->spans = s;
    return s;
}

static void remove_span(wvl_cli_kept *k, span *s)
{
    span **at = &k->spans;
    while (*at != s) {
        at = &(*at)->next;
    }
    *at = s->next;
    free(s->memory);
    free(s);
}

/* bytes: of whole pages. The first gap that is large enough. NULL: there is none. */
static void *take_from(span *s, size_t bytes)
{
    size_t count = bytes / PAGE_BYTES, free_pages = 0;
    for (size_t i = 0; i < SPAN_PAGES && SPAN_PAGES - s->taken >= count; i++) {
        free_pages = s->is_taken[i] ? 0 : free_pages + 1;
        if (free_pages == count) {
            size_t first = i + 1 - count;
            memset(s->is_taken + first, 1, count);
            s->taken += count;
            return s->memory + first * PAGE_BYTES;
        }
    }
    return NULL;
}

/* Those of the calling thread first; else a new one. */
static void *take_kept(wvl_cli_kept *k, size_t bytes)
{
    void *block = NULL;
    pthread_mutex_lock(&k->lock);
    for (span *s = k->spans; s && !block; s = s->next) {
        block = pthread_equal(s->owner, pthread_self()) ? take_from(s, bytes) : NULL;
    }
    span *fresh = block ? NULL : add_span(k);
    block = fresh ? take_from(fresh, bytes) : block;
    pthread_mutex_unlock(&k->lock);
    return block;
}

/* A thread keeps one span for what follows; what was in others was a peak. */
static int has_another(const wvl_cli_kept *k, const span *s)
{
    const span *other = k->spans;
    while (other && (other == s || !pthread_equal(other->owner, s->owner))) {
        other = other->next;
    }
    return other != NULL;
}

static void give_kept(wvl_cli_kept *k, uint8_t *block, size_t bytes)
{
    pthread_mutex_lock(&k->lock);
    span *s = k->spans;
    while ((uintptr_t)block - (uintptr_t)s->memory >= SPAN_BYTES) {
        s = s->next;
    }
    memset(s->is_taken + (size_t)(block - s->memory) / PAGE_BYTES, 0, bytes / PAGE_BYTES);
    s->taken -= bytes / PAGE_BYTES;
    if (!s->taken && has_another(k, s)) {
        remove_span(k, s);
    }
    pthread_mutex_unlock(&k->lock);
}

/* ---- The allocator --------------------------------------------------------------------------- */

static void *allocate(void *user, size_t bytes, size_t alignment, void *stream)
{
    (void)stream;
    if (bytes > MOST_BYTES) {
        return wvl_io_take_large(bytes);
    }
    return is_kept(bytes) ? take_kept(user, whole_pages(bytes)) : aligned_alloc(alignment, bytes);
}

static void release(void *user, void *memory, size_t bytes, void *stream)
{
    (void)stream;
    if (is_kept(bytes)) {
        give_kept(user, memory, whole_pages(bytes));
    } else {
        free(memory);
    }
}

/* Sanitizers know the blocks of malloc. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1
#endif

wvl_cli_kept *wvl_cli_open_kept(void)
{
#ifdef HAS_SANITIZER
    return NULL;
#else
    wvl_cli_kept *k = calloc(1, sizeof *k);
    if (k && pthread_mutex_init(&k->lock, NULL)) {
        free(k);
        return NULL;
    }
    return k;
#endif
}

void wvl_cli_close_kept(wvl_cli_kept *k)
{
    if (!k) {
        return;
    }
    while (k->spans) {
        remove_span(k, k->spans);
    }
    pthread_mutex_destroy(&k->lock);
    free(k);
}

wvl_allocator wvl_cli_describe_kept(wvl_cli_kept *k)
{
    return k ? (wvl_allocator){allocate, release, k} : (wvl_allocator){NULL, NULL, NULL};
}
