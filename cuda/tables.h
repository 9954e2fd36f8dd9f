/* SPDX-License-Identifier: BSD-2-Clause */
/* From tile plans to the tables that the kernels read. Pure: the same function counts (tables NULL) and fills. */
#ifndef WVL_CUDA_TABLES_H
#define WVL_CUDA_TABLES_H

#include "cuda/job.h"

/* One launch. */
typedef struct wvl_cuda_round {
    uint32_t kernel;         /* WVL_CUDA_ANY53, ... of launch.h */
    uint32_t first_item, item_count;
    uint32_t first_job;
    uint32_t asked;          /* items of later launches wait for some of its own, not for all of it */
    uint32_t only;           /* 1 more than the number of the job, if it is the same for all items */
} wvl_cuda_round;

/* Device addresses of what the jobs read and write. */
typedef struct wvl_cuda_memory {
    uint64_t coefs;          /* of all tiles, one after the other */
    uint64_t bounds;
    uint64_t outside;        /* one word */
    uint64_t planes;         /* plane_bytes, aligned to 256 */
    uint64_t flags;          /* flag_count words, 0 when the first launch begins */
    const wvl_cuda_pixels *pixels; /* [component_count] */
} wvl_cuda_memory;

typedef struct wvl_cuda_tables {
    wvl_cuda_job *jobs;
    wvl_cuda_item *items;
    wvl_cuda_round *rounds;
    uint32_t *fronts;        /* [components of all tiles]: the fused job that wrote the last plane */
    uint64_t job_count, item_count, round_count, flag_count;
    uint64_t plane_bytes, coef_bytes, block_count;
} wvl_cuda_tables;

/* Options: every level with the any-shape kernels; how many such jobs will be launched together (0 and 1: this one alone). */
enum { WVL_CUDA_PLAIN_PATH = 1 };
#define WVL_CUDA_BATCH(n) ((unsigned)(n) << 8)

/* memory NULL: upper bounds of the counts, whatever the pixels look like, and whatever the batch if options have none. Otherwise the arrays must hold as much. */
void wvl_cuda_build_tables(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, unsigned options,
                           const wvl_cuda_memory *memory, wvl_cuda_tables *tables);

/* Of one launch, of so many components: jobs alike share strips, if the kernel's go on from one to the next, and long segments come first, if they are of
 * two lengths. Returns the number of items that are left. */
uint64_t wvl_cuda_finish_items(uint32_t kernel, uint64_t components, wvl_cuda_job *jobs, wvl_cuda_item *items, uint64_t count);

#endif
