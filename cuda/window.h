/* SPDX-License-Identifier: BSD-2-Clause */
/* What an item of a later launch waits for: the flags of the items in front that write what it reads (block/order.cuh). */
#ifndef WVL_CUDA_WINDOW_H
#define WVL_CUDA_WINDOW_H

#include "cuda/job.h"

/* Flags of a fused job: one for every strip of every segment. */
uint64_t wvl_cuda_count_flags(const wvl_cuda_job *job);

/* Sets what the item waits for. front: the fused job that writes the plane of `job`, the one that the item belongs to, or the first of its chain. NULL: the
 * item waits for the launch. */
void wvl_cuda_open_march_window(const wvl_cuda_job *front, const wvl_cuda_job *job, wvl_cuda_item *item);
void wvl_cuda_open_cascade_window(const wvl_cuda_job *front, const wvl_cuda_job *job, wvl_cuda_item *item);
void wvl_cuda_open_last_window(const wvl_cuda_job *front, const wvl_cuda_job *job, wvl_cuda_item *item);
void wvl_cuda_open_tile_window(const wvl_cuda_job *front, const wvl_cuda_job *job, wvl_cuda_item *item);

#endif
