/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a picture is cut into jobs: waves of tiles, or strips of rows of tiles where a tile is too large for a job. What
 * is seen of a strip by the coder is its tile, of which some rows of blocks are there.
 */
#pragma once

#include "backend/backend.h"

#define WVL_WAVE_JOBS 2u  /* in flight, of waves */
#define WVL_STRIP_JOBS 3u /* in flight: one goes up, one is coded, one comes down */

typedef struct wvl_job_cut {
    const wvl_plan *plan;
    uint64_t strip_rows; /* of the reference grid; 0: jobs are waves */
    wvl_strip_grid grid;
} wvl_job_cut;

/* Where a job begins. */
typedef struct wvl_job_at {
    uint32_t tile; /* the first; tile_count: there is no job */
    uint64_t row;  /* of strips: the first of the job's own rows, or 0 for the first of its tiles */
} wvl_job_at;

static inline wvl_job_cut wvl_cut_waves(const wvl_plan *plan) { return (wvl_job_cut){.plan = plan}; }
/* Strips of about as many rows as pay, so that WVL_STRIP_JOBS of them take no more than `limit` bytes of a device of
 * the table, if there are such, and at most `most` rows. strip_rows 0: the tiles cannot be cut. *why: why not. */
wvl_job_cut wvl_cut_strips(const wvl_plan *plan, const wvl_backend_vtable *table, uint64_t limit, uint64_t most,
                           const char **why);
/* How far a backend goes with jobs of the cut: wvl_backend_vtable.reach. */
wvl_reach wvl_cut_reach(const wvl_job_cut *cut, const wvl_backend_vtable *table, const wvl_image *image,
                        const char **why);
/* Lower strips. 0: there are none. */
int wvl_cut_lower(wvl_job_cut *cut);

/* Tiles of a job at most. */
uint32_t wvl_cut_tiles(const wvl_job_cut *cut);
/* Builds tiles[wvl_cut_tiles()] of the job at *at, which becomes the next one's. scratch: a carved tile plan. Returns
 * how many tiles there are. */
uint32_t wvl_cut_build(const wvl_job_cut *cut, wvl_job_at *at, wvl_tile_plan *tiles, wvl_tile_plan *scratch);
/* How many jobs fit the limit, of as many as pay; 0: none does. The workspace gets as much as that leaves for it. */
static inline uint32_t wvl_cut_share(wvl_backend_memory *workspace, uint32_t jobs, uint64_t limit)
{
    if (limit && jobs) {
        jobs = (uint32_t)wvl_min_u64(jobs, limit / wvl_max_u64(wvl_backend_least(workspace), 1));
        workspace->device_bytes =
            jobs ? wvl_min_u64(workspace->device_bytes, limit / jobs & ~UINT64_C(255)) : workspace->device_bytes;
    }
    return jobs;
}

/* Measures what a workspace of the table needs for any job, and the number of jobs. 0: no memory to find out. */
uint32_t wvl_cut_measure(const wvl_job_cut *cut, const wvl_backend_vtable *table, wvl_backend_memory *workspace);

/* The kernels of the first job: wvl_backend_vtable.name_kernels. */
void wvl_cut_name_kernels(const wvl_job_cut *cut, const wvl_backend_vtable *table, wvl_kernel_fn tell, void *user);

/* ---- Strips as the coder sees them ----------------------------------------------------------- */

typedef struct wvl_strip_view {
    wvl_tile_plan tile;   /* the whole one; of the bands, workspaces of the strip's rows lie in `samples` of the job */
    wvl_block_rows *rows; /* [band_count] */
    uint32_t *shifts;     /* [band_count]: blocks of the band above the strip's first */
    uint32_t *bounds;     /* [block_count] */
} wvl_strip_view;

typedef struct wvl_strip_views {
    wvl_strip_view *views; /* [tile_cols] */
    wvl_coefs *coefs;      /* [tile_cols] */
    wvl_coefs *parts;      /* [tile_cols]: those of a job, as its backend has them */
    void *memory;
    uint64_t bytes;
} wvl_strip_views;

uint64_t wvl_strip_views_bytes(const wvl_plan *plan);
/* 0: no memory; else views->memory is the caller's to give back. */
int wvl_strip_views_open(const wvl_plan *plan, wvl_strip_views *views);
/* The tiles of which a job has these strips. */
void wvl_strip_views_build(wvl_strip_views *views, const wvl_plan *plan, const wvl_tile_plan *strips, uint32_t count);
/* Its coefficients views->parts, until it is released. */
void wvl_strip_views_take(wvl_strip_views *views, const wvl_tile_plan *strips, uint32_t count);
