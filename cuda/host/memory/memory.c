/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/alloc.h"
#include "base/pages.h"
#include "cuda/host/memory/device.h"

#define MEMORY_ALIGNMENT 256u
#define PINNED_PORTABLE 1u /* page-locked for every driver context of the process: allocated, or of the caller */
#define PINNED_MAPPED 2u   /* kernels may write there */
#define LARGE_LEAST (UINT64_C(4) << 20)

static int is_pinned(unsigned place) { return place == WVL_CUDA_PINNED || place == WVL_CUDA_OUTPUT_PINNED; }

static const wvl_allocator *allocator_of(const wvl_device *d, unsigned place)
{
    return is_pinned(place) ? &d->pinned : &d->memory;
}

/* ---- Large pages ----------------------------------------------------------------------------- */

/* The driver's own memory has pages of 4 KiB, which take ten times as long to lock as large ones (D-device-30). NULL:
 * the driver is asked for memory. */
static void *lock_pages(const wvl_device *d, uint64_t bytes)
{
    void *at = wvl_map_pages(bytes);
    if (at && d->runtime->lock_memory(at, (size_t)bytes, PINNED_PORTABLE | PINNED_MAPPED)) {
        wvl_unmap_pages(at, bytes);
        at = NULL;
    }
    return at;
}

static void *take_large(wvl_device *d, uint64_t bytes)
{
    int can = bytes >= LARGE_LEAST && d->runtime->lock_memory && d->runtime->unlock_memory;
    wvl_cuda_mapping *m = can ? wvl_alloc(&d->host, sizeof *m) : NULL;
    void *at = m ? lock_pages(d, bytes) : NULL;
    if (!at) {
        wvl_free(&d->host, m, sizeof *m);
        return NULL;
    }
    *m = (wvl_cuda_mapping){.at = at, .bytes = bytes};
    pthread_mutex_lock(&d->kept_lock);
    m->next = d->mappings;
    d->mappings = m;
    pthread_mutex_unlock(&d->kept_lock);
    return at;
}

/* 0: the memory is the driver's. */
static int give_large(wvl_device *d, const void *at)
{
    pthread_mutex_lock(&d->kept_lock);
    wvl_cuda_mapping **place = &d->mappings;
    while (*place && (*place)->at != at) {
        place = &(*place)->next;
    }
    wvl_cuda_mapping *m = *place;
    if (m) {
        *place = m->next;
    }
    pthread_mutex_unlock(&d->kept_lock);
    if (m) {
        (void)d->runtime->unlock_memory(m->at);
        wvl_unmap_pages(m->at, m->bytes);
        wvl_free(&d->host, m, sizeof *m);
    }
    return m != NULL;
}

/* ---- All ------------------------------------------------------------------------------------- */

static wvl_cuda_status take_pinned(wvl_device *d, uint64_t bytes, void **at)
{
    *at = take_large(d, bytes);
    return *at ? WVL_CUDA_SUCCESS : d->runtime->malloc_pinned(at, (size_t)bytes, PINNED_PORTABLE);
}

static wvl_cuda_status take(wvl_device *d, unsigned place, uint64_t bytes, wvl_cuda_address *address)
{
    const wvl_allocator *a = allocator_of(d, place);
    void *at = NULL;
    *address = 0;
    if (bytes > SIZE_MAX / 2) {
        return WVL_CUDA_OUT_OF_MEMORY;
    }
    if (!a->allocate && !is_pinned(place)) {
        return d->runtime->malloc_device(address, (size_t)bytes);
    }
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    if (a->allocate) {
        at = a->allocate(a->user, (size_t)bytes, MEMORY_ALIGNMENT, NULL);
        status = at ? WVL_CUDA_SUCCESS : WVL_CUDA_OUT_OF_MEMORY;
    } else {
        status = take_pinned(d, bytes, &at);
    }
    *address = status ? 0 : (wvl_cuda_address)(uintptr_t)at;
    return status;
}

/* Until the caller's readers of a block are done. */
static void await_readers(const wvl_device *d, wvl_cuda_block *block)
{
    if (block->read) {
        (void)d->runtime->event_wait(block->read); /* of a lost device: nobody reads any more */
        (void)d->runtime->event_destroy(block->read);
        block->read = NULL;
    }
}

static void give(wvl_device *d, unsigned place, wvl_cuda_block block)
{
    const wvl_allocator *a = allocator_of(d, place);
    void *at = (void *)(uintptr_t)block.address;
    if (!block.address) {
        return;
    }
    await_readers(d, &block);
    if (a->release) {
        a->release(a->user, at, (size_t)block.bytes, NULL);
    } else if (!is_pinned(place)) {
        (void)d->runtime->free_device(block.address);
    } else if (!give_large(d, at)) {
        (void)d->runtime->free_pinned(at);
    }
}

/* ---- Kept blocks ----------------------------------------------------------------------------- */

/* The lock is held. */
static unsigned most_kept(const wvl_device *d, unsigned place)
{
    return place >= WVL_CUDA_OUTPUT_ON_DEVICE
               ? wvl_min_u32(wvl_max_u32(d->places, WVL_CUDA_KEPT_OUTPUTS), WVL_CUDA_KEPT_MOST)
               : WVL_CUDA_KEPT;
}

