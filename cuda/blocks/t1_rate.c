/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/blocks/t1_rate.h"

wvl_cuda_status wvl_cuda_t1_rate_open(wvl_cuda_t1_rate *rate, const wvl_cuda_runtime *runtime, wvl_cuda_module module)
{
    rate->runtime = runtime;
    return runtime->module_function(&rate->hull, module, "wvl_t1_hull");
}

wvl_cuda_status wvl_cuda_t1_launch_hulls(const wvl_cuda_t1_rate *rate, const wvl_cuda_t1_job *job,
                                         wvl_cuda_stream stream)
{
    wvl_cuda_t1_job copy = *job;
    void *arguments[] = {&copy};
    uint32_t grid = (job->block_count + WVL_CUDA_T1_HULL_THREADS - 1) / WVL_CUDA_T1_HULL_THREADS;
    return grid ? rate->runtime->launch(rate->hull, grid, 1, 1, WVL_CUDA_T1_HULL_THREADS, 1, 1, 0, stream, arguments,
                                        NULL)
                : WVL_CUDA_SUCCESS;
}

void wvl_cuda_t1_describe_gains(const wvl_cuda_t1_gains *gains, const int64_t *quarters, wvl_block_output *out)
{
    out->energy = gains->energy;
    out->energy_shift = gains->energy_shift;
    for (uint32_t i = 0; i < out->pass_count; i++) {
        out->passes[i].gain_quarters = quarters[i];
    }
}
