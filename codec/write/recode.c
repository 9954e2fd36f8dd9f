/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/write/recode.h"

#include "codec/rate/portion.h"
#include "codec/rate/rdoq.h"

/* How far below the last threshold of the first coding that of the second one lies at most, mostly (D-rate-09).
 */
#define THRESHOLD_MARGIN 160u

int wvl_recode_may_take_all(const wvl_plan *plan) { return plan->rate.rdoq || plan->rate.follows_step; }

int wvl_recode_is_possible(const wvl_plan *plan)
{
    return (wvl_depth_is_possible(plan) && !wvl_layers_are_given(plan)) || wvl_recode_may_take_all(plan);
}

uint64_t wvl_recode_bytes(const wvl_plan *plan)
{
    uint64_t bytes = wvl_rescale_bytes(plan);
    return bytes ? wvl_alloc_size(bytes) : 0;
}

/* Nothing of a block is in a packet any more. */
static void clear_states(const wvl_recode_facts *f)
{
    for (uint32_t t = 0; t < f->plan->syntax.tile_count; t++) {
        wvl_block_state *states = f->tiles[t].states;
        if (wvl_look_clear(f->job->look, states, f->tiles[t].block_count * sizeof *states)) {
            return;
        }
    }
}

/* ---- Deeper ---------------------------------------------------------------------------------- */

/* Notes what blocks that stay are decided for. */
static void note_decided(const wvl_recode *r, const wvl_recode_facts *f, const wvl_coded_tile *tile)
{
    for (uint64_t p = 0; p < tile->precinct_count; p++) {
        const wvl_precinct *precinct = &tile->precincts[p];
        uint32_t g = wvl_plan_rate_group(f->plan, precinct->component, precinct->resolution);
        for (unsigned i = 0; i < precinct->band_count; i++) {
            const wvl_precinct_band *pb = &precinct->band[i];
            for (uint64_t k = 0; k < wvl_precinct_blocks(pb); k++) {
                uint32_t decided = tile->blocks[wvl_precinct_block(pb, k)].decided;
                if (decided <= r->wanted[g]) {
                    f->keeper->decided[g] = wvl_max_u32(f->keeper->decided[g], decided);
                }
                if (wvl_look_listed(f->job->look, k)) {
                    return;
                }
            }
        }
    }
}

/* ---- All blocks ------------------------------------------------------------------------------ */

static wvl_status take_all(wvl_recode *r, const wvl_recode_facts *f, wvl_recode_reason reason)
{
    r->reason = reason;
    clear_states(f);
    return wvl_keeper_clear(f->keeper) ? WVL_OK : WVL_ERROR_MEMORY;
}

static wvl_step_ends find_ends(const wvl_recode_facts *f)
{
    wvl_step_ends ends = {0, 0};
    for (uint32_t t = 0; t < f->plan->syntax.tile_count; t++) {
        const wvl_coded_tile *tile = &f->tiles[t];
        for (uint64_t b = 0; b < tile->block_count; b++) {
            if (tile->states[b].sent_passes) {
                wvl_rescale_add_end(&ends, &tile->blocks[b], wvl_block_passes(&f->keeper->passes, &tile->blocks[b]),
                                    tile->states[b].sent_passes);
            }
            if (wvl_look_listed(f->job->look, b)) {
                return ends;
            }
        }
    }
    return ends;
}

static wvl_status rescale(wvl_recode *r, const wvl_recode_facts *f, const wvl_step_ends *ends, unsigned sixteenths)
{
    int64_t start =
        (int64_t)f->slope + f->plan->test.depth_bias - (int64_t)(THRESHOLD_MARGIN + wvl_rate_reach(f->plan));
    start = f->plan->test.depth_full || start < 0 ? 0 : start;
    if (!wvl_rescale_open(&r->rescale, f->allocator, f->plan, ends, sixteenths)) {
        return WVL_ERROR_MEMORY;
    }
    for (unsigned g = 0; g < WVL_RATE_GROUPS; g++) {
        r->thresholds[g] = (uint32_t)(start > 65535 ? 65535 : start);
    }
    return take_all(r, f, WVL_RECODE_RESCALED);
}

/* ---- Quantised for other slopes -------------------------------------------------------------- */

/* Where everything is sent after all, nothing must have been changed, and no candidate left out. */
static int is_far_off(const wvl_recode_facts *f)
{
    uint64_t off = 0, all = 0;
    for (uint32_t t = 0; t < f->plan->syntax.tile_count; t++) {
        const wvl_coded_tile *tile = &f->tiles[t];
        all += tile->block_count;
        for (uint64_t b = 0; b < tile->block_count; b++) {
            uint32_t is = tile->blocks[b].end_slope, should = tile->blocks[b].last_slope;
            if (!should && tile->blocks[b].is_changed) {
                return 1;
            }
            off += (uint64_t)wvl_rdoq_is_far(is, should, tile->blocks[b].is_changed);
            if (wvl_look_listed(f->job->look, b)) {
                return 0;
            }
        }
    }
    return 2 * off > all;
}

