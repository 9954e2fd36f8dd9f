/* SPDX-License-Identifier: BSD-2-Clause */
/* The EBCOT block coder on a device, for the host: context modelling, the MQ coder, and what rate control and regions
 * of interest want of it. Nothing here allocates, waits or locks; calls that can fail return the driver's status. */
#pragma once

#include "codec/core/block.h"
#include "cuda/blocks/t1_job.h"
#include "cuda/host/driver/route.h"
#include "geom/plan.h"

/* Styles of which one block is enough for is_styled: segments or contexts begin anew on the way, or the ends of passes
 * depend on each other. */
#define WVL_CUDA_T1_STYLED (WVL_STYLE_BYPASS | WVL_STYLE_RESET | WVL_STYLE_TERMALL | WVL_STYLE_PTERM)

typedef struct wvl_cuda_t1 {
    const wvl_cuda_runtime *runtime;
    wvl_cuda_function open, planes[WVL_CUDA_T1_CLASSES], spread[WVL_CUDA_T1_CLASSES], list[WVL_CUDA_T1_CLASSES],
        gains[WVL_CUDA_T1_CLASSES];
    wvl_cuda_function planes_wide[WVL_CUDA_T1_ANY], gains_wide[WVL_CUDA_T1_ANY]; /* of 32-bit samples; one for any block
                                                                                  */
    wvl_cuda_function sort, mq[WVL_CUDA_T1_MQ_KERNELS], mq_styled, ends, weigh, gather, hull, lift, settle;
} wvl_cuda_t1;

/* Kernels of a loaded module. */
wvl_cuda_status wvl_cuda_t1_open(wvl_cuda_t1 *t1, const wvl_cuda_runtime *runtime, wvl_cuda_module module);

/* ---- Lists and sizes (t1_lists.c) ---- */

/* Fills lists[count] (NULL: not wanted), classes, items, is_styled and block_count of the job. Pure. */
void wvl_cuda_t1_sort(const wvl_cuda_t1_block *blocks, uint32_t count, uint32_t *lists, wvl_cuda_t1_job *job);
/* The same of some blocks of a table. ids: [count]. */
void wvl_cuda_t1_sort_some(const wvl_cuda_t1_block *blocks, const uint32_t *ids, uint32_t count, uint32_t *lists,
                           wvl_cuda_t1_job *job);

/* Bytes of scratch memory with which no block is left. Less does: what a block takes follows from its samples. */
uint64_t wvl_cuda_t1_measure_scratch(const wvl_cuda_t1_block *block);

/* Bytes of it that a block asks for more if job.gains is not 0. */
uint64_t wvl_cuda_t1_measure_values(const wvl_cuda_t1_block *block);

/* Bytes of it up to the gains of passes, with job.gains and job.foresees: blocks are not listed, nor coded. */
uint64_t wvl_cuda_t1_measure_words(const wvl_cuda_t1_block *block);

/* Pairs of block and plane: the size of job.items. */
uint32_t wvl_cuda_t1_count_items(const wvl_cuda_t1_job *job);

/* ---- Launches, in their order ---- */

/* With rectangles of interest (job->originals): blocks as they are coded. */
wvl_cuda_status wvl_cuda_t1_launch_lifts(const wvl_cuda_t1 *t1, const wvl_cuda_t1_job *job, wvl_cuda_route route);
/* Context modelling in two halves: planes and members of passes, and energies with gains of passes if job->gains is not
 * 0; then lists of symbols. Between them the passes of states may be made fewer. The second half alone lists blocks of
 * a later round. */
wvl_cuda_status wvl_cuda_t1_launch_words(const wvl_cuda_t1 *t1, const wvl_cuda_t1_job *job, wvl_cuda_route route);
wvl_cuda_status wvl_cuda_t1_launch_lists(const wvl_cuda_t1 *t1, const wvl_cuda_t1_job *job, wvl_cuda_route route);
/* Both halves. */
wvl_cuda_status wvl_cuda_t1_launch_model(const wvl_cuda_t1 *t1, const wvl_cuda_t1_job *job, wvl_cuda_route route);
/* Behind the gains, with rectangles of interest: those of copies become those of their blocks. */
wvl_cuda_status wvl_cuda_t1_launch_settled(const wvl_cuda_t1 *t1, const wvl_cuda_t1_job *job, wvl_cuda_route route);
/*
 * Queues what follows context modelling: the order of blocks, their bytes and records, and with job->passes the records
 * of passes. It reads blocks, states, ends and lists; it writes order, records, codewords, passes,
 * counters[WVL_CUDA_T1_ORDERED], and the ends of segments; with job->block_errors the errors of
 * blocks. block_count: at most 2^22.
 */
wvl_cuda_status wvl_cuda_t1_launch_mq(const wvl_cuda_t1 *t1, const wvl_cuda_t1_job *job, wvl_cuda_route route);

/* Threads of the MQ coder with the lanes that the job asks for. */
uint32_t wvl_cuda_t1_count_mq_threads(const wvl_cuda_t1_job *job);

/* Queues what follows the MQ coder of a job with gains, passes and hull_weights: gains and slopes of hulls stand at
 * `values` afterwards (t1_job.h). */
wvl_cuda_status wvl_cuda_t1_launch_hulls(const wvl_cuda_t1 *t1, const wvl_cuda_t1_job *job, wvl_cuda_route route);
/* Queues what puts coded blocks together for the host: coded and output of the job (t1_job.h), behind the MQ coder, and
 * behind the hulls where there are gains. It reads blocks, records, ends, passes, gains and codewords. */
wvl_cuda_status wvl_cuda_t1_launch_gather(const wvl_cuda_t1 *t1, const wvl_cuda_t1_job *job, wvl_cuda_route route);

/* ---- Results (t1_lists.c) ---- */

/*
 * Length, planes and passes of a block as the CPU's coder gives them without gains. Bytes are not touched. The block
 * was not left. out->passes: room for WVL_CUDA_T1_MOST_PASSES. ends, passes: those of the block, downloaded.
 *
 * passes NULL: where a segment ends, the record is right in all but the tail. A pass inside a segment then has the
 * lengths of the end of its segment: right for a block that is not cut.
 */
void wvl_cuda_t1_describe(const wvl_cuda_t1_block *block, const wvl_cuda_t1_record *record, const uint32_t *ends,
                          const wvl_cuda_t1_pass *passes, wvl_block_output *out);

/* The energy of the block and gain_quarters of the passes of *out, which has its passes. gains: those of the block, and
 * quarters: int64_t[pass_count] at its `values`, downloaded. */
void wvl_cuda_t1_describe_gains(const wvl_cuda_t1_gains *gains, const int64_t *quarters, wvl_block_output *out);
