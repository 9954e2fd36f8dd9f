/* SPDX-License-Identifier: BSD-2-Clause */
/* Division of tiles into tile-parts: where they begin, and what their headers take. */
#include "codec/write/division.h"
#include "base/try.h"

#include <stdio.h>

/* A volume of its own order is also a part of its own: cinema streams count on it. */
static int starts_part(const wvl_plan *plan, const wvl_packet_id *before, const wvl_packet_id *now, int new_volume)
{
    return (plan->syntax.parts && new_volume) ||
           ((plan->syntax.parts & WVL_PARTS_RESOLUTION) && now->resolution != before->resolution) ||
           ((plan->syntax.parts & WVL_PARTS_LAYER) && now->layer != before->layer) ||
           ((plan->syntax.parts & WVL_PARTS_COMPONENT) && now->component != before->component);
}

static void add_part(wvl_division *d, uint32_t tile, uint64_t index, uint64_t packet_first)
{
    if (d->parts) {
        wvl_cs_part *part = &d->parts[d->part_count];
        memset(part, 0, sizeof *part);
        part->tile = tile;
        part->index = (uint8_t)index;
        part->packet_first = (uint32_t)packet_first;
        part->cap_group = WVL_CS_MIXED;
    }
    d->part_count++;
}

static uint64_t part_overhead(const wvl_plan *plan)
{
    return WVL_CS_SOT_SOD_BYTES + (plan->syntax.plt || plan->syntax.packed_headers == WVL_PACKED_PPT ? 5 : 0);
}

/* Bytes of part headers that count as the component's: only parts that hold one component are its own. */
static void charge_part(wvl_division *d, uint32_t tile, uint64_t index, const wvl_packet_id *first)
{
    const wvl_plan *plan = d->plan;
    uint32_t group = wvl_plan_cap_group(plan, first->component, first->resolution);
    if (!(plan->syntax.parts & WVL_PARTS_COMPONENT)) {
        return;
    }
    if (d->parts) {
        d->parts[d->part_count - 1].cap_group = group;
    }
    if (d->component_overhead) {
        d->component_overhead[group] += part_overhead(plan);
        d->component_overhead[group] += index ? 0 : wvl_cs_measure_tile_segments(plan, tile);
    }
}

/* Every length takes a byte at least: what PLM cannot hold is known before anything is coded. */
static wvl_status check_part(const wvl_division *d, uint32_t tile, uint64_t packets)
{
    if (!d->plan->syntax.plm || packets <= WVL_CS_MAX_NPLM) {
        return WVL_OK;
    }
    snprintf(d->problem, d->problem_bytes,
             "PLM: a tile-part of tile %u has %llu packets, and Nplm names up to 255 bytes of lengths (A.7.2); "
             "use more tile-parts, or PLT",
             tile, (unsigned long long)packets);
    return WVL_ERROR_PARAMETER;
}

static wvl_status divide_tile(wvl_division *d, const wvl_tile_plan *tile, const wvl_order_memory *memory)
{
    wvl_packet_order order;
    wvl_packet_id id, before = {0, 0, 0, 0};
    uint64_t first_part = d->part_count, packets = 0, first_packet = 0;
    add_part(d, tile->index, 0, 0);
    wvl_order_open(&order, d->plan, tile, memory);
    for (uint32_t volume = order.volume_next; wvl_order_next(&order, &id); volume = order.volume_next, packets++) {
        uint64_t index = d->part_count - first_part - 1;
        int starts = packets && starts_part(d->plan, &before, &id, order.volume_next != volume);
        if (packets == UINT32_MAX || (starts && index + 1 >= WVL_CS_MAX_PARTS_PER_TILE)) {
            snprintf(d->problem, d->problem_bytes,
                     starts ? "tile %u needs more than 255 tile-parts in this progression (A.4.2)"
                            : "tile %u has more than 2^32 packets",
                     tile->index);
            return WVL_ERROR_PARAMETER;
        }
        if (starts) {
            if (check_part(d, tile->index, packets - first_packet)) {
                return WVL_ERROR_PARAMETER;
            }
            first_packet = packets;
            add_part(d, tile->index, ++index, packets);
        }
        if (starts || !packets) {
            charge_part(d, tile->index, index, &id);
        }
        if (d->parts) {
            d->parts[d->part_count - 1].packet_count++;
        }
        before = id;
        if (wvl_look_after(d->look, WVL_LOOK_DIVIDE, 1)) {
            return WVL_CANCELLED;
        }
    }
    for (uint64_t i = first_part; d->parts && i < d->part_count; i++) {
        d->parts[i].count = (uint8_t)(d->part_count - first_part);
    }
    return check_part(d, tile->index, packets - first_packet);
}