/* The lock is held. What follows moves up. */
static wvl_cuda_block take_out(wvl_cuda_block *kept, unsigned at)
{
    wvl_cuda_block block = kept[at];
    unsigned end = at;
    while (end + 1 < WVL_CUDA_KEPT_MOST && kept[end + 1].address) {
        end++;
    }
    memmove(kept + at, kept + at + 1, (end - at) * sizeof *kept);
    kept[end] = (wvl_cuda_block){0};
    return block;
}

/* The memory has exactly this size: larger ones would take more than the plan has promised. */
wvl_cuda_address wvl_cuda_take_kept(wvl_device *d, unsigned place, uint64_t bytes)
{
    wvl_cuda_block found = {0}, *kept = d->kept[place];
    pthread_mutex_lock(&d->kept_lock);
    for (unsigned i = 0; i < WVL_CUDA_KEPT_MOST && kept[i].address && !found.address; i++) {
        if (kept[i].bytes == bytes) {
            found = take_out(kept, i);
        }
    }
    pthread_mutex_unlock(&d->kept_lock);
    await_readers(d, &found);
    return found.address;
}

/* Returns the block that has to go for it, if any. */
static wvl_cuda_block keep(wvl_device *d, unsigned place, wvl_cuda_block block)
{
    wvl_cuda_block *kept = d->kept[place];
    if (!d->keeps || allocator_of(d, place)->allocate || wvl_cuda_is_lost(d)) {
        return block;
    }
    pthread_mutex_lock(&d->kept_lock);
    unsigned most = most_kept(d, place);
    wvl_cuda_block oldest = kept[most - 1];
    memmove(kept + 1, kept, (most - 1) * sizeof *kept);
    kept[0] = block;
    pthread_mutex_unlock(&d->kept_lock);
    return oldest;
}

void wvl_cuda_add_place(wvl_device *d)
{
    pthread_mutex_lock(&d->kept_lock);
    d->places++;
    pthread_mutex_unlock(&d->kept_lock);
}

/* What is kept for this place alone goes with it. */
void wvl_cuda_drop_place(wvl_device *d)
{
    for (unsigned place = WVL_CUDA_OUTPUT_ON_DEVICE; place < WVL_CUDA_PLACES; place++) {
        wvl_cuda_block block = {0};
        pthread_mutex_lock(&d->kept_lock);
        d->places -= place == WVL_CUDA_OUTPUT_ON_DEVICE;
        unsigned most = most_kept(d, place);
        if (most < WVL_CUDA_KEPT_MOST) {
            block = take_out(d->kept[place], most);
        }
        pthread_mutex_unlock(&d->kept_lock);
        give(d, place, block);
    }
}

int wvl_cuda_drop_kept(wvl_device *d)
{
    int any = 0;
    for (unsigned place = 0; place < WVL_CUDA_PLACES;) {
        pthread_mutex_lock(&d->kept_lock);
        wvl_cuda_block block = take_out(d->kept[place], 0);
        pthread_mutex_unlock(&d->kept_lock);
        give(d, place, block);
        any |= block.address != 0;
        place += !block.address; /* it has no more */
    }
    return any;
}

wvl_cuda_status wvl_cuda_alloc(wvl_device *d, unsigned place, uint64_t bytes, wvl_cuda_address *address)
{
    *address = wvl_cuda_take_kept(d, place, bytes);
    wvl_cuda_status status = *address ? WVL_CUDA_SUCCESS : take(d, place, bytes, address);
    if (status == WVL_CUDA_OUT_OF_MEMORY && wvl_cuda_drop_kept(d)) {
        status = take(d, place, bytes, address);
    }
    if (status == WVL_CUDA_OUT_OF_MEMORY && d->spare && d->spare(d->spare_user)) {
        (void)wvl_cuda_drop_kept(d); /* what came back stays here else */
        status = take(d, place, bytes, address);
    }
    return status;
}

wvl_cuda_status wvl_cuda_alloc_pinned(wvl_device *d, uint64_t bytes, uint8_t **memory)
{
    wvl_cuda_address address;
    wvl_cuda_status status = wvl_cuda_alloc(d, WVL_CUDA_PINNED, bytes, &address);
    *memory = (uint8_t *)(uintptr_t)address;
    return status;
}

void wvl_cuda_free(wvl_device *d, unsigned place, wvl_cuda_address address, uint64_t bytes, wvl_cuda_event read)
{
    if (address) {
        give(d, place, keep(d, place, (wvl_cuda_block){address, bytes, read}));
    }
}

/* ---- Memory of the caller -------------------------------------------------------------------- */

wvl_status wvl_cuda_pin(wvl_device *d, void *memory, uint64_t bytes)
{
    const wvl_cuda_runtime *rt = d->runtime;
    if (!rt->lock_memory || !rt->unlock_memory || bytes > SIZE_MAX / 2) {
        return WVL_ERROR_UNSUPPORTED;
    }
    wvl_cuda_status status = wvl_cuda_enter(d);
    if (!status) {
        status = rt->lock_memory(memory, (size_t)bytes, PINNED_PORTABLE);
        wvl_cuda_leave(d);
    }
    return wvl_cuda_note_status(d, status);
}

void wvl_cuda_unpin(wvl_device *d, void *memory)
{
    if (!wvl_cuda_enter(d)) {
        (void)d->runtime->unlock_memory(memory);
        wvl_cuda_leave(d);
    }
}
