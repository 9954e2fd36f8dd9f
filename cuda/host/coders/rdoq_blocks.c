/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/host/coders/rdoq_blocks.h"

#include <string.h>

#include "base/try.h"

/* Blocks that are coded in a phase: its own, and in the first one those of the lowest band. Returns how many. */
static uint32_t list_phase(const wvl_cuda_t1_block *blocks, const wvl_cuda_rdoq_phases *phases, unsigned phase,
                           uint32_t *ids)
{
    uint32_t count = 0;
    for (uint32_t i = phase ? phases->ends[phase - 1] : 0, end = phases->ends[phase]; i < end; i++) {
        if (!phase || blocks[i].orient) {
            ids[count++] = i;
        }
    }
    for (uint32_t i = phases->ends[0], end = phases->ends[WVL_SURVEY_ALL_PHASES - 1]; !phase && i < end; i++) {
        if (!blocks[i].orient) {
            ids[count++] = i;
        }
    }
    return count;
}

void wvl_cuda_rdoq_sort(const wvl_cuda_t1_block *blocks, const wvl_cuda_rdoq_phases *phases, uint32_t *lists,
                        uint32_t *all, wvl_cuda_rdoq_shapes *shapes)
{
    memset(shapes, 0, sizeof *shapes);
    for (unsigned p = 0, first = 0; p < WVL_SURVEY_ALL_PHASES; p++) {
        uint32_t count = list_phase(blocks, phases, p, all);
        wvl_cuda_t1_sort_some(blocks, all, count, lists + first, &shapes->phases[p]);
        shapes->first[p] = first;
        first += count;
    }
    wvl_cuda_t1_sort(blocks, phases->ends[WVL_SURVEY_ALL_PHASES - 1], all, &shapes->all);
}

/* The blocks of lists that are sorted so, as if there were no others. */
static wvl_cuda_t1_job slice(const wvl_cuda_t1_job *all, const wvl_cuda_t1_job *shape, uint64_t first)
{
    wvl_cuda_t1_job job = *all;
    job.block_count = shape->block_count;
    memcpy(job.class_first, shape->class_first, sizeof job.class_first);
    memcpy(job.class_count, shape->class_count, sizeof job.class_count);
    memcpy(job.item_first, shape->item_first, sizeof job.item_first);
    memcpy(job.item_most, shape->item_most, sizeof job.item_most);
    memcpy(job.narrow_count, shape->narrow_count, sizeof job.narrow_count);
    memcpy(job.wide_count, shape->wide_count, sizeof job.wide_count);
    job.lists += first * sizeof(uint32_t);
    return job;
}

/* Changes the blocks of the job, and codes those of t1. */
static wvl_cuda_status code_blocks(const wvl_cuda_rdoq_run *r, const wvl_cuda_rdoq_job *job, wvl_cuda_t1_job t1)
{
    t1.is_cleared = 1; /* scratch memory goes on behind that of the blocks before */
    wvl_cuda_status status = wvl_cuda_rdoq_launch_changes(r->rdoq, job, r->route);
    TRY(status, wvl_cuda_t1_launch_model(r->t1, &t1, r->route));
    TRY(status, wvl_cuda_rdoq_launch_energies(r->rdoq, job, r->route));
    TRY(status, wvl_cuda_t1_launch_mq(r->t1, &t1, r->route));
    return status ? status : wvl_cuda_t1_launch_hulls(r->t1, &t1, r->route);
}

static wvl_cuda_status code_phase(const wvl_cuda_rdoq_run *r, unsigned phase)
{
    wvl_cuda_rdoq_job own = wvl_cuda_rdoq_choose_phase(r->job, r->phases, phase);
    wvl_cuda_status status =
        code_blocks(r, &own, slice(&r->job->t1, &r->shapes->phases[phase], r->shapes->first[phase]));
    return status || phase >= WVL_SURVEY_PHASES ? status : wvl_cuda_rdoq_launch_slopes(r->rdoq, &own, r->route);
}

/* The blocks that `which` names; the others stay what they are. */
static wvl_cuda_status code_some(const wvl_cuda_rdoq_run *r, uint32_t which)
{
    wvl_cuda_rdoq_job own = wvl_cuda_rdoq_choose_all(r->job, r->phases);
    wvl_cuda_t1_job t1 = slice(&r->job->again, &r->shapes->all, 0);
    own.which = which;
    if (which == WVL_CUDA_RDOQ_REQUANTISED) {
        t1.asked = r->job->survey + offsetof(wvl_cuda_rdoq_survey, is_far_off);
        t1.is_rare = 1;
    }
    wvl_cuda_status status = code_blocks(r, &own, t1);
    return status ? status : wvl_cuda_rdoq_launch_take(r->rdoq, &own, r->route);
}

wvl_cuda_status wvl_cuda_rdoq_code(const wvl_cuda_rdoq_run *r)
{
    if (r->job->known || !r->phases->are_surveyed) { /* all blocks, for a slope that is known or for none */
        wvl_cuda_rdoq_job own = wvl_cuda_rdoq_choose_all(r->job, r->phases);
        wvl_cuda_t1_job t1 = slice(&r->job->t1, &r->shapes->all, 0);
        t1.lists = r->job->again.lists;
        return code_blocks(r, &own, t1);
    }
    wvl_cuda_status status = wvl_cuda_rdoq_launch_weights(r->rdoq, r->job, r->phases, r->route);
    for (unsigned p = 0; p < WVL_SURVEY_ALL_PHASES; p++) {
        TRY(status, code_phase(r, p));
    }
    int is_few = r->phases->range_count < WVL_SURVEY_FEW_RANGES;
    return status || !is_few ? status : code_some(r, WVL_CUDA_RDOQ_STALE);
}

wvl_cuda_status wvl_cuda_rdoq_code_again(const wvl_cuda_rdoq_run *r)
{
    wvl_cuda_rdoq_job own = wvl_cuda_rdoq_choose_all(r->job, r->phases);
    wvl_cuda_status status = wvl_cuda_rdoq_launch_judge(r->rdoq, &own, r->route);
    return status ? status : code_some(r, WVL_CUDA_RDOQ_REQUANTISED);
}
