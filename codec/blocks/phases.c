/* SPDX-License-Identifier: BSD-2-Clause */
/* What is ordered of a wave, and in which order: phases that show how deep later blocks are coded, then what was left
 * too early. */
#include "base/try.h"
#include "codec/blocks/block_wave.h"
#include "codec/blocks/survey.h"

#include <string.h>

static void choose_thresholds(const wvl_block_wave *w, unsigned phase, uint32_t *thresholds)
{
    wvl_depth_fetch_thresholds(&w->blocks->depth, wvl_block_wave_find_margin(w, phase), thresholds);
}

/* What is known from complete blocks goes to all that are at work or to come. */
static void set_thresholds(wvl_block_wave *w, unsigned phase)
{
    uint32_t thresholds[WVL_RATE_GROUPS] = {0};
    choose_thresholds(w, phase, thresholds);
    wvl_block_wave_set_thresholds(w, thresholds);
}

static void advance(void *user, uint64_t complete)
{
    wvl_block_wave *w = user;
    unsigned phase = atomic_load_explicit(&w->phase, memory_order_relaxed);
    if (phase + 1 < WVL_WORK_PHASES && complete >= wvl_work_blocks_until(&w->list, phase) &&
        atomic_compare_exchange_strong(&w->phase, &phase, phase + 1)) {
        set_thresholds(w, phase + 1);
    }
}

/* Ranges from `first` on, the first of this phase. Thresholds follow what complete blocks show, while they are coded or
 * between orders. */
static wvl_status code_on(wvl_block_wave *w, uint64_t first, unsigned phase)
{
    wvl_keeper *k = &w->blocks->keeper;
    wvl_status status = WVL_OK;
    atomic_store(&w->phase, phase);
    set_thresholds(w, phase);
    for (; w->blocks->source.takes_snapshots && phase + 1 < WVL_WORK_PHASES && status == WVL_OK; phase++) {
        status = wvl_block_wave_code(w, first, w->list.ends[phase]);
        first = w->list.ends[phase];
        set_thresholds(w, phase + 1);
    }
    if (status != WVL_OK) {
        return status;
    }
    k->advance = w->blocks->source.takes_snapshots ? NULL : advance;
    k->advance_user = w;
    status = wvl_block_wave_code(w, first, w->list.range_count);
    k->advance = NULL;
    return status;
}

/* Codes what was left too early for what is known now, and what was quantised for other slopes than those known now. */
static wvl_status code_rest(wvl_block_wave *w)
{
    wvl_keeper *k = &w->blocks->keeper;
    int is_needed = w->order.stale < UINT32_MAX;
    choose_thresholds(w, WVL_WORK_PHASES, w->order.wanted);
    wvl_block_wave_set_thresholds(w, w->order.wanted);
    k->feeds_depth = 0;
    for (unsigned g = 0; g < w->blocks->depth.groups; g++) {
        if (atomic_load(&k->decided[g]) > w->order.wanted[g]) {
            is_needed = 1;
            atomic_store(&k->decided[g], w->order.wanted[g]);
        }
    }
    w->order.which = WVL_BLOCKS_OPEN;
    return is_needed ? wvl_block_wave_code(w, 0, w->list.range_count) : WVL_OK;
}

static wvl_status code_phases(wvl_block_wave *w)
{
    uint64_t first = 0;
    wvl_status status = w->plan->rate.rdoq ? wvl_survey_wave(w, &first) : WVL_OK;
    TRY(status, code_on(w, first, first ? WVL_SURVEY_PHASES : 0));
    return status == WVL_OK ? code_rest(w) : status;
}

wvl_status wvl_blocks_code_wave(wvl_blocks *b, const wvl_plan *plan, const wvl_coefs *coefs, uint32_t tile_count,
                                const wvl_block_order *order, int is_first)
{
    int is_phased = is_first && b->depth.is_enabled;
    wvl_block_wave wave = {.blocks = b, .plan = plan, .order = *order};
    wvl_work_build(&wave.list, &b->work, plan, coefs, tile_count, is_phased ? &b->depth : NULL);
    b->keeper.coefs = coefs;
    b->keeper.feeds_depth = is_phased;
    b->keeper.feeds_survey = 0;
    atomic_store(&b->keeper.complete, 0);
    wvl_block_wave_set_thresholds(&wave, order->thresholds);
    wvl_pool_source_take_wave(&b->pool, plan, coefs, wave.list.range_count);
    return is_phased ? code_phases(&wave) : wvl_block_wave_code(&wave, 0, wave.list.range_count);
}
