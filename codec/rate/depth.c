/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/rate/depth.h"

#include <string.h>

#include "codec/rate/measure.h"

/* Every other target needs what lies below the threshold, or is not found by bytes. */
int wvl_depth_is_possible(const wvl_plan *plan)
{
    const wvl_layer_target *last = &plan->layers[plan->layer_count - 1];
    int kind = last->kind == WVL_RATE_BYTES || last->kind == WVL_RATE_SLOPE || (last->kind == WVL_RATE_ALL && plan->max_bytes);
    for (uint32_t i = 0; i < plan->layer_count; i++) {
        kind = kind && plan->layers[i].kind != WVL_RATE_PSNR;
    }
    return kind && wvl_rate_reach(plan) < 65536 && !plan->max_component_bytes;
}

void wvl_depth_init(wvl_depth *depth, const wvl_plan *plan)
{
    const wvl_layer_target *last = &plan->layers[plan->layer_count - 1];
    memset(depth, 0, sizeof *depth);
    depth->is_enabled = wvl_depth_is_possible(plan) && !plan->depth_full;
    depth->bias = plan->depth_bias;
    depth->part[0].samples = (double)plan->total_samples / 16.0;
    depth->part[1].samples = (double)plan->total_samples * 15.0 / 16.0;
    depth->budget = last->kind == WVL_RATE_BYTES ? last->value : 1e18;
    if (plan->max_bytes && (double)plan->max_bytes < depth->budget) {
        depth->budget = (double)plan->max_bytes;
    }
    depth->known = last->kind == WVL_RATE_SLOPE ? (uint32_t)last->value : 0;
}

void wvl_depth_put_block(wvl_depth *depth, const wvl_hull *hull, uint64_t samples, int is_fine)
{
    atomic_fetch_add_explicit(&depth->part[is_fine].seen, samples, memory_order_relaxed);
    for (uint32_t i = 1; hull && i <= hull->top; i++) {
        atomic_fetch_add_explicit(&depth->part[is_fine].bins[hull->point[i].slope >> WVL_DEPTH_BIN_LOG2],
                                  hull->point[i].bytes - hull->point[i - 1].bytes, memory_order_relaxed);
    }
}

uint32_t wvl_depth_fetch_threshold(const wvl_depth *depth, uint32_t margin)
{
    double scale[2], bytes = 0.0;
    uint32_t bin = WVL_DEPTH_BINS;
    for (unsigned k = 0; k < 2; k++) {
        double seen = (double)atomic_load_explicit(&depth->part[k].seen, memory_order_relaxed);
        if (depth->known || seen <= 0.0) {
            return depth->known;
        }
        scale[k] = depth->part[k].samples / seen;
    }
    while (bin && bytes <= depth->budget) {
        bin--;
        for (unsigned k = 0; k < 2; k++) {
            bytes += scale[k] * (double)atomic_load_explicit(&depth->part[k].bins[bin], memory_order_relaxed);
        }
    }
    int64_t threshold = bytes <= depth->budget ? 0 : ((int64_t)bin << WVL_DEPTH_BIN_LOG2) + depth->bias - (int64_t)margin;
    return threshold < 0 ? 0 : threshold > 65535 ? 65535 : (uint32_t)threshold;
}
