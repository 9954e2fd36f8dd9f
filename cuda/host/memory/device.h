/* SPDX-License-Identifier: BSD-2-Clause */
/* One device of a context: its driver context, the loaded kernels, where its memory comes from, and whether it still
 * works. */
#pragma once

#include <pthread.h>

#include "backend/backend.h"
#include "cuda/blocks/ht_launch.h"
#include "cuda/blocks/t1_launch.h"
#include "cuda/host/memory/forecast.h"
#include "cuda/host/transform/launch.h"
#include "cuda/packets/packets_launch.h"
#include "cuda/rate/rate_launch.h"
#include "cuda/rdoq/rdoq_launch.h"

#define WVL_CUDA_TRACK_CHARS 32u

/* OUTPUT: of finished pictures, which callers have for a while and give back one by one. */
enum { WVL_CUDA_ON_DEVICE = 0, WVL_CUDA_PINNED, WVL_CUDA_OUTPUT_ON_DEVICE, WVL_CUDA_OUTPUT_PINNED, WVL_CUDA_PLACES };
#define WVL_CUDA_KEPT 4u /* a place: two workspaces, and another plan's */
#define WVL_CUDA_KEPT_OUTPUTS                                                                                          \
    64u /* pictures in flight, and in the caller's hands; as many as there are places, if more */
#define WVL_CUDA_KEPT_MOST 1024u

typedef struct wvl_cuda_block {
    wvl_cuda_address address;
    uint64_t bytes;
    wvl_cuda_event read; /* NULL, or reached when the caller's readers are done */
} wvl_cuda_block;        /* address 0: none */

/* Page-locked memory that the library takes from the system itself. */
typedef struct wvl_cuda_mapping {
    struct wvl_cuda_mapping *next;
    void *at;
    uint64_t bytes;
} wvl_cuda_mapping;

struct wvl_device {
    wvl_allocator host, pinned, memory;
    wvl_cuda_runtime own_runtime;
    const wvl_cuda_runtime *runtime;
    wvl_cuda_context context;
    wvl_cuda_kernels kernels;
    wvl_cuda_ht ht; /* of the same module, as the next ones */
    wvl_cuda_t1 t1;
    wvl_cuda_rate rate;
    wvl_cuda_rdoq rdoq;
    wvl_cuda_packets packets;
    int handle, has_context;
    uint32_t multiprocessors;
    int has_fast_doubles; /* half as many operations a clock as floats, and not 1/32 */
    uint32_t ordinal;
    atomic_uint in_flight;   /* pictures and jobs of waves that were submitted and not released, of all backends */
    wvl_cuda_forecast coded; /* of jobs of waves: coded bytes, by the bytes of coefficients (wave_coder.c) */
    int keeps;
    int (*spare)(void *user); /* as wvl_device_options has it */
    void *spare_user;
    pthread_mutex_t kept_lock; /* guards what follows */
    wvl_cuda_mapping *mappings;
    uint32_t places; /* for pictures in flight: each has an output, or has given it to the caller */
    wvl_cuda_block kept[WVL_CUDA_PLACES][WVL_CUDA_KEPT_MOST]; /* latest first, without gaps */
};

/* runtime NULL: the driver's; image NULL: the library's. */
wvl_status wvl_cuda_open_device(const wvl_device_options *options, const wvl_cuda_runtime *runtime, const void *image,
                                wvl_device **device);
void wvl_cuda_close_device(wvl_device *device);
/* A device is lost to the process: all contexts use the driver's one context of a device, and the library never resets
 * it. */
int wvl_cuda_is_lost(const wvl_device *device);
/* For tests, which lose devices that are none. */
void wvl_cuda_forget_losses(void);
wvl_status wvl_cuda_describe_device(uint32_t ordinal, wvl_device_info *info);

/* The library's status for a driver's; one that no later call recovers from marks the device as lost for the process.
 */
wvl_status wvl_cuda_note_status(wvl_device *device, wvl_cuda_status status);
/* Between the two, calls of this thread go to the device. */
wvl_cuda_status wvl_cuda_enter(const wvl_device *device);
void wvl_cuda_leave(const wvl_device *device);

/* Through the caller's allocators, if there are any. Else what is freed is kept for the next picture of the same plan,
 * because page-locking takes longer than a transform; everything kept goes when memory runs short. */
wvl_cuda_status wvl_cuda_alloc(wvl_device *device, unsigned place, uint64_t bytes, wvl_cuda_address *address);
wvl_cuda_status wvl_cuda_alloc_pinned(wvl_device *device, uint64_t bytes, uint8_t **memory);
/* address 0: there is nothing. read: nobody gets the memory before the event, which is destroyed then; NULL: none. The
 * context is entered where there is one. */
void wvl_cuda_free(wvl_device *device, unsigned place, wvl_cuda_address address, uint64_t bytes, wvl_cuda_event read);
/* One that was given back; 0: there is none. */
wvl_cuda_address wvl_cuda_take_kept(wvl_device *device, unsigned place, uint64_t bytes);
/* Finished pictures are kept at this place. Pinned memory has the address of the host. */
static inline unsigned wvl_cuda_output_place(int on_device)
{
    return on_device ? WVL_CUDA_OUTPUT_ON_DEVICE : WVL_CUDA_OUTPUT_PINNED;
}
/* A place for a picture in flight comes, or goes: outputs that are given back are kept for all places. */
void wvl_cuda_add_place(wvl_device *device);
void wvl_cuda_drop_place(wvl_device *device);
/* 0: nothing was kept. */
int wvl_cuda_drop_kept(wvl_device *device);

/* Page-locks memory of the caller for all devices. WVL_ERROR_UNSUPPORTED: the driver cannot. */
wvl_status wvl_cuda_pin(wvl_device *device, void *memory, uint64_t bytes);
void wvl_cuda_unpin(wvl_device *device, void *memory);
