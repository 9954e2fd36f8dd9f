/* SPDX-License-Identifier: BSD-2-Clause */
/* An allocator that keeps books and can be told to fail. */
#pragma once

#include <pthread.h>

#include "tests/support/api.h"

typedef struct ledger {
    pthread_mutex_t lock;
    uint64_t calls, fail_at; /* the call number fail_at fails, and with fail_on every later one; 0: none */
    int fail_on;
    uint64_t live_bytes, live_count, peak_bytes, wrong_sizes;
} ledger;

#define LEDGER_HEADER 4096u /* keeps the caller's alignment */

static inline void *ledger_allocate(void *user, size_t bytes, size_t alignment, void *stream)
{
    ledger *l = user;
    (void)stream;
    (void)pthread_mutex_lock(&l->lock);
    uint64_t call = ++l->calls;
    int fails = l->fail_at && (l->fail_on ? call >= l->fail_at : call == l->fail_at);
    uint8_t *memory =
        fails || alignment > LEDGER_HEADER
            ? NULL
            : aligned_alloc(LEDGER_HEADER, LEDGER_HEADER + (bytes + LEDGER_HEADER - 1) / LEDGER_HEADER * LEDGER_HEADER);
    if (memory) {
        memcpy(memory, &bytes, sizeof bytes);
        memset(memory + LEDGER_HEADER, 0xA5, bytes); /* nobody may count on zeros */
        l->live_bytes += bytes;
        l->live_count++;
        l->peak_bytes = l->live_bytes > l->peak_bytes ? l->live_bytes : l->peak_bytes;
    }
    (void)pthread_mutex_unlock(&l->lock);
    return memory ? memory + LEDGER_HEADER : NULL;
}

static inline void ledger_release(void *user, void *memory, size_t bytes, void *stream)
{
    ledger *l = user;
    size_t noted;
    (void)stream;
    memcpy(&noted, (uint8_t *)memory - LEDGER_HEADER, sizeof noted);
    (void)pthread_mutex_lock(&l->lock);
    l->wrong_sizes += noted != bytes;
    l->live_bytes -= noted;
    l->live_count--;
    (void)pthread_mutex_unlock(&l->lock);
    memset(memory, 0x5A, noted); /* whoever still looks sees it */
    free((uint8_t *)memory - LEDGER_HEADER);
}

static inline void ledger_open(ledger *l)
{
    memset(l, 0, sizeof *l);
    (void)pthread_mutex_init(&l->lock, NULL);
}

static inline wvl_allocator ledger_allocator(ledger *l)
{
    wvl_allocator a = {ledger_allocate, ledger_release, l};
    return a;
}

/* A ledger that is owned is checked when its block ends: all memory must be back by then, in the sizes that were taken.
 * Declare it before the context. */
#define owned_ledger OWNED_BY(ledger_close) ledger
static inline void ledger_close(ledger *l)
{
    REQUIRE_THAT(!l->live_count && !l->wrong_sizes, "%llu pieces of memory stay", (unsigned long long)l->live_count);
}

static inline wvl_context *ledger_open_context(ledger *l, uint32_t threads)
{
    ledger_open(l);
    wvl_allocator host = ledger_allocator(l);
    return test_open_context_by(&host, threads);
}

/* After `count` more calls all fail; negative: none fails. */
static inline void ledger_limit_calls(ledger *l, int64_t count)
{
    l->fail_on = 1;
    l->fail_at = count < 0 ? 0 : l->calls + (uint64_t)count + 1;
}
