/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/blocks/block_wave.h"

#include "codec/blocks/survey.h"
#include "codec/rate/measure.h"

uint32_t wvl_block_wave_find_margin(const wvl_block_wave *w, unsigned phase)
{
    return wvl_survey_find_margin(phase, w->list.run_count, wvl_rate_reach(w->plan));
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
    w->order.runs = w->list.memory.runs + first;
    w->order.run_count = end - first;
    for (unsigned g = 0; g < WVL_RATE_GROUPS; g++) {
        w->order.thresholds[g] = atomic_load_explicit(&b->keeper.thresholds[g], memory_order_relaxed);
    }
    wvl_status status = b->source.code(b->source.self, &w->order, &b->keeper);
    b->problem = status == WVL_ERROR_INTERNAL
                     ? "a coefficient exceeds its proved bound: a defect of the library, please report it"
                     : NULL;
    return status;
}

wvl_status wvl_block_wave_weigh(wvl_block_wave *w, uint64_t runs)
{
    wvl_blocks *b = w->blocks;
    uint32_t *weights = w->list.memory.weights;
    w->order.runs = w->list.memory.runs;
    w->order.run_count = runs;
    wvl_status status = b->source.weigh(b->source.self, &w->order, &b->keeper, weights);
    for (uint64_t i = 0; i < runs && status == WVL_OK; i++) {
        const wvl_block_run *run = &w->list.memory.runs[i];
        wvl_depth_weigh(wvl_depth_survey_of(&b->depth, run->rate_group, run->is_fine), weights[i],
                        wvl_work_count_samples(&w->list, run));
    }
    return status;
}
