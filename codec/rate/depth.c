/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/rate/depth.h"

#define UNLIMITED 1e18

int wvl_depth_is_possible(const wvl_plan *plan) { return wvl_survey_is_possible(plan); }

uint64_t wvl_depth_memory_bytes(const wvl_plan *plan)
{
    return wvl_depth_is_possible(plan) ? (plan->rate.rdoq ? 4 : 2) * wvl_plan_rate_groups(plan) * sizeof(wvl_depth_part)
                                       : 0;
}

void wvl_depth_init(wvl_depth *depth, const wvl_plan *plan, void *memory)
{
    const wvl_layer_target *last = &plan->rate.layers[plan->syntax.layer_count - 1];
    memset(depth, 0, sizeof *depth);
    depth->is_enabled = wvl_depth_is_possible(plan) && (!plan->test.depth_full || plan->rate.rdoq);
    depth->is_full = plan->test.depth_full;
    depth->bias = plan->test.depth_bias;
    depth->groups = wvl_plan_rate_groups(plan);
    depth->samples = (double)plan->syntax.total_samples;
    depth->budget = last->kind == WVL_RATE_BYTES ? last->value : UNLIMITED;
    if (plan->rate.max_bytes && (double)plan->rate.max_bytes < depth->budget) {
        depth->budget = (double)plan->rate.max_bytes;
    }
    depth->cap = plan->rate.max_component_bytes ? (double)plan->rate.max_component_bytes : UNLIMITED;
    depth->known = last->kind == WVL_RATE_SLOPE ? (uint32_t)last->value : 0;
    depth->parts = memory;
    depth->survey = depth->is_enabled && plan->rate.rdoq ? depth->parts + 2 * (size_t)depth->groups : NULL;
}

void wvl_depth_put_block(wvl_depth_part *part, const wvl_pass *passes, const uint16_t *slopes, uint32_t pass_count,
                         uint64_t samples)
{
    uint32_t end = 0, bytes = 0, used = atomic_load_explicit(&part->used, memory_order_relaxed);
    atomic_fetch_add_explicit(&part->seen, samples, memory_order_relaxed);
    for (uint32_t i = 0; i < pass_count; i++) {
        if (slopes[i]) {
            uint32_t bin = slopes[i] >> WVL_DEPTH_BIN_LOG2;
            atomic_fetch_add_explicit(&part->bins[bin], passes[i].final_bytes - bytes, memory_order_relaxed);
            bytes = passes[i].final_bytes;
            end = wvl_max_u32(end, bin + 1);
        }
    }
    while (end > used && !atomic_compare_exchange_weak_explicit(&part->used, &used, end, memory_order_relaxed,
                                                                memory_order_relaxed)) {
    }
}

static wvl_survey_aim find_aim(const wvl_depth *depth)
{
    return (wvl_survey_aim){depth->budget, depth->cap, depth->samples, depth->groups};
}

/* Where blocks are surveyed, weights stand for samples. */
static void load_sums(const wvl_depth *depth, const wvl_depth_part *parts, wvl_survey_sums *sums)
{
    for (uint32_t k = 0; k < 2 * depth->groups; k++) {
        sums[k].samples = depth->parts[k].samples;
        sums[k].seen = atomic_load_explicit(&parts[k].seen, memory_order_relaxed);
        sums[k].weight = atomic_load_explicit(&parts[k].weight, memory_order_relaxed);
        sums[k].weighed = atomic_load_explicit(&parts[k].weighed, memory_order_relaxed);
        sums[k].all = parts == depth->survey ? (double)sums[k].weight : depth->parts[k].samples;
    }
}

/* floors: slopes below which nothing counts; NULL: none. */
static void find_thresholds(const wvl_depth *depth, const wvl_depth_part *parts, const uint32_t *floors, int64_t margin,
                            uint32_t *thresholds)
{
    wvl_survey_sums sums[WVL_DEPTH_PARTS];
    wvl_survey_aim aim = find_aim(depth);
    wvl_descent descent;
    load_sums(depth, parts, sums);
    int is_open = !depth->known && wvl_descent_open(&descent, &aim, sums, floors, margin);
    if (is_open) {
        uint32_t bin = 0;
        for (uint32_t k = 0; k < 2 * depth->groups; k++) {
            bin = wvl_max_u32(bin, atomic_load_explicit(&parts[k].used, memory_order_relaxed));
        }
        while (bin && wvl_descent_is_open(&descent)) {
            bin--;
            uint64_t bytes[WVL_DEPTH_PARTS];
            for (uint32_t k = 0; k < 2 * depth->groups; k++) {
                bytes[k] = atomic_load_explicit(&parts[k].bins[bin], memory_order_relaxed);
            }
            wvl_descent_take(&descent, bin, bytes);
        }
        wvl_descent_end(&descent, bin);
    }
    for (uint32_t g = 0; g < depth->groups; g++) {
        thresholds[g] = is_open ? descent.thresholds[g] : depth->known;
    }
}

void wvl_depth_fetch_thresholds(const wvl_depth *depth, uint32_t margin, uint32_t *thresholds)
{
    find_thresholds(depth, depth->parts, NULL, (int64_t)margin - depth->bias, thresholds);
    for (uint32_t g = 0; g < depth->groups && depth->is_full; g++) {
        thresholds[g] = 0;
    }
}

void wvl_depth_fetch_slopes(const wvl_depth *depth, const uint32_t *floors, uint32_t *slopes)
{
    find_thresholds(depth, depth->survey, floors, 0, slopes);
}

void wvl_depth_weigh(wvl_depth_part *survey, uint64_t weight, uint64_t samples)
{
    atomic_fetch_add_explicit(&survey->weight, weight, memory_order_relaxed);
    atomic_fetch_add_explicit(&survey->weighed, samples, memory_order_relaxed);
}

int wvl_depth_is_heavy(const wvl_depth *depth)
{
    wvl_survey_sums sums[WVL_DEPTH_PARTS];
    wvl_survey_aim aim = find_aim(depth);
    load_sums(depth, depth->survey, sums);
    return wvl_survey_is_heavy(&aim, sums);
}

void wvl_depth_clear_survey(const wvl_depth *depth)
{
    for (uint32_t k = 0; k < 2 * depth->groups; k++) {
        wvl_depth_part *part = &depth->survey[k];
        memset(part, 0, offsetof(wvl_depth_part, bins) + atomic_load(&part->used) * sizeof part->bins[0]);
    }
}
