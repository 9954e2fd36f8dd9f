/* SPDX-License-Identifier: BSD-2-Clause */
/* A job of the CPU backend, for its own files alone: units of work, planes between levels, memory. */
#ifndef WVL_BACKEND_CPU_JOB_H
#define WVL_BACKEND_CPU_JOB_H

#include <pthread.h>
#include <stdatomic.h>

#include "backend/backend_cpu.h"
#include "backend/cpu_strands.h"
#include "backend/workspaces.h"
#include "dwt/strip.h"
#include "front/front.h"

/* Low-low planes of one component: level l writes plane (l - 1) & 1. */
typedef struct wvl_cpu_planes {
    uint8_t *rows[2];
} wvl_cpu_planes;

typedef struct wvl_cpu_worker {
    wvl_cpu_lines lines;
    wvl_cpu_planes planes[WVL_STRANDS_MAX]; /* deep */
} wvl_cpu_worker;

struct wvl_backend_job {
    wvl_workspace workspace; /* first */
    wvl_backend *backend;
    uint64_t capacity; /* bytes of the arena, which this structure begins */
    uint8_t *work;     /* lines and planes, which nobody needs when the job is done; NULL: given back */
    uint64_t work_capacity;
    pthread_mutex_t lock; /* held while the job runs */
    int done;             /* under this lock */
    const wvl_image *image;
    const wvl_tile_plan *tiles;
    uint32_t tile_count, unit_count;
    uint32_t level; /* wide: the level at work */
    wvl_cpu_shape shape;
    wvl_cpu_unit *units;
    wvl_cpu_planes *planes; /* wide: [tile_count][component_count] */
    uint64_t *first_task;   /* wide: of each unit or strand at the level, and the total */
    wvl_cpu_worker *workers;
    wvl_coefs *coefs;    /* [tile_count] */
    atomic_uint outside; /* nonzero: samples outside their depth */
};

struct wvl_backend {
    wvl_allocator allocator;
    wvl_pool *pool;
    const wvl_look *look;
    const wvl_dwt_kernels *dwt;
    const wvl_front_kernels *front;
    const wvl_plan *plan; /* of all workspaces */
    wvl_workspaces workspaces;
};

/* Bytes of a workspace for tiles of these shapes: `wvl_backend.measure`. */
void wvl_cpu_measure_job(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, uint32_t concurrency,
                         wvl_backend_memory *memory);
/* Lays a job for these tiles out in the workspace's memory, every other member as it was. WVL_ERROR_ARGUMENT: the
 * workspace was prepared for less. */
wvl_status wvl_cpu_lay_out_job(wvl_backend_job *job, const wvl_tile_plan *tiles, uint32_t tile_count,
                               uint32_t concurrency);

#endif
