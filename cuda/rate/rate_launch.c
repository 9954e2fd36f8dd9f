/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/rate/rate_launch.h"

#include <string.h>

#include "codec/core/bracket.h"

wvl_cuda_status wvl_cuda_rate_open(wvl_cuda_rate *rate, const wvl_cuda_runtime *runtime, wvl_cuda_module module)
{
    memset(rate, 0, sizeof *rate);
    rate->runtime = runtime;
    wvl_cuda_status status = runtime->module_function(&rate->bodies, module, "wvl_rate_bodies");
    return status ? status : runtime->module_function(&rate->choose, module, "wvl_rate_choose");
}

static wvl_cuda_status launch_kernel(const wvl_cuda_rate *rate, wvl_cuda_function function, uint32_t grid,
                                     uint32_t threads, uint32_t shared_words, const wvl_cuda_rate_job *job,
                                     wvl_cuda_stream stream)
{
    wvl_cuda_rate_job copy = *job;
    void *arguments[] = {&copy};
    return rate->runtime->launch(function, grid, 1, 1, threads, 1, 1, 4 * shared_words, stream, arguments, NULL);
}

wvl_cuda_status wvl_cuda_rate_launch(const wvl_cuda_rate *rate, const wvl_cuda_rate_job *job, wvl_cuda_stream stream)
{
    wvl_cuda_rate_job own = *job;
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    uint32_t threads =
        own.t1.block_count > WVL_CUDA_RATE_FEW_BLOCKS ? WVL_CUDA_RATE_THREADS : WVL_CUDA_RATE_FEW_THREADS;
    own.packets.shared_nodes = WVL_CUDA_PACKETS_WIDE_NODES;
    if (own.budget != WVL_NO_BUDGET || own.component_cap) {
        uint32_t grid = (own.packets.place_count + WVL_CUDA_RATE_BODIES_THREADS - 1) / WVL_CUDA_RATE_BODIES_THREADS;
        status = rate->runtime->fill(own.bodies, 0, own.followed * WVL_SLOPES * sizeof(uint64_t), stream);
        status =
            status ? status : launch_kernel(rate, rate->bodies, grid, WVL_CUDA_RATE_BODIES_THREADS, 0, &own, stream);
    }
    return status ? status : launch_kernel(rate, rate->choose, 1, threads, WVL_CUDA_RATE_WORDS, &own, stream);
}
