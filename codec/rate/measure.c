/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/rate/measure.h"

#include "base/alloc.h"
#include "codec/rate/sweep.h"

wvl_t2_tile wvl_rate_open_t2(const wvl_layer_job *job, const wvl_coded_tile *tile)
{
    wvl_t2_tile t2 = {tile->precincts, tile->precinct_count, tile->blocks, job->passes,
                      tile->states,    tile->nodes,          tile->sop,    tile->eph,
                      job->look};
    return t2;
}

typedef struct rate_scratch {
    wvl_tag_node *nodes;
    uint8_t *header;
} rate_scratch;

static void carve_scratch(const wvl_t2_sizes *sizes, wvl_carver *carver, rate_scratch *scratch)
{
    scratch->nodes = wvl_carve(carver, sizes->scratch_nodes, sizeof *scratch->nodes);
    scratch->header = wvl_carve(carver, sizes->header_bytes, 1);
}

uint64_t wvl_rate_scratch_bytes(const wvl_t2_sizes *sizes)
{
    wvl_carver carver = {NULL, 0};
    rate_scratch unused;
    carve_scratch(sizes, &carver, &unused);
    return carver.used;
}

/* ---- Cuts ------------------------------------------------------------------------------------ */

/* Number of passes that a block sends at a threshold from 1 to 65535, never fewer than it has sent, and the thresholds
 * that all say so. */
static uint32_t find_cut(const wvl_layer_job *job, const wvl_coded_block *block, wvl_block_state *state,
                         uint32_t threshold)
{
    const uint16_t *slopes = wvl_block_slopes(job->passes, block);
    uint32_t cut = state->sent_passes;
    state->cut_least = 1;
    state->cut_most = UINT16_MAX;
    for (uint32_t i = cut; i < block->pass_count; i++) {
        if (!slopes[i]) {
            continue;
        }
        if (slopes[i] < threshold) { /* slopes fall along the hull */
            state->cut_least = (uint16_t)(slopes[i] + 1u);
            break;
        }
        state->cut_most = slopes[i];
        cut = i + 1;
    }
    return cut;
}

/* Says whether the codeword can end with this pass, `sent_bytes` of it being in earlier packets already: its tail may
 * rewrite some of those, but must not make an 0xFF of what could be the end of a contribution. Predictable termination
 * sometimes would. */
static int can_end(const wvl_pass *p, uint32_t sent_bytes)
{
    uint32_t tail_at = p->final_bytes - p->tail_count;
    for (uint32_t i = tail_at; i < sent_bytes && i < p->final_bytes; i++) {
        if (p->tail[i - tail_at] == 0xFF) {
            return 0;
        }
    }
    return p->final_bytes >= sent_bytes;
}

uint32_t wvl_rate_cut_bytes(const wvl_layer_job *job, const wvl_coded_block *block, uint32_t cut,
                            const wvl_block_state *state, int last)
{
    if (cut == state->sent_passes) {
        return state->sent_bytes;
    }
    const wvl_pass *passes = wvl_block_passes(job->passes, block), *p = &passes[cut - 1];
    if ((p->flags & WVL_PASS_TERM) || cut == block->pass_count || (last && can_end(p, state->sent_bytes))) {
        return p->final_bytes;
    }
    uint32_t i = cut - 1;
    while (i + 1 < block->pass_count && !(passes[i].flags & WVL_PASS_TERM)) {
        i++;
    }
    uint32_t bytes = wvl_min_u32(p->safe_bytes, passes[i].final_bytes);
    /* A contribution ending in 0xFF could make a marker with whatever follows it in the packet: the 0xFF goes with the
     * next one. */
    const uint8_t *coded = wvl_store_at(job->bytes, block->bytes_at);
    return bytes > state->sent_bytes && coded[bytes - 1] == 0xFF ? bytes - 1 : bytes;
}

static uint32_t plt_length(uint64_t bytes)
{
    uint32_t n = 1;
    while (bytes >>= 7) {
        n++;
    }
    return n;
}

/* ---- Packets --------------------------------------------------------------------------------- */

