/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/t2/precinct.h"

#include "codec/t2/meter.h"

#define NEVER 65535u /* inclusion value of a block that no layer so far includes */

/* index: in its resolution, in raster order. */
static void build_precinct(const wvl_plan *plan, const wvl_tile_plan *tile, uint32_t component, unsigned r,
                           uint64_t index, wvl_precinct *precinct, uint64_t *nodes)
{
    const wvl_tile_resolution *res = &tile->resolutions[tile->components[component].first_resolution + r];
    uint32_t col = (uint32_t)(index % res->precinct_cols), row = (uint32_t)(index / res->precinct_cols);
    unsigned style = plan->syntax.codings[tile->components[component].coding].style;
    memset(precinct, 0, sizeof *precinct);
    precinct->component = (uint16_t)component;
    precinct->coding = tile->components[component].coding;
    precinct->resolution = (uint8_t)r;
    precinct->band_count = res->band_count;
    for (unsigned b = 0; b < res->band_count; b++) {
        const wvl_tile_band *band = &tile->bands[res->first_band + b];
        wvl_precinct_band *pb = &precinct->band[b];
        wvl_rect blocks = wvl_geom_precinct_blocks(res, band, col, row);
        pb->cols = blocks.x1 - blocks.x0;
        pb->rows = blocks.y1 - blocks.y0;
        pb->stride = band->block_cols;
        pb->first_block = band->first_block + (uint64_t)blocks.y0 * band->block_cols + blocks.x0;
        pb->planes = band->planes;
        pb->coding_band = band->coding_band;
        pb->has_sets = (style & WVL_STYLE_HT) != 0;
        pb->has_segments = (style & (WVL_STYLE_HT | WVL_STYLE_TERMALL | WVL_STYLE_BYPASS)) != 0;
        pb->nodes_at = *nodes;
        *nodes += 2 * wvl_tag_tree_nodes(pb->cols, pb->rows);
    }
}

static void size_precinct(const wvl_precinct *precinct, uint8_t style, uint32_t layer_count, wvl_t2_sizes *sizes)
{
    uint64_t blocks = 0, nodes = 0;
    for (unsigned b = 0; b < precinct->band_count; b++) {
        uint64_t band_nodes = 2 * wvl_tag_tree_nodes(precinct->band[b].cols, precinct->band[b].rows);
        blocks += (uint64_t)precinct->band[b].cols * precinct->band[b].rows;
        nodes += band_nodes;
        sizes->scratch_nodes = wvl_max_u64(sizes->scratch_nodes, band_nodes);
    }
    sizes->most_blocks = wvl_max_u64(sizes->most_blocks, blocks);
    sizes->header_bytes = wvl_max_u64(sizes->header_bytes, wvl_t2_header_bound(blocks, nodes, style, layer_count));
}

static void build_resolution(const wvl_plan *plan, const wvl_tile_plan *tile, uint32_t component, unsigned r,
                             wvl_precinct *precincts, const wvl_look *look, wvl_t2_sizes *sizes)
{
    const wvl_tile_resolution *res = &tile->resolutions[tile->components[component].first_resolution + r];
    for (uint64_t i = 0; i < (uint64_t)res->precinct_rows * res->precinct_cols; i++) {
        wvl_precinct scratch, *precinct = precincts ? &precincts[res->first_precinct + i] : &scratch;
        build_precinct(plan, tile, component, r, i, precinct, &sizes->nodes);
        size_precinct(precinct, plan->syntax.codings[tile->components[component].coding].style,
                      plan->syntax.layer_count, sizes);
        precinct->meter_at = sizes->meter_chunks;
        sizes->meter_chunks += wvl_meter_chunks(precinct);
        if (wvl_look_after(look, WVL_LOOK_SUM, 1)) {
            return;
        }
    }
}

void wvl_t2_build_precincts(const wvl_plan *plan, const wvl_tile_plan *tile, wvl_precinct *precincts,
                            const wvl_look *look, wvl_t2_sizes *sizes)
{
    memset(sizes, 0, sizeof *sizes);
    for (uint32_t c = 0; c < tile->component_count; c++) {
        for (unsigned r = 0; r <= tile->components[c].levels; r++) {
            build_resolution(plan, tile, c, r, precincts, look, sizes);
        }
    }
}

/* Along an axis precincts between the first and the last are whole, and so alike: one stands for all of them. */
typedef struct axis_sample {
    uint32_t at[3];
    uint64_t times[3];
    unsigned count;
} axis_sample;

