/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/write/bounds.h"

#include <stdio.h>

#include "codec/blocks/blocks.h"
#include "codec/blocks/roi.h"
#include "codec/cs/cs.h"
#include "codec/rate/portion.h"
#include "codec/write/recode.h"

void wvl_coder_carve_tile(const wvl_plan *plan, wvl_carver *carver, wvl_coded_tile *tile)
{
    tile->precincts = wvl_carve(carver, tile->precinct_count, sizeof *tile->precincts);
    tile->blocks = wvl_carve(carver, tile->block_count, sizeof *tile->blocks);
    tile->states = wvl_carve(carver, tile->block_count, sizeof *tile->states);
    tile->nodes = wvl_carve(carver, tile->node_count, sizeof *tile->nodes);
    tile->packets =
        wvl_carve(carver, wvl_mul_saturate(tile->precinct_count, plan->syntax.layer_count), sizeof *tile->packets);
    uint64_t chunks = plan->rate.rate_control ? tile->meter_chunk_count : 0;
    tile->meter_chunks = wvl_carve(carver, chunks, sizeof *tile->meter_chunks);
    tile->meter_firsts = wvl_carve(carver, chunks ? tile->node_count : 0, sizeof *tile->meter_firsts);
}

/* Coding marker segments and POC of the tile, PLM, PPM and PPT beyond what they take from elsewhere: lengths of at most
 * five bytes, an entry and a marker segment for every tile-part, and marker segments that hold 65277 bytes or more. */
static uint64_t bound_pointers(const wvl_plan *plan, uint64_t segments, uint64_t packets, uint64_t headers)
{
    uint64_t parts = plan->syntax.parts ? WVL_CS_MAX_PARTS_PER_TILE : 1, bytes = segments;
    if (plan->syntax.plm) {
        uint64_t entries = wvl_add_saturate(wvl_mul_saturate(packets, 5), parts);
        bytes = wvl_add_saturate(bytes, wvl_add_saturate(entries, 5 * (1 + entries / 65277)));
    }
    if (plan->syntax.packed_headers) {
        bytes = wvl_add_saturate(bytes, 9 * parts + 5 * (1 + headers / 65532));
    }
    return bytes;
}

/* With what pieces up to `piece` bytes leave behind where they do not fit: less than a piece for every span. */
static uint64_t add_gaps(uint64_t kept, uint64_t piece, uint64_t span)
{
    return wvl_add_saturate(kept, 2 * piece < span ? wvl_mul_saturate(kept / (span - piece) + 1, piece) : kept);
}

static uint64_t add_times(uint64_t sum, uint64_t count, uint64_t bytes)
{
    return wvl_add_saturate(sum, wvl_mul_saturate(count, bytes));
}

#define SHARE_OF_PART 6u

/* Returns what a band takes whose samples cannot be compressed. */
static uint64_t raw_bytes(const wvl_coding *coding, const wvl_tile_band *band, uint64_t width, uint64_t height)
{
    unsigned guards = coding->guard_bits ? coding->guard_bits - 1u : 0,
             bits = band->planes > guards ? band->planes - guards : 0;
    return wvl_mul_saturate(wvl_mul_saturate(width, height), bits) / 8;
}

/* Sums of tile->components[component], which stands for `times`. */
static void add_raw(const wvl_plan *plan, const wvl_tile_plan *tile, uint32_t component, uint64_t times,
                    wvl_coder_tile_sum *t)
{
    const wvl_tile_component *tc = &tile->components[component];
    const wvl_coding *coding = &plan->syntax.codings[tc->coding];
    for (unsigned r = 0; r <= tc->levels; r++) {
        const wvl_tile_resolution *resolution = &tile->resolutions[tc->first_resolution + r];
        uint64_t packet = 0;
        for (unsigned i = 0; i < resolution->band_count; i++) {
            const wvl_tile_band *band = &tile->bands[resolution->first_band + i];
            uint64_t width = wvl_rect_width(band->rect), height = wvl_rect_height(band->rect);
            unsigned halves = r != 0;
            t->raw_bytes =
                wvl_add_saturate(t->raw_bytes, wvl_mul_saturate(raw_bytes(coding, band, width, height), times));
            width = wvl_min_u64(width, UINT64_C(2) << resolution->ppx >> (1 + halves));
            height = wvl_min_u64(height, UINT64_C(2) << resolution->ppy >> (1 + halves));
            packet = wvl_add_saturate(packet, raw_bytes(coding, band, width, height));
        }
        t->raw_packet = wvl_max_u64(t->raw_packet, packet);
    }
}

/* Two parts that follow one another hold more than the room of one, which is at least half of the limit. So does each
 * part that was divided: for B bytes, extra parts are at most 3 B / (limit / 2). */
