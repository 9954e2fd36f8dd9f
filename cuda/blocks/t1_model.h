/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Context modelling of EBCOT blocks on a device, for the host: samples in, lists of symbols out (t1_job.h). Nothing
 * here allocates, waits or locks; calls that can fail return the driver's status.
 */
#ifndef WVL_CUDA_BLOCKS_T1_MODEL_H
#define WVL_CUDA_BLOCKS_T1_MODEL_H

#include "cuda/blocks/t1_job.h"
#include "cuda/host/driver/route.h"

typedef struct wvl_cuda_t1_model {
    const wvl_cuda_runtime *runtime;
    wvl_cuda_function open, planes[WVL_CUDA_T1_CLASSES], spread[WVL_CUDA_T1_CLASSES], list[WVL_CUDA_T1_CLASSES],
        gains[WVL_CUDA_T1_CLASSES];
    wvl_cuda_function planes_wide[WVL_CUDA_T1_ANY], gains_wide[WVL_CUDA_T1_ANY]; /* of 32-bit samples; one for any block
                                                                                  */
} wvl_cuda_t1_model;

/* Kernels of a loaded module. */
wvl_cuda_status wvl_cuda_t1_model_open(wvl_cuda_t1_model *model, const wvl_cuda_runtime *runtime,
                                       wvl_cuda_module module);

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

/* The two halves of wvl_cuda_t1_launch_model: planes and members of passes, and energies with gains of passes if
 * job->gains is not 0; then lists of symbols. Between them the passes of states may be made fewer. The second half
 * alone lists blocks of a later round. */
wvl_cuda_status wvl_cuda_t1_launch_words(const wvl_cuda_t1_model *model, const wvl_cuda_t1_job *job,
                                         wvl_cuda_route route);
wvl_cuda_status wvl_cuda_t1_launch_lists(const wvl_cuda_t1_model *model, const wvl_cuda_t1_job *job,
                                         wvl_cuda_route route);

/* Sends all kernels the route: states and lists of symbols are there after it, and energies with gains of passes if
 * job->gains is not 0. */
wvl_cuda_status wvl_cuda_t1_launch_model(const wvl_cuda_t1_model *model, const wvl_cuda_t1_job *job,
                                         wvl_cuda_route route);

#endif