static axis_sample sample_axis(uint32_t precincts)
{
    axis_sample s = {{0, precincts - 1, 1}, {1, 1, precincts - UINT64_C(2)}, precincts < 3 ? precincts : 3};
    return s;
}

void wvl_t2_add_sizes(const wvl_plan *plan, const wvl_tile_plan *tile, uint32_t component, uint64_t times,
                      wvl_t2_sizes *sizes)
{
    for (unsigned r = 0; r <= tile->components[component].levels; r++) {
        if (tile->resolutions[tile->components[component].first_resolution + r].precinct_cols) {
            const wvl_tile_component *tc = &tile->components[component];
            const wvl_tile_resolution *res = &tile->resolutions[tc->first_resolution + r];
            axis_sample rows = sample_axis(res->precinct_rows), cols = sample_axis(res->precinct_cols);
            for (unsigned y = 0; y < rows.count; y++) {
                for (unsigned x = 0; x < cols.count; x++) {
                    wvl_precinct precinct;
                    uint64_t nodes = 0;
                    build_precinct(plan, tile, component, r, (uint64_t)rows.at[y] * res->precinct_cols + cols.at[x],
                                   &precinct, &nodes);
                    size_precinct(&precinct, plan->syntax.codings[tc->coding].style, plan->syntax.layer_count, sizes);
                    uint64_t alike = wvl_mul_saturate(wvl_mul_saturate(rows.times[y], cols.times[x]), times);
                    sizes->nodes = wvl_add_saturate(sizes->nodes, wvl_mul_saturate(nodes, alike));
                    sizes->meter_chunks =
                        wvl_add_saturate(sizes->meter_chunks, wvl_mul_saturate(wvl_meter_chunks(&precinct), alike));
                }
            }
        }
    }
}

/* Behind a row of blocks. Nonzero: the look is over. */
static int ends_row(const wvl_t2_tile *tile, const wvl_precinct_band *pb)
{
    return wvl_look_after(tile->look, WVL_LOOK_LIST, pb->cols);
}

static void open_band(const wvl_t2_tile *tile, const wvl_precinct_band *pb)
{
    wvl_tag_node *inclusion = tile->nodes + pb->nodes_at, *planes = inclusion + wvl_tag_tree_nodes(pb->cols, pb->rows);
    for (uint32_t row = 0; row < pb->rows; row++) {
        for (uint32_t col = 0; col < pb->cols; col++) {
            uint64_t i = (uint64_t)row * pb->cols + col, b = wvl_precinct_block_at(pb, col, row);
            wvl_block_state *state = &tile->states[b];
            memset(state, 0, sizeof *state);
            state->lblock = WVL_PACKET_FIRST_LBLOCK;
            inclusion[i].value = NEVER;
            planes[i].value = tile->blocks[b].zero_planes;
        }
        if (ends_row(tile, pb)) {
            return;
        }
    }
    wvl_tag_tree_build(inclusion, pb->cols, pb->rows, tile->look);
    wvl_tag_tree_build(planes, pb->cols, pb->rows, tile->look);
}

void wvl_t2_open_precinct(const wvl_t2_tile *tile, uint64_t precinct)
{
    const wvl_precinct *p = &tile->precincts[precinct];
    for (unsigned b = 0; b < p->band_count; b++) {
        if (p->band[b].cols) {
            open_band(tile, &p->band[b]);
        }
    }
}

/* Calls for every codeword segment that gains passes between the sent and the next cut. */
typedef struct segment_walk {
    const wvl_pass *passes;
    uint32_t pass, end; /* next pass, end of the cut */
    uint32_t from_bytes, end_bytes;
} segment_walk;

static int next_segment(segment_walk *walk, uint32_t *passes, uint32_t *bytes)
{
    if (walk->pass >= walk->end) {
        return 0;
    }
    uint32_t first = walk->pass;
    while (walk->pass < walk->end) {
        int terminated = walk->passes[walk->pass].flags & WVL_PASS_TERM;
        walk->pass++;
        if (terminated) {
            break;
        }
    }
    uint32_t to = walk->pass == walk->end ? walk->end_bytes : walk->passes[walk->pass - 1].final_bytes;
    *passes = walk->pass - first;
    *bytes = to - walk->from_bytes;
    walk->from_bytes = to;
    return 1;
}

/* The first pass that the packet sends of a block that joins: of sets, all passes of the last one. */
static uint32_t first_pass(const wvl_precinct_band *pb, const wvl_block_state *state)
{
    return pb->has_sets ? (state->next_passes - 1u) / 3 * 3 : state->sent_passes;
}

