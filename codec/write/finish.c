/* SPDX-License-Identifier: BSD-2-Clause */
/* After the last block: tile-parts, layers over the whole picture, and lengths, or another coding. */
#include "codec/write/finish.h"

#include <stdio.h>

#include "codec/rate/packets_host.h"
#include "codec/write/division.h"
#include "codec/write/lengths.h"

static void describe_job(wvl_coder *coder)
{
    const wvl_plan *plan = coder->plan;
    const wvl_keeper *keeper = &coder->blocks.keeper;
    wvl_layer_job *job = &coder->layer_job;
    job->plan = plan;
    job->allocator = coder->allocator;
    job->pool = coder->pool;
    job->rank = coder->rank;
    job->look = coder->look;
    job->workers = keeper->writer_count;
    job->slope_least = atomic_load(&keeper->slope_least);
    job->slope_most = atomic_load(&keeper->slope_most);
    job->bytes = &keeper->bytes;
    job->passes = &keeper->passes;
    job->tiles = coder->tiles;
    job->portion = (wvl_portion){.end = plan->syntax.tile_count};
    job->packets = wvl_packets_of_job(job);
    job->sizes = coder->sizes;
    job->layers = coder->layers;
    job->measure_error = coder->measure_error;
    job->measure_user = coder->measure_user;
    job->overhead.part_count = coder->part_count + wvl_coder_reserved_parts(plan);
    job->overhead.codestream_bytes = wvl_cs_measure_main_header(plan, job->overhead.part_count) +
                                     job->overhead.part_count * WVL_CS_SOT_SOD_BYTES + WVL_CS_END_BYTES;
    job->overhead.component_bytes = coder->component_overhead;
    for (uint32_t t = 0; (plan->syntax.progression_count || plan->syntax.choice_count) && t < plan->syntax.tile_count;
         t++) {
        job->overhead.codestream_bytes += wvl_cs_measure_tile_segments(plan, t);
    }
    for (unsigned g = 0; g < WVL_RATE_GROUPS; g++) {
        job->decided[g] = keeper->decided[g];
    }
}

static wvl_status allocate_layers(wvl_coder *coder)
{
    wvl_layer_job *job = &coder->layer_job;
    wvl_status status = wvl_layers_allocate(job);
    if (status == WVL_ERROR_UNREACHABLE) {
        snprintf(coder->problem, sizeof coder->problem, "%s (%llu bytes)", job->problem,
                 (unsigned long long)job->problem_bytes);
    }
    return status;
}

/* Says whether the picture is coded again. If so, its layers go. */
static wvl_status decide(wvl_coder *coder, wvl_status status)
{
    wvl_recode_facts facts = {coder->plan,  coder->allocator,     status, &coder->layer_job, coder->layers[0].slope,
                              coder->tiles, &coder->blocks.keeper};
    status = wvl_recode_decide(&coder->recode, &facts);
    if (wvl_coder_wants_again(coder)) {
        wvl_layers_fini(&coder->layer_job);
        memset(&coder->layer_job, 0, sizeof coder->layer_job);
        coder->plan = coder->recode.rescale.is_open ? &coder->recode.rescale.plan : coder->plan;
    }
    return status;
}

static wvl_status check_caps(wvl_coder *coder)
{
    const wvl_plan *plan = coder->plan;
    const wvl_layer_target *last = &plan->rate.layers[plan->syntax.layer_count - 1];
    uint64_t bytes = wvl_coder_codestream_bytes(coder);
    coder->layers[plan->syntax.layer_count - 1].bytes =
        bytes; /* exact: marker segments of lengths and headers were bounded before */
    if ((plan->rate.max_bytes && bytes > plan->rate.max_bytes) ||
        (last->kind == WVL_RATE_BYTES && (double)bytes > last->value)) {
        snprintf(coder->problem, sizeof coder->problem,
                 "the codestream has %llu bytes, more than its cap: a defect of the library, please report it",
                 (unsigned long long)bytes);
        return WVL_ERROR_INTERNAL;
    }
    return WVL_OK;
}

wvl_status wvl_coder_open_layers(wvl_coder *coder, const wvl_tile_walk *tiles, const wvl_order_memory *memory)
{
    /* Parts and their cost are counted anew every time layers are chosen. */
    memset(coder->parts, 0, wvl_plan_most_parts(coder->plan) * sizeof *coder->parts);
    memset(coder->component_overhead, 0, wvl_plan_cap_groups(coder->plan) * sizeof *coder->component_overhead);
    wvl_status status = wvl_coder_divide_tiles(coder, tiles, memory);
    if (status == WVL_OK) {
        describe_job(coder);
    }
    return status;
}

wvl_status wvl_coder_finish(wvl_coder *coder, const wvl_tile_walk *tiles, const wvl_order_memory *memory)
{
    wvl_pool_source_drop(&coder->blocks.pool);
    wvl_recode_end(&coder->recode);
    wvl_status status = wvl_coder_open_layers(coder, tiles, memory);
    if (status == WVL_OK) {
        status = decide(coder, allocate_layers(coder));
    }
    if (status != WVL_OK || wvl_coder_wants_again(coder)) {
        return status;
    }
    status = wvl_coder_measure_lengths(coder, tiles, memory, coder->layer_job.portion, 0);
    return status == WVL_OK ? check_caps(coder) : status;
}
