/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/rate/measure.h"

#include <string.h>

#include "base/alloc.h"

wvl_t2_tile wvl_rate_open_t2(const wvl_layer_job *job, const wvl_coded_tile *tile)
{
    wvl_t2_tile t2 = {tile->precincts, tile->precinct_count, tile->blocks, job->passes, tile->states, tile->nodes, tile->sop, tile->eph};
    return t2;
}

uint32_t wvl_rate_cut(const wvl_layer_job *job, const wvl_coded_block *block, const wvl_block_state *state, uint32_t threshold)
{
    uint32_t cut = state->sent_passes;
    if (!threshold) {
        return block->pass_count;
    }
    if (threshold >= WVL_SLOPE_NOTHING || !block->pass_count) {
        return cut;
    }
    const uint16_t *slopes = wvl_block_slopes(job->passes, block);
    for (uint32_t i = cut; i < block->pass_count; i++) {
        if (!slopes[i]) {
            continue;
        }
        if (slopes[i] < threshold) {
            break; /* slopes fall along the hull */
        }
        cut = i + 1;
    }
    return cut;
}

/* Whether the codeword can end with this pass, `sent_bytes` of it being in earlier packets already: its tail may rewrite some of those, but
 * must not make an 0xFF of what could be the end of a contribution. Predictable termination sometimes would. */
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

uint32_t wvl_rate_cut_bytes(const wvl_layer_job *job, const wvl_coded_block *block, uint32_t cut, const wvl_block_state *state, int last)
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
    /* A contribution ending in 0xFF could make a marker with whatever follows it in the packet: the 0xFF goes with the next one. */
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

static wvl_layer_cost packet_cost(const wvl_plan *plan, const wvl_t2_tile *t2, uint64_t header, uint64_t body)
{
    wvl_layer_cost cost;
    cost.packet_bytes = header + body + wvl_packet_marker_bytes(t2->sop, t2->eph);
    cost.plt_bytes = plan->plt ? plt_length(cost.packet_bytes) : 0;
    cost.plm_bytes = plan->plm ? plt_length(cost.packet_bytes) : 0;
    cost.header_bytes = plan->packed_headers ? header + (t2->eph ? WVL_EPH_BYTES : 0) : 0;
    return cost;
}

wvl_layer_cost wvl_rate_measure_packet(wvl_layer_job *job, const wvl_t2_tile *t2, const wvl_precinct *precinct, uint32_t layer)
{
    uint64_t body, header = wvl_t2_code_header(t2, precinct, layer, 0, job->scratch_nodes, job->scratch_header, &body);
    return packet_cost(job->plan, t2, header, body);
}

static void cut_block(wvl_layer_job *job, wvl_coded_tile *tile, uint64_t b, uint32_t threshold, int last)
{
    const wvl_coded_block *block = &tile->blocks[b];
    wvl_block_state *state = &tile->states[b];
    if (!block->pass_count) {
        state->next_passes = 0;
        state->next_bytes = 0;
        return;
    }
    uint32_t cut = wvl_rate_cut(job, block, state, threshold);
    state->next_passes = (uint16_t)cut;
    state->next_bytes = wvl_rate_cut_bytes(job, block, cut, state, last);
}

static void cut_precinct(wvl_layer_job *job, wvl_coded_tile *tile, const wvl_precinct *precinct, int last)
{
    uint32_t threshold = job->thresholds[wvl_plan_cap_group(job->plan, precinct->component, precinct->resolution)];
    for (unsigned i = 0; i < precinct->band_count; i++) {
        const wvl_precinct_band *pb = &precinct->band[i];
        for (uint32_t row = 0; row < pb->rows; row++) {
            for (uint32_t col = 0; col < pb->cols; col++) {
                cut_block(job, tile, pb->first_block + (uint64_t)row * pb->stride + col, threshold, last);
            }
        }
    }
}

void wvl_rate_cut_layer(wvl_layer_job *job, int last)
{
    for (uint32_t t = 0; t < job->plan->tile_count; t++) {
        for (uint64_t p = 0; p < job->tiles[t].precinct_count; p++) {
            cut_precinct(job, &job->tiles[t], &job->tiles[t].precincts[p], last);
        }
    }
}

wvl_layer_cost wvl_rate_measure_layer(wvl_layer_job *job, uint32_t layer, int last)
{
    wvl_layer_cost total = {0, 0, 0, 0};
    memset(job->component_totals, 0, wvl_plan_cap_groups(job->plan) * sizeof *job->component_totals);
    for (uint32_t t = 0; t < job->plan->tile_count; t++) {
        wvl_coded_tile *tile = &job->tiles[t];
        wvl_t2_tile t2 = wvl_rate_open_t2(job, tile);
        for (uint64_t p = 0; p < tile->precinct_count; p++) {
            const wvl_precinct *precinct = &tile->precincts[p];
            cut_precinct(job, tile, precinct, last);
            wvl_layer_cost cost = wvl_rate_measure_packet(job, &t2, precinct, layer);
            total.packet_bytes += cost.packet_bytes;
            total.plt_bytes += cost.plt_bytes;
            total.plm_bytes += cost.plm_bytes;
            total.header_bytes += cost.header_bytes;
            job->component_totals[wvl_plan_cap_group(job->plan, precinct->component, precinct->resolution)] += cost.packet_bytes + cost.plt_bytes;
        }
    }
    return total;
}

/*
 * What PLM, PPM and PPT add to the packets. A PLM segment ends when an entry of up to 256 bytes does not fit, so all but the last hold
 * 65277 bytes or more. PPM fills its segments. A tile-part has ceil(h / 65532) PPT segments, not more than one beyond h / 65532.
 */
