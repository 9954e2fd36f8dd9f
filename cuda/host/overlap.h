/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches that set out while the one in front of them ends: core/order.cuh is the other half. */
#ifndef WVL_CUDA_HOST_OVERLAP_H
#define WVL_CUDA_HOST_OVERLAP_H

#include "cuda/host/runtime_table.h"

/* Whether the driver and this function know how. Machine code made at load from portable code, on a machine of 9.0 too,
 * does not wait by itself. */
static inline int wvl_cuda_may_overlap(const wvl_cuda_runtime *runtime, wvl_cuda_function function)
{
    int version = 0;
    return runtime->launch_config && runtime->function_attribute &&
           !runtime->function_attribute(&version, WVL_CUDA_FUNCTION_PTX_VERSION, function) && version >= 90;
}

/* One launch, after all that is queued. overlap: what is queued last is a launch too, for whose end the kernel itself
 * waits. */
static inline wvl_cuda_status wvl_cuda_launch_kernel(const wvl_cuda_runtime *runtime, wvl_cuda_function function,
                                                     uint32_t blocks, unsigned threads, int overlap,
                                                     wvl_cuda_stream stream, void **arguments)
{
    if (!overlap) {
        return runtime->launch(function, blocks, 1, 1, threads, 1, 1, 0, stream, arguments, NULL);
    }
    wvl_cuda_launch_attribute attribute = {.id = WVL_CUDA_LAUNCH_OVERLAPS, .value.flag = 1};
    wvl_cuda_launch_config config = {blocks, 1, 1, threads, 1, 1, 0, stream, &attribute, 1};
    return runtime->launch_config(&config, function, arguments, NULL);
}

#endif
