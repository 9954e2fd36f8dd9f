/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/tile_survey.h"

#include <string.h>

#include "codec/rate/rdoq.h"
#include "codec/tile_blocks.h"

/* ---- Weights ----------------------------------------------------------------------------------------------------------------------- */

/* Weighs the blocks of a group. */
static void weigh_group(wvl_block_work *work, uint64_t index)
{
    uint64_t group = wvl_work_find_group(&work->list, index), sum = 0, samples = 0;
    const wvl_work_band *wb = wvl_work_find_band(&work->list, group);
    const wvl_tile_plan *tile = work->coefs[wb->tile].tile;
    const wvl_tile_band *band = &tile->bands[wb->band];
    const wvl_band_coding *coding = &work->coder->plan->codings[tile->components[wb->component].coding].band[band->coding_band];
    uint64_t first = (group - wb->first) * wb->blocks_per_group, end = wvl_min_u64(first + wb->blocks_per_group, (uint64_t)band->block_cols * band->block_rows);
    uint32_t rate_group = wvl_tile_rate_group(work->coder->plan, tile, wb->component, wb->band);
    wvl_coded_block *blocks = &work->tiles[wb->tile].blocks[band->first_block];
    for (uint64_t b = first; b < end; b++) {
        wvl_block_input in = wvl_survey_describe_block(work, wb, (uint32_t)b);
        blocks[b].weight = wvl_rdoq_weigh(wvl_rdoq_fetch_kernels(), &in, coding, work->slopes[rate_group]);
        sum += blocks[b].weight;
        samples += (uint64_t)in.width * in.height;
        if (wvl_look_after(work->coder->look, WVL_LOOK_WEIGH, 1)) {
            return;
        }
    }
    work->list.weights[index] = (uint32_t)wvl_min_u64(sum, UINT32_MAX);
    wvl_depth_weigh(wvl_depth_survey_of(&work->coder->depth, rate_group, band), sum, samples);
}

static void weigh_groups(void *arg, uint32_t index, uint32_t worker)
{
    wvl_block_work *work = arg;
    (void)index;
    (void)worker;
    for (uint64_t i; !wvl_look_is_over(work->coder->look) && (i = atomic_fetch_add_explicit(&work->next, 1, memory_order_relaxed)) < work->run_groups;) {
        weigh_group(work, i);
    }
}

/* Weighs blocks for the present slopes: what surveyed blocks tell is then told of blocks as heavy, not as large. */
static void weigh_blocks(wvl_block_work *work, uint64_t groups)
{
    wvl_coder *coder = work->coder;
    atomic_store(&work->next, 0);
    work->run_groups = groups;
    if (!groups) {
        return;
    }
    wvl_pool_run_ranked(coder->pool, coder->rank, (uint32_t)wvl_min_u64(coder->workers, groups), weigh_groups, work);
}

/* About the slopes at which the picture ends, by weight alone: where the weight of the first phases' blocks is that of the budget. */
static void guess_slopes(wvl_block_work *work)
{
    wvl_coder *coder = work->coder;
    uint32_t slope = WVL_SLOPE_ZERO - 8192;
    for (uint32_t step = 8192; step >= 32; step /= 2) {
        for (unsigned g = 0; g < coder->depth.groups; g++) {
            work->slopes[g] = slope + step;
        }
        weigh_blocks(work, work->list.ends[1]);
        slope += wvl_depth_is_heavy(&coder->depth) ? step : 0;
        wvl_depth_clear_survey(&coder->depth);
    }
    for (unsigned g = 0; g < coder->depth.groups; g++) {
        work->slopes[g] = slope;
    }
}

/* ---- Phases ------------------------------------------------------------------------------------------------------------------------ */

/* Slopes of the blocks to come from those surveyed, which were coded down to coder->floors: nothing is known below, so it goes down by steps. */
static void choose_slopes(wvl_block_work *work, uint32_t margin, int is_damped)
{
    wvl_coder *coder = work->coder;
    uint32_t before[WVL_RATE_GROUPS];
    memcpy(before, work->slopes, sizeof before);
    wvl_depth_fetch_slopes(&coder->depth, coder->floors, work->slopes);
    for (unsigned g = 0; g < coder->depth.groups; g++) {
        uint32_t floor = coder->floors[g];
        uint32_t found = work->slopes[g] >= floor ? work->slopes[g] : floor > margin ? floor - margin : 0;
        work->slopes[g] = is_damped && found ? (found + before[g] + 1) / 2 : found;
    }
}

