/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/rdoq/rdoq_launch.h"

#include <string.h>

#include "base/try.h"

wvl_cuda_status wvl_cuda_rdoq_open(wvl_cuda_rdoq *rdoq, const wvl_cuda_runtime *runtime, wvl_cuda_module module)
{
    memset(rdoq, 0, sizeof *rdoq);
    rdoq->runtime = runtime;
    const wvl_cuda_wanted_kernel kernels[] = {
        {&rdoq->weigh, "wvl_rdoq_weigh_blocks"},
        {&rdoq->settle, "wvl_rdoq_settle"},
        {&rdoq->put, "wvl_rdoq_put"},
        {&rdoq->judge, "wvl_rdoq_judge"},
        {&rdoq->take, "wvl_rdoq_take"},
        {&rdoq->change[0], "wvl_rdoq_change_32"},
        {&rdoq->change[1], "wvl_rdoq_change_64"},
        {&rdoq->change[2], "wvl_rdoq_change_128"},
        {&rdoq->change[3], "wvl_rdoq_change_any"},
    };
    return wvl_cuda_find_kernels(runtime, module, kernels, sizeof kernels / sizeof *kernels);
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

wvl_cuda_rdoq_job wvl_cuda_rdoq_choose_phase(const wvl_cuda_rdoq_job *job, const wvl_cuda_rdoq_phases *phases,
                                             unsigned phase)
{
    wvl_cuda_rdoq_job own = *job;
    own.first = phase ? phases->ends[phase - 1] : 0;
    own.count = phases->ends[phase] - own.first;
    own.step = 0;
    own.which = WVL_CUDA_RDOQ_ALL;
    own.margin = wvl_survey_find_margin(phase, phases->range_count, phases->reach);
    own.is_damped = (uint32_t)wvl_survey_is_damped(phase);
    return own;
}

wvl_cuda_rdoq_job wvl_cuda_rdoq_choose_all(const wvl_cuda_rdoq_job *job, const wvl_cuda_rdoq_phases *phases)
{
    wvl_cuda_rdoq_job own = wvl_cuda_rdoq_choose_phase(job, phases, WVL_SURVEY_ALL_PHASES - 1);
    own.first = 0;
    own.count = phases->ends[WVL_SURVEY_ALL_PHASES - 1];
    return own;
}

/* ---- Launches -------------------------------------------------------------------------------- */

/* So many lanes a block. */
static wvl_cuda_status launch_lanes(const wvl_cuda_rdoq *rdoq, wvl_cuda_function function, uint32_t lanes,
                                    const wvl_cuda_rdoq_job *job, wvl_cuda_route route)
{
    const wvl_cuda_grid grid = wvl_cuda_grid_of((uint64_t)job->count * lanes, WVL_CUDA_RDOQ_THREADS);
    return wvl_cuda_run_job(rdoq->runtime, function, grid, job, route);
}

/* A thread each of `items`. */
static wvl_cuda_status launch_items(const wvl_cuda_rdoq *rdoq, wvl_cuda_function function, uint32_t items,
                                    uint32_t threads, uint32_t shared_words, const wvl_cuda_rdoq_job *job,
                                    wvl_cuda_route route)
{
    wvl_cuda_grid grid = wvl_cuda_grid_of(items, threads);
    grid.shared_bytes = 4 * shared_words;
    return wvl_cuda_run_job(rdoq->runtime, function, grid, job, route);
}

wvl_cuda_status wvl_cuda_rdoq_launch_weights(const wvl_cuda_rdoq *rdoq, const wvl_cuda_rdoq_job *job,
                                             const wvl_cuda_rdoq_phases *phases, wvl_cuda_route route)
{
    wvl_cuda_rdoq_job own = wvl_cuda_rdoq_choose_all(job, phases);
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    own.count = phases->ends[1];
    for (own.step = WVL_SURVEY_FIRST_STEP; own.step >= WVL_SURVEY_LAST_STEP; own.step /= 2) {
        TRY(status, launch_items(rdoq, rdoq->weigh, 32 * wvl_max_u32(own.count, 1), WVL_CUDA_RDOQ_THREADS,
                                 WVL_CUDA_RDOQ_LAST_WORDS, &own, route));
    }
    own.step = 0;
    own.count = phases->ends[WVL_SURVEY_ALL_PHASES - 1];
    return status ? status : launch_lanes(rdoq, rdoq->weigh, 32, &own, route);
}

wvl_cuda_status wvl_cuda_rdoq_launch_changes(const wvl_cuda_rdoq *rdoq, const wvl_cuda_rdoq_job *job,
                                             wvl_cuda_route route)
{
    uint32_t width = wvl_cuda_rdoq_find_width(job->most_width);
    return launch_lanes(rdoq, rdoq->change[width], wvl_cuda_rdoq_count_lanes(width), job, route);
}

wvl_cuda_status wvl_cuda_rdoq_launch_energies(const wvl_cuda_rdoq *rdoq, const wvl_cuda_rdoq_job *job,
                                              wvl_cuda_route route)
{
    return launch_items(rdoq, rdoq->settle, job->count, WVL_CUDA_RDOQ_ITEM_THREADS, 0, job, route);
}

wvl_cuda_status wvl_cuda_rdoq_launch_slopes(const wvl_cuda_rdoq *rdoq, const wvl_cuda_rdoq_job *job,
                                            wvl_cuda_route route)
{
    return launch_items(rdoq, rdoq->put, wvl_max_u32(job->count, 1), WVL_CUDA_RDOQ_CHOOSE_THREADS,
                        WVL_CUDA_RDOQ_CHOOSE_WORDS(job->aim.groups), job, route);
}

wvl_cuda_status wvl_cuda_rdoq_launch_take(const wvl_cuda_rdoq *rdoq, const wvl_cuda_rdoq_job *job, wvl_cuda_route route)
{
    return launch_lanes(rdoq, rdoq->take, 32, job, route);
}

wvl_cuda_status wvl_cuda_rdoq_launch_judge(const wvl_cuda_rdoq *rdoq, const wvl_cuda_rdoq_job *job,
                                           wvl_cuda_route route)
{
    return launch_items(rdoq, rdoq->judge, job->count, WVL_CUDA_RDOQ_ITEM_THREADS, WVL_CUDA_RDOQ_LAST_WORDS, job,
                        route);
}