static wvl_layer_cost packet_cost(const wvl_plan *plan, const wvl_coded_tile *tile, const wvl_packet *packet)
{
    wvl_layer_cost cost;
    cost.packet_bytes = packet->header_bytes + packet->body_bytes + wvl_packet_marker_bytes(tile->sop, tile->eph);
    cost.plt_bytes = plan->syntax.plt ? plt_length(cost.packet_bytes) : 0;
    cost.plm_bytes = plan->syntax.plm ? plt_length(cost.packet_bytes) : 0;
    cost.header_bytes = plan->syntax.packed_headers ? packet->header_bytes + (tile->eph ? WVL_EPH_BYTES : 0) : 0;
    return cost;
}

static void add_cost(wvl_layer_cost *sum, const wvl_layer_cost *cost)
{
    sum->packet_bytes += cost->packet_bytes;
    sum->plt_bytes += cost->plt_bytes;
    sum->plm_bytes += cost->plm_bytes;
    sum->header_bytes += cost->header_bytes;
}

static wvl_packet *packet_at(const wvl_coded_tile *tile, uint64_t precinct, uint32_t layer)
{
    return &tile->packets[(uint64_t)layer * tile->precinct_count + precinct];
}

wvl_layer_cost wvl_rate_measure_packet(wvl_layer_job *job, wvl_coded_tile *tile, uint64_t precinct, uint32_t layer,
                                       uint32_t worker)
{
    wvl_carver carver = {job->scratch + worker * wvl_rate_scratch_bytes(&job->sizes), 0};
    wvl_t2_tile t2 = wvl_rate_open_t2(job, tile);
    wvl_packet *packet = packet_at(tile, precinct, layer);
    rate_scratch scratch;
    carve_scratch(&job->sizes, &carver, &scratch);
    wvl_t2_packet coded = wvl_t2_code_header(&t2, &tile->precincts[precinct], layer, 0, scratch.nodes, scratch.header);
    packet->header_bytes = coded.header_bytes;
    packet->body_bytes = coded.body_bytes;
    packet->contribution_count = coded.contribution_count;
    return packet_cost(job->plan, tile, packet);
}

/* ---- Changes --------------------------------------------------------------------------------- */

static wvl_meter meter_of(wvl_layer_job *job, const wvl_coded_tile *tile, uint64_t precinct, uint32_t layer,
                          const wvl_t2_tile *t2)
{
    wvl_carver carver = {job->scratch, 0};
    rate_scratch scratch;
    carve_scratch(&job->sizes, &carver, &scratch);
    const wvl_precinct *p = &tile->precincts[precinct];
    return (wvl_meter){t2, p, layer, tile->meter_firsts, &tile->meter_chunks[p->meter_at], scratch.header};
}

/* Packets of many blocks are metered: their chunks follow one change after the other. */
wvl_layer_cost wvl_rate_measure_change(wvl_layer_job *job, wvl_coded_tile *tile, uint64_t precinct, uint32_t layer,
                                       uint64_t block, const wvl_block_state *before)
{
    wvl_precinct *p = &tile->precincts[precinct];
    wvl_packet *packet = packet_at(tile, precinct, layer);
    const wvl_block_state *state = &tile->states[block];
    if (!wvl_meter_chunks(p) || !packet->contribution_count) {
        return wvl_rate_measure_packet(job, tile, precinct, layer, 0);
    }
    wvl_t2_tile t2 = wvl_rate_open_t2(job, tile);
    wvl_meter meter = meter_of(job, tile, precinct, layer, &t2);
    if (p->is_metered) {
        wvl_meter_change(&meter, block, before);
    } else {
        wvl_meter_open(&meter);
        p->is_metered = 1;
    }
    packet->body_bytes += state->next_bytes;
    packet->body_bytes -= before->next_bytes;
    packet->contribution_count += state->next_passes > state->sent_passes;
    packet->contribution_count -= before->next_passes > before->sent_passes;
    packet->header_bytes = wvl_meter_header(&meter);
    return packet_cost(job->plan, tile, packet);
}

void wvl_rate_undo_change(wvl_layer_job *job, wvl_coded_tile *tile, uint64_t precinct, uint32_t layer, uint64_t block,
                          const wvl_block_state *measured)
{
    if (tile->precincts[precinct].is_metered) {
        wvl_t2_tile t2 = wvl_rate_open_t2(job, tile);
        wvl_meter meter = meter_of(job, tile, precinct, layer, &t2);
        wvl_meter_change(&meter, block, measured);
    }
}

