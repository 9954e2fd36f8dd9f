/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/rate/portion.h"

#include "base/alloc.h"
#include "codec/rate/histogram.h"
#include "codec/rate/measure.h"
#include "codec/rate/packets_host.h"
#include "codec/rate/sweep.h"

static uint32_t threshold_of(const wvl_layer_target *target)
{
    return target->kind == WVL_RATE_SLOPE ? (uint32_t)target->value : 0;
}

/* Blocks are coded for the slope of the last layer (codec/rate/depth.c): no other may be below it. */
int wvl_layers_are_given(const wvl_plan *plan)
{
    const wvl_rate_plan *rate = &plan->rate;
    uint32_t last = threshold_of(&rate->layers[plan->syntax.layer_count - 1]);
    int is_given = !rate->max_bytes && !rate->max_component_bytes && !rate->rdoq && !rate->follows_step &&
                   !rate->keep_coefs && !rate->measure_layers;
    for (uint32_t i = 0; i < plan->syntax.layer_count && is_given; i++) {
        const wvl_layer_target *target = &rate->layers[i];
        is_given = (target->kind == WVL_RATE_ALL || target->kind == WVL_RATE_SLOPE) && threshold_of(target) >= last;
    }
    return is_given;
}

static void carve_memory(wvl_layer_job *job, wvl_carver *carver)
{
    uint32_t n = wvl_plan_cap_groups(job->plan);
    job->thresholds = wvl_carve(carver, n, sizeof *job->thresholds);
    job->component_totals = wvl_carve(carver, n, sizeof *job->component_totals);
    job->sweep_order = wvl_carve(carver, 1, wvl_sweep_bytes());
    job->scratch = wvl_carve(carver, job->workers, wvl_rate_scratch_bytes(&job->sizes));
}

uint64_t wvl_layers_portion_bytes(const wvl_plan *plan, const wvl_t2_sizes *sizes, uint32_t workers)
{
    wvl_layer_job job = {.plan = plan, .sizes = *sizes, .workers = workers};
    wvl_carver carver = {NULL, 0};
    carve_memory(&job, &carver);
    return carver.used;
}

static void add_cost(wvl_layer_cost *sum, const wvl_layer_cost *cost)
{
    sum->packet_bytes += cost->packet_bytes;
    sum->plt_bytes += cost->plt_bytes;
    sum->plm_bytes += cost->plm_bytes;
    sum->header_bytes += cost->header_bytes;
}

static wvl_status commit_layer(wvl_layer_job *job, uint32_t layer, wvl_layer_sums *sums)
{
    const wvl_plan *plan = job->plan;
    uint32_t threshold = threshold_of(&plan->rate.layers[layer]), n = wvl_plan_cap_groups(plan);
    int is_last = layer + 1 == plan->syntax.layer_count;
    wvl_layer_cuts cuts = {job->thresholds, layer, is_last};
    wvl_layer_cost cost;
    for (uint32_t g = 0; g < n; g++) {
        job->thresholds[g] = threshold;
        job->component_totals[g] = 0;
    }
    wvl_rate_open_layer(job, layer);
    wvl_rate_cut_layer(job, &cuts);
    wvl_status status = wvl_rate_commit_layer(job, &cuts, &cost, job->component_totals);
    if (status != WVL_OK) {
        return status;
    }
    add_cost(&sums->cost, &cost);
    return is_last && plan->rate.lossless ? WVL_OK : wvl_packets_add_sent(job, &sums->sent);
}

/* Nothing is below what blocks were coded for (wvl_layers_are_given). */
static int is_decided(const wvl_layer_job *job)
{
    uint32_t least = threshold_of(&job->plan->rate.layers[job->plan->syntax.layer_count - 1]);
    for (uint32_t g = 0; g < wvl_plan_rate_groups(job->plan); g++) {
        if (job->decided[g] > least) {
            return 0;
        }
    }
    return 1;
}

wvl_status wvl_layers_commit_portion(wvl_layer_job *job, wvl_layer_sums *sums, double *energy)
{
    wvl_carver carver = {NULL, 0};
    if (!is_decided(job)) {
        job->problem = "blocks were not coded as deep as the layers need: a defect of the library, please report it";
        return WVL_ERROR_INTERNAL;
    }
    uint64_t bytes = wvl_layers_portion_bytes(job->plan, &job->sizes, job->workers);
    void *memory = wvl_alloc(job->allocator, bytes);
    if (!memory) {
        return WVL_ERROR_MEMORY;
    }
    carver = (wvl_carver){memory, 0};
    carve_memory(job, &carver);
    job->header_count = job->contribution_count = 0;
    wvl_packets_open(job);
    wvl_histogram_add_energy(job, energy);
    wvl_status status = wvl_look_is_over(job->look) ? WVL_CANCELLED : WVL_OK;
    for (uint32_t layer = 0; layer < job->plan->syntax.layer_count && status == WVL_OK; layer++) {
        status = commit_layer(job, layer, &sums[layer]);
    }
    wvl_free(job->allocator, memory, bytes);
    return status == WVL_OK && wvl_look_is_over(job->look) ? WVL_CANCELLED : status;
}

static double find_squared_error(const wvl_plan *plan, const wvl_sent_sums *sent, double energy)
{
    if (sent->is_everything && plan->rate.reversible_share >= 1.0) {
        return 0.0;
    }
    return plan->rate.visual ? wvl_layers_squared_error(plan, sent->energy_plain, sent->gain_plain)
                             : wvl_layers_squared_error(plan, energy, sent->gain);
}

void wvl_layers_report_sums(wvl_layer_job *job, const wvl_layer_sums *sums, double energy)
{
    const wvl_plan *plan = job->plan;
    wvl_layer_cost cost = {0, 0, 0, 0};
    for (uint32_t i = 0; i < plan->syntax.layer_count; i++) {
        int is_exact = i + 1 == plan->syntax.layer_count && plan->rate.lossless;
        add_cost(&cost, &sums[i].cost);
        job->layers[i] = (wvl_layer_result){
            .bytes = wvl_rate_codestream_bytes(job, cost),
            .slope = threshold_of(&plan->rate.layers[i]),
            .squared_error = is_exact ? 0.0 : find_squared_error(plan, &sums[i].sent, energy),
            .decoded_error = -1.0,
        };
    }
}
