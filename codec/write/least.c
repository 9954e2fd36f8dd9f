/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/write/least.h"

#include <stdio.h>

#include "codec/cs/cs.h"
#include "codec/write/bounds.h"

void wvl_coder_add_least_component(const wvl_plan *plan, const wvl_tile_plan *tile, uint32_t number,
                                   wvl_coder_least *least)
{
    const wvl_tile_component *component = &tile->components[0];
    uint64_t bytes = 1 + wvl_packet_marker_bytes(tile->sop, tile->eph) + (plan->syntax.plt != 0);
    for (unsigned r = 0; least->group_bytes && r <= component->levels; r++) {
        const wvl_tile_resolution *resolution = &tile->resolutions[component->first_resolution + r];
        uint64_t packets =
            wvl_mul_saturate((uint64_t)resolution->precinct_cols * resolution->precinct_rows, plan->syntax.layer_count);
        uint64_t *group = &least->group_bytes[wvl_plan_cap_group(plan, number, r)];
        *group = wvl_add_saturate(*group, wvl_mul_saturate(packets, bytes));
    }
}

/* A packet that sends nothing is one byte between its markers, and its length is one byte in PLT and PLM. */
void wvl_coder_add_least(const wvl_plan *plan, const wvl_tile_plan *tile, uint64_t precincts, wvl_coder_least *least)
{
    uint64_t packets = wvl_mul_saturate(precincts, plan->syntax.layer_count),
             bytes = 1 + wvl_packet_marker_bytes(tile->sop, tile->eph);
    wvl_layer_cost *cost = &least->cost;
    cost->packet_bytes = wvl_add_saturate(cost->packet_bytes, wvl_mul_saturate(packets, bytes));
    cost->plt_bytes = wvl_add_saturate(cost->plt_bytes, plan->syntax.plt ? packets : 0);
    cost->plm_bytes = wvl_add_saturate(cost->plm_bytes, plan->syntax.plm ? packets : 0);
    cost->header_bytes = wvl_add_saturate(
        cost->header_bytes,
        plan->syntax.packed_headers ? wvl_mul_saturate(packets, 1 + (tile->eph ? WVL_EPH_BYTES : 0)) : 0);
    if (plan->syntax.progression_count || plan->syntax.choice_count) {
        least->segment_bytes += wvl_cs_measure_tile_segments(plan, tile->index);
    }
}

static wvl_status refuse(char *problem, size_t problem_bytes, const char *what, uint64_t bytes)
{
    snprintf(problem, problem_bytes, "%s need (%llu bytes)", what, (unsigned long long)bytes);
    return WVL_ERROR_UNREACHABLE;
}

void wvl_coder_note_least(wvl_plan *plan, const wvl_coder_least *least, uint64_t part_count)
{
    uint64_t fixed =
        wvl_cs_measure_main_header(plan, part_count) + part_count * WVL_CS_SOT_SOD_BYTES + WVL_CS_END_BYTES;
    wvl_layer_job job = {.plan = plan,
                         .overhead = {.codestream_bytes = fixed + least->segment_bytes, .part_count = part_count}};
    plan->memory.least_bytes =
        least->cost.packet_bytes >> 60 ? least->cost.packet_bytes : wvl_rate_codestream_bytes(&job, least->cost);
    plan->memory.least_group_bytes = 0;
    for (uint32_t i = 0; least->group_bytes && i < wvl_plan_cap_groups(plan); i++) {
        plan->memory.least_group_bytes = wvl_max_u64(plan->memory.least_group_bytes, least->group_bytes[i]);
    }
}

wvl_status wvl_coder_check_least(const wvl_plan *plan, char *problem, size_t problem_bytes)
{
    const wvl_memory_plan *m = &plan->memory;
    if (m->least_bytes > wvl_coder_asked_bytes(plan)) {
        return refuse(problem, problem_bytes, "the byte cap is below what the headers of an empty picture",
                      m->least_bytes);
    }
    if (plan->rate.max_component_bytes && m->least_group_bytes > plan->rate.max_component_bytes) {
        return refuse(problem, problem_bytes, "the component byte cap is below what the headers of an empty component",
                      m->least_group_bytes);
    }
    return WVL_OK;
}