int wvl_rate_recall_packet(const wvl_layer_job *job, const wvl_coded_tile *tile, uint64_t precinct, uint32_t layer,
                           wvl_layer_cost *cost)
{
    const wvl_packet *packet = packet_at(tile, precinct, layer);
    *cost = packet_cost(job->plan, tile, packet);
    return packet->header_bytes != 0;
}

void wvl_rate_open_layer(wvl_layer_job *job, uint32_t layer)
{
    const wvl_portion *portion = &job->portion;
    for (uint32_t t = portion->first; t < portion->end && !wvl_look_is_over(job->look); t++) {
        const wvl_coded_tile *tile = &job->tiles[t];
        for (uint64_t i = 0, n = wvl_portion_count(portion, tile); i < n && !wvl_look_after(job->look, WVL_LOOK_SUM, 1);
             i++) {
            packet_at(tile, wvl_portion_at(portion, i), layer)->header_bytes = 0;
        }
    }
}

/* Returns whether the block's part of the layer became another. */
static int cut_block(const wvl_layer_job *job, const wvl_coded_block *block, wvl_block_state *state, uint32_t threshold,
                     int last)
{
    wvl_block_state before = *state;
    if (threshold && threshold >= state->cut_least && threshold <= state->cut_most) {
        return 0;
    }
    state->cut_most = 0;
    if (!block->pass_count) {
        state->next_passes = 0;
    } else if (!threshold) {
        state->next_passes = (uint8_t)block->pass_count;
    } else {
        state->next_passes =
            threshold < WVL_SLOPE_NOTHING ? (uint8_t)find_cut(job, block, state, threshold) : state->sent_passes;
    }
    state->next_bytes = wvl_rate_cut_bytes(job, block, state->next_passes, state, last);
    return state->next_passes != before.next_passes || state->next_bytes != before.next_bytes;
}

static int cut_precinct(const wvl_layer_job *job, const wvl_coded_tile *tile, const wvl_precinct *precinct,
                        const wvl_layer_cuts *cuts)
{
    uint32_t threshold = cuts->thresholds[wvl_plan_cap_group(job->plan, precinct->component, precinct->resolution)];
    int changes = 0;
    for (unsigned i = 0; i < precinct->band_count; i++) {
        const wvl_precinct_band *pb = &precinct->band[i];
        for (uint32_t row = 0; row < pb->rows; row++) {
            uint64_t b = wvl_precinct_block_at(pb, 0, row);
            for (uint32_t col = 0; col < pb->cols; col++, b++) {
                changes |= cut_block(job, &tile->blocks[b], &tile->states[b], threshold, cuts->is_last);
            }
            if (wvl_look_after(job->look, WVL_LOOK_LIST, pb->cols)) {
                return changes;
            }
        }
    }
    return changes;
}

typedef struct layer_visit {
    const wvl_layer_cuts *cuts;
    int measures;
} layer_visit;

static void visit_cuts(wvl_layer_job *job, wvl_coded_tile *tile, uint64_t p, uint32_t worker, void *user)
{
    const layer_visit *v = user;
    wvl_packet *packet = packet_at(tile, p, v->cuts->layer);
    if (cut_precinct(job, tile, &tile->precincts[p], v->cuts)) {
        packet->header_bytes = 0;
    }
    if (v->measures && !packet->header_bytes) {
        (void)wvl_rate_measure_packet(job, tile, p, v->cuts->layer, worker);
    }
}

void wvl_rate_cut_layer(wvl_layer_job *job, const wvl_layer_cuts *cuts)
{
    layer_visit v = {cuts, 0};
    wvl_sweep_precincts(job, visit_cuts, &v);
}

