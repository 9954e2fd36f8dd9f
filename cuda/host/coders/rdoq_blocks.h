/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * EBCOT blocks of a picture with rdoq: the phases of the survey, and what is coded a second time. Nothing here
 * allocates, waits or locks; calls that can fail return the driver's status.
 *
 * Tables of blocks lie phase by phase, and numbers of blocks are places in that order (job->lists is 0). The block
 * coder's kernels see the blocks of a list as a picture of its own.
 */
#pragma once

#include "cuda/blocks/t1_launch.h"
#include "cuda/rdoq/rdoq_launch.h"

/* How blocks are sorted: the members of wvl_cuda_t1_job that wvl_cuda_t1_sort() sets, for the blocks that are coded in
 * each phase, and for all. Blocks of the lowest band are the same for every slope, and have the longest lists: all of
 * them are coded in the first phase, whatever phase surveys them. */
typedef struct wvl_cuda_rdoq_shapes {
    wvl_cuda_t1_job phases[WVL_SURVEY_ALL_PHASES], all;
    uint32_t first[WVL_SURVEY_ALL_PHASES]; /* of the lists */
} wvl_cuda_rdoq_shapes;

/* Sorts the blocks, which lie phase by phase. lists: [block_count] for the first coding, phase by phase; all: the same
 * for a second one. */
void wvl_cuda_rdoq_sort(const wvl_cuda_t1_block *blocks, const wvl_cuda_rdoq_phases *phases, uint32_t *lists,
                        uint32_t *all, wvl_cuda_rdoq_shapes *shapes);

/* A picture on its way, and the kernels, opened. job: t1 and again have all addresses. */
typedef struct wvl_cuda_rdoq_run {
    const wvl_cuda_rdoq *rdoq;
    const wvl_cuda_t1 *t1;
    const wvl_cuda_rdoq_job *job;
    const wvl_cuda_rdoq_phases *phases;
    const wvl_cuda_rdoq_shapes *shapes;
    wvl_cuda_route route;
} wvl_cuda_rdoq_run;

/* Codes all blocks. Scratch memory has room for two codings where ranges are few (WVL_SURVEY_FEW_RANGES), and counters
 * are 0 in front. */
wvl_cuda_status wvl_cuda_rdoq_code(const wvl_cuda_rdoq_run *run);
/* Behind rate control: where the picture ended far off, all blocks are coded again. */
wvl_cuda_status wvl_cuda_rdoq_code_again(const wvl_cuda_rdoq_run *run);
