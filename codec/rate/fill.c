/* SPDX-License-Identifier: BSD-2-Clause */
/* The last bytes of a budget: single passes beyond the threshold, steepest first, as long as they fit. */
#include <stdlib.h>

#include "codec/core/hull.h"
#include "codec/rate/measure.h"

#define MAX_CANDIDATES 4096u
#define MAX_TRIES 384u /* measured packets; each costs a header */
#define REACH 6u       /* passes beyond the cut that are candidates */

typedef struct candidate {
    uint64_t precinct, block;
    uint32_t tile;
    uint16_t slope, cut;
} candidate;

typedef struct candidate_list {
    candidate *items;
    uint32_t count;
    uint32_t floor_slope; /* below it nothing enters a full list */
    uint64_t slack;
} candidate_list;

static int by_slope(const void *a, const void *b)
{
    const candidate *p = a, *q = b;
    if (p->slope != q->slope) {
        return p->slope > q->slope ? -1 : 1;
    }
    if (p->tile != q->tile) {
        return p->tile < q->tile ? -1 : 1;
    }
    if (p->precinct != q->precinct) {
        return p->precinct < q->precinct ? -1 : 1;
    }
    if (p->block != q->block) {
        return p->block < q->block ? -1 : 1;
    }
    return p->cut < q->cut ? -1 : p->cut > q->cut;
}

/* Passes up to the last point of the hull that is not much less steep than the threshold. */
static uint32_t find_end(const wvl_layer_job *job, const wvl_coded_block *block, const wvl_block_state *state,
                         uint32_t threshold)
{
    uint32_t cut = state->next_passes, end = wvl_min_u32(block->pass_count, cut + REACH),
             reach = wvl_rate_reach(job->plan);
    if (threshold <= reach) {
        return end;
    }
    uint32_t least = threshold - reach, found = cut;
    if (state->cut_most && state->cut_least <= least) { /* the next point is less steep than that */
        return cut;
    }
    const uint16_t *slopes = wvl_block_slopes(job->passes, block);
    for (uint32_t i = cut; i < end; i++) {
        found = slopes[i] >= least ? i + 1 : found;
    }
    return found;
}

static void add_block(const wvl_layer_job *job, const wvl_coded_tile *tile, candidate c, uint32_t threshold, int last,
                      candidate_list *list)
{
    const wvl_coded_block *block = &tile->blocks[c.block];
    const wvl_block_state *state = &tile->states[c.block];
    uint32_t cut = state->next_passes, end = find_end(job, block, state, threshold);
    if (cut >= end) {
        return;
    }
    const int64_t *gains = wvl_block_gains(job->passes, block);
    const wvl_pass *passes = wvl_block_passes(job->passes, block);
    int64_t have = cut ? gains[cut - 1] : 0;
    for (uint32_t next = cut + 1; next <= end; next++) {
        uint32_t bytes = wvl_rate_cut_bytes(job, block, next, state, last);
        int64_t gain = gains[next - 1] - have;
        uint32_t more = bytes > state->next_bytes ? bytes - state->next_bytes : 0;
        if (gain <= 0 || more > list->slack || wvl_hull_is_idle(passes, gains, next - 1)) {
            continue;
        }
        c.cut = (uint16_t)next;
        c.slope = (uint16_t)wvl_rate_slope(gain, more, job->plan->rate.gain_exponent);
        /* When full, the better half stays: the same list whatever the order of arrival would be, up to ties, and the
         * order is fixed. */
        if (c.slope > list->floor_slope) {
            list->items[list->count++] = c;
            if (list->count == MAX_CANDIDATES) {
                qsort(list->items, list->count, sizeof *list->items, by_slope);
                list->count /= 2;
                list->floor_slope = list->items[list->count - 1].slope;
            }
        }
    }
}

static void add_precinct(const wvl_layer_job *job, uint32_t t, uint64_t p, const wvl_layer_cuts *cuts,
                         candidate_list *list)
{
    const wvl_coded_tile *tile = &job->tiles[t];
    const wvl_precinct *precinct = &tile->precincts[p];
    uint32_t threshold = cuts->thresholds[wvl_plan_cap_group(job->plan, precinct->component, precinct->resolution)];
    for (unsigned i = 0; i < precinct->band_count; i++) {
        const wvl_precinct_band *pb = &precinct->band[i];
        for (uint32_t row = 0; row < pb->rows; row++) {
            for (uint32_t col = 0; col < pb->cols; col++) {
                candidate c = {p, wvl_precinct_block_at(pb, col, row), t, 0, 0};
                add_block(job, tile, c, threshold, cuts->is_last, list);
            }
            if (wvl_look_after(job->look, WVL_LOOK_LIST, pb->cols)) {
                return;
            }
        }
    }
}

