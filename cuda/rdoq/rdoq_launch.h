/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Optimised quantisation and its survey on a device, for the host. Nothing here allocates, waits or locks; calls that
 * can fail return the driver's status.
 *
 * A picture queues, in one stream: the weights; then for each phase the changes of its blocks, the block coder up to
 * the gains, the energies, the MQ coder, the hulls, and with one of the first WVL_SURVEY_PHASES phases what they show.
 * job: without what belongs to one launch.
 */
#ifndef WVL_CUDA_RDOQ_LAUNCH_H
#define WVL_CUDA_RDOQ_LAUNCH_H

#include "cuda/host/runtime_table.h"
#include "cuda/rdoq/rdoq_job.h"

typedef struct wvl_cuda_rdoq {
    const wvl_cuda_runtime *runtime;
    wvl_cuda_function weigh, guess, change, settle, put, choose;
} wvl_cuda_rdoq;

/* The blocks of a picture by phases. They follow from the plan alone. */
typedef struct wvl_cuda_rdoq_phases {
    uint32_t ends[WVL_SURVEY_ALL_PHASES]; /* blocks in the lists up to the end of each phase */
    uint64_t run_count;
    double samples[WVL_DEPTH_PARTS]; /* as in the job */
    uint32_t reach;                  /* wvl_rate_reach() */
} wvl_cuda_rdoq_phases;

/* Kernels of a loaded module. */
wvl_cuda_status wvl_cuda_rdoq_open(wvl_cuda_rdoq *rdoq, const wvl_cuda_runtime *runtime, wvl_cuda_module module);

/* Weights of all blocks at a first slope, which they give. Not with job->known. */
wvl_cuda_status wvl_cuda_rdoq_launch_weights(const wvl_cuda_rdoq *rdoq, const wvl_cuda_rdoq_job *job,
                                             const wvl_cuda_rdoq_phases *phases, wvl_cuda_stream stream);
/* Changes the blocks of a phase for the slopes known then: t1.blocks has them. */
wvl_cuda_status wvl_cuda_rdoq_launch_changes(const wvl_cuda_rdoq *rdoq, const wvl_cuda_rdoq_job *job,
                                             const wvl_cuda_rdoq_phases *phases, unsigned phase,
                                             wvl_cuda_stream stream);
/* Behind the gains of a phase, and in front of its hulls: energies become those of the unchanged blocks. */
wvl_cuda_status wvl_cuda_rdoq_launch_energies(const wvl_cuda_rdoq *rdoq, const wvl_cuda_rdoq_job *job,
                                              const wvl_cuda_rdoq_phases *phases, unsigned phase,
                                              wvl_cuda_stream stream);
/* Behind the hulls of a phase of the survey: slopes of the blocks to come. */
wvl_cuda_status wvl_cuda_rdoq_launch_slopes(const wvl_cuda_rdoq *rdoq, const wvl_cuda_rdoq_job *job,
                                            const wvl_cuda_rdoq_phases *phases, unsigned phase, wvl_cuda_stream stream);

#endif