static segment_walk open_walk(const wvl_t2_tile *tile, const wvl_precinct_band *pb, uint64_t block,
                              const wvl_block_state *state)
{
    segment_walk walk = {wvl_store_at(tile->passes, tile->blocks[block].passes_at), first_pass(pb, state),
                         state->next_passes, state->sent_bytes, state->next_bytes};
    return walk;
}

/* Lblock increment and length of the one segment (B.10.7). Returns the new Lblock. */
static unsigned put_length(const wvl_block_state *state, wvl_bit_writer *w)
{
    uint32_t bytes = state->next_bytes - state->sent_bytes;
    uint32_t passes = state->next_passes - state->sent_passes;
    unsigned lblock = wvl_packet_raise_lblock(state->lblock, passes, bytes);
    wvl_bits_put_lblock(w, state->lblock, lblock);
    wvl_bits_put(w, bytes, lblock + wvl_packet_extra_bits(passes));
    return lblock;
}

uint32_t wvl_t2_zero_planes(const wvl_t2_tile *tile, const wvl_precinct_band *pb, uint64_t block)
{
    const wvl_block_state *state = &tile->states[block];
    if (!pb->has_sets) {
        return tile->blocks[block].zero_planes;
    }
    return state->next_passes ? tile->blocks[block].zero_planes + first_pass(pb, state) / 3 : pb->planes;
}

/* HT blocks have one layer: the tree of zero planes follows their cuts. */
static void set_zero_planes(const wvl_t2_tile *tile, const wvl_precinct_band *pb, wvl_tag_node *planes)
{
    for (uint32_t row = 0; row < pb->rows; row++) {
        for (uint32_t col = 0; col < pb->cols; col++) {
            planes[(uint64_t)row * pb->cols + col].value =
                (uint16_t)wvl_t2_zero_planes(tile, pb, wvl_precinct_block_at(pb, col, row));
        }
        if (ends_row(tile, pb)) {
            return;
        }
    }
    wvl_tag_tree_build(planes, pb->cols, pb->rows, tile->look);
}

unsigned wvl_t2_put_contribution(const wvl_t2_tile *tile, const wvl_precinct_band *pb, uint64_t block,
                                 wvl_bit_writer *w)
{
    const wvl_block_state *state = &tile->states[block];
    wvl_bits_put_pass_count(w, state->next_passes - first_pass(pb, state));
    /* The same with the lengths of all segments. */
    unsigned lblock = state->lblock;
    uint32_t passes, bytes;
    if (!pb->has_segments) {
        return put_length(state, w);
    }
    for (segment_walk walk = open_walk(tile, pb, block, state); next_segment(&walk, &passes, &bytes);) {
        lblock = wvl_packet_raise_lblock(lblock, passes, bytes);
    }
    wvl_bits_put_lblock(w, state->lblock, lblock);
    for (segment_walk walk = open_walk(tile, pb, block, state); next_segment(&walk, &passes, &bytes);) {
        wvl_bits_put(w, bytes, lblock + wvl_packet_extra_bits(passes));
    }
    return lblock;
}

/* A packet header at work. */
typedef struct header {
    const wvl_t2_tile *tile;
    uint32_t layer;
    int commit;
    wvl_tag_node *scratch;
    wvl_bit_writer w;
    wvl_t2_packet packet;
} header;

/* inclusion: the tree of the band; that of zero planes lies behind it. */
static void put_block(header *h, const wvl_precinct_band *pb, uint32_t col, uint32_t row, wvl_tag_node *inclusion)
{
    const wvl_t2_tile *tile = h->tile;
    wvl_bit_writer *w = &h->w;
    uint64_t b = wvl_precinct_block_at(pb, col, row);
    wvl_block_state *state = &tile->states[b];
    int joins = state->next_passes > state->sent_passes;
    if (state->sent_passes) {
        wvl_bits_put(w, (uint32_t)joins, 1);
    } else {
        wvl_tag_tree_put(inclusion, pb->cols, pb->rows, col, row, h->layer + 1, w);
    }
    if (!joins) {
        return;
    }
    if (!state->sent_passes) {
        /* Up to the value itself: a node says nothing before its parent has said all, so the bits are those of
         * threshold after threshold. */
        wvl_tag_tree_put(inclusion + wvl_tag_tree_nodes(pb->cols, pb->rows), pb->cols, pb->rows, col, row,
                         wvl_t2_zero_planes(tile, pb, b) + 1, w);
    }
    unsigned lblock = wvl_t2_put_contribution(tile, pb, b, w);
    h->packet.body_bytes += state->next_bytes - state->sent_bytes;
    h->packet.contribution_count++;
    if (h->commit) {
        state->lblock = (uint8_t)lblock;
    }
}

