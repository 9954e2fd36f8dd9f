/* SPDX-License-Identifier: BSD-2-Clause */
/* Every byte that the walker takes is counted, so that a header that lies is refused instead of believed. */
#include <stdlib.h>
#include <string.h>

#include "walk.h"

static int note_limit(wvl_walk *w, wvl_check_rule_id rule, uint64_t limit)
{
    if (!w->limit_hit) {
        w->limit_hit = 1;
        wvl_check_fail(w, rule, 0, "the limit of %llu is reached; what is left was not walked",
                       (unsigned long long)limit);
    }
    return 0;
}

int wvl_check_charge(wvl_walk *w, uint64_t work)
{
    if (w->limit_hit || work > w->work_limit - w->work) {
        return note_limit(w, WVL_RULE_LIMIT_WORK, w->work_limit);
    }
    w->work += work;
    return 1;
}

void *wvl_check_obtain(const wvl_check_options *options, size_t bytes)
{
    if (!options->allocate) {
        return calloc(1, bytes);
    }
    void *memory = options->allocate(options->memory_user, bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

void wvl_check_give_back(const wvl_check_options *options, void *memory, size_t bytes)
{
    if (!options->release) {
        free(memory);
    } else if (memory) {
        options->release(options->memory_user, memory, bytes);
    }
}

static int reserve(wvl_walk *w, uint64_t bytes)
{
    if (bytes > w->memory_limit - w->memory) {
        return note_limit(w, WVL_RULE_LIMIT_MEMORY, w->memory_limit);
    }
    w->memory += bytes;
    return 1;
}

void *wvl_check_allocate(wvl_walk *w, uint64_t count, size_t size)
{
    if (count > UINT64_MAX / 2 / size || count > SIZE_MAX / 2 / size) {
        (void)note_limit(w, WVL_RULE_LIMIT_MEMORY, w->memory_limit);
        return NULL;
    }
    if (!reserve(w, count * size)) {
        return NULL;
    }
    void *memory = wvl_check_obtain(w->options, (size_t)(count ? count : 1) * size);
    if (!memory) {
        w->memory -= count * size;
        w->no_memory = w->limit_hit = 1;
    }
    return memory;
}

void wvl_check_release(wvl_walk *w, void *memory, uint64_t count, size_t size)
{
    if (memory) {
        w->memory -= count * size;
        wvl_check_give_back(w->options, memory, (size_t)(count ? count : 1) * size);
    }
}

static void *resize(wvl_walk *w, const wvl_walk_list *list, size_t bytes)
{
    size_t old = list->capacity * list->item_bytes;
    if (!w->options->allocate) {
        return realloc(list->items, bytes);
    }
    void *larger = wvl_check_obtain(w->options, bytes);
    if (larger && old) {
        memcpy(larger, list->items, old);
        wvl_check_give_back(w->options, list->items, old);
    }
    return larger;
}

static int grow(wvl_walk *w, wvl_walk_list *list, size_t more, size_t item_bytes)
{
    size_t wanted = list->count + more, capacity = list->capacity ? list->capacity : 16;
    if (wanted <= list->capacity) {
        return 1;
    }
    while (capacity < wanted) {
        capacity *= 2;
    }
    if (!reserve(w, (uint64_t)(capacity - list->capacity) * item_bytes)) {
        return 0;
    }
    void *larger = resize(w, list, capacity * item_bytes);
    if (!larger) {
        w->memory -= (uint64_t)(capacity - list->capacity) * item_bytes;
        w->no_memory = w->limit_hit = 1;
        return 0;
    }
    list->items = larger;
    list->capacity = capacity;
    list->item_bytes = item_bytes;
    return 1;
}

void *wvl_check_extend(wvl_walk *w, wvl_walk_list *list, size_t more, size_t item_bytes)
{
    if (!grow(w, list, more, item_bytes)) {
        return NULL;
    }
    void *place = (uint8_t *)list->items + list->count * item_bytes;
    list->count += more;
    return place;
}

void *wvl_check_push(wvl_walk *w, wvl_walk_list *list, const void *item, size_t item_bytes)
{
    void *place = wvl_check_extend(w, list, 1, item_bytes);
    return place ? memcpy(place, item, item_bytes) : NULL;
}

void wvl_check_release_list(wvl_walk *w, wvl_walk_list *list)
{
    wvl_check_release(w, list->items, list->capacity, list->item_bytes);
    memset(list, 0, sizeof *list);
}

int wvl_check_gather(wvl_walk *w, wvl_walk_gathered *g, uint64_t offset, uint64_t bytes)
{
    wvl_walk_piece piece = {g->bytes.count, offset};
    if (!bytes) {
        return 1;
    }
    if (!wvl_check_push(w, &g->pieces, &piece, sizeof piece)) {
        return 0;
    }
    void *place = wvl_check_extend(w, &g->bytes, (size_t)bytes, 1);
    return place && memcpy(place, w->data + offset, (size_t)bytes);
}

/* Place in the codestream of gathered byte `at`, or behind the last one. */
uint64_t wvl_check_origin(const wvl_walk_gathered *g, uint64_t at)
{
    const wvl_walk_piece *pieces = g->pieces.items;
    size_t low = 0, high = g->pieces.count;
    if (!high) {
        return 0;
    }
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (pieces[middle].start <= at) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return pieces[low].offset + (at - pieces[low].start);
}

void wvl_check_release_gathered(wvl_walk *w, wvl_walk_gathered *g)
{
    wvl_check_release_list(w, &g->bytes);
    wvl_check_release_list(w, &g->pieces);
}