static wvl_status divide_tiles(wvl_division *d, const wvl_tile_walk *tiles, const wvl_order_memory *memory)
{
    wvl_status status = WVL_OK;
    for (uint32_t t = 0; t < d->plan->syntax.tile_count && status == WVL_OK; t++) {
        status = divide_tile(d, wvl_tile_walk_fetch(tiles, t), memory);
    }
    return status;
}

/* Where tiles are not divided, the sums are enough: no packet is walked. */
static wvl_status check_whole_tiles(const wvl_division *d, const wvl_coder_sum *sum)
{
    if (sum->is_crowded) {
        snprintf(d->problem, d->problem_bytes,
                 "tile %u has more than 2^32 packets; use larger precincts or smaller tiles", sum->crowded_tile);
        return WVL_ERROR_PARAMETER;
    }
    return sum->plm_packets && !d->plan->syntax.parts ? check_part(d, sum->plm_tile, sum->plm_packets) : WVL_OK;
}

static wvl_status check_walk(const wvl_division *d, const wvl_coder_sum *sum)
{
    if (d->plan->syntax.parts && sum->packets > WVL_CODER_MOST_WALKED) {
        snprintf(d->problem, d->problem_bytes,
                 "tile-parts: where they begin is found packet by packet, and the picture has %llu packets; %llu "
                 "are supported. Use larger "
                 "precincts, fewer layers, or no tile-parts",
                 (unsigned long long)sum->packets, (unsigned long long)WVL_CODER_MOST_WALKED);
        return WVL_ERROR_PARAMETER;
    }
    return WVL_OK;
}

wvl_status wvl_coder_count_parts(wvl_division *d, const wvl_coder_sum *sum, const wvl_tile_walk *tiles,
                                 const wvl_order_memory *memory)
{
    d->part_count = d->plan->syntax.parts ? 0 : d->plan->syntax.tile_count;
    wvl_status status = check_whole_tiles(d, sum);
    TRY(status, check_walk(d, sum));
    TRY(status, wvl_coder_check_raw(d->plan, sum, d->problem, d->problem_bytes));
    if (status == WVL_OK && d->plan->syntax.parts) {
        status = divide_tiles(d, tiles, memory);
    }
    uint64_t most = d->part_count + sum->spare_parts;
    if (status == WVL_OK && !wvl_cs_tlm_fits(d->plan, most)) {
        snprintf(d->problem, d->problem_bytes, "%llu tile-parts are more than TLM can name (A.7.1)",
                 (unsigned long long)most);
        status = WVL_ERROR_PARAMETER;
    }
    return status;
}

wvl_status wvl_coder_divide_tiles(wvl_coder *coder, const wvl_tile_walk *tiles, const wvl_order_memory *memory)
{
    wvl_division d = {coder->plan, coder->look,    coder->parts,         coder->component_overhead,
                      0,           coder->problem, sizeof coder->problem};
    wvl_status status = divide_tiles(&d, tiles, memory);
    coder->part_count = d.part_count;
    uint64_t reserved = coder->plan->syntax.parts & WVL_PARTS_COMPONENT ? wvl_coder_reserved_parts(coder->plan) : 0;
    for (uint32_t g = 0; reserved && g < wvl_plan_cap_groups(coder->plan); g++) {
        coder->component_overhead[g] += reserved * part_overhead(coder->plan);
    }
    return status;
}

wvl_status wvl_coder_list_parts(const wvl_plan *plan, const wvl_tile_walk *tiles, const wvl_order_memory *memory,
                                wvl_cs_part *parts)
{
    char problem[256];
    wvl_division d = {plan, NULL, parts, NULL, 0, problem, sizeof problem};
    return divide_tiles(&d, tiles, memory);
}
