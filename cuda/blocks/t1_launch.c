/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/blocks/t1_launch.h"

#include <string.h>

#include "base/try.h"

wvl_cuda_status wvl_cuda_t1_open(wvl_cuda_t1 *t1, const wvl_cuda_runtime *runtime, wvl_cuda_module module)
{
    memset(t1, 0, sizeof *t1);
    t1->runtime = runtime;
    const wvl_cuda_wanted_kernel kernels[] = {
        {&t1->open, "wvl_t1_open"},
        {&t1->planes[WVL_CUDA_T1_64], "wvl_t1_planes_64"},
        {&t1->planes[WVL_CUDA_T1_32], "wvl_t1_planes_32"},
        {&t1->planes[WVL_CUDA_T1_ANY], "wvl_t1_planes_any"},
        {&t1->planes_wide[WVL_CUDA_T1_64], "wvl_t1_planes_64_wide"},
        {&t1->planes_wide[WVL_CUDA_T1_32], "wvl_t1_planes_32_wide"},
        {&t1->spread[WVL_CUDA_T1_64], "wvl_t1_spread_64"},
        {&t1->spread[WVL_CUDA_T1_32], "wvl_t1_spread_32"},
        {&t1->spread[WVL_CUDA_T1_ANY], "wvl_t1_spread_any"},
        {&t1->list[WVL_CUDA_T1_64], "wvl_t1_list_64"},
        {&t1->list[WVL_CUDA_T1_32], "wvl_t1_list_32"},
        {&t1->list[WVL_CUDA_T1_ANY], "wvl_t1_list_any"},
        {&t1->gains[WVL_CUDA_T1_64], "wvl_t1_gains_64"},
        {&t1->gains[WVL_CUDA_T1_32], "wvl_t1_gains_32"},
        {&t1->gains[WVL_CUDA_T1_ANY], "wvl_t1_gains_any"},
        {&t1->gains_wide[WVL_CUDA_T1_64], "wvl_t1_gains_64_wide"},
        {&t1->gains_wide[WVL_CUDA_T1_32], "wvl_t1_gains_32_wide"},
        {&t1->sort, "wvl_t1_sort"},
        {&t1->mq[WVL_CUDA_T1_MQ_INTEGERS], "wvl_t1_mq"},
        {&t1->mq[WVL_CUDA_T1_MQ_FLOATS], "wvl_t1_mq_floats"},
        {&t1->mq[WVL_CUDA_T1_MQ_PAIRS], "wvl_t1_mq_pairs"},
        {&t1->mq_styled, "wvl_t1_mq_styled"},
        {&t1->ends, "wvl_t1_ends"},
        {&t1->weigh, "wvl_t1_weigh"},
        {&t1->gather, "wvl_t1_gather"},
        {&t1->hull, "wvl_t1_hull"},
        {&t1->lift, "wvl_t1_lift"},
        {&t1->settle, "wvl_t1_settle"},
    };
    return wvl_cuda_find_kernels(runtime, module, kernels, sizeof kernels / sizeof *kernels);
}

/* ---- Context modelling ----------------------------------------------------------------------- */

/* Thread blocks, of kernels that take blocks by turns. */
static uint32_t limit_grid(const wvl_cuda_t1_job *job, uint32_t grid, uint32_t threads)
{
    return job->is_rare ? wvl_min_u32(grid, WVL_CUDA_T1_RARE_THREADS / threads) : grid;
}

/* How a kernel takes the blocks of a class. */
typedef struct shape {
    uint32_t block_threads; /* of a block */
    uint32_t threads;       /* of a thread block */
    uint32_t shared[2];     /* 16 and 32 bits */
} shape;

/* `count` blocks of a class, from `first` of its list on. */
static wvl_cuda_status launch_some(const wvl_cuda_t1 *t1, wvl_cuda_function function, unsigned kind, uint32_t first,
                                   uint32_t count, uint32_t shared, const shape *s, const wvl_cuda_t1_job *job,
                                   wvl_cuda_route route)
{
    wvl_cuda_t1_job some = *job;
    some.class_first[kind] += first;
    some.class_count[kind] = count;
    wvl_cuda_grid grid = wvl_cuda_grid_of((uint64_t)count * s->block_threads, s->threads);
    grid.columns = limit_grid(job, grid.columns, s->threads);
    grid.shared_bytes = shared;
    return wvl_cuda_run_job(t1->runtime, function, grid, &some, route);
}

