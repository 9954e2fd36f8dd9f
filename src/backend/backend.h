/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A backend turns pixels into coefficients, and as far as it reaches into coded blocks and packets (wvl_reach). The
 * conductor drives it through this table only, and knows no backend by name.
 *
 * A job is a run of consecutive tiles whose plans the conductor has built; it may later be a band of precinct rows of
 * one tile. Order of calls: open -> prepare for every workspace -> { submit -> wait -> code* -> collect -> release }*
 * -> close. submit queues; it waits for nothing but the image's ready_event and pixels on their way up. wait(DONE) may
 * be called from any thread. trim may come when the last job is done. Pixels are borrowed until INPUT_FREE.
 *
 * collect is legal at any time between wait(DONE) and release, whatever the job reaches and whichever code() failed: it
 * is the way down to COEFS. Coefficients belong to the backend from collect to release, a batch of blocks from code to
 * the job's next call.
 *
 * One backend stands for one device. A plan names a set of devices (plan->device.ordinals); the conductor opens a
 * backend for each that it uses.
 */
#pragma once

#include "base/look.h"
#include "base/pool.h"
#include "base/trace.h"
#include "geom/handover.h"
#include "geom/handover_assembly.h"

typedef struct wvl_backend wvl_backend;
typedef struct wvl_device wvl_device; /* what the jobs on one device share: opened once a context */
typedef struct wvl_backend_job wvl_backend_job;

typedef enum wvl_backend_event { WVL_EVENT_INPUT_FREE = 0, WVL_EVENT_DONE = 1 } wvl_backend_event;

typedef struct wvl_backend_options {
    const wvl_allocator *host; /* NULL: the library's */
    wvl_pool *pool;
    wvl_device *device;     /* of open_device; NULL where the table has none */
    const wvl_trace *trace; /* may be NULL; must outlive the backend */
    const wvl_look *look;   /* the same. Once it is over, jobs may end early: their coefficients do not count */
} wvl_backend_options;

typedef struct wvl_device_options {
    const wvl_allocator *host, *pinned, *device;
    uint32_t ordinal;
    char *reason; /* why it could not be opened, in words */
    size_t reason_bytes;
    /* Called when memory of the device runs short, by any thread. Returns whether something was freed. NULL: nobody has
     * any to spare. */
    int (*spare)(void *user);
    void *user;
} wvl_device_options;

/* A finished picture: boxes and codestream side by side. */
typedef struct wvl_finished {
    const uint8_t *data; /* memory of the backend's device: page-locked, or the device's own (plan->device.output) */
    uint64_t room;       /* bytes there */
    uint64_t bytes;      /* of the picture */
    uint64_t codestream_offset; /* bytes before SOC */
    /* With plan->rate.rate_control, in gain units and without visual weights: squares of all coefficients, and what the
     * bytes take off them. Sums of doubles in an order of the device's own. */
    double energy, gain;
    uint32_t threshold;               /* slope; 0 without rate control */
    uint8_t is_everything;            /* every pass of every block is sent; 0 without rate control */
    const wvl_assembly_layer *layers; /* [layer_count] of several layers, until release: the last one's bytes and gain
                                         are those above; NULL: there is one */
    uint8_t on_device;                /* data is memory of the device itself */
    uint8_t has_reader;               /* for drop_picture: what `reader` holds then may read the picture */
    void *reader;                     /* a stream of the caller; NULL: the default one */
    wvl_device *device;               /* who made it, for drop_picture; set by who took it */
} wvl_finished;

typedef void (*wvl_kernel_fn)(void *user, const char *name);

