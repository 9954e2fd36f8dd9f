/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/blocks/block_wave.h"

#include "codec/blocks/survey.h"
#include "codec/rate/measure.h"

uint32_t wvl_block_wave_find_margin(const wvl_block_wave *w, unsigned phase)
{
    return wvl_survey_find_margin(phase, w->list.range_count, wvl_rate_reach(w->plan));
}

void wvl_block_wave_set_thresholds(wvl_block_wave *w, const uint32_t *thresholds)
{
    for (unsigned g = 0; g < WVL_RATE_GROUPS; g++) {
        atomic_store_explicit(&w->blocks->keeper.thresholds[g], thresholds[g], memory_order_relaxed);
    }
}

wvl_status wvl_block_wave_code(wvl_block_wave *w, uint64_t first, uint64_t end)
{
    wvl_blocks *b = w->blocks;
    w->order.ranges = w->list.memory.ranges + first;
    w->order.range_count = end - first;
    for (unsigned g = 0; g < WVL_RATE_GROUPS; g++) {
        w->order.thresholds[g] = atomic_load_explicit(&b->keeper.thresholds[g], memory_order_relaxed);
    }
    wvl_status status = b->source.code(b->source.self, &w->order, &b->keeper);
    b->problem = status == WVL_ERROR_INTERNAL
                     ? "a coefficient exceeds its proved bound: a defect of the library, please report it"
                     : NULL;
    return status;
}

wvl_status wvl_block_wave_weigh(wvl_block_wave *w, uint64_t ranges)
{
    wvl_blocks *b = w->blocks;
    uint32_t *weights = w->list.memory.weights;
    w->order.ranges = w->list.memory.ranges;
    w->order.range_count = ranges;
    wvl_status status = b->source.weigh(b->source.self, &w->order, &b->keeper, weights);
    for (uint64_t i = 0; i < ranges && status == WVL_OK; i++) {
        const wvl_block_range *range = &w->list.memory.ranges[i];
        wvl_depth_weigh(wvl_depth_survey_of(&b->depth, range->rate_group, range->is_fine), weights[i],
                        wvl_work_count_samples(&w->list, range));
    }
    return status;
}