/* A kernel that reads samples of a class: for each container that its blocks have, or the one for any block. */
static wvl_cuda_status launch_samples(const wvl_cuda_t1 *t1, const wvl_cuda_function *narrow,
                                      const wvl_cuda_function *wide, unsigned kind, const shape *s,
                                      const wvl_cuda_t1_job *job, wvl_cuda_route route)
{
    uint32_t count = job->class_count[kind], wides = job->wide_count[kind];
    if (kind == WVL_CUDA_T1_ANY) {
        return launch_some(t1, narrow[kind], kind, 0, count, s->shared[0], s, job, route);
    }
    wvl_cuda_status status =
        launch_some(t1, narrow[kind], kind, 0, job->narrow_count[kind], s->shared[0], s, job, route);
    return status ? status : launch_some(t1, wide[kind], kind, count - wides, wides, s->shared[1], s, job, route);
}

/* Threads that a block of a class takes, in planes and in lists. */
static const uint32_t class_threads[WVL_CUDA_T1_CLASSES] = {128, 32, WVL_CUDA_T1_MOST_WORDS};

static wvl_cuda_status launch_planes(const wvl_cuda_t1 *t1, unsigned kind, const wvl_cuda_t1_job *job,
                                     wvl_cuda_route route)
{
    const shape s = {class_threads[kind], WVL_CUDA_T1_PLANES_THREADS, {0, 0}};
    if (!job->item_most[kind]) {
        return WVL_CUDA_SUCCESS;
    }
    wvl_cuda_status status = launch_samples(t1, t1->planes, t1->planes_wide, kind, &s, job, route);
    const wvl_cuda_grid spread = wvl_cuda_grid_of(job->item_most[kind], WVL_CUDA_T1_SPREAD_THREADS);
    return status ? status : wvl_cuda_run_job(t1->runtime, t1->spread[kind], spread, job, route);
}

static wvl_cuda_status launch_gains(const wvl_cuda_t1 *t1, unsigned kind, const wvl_cuda_t1_job *job,
                                    wvl_cuda_route route)
{
    int is_any = kind == WVL_CUDA_T1_ANY;
    uint32_t threads = is_any ? WVL_CUDA_T1_MOST_WORDS : WVL_CUDA_T1_GAINS_THREADS;
    const shape s = {
        kind == WVL_CUDA_T1_32 ? 32 : threads,
        threads,
        {4 * (is_any ? WVL_CUDA_T1_GAINS_ANY_WORDS : WVL_CUDA_T1_GAINS_WORDS), 4 * WVL_CUDA_T1_GAINS_WIDE_WORDS}};
    return launch_samples(t1, t1->gains, t1->gains_wide, kind, &s, job, route);
}

wvl_cuda_status wvl_cuda_t1_launch_words(const wvl_cuda_t1 *t1, const wvl_cuda_t1_job *job, wvl_cuda_route route)
{
    uint32_t most = 0;
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    if (!job->block_count) {
        return WVL_CUDA_SUCCESS;
    }
    for (unsigned i = 0; i < WVL_CUDA_T1_CLASSES; i++) {
        most = wvl_max_u32(most, job->class_count[i]);
    }
    if (!job->is_cleared) {
        status = wvl_cuda_zero(t1->runtime, job->counters, WVL_CUDA_T1_COUNTERS * sizeof(uint32_t), route);
    }
    wvl_cuda_grid grid = wvl_cuda_grid_of(most, WVL_CUDA_T1_OPEN_THREADS);
    grid.rows = WVL_CUDA_T1_CLASSES;
    TRY(status, wvl_cuda_run_job(t1->runtime, t1->open, grid, job, route));
    for (unsigned i = 0; i < WVL_CUDA_T1_CLASSES; i++) {
        TRY(status, launch_planes(t1, i, job, route));
    }
    for (unsigned i = 0; job->gains && i < WVL_CUDA_T1_CLASSES; i++) {
        TRY(status, launch_gains(t1, i, job, route));
    }
    return status;
}

wvl_cuda_status wvl_cuda_t1_launch_lists(const wvl_cuda_t1 *t1, const wvl_cuda_t1_job *job, wvl_cuda_route route)
{
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    for (unsigned i = 0; i < WVL_CUDA_T1_CLASSES; i++) {
        uint32_t count = job->item_most[i] ? job->class_count[i] : 0;
        const wvl_cuda_grid grid = {limit_grid(job, count, class_threads[i]), 1, class_threads[i],
                                    WVL_CUDA_T1_LIST_BYTES(i == WVL_CUDA_T1_32 ? 1024u : 4096u)};
        TRY(status, wvl_cuda_run_job(t1->runtime, t1->list[i], grid, job, route));
    }
    return status;
}

