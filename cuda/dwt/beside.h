/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits that one warp may serve: several small ones (packed), or panels that go on from one picture to the next
 * (block/beside.cuh). */
#pragma once

#include "cuda/core/kernel_row.h"
#include "cuda/core/split.h"

/* Says whether one warp may take both: alike but for where they lie across. */
int wvl_cuda_splits_alike(const wvl_cuda_split *a, const wvl_cuda_split *b);

/* Says whether panels of the kernel go on, given how many components are launched together: nobody asks for flags then.
 */
int wvl_cuda_goes_on(const wvl_cuda_kernel_row *row, uint64_t components);

/* For one launch of such a kernel, with all items of a split together: splits that differ only in where they lie, at
 * equal distances, share their panels if that makes fewer. Returns the number of items that are left. */
uint64_t wvl_cuda_set_beside(wvl_cuda_split *splits, wvl_cuda_item *items, uint64_t count);