static uint64_t bound_extra(uint64_t bytes, uint64_t limit)
{
    return wvl_mul_saturate(SHARE_OF_PART, bytes / limit + 1);
}

void wvl_coder_add_component(const wvl_plan *plan, const wvl_tile_plan *tile, uint32_t component, uint64_t times,
                             wvl_coder_tile_sum *t, wvl_coder_sum *sum)
{
    const wvl_tile_component *tc = &tile->components[component];
    const wvl_coding *coding = &plan->syntax.codings[tc->coding];
    const wvl_tile_band *band = &tile->bands[tile->resolutions[tc->first_resolution].first_band],
                        *end = band + 3u * tc->levels + 1u;
    for (; band < end; band++) {
        const wvl_block_coder *coder = wvl_blocks_choose_coder(plan);
        uint64_t n = wvl_mul_saturate((uint64_t)band->block_cols * band->block_rows, times),
                 layers_of_block = wvl_min_u32(plan->syntax.layer_count, 109);
        unsigned planes = wvl_roi_count_planes(coding, band->planes);
        uint64_t block = wvl_blocks_bound_bytes(plan, band->cell_width, band->cell_height, planes, coding->style);
        t->codewords =
            add_times(t->codewords, n, coder->bytes_bound(band->cell_width, band->cell_height, planes, coding->style));
        t->kept = add_times(t->kept, n,
                            block + wvl_block_passes_bytes(coder->passes_bound(planes), plan->rate.rate_control) + 8);
        t->piece = wvl_max_u64(t->piece, block + 8);
        t->block_headers =
            add_times(t->block_headers, n, layers_of_block * (wvl_t2_header_bound(1, 0, coding->style, 1) + 1));
        t->index = add_times(t->index, n, layers_of_block * sizeof(wvl_contribution));
        t->block_index = wvl_max_u64(t->block_index, layers_of_block * (wvl_t2_header_bound(1, 0, coding->style, 1) +
                                                                        1 + sizeof(wvl_contribution)));
    }
    add_raw(plan, tile, component, times, t);
    sum->sizes.nodes = sum->sizes.meter_chunks = 0;
    wvl_t2_add_sizes(plan, tile, component, times, &sum->sizes);
    t->nodes = wvl_add_saturate(t->nodes, sum->sizes.nodes);
    t->meter_chunks = wvl_add_saturate(t->meter_chunks, sum->sizes.meter_chunks);
}

/* Adds what the tile holds from block coding to writing. */
static void add_tile_memory(const wvl_plan *plan, const wvl_coder_tile_sum *t, wvl_coder_sum *sum)
{
    wvl_coded_tile tile;
    wvl_carver carver = {NULL, 0};
    memset(&tile, 0, sizeof tile);
    tile.precinct_count = t->precincts;
    tile.block_count = t->blocks;
    tile.node_count = t->nodes;
    tile.meter_chunk_count = t->meter_chunks;
    wvl_coder_carve_tile(plan, &carver, &tile);
    sum->tile_bytes = wvl_add_saturate(sum->tile_bytes, wvl_alloc_size(carver.used));
}

