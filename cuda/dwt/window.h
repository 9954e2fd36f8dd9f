/* SPDX-License-Identifier: BSD-2-Clause */
/* What an item of a later launch waits for: the flags of the items in front that write what it reads (core/order.cuh).
 */
#ifndef WVL_CUDA_DWT_WINDOW_H
#define WVL_CUDA_DWT_WINDOW_H

#include "cuda/core/split.h"

/* Flags of a fused split: one for every panel of every stretch. */
uint64_t wvl_cuda_count_flags(const wvl_cuda_split *split);

/* Sets what the item waits for. front: the fused split that writes the plane of `split`, the one that the item belongs
 * to, or the first of its chain. NULL: the item waits for the launch. */
void wvl_cuda_open_march_window(const wvl_cuda_split *front, const wvl_cuda_split *split, wvl_cuda_item *item);
void wvl_cuda_open_cascade_window(const wvl_cuda_split *front, const wvl_cuda_split *split, wvl_cuda_item *item);
void wvl_cuda_open_last_window(const wvl_cuda_split *front, const wvl_cuda_split *split, wvl_cuda_item *item);
void wvl_cuda_open_tile_window(const wvl_cuda_split *front, const wvl_cuda_split *split, wvl_cuda_item *item);

#endif
