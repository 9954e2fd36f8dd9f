/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/rate/rate_launch.h"

#include <string.h>

#include "base/try.h"
#include "geom/handover_packets.h"

_Static_assert(WVL_CUDA_RATE_THREADS / 32 * WVL_CUDA_RATE_WARP_WORDS <= WVL_CUDA_RATE_WORDS - WVL_CUDA_RATE_HEAD,
               "all warps code headers at a time");

wvl_cuda_status wvl_cuda_rate_open(wvl_cuda_rate *rate, const wvl_cuda_runtime *runtime, wvl_cuda_module module)
{
    memset(rate, 0, sizeof *rate);
    rate->runtime = runtime;
    const wvl_cuda_wanted_kernel kernels[] = {
        {&rate->bodies, "wvl_rate_bodies"},
        {&rate->choose, "wvl_rate_choose"},
        {&rate->foresee, "wvl_rate_foresee"},
        {&rate->predict, "wvl_rate_predict"},
        {&rate->depth, "wvl_rate_depth"},
        {&rate->open_sets, "wvl_rate_open_sets"},
        {&rate->list_sets, "wvl_rate_list_sets"},
        {&rate->end_sets, "wvl_rate_end_sets"},
        {&rate->ends, "wvl_rate_ends"},
        {&rate->step, "wvl_rate_step"},
        {&rate->scale, "wvl_rate_scale"},
        {&rate->repeat_sets, "wvl_rate_repeat_sets"},
        {&rate->choose_wide, "wvl_rate_choose_wide"},
    };
    wvl_cuda_status status = wvl_cuda_find_kernels(runtime, module, kernels, sizeof kernels / sizeof *kernels);
    rate->has_clusters = !status && wvl_cuda_is_for_90(runtime, rate->choose_wide);
    return status;
}

/* A thread each of `count`: blocks, or places of blocks in packets. */
static wvl_cuda_status launch_blocks(const wvl_cuda_rate *rate, wvl_cuda_function function, uint32_t count,
                                     const wvl_cuda_rate_job *job, wvl_cuda_route route)
{
    return wvl_cuda_run_job(rate->runtime, function, wvl_cuda_grid_of(count, WVL_CUDA_RATE_BODIES_THREADS), job, route);
}

static wvl_cuda_status launch_bodies(const wvl_cuda_rate *rate, const wvl_cuda_rate_job *job, wvl_cuda_route route)
{
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    if (!wvl_cuda_rate_asks_bodies(job->budget, job->component_cap, job->packets.layer_count)) {
        return WVL_CUDA_SUCCESS;
    }
    if (!job->t1.round) { /* before later rounds rate control does it */
        status = wvl_cuda_zero(rate->runtime, job->bodies, job->followed * WVL_SLOPES * sizeof(uint64_t), route);
    }
    return status ? status : launch_blocks(rate, rate->bodies, job->packets.block_count, job, route);
}

/* From estimated hulls to passes that are coded. */
static wvl_cuda_status launch_prediction(const wvl_cuda_rate *rate, const wvl_cuda_rate_job *job, wvl_cuda_route route)
{
    const wvl_cuda_grid predict = {1, 1, WVL_CUDA_RATE_THREADS, 4 * WVL_CUDA_RATE_WORDS};
    wvl_cuda_status status = launch_bodies(rate, job, route);
    TRY(status, wvl_cuda_run_job(rate->runtime, rate->predict, predict, job, route));
    return status ? status : launch_blocks(rate, rate->depth, job->packets.block_count, job, route);
}

wvl_cuda_status wvl_cuda_rate_foresee(const wvl_cuda_rate *rate, const wvl_cuda_rate_job *job, wvl_cuda_route route)
{
    wvl_cuda_status status = launch_blocks(rate, rate->foresee, job->t1.block_count, job, route);
    return status ? status : launch_prediction(rate, job, route);
}

/* ---- HT -------------------------------------------------------------------------------------- */

wvl_cuda_status wvl_cuda_rate_open_sets(const wvl_cuda_rate *rate, const wvl_cuda_rate_job *job, wvl_cuda_route route)
{
    wvl_cuda_status status = launch_blocks(rate, rate->open_sets, job->t1.block_count, job, route);
    return status || !job->t1.foresees ? status : launch_prediction(rate, job, route);
}

wvl_cuda_status wvl_cuda_rate_list_sets(const wvl_cuda_rate *rate, const wvl_cuda_rate_job *job, wvl_cuda_route route)
{
    return launch_blocks(rate, rate->list_sets, job->t1.block_count, job, route);
}

wvl_cuda_status wvl_cuda_rate_end_sets(const wvl_cuda_rate *rate, const wvl_cuda_rate_job *job, wvl_cuda_route route)
{
    return launch_blocks(rate, rate->end_sets, job->t1.block_count, job, route);
}

wvl_cuda_status wvl_cuda_rate_choose_step(const wvl_cuda_rate *rate, const wvl_cuda_rate_job *job, wvl_cuda_route route)
{
    wvl_cuda_status status = launch_blocks(rate, rate->ends, job->t1.block_count, job, route);
    TRY(status, wvl_cuda_run_job(rate->runtime, rate->step, (wvl_cuda_grid){1, 1, 32, 0}, job, route));
    const wvl_cuda_grid scale = wvl_cuda_grid_of(32ull * job->t1.block_count, WVL_CUDA_RATE_SCALE_THREADS);
    return status ? status : wvl_cuda_run_job(rate->runtime, rate->scale, scale, job, route);
}

/* ---- Choice ---------------------------------------------------------------------------------- */

static wvl_cuda_status launch_choice(const wvl_cuda_rate *rate, const wvl_cuda_rate_job *job, wvl_cuda_route route)
{
    wvl_cuda_rate_job own = *job;
    int is_wide = own.is_wide && rate->has_clusters;
    const wvl_cuda_grid grid = {is_wide ? WVL_CUDA_RATE_BLOCKS : 1, 1,
                                own.t1.block_count > WVL_CUDA_RATE_FEW_BLOCKS ? WVL_CUDA_RATE_THREADS
                                                                              : WVL_CUDA_RATE_FEW_THREADS,
                                4 * WVL_CUDA_RATE_WORDS};
    own.packets.shared_nodes = WVL_CUDA_PACKETS_WIDE_NODES;
    return wvl_cuda_run_job(rate->runtime, is_wide ? rate->choose_wide : rate->choose, grid, &own, route);
}

wvl_cuda_status wvl_cuda_rate_launch(const wvl_cuda_rate *rate, const wvl_cuda_rate_job *job, wvl_cuda_route route)
{
    wvl_cuda_status status = launch_bodies(rate, job, route);
    return status ? status : launch_choice(rate, job, route);
}

wvl_cuda_status wvl_cuda_rate_repeat_sets(const wvl_cuda_rate *rate, const wvl_cuda_rate_job *job, wvl_cuda_route route)
{
    wvl_cuda_grid grid = wvl_cuda_grid_of(job->packets.block_count, 32);
    grid.shared_bytes = 4 * WVL_CUDA_RATE_REPEAT_WORDS;
    wvl_cuda_status status = wvl_cuda_run_job(rate->runtime, rate->repeat_sets, grid, job, route);
    return status ? status : launch_choice(rate, job, route);
}
