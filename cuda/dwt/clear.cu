/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bounds and flags to 0, before the first level: a kernel and not the driver's own, so that the launch behind it sets
 * out meanwhile and fetches its first rows. The tables of later launches come to L2 on the way, which read them when
 * memory is busy. WVL_CUDA_CLEAR_THREADS threads a block, 16 bytes and a line of tables a thread, 8 registers. Bytes
 * moved: those it writes, and the tables.
 */
#include "cuda/core/order.cuh"
#include "cuda/dwt/tuning.h"

extern "C" __global__ void __launch_bounds__(WVL_CUDA_CLEAR_THREADS)
    wvl_clear(uint4 *at, uint64_t count, const uint8_t *tables, uint64_t lines)
{
    const uint64_t i = (uint64_t)blockIdx.x * WVL_CUDA_CLEAR_THREADS + threadIdx.x;
    wait_for_launch_in_front(); /* whatever it is: the launch behind this one reads pixels before it waits */
    let_next_launch_begin();
    if (i < lines) {
        asm volatile("prefetch.global.L2 [%0];" ::"l"(tables + WVL_CUDA_LINE_BYTES * i));
    }
    if (i < count) {
        at[i] = make_uint4(0, 0, 0, 0);
    }
}