void wvl_coder_add_tile(const wvl_plan *plan, const wvl_tile_plan *tile, uint64_t span, const wvl_coder_tile_sum *t,
                        wvl_coder_sum *sum)
{
    uint64_t stored = add_gaps(t->kept, t->piece, span),
             packets = wvl_mul_saturate(t->precincts, plan->syntax.layer_count);
    stored = wvl_depth_is_possible(plan) ? wvl_mul_saturate(stored, 3)
                                         : stored; /* blocks that were left too early are stored again */
    uint64_t tree_bytes = wvl_mul_saturate(t->nodes / 2, plan->syntax.layer_count + 40ull) / 7;
    uint64_t headers = wvl_add_saturate(wvl_add_saturate(t->block_headers, tree_bytes), wvl_mul_saturate(packets, 4));
    /* Growing arrays may hold three halves of what they need, and old and new at once while they grow. */
    uint64_t growing = wvl_add_saturate(headers, t->index), segments = wvl_cs_measure_tile_segments(plan, tile->index);
    uint64_t part_headers = wvl_add_saturate(wvl_cs_bound_part_header(plan, packets), segments);
    growing = growing > UINT64_MAX / 5 ? UINT64_MAX : 5 * growing / 2;
    sum->index_bytes = wvl_add_saturate(sum->index_bytes, wvl_add_saturate(growing, part_headers));
    sum->stored_bytes =
        wvl_add_saturate(sum->stored_bytes, wvl_add_saturate(wvl_add_saturate(stored, growing), part_headers));
    uint64_t markers = wvl_mul_saturate(packets, wvl_packet_marker_bytes(tile->sop, tile->eph));
    uint64_t output =
        wvl_add_saturate(wvl_add_saturate(wvl_add_saturate(t->codewords, headers), markers), part_headers);
    output = wvl_add_saturate(output, bound_pointers(plan, segments, packets, wvl_add_saturate(headers, markers)));
    output = wvl_add_saturate(output, plan->syntax.parts ? 255u * 14u : 14u);
    /* output: most bytes of the tile. */
    uint64_t limit = wvl_cs_most_psot(plan);
    if (output > limit) {
        sum->spare_parts += wvl_min_u64(bound_extra(output, limit), WVL_CS_MAX_PARTS_PER_TILE - 1);
    }
    if (t->raw_bytes > sum->raw_tile_bytes) {
        sum->raw_tile_bytes = t->raw_bytes;
        sum->raw_tile = tile->index;
    }
    if (t->raw_packet > sum->raw_packet_bytes) {
        sum->raw_packet_bytes = t->raw_packet;
        sum->raw_packet_tile = tile->index;
    }
    sum->output_bytes = wvl_add_saturate(sum->output_bytes, output);
    sum->most_packets = wvl_max_u64(sum->most_packets, packets);
    sum->packets = wvl_add_saturate(sum->packets, packets);
    sum->blocks = wvl_add_saturate(sum->blocks, t->blocks);
    add_tile_memory(plan, t, sum);
    if (packets > WVL_CS_MAX_NPLM && !sum->plm_packets) {
        sum->plm_packets = packets;
        sum->plm_tile = tile->index;
    }
    if (packets > UINT32_MAX && !sum->is_crowded) {
        sum->is_crowded = 1;
        sum->crowded_tile = tile->index;
    }
}

/* Returns what a coder holds from init to fini, whatever the pixels are. */
static uint64_t base_bytes(const wvl_plan *plan, uint32_t concurrency)
{
    uint64_t rows = wvl_mul_saturate((uint64_t)plan->syntax.component_count * (plan->syntax.max_levels + 1u),
                                     plan->syntax.layer_count);
    uint64_t bytes = wvl_blocks_base_bytes(plan, concurrency) + wvl_recode_bytes(plan) +
                     wvl_alloc_size(plan->syntax.tile_count * sizeof(wvl_coded_tile)) +
                     wvl_alloc_size(plan->syntax.layer_count * sizeof(wvl_layer_result)) +
                     wvl_alloc_size(wvl_plan_cap_groups(plan) * sizeof(uint64_t)) +
                     wvl_alloc_size(wvl_plan_most_parts(plan) * sizeof(wvl_cs_part));
    return wvl_add_saturate(bytes, wvl_alloc_size(wvl_mul_saturate(rows, sizeof(uint64_t))));
}

uint64_t wvl_coder_asked_bytes(const wvl_plan *plan)
{
    const wvl_layer_target *last = &plan->rate.layers[plan->syntax.layer_count - 1];
    uint64_t most = plan->rate.max_bytes ? plan->rate.max_bytes : UINT64_MAX;
    return last->kind == WVL_RATE_BYTES && last->value < 1e18 ? wvl_min_u64(most, (uint64_t)last->value) : most;
}

/* Pages of both stores, and the list of pieces of a spill file, which grows. */
static uint64_t bound_tables(uint64_t stored_bytes)
{
    uint64_t chunks = stored_bytes >> WVL_STORE_CHUNK_LOG2, pages = 2 * ((chunks >> WVL_STORE_TABLE_LOG2) + 2);
    return wvl_add_saturate(wvl_mul_saturate(pages, wvl_alloc_size(sizeof(wvl_store_page))),
                            wvl_alloc_size(3 * (chunks + 64) * sizeof(struct wvl_spill_piece)));
}

void wvl_coder_measure(const wvl_plan *plan, const wvl_coder_sum *sum, uint32_t concurrency, wvl_coder_memory *memory)
{
    uint64_t header = wvl_cs_measure_main_header(plan, wvl_plan_most_parts(plan));
    uint64_t lengths = wvl_alloc_size(wvl_mul_saturate(wvl_max_u64(sum->most_packets, 1), sizeof(uint32_t)));
    memset(memory, 0, sizeof *memory);
    memory->worker_bytes = wvl_alloc_size(wvl_pool_source_bytes(plan, concurrency));
    memory->base_bytes = base_bytes(plan, concurrency);
    memory->tile_bytes = sum->tile_bytes;
    memory->finish_bytes = wvl_max_u64(wvl_alloc_size(wvl_layers_working_bytes(plan, &sum->sizes, concurrency)),
                                       wvl_add_saturate(lengths, wvl_alloc_size(header)));
    memory->early_bytes = wvl_max_u64(wvl_alloc_size(wvl_layers_portion_bytes(plan, &sum->sizes, concurrency)),
                                      wvl_add_saturate(lengths, wvl_alloc_size(header)));
    /* Each store may leave a chunk nearly empty, and every writer a span; then there is its table. */
    memory->coded_bytes_bound =
        wvl_add_saturate(sum->stored_bytes, 2 * (2 * WVL_STORE_CHUNK + WVL_STORE_SPAN * concurrency));
    memory->table_bytes = bound_tables(sum->stored_bytes);
    memory->index_bytes_bound = wvl_add_saturate(sum->index_bytes, memory->table_bytes);
    memory->output_bytes_bound = wvl_add_saturate(sum->output_bytes, header + WVL_CS_END_BYTES);
}

