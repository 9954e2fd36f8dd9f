/* SPDX-License-Identifier: BSD-2-Clause */
/* Jobs that one warp may serve: several small ones (packed), or strips that go on from one picture to the next (block/beside.cuh). */
#ifndef WVL_CUDA_BESIDE_H
#define WVL_CUDA_BESIDE_H

#include "cuda/job.h"

/* Whether one warp may take both: alike but for where they lie across. */
int wvl_cuda_jobs_alike(const wvl_cuda_job *a, const wvl_cuda_job *b);

/* Whether a thread block of the kernel has a warp for each of three components and one that mixes colours. */
int wvl_cuda_is_mixing(uint32_t kernel);

/* Whether strips of the kernel go on, given how many components are launched together: nobody asks for flags then. */
int wvl_cuda_goes_on(uint32_t kernel, uint64_t components);

/* Of one launch of such a kernel, items of a job all together: jobs alike that follow one another at one distance share their strips, if that makes fewer. Returns the number of
 * items that are left. */
uint64_t wvl_cuda_set_beside(wvl_cuda_job *jobs, wvl_cuda_item *items, uint64_t count);

#endif
