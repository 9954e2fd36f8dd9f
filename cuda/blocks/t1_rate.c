/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/blocks/t1_rate.h"
#include "base/try.h"

wvl_cuda_status wvl_cuda_t1_rate_open(wvl_cuda_t1_rate *rate, const wvl_cuda_runtime *runtime, wvl_cuda_module module)
{
    rate->runtime = runtime;
    wvl_cuda_status status = runtime->module_function(&rate->lift, module, "wvl_t1_lift");
    TRY(status, runtime->module_function(&rate->settle, module, "wvl_t1_settle"));
    return status ? status : runtime->module_function(&rate->hull, module, "wvl_t1_hull");
}

/* A warp a block. */
static wvl_cuda_status launch_warps(const wvl_cuda_t1_rate *rate, wvl_cuda_function function,
                                    const wvl_cuda_t1_job *job, wvl_cuda_route route)
{
    wvl_cuda_t1_job copy = *job;
    void *arguments[] = {&copy};
    uint32_t warps = WVL_CUDA_T1_LIFT_THREADS / 32, grid = (job->block_count + warps - 1) / warps;
    return grid && job->originals
               ? wvl_cuda_run(rate->runtime, function, (wvl_cuda_grid){grid, 1, WVL_CUDA_T1_LIFT_THREADS, 0}, 0, route,
                              arguments)
               : WVL_CUDA_SUCCESS;
}

wvl_cuda_status wvl_cuda_t1_launch_lifts(const wvl_cuda_t1_rate *rate, const wvl_cuda_t1_job *job, wvl_cuda_route route)
{
    return launch_warps(rate, rate->lift, job, route);
}

wvl_cuda_status wvl_cuda_t1_launch_settled(const wvl_cuda_t1_rate *rate, const wvl_cuda_t1_job *job,
                                           wvl_cuda_route route)
{
    return launch_warps(rate, rate->settle, job, route);
}

wvl_cuda_status wvl_cuda_t1_launch_hulls(const wvl_cuda_t1_rate *rate, const wvl_cuda_t1_job *job, wvl_cuda_route route)
{
    wvl_cuda_t1_job copy = *job;
    void *arguments[] = {&copy};
    uint32_t grid = (job->block_count + WVL_CUDA_T1_HULL_THREADS - 1) / WVL_CUDA_T1_HULL_THREADS;
    return grid ? wvl_cuda_run(rate->runtime, rate->hull, (wvl_cuda_grid){grid, 1, WVL_CUDA_T1_HULL_THREADS, 0}, 0,
                               route, arguments)
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