typedef struct wvl_backend_vtable {
    const char *name; /* as results and traces call it; ":N" follows where there are devices */
    uint32_t jobs;    /* of one picture in flight at once that pay: 1 where wait does the work */
    /* How far jobs of this plan go with pixels where the image has them, and no farther than `most`: BLOCKS for jobs of
     * waves, PACKETS for any. image NULL: wherever a backend of this kind can have them. *why: why no farther, in
     * words; NULL with `most`. Pure. */
    wvl_reach (*reach)(const wvl_plan *plan, const wvl_image *image, wvl_reach most, const char **why);
    /* Devices, absent where jobs run on the host. describe: WVL_END beyond the last one. A device that failed in a way
     * that lasts is lost. */
    wvl_status (*describe_device)(uint32_t ordinal, wvl_device_info *info);
    wvl_status (*open_device)(const wvl_device_options *options, wvl_device **device);
    void (*close_device)(wvl_device *device);
    int (*is_lost)(const wvl_device *device);
    /* Page-locks memory of the caller for all devices, and ends that. Any thread. */
    wvl_status (*pin)(wvl_device *device, void *memory, uint64_t bytes);
    void (*unpin)(wvl_device *device, void *memory);
    wvl_status (*open)(const wvl_backend_options *options, wvl_backend **backend);
    void (*close)(wvl_backend *backend);
    /* Measures what a workspace needs for jobs of these shapes. Pure. */
    void (*measure)(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, uint32_t concurrency,
                    wvl_backend_memory *memory);
    /* The only call that allocates: one workspace more, of the measured size. Another plan than before drops all
     * workspaces. */
    wvl_status (*prepare)(wvl_backend *backend, const wvl_plan *plan, const wvl_backend_memory *workspace);
    /* tiles and image must stay valid until release. AGAIN when no workspace is free. */
    wvl_status (*submit)(wvl_backend *backend, const wvl_image *image, const wvl_tile_plan *tiles, uint32_t tile_count,
                         wvl_backend_job **job);
    /* timeout_ms 0 polls (AGAIN), UINT32_MAX waits. WVL_ERROR_INPUT: samples outside the declared depth. */
    wvl_status (*wait)(wvl_backend_job *job, wvl_backend_event event, uint32_t timeout_ms);
    /* coefs[tile_count]: views into the job's memory, valid until release. */
    wvl_status (*collect)(wvl_backend_job *job, wvl_coefs *coefs);
    /* With reach BLOCKS; NULL: reach is COEFS. Codes blocks of a job that is done. Pure in job and order: it may be
     * called many times, and after an error another source may answer the same order. Tests compare the batch, record
     * by record, with what codec/blocks/source_pool.h gives; a device in software (tests/device/soft.h) may answer with
     * that. weigh: with plan->rate.rdoq, the weights of the runs at order->slopes. */
    wvl_status (*code)(wvl_backend_job *job, const wvl_block_order *order, wvl_block_batch *batch);
    wvl_status (*weigh)(wvl_backend_job *job, const wvl_block_order *order, uint32_t *run_weights,
                        uint32_t *block_weights);
    /*
     * With reach PACKETS; else NULL. Jobs of whole pictures: the device makes all of their bytes. A backend has
     * workspaces for such jobs or for jobs of waves, never both; several threads may submit and wait at the same time.
     *
     * measure_picture: what a workspace needs. Pure. prepare_picture: as prepare; assembly must stay until the backend
     * is closed or prepared for another plan. Workspaces behind the first one may have less memory, which few pictures
     * find too small. submit_picture: as submit, with all tiles; plan is that which was prepared, or one with other
     * values of targets and caps, and no more bytes. is_again: the picture goes to a workspace with all memory; AGAIN
     * when none is free. wait and release are the same. take_picture: of a job that is done. AGAIN: its memory was too
     * small; release it, and submit the picture again. part_bytes [parts] gets Psot of every tile-part, group_bytes
     * [components][resolutions][layers] the packet bytes, headers included. The picture belongs to the caller until
     * drop_picture, which may come from any thread, before or after the backend is closed. WVL_ERROR_UNSUPPORTED: the
     * device could not finish this one; jobs of waves can.
     */
    void (*measure_picture)(const wvl_plan *plan, const wvl_assembly *assembly, wvl_backend_memory *workspace);
    wvl_status (*prepare_picture)(wvl_backend *backend, const wvl_plan *plan, const wvl_assembly *assembly,
                                  const wvl_backend_memory *workspace);
    wvl_status (*submit_picture)(wvl_backend *backend, const wvl_plan *plan, const wvl_image *image, int is_again,
                                 wvl_backend_job **job);
    wvl_status (*take_picture)(wvl_backend_job *job, wvl_finished *picture, uint32_t *part_bytes,
                               uint64_t *group_bytes);
    void (*drop_picture)(wvl_device *device, const wvl_finished *picture);
    void (*release)(wvl_backend_job *job);
    /* Gives back what only transforms take: coefficients of jobs that are done stay, but the backend takes no more
     * jobs. NULL: there is nothing. */
    void (*trim)(wvl_backend *backend);
    /* The kernels that a job launches, one by one in their order: of a picture that the device finishes, or with
     * assembly NULL of jobs of these tiles. Pixels have containers of 8 or 16 bits; three components that are alike
     * are interleaved. NULL: no kernel has a name. Pure; needs no device. */
    wvl_status (*name_kernels)(const wvl_plan *plan, const wvl_assembly *assembly, const wvl_tile_plan *tiles,
                               uint32_t tile_count, wvl_kernel_fn tell, void *user);
} wvl_backend_vtable;

/* Says whether jobs run on devices, which must be opened first and may be lost. */
static inline int wvl_backend_has_devices(const wvl_backend_vtable *table) { return table->open_device != NULL; }

/* What of tiles decides how much memory the CPU takes for them: greatest sizes, and sums. A plan adds it up without a
 * tile plan for every tile. */
typedef struct wvl_cpu_shape {
    uint32_t units, strands_max, width_max, height_max, low_max;
    uint64_t strips;         /* no level has more of them at work */
    uint32_t sets;           /* of lines: one a worker, or one a strip where there are fewer */
    unsigned widest_kind;    /* the line kind with the largest samples */
    uint64_t plane_bytes[2]; /* largest of one component */
    uint64_t planes_bytes;   /* of all components, each plane rounded up */
    uint64_t coef_bytes, block_count;
    int deep; /* whole units are tasks; else strips of them are */
} wvl_cpu_shape;

/* tile->components[component], which stands for `times` components. */
void wvl_cpu_add_component(wvl_cpu_shape *shape, const wvl_tile_plan *tile, uint32_t component, uint64_t times);
/* When the components of a tile were added. strands: of its first unit. */
void wvl_cpu_add_tile(wvl_cpu_shape *shape, uint32_t component_count, uint32_t strands, uint64_t coef_bytes,
                      uint64_t block_count);
void wvl_cpu_join_shapes(wvl_cpu_shape *shape, const wvl_cpu_shape *other);
/* Measures what a workspace for tiles of this shape needs. */
void wvl_cpu_measure_shape(const wvl_plan *plan, const wvl_cpu_shape *shape, uint32_t tile_count, uint32_t concurrency,
                           wvl_backend_memory *memory);

/* Measures and prepares. */
static inline wvl_status wvl_backend_prepare_tiles(const wvl_backend_vtable *table, wvl_backend *backend,
                                                   wvl_pool *pool, const wvl_plan *plan, const wvl_tile_plan *tiles,
                                                   uint32_t tile_count)
{
    wvl_backend_memory workspace;
    table->measure(plan, tiles, tile_count, wvl_pool_concurrency(pool), &workspace);
    return table->prepare(backend, plan, &workspace);
}
