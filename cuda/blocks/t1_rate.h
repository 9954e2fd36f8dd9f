/* SPDX-License-Identifier: BSD-2-Clause */
/* What rate control wants of EBCOT blocks on a device, for the host: weighted gains and hull slopes of passes; and
 * rectangles of interest. Nothing here allocates, waits or locks; calls that can fail return the driver's status. */
#ifndef WVL_CUDA_BLOCKS_T1_RATE_H
#define WVL_CUDA_BLOCKS_T1_RATE_H

#include "codec/core/block.h"
#include "cuda/blocks/t1_job.h"
#include "cuda/host/driver/route.h"

typedef struct wvl_cuda_t1_rate {
    const wvl_cuda_runtime *runtime;
    wvl_cuda_function hull, lift, settle;
} wvl_cuda_t1_rate;

/* Kernels of a loaded module. */
wvl_cuda_status wvl_cuda_t1_rate_open(wvl_cuda_t1_rate *rate, const wvl_cuda_runtime *runtime, wvl_cuda_module module);

/* Queues what follows the MQ coder of a job with gains, passes and hull_weights: gains and slopes of hulls stand at
 * `values` afterwards (t1_job.h). */
wvl_cuda_status wvl_cuda_t1_launch_hulls(const wvl_cuda_t1_rate *rate, const wvl_cuda_t1_job *job,
                                         wvl_cuda_route route);

/* With rectangles of interest (job->originals). In front of the coder: blocks as they are coded. */
wvl_cuda_status wvl_cuda_t1_launch_lifts(const wvl_cuda_t1_rate *rate, const wvl_cuda_t1_job *job,
                                         wvl_cuda_route route);
/* Behind the gains: those of copies become those of their blocks. */
wvl_cuda_status wvl_cuda_t1_launch_settled(const wvl_cuda_t1_rate *rate, const wvl_cuda_t1_job *job,
                                           wvl_cuda_route route);

/* The energy of the block and gain_quarters of the passes of *out, which has its passes. gains: those of the block, and
 * quarters: int64_t[pass_count] at its `values`, downloaded. */
void wvl_cuda_t1_describe_gains(const wvl_cuda_t1_gains *gains, const int64_t *quarters, wvl_block_output *out);

#endif
