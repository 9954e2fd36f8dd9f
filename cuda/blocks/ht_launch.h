/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The HT block coder on a device, for the host. Nothing here allocates, waits or locks; calls that can fail return
 * the driver's status. cuda/blocks/README.md shows a frame's calls in order.
 */
#pragma once

#include "codec/core/block.h"
#include "cuda/blocks/ht_job.h"
#include "cuda/host/driver/route.h"

/* How a kernel is launched: most warps of a thread block, their shared memory, and thread blocks that the device
 * holds at once. */
typedef struct wvl_cuda_ht_shape {
    wvl_cuda_function function;
    uint32_t warps, table_bytes, warp_bytes, resident;
} wvl_cuda_ht_shape;

typedef struct wvl_cuda_ht {
    const wvl_cuda_runtime *runtime;
    uint32_t multiprocessors;
    wvl_cuda_ht_shape cleanup[WVL_CUDA_HT_CLASSES], refine;
    wvl_cuda_function finish, place, gather, sum, weigh;
} wvl_cuda_ht;

/*
 * Kernels of a loaded module, shaped for the device. shared_limit: bytes of shared memory that a thread block may
 * take, at least 48 KiB; 0: what the device allows. Bytes of blocks do not depend on it.
 */
wvl_cuda_status wvl_cuda_ht_open(wvl_cuda_ht *ht, const wvl_cuda_runtime *runtime, wvl_cuda_module module, int device,
                                 uint32_t shared_limit);

/* Fills order[count] and the classes of the job, `refines` and block_count. Pure. */
void wvl_cuda_ht_sort(const wvl_cuda_ht_block *blocks, uint32_t count, uint32_t *order, wvl_cuda_ht_job *job);

/* Bytes of device memory. With most_scratch and most_output no block is left. Less may do: what scratch a launch
 * takes follows from its samples. */
typedef struct wvl_cuda_ht_memory {
    uint64_t blocks, order, groups, records, sums, parts, totals, places, counters;
    uint64_t most_scratch, most_output;
} wvl_cuda_ht_memory;
wvl_cuda_ht_memory wvl_cuda_ht_measure(const wvl_cuda_ht_block *blocks, uint32_t count, uint32_t group_count);

/* Queues all kernels on a stream. The tables and samples must be there when the stream comes to them. */
wvl_cuda_status wvl_cuda_ht_launch(const wvl_cuda_ht *ht, const wvl_cuda_ht_job *job, wvl_cuda_route route);

/* Queues the block coder alone, for blocks that the device lists (job->lists). The caller sets counters to 0. `about`:
 * how many are expected, which shapes the launches; class_count: the most of each class. */
wvl_cuda_status wvl_cuda_ht_launch_listed(const wvl_cuda_ht *ht, const wvl_cuda_ht_job *job, uint32_t about,
                                          wvl_cuda_route route);

/* Blocks of a finished launch that are left: copies them to left[] (room for count), their numbers to index[].
 * Returns how many. */
uint32_t wvl_cuda_ht_collect_left(const wvl_cuda_ht_block *blocks, const wvl_cuda_ht_record *records, uint32_t count,
                                  wvl_cuda_ht_block *left, uint32_t *index);

#define WVL_CUDA_HT_MOST_PASSES 3u
/* Length, planes and passes of a block as the CPU's coder gives them without gains. Bytes are not touched. out->passes:
 * room for WVL_CUDA_HT_MOST_PASSES. */
void wvl_cuda_ht_describe(const wvl_cuda_ht_block *block, const wvl_cuda_ht_record *record, wvl_block_output *out);
/* The energy of a block that was described, and the gain of its cleanup pass, as the CPU's coder gives them. */
void wvl_cuda_ht_weigh(const wvl_cuda_ht_block *block, const wvl_cuda_ht_sums *sums, wvl_block_output *out);