/* Codes phases up to this one. Depths follow from slopes alone, so that what these blocks tell is the same everywhere. */
static void survey_phases(wvl_block_work *work, unsigned phase, uint64_t first)
{
    wvl_coder *coder = work->coder;
    uint32_t margin = wvl_survey_find_margin(work, phase);
    for (unsigned g = 0; g < coder->depth.groups; g++) {
        uint32_t threshold = work->slopes[g] > margin ? work->slopes[g] - margin : 0;
        coder->floors[g] = wvl_max_u32(coder->floors[g], threshold);
        atomic_store(&work->thresholds[g], coder->depth.is_full ? 0 : threshold);
    }
    wvl_survey_code_groups(work, first, work->list.ends[phase]);
}

/* Blocks that tell at which slopes the picture is going to end, ever better, quantised for what was known before. Returns the groups coded. */
uint64_t wvl_survey_wave(wvl_block_work *work)
{
    wvl_coder *coder = work->coder;
    work->sets_slopes = 1;
    work->stale = work->list.group_count < WVL_SURVEY_FEW_GROUPS ? 48 : UINT32_MAX; /* where blocks are few, early ones are told little */
    if (coder->depth.known) {
        wvl_depth_fetch_slopes(&coder->depth, coder->floors, work->slopes);
        return 0;
    }
    work->is_survey = 1;
    memcpy(work->slopes, coder->slopes, sizeof work->slopes);
    if (!coder->is_surveyed) {
        guess_slopes(work);
    }
    coder->is_surveyed = 1;
    weigh_blocks(work, work->list.group_count);
    wvl_work_sort(&work->list);
    for (unsigned phase = 0; phase < WVL_SURVEY_PHASES; phase++) {
        survey_phases(work, phase, phase ? work->list.ends[phase - 1] : 0);
        choose_slopes(work, wvl_survey_find_margin(work, phase), phase > 1);
    }
    memcpy(coder->slopes, work->slopes, sizeof work->slopes);
    work->is_survey = 0;
    return work->list.ends[WVL_SURVEY_PHASES - 1];
}

/* ---- Once more --------------------------------------------------------------------------------------------------------------------- */

/* Where everything is sent after all, nothing must have been changed, and no candidate left out. */
int wvl_survey_is_far_off(const wvl_coder *coder)
{
    uint64_t off = 0, all = 0;
    for (uint32_t t = 0; t < coder->plan->tile_count; t++) {
        const wvl_coded_tile *tile = &coder->tiles[t];
        all += tile->block_count;
        for (uint64_t b = 0; b < tile->block_count; b++) {
            uint32_t is = tile->blocks[b].end_slope, should = tile->blocks[b].last_slope;
            if (!should && tile->blocks[b].is_changed) {
                return 1;
            }
            off += is > should ? tile->blocks[b].is_changed && is - should > WVL_RDOQ_REACH : should - is > WVL_RDOQ_REACH;
        }
    }
    return 2 * off > all;
}

/* Blocks are to be quantised for slopes half way to those found, since slopes fall where blocks are quantised for steeper ones; those that were left as
 * they are find steeper ones. */
static void take_slopes(wvl_coder *coder, wvl_coded_tile *tile)
{
    for (uint64_t p = 0; p < tile->precinct_count; p++) {
        const wvl_precinct *precinct = &tile->precincts[p];
        uint32_t g = wvl_plan_rate_group(coder->plan, precinct->component, precinct->resolution);
        for (unsigned i = 0; i < precinct->band_count; i++) {
            const wvl_precinct_band *pb = &precinct->band[i];
            for (uint64_t k = 0; k < (uint64_t)pb->cols * pb->rows; k++) {
                wvl_coded_block *block = &tile->blocks[pb->first_block + k / pb->cols * pb->stride + k % pb->cols];
                uint32_t found = block->last_slope, fallen = found > WVL_RDOQ_FALL ? found - WVL_RDOQ_FALL : 0;
                block->end_slope = (uint16_t)(block->end_slope && found ? (block->end_slope + found + 1) / 2 : fallen);
                coder->thresholds[g] = wvl_min_u32(coder->thresholds[g], block->end_slope);
            }
        }
    }
}

/* The last threshold of the second coding lies little off that of the first. */
#define REDO_MARGIN 160u

void wvl_survey_set_slopes(wvl_coder *coder)
{
    int is_full = coder->plan->depth_full || !wvl_depth_is_possible(coder->plan);
    for (unsigned g = 0; g < WVL_RATE_GROUPS; g++) {
        coder->thresholds[g] = UINT16_MAX;
    }
    for (uint32_t t = 0; t < coder->plan->tile_count; t++) {
        take_slopes(coder, &coder->tiles[t]);
    }
    for (unsigned g = 0; g < WVL_RATE_GROUPS; g++) {
        coder->thresholds[g] = is_full || coder->thresholds[g] < REDO_MARGIN ? 0 : coder->thresholds[g] - REDO_MARGIN;
    }
}