static int precinct_joins(const wvl_t2_tile *tile, const wvl_precinct *precinct)
{
    for (unsigned i = 0; i < precinct->band_count; i++) {
        const wvl_precinct_band *pb = &precinct->band[i];
        for (uint32_t row = 0; row < pb->rows; row++) {
            for (uint32_t col = 0; col < pb->cols; col++) {
                const wvl_block_state *state = &tile->states[wvl_precinct_block_at(pb, col, row)];
                if (state->next_passes > state->sent_passes) {
                    return 1;
                }
            }
            if (ends_row(tile, pb)) {
                return 0;
            }
        }
    }
    return 0;
}

/* Blocks that come in with this layer get their inclusion value. */
static void lower_inclusion(const wvl_t2_tile *tile, const wvl_precinct_band *pb, uint32_t layer,
                            wvl_tag_node *inclusion)
{
    for (uint32_t row = 0; row < pb->rows; row++) {
        for (uint32_t col = 0; col < pb->cols; col++) {
            const wvl_block_state *state = &tile->states[wvl_precinct_block_at(pb, col, row)];
            if (!state->sent_passes && state->next_passes) {
                wvl_tag_tree_lower(inclusion, pb->cols, pb->rows, col, row, (uint16_t)layer);
            }
        }
        if (ends_row(tile, pb)) {
            return;
        }
    }
}

static void put_band(header *h, const wvl_precinct_band *pb)
{
    const wvl_t2_tile *tile = h->tile;
    uint64_t count = wvl_tag_tree_nodes(pb->cols, pb->rows);
    wvl_tag_node *inclusion = tile->nodes + pb->nodes_at;
    if (!h->commit) {
        (void)wvl_look_copy(tile->look, h->scratch, inclusion, 2 * count * sizeof *inclusion);
        inclusion = h->scratch;
    }
    lower_inclusion(tile, pb, h->layer, inclusion);
    if (pb->has_sets) {
        set_zero_planes(tile, pb, inclusion + count);
    }
    /* Trees that are not complete must not be read: what they would say may be longer than any header. */
    for (uint32_t row = 0; row < pb->rows && !wvl_look_is_over(tile->look); row++) {
        for (uint32_t col = 0; col < pb->cols; col++) {
            put_block(h, pb, col, row, inclusion);
        }
        (void)ends_row(tile, pb);
    }
}

wvl_t2_packet wvl_t2_code_header(const wvl_t2_tile *tile, const wvl_precinct *precinct, uint32_t layer, int commit,
                                 wvl_tag_node *scratch, uint8_t *bytes)
{
    header h = {.tile = tile, .layer = layer, .commit = commit, .scratch = scratch, .packet = {0, 1, 0}};
    wvl_bits_open(&h.w, bytes);
    if (!precinct_joins(tile, precinct)) {
        bytes[0] = 0; /* empty packet: one 0 bit */
        return h.packet;
    }
    wvl_bits_put(&h.w, 1, 1);
    for (unsigned i = 0; i < precinct->band_count; i++) {
        if (precinct->band[i].cols) {
            put_band(&h, &precinct->band[i]);
        }
    }
    h.packet.header_bytes = (uint32_t)wvl_bits_close(&h.w);
    return h.packet;
}

/*
 * Bits of a header: per node of the inclusion trees at most one 0 a layer (all of them in one header when those before
 * were empty) and a 1, of the zero-plane trees at most 38 zeros and a 1; per block an inclusion bit, 16 bits of pass
 * count, at most 32 Lblock ones and a zero, and for each of at most 109 segments (passes) 32 + 7 length bits, or one
 * segment without terminations, two of an HT block. Stuffing adds at most one bit in seven, padding at most two bytes.
 */
uint64_t wvl_t2_header_bound(uint64_t blocks, uint64_t nodes, uint8_t style, uint32_t layer_count)
{
    uint64_t segments = style & WVL_STYLE_TERMALL ? 109 : style & WVL_STYLE_BYPASS ? 73 : style & WVL_STYLE_HT ? 2 : 1;
    uint64_t bits = 1 + nodes / 2 * (layer_count + 40ull) + blocks * (1 + 16 + 33 + segments * 39);
    return bits / 7 + 3;
}
