/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/host/coders/rate_layers.h"

#include "codec/core/layer_targets.h"

static uint32_t slope_of(const wvl_layer_target *target)
{
    return target->kind == WVL_RATE_SLOPE ? (uint32_t)target->value : 0;
}

/* An automatic layer takes a part of what the next given one takes. */
static wvl_cuda_rate_layer describe_layer(const wvl_plan *plan, const wvl_cuda_rate_job *job, uint32_t layer,
                                          uint64_t budget)
{
    uint32_t given = wvl_layer_find_given(plan, layer), kind = plan->rate.layers[layer].kind;
    return (wvl_cuda_rate_layer){.budget = budget,
                                 .share = given > layer ? wvl_layer_find_share(given, layer) : 0.0,
                                 .room = wvl_layer_find_room(plan, given, job->overhead_bytes, INFINITY),
                                 .least = slope_of(&plan->rate.layers[given]),
                                 .fills_always =
                                     plan->rate.max_component_bytes && kind != WVL_RATE_SLOPE && kind != WVL_RATE_AUTO};
}

void wvl_cuda_set_layers(const wvl_plan *plan, wvl_cuda_rate_job *job)
{
    uint64_t budget = plan->rate.max_bytes ? plan->rate.max_bytes : WVL_NO_BUDGET, empty = 0;
    for (uint32_t layer = plan->syntax.layer_count; layer-- > 0; empty = job->empty_layer_bytes) {
        budget = wvl_layer_find_budget(&plan->rate.layers[layer], budget, empty);
        job->layers[layer] = describe_layer(plan, job, layer, budget);
    }
    const wvl_cuda_rate_layer *last = &job->layers[plan->syntax.layer_count - 1];
    job->budget = last->budget;
    job->least = last->least;
    job->fills_always = last->fills_always;
}
