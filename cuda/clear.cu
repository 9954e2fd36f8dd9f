/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bounds and flags to 0, before the first level: a kernel and not the driver's own, so that the launch behind it sets out meanwhile and fetches its
 * first rows. WVL_CUDA_CLEAR_THREADS threads a block, 16 bytes a thread, 8 registers. Bytes moved: those it writes.
 */
#include "cuda/block/order.cuh"
#include "cuda/tuning.h"

extern "C" __global__ void __launch_bounds__(WVL_CUDA_CLEAR_THREADS) wvl_clear(uint4 *at, uint64_t count)
{
    const uint64_t i = (uint64_t)blockIdx.x * WVL_CUDA_CLEAR_THREADS + threadIdx.x;
    let_next_launch_begin();
    if (i < count) {
        at[i] = make_uint4(0, 0, 0, 0);
    }
}