wvl_layer_cost wvl_rate_measure_layer(wvl_layer_job *job, const wvl_layer_cuts *cuts, uint64_t *group_bytes)
{
    const wvl_portion *portion = &job->portion;
    wvl_layer_cost total = {0, 0, 0, 0}, cost;
    layer_visit v = {cuts, 1};
    wvl_sweep_precincts(job, visit_cuts, &v);
    memset(group_bytes, 0, wvl_plan_cap_groups(job->plan) * sizeof *group_bytes);
    for (uint32_t t = portion->first; t < portion->end && !wvl_look_is_over(job->look); t++) {
        const wvl_coded_tile *tile = &job->tiles[t];
        for (uint64_t i = 0, n = wvl_portion_count(portion, tile); i < n && !wvl_look_after(job->look, WVL_LOOK_SUM, 1);
             i++) {
            uint64_t p = wvl_portion_at(portion, i);
            const wvl_precinct *precinct = &tile->precincts[p];
            (void)wvl_rate_recall_packet(job, tile, p, cuts->layer, &cost);
            add_cost(&total, &cost);
            group_bytes[wvl_plan_cap_group(job->plan, precinct->component, precinct->resolution)] +=
                cost.packet_bytes + cost.plt_bytes;
        }
    }
    return total;
}

/*
 * Returns what PLM, PPM and PPT add to the packets. A PLM marker segment ends when an entry of up to 256 bytes does not
 * fit, so all but the last hold 65277 bytes or more. PPM fills its marker segments. A tile-part has ceil(h / 65532) PPT
 * marker segments, not more than one beyond h / 65532.
 */
static uint64_t pointer_bytes(const wvl_layer_job *job, wvl_layer_cost cost)
{
    uint64_t parts = job->overhead.part_count, bytes = 0, headers = job->sent_header_bytes + cost.header_bytes;
    if (job->plan->syntax.plm) {
        uint64_t entries = job->sent_plm_bytes + cost.plm_bytes + parts;
        bytes += entries + 5 * (1 + entries / 65277);
    }
    if (job->plan->syntax.packed_headers == WVL_PACKED_PPM) {
        bytes += 4 * parts + 5 * (1 + (headers + 4 * parts) / 65532);
    } else if (job->plan->syntax.packed_headers == WVL_PACKED_PPT) {
        bytes += 5 * (parts + headers / 65532);
    }
    return bytes;
}

/* A PLT marker segment costs 5 bytes beyond its lengths and holds at least 65527 of them; every tile-part may end one
 * early.
 */
uint64_t wvl_rate_codestream_bytes(const wvl_layer_job *job, wvl_layer_cost cost)
{
    uint64_t plt = job->sent_plt_bytes + cost.plt_bytes;
    uint64_t segments = job->plan->syntax.plt ? job->overhead.part_count + plt / 65527 : 0;
    return job->overhead.codestream_bytes + job->sent_bytes + cost.packet_bytes + plt + 5 * segments +
           pointer_bytes(job, cost);
}

int wvl_rate_component_fits(const wvl_layer_job *job, uint32_t group, uint64_t layer_bytes)
{
    uint64_t cap = job->plan->rate.max_component_bytes;
    uint64_t later = job->layers_to_come * job->empty_component_bytes[group];
    uint64_t bytes = layer_bytes + later;
    if (!cap) {
        return 1;
    }
    bytes += job->overhead.component_bytes[group] + job->sent_component_bytes[group];
    if (job->plan->syntax.packed_headers == WVL_PACKED_PPT) {
        bytes += 5 * (bytes / 65532); /* segments beyond the first of each tile-part */
    }
    return bytes <= cap;
}

/* ---- Commit ---------------------------------------------------------------------------------- */

/* Returns where the bytes of a cut are: those of a set of HT passes follow the sets before it. */
static uint32_t start_of(const wvl_pass *p) { return p->flags & WVL_PASS_SET ? p->safe_bytes : 0; }

/* The block ends with its cut: its tail takes the place of what would have followed. */
static void end_block(const wvl_layer_job *job, const wvl_coded_block *block, const wvl_block_state *state)
{
    const wvl_pass *p = &wvl_block_passes(job->passes, block)[state->next_passes - 1];
    if (!p->tail_count || state->next_bytes != p->final_bytes || !can_end(p, state->sent_bytes)) {
        return;
    }
    uint8_t *bytes = wvl_store_at(job->bytes, block->bytes_at);
    memcpy(bytes + start_of(p) + p->final_bytes - p->tail_count, p->tail, p->tail_count);
}

