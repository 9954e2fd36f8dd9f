/* SPDX-License-Identifier: BSD-2-Clause */
/* Rate control on a device, for the host. Nothing here allocates, waits or locks; calls that can fail return the
 * driver's status. */
#pragma once

#include "cuda/host/driver/route.h"
#include "cuda/rate/rate_job.h"

typedef struct wvl_cuda_rate {
    const wvl_cuda_runtime *runtime;
    wvl_cuda_function bodies, choose, choose_wide, foresee, predict, depth;
    wvl_cuda_function open_sets, list_sets, end_sets, repeat_sets, ends, step, scale; /* HT */
    int has_clusters;
} wvl_cuda_rate;

/* Kernels of a loaded module. */
wvl_cuda_status wvl_cuda_rate_open(wvl_cuda_rate *rate, const wvl_cuda_runtime *runtime, wvl_cuda_module module);

/* Queues what says how many passes of each block are listed, between words and lists (cuda/blocks/t1_launch.h). */
wvl_cuda_status wvl_cuda_rate_foresee(const wvl_cuda_rate *rate, const wvl_cuda_rate_job *job, wvl_cuda_route route);

/* HT: from gains of planes to sets, and what says how many of each block are coded first; then, around the block coder,
 * lists of sets, and their hulls. */
wvl_cuda_status wvl_cuda_rate_open_sets(const wvl_cuda_rate *rate, const wvl_cuda_rate_job *job, wvl_cuda_route route);
wvl_cuda_status wvl_cuda_rate_list_sets(const wvl_cuda_rate *rate, const wvl_cuda_rate_job *job, wvl_cuda_route route);
wvl_cuda_status wvl_cuda_rate_end_sets(const wvl_cuda_rate *rate, const wvl_cuda_rate_job *job, wvl_cuda_route route);
/* HT: a later round as a whole. */
wvl_cuda_status wvl_cuda_rate_repeat_sets(const wvl_cuda_rate *rate, const wvl_cuda_rate_job *job,
                                          wvl_cuda_route route);
/* HT, behind the first coding: whether there is a second one, with coarser steps, and its coefficients. */
wvl_cuda_status wvl_cuda_rate_choose_step(const wvl_cuda_rate *rate, const wvl_cuda_rate_job *job,
                                          wvl_cuda_route route);

/* Queues all kernels on a route, behind the block coder: what blocks send is there after it. With job->t1.foresees it
 * is there after as many rounds as WVL_CUDA_RATE_ROUNDS; kernels of rounds that nothing asks for end at once. */
wvl_cuda_status wvl_cuda_rate_launch(const wvl_cuda_rate *rate, const wvl_cuda_rate_job *job, wvl_cuda_route route);
