/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/rdoq/rdoq_launch.h"

#include <string.h>

wvl_cuda_status wvl_cuda_rdoq_open(wvl_cuda_rdoq *rdoq, const wvl_cuda_runtime *runtime, wvl_cuda_module module)
{
    static const char *const names[] = {"wvl_rdoq_weigh_blocks", "wvl_rdoq_settle",     "wvl_rdoq_put",
                                        "wvl_rdoq_judge",        "wvl_rdoq_take",       "wvl_rdoq_change_32",
                                        "wvl_rdoq_change_64",    "wvl_rdoq_change_128", "wvl_rdoq_change_any"};
    memset(rdoq, 0, sizeof *rdoq);
    rdoq->runtime = runtime;
    wvl_cuda_function *const functions[] = {&rdoq->weigh,     &rdoq->settle,    &rdoq->put,
                                            &rdoq->judge,     &rdoq->take,      &rdoq->change[0],
                                            &rdoq->change[1], &rdoq->change[2], &rdoq->change[3]};
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    for (unsigned i = 0; !status && i < sizeof names / sizeof *names; i++) {
        status = runtime->module_function(functions[i], module, names[i]);
    }
    return status;
}

/* ---- Launches -------------------------------------------------------------------------------- */

static wvl_cuda_status launch_kernel(const wvl_cuda_rdoq *rdoq, wvl_cuda_function function, uint32_t grid,
                                     uint32_t threads, uint32_t shared_words, const wvl_cuda_rdoq_job *job,
                                     wvl_cuda_route route)
{
    wvl_cuda_rdoq_job copy = *job;
    void *arguments[] = {&copy};
    return grid ? wvl_cuda_run(rdoq->runtime, function, (wvl_cuda_grid){grid, 1, threads, 4 * shared_words}, 0, route,
                               arguments)
                : WVL_CUDA_SUCCESS;
}

/* So many lanes a block. */
static wvl_cuda_status launch_lanes(const wvl_cuda_rdoq *rdoq, wvl_cuda_function function, uint32_t lanes,
                                    const wvl_cuda_rdoq_job *job, wvl_cuda_route route)
{
    uint32_t blocks = WVL_CUDA_RDOQ_THREADS / lanes;
    return launch_kernel(rdoq, function, (job->count + blocks - 1) / blocks, WVL_CUDA_RDOQ_THREADS, 0, job, route);
}

/* A thread a block. */
static wvl_cuda_status launch_items(const wvl_cuda_rdoq *rdoq, wvl_cuda_function function, uint32_t shared_words,
                                    const wvl_cuda_rdoq_job *job, wvl_cuda_route route)
{
    return launch_kernel(rdoq, function, (job->count + WVL_CUDA_RDOQ_ITEM_THREADS - 1) / WVL_CUDA_RDOQ_ITEM_THREADS,
                         WVL_CUDA_RDOQ_ITEM_THREADS, shared_words, job, route);
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
    own.margin = wvl_survey_find_margin(phase, phases->run_count, phases->reach);
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

/* ---- Launches of a picture --------------------------------------------------------------------------------- */

wvl_cuda_status wvl_cuda_rdoq_launch_weights(const wvl_cuda_rdoq *rdoq, const wvl_cuda_rdoq_job *job,
                                             const wvl_cuda_rdoq_phases *phases, wvl_cuda_route route)
{
    wvl_cuda_rdoq_job own = wvl_cuda_rdoq_choose_all(job, phases);
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    uint32_t grid = (phases->ends[1] + WVL_CUDA_RDOQ_WARPS - 1) / WVL_CUDA_RDOQ_WARPS;
    own.count = phases->ends[1];
    for (own.step = WVL_SURVEY_FIRST_STEP; !status && own.step >= WVL_SURVEY_LAST_STEP; own.step /= 2) {
        status = launch_kernel(rdoq, rdoq->weigh, grid ? grid : 1, WVL_CUDA_RDOQ_THREADS, WVL_CUDA_RDOQ_LAST_WORDS,
                               &own, route);
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
    return launch_items(rdoq, rdoq->settle, 0, job, route);
}

wvl_cuda_status wvl_cuda_rdoq_launch_slopes(const wvl_cuda_rdoq *rdoq, const wvl_cuda_rdoq_job *job,
                                            wvl_cuda_route route)
{
    uint32_t threads = WVL_CUDA_RDOQ_CHOOSE_THREADS, grid = (job->count + threads - 1) / threads;
    return launch_kernel(rdoq, rdoq->put, grid ? grid : 1, threads, WVL_CUDA_RDOQ_CHOOSE_WORDS(job->aim.groups), job,
                         route);
}

wvl_cuda_status wvl_cuda_rdoq_launch_take(const wvl_cuda_rdoq *rdoq, const wvl_cuda_rdoq_job *job, wvl_cuda_route route)
{
    return launch_lanes(rdoq, rdoq->take, 32, job, route);
}

wvl_cuda_status wvl_cuda_rdoq_launch_judge(const wvl_cuda_rdoq *rdoq, const wvl_cuda_rdoq_job *job,
                                           wvl_cuda_route route)
{
    return launch_items(rdoq, rdoq->judge, WVL_CUDA_RDOQ_LAST_WORDS, job, route);
}
