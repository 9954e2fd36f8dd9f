/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The list of a backend's slots: each is the memory for one job at a time. A backend's job begins with a wvl_slot.
 * Slots are taken, given back and added from any thread, and a free one may be removed; all are removed from one
 * thread, when all are free.
 */
#ifndef WVL_BACKEND_SLOTS_H
#define WVL_BACKEND_SLOTS_H

#include <pthread.h>
#include <stddef.h>

typedef struct wvl_slot {
    struct wvl_slot *next;
    int busy; /* under the lock of the list */
} wvl_slot;

typedef struct wvl_slots {
    pthread_mutex_t lock;
    wvl_slot *first;
} wvl_slots;

/* 1, or 0: the system has no more locks. */
static inline int wvl_slots_init(wvl_slots *slots)
{
    slots->first = NULL;
    return !pthread_mutex_init(&slots->lock, NULL);
}

/* After the last slot was removed. */
static inline void wvl_slots_fini(wvl_slots *slots) { pthread_mutex_destroy(&slots->lock); }

static inline void wvl_slots_add(wvl_slots *slots, wvl_slot *slot)
{
    pthread_mutex_lock(&slots->lock);
    slot->busy = 0;
    slot->next = slots->first;
    slots->first = slot;
    pthread_mutex_unlock(&slots->lock);
}

/* How well a free slot suits a job; 0: not at all. Called under the lock. */
typedef unsigned (*wvl_slot_fits)(const wvl_slot *slot, const void *wanted);

/* Where the list names the free slot that suits best, the first of several. Under the lock. NULL: there is none. */
static inline wvl_slot **wvl_slots_find(wvl_slots *slots, wvl_slot_fits fits, const void *wanted)
{
    wvl_slot **found = NULL;
    unsigned most = 0;
    for (wvl_slot **at = &slots->first; *at; at = &(*at)->next) {
        unsigned suits = (*at)->busy ? 0 : fits(*at, wanted);
        if (suits > most) {
            most = suits;
            found = at;
        }
    }
    return found;
}

/* The slot that no job has and that suits best. NULL: there is none. */
static inline wvl_slot *wvl_slots_take_fitting(wvl_slots *slots, wvl_slot_fits fits, const void *wanted)
{
    pthread_mutex_lock(&slots->lock);
    wvl_slot **at = wvl_slots_find(slots, fits, wanted), *found = at ? *at : NULL;
    if (found) {
        found->busy = 1;
    }
    pthread_mutex_unlock(&slots->lock);
    return found;
}

/* The same, off the list, for the caller to release. */
static inline wvl_slot *wvl_slots_remove_fitting(wvl_slots *slots, wvl_slot_fits fits, const void *wanted)
{
    pthread_mutex_lock(&slots->lock);
    wvl_slot **at = wvl_slots_find(slots, fits, wanted), *found = at ? *at : NULL;
    if (found) {
        *at = found->next;
    }
    pthread_mutex_unlock(&slots->lock);
    return found;
}

static inline unsigned wvl_slot_fits_all(const wvl_slot *slot, const void *wanted)
{
    (void)slot;
    (void)wanted;
    return 1;
}

/* A slot that no job has, or NULL. */
static inline wvl_slot *wvl_slots_take(wvl_slots *slots)
{
    return wvl_slots_take_fitting(slots, wvl_slot_fits_all, NULL);
}

static inline void wvl_slots_give(wvl_slots *slots, wvl_slot *slot)
{
    pthread_mutex_lock(&slots->lock);
    slot->busy = 0;
    pthread_mutex_unlock(&slots->lock);
}

/* Whether some job has a slot. */
static inline int wvl_slots_are_busy(wvl_slots *slots)
{
    int busy = 0;
    pthread_mutex_lock(&slots->lock);
    for (const wvl_slot *slot = slots->first; slot; slot = slot->next) {
        busy |= slot->busy;
    }
    pthread_mutex_unlock(&slots->lock);
    return busy;
}

/* Takes the first slot off the list, for the caller to release; NULL: there is none. */
static inline wvl_slot *wvl_slots_remove(wvl_slots *slots)
{
    wvl_slot *slot = slots->first;
    slots->first = slot ? slot->next : NULL;
    return slot;
}

#endif
