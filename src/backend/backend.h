/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A backend turns pixels into coefficients. The conductor drives it through this table only.
 *
 * A job is a run of consecutive tiles whose plans the conductor has built; it may later be a band of precinct rows of one tile.
 * Order of calls: open -> prepare -> { submit -> wait -> collect -> release }* -> close. submit queues and never waits; wait(DONE)
 * may be called from any thread. Coefficients belong to the backend from collect to release; pixels are borrowed until INPUT_FREE.
 */
#ifndef WVL_BACKEND_BACKEND_H
#define WVL_BACKEND_BACKEND_H

#include "geom/handover.h"
#include "geom/plan.h"
#include "base/pool.h"
#include "wavelane.h"

typedef struct wvl_backend wvl_backend;
typedef struct wvl_backend_job wvl_backend_job;

typedef enum wvl_backend_event { WVL_EVENT_INPUT_FREE = 0, WVL_EVENT_DONE = 1 } wvl_backend_event;

typedef struct wvl_backend_query {
    uint8_t memory_kinds;      /* bit per wvl_memory_kind that images may have */
    uint8_t max_depth;         /* deepest component it transforms */
} wvl_backend_query;

/* Bytes that one slot needs for jobs of at most tile_count tiles. */
typedef struct wvl_backend_memory { uint64_t host_bytes, pinned_bytes, device_bytes; } wvl_backend_memory;

typedef struct wvl_backend_vtable {
    const char *name;
    void (*query)(wvl_backend_query *query);
    wvl_status (*open)(const wvl_allocator *host, wvl_pool *pool, wvl_backend **backend);
    void (*close)(wvl_backend *backend);
    /* tiles: the shapes of one job (the largest that will be submitted). Pure. */
    void (*measure)(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, uint32_t concurrency, wvl_backend_memory *memory);
    /* The only call that allocates: one slot for jobs no larger than these tiles. */
    wvl_status (*prepare)(wvl_backend *backend, const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count);
    /* tiles and image must stay valid until release. AGAIN when no slot is free. */
    wvl_status (*submit)(wvl_backend *backend, const wvl_image *image, const wvl_tile_plan *tiles, uint32_t tile_count, wvl_backend_job **job);
    /* timeout_ms 0 polls (AGAIN), UINT32_MAX waits. WVL_ERROR_INPUT: samples outside the declared depth. */
    wvl_status (*wait)(wvl_backend_job *job, wvl_backend_event event, uint32_t timeout_ms);
    /* coefs[tile_count]: views into the job's memory, valid until release. */
    wvl_status (*collect)(wvl_backend_job *job, wvl_coefs *coefs);
    void (*release)(wvl_backend_job *job);
} wvl_backend_vtable;

extern const wvl_backend_vtable wvl_backend_cpu;

#endif
