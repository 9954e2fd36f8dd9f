/* SPDX-License-Identifier: BSD-2-Clause */
/* From tile plans to the tables that the inverse kernels read. Pure: the same function counts (jobs NULL) and fills. */
#ifndef WVL_CUDA_INVERSE_TABLES_H
#define WVL_CUDA_INVERSE_TABLES_H

#include "cuda/inverse_job.h"

/* Device addresses of what the jobs read and write. Pixels are whole bytes: no packed containers. While counting, addresses stand for their
 * remainders modulo 256. */
typedef struct wvl_cuda_inverse_memory {
    uint64_t coefs;          /* of all tiles, one after the other */
    uint64_t planes;         /* plane_bytes, aligned to 256 */
    const wvl_cuda_pixels *pixels; /* [component_count] */
} wvl_cuda_inverse_memory;

/* One launch. */
typedef struct wvl_cuda_inverse_round {
    uint32_t kernel;         /* WVL_CUDA_BACK_* of inverse_launch.h */
    uint32_t first_item, item_count;
} wvl_cuda_inverse_round;

typedef struct wvl_cuda_inverse_tables {
    wvl_cuda_inverse_job *jobs;
    wvl_cuda_item *items;
    wvl_cuda_inverse_round *rounds; /* in order; each needs the ones before */
    uint64_t job_count, item_count, round_count;
    uint64_t plane_bytes, coef_bytes;
} wvl_cuda_inverse_tables;

/* Options: every level with the any-shape kernels; how many such pictures will be launched together (0 and 1: this one alone); how many
 * multiprocessors there are to fill (0: those of the machine tuned for). */
enum { WVL_CUDA_INVERSE_PLAIN_PATH = 1 };
#define WVL_CUDA_INVERSE_BATCH(n) ((unsigned)(n) << 16)
#define WVL_CUDA_INVERSE_MULTIPROCESSORS(n) ((unsigned)(n) << 4)

/* Items of one launch of several pictures, if they differ in length: the longest first. */
void wvl_cuda_inverse_order_items(const wvl_cuda_inverse_job *jobs, wvl_cuda_item *items, uint64_t count);

void wvl_cuda_inverse_build_tables(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, unsigned options,
                                   const wvl_cuda_inverse_memory *memory, wvl_cuda_inverse_tables *tables);

#endif