static uint64_t pointer_bytes(const wvl_layer_job *job, wvl_layer_cost cost)
{
    uint64_t parts = job->overhead.part_count, bytes = 0, headers = job->sent_header_bytes + cost.header_bytes;
    if (job->plan->plm) {
        uint64_t entries = job->sent_plm_bytes + cost.plm_bytes + parts;
        bytes += entries + 5 * (1 + entries / 65277);
    }
    if (job->plan->packed_headers == WVL_PACKED_PPM) {
        bytes += 4 * parts + 5 * (1 + (headers + 4 * parts) / 65532);
    } else if (job->plan->packed_headers == WVL_PACKED_PPT) {
        bytes += 5 * (parts + headers / 65532);
    }
    return bytes;
}

/* A PLT segment costs 5 bytes beyond its lengths and holds at least 65527 of them; every tile-part may end one early. */
uint64_t wvl_rate_codestream_bytes(const wvl_layer_job *job, wvl_layer_cost cost)
{
    uint64_t plt = job->sent_plt_bytes + cost.plt_bytes;
    uint64_t segments = job->plan->plt ? job->overhead.part_count + plt / 65527 : 0;
    return job->overhead.codestream_bytes + job->sent_bytes + cost.packet_bytes + plt + 5 * segments + pointer_bytes(job, cost);
}

int wvl_rate_component_fits(const wvl_layer_job *job, uint32_t group, uint64_t layer_bytes)
{
    uint64_t cap = job->plan->max_component_bytes;
    uint64_t later = job->layers_to_come * job->empty_component_bytes[group];
    uint64_t bytes = layer_bytes + later;
    if (!cap) {
        return 1;
    }
    bytes += job->overhead.component_bytes[group] + job->sent_component_bytes[group];
    if (job->plan->packed_headers == WVL_PACKED_PPT) {
        bytes += 5 * (bytes / 65532); /* segments beyond the first of each tile-part */
    }
    return bytes <= cap;
}

static int add_contribution(wvl_layer_job *job, uint64_t block, uint32_t from, uint32_t to)
{
    if (!wvl_grow(job->allocator, (void **)&job->contributions, &job->contribution_capacity, job->contribution_count + 1, sizeof *job->contributions)) {
        return 0;
    }
    job->contributions[job->contribution_count++] = (wvl_contribution){block, from, to};
    return 1;
}

/* Where the bytes of a cut are: those of a set of HT passes follow the sets before it. */
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

static int commit_band(wvl_layer_job *job, wvl_coded_tile *tile, const wvl_precinct_band *pb, int last)
{
    for (uint32_t row = 0; row < pb->rows; row++) {
        for (uint32_t col = 0; col < pb->cols; col++) {
            uint64_t b = pb->first_block + (uint64_t)row * pb->stride + col;
            wvl_block_state *state = &tile->states[b];
            if (state->next_passes == state->sent_passes) {
                continue;
            }
            uint32_t start = start_of(&wvl_block_passes(job->passes, &tile->blocks[b])[state->next_passes - 1]);
            if (!add_contribution(job, b, start + state->sent_bytes, start + state->next_bytes)) {
                return 0;
            }
            if (last) {
                end_block(job, &tile->blocks[b], state);
            }
            state->sent_passes = state->next_passes;
            state->sent_bytes = state->next_bytes;
        }
    }
    return 1;
}

static int commit_packet(wvl_layer_job *job, wvl_coded_tile *tile, const wvl_t2_tile *t2, uint64_t p, uint32_t layer, int last)
{
    const wvl_precinct *precinct = &tile->precincts[p];
    wvl_packet *packet = &tile->packets[(uint64_t)layer * tile->precinct_count + p];
    uint64_t bytes = wvl_t2_code_header(t2, precinct, layer, 1, NULL, job->scratch_header, &packet->body_bytes);
    if (!wvl_grow(job->allocator, (void **)&job->headers, &job->header_capacity, job->header_count + bytes, 1)) {
        return 0;
    }
    memcpy(job->headers + job->header_count, job->scratch_header, (size_t)bytes);
    packet->header_at = job->header_count;
    packet->header_bytes = (uint32_t)bytes;
    job->header_count += bytes;
    packet->contributions_at = job->contribution_count;
    for (unsigned i = 0; i < precinct->band_count; i++) {
        if (!commit_band(job, tile, &precinct->band[i], last)) {
            return 0;
        }
    }
    packet->contribution_count = (uint32_t)(job->contribution_count - packet->contributions_at);
    wvl_layer_cost cost = packet_cost(job->plan, t2, bytes, packet->body_bytes);
    job->sent_bytes += cost.packet_bytes;
    job->sent_plt_bytes += cost.plt_bytes;
    job->sent_plm_bytes += cost.plm_bytes;
    job->sent_header_bytes += cost.header_bytes;
    job->sent_component_bytes[wvl_plan_cap_group(job->plan, precinct->component, precinct->resolution)] += cost.packet_bytes + cost.plt_bytes;
    return 1;
}

wvl_status wvl_rate_commit_layer(wvl_layer_job *job, uint32_t layer, int last)
{
    for (uint32_t t = 0; t < job->plan->tile_count; t++) {
        wvl_coded_tile *tile = &job->tiles[t];
        wvl_t2_tile t2 = wvl_rate_open_t2(job, tile);
        for (uint64_t p = 0; p < tile->precinct_count; p++) {
            if (!commit_packet(job, tile, &t2, p, layer, last)) {
                return WVL_ERROR_MEMORY;
            }
        }
    }
    return WVL_OK;
}