static wvl_contribution *commit_band(wvl_layer_job *job, wvl_coded_tile *tile, const wvl_precinct_band *pb, int last,
                                     wvl_contribution *to)
{
    for (uint32_t row = 0; row < pb->rows; row++) {
        for (uint32_t col = 0; col < pb->cols; col++) {
            uint64_t b = wvl_precinct_block_at(pb, col, row);
            wvl_block_state *state = &tile->states[b];
            state->cut_most = 0;
            if (state->next_passes == state->sent_passes) {
                continue;
            }
            uint32_t start = start_of(&wvl_block_passes(job->passes, &tile->blocks[b])[state->next_passes - 1]);
            *to++ = (wvl_contribution){b, start + state->sent_bytes, start + state->next_bytes};
            if (last) {
                end_block(job, &tile->blocks[b], state);
            }
            state->sent_passes = state->next_passes;
            state->sent_bytes = state->next_bytes;
        }
        if (wvl_look_after(job->look, WVL_LOOK_LIST, pb->cols)) {
            break;
        }
    }
    return to;
}

static void visit_unmeasured(wvl_layer_job *job, wvl_coded_tile *tile, uint64_t p, uint32_t worker, void *user)
{
    const layer_visit *v = user;
    if (!packet_at(tile, p, v->cuts->layer)->header_bytes) {
        (void)wvl_rate_measure_packet(job, tile, p, v->cuts->layer, worker);
    }
}

/* Gives a measured packet its places. */
static wvl_layer_cost place_packet(wvl_layer_job *job, const wvl_coded_tile *tile, wvl_packet *packet)
{
    packet->header_at = job->header_count;
    packet->contributions_at = job->contribution_count;
    job->header_count += packet->header_bytes;
    job->contribution_count += packet->contribution_count;
    return packet_cost(job->plan, tile, packet);
}

static void visit_commit(wvl_layer_job *job, wvl_coded_tile *tile, uint64_t p, uint32_t worker, void *user)
{
    const layer_visit *v = user;
    const wvl_packet *packet = packet_at(tile, p, v->cuts->layer);
    const wvl_precinct *precinct = &tile->precincts[p];
    wvl_t2_tile t2 = wvl_rate_open_t2(job, tile);
    /* Without a contribution there may be no list. */
    wvl_contribution *to = packet->contribution_count ? job->contributions + packet->contributions_at : NULL;
    (void)worker;
    (void)wvl_t2_code_header(&t2, precinct, v->cuts->layer, 1, NULL, job->headers + packet->header_at);
    for (unsigned i = 0; i < precinct->band_count; i++) {
        to = commit_band(job, tile, &precinct->band[i], v->cuts->is_last, to);
    }
}

wvl_status wvl_rate_commit_layer(wvl_layer_job *job, const wvl_layer_cuts *cuts, wvl_layer_cost *cost,
                                 uint64_t *group_bytes)
{
    const wvl_portion *portion = &job->portion;
    layer_visit v = {cuts, 1};
    *cost = (wvl_layer_cost){0, 0, 0, 0};
    wvl_sweep_precincts(job, visit_unmeasured, &v);
    if (wvl_look_is_over(job->look)) {
        return WVL_CANCELLED; /* packets that were not measured have no place */
    }
    for (uint32_t t = portion->first; t < portion->end && !wvl_look_is_over(job->look); t++) {
        const wvl_coded_tile *tile = &job->tiles[t];
        for (uint64_t i = 0, n = wvl_portion_count(portion, tile); i < n && !wvl_look_after(job->look, WVL_LOOK_SUM, 1);
             i++) {
            uint64_t p = wvl_portion_at(portion, i);
            const wvl_precinct *precinct = &tile->precincts[p];
            wvl_layer_cost packet = place_packet(job, tile, packet_at(tile, p, cuts->layer));
            add_cost(cost, &packet);
            group_bytes[wvl_plan_cap_group(job->plan, precinct->component, precinct->resolution)] +=
                packet.packet_bytes + packet.plt_bytes;
        }
    }
    if (wvl_look_is_over(job->look)) {
        return WVL_CANCELLED;
    }
    if (!wvl_grow(job->allocator, (void **)&job->headers, &job->header_capacity, job->header_count, 1) ||
        !wvl_grow(job->allocator, (void **)&job->contributions, &job->contribution_capacity, job->contribution_count,
                  sizeof *job->contributions)) {
        return WVL_ERROR_MEMORY;
    }
    wvl_sweep_precincts(job, visit_commit, &v);
    return wvl_look_is_over(job->look) ? WVL_CANCELLED : WVL_OK;
}
