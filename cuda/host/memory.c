/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "cuda/host/device.h"

#define MEMORY_ALIGNMENT 256u
#define PINNED_PORTABLE 1u /* page-locked for every driver context of the process */

static int is_pinned(unsigned place) { return place == WVL_CUDA_PINNED || place == WVL_CUDA_OUTPUT_PINNED; }

static const wvl_allocator *allocator_of(const wvl_device *d, unsigned place)
{
    return is_pinned(place) ? &d->pinned : &d->memory;
}

/* The driver touches the pages in this thread: they come from where it runs, or from where its policy says. */
static wvl_cuda_status take_pinned(const wvl_device *d, uint64_t bytes, void **at)
{
    wvl_numa_visit visit;
    wvl_numa_enter(&d->node, WVL_NUMA_THREAD | WVL_NUMA_MEMORY, &visit);
    wvl_cuda_status status = d->runtime->malloc_pinned(at, (size_t)bytes, PINNED_PORTABLE);
    wvl_numa_leave(&visit);
    return status;
}

static wvl_cuda_status take(const wvl_device *d, unsigned place, uint64_t bytes, wvl_cuda_address *address)
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

static void give(const wvl_device *d, unsigned place, wvl_cuda_block block)
{
    const wvl_allocator *a = allocator_of(d, place);
    void *at = (void *)(uintptr_t)block.address;
    if (!block.address) {
        return;
    }
    await_readers(d, &block);
    if (a->release) {
        a->release(a->user, at, (size_t)block.bytes, NULL);
    } else if (is_pinned(place)) {
        (void)d->runtime->free_pinned(at);
    } else {
        (void)d->runtime->free_device(block.address);
    }
}

/* ---- Kept blocks ----------------------------------------------------------------------------- */

static unsigned most_kept(unsigned place)
{
    return place < WVL_CUDA_OUTPUT_ON_DEVICE ? WVL_CUDA_KEPT : WVL_CUDA_KEPT_OUTPUTS;
}

/* One of exactly this size: larger ones would take more than the plan has promised. 0: none. */
static wvl_cuda_address take_kept(wvl_device *d, unsigned place, uint64_t bytes)
{
    wvl_cuda_block found = {0};
    unsigned most = most_kept(place);
    pthread_mutex_lock(&d->kept_lock);
    for (unsigned i = 0; i < most && !found.address; i++) {
        wvl_cuda_block *block = &d->kept[place][i];
        if (block->address && block->bytes == bytes) {
            found = *block;
            memmove(block, block + 1, (most - 1 - i) * sizeof *block);
            d->kept[place][most - 1] = (wvl_cuda_block){0};
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
    wvl_cuda_block oldest = kept[most_kept(place) - 1];
    memmove(kept + 1, kept, (most_kept(place) - 1) * sizeof *kept);
    kept[0] = block;
    pthread_mutex_unlock(&d->kept_lock);
    return oldest;
}

int wvl_cuda_drop_kept(wvl_device *d)
{
    int any = 0;
    wvl_cuda_block kept[WVL_CUDA_PLACES][WVL_CUDA_KEPT_OUTPUTS];
    pthread_mutex_lock(&d->kept_lock);
    memcpy(kept, d->kept, sizeof kept);
    memset(d->kept, 0, sizeof d->kept);
    pthread_mutex_unlock(&d->kept_lock);
    for (unsigned i = 0; i < WVL_CUDA_PLACES * WVL_CUDA_KEPT_OUTPUTS; i++) {
        wvl_cuda_block block = kept[i / WVL_CUDA_KEPT_OUTPUTS][i % WVL_CUDA_KEPT_OUTPUTS];
        give(d, i / WVL_CUDA_KEPT_OUTPUTS, block);
        any |= block.address != 0;
    }
    return any;
}

static wvl_cuda_status alloc_block(wvl_device *d, unsigned place, uint64_t bytes, wvl_cuda_address *address)
{
    *address = take_kept(d, place, bytes);
    wvl_cuda_status status = *address ? WVL_CUDA_SUCCESS : take(d, place, bytes, address);
    if (status == WVL_CUDA_OUT_OF_MEMORY && wvl_cuda_drop_kept(d)) {
        status = take(d, place, bytes, address);
    }
    return status;
}

/* ---- By place -------------------------------------------------------------------------------- */

wvl_cuda_status wvl_cuda_alloc_device(wvl_device *d, uint64_t bytes, wvl_cuda_address *address)
{
    return alloc_block(d, WVL_CUDA_ON_DEVICE, bytes, address);
}

wvl_cuda_status wvl_cuda_alloc_pinned(wvl_device *d, uint64_t bytes, uint8_t **memory)
{
    wvl_cuda_address address;
    wvl_cuda_status status = alloc_block(d, WVL_CUDA_PINNED, bytes, &address);
    *memory = (uint8_t *)(uintptr_t)address;
    return status;
}

static void free_block(wvl_device *d, unsigned place, wvl_cuda_address address, uint64_t bytes)
{
    if (address) {
        give(d, place, keep(d, place, (wvl_cuda_block){address, bytes, NULL}));
    }
}

void wvl_cuda_free_device(wvl_device *d, wvl_cuda_address address, uint64_t bytes)
{
    free_block(d, WVL_CUDA_ON_DEVICE, address, bytes);
}

void wvl_cuda_free_pinned(wvl_device *d, uint8_t *memory, uint64_t bytes)
{
    free_block(d, WVL_CUDA_PINNED, (wvl_cuda_address)(uintptr_t)memory, bytes);
}

/* ---- Finished pictures ----------------------------------------------------------------------- */

wvl_cuda_status wvl_cuda_alloc_output(wvl_device *d, int on_device, uint64_t bytes, wvl_cuda_address *address)
{
    return alloc_block(d, on_device ? WVL_CUDA_OUTPUT_ON_DEVICE : WVL_CUDA_OUTPUT_PINNED, bytes, address);
}

void wvl_cuda_free_output(wvl_device *d, int on_device, wvl_cuda_address address, uint64_t bytes)
{
    wvl_cuda_free_read_output(d, on_device, address, bytes, NULL);
}

void wvl_cuda_free_read_output(wvl_device *d, int on_device, wvl_cuda_address address, uint64_t bytes,
                               wvl_cuda_event read)
{
    unsigned place = on_device ? WVL_CUDA_OUTPUT_ON_DEVICE : WVL_CUDA_OUTPUT_PINNED;
    if (address) {
        give(d, place, keep(d, place, (wvl_cuda_block){address, bytes, read}));
    }
}