/* ---- What is likely -------------------------------------------------------------------------- */

/* Bits of a sample that code it without loss, as a part of its depth: photographs take 0.4 to 0.7. */
#define SHARE_OF_DEPTH 0.55

static double mean_depth(const wvl_plan *plan)
{
    double bits = 0.0;
    for (uint32_t c = 0; c < plan->syntax.component_count; c++) {
        const wvl_plan_component *pc = &plan->syntax.components[c];
        bits += (double)wvl_rect_width(pc->rect) * wvl_rect_height(pc->rect) * pc->depth;
    }
    return bits / (double)plan->syntax.total_samples;
}

/* Bits of a sample that are coded: those of the target and what is coded beyond it, or all. */
static double guess_bits(const wvl_plan *plan)
{
    const wvl_layer_target *last = &plan->rate.layers[plan->syntax.layer_count - 1];
    double all = SHARE_OF_DEPTH * mean_depth(plan), target = 1e18;
    if (last->kind == WVL_RATE_BYTES) {
        target = last->value;
    }
    if (plan->rate.max_bytes && (double)plan->rate.max_bytes < target) {
        target = (double)plan->rate.max_bytes;
    }
    double bits = 8.0 * target / (double)plan->syntax.total_samples;
    bits = wvl_depth_is_possible(plan) ? 1.3 * bits + 0.1 : all;
    return bits < all ? bits : all;
}

uint64_t wvl_coder_guess_bytes(const wvl_plan *plan, const wvl_coder_sum *sum)
{
    double bits = guess_bits(plan), planes = bits * 1.2 + 1.0, sets = plan->test.all_sets ? 2.0 : 1.0;
    double block = 3.0 * planes * (double)wvl_block_passes_bytes(1, plan->rate.rate_control) + 16.0;
    double sent = (double)wvl_min_u32(plan->syntax.layer_count, 8) * sizeof(wvl_contribution) * 1.5;
    double bytes = sets * bits / 8.0 * (double)plan->syntax.total_samples + (double)sum->blocks * (block + sent) +
                   (double)sum->packets * 2.0;
    bytes += 2.0 * (double)WVL_STORE_CHUNK;
    return bytes < 1e18 ? (uint64_t)bytes : UINT64_MAX;
}

/* ---- Tile-parts that would be longer than Psot can say --------------------------------------- */

/* What only samples as they are take; what a proved bound allows, which is several times as much, is divided or found
 * when it is there. */
wvl_status wvl_coder_check_raw(const wvl_plan *plan, const wvl_coder_sum *sum, char *problem, size_t problem_bytes)
{
    uint64_t limit = wvl_cs_most_psot(plan), asked = wvl_coder_asked_bytes(plan), layers = plan->syntax.layer_count;
    if (wvl_min_u64(sum->raw_packet_bytes, asked) / layers > limit) {
        snprintf(problem, problem_bytes,
                 "a packet of tile %u may take %llu bytes, and a tile-part holds 4 GiB (A.4.2); use smaller "
                 "precincts or tiles",
                 sum->raw_packet_tile, (unsigned long long)sum->raw_packet_bytes);
        return WVL_ERROR_PARAMETER;
    }
    if (wvl_min_u64(sum->raw_tile_bytes, asked) / (WVL_CS_MAX_PARTS_PER_TILE / 2) > limit) {
        snprintf(problem, problem_bytes,
                 "tile %u may take %llu bytes, and 255 tile-parts hold 4 GiB each at most (A.4.2); use smaller "
                 "tiles",
                 sum->raw_tile, (unsigned long long)sum->raw_tile_bytes);
        return WVL_ERROR_PARAMETER;
    }
    return WVL_OK;
}

uint64_t wvl_coder_reserved_parts(const wvl_plan *plan)
{
    uint64_t asked = wvl_coder_asked_bytes(plan), limit = wvl_cs_most_psot(plan);
    return asked != UINT64_MAX && asked > limit ? wvl_min_u64(plan->memory.spare_parts, bound_extra(asked, limit)) : 0;
}
