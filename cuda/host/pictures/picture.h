/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jobs of whole pictures: transform, blocks and packets in one go, the finished bytes straight to where the caller
 * reads them.
 *
 * What follows from the plan is built and uploaded once: tables of packets for the backend, all others for each
 * workspace. A job uploads what its pixels change, and nothing where they lie as those of the job before did.
 */
#pragma once

#include "cuda/host/waves/job.h"

#define WVL_CUDA_MOST_TILE_COMPONENTS 65536u /* of a picture: their plans stay in memory */

/* Streams for copies that the workspaces of a backend share: no kernel waits for the bus (D-device-09). */
#define WVL_CUDA_COPY_STREAMS 8u
#define WVL_CUDA_MOST_STREAMS WVL_CUDA_SLOW_STREAMS

/* Where things lie. Offsets. */
typedef struct wvl_cuda_picture_layout {
    uint64_t splits, color, unpack, items, tables_end; /* in pinned memory and on the device: what pixels change */
    /* On the device: */
    uint64_t bounds, outside, flags, cleared_end; /* set to 0 before the kernels */
    wvl_cuda_coder_places coder;                  /* of the most scratch memory; `end`: where its own begin */
    uint64_t coefs, planes, converted, work;
    uint64_t finished, finished_end; /* the picture, on its way to pinned memory */
    uint64_t device_end;             /* of a workspace with the most scratch memory, which lies at its end */
    /* In pinned memory: */
    uint64_t target, result, lengths, layers, pinned_end;
    /* In host memory: */
    uint64_t launches, fronts, given, pixels, copies, host_end;
    /* On the device, of the backend: */
    uint64_t packets, packet_parts, places, bytes, packet_order, light, shared_end;
    uint64_t staging_bytes; /* pinned and on the device, for pixels that lie elsewhere */
    uint64_t unpack_bytes;  /* at the beginning of scratch memory, until blocks are coded: packed samples as integers */
    uint64_t block_count;
} wvl_cuda_picture_layout;

/* The part of a backend that is prepared for pictures. One allocation of host memory, which this structure begins. */
typedef struct wvl_cuda_pictures {
    const wvl_plan *plan;
    const wvl_assembly *assembly;
    uint64_t host_bytes, device_bytes;
    wvl_cuda_address device; /* tables that all workspaces share */
    wvl_cuda_picture_layout layout;
    const wvl_cuda_coder *coder;
    wvl_cuda_coder_job blocks; /* without what belongs to a workspace, as the next one */
    wvl_cuda_packets_job job;
    uint32_t tile_count;
    wvl_tile_plan *tiles;   /* [tile_count] */
    uint32_t *packet_order; /* [packets], until it is uploaded */
    uint32_t *block_places; /* [blocks] with rdoq: as in wvl_cuda_coder_view, like the next one; NULL: in order */
    uint8_t *block_kinds;
    wvl_assembly placed;      /* with rdoq: the assembly, with places of blocks in tables */
    wvl_cuda_forecast recent; /* bytes of pictures */
    uint64_t most_bytes;      /* of a picture, under the lock of the workspaces */
    wvl_cuda_stream compute[WVL_CUDA_MOST_STREAMS], copy[WVL_CUDA_MOST_STREAMS]; /* as far as workspaces use them */
    wvl_cuda_stream uploads;                                                     /* of pixels of all workspaces */
    uint32_t workspace_count;
    int is_full; /* memory of the device does not suffice for larger workspaces; under growth, like workspace_count */
    atomic_int awaited; /* a picture waits for a workspace with the most scratch memory */
} wvl_cuda_pictures;

