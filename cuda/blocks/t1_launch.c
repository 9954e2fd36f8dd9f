/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/blocks/t1_launch.h"

#include <string.h>

#include "base/try.h"
#include "codec/core/t1_pass.h"

/* ---- Kernels --------------------------------------------------------------------------------- */

wvl_cuda_status wvl_cuda_t1_open(wvl_cuda_t1 *t1, const wvl_cuda_runtime *runtime, wvl_cuda_module module)
{
    memset(t1, 0, sizeof *t1);
    t1->runtime = runtime;
    wvl_cuda_status status = runtime->module_function(&t1->sort, module, "wvl_t1_sort");
    TRY(status, runtime->module_function(&t1->mq, module, "wvl_t1_mq"));
    TRY(status, runtime->module_function(&t1->mq_styled, module, "wvl_t1_mq_styled"));
    TRY(status, runtime->module_function(&t1->weigh, module, "wvl_t1_weigh"));
    TRY(status, runtime->module_function(&t1->gather, module, "wvl_t1_gather"));
    return status ? status : runtime->module_function(&t1->ends, module, "wvl_t1_ends");
}

/* ---- Launches -------------------------------------------------------------------------------- */

static wvl_cuda_status launch_kernel(const wvl_cuda_t1 *t1, wvl_cuda_function function, uint32_t items,
                                     uint32_t threads, uint32_t shared_words, const wvl_cuda_t1_job *job,
                                     wvl_cuda_route route)
{
    wvl_cuda_t1_job copy = *job;
    void *arguments[] = {&copy};
    const wvl_cuda_grid grid = {(items + threads - 1) / threads, 1, threads, 4 * shared_words};
    return wvl_cuda_run(t1->runtime, function, grid, 0, route, arguments);
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

wvl_cuda_status wvl_cuda_t1_launch_mq(const wvl_cuda_t1 *t1, const wvl_cuda_t1_job *job, wvl_cuda_route route)
{
    uint32_t count = job->block_count, mq_threads = wvl_cuda_t1_count_mq_threads(job);
    if (!count) {
        return WVL_CUDA_SUCCESS;
    }
    wvl_cuda_status status =
        launch_kernel(t1, t1->sort, 1, WVL_CUDA_T1_SORT_THREADS, WVL_CUDA_T1_SORT_WORDS, job, route);
    if (!status && job->block_errors) {
        status = launch_kernel(t1, t1->weigh, 32 * count, WVL_CUDA_T1_WEIGH_THREADS, 0, job, route);
    }
    TRY(status, launch_kernel(t1, job->is_styled ? t1->mq_styled : t1->mq, mq_threads, WVL_CUDA_T1_MQ_THREADS,
                              WVL_CUDA_T1_MQ_WORDS, job, route));
    return status || !job->passes || job->is_styled
               ? status
               : launch_kernel(t1, t1->ends, 32 * count, WVL_CUDA_T1_ENDS_THREADS, 0, job, route);
}

wvl_cuda_status wvl_cuda_t1_launch_gather(const wvl_cuda_t1 *t1, const wvl_cuda_t1_job *job, wvl_cuda_route route)
{
    return job->block_count
               ? launch_kernel(t1, t1->gather, 32 * job->block_count, WVL_CUDA_T1_GATHER_THREADS, 0, job, route)
               : WVL_CUDA_SUCCESS;
}

/* ---- Records --------------------------------------------------------------------------------- */

static void copy_pass(const wvl_cuda_t1_pass *from, wvl_pass *to)
{
    to->safe_bytes = from->safe_bytes;
    to->final_bytes = from->final_bytes;
    to->tail_count = from->tail_count;
    to->flags = from->flags;
    memcpy(to->tail, from->tail, sizeof to->tail);
}

/* From the last pass to the first: the end of a segment holds for all its passes. */
static void fill_passes(unsigned style, const wvl_cuda_t1_record *record, const uint32_t *ends, wvl_pass *passes)
{
    uint32_t end = record->bytes;
    for (uint32_t i = record->passes; i-- > 0;) {
        int is_end = wvl_t1_pass_is_end(i, style);
        end = is_end ? ends[i] : end;
        passes[i].safe_bytes = passes[i].final_bytes = end;
        passes[i].flags = (uint8_t)((wvl_t1_pass_is_raw(i, style) ? WVL_PASS_RAW : 0) |
                                    (is_end || i + 1 == 3u * record->planes - 2 ? WVL_PASS_TERM : 0));
    }
}

void wvl_cuda_t1_describe(const wvl_cuda_t1_block *block, const wvl_cuda_t1_record *record, const uint32_t *ends,
                          const wvl_cuda_t1_pass *passes, wvl_block_output *out)
{
    out->length = record->bytes;
    out->planes = record->planes;
    out->pass_count = record->passes;
    out->energy = 0;
    out->energy_shift = 0;
    memset(out->passes, 0, record->passes * sizeof *out->passes);
    if (!passes) {
        fill_passes(block->style, record, ends, out->passes);
        return;
    }
    for (uint32_t i = 0; i < record->passes; i++) {
        copy_pass(&passes[i], &out->passes[i]);
    }
}