wvl_cuda_status wvl_cuda_t1_launch_model(const wvl_cuda_t1 *t1, const wvl_cuda_t1_job *job, wvl_cuda_route route)
{
    wvl_cuda_status status = wvl_cuda_t1_launch_words(t1, job, route);
    return status ? status : wvl_cuda_t1_launch_lists(t1, job, route);
}

/* ---- The MQ coder, and what follows it ------------------------------------------------------- */

/* A warp a block. */
static wvl_cuda_status launch_warps(const wvl_cuda_t1 *t1, wvl_cuda_function function, uint32_t threads,
                                    const wvl_cuda_t1_job *job, wvl_cuda_route route)
{
    return wvl_cuda_run_job(t1->runtime, function, wvl_cuda_grid_of(32ull * job->block_count, threads), job, route);
}

uint32_t wvl_cuda_t1_count_mq_threads(const wvl_cuda_t1_job *job)
{
    uint32_t count = job->block_count, lanes = job->lanes ? job->lanes : 32, thin = (count + lanes - 1) / lanes,
             wide = 0;
    if (job->thin && job->thin < thin) {
        thin = job->thin;
        wide = (count - thin * lanes + 31) / 32;
    }
    return 32 * (thin + wide);
}

static wvl_cuda_status launch_codewords(const wvl_cuda_t1 *t1, const wvl_cuda_t1_job *job, wvl_cuda_route route)
{
    wvl_cuda_grid grid = wvl_cuda_grid_of(wvl_cuda_t1_count_mq_threads(job), WVL_CUDA_T1_MQ_THREADS);
    grid.shared_bytes = 4 * WVL_CUDA_T1_MQ_WORDS;
    if (!job->is_styled && job->mq == WVL_CUDA_T1_MQ_PAIRS) {
        grid.columns = wvl_max_u32((job->block_count + 31) / 32, wvl_min_u32(job->spread, job->block_count));
        grid.shared_bytes = WVL_CUDA_T1_MQ_PAIR_BYTES;
    }
    return wvl_cuda_run_job(t1->runtime, job->is_styled ? t1->mq_styled : t1->mq[job->mq], grid, job, route);
}

wvl_cuda_status wvl_cuda_t1_launch_mq(const wvl_cuda_t1 *t1, const wvl_cuda_t1_job *job, wvl_cuda_route route)
{
    const wvl_cuda_grid sort = {1, 1, WVL_CUDA_T1_SORT_THREADS, 4 * WVL_CUDA_T1_SORT_WORDS};
    if (!job->block_count) {
        return WVL_CUDA_SUCCESS;
    }
    wvl_cuda_status status = wvl_cuda_run_job(t1->runtime, t1->sort, sort, job, route);
    if (job->block_errors) {
        TRY(status, launch_warps(t1, t1->weigh, WVL_CUDA_T1_WEIGH_THREADS, job, route));
    }
    TRY(status, launch_codewords(t1, job, route));
    if (job->passes && !job->is_styled) {
        TRY(status, launch_warps(t1, t1->ends, WVL_CUDA_T1_ENDS_THREADS, job, route));
    }
    return status;
}

wvl_cuda_status wvl_cuda_t1_launch_gather(const wvl_cuda_t1 *t1, const wvl_cuda_t1_job *job, wvl_cuda_route route)
{
    return launch_warps(t1, t1->gather, WVL_CUDA_T1_GATHER_THREADS, job, route);
}

wvl_cuda_status wvl_cuda_t1_launch_hulls(const wvl_cuda_t1 *t1, const wvl_cuda_t1_job *job, wvl_cuda_route route)
{
    return wvl_cuda_run_job(t1->runtime, t1->hull, wvl_cuda_grid_of(job->block_count, WVL_CUDA_T1_HULL_THREADS), job,
                            route);
}

/* ---- Rectangles of interest ------------------------------------------------------------------ */

wvl_cuda_status wvl_cuda_t1_launch_lifts(const wvl_cuda_t1 *t1, const wvl_cuda_t1_job *job, wvl_cuda_route route)
{
    return job->originals ? launch_warps(t1, t1->lift, WVL_CUDA_T1_LIFT_THREADS, job, route) : WVL_CUDA_SUCCESS;
}

wvl_cuda_status wvl_cuda_t1_launch_settled(const wvl_cuda_t1 *t1, const wvl_cuda_t1_job *job, wvl_cuda_route route)
{
    return job->originals ? launch_warps(t1, t1->settle, WVL_CUDA_T1_LIFT_THREADS, job, route) : WVL_CUDA_SUCCESS;
}
