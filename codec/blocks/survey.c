/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/blocks/survey.h"
#include "base/try.h"

#include <string.h>

/* About the slopes at which the picture ends, by weight alone: where the weight of the first phases' blocks is that of
 * the budget. */
static wvl_status guess_slopes(wvl_block_wave *w)
{
    wvl_depth *depth = &w->blocks->depth;
    uint32_t slope = WVL_SURVEY_LEAST_GUESS;
    wvl_status status = WVL_OK;
    for (uint32_t step = WVL_SURVEY_FIRST_STEP; step >= WVL_SURVEY_LAST_STEP && status == WVL_OK; step /= 2) {
        for (unsigned g = 0; g < depth->groups; g++) {
            w->order.slopes[g] = slope + step;
        }
        status = wvl_block_wave_weigh(w, w->list.ends[1]);
        slope += wvl_depth_is_heavy(depth) ? step : 0;
        wvl_depth_clear_survey(depth);
    }
    for (unsigned g = 0; g < depth->groups; g++) {
        w->order.slopes[g] = slope;
    }
    return status;
}

/* Slopes of the blocks to come, from those surveyed. */
static void choose_slopes(wvl_block_wave *w, uint32_t margin, int is_damped)
{
    const wvl_depth *depth = &w->blocks->depth;
    const uint32_t *floors = w->blocks->survey.floors;
    uint32_t before[WVL_RATE_GROUPS], *slopes = w->order.slopes;
    memcpy(before, slopes, sizeof before);
    wvl_depth_fetch_slopes(depth, floors, slopes);
    for (unsigned g = 0; g < depth->groups; g++) {
        slopes[g] = wvl_survey_choose_slope(slopes[g], before[g], floors[g], margin, is_damped);
    }
}

/* Codes ranges up to the end of the phase. Depths follow from slopes alone, so that what these blocks show is the same
 * everywhere. */
static wvl_status code_phase(wvl_block_wave *w, unsigned phase, uint64_t first)
{
    const wvl_depth *depth = &w->blocks->depth;
    uint32_t margin = wvl_block_wave_find_margin(w, phase), thresholds[WVL_RATE_GROUPS] = {0},
             *floors = w->blocks->survey.floors;
    for (unsigned g = 0; g < depth->groups; g++) {
        uint32_t threshold = wvl_survey_find_depth(w->order.slopes[g], margin);
        floors[g] = wvl_max_u32(floors[g], threshold);
        thresholds[g] = depth->is_full ? 0 : threshold;
    }
    wvl_block_wave_set_thresholds(w, thresholds);
    return wvl_block_wave_code(w, first, w->list.ends[phase]);
}

static wvl_status code_surveyed(wvl_block_wave *w)
{
    wvl_status status = WVL_OK;
    w->blocks->keeper.feeds_survey = 1;
    for (unsigned phase = 0; phase < WVL_SURVEY_PHASES && status == WVL_OK; phase++) {
        status = code_phase(w, phase, phase ? w->list.ends[phase - 1] : 0);
        choose_slopes(w, wvl_block_wave_find_margin(w, phase), wvl_survey_is_damped(phase));
    }
    w->blocks->keeper.feeds_survey = 0;
    return status;
}

wvl_status wvl_survey_wave(wvl_block_wave *w, uint64_t *coded)
{
    wvl_survey *survey = &w->blocks->survey;
    wvl_status status = WVL_OK;
    w->order.sets_slopes = 1;
    w->order.stale = w->list.range_count < WVL_SURVEY_FEW_RANGES
                         ? WVL_SURVEY_STALE
                         : UINT32_MAX; /* with few blocks, early ones were quantised for poor estimates */
    *coded = 0;
    if (w->blocks->depth.known) {
        wvl_depth_fetch_slopes(&w->blocks->depth, survey->floors, w->order.slopes);
        return WVL_OK;
    }
    memcpy(w->order.slopes, survey->slopes, sizeof w->order.slopes);
    if (!survey->is_begun) {
        status = guess_slopes(w);
    }
    survey->is_begun = 1;
    TRY(status, wvl_block_wave_weigh(w, w->list.range_count));
    if (status != WVL_OK) {
        return status;
    }
    wvl_work_sort(&w->list);
    status = code_surveyed(w);
    memcpy(survey->slopes, w->order.slopes, sizeof survey->slopes);
    *coded = w->list.ends[WVL_SURVEY_PHASES - 1];
    return status;
}
