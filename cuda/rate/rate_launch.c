/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/rate/rate_launch.h"

#include <string.h>

#include "geom/handover_packets.h"

_Static_assert(WVL_CUDA_RATE_THREADS / 32 * WVL_CUDA_RATE_WARP_WORDS <= WVL_CUDA_RATE_WORDS - WVL_CUDA_RATE_HEAD,
               "all warps code headers at a time");

wvl_cuda_status wvl_cuda_rate_open(wvl_cuda_rate *rate, const wvl_cuda_runtime *runtime, wvl_cuda_module module)
{
    memset(rate, 0, sizeof *rate);
    rate->runtime = runtime;
    wvl_cuda_status status = runtime->module_function(&rate->bodies, module, "wvl_rate_bodies");
    status = status ? status : runtime->module_function(&rate->foresee, module, "wvl_rate_foresee");
    status = status ? status : runtime->module_function(&rate->predict, module, "wvl_rate_predict");
    status = status ? status : runtime->module_function(&rate->depth, module, "wvl_rate_depth");
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

/* A thread each of `count`: blocks, or places of blocks in packets. */
static wvl_cuda_status launch_blocks(const wvl_cuda_rate *rate, wvl_cuda_function function, uint32_t count,
                                     const wvl_cuda_rate_job *job, wvl_cuda_stream stream)
{
    uint32_t grid = (count + WVL_CUDA_RATE_BODIES_THREADS - 1) / WVL_CUDA_RATE_BODIES_THREADS;
    return grid ? launch_kernel(rate, function, grid, WVL_CUDA_RATE_BODIES_THREADS, 0, job, stream) : WVL_CUDA_SUCCESS;
}

static wvl_cuda_status launch_bodies(const wvl_cuda_rate *rate, const wvl_cuda_rate_job *job, wvl_cuda_stream stream)
{
    if (!wvl_cuda_rate_asks_bodies(job->budget, job->component_cap, job->packets.layer_count)) {
        return WVL_CUDA_SUCCESS;
    }
    wvl_cuda_status status = rate->runtime->fill(job->bodies, 0, job->followed * WVL_SLOPES * sizeof(uint64_t), stream);
    return status ? status : launch_blocks(rate, rate->bodies, job->packets.block_count, job, stream);
}

wvl_cuda_status wvl_cuda_rate_foresee(const wvl_cuda_rate *rate, const wvl_cuda_rate_job *job, wvl_cuda_stream stream)
{
    wvl_cuda_status status = launch_blocks(rate, rate->foresee, job->t1.block_count, job, stream);
    status = status ? status : launch_bodies(rate, job, stream);
    status = status ? status
                    : launch_kernel(rate, rate->predict, 1, WVL_CUDA_RATE_THREADS, WVL_CUDA_RATE_WORDS, job, stream);
    return status ? status : launch_blocks(rate, rate->depth, job->packets.block_count, job, stream);
}

wvl_cuda_status wvl_cuda_rate_launch(const wvl_cuda_rate *rate, const wvl_cuda_rate_job *job, wvl_cuda_stream stream)
{
    wvl_cuda_rate_job own = *job;
    uint32_t threads =
        own.t1.block_count > WVL_CUDA_RATE_FEW_BLOCKS ? WVL_CUDA_RATE_THREADS : WVL_CUDA_RATE_FEW_THREADS;
    own.packets.shared_nodes = WVL_CUDA_PACKETS_WIDE_NODES;
    wvl_cuda_status status = launch_bodies(rate, &own, stream);
    return status ? status : launch_kernel(rate, rate->choose, 1, threads, WVL_CUDA_RATE_WORDS, &own, stream);
}
