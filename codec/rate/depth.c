/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/rate/depth.h"

#include <stddef.h>
#include <string.h>

#include "codec/rate/measure.h"

#define UNLIMITED 1e18
#define WVL_DEPTH_BYTES_OF_WEIGHT 0.09 /* measured on photographs: 0.07 to 0.11 */

/* Every other target needs what lies below the threshold, or is not found by bytes. */
int wvl_depth_is_possible(const wvl_plan *plan)
{
    const wvl_layer_target *last = &plan->rate.layers[plan->syntax.layer_count - 1];
    int kind = last->kind == WVL_RATE_BYTES || last->kind == WVL_RATE_SLOPE ||
               (last->kind == WVL_RATE_ALL && plan->rate.max_bytes);
    for (uint32_t i = 0; i < plan->syntax.layer_count; i++) {
        kind = kind && plan->rate.layers[i].kind != WVL_RATE_PSNR;
    }
    return kind && !plan->syntax.region_count && wvl_rate_reach(plan) < 65536 &&
           (!plan->rate.max_component_bytes || wvl_plan_rate_groups(plan) > 1);
}

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

static uint32_t count_used(const wvl_depth *depth, const wvl_depth_part *parts)
{
    uint32_t used = 0;
    for (uint32_t k = 0; k < 2 * depth->groups; k++) {
        used = wvl_max_u32(used, atomic_load_explicit(&parts[k].used, memory_order_relaxed));
    }
    return used;
}

/* Factors from bytes seen to bytes of the picture. 0: too little is known. */
/* Where blocks are surveyed, weights stand for samples. */
static int scale_parts(const wvl_depth *depth, const wvl_depth_part *parts, double *scales)
{
    double wave = 0.0;
    for (uint32_t k = 0; k < 2 * depth->groups; k++) {
        wave += depth->parts[k].samples;
    }
    for (uint32_t k = 0; k < 2 * depth->groups; k++) {
        double seen = (double)atomic_load_explicit(&parts[k].seen, memory_order_relaxed),
               all = parts == depth->survey ? (double)atomic_load_explicit(&parts[k].weight, memory_order_relaxed)
                                            : parts[k].samples;
        all *= depth->samples / wave;
        if (seen <= 0.0 && all > 0.0) {
            return 0;
        }
        scales[k] = all > 0.0 ? all / seen : 0.0;
    }
    return 1;
}

static uint32_t lower(uint32_t bin, int64_t margin)
{
    int64_t threshold = ((int64_t)bin << WVL_DEPTH_BIN_LOG2) - margin;
    return threshold < 0 || !bin ? 0 : threshold > 65535 ? 65535 : (uint32_t)threshold;
}

/* Down from the steep end until the budget is full; a group that is full before stops counting. */
/* floors: slopes below which nothing counts; NULL: none. */
static void find_thresholds(const wvl_depth *depth, const wvl_depth_part *parts, const uint32_t *floors, int64_t margin,
                            uint32_t *thresholds)
{
    double scales[2 * WVL_RATE_GROUPS], bytes[WVL_RATE_GROUPS] = {0}, total = 0.0;
    int is_full[WVL_RATE_GROUPS] = {0}, is_known = depth->known || !scale_parts(depth, parts, scales);
    uint32_t bin = is_known ? 0 : count_used(depth, parts);
    for (uint32_t g = 0; g < depth->groups; g++) {
        thresholds[g] = depth->known;
    }
    while (bin && total <= depth->budget) {
        bin--;
        total = 0.0;
        for (uint32_t g = 0; g < depth->groups; g++) {
            int is_known_here = !floors || bin << WVL_DEPTH_BIN_LOG2 >= floors[g];
            for (uint32_t k = 2 * g; k < 2 * g + 2 && !is_full[g] && is_known_here; k++) {
                bytes[g] += scales[k] * (double)atomic_load_explicit(&parts[k].bins[bin], memory_order_relaxed);
            }
            if (!is_full[g] && bytes[g] > depth->cap) {
                is_full[g] = 1;
                thresholds[g] = lower(bin, margin);
            }
            total += is_full[g] ? depth->cap : bytes[g];
        }
    }
    for (uint32_t g = 0; g < depth->groups && !is_known; g++) {
        thresholds[g] = is_full[g] ? thresholds[g] : total > depth->budget ? lower(bin, margin) : 0;
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
    double bytes = 0.0, wave = 0.0, least = depth->cap * depth->groups;
    for (uint32_t k = 0; k < 2 * depth->groups; k++) {
        double samples = (double)atomic_load(&depth->survey[k].weighed);
        bytes +=
            samples > 0.0 ? (double)atomic_load(&depth->survey[k].weight) / samples * depth->parts[k].samples : 0.0;
        wave += depth->parts[k].samples;
    }
    return bytes * depth->samples / wave * WVL_DEPTH_BYTES_OF_WEIGHT > (least < depth->budget ? least : depth->budget);
}

void wvl_depth_clear_survey(const wvl_depth *depth)
{
    for (uint32_t k = 0; k < 2 * depth->groups; k++) {
        wvl_depth_part *part = &depth->survey[k];
        memset(part, 0, offsetof(wvl_depth_part, bins) + atomic_load(&part->used) * sizeof part->bins[0]);
    }
}