/* A layer on its way to the budget. */
typedef struct filling {
    const wvl_layer_cuts *cuts;
    const wvl_layer_room *room;
    wvl_layer_cost *cost;
    uint64_t *group_bytes;
} filling;

/* Takes the candidate if the codestream and its component still fit. */
static int try_candidate(wvl_layer_job *job, const candidate *c, filling *f)
{
    wvl_coded_tile *tile = &job->tiles[c->tile];
    const wvl_precinct *precinct = &tile->precincts[c->precinct];
    wvl_block_state *state = &tile->states[c->block], before = *state;
    uint32_t layer = f->cuts->layer;
    if (c->cut <= state->next_passes) {
        return 0;
    }
    wvl_layer_cost old;
    if (!wvl_rate_recall_packet(job, tile, c->precinct, layer, &old)) {
        old = wvl_rate_measure_packet(job, tile, c->precinct, layer, 0);
    }
    wvl_packet *packet = &tile->packets[(uint64_t)layer * tile->precinct_count + c->precinct], packet_before = *packet;
    state->next_passes = (uint8_t)c->cut;
    state->cut_most = 0;
    state->next_bytes = wvl_rate_cut_bytes(job, &tile->blocks[c->block], c->cut, state, f->cuts->is_last);
    wvl_layer_cost now = wvl_rate_measure_change(job, tile, c->precinct, layer, c->block, &before), next = *f->cost;
    next.packet_bytes += now.packet_bytes - old.packet_bytes;
    next.plt_bytes += now.plt_bytes - old.plt_bytes;
    next.plm_bytes += now.plm_bytes - old.plm_bytes;
    next.header_bytes += now.header_bytes - old.header_bytes;
    uint32_t group = wvl_plan_cap_group(job->plan, precinct->component, precinct->resolution);
    uint64_t group_next = f->group_bytes[group] + now.packet_bytes + now.plt_bytes - old.packet_bytes - old.plt_bytes;
    const wvl_layer_room *room = f->room;
    if (room->codestream_bytes(room->user, &next) > room->budget || !room->group_fits(room->user, group, group_next)) {
        wvl_block_state after = *state;
        *state = before;
        wvl_rate_undo_change(job, tile, c->precinct, layer, c->block, &after);
        *packet = packet_before;
        return 0;
    }
    *f->cost = next;
    f->group_bytes[group] = group_next;
    return 1;
}

uint64_t wvl_rate_fill_bytes(void) { return MAX_CANDIDATES * sizeof(candidate); }

void wvl_rate_fill(wvl_layer_job *job, const wvl_layer_cuts *cuts, const wvl_layer_room *room, wvl_layer_cost *cost,
                   uint64_t *group_bytes)
{
    filling f = {cuts, room, cost, group_bytes};
    uint64_t budget = room->budget, used = room->codestream_bytes(room->user, cost);
    candidate_list list = {job->fill_memory, 0, 0, budget - used};
    uint64_t enough = budget / 8192; /* slack that nobody would notice */
    for (int round = 0; round < 3 && budget - used > enough; round++) {
        list.count = list.floor_slope = 0;
        list.slack = budget - used;
        for (uint32_t t = job->portion.first; t < job->portion.end && !wvl_look_is_over(job->look); t++) {
            for (uint64_t p = 0; p < job->tiles[t].precinct_count && !wvl_look_after(job->look, WVL_LOOK_COLLECT, 1);
                 p++) {
                job->tiles[t].precincts[p].is_metered = 0;
                add_precinct(job, t, p, cuts, &list);
            }
        }
        qsort(list.items, list.count, sizeof *list.items, by_slope);
        int taken = 0;
        for (uint32_t i = 0, tries = 0; i < list.count && tries < MAX_TRIES && budget - used > enough; i++, tries++) {
            taken += try_candidate(job, &list.items[i], &f);
            used = room->codestream_bytes(room->user, cost);
            if (wvl_look_after(job->look, WVL_LOOK_FILL, 1)) {
                return;
            }
        }
        if (!taken) {
            break;
        }
    }
}
