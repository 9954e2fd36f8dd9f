/* SPDX-License-Identifier: BSD-2-Clause */
/* Optimised quantisation and its survey on a device, for the host. Nothing here allocates, waits or locks; calls that
 * can fail return the driver's status. cuda/host/coders/rdoq_blocks.h queues a picture with them. */
#pragma once

#include "cuda/host/driver/route.h"
#include "cuda/rdoq/rdoq_job.h"

typedef struct wvl_cuda_rdoq {
    const wvl_cuda_runtime *runtime;
    wvl_cuda_function weigh, settle, put, judge, take;
    wvl_cuda_function change[WVL_CUDA_RDOQ_WIDTHS]; /* of blocks by their width */
} wvl_cuda_rdoq;

/* The blocks of a picture by phases. They follow from the plan alone. */
typedef struct wvl_cuda_rdoq_phases {
    uint32_t ends[WVL_SURVEY_ALL_PHASES]; /* blocks in the lists up to the end of each phase */
    uint64_t range_count;
    double samples[WVL_DEPTH_PARTS]; /* as in the job */
    uint32_t reach;                  /* wvl_rate_reach() */
    int are_surveyed;                /* wvl_survey_is_possible(); else blocks are coded as they are, then maybe again */
} wvl_cuda_rdoq_phases;

/* Kernels of a loaded module. */
wvl_cuda_status wvl_cuda_rdoq_open(wvl_cuda_rdoq *rdoq, const wvl_cuda_runtime *runtime, wvl_cuda_module module);

/* Jobs without what belongs to a launch become those of the blocks of a phase, or of all blocks. */
wvl_cuda_rdoq_job wvl_cuda_rdoq_choose_phase(const wvl_cuda_rdoq_job *job, const wvl_cuda_rdoq_phases *phases,
                                             unsigned phase);
wvl_cuda_rdoq_job wvl_cuda_rdoq_choose_all(const wvl_cuda_rdoq_job *job, const wvl_cuda_rdoq_phases *phases);

/* Weights of all blocks at a first slope, which they give. Not with job->known. */
wvl_cuda_status wvl_cuda_rdoq_launch_weights(const wvl_cuda_rdoq *rdoq, const wvl_cuda_rdoq_job *job,
                                             const wvl_cuda_rdoq_phases *phases, wvl_cuda_route route);

/* The blocks of a job: */

/* They change for the slopes known now; the block coder's table has them. */
wvl_cuda_status wvl_cuda_rdoq_launch_changes(const wvl_cuda_rdoq *rdoq, const wvl_cuda_rdoq_job *job,
                                             wvl_cuda_route route);
/* Behind their gains, and in front of their hulls: energies become those of the unchanged blocks. */
wvl_cuda_status wvl_cuda_rdoq_launch_energies(const wvl_cuda_rdoq *rdoq, const wvl_cuda_rdoq_job *job,
                                              wvl_cuda_route route);
/* Behind their hulls, in a phase of the survey: slopes of the blocks to come. */
wvl_cuda_status wvl_cuda_rdoq_launch_slopes(const wvl_cuda_rdoq *rdoq, const wvl_cuda_rdoq_job *job,
                                            wvl_cuda_route route);
/* Behind their hulls, where they were coded again: what they are now takes the place of what they were. */
wvl_cuda_status wvl_cuda_rdoq_launch_take(const wvl_cuda_rdoq *rdoq, const wvl_cuda_rdoq_job *job,
                                          wvl_cuda_route route);
/* Behind rate control, of all blocks: whether they are to be coded again (WVL_CUDA_RDOQ_REQUANTISED). */
wvl_cuda_status wvl_cuda_rdoq_launch_judge(const wvl_cuda_rdoq *rdoq, const wvl_cuda_rdoq_job *job,
                                           wvl_cuda_route route);
