/* SPDX-License-Identifier: BSD-2-Clause */
#include "trays.h"

#include <pthread.h>
#include <stdlib.h>

#include "turns.h"
#include "wavelane_frames.h"

#define LARGE_PAGE (UINT64_C(2) << 20)
#define PAGE UINT64_C(4096)

struct wvl_cli_trays {
    pthread_mutex_t lock; /* guards the lists and sums */
    wvl_cli_tray *spare;
    uint64_t bytes, most_bytes, locked_bytes, most_locked;
    uint64_t locked_limit;
    wvl_context *context;
    int on_device;
    uint32_t ordinal;
};

wvl_cli_trays *wvl_cli_open_trays(wvl_context *context, const char *device)
{
    wvl_cli_trays *t = calloc(1, sizeof *t);
    const char *first = device ? strchr(device, ':') : NULL;
    if (t && pthread_mutex_init(&t->lock, NULL)) {
        free(t);
        return NULL;
    }
    if (t) {
        t->context = context;
        t->on_device = device != NULL;
        t->ordinal = first ? (uint32_t)strtoul(first + 1, NULL, 10) : 0; /* of all devices: the first */
        t->locked_limit = wvl_cli_limit_locked();
    }
    return t;
}

/* Nobody else has the tray. */
static void drop_tray(wvl_cli_trays *t, wvl_cli_tray *tray)
{
    if (tray->is_locked) {
        wvl_context_unpin(t->context, t->ordinal, tray->memory);
    }
    free(tray->memory);
    free(tray);
}

void wvl_cli_close_trays(wvl_cli_trays *t)
{
    if (!t) {
        return;
    }
    for (wvl_cli_tray *tray; (tray = t->spare) != NULL;) {
        t->spare = tray->next;
        drop_tray(t, tray);
    }
    pthread_mutex_destroy(&t->lock);
    free(t);
}

/* Whole pages, so that nothing else lies in what is page-locked. */
static uint64_t choose_page(uint64_t bytes) { return bytes >= 2 * LARGE_PAGE ? LARGE_PAGE : PAGE; }

uint64_t wvl_cli_round_tray(uint64_t bytes)
{
    uint64_t page = choose_page(bytes);
    return (bytes + page - 1) / page * page;
}

static wvl_cli_tray *make_tray(uint64_t bytes)
{
    uint64_t page = choose_page(bytes), whole = wvl_cli_round_tray(bytes);
    wvl_cli_tray *tray = whole <= wvl_io_machine_memory() && whole <= SIZE_MAX / 2 ? calloc(1, sizeof *tray) : NULL;
    if (tray) {
        tray->bytes = whole;
        tray->memory = page == LARGE_PAGE ? wvl_io_take_large((size_t)whole) : aligned_alloc(PAGE, (size_t)whole);
    }
    if (tray && !tray->memory) {
        free(tray);
        return NULL;
    }
    return tray;
}

/* Under the lock: the smallest one that suffices, and is not far too large. */
static wvl_cli_tray **find_spare(wvl_cli_trays *t, uint64_t bytes)
{
    wvl_cli_tray **best = NULL;
    for (wvl_cli_tray **at = &t->spare; *at; at = &(*at)->next) {
        int fits = (*at)->bytes >= bytes && (*at)->bytes / 4 <= bytes + LARGE_PAGE;
        best = fits && (!best || (*at)->bytes < (*best)->bytes) ? at : best;
    }
    return best;
}

static wvl_cli_tray *take_out(wvl_cli_tray **at)
{
    wvl_cli_tray *tray = at ? *at : NULL;
    if (tray) {
        *at = tray->next;
    }
    return tray;
}

/* A tray that does not fit goes: there are never more than pictures in work. */
wvl_cli_tray *wvl_cli_take_tray(wvl_cli_trays *t, uint64_t bytes)
{
    pthread_mutex_lock(&t->lock);
    wvl_cli_tray *tray = take_out(find_spare(t, bytes)), *unfit = tray ? NULL : take_out(&t->spare);
    if (unfit) {
        t->bytes -= unfit->bytes;
        t->locked_bytes -= unfit->is_locked ? unfit->bytes : 0;
    }
    pthread_mutex_unlock(&t->lock);
    if (unfit) {
        drop_tray(t, unfit);
    }
    if (!tray && (tray = make_tray(bytes)) != NULL) {
        pthread_mutex_lock(&t->lock);
        t->bytes += tray->bytes;
        t->most_bytes = t->bytes > t->most_bytes ? t->bytes : t->most_bytes;
        pthread_mutex_unlock(&t->lock);
    }
    return tray;
}

void wvl_cli_return_tray(wvl_cli_trays *t, wvl_cli_tray *tray)
{
    if (tray) {
        pthread_mutex_lock(&t->lock);
        tray->next = t->spare;
        t->spare = tray;
        pthread_mutex_unlock(&t->lock);
    }
}

/* Says whether page-locked memory of all trays stays within its limit with this one. */
static int reserve(wvl_cli_trays *t, uint64_t bytes)
{
    pthread_mutex_lock(&t->lock);
    int fits = t->locked_bytes <= t->locked_limit && bytes <= t->locked_limit - t->locked_bytes;
    t->locked_bytes += fits ? bytes : 0;
    t->most_locked = t->locked_bytes > t->most_locked ? t->locked_bytes : t->most_locked;
    pthread_mutex_unlock(&t->lock);
    return fits;
}

int wvl_cli_lock_tray(wvl_cli_trays *t, wvl_cli_tray *tray)
{
    char reason[256];
    if (tray->is_locked || tray->is_refused || !t->on_device || !reserve(t, tray->bytes)) {
        return tray->is_locked;
    }
    tray->is_locked =
        wvl_context_pin(t->context, t->ordinal, tray->memory, (size_t)tray->bytes, reason, sizeof reason) == WVL_OK;
    tray->is_refused = !tray->is_locked;
    if (tray->is_refused) {
        pthread_mutex_lock(&t->lock);
        t->locked_bytes -= tray->bytes;
        pthread_mutex_unlock(&t->lock);
        wvl_cli_inform("memory for pixels cannot be page-locked: %s; the host copies them", reason);
    }
    return tray->is_locked;
}

void wvl_cli_measure_trays(wvl_cli_trays *t, uint64_t *bytes, uint64_t *locked)
{
    pthread_mutex_lock(&t->lock);
    *bytes = t->most_bytes;
    *locked = t->most_locked;
    pthread_mutex_unlock(&t->lock);
}
