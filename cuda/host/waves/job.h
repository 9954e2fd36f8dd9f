/* SPDX-License-Identifier: BSD-2-Clause */
/* The device backend's own structures: a backend, and a workspace, which is one job in flight. */
#pragma once

#include "backend/workspaces.h"
#include "cuda/color/color.h"
#include "cuda/host/backend_cuda.h"
#include "cuda/host/coders/wave_coder.h"
#include "cuda/host/transform/staging.h"

enum {
    WVL_CUDA_AT_START = 0,
    WVL_CUDA_AT_UPLOADED,
    WVL_CUDA_AT_COMPUTED,
    WVL_CUDA_AT_DELIVERED,
    WVL_CUDA_MARKS
}; /* of a traced job */

struct wvl_backend_job {
    wvl_workspace workspace; /* first */
    wvl_backend *backend;
    uint64_t capacity; /* host bytes, which this structure begins */
    uint64_t pinned_capacity, device_capacity;
    uint8_t *pinned;
    uint64_t pinned_address; /* as the device sees it; 0: not at all */
    wvl_cuda_address device;
    wvl_cuda_stream stream; /* of its own, or one of those that pictures share */
    wvl_cuda_event done, mark[WVL_CUDA_MARKS];
    int finished;            /* seen by a wait: nothing of it runs any more */
    int borrows;             /* pixels are read by the device where they lie: free when done */
    const uint32_t *outside; /* pinned */
    wvl_cuda_staging staging;
    uint32_t tile_count, color_blocks, unpack_blocks; /* the last: pictures alone */
    wvl_coefs *coefs;                                 /* [tile_count] */
    int has_coefs;                                    /* in pinned memory, when the job is done */
    int codes;                                        /* blocks are coded on the device */
    int is_counted;                                   /* among those in flight (wvl_device) */
    wvl_cuda_layout layout;
    wvl_cuda_code code;
    struct wvl_cuda_picture
        *picture; /* NULL: the workspace is for waves; else members from tile_count on are not used */
};

struct wvl_backend {
    wvl_allocator allocator;
    wvl_pool *pool;
    const wvl_plan *plan;
    wvl_device *device;
    int owns_device;
    unsigned options;
    const wvl_trace *trace;
    wvl_cuda_event epoch; /* traced: the moment epoch_seconds */
    double epoch_seconds;
    wvl_workspaces workspaces;
    pthread_mutex_t growth;             /* held while workspaces of pictures are added or replaced */
    struct wvl_cuda_pictures *pictures; /* NULL: workspaces are for waves (picture.h) */
    uint32_t writers, streams, copies;  /* for tests (picture.h); 0: as chosen */
    uint32_t pace, deeper;              /* the same: WVL_CUDA_PACE_* + 1; as the rate job has it */
};

static inline const wvl_cuda_runtime *wvl_cuda_runtime_of(const wvl_backend *b) { return b->device->runtime; }

/* One more is in flight. Returns how many there are: they are the pace. */
static inline uint32_t wvl_cuda_count_job(wvl_backend_job *job)
{
    job->is_counted = 1;
    return atomic_fetch_add(&job->backend->device->in_flight, 1) + 1;
}

static inline void wvl_cuda_uncount_job(wvl_backend_job *job)
{
    atomic_fetch_sub(&job->backend->device->in_flight, (unsigned)job->is_counted);
    job->is_counted = 0;
}

static inline int wvl_cuda_is_any_shape(const wvl_backend *b) { return (b->options & WVL_CUDA_PLAIN_PATH) != 0; }

/* The tables of light end a workspace's device memory: they stay from prepare on. */
static inline uint64_t wvl_cuda_light_bytes(const wvl_plan *plan)
{
    return wvl_align_up(wvl_cuda_measure_light(plan), 256);
}

static inline wvl_cuda_address wvl_cuda_light_address(const wvl_backend_job *job)
{
    return job->device + job->device_capacity - wvl_cuda_light_bytes(job->backend->plan);
}

/* Fills a workspace that has the sizes of its memory (backend_cuda.c). Takes nothing that it finds. */
wvl_cuda_status wvl_cuda_fill_workspace(wvl_backend *backend, wvl_backend_job *job);
void wvl_cuda_free_workspace(wvl_backend *backend, wvl_backend_job *job);
/* Drops all workspaces, which are free, for another plan. pictures: NULL for waves. */
wvl_status wvl_cuda_change_plan(wvl_backend *backend, const wvl_plan *plan, struct wvl_cuda_pictures *pictures);
/* Waits for a job that nobody waited for, and frees its workspace. */
void wvl_cuda_release_job(wvl_backend_job *job);

/* Queues everything of a job in its workspace (queue.c): upload, kernels, download, one event. tiles and image stay. */
wvl_status wvl_cuda_queue_job(wvl_backend_job *job, const wvl_image *image, const wvl_tile_plan *tiles,
                              uint32_t tile_count);