/* The picture of a workspace. */
typedef struct wvl_cuda_picture {
    wvl_cuda_address output;             /* where the picture goes; 0: taken by the last job */
    uint64_t output_bytes, copied_bytes; /* room; what of the job's picture is copied there without being asked */
    wvl_cuda_stream copies;              /* of the backend: where pictures are copied */
    wvl_cuda_event computed, uploaded;
    int has_place;    /* of the device's */
    uint8_t *staging; /* pinned; NULL: no picture needed it yet */
    wvl_cuda_address staging_device;
    wvl_cuda_pixels *given, *pixels; /* [components] that the tables are built for: as they came, as splits read them */
    int is_built;
    wvl_cuda_tables tables;
    wvl_cuda_coder_job blocks;
    wvl_cuda_packets_job job;
    wvl_cuda_exec execs[WVL_CUDA_PACES]; /* all kernels, at each pace; NULL: not built yet */
    unsigned pace;                       /* of the job */
    int has_no_graphs;  /* the driver builds none, or none is wanted: kernels are launched one by one */
    int has_own_values; /* targets and caps of the picture at work are not those of the graph */
    uint64_t scratch_bytes;
} wvl_cuda_picture;

static inline wvl_cuda_coder_view wvl_cuda_picture_view(const wvl_cuda_pictures *p)
{
    return (wvl_cuda_coder_view){p->plan,
                                 p->tiles,
                                 p->tile_count,
                                 p->block_places ? &p->placed : p->assembly,
                                 p->layout.block_count,
                                 p->block_places,
                                 p->block_kinds,
                                 &p->blocks.phases};
}

/* Says whether the picture is copied to where it goes: the copy engine is faster than kernels that write there. */
static inline int wvl_cuda_copies_picture(const wvl_backend *b)
{
    return !b->plan->device.output && !(b->options & WVL_CUDA_DIRECT);
}

static inline wvl_cuda_packets_result *wvl_cuda_picture_result(const wvl_backend_job *job)
{
    return (wvl_cuda_packets_result *)(void *)(job->pinned + job->backend->pictures->layout.result);
}

/* Says whether pictures of such a plan are finished here. *why: why not. Pure. */
int wvl_cuda_can_finish(const wvl_plan *plan, const char **why);
void wvl_cuda_measure_picture(const wvl_plan *plan, const wvl_assembly *assembly, wvl_backend_memory *workspace);
wvl_status wvl_cuda_prepare_picture(wvl_backend *backend, const wvl_plan *plan, const wvl_assembly *assembly,
                                    const wvl_backend_memory *workspace);
wvl_status wvl_cuda_submit_picture(wvl_backend *backend, const wvl_plan *plan, const wvl_image *image, int is_again,
                                   wvl_backend_job **job);
wvl_status wvl_cuda_take_picture(wvl_backend_job *job, wvl_finished *picture, uint32_t *part_bytes,
                                 uint64_t *group_bytes);
void wvl_cuda_drop_picture(wvl_device *device, const wvl_finished *picture);
/* Frees what a workspace has beyond that of a wave, and what all workspaces share. The context is entered, and nothing
 * runs.
 */
void wvl_cuda_free_picture(wvl_backend *backend, wvl_backend_job *job);
void wvl_cuda_free_pictures(wvl_backend *backend);

/* Kernels are launched otherwise, or on other tables. */
void wvl_cuda_drop_graphs(wvl_backend_job *job);

/* The most bytes of a finished picture. */
uint64_t wvl_cuda_bound_output(const wvl_assembly *assembly);

/* Everything that follows from the plan alone (plan.c): offsets, and tables in host memory. NULL: no memory,
 * or no coder for such pictures. */
wvl_cuda_pictures *wvl_cuda_build_pictures(const wvl_allocator *allocator, const wvl_plan *plan,
                                           const wvl_assembly *assembly, int any_shape);
/* To device memory, which is there. The stream has to be waited for. */
wvl_cuda_status wvl_cuda_upload_pictures(wvl_backend *backend, wvl_cuda_stream stream);
wvl_cuda_status wvl_cuda_upload_blocks(wvl_backend_job *job);
/* Queues a picture in its workspace (queue.c). */
wvl_cuda_status wvl_cuda_queue_picture(wvl_backend_job *job, const wvl_image *image);