static void set_slopes(wvl_recode *r, const wvl_recode_facts *f, wvl_coded_tile *tile)
{
    for (uint64_t p = 0; p < tile->precinct_count; p++) {
        const wvl_precinct *precinct = &tile->precincts[p];
        uint32_t g = wvl_plan_rate_group(f->plan, precinct->component, precinct->resolution);
        for (unsigned i = 0; i < precinct->band_count; i++) {
            const wvl_precinct_band *pb = &precinct->band[i];
            for (uint64_t k = 0; k < wvl_precinct_blocks(pb); k++) {
                wvl_coded_block *block = &tile->blocks[wvl_precinct_block(pb, k)];
                block->end_slope = (uint16_t)wvl_rdoq_find_next(block->end_slope, block->last_slope);
                r->thresholds[g] = wvl_min_u32(r->thresholds[g], block->end_slope);
                if (wvl_look_listed(f->job->look, k)) {
                    return;
                }
            }
        }
    }
}

static wvl_status requantise(wvl_recode *r, const wvl_recode_facts *f)
{
    int is_full = f->plan->test.depth_full || !wvl_depth_is_possible(f->plan);
    for (unsigned g = 0; g < WVL_RATE_GROUPS; g++) {
        r->thresholds[g] = UINT16_MAX;
    }
    for (uint32_t t = 0; t < f->plan->syntax.tile_count; t++) {
        set_slopes(r, f, &f->tiles[t]);
    }
    for (unsigned g = 0; g < WVL_RATE_GROUPS; g++) {
        r->thresholds[g] = is_full || r->thresholds[g] < THRESHOLD_MARGIN ? 0 : r->thresholds[g] - THRESHOLD_MARGIN;
    }
    return take_all(r, f, WVL_RECODE_REQUANTISED);
}

/* ---- Decision -------------------------------------------------------------------------------- */

wvl_status wvl_recode_decide(wvl_recode *r, const wvl_recode_facts *f)
{
    if (f->job->is_undecided && (f->status == WVL_OK || f->status == WVL_ERROR_UNREACHABLE)) {
        /* Blocks that are not decided for the thresholds wanted are coded in full. */
        r->reason = WVL_RECODE_DEEPER;
        for (unsigned g = 0; g < WVL_RATE_GROUPS; g++) {
            r->wanted[g] = f->job->wanted[g];
            f->keeper->decided[g] = 0;
        }
        clear_states(f);
        for (uint32_t t = 0; t < f->plan->syntax.tile_count; t++) {
            note_decided(r, f, &f->tiles[t]);
        }
        return WVL_OK;
    }
    if (f->status != WVL_OK) {
        return f->status;
    }
    if (f->plan->rate.follows_step && !r->rescale.is_open) {
        wvl_step_ends ends = find_ends(f);
        unsigned sixteenths = wvl_rescale_choose(f->plan, &ends);
        if (sixteenths) {
            return rescale(r, f, &ends, sixteenths);
        }
    }
    if (f->plan->rate.rdoq && !r->has_judged_slopes) {
        r->has_judged_slopes = 1;
        if (is_far_off(f)) {
            return requantise(r, f);
        }
    }
    return WVL_OK;
}

void wvl_recode_fill_order(const wvl_recode *r, const wvl_plan *plan, wvl_block_order *order)
{
    memset(order, 0, sizeof *order);
    order->which = r->reason == WVL_RECODE_DEEPER ? WVL_BLOCKS_OPEN : WVL_BLOCKS_ALL;
    order->stale = UINT32_MAX;
    order->codings = plan->syntax.codings;
    memcpy(order->wanted, r->wanted, sizeof order->wanted);
    memcpy(order->thresholds, r->thresholds, sizeof order->thresholds);
    if (r->rescale.is_open) {
        order->factors = (const uint64_t(*)[WVL_MAX_BANDS])r->rescale.factors;
        order->first_set = r->rescale.first_set;
    }
}

void wvl_recode_end(wvl_recode *r)
{
    r->reason = WVL_RECODE_NONE;
    memset(r->thresholds, 0, sizeof r->thresholds);
}

void wvl_recode_close(wvl_recode *r, const wvl_allocator *allocator) { wvl_rescale_close(&r->rescale, allocator); }
