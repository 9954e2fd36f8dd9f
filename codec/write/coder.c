/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/write/coder.h"

#include <stdio.h>

#include "codec/write/bounds.h"

/* ---- Sizes ----------------------------------------------------------------------------------- */

/* Also lifts the greatest sizes seen. */
static void size_tile(const wvl_plan *plan, const wvl_tile_plan *plan_tile, const wvl_look *look, wvl_coded_tile *tile,
                      wvl_t2_sizes *greatest)
{
    wvl_carver carver = {NULL, 0};
    wvl_t2_sizes sizes;
    memset(tile, 0, sizeof *tile);
    tile->precinct_count = plan_tile->precinct_count;
    tile->block_count = plan_tile->block_count;
    tile->sop = plan_tile->sop;
    tile->eph = plan_tile->eph;
    wvl_t2_build_precincts(plan, plan_tile, NULL, look, &sizes);
    tile->node_count = sizes.nodes;
    tile->meter_chunk_count = sizes.meter_chunks;
    greatest->scratch_nodes = wvl_max_u64(greatest->scratch_nodes, sizes.scratch_nodes);
    greatest->header_bytes = wvl_max_u64(greatest->header_bytes, sizes.header_bytes);
    wvl_coder_carve_tile(plan, &carver, tile);
    tile->memory_bytes = carver.used;
}

static uint64_t packet_bytes_count(const wvl_plan *plan)
{
    return wvl_mul_saturate((uint64_t)plan->syntax.component_count * (plan->syntax.max_levels + 1u),
                            plan->syntax.layer_count);
}

/* ---- Life ------------------------------------------------------------------------------------ */

wvl_status wvl_coder_init(wvl_coder *coder, const wvl_coder_options *o)
{
    const wvl_plan *plan = o->plan;
    const wvl_allocator *allocator = o->allocator;
    memset(coder, 0, sizeof *coder);
    coder->plan = plan;
    coder->allocator = allocator;
    coder->pool = o->pool;
    coder->rank = o->rank;
    coder->look = o->look;
    coder->tiles = wvl_alloc_zeroed(allocator, plan->syntax.tile_count * sizeof *coder->tiles);
    wvl_pool_source_open(&coder->blocks.pool, allocator, plan, o->pool, o->rank, o->look, o->worker_memory);
    coder->blocks.pool.tick = o->tick;
    coder->blocks.pool.tick_user = o->tick_user;
    coder->blocks.keeper.spill = o->spill;
    int has_blocks = wvl_blocks_init(&coder->blocks, allocator, plan, coder->tiles);
    coder->layers = wvl_alloc_zeroed(allocator, plan->syntax.layer_count * sizeof *coder->layers);
    coder->packet_bytes = wvl_alloc_zeroed(allocator, wvl_mul_saturate(packet_bytes_count(plan), sizeof(uint64_t)));
    coder->component_overhead = wvl_alloc_zeroed(allocator, wvl_plan_cap_groups(plan) * sizeof(uint64_t));
    coder->parts = wvl_alloc(allocator, wvl_plan_most_parts(plan) * sizeof *coder->parts);
    int has_tables = coder->parts && coder->tiles && coder->layers && coder->packet_bytes && coder->component_overhead;
    return has_blocks && has_tables ? WVL_OK : WVL_ERROR_MEMORY;
}

void wvl_coder_fini(wvl_coder *coder)
{
    const wvl_plan *plan = coder->plan;
    if (!plan) {
        return;
    }
    wvl_layers_fini(&coder->layer_job);
    wvl_free(coder->allocator, coder->early, coder->early_bytes);
    for (uint32_t t = 0; coder->tiles && t < plan->syntax.tile_count; t++) {
        wvl_free(coder->allocator, coder->tiles[t].memory, coder->tiles[t].memory_bytes);
    }
    wvl_free(coder->allocator, coder->tiles, plan->syntax.tile_count * sizeof *coder->tiles);
    wvl_free(coder->allocator, coder->layers, plan->syntax.layer_count * sizeof *coder->layers);
    wvl_free(coder->allocator, coder->packet_bytes, packet_bytes_count(plan) * sizeof(uint64_t));
    wvl_free(coder->allocator, coder->component_overhead, wvl_plan_cap_groups(plan) * sizeof(uint64_t));
    wvl_free(coder->allocator, coder->parts, wvl_plan_most_parts(plan) * sizeof *coder->parts);
    wvl_blocks_fini(&coder->blocks);
    wvl_recode_close(&coder->recode, coder->allocator);
    memset(coder, 0, sizeof *coder);
}

/* ---- Waves ----------------------------------------------------------------------------------- */

static wvl_status open_tiles(wvl_coder *coder, const wvl_coefs *coefs, uint32_t tile_count)
{
    for (uint32_t i = 0; i < tile_count; i++) {
        wvl_coded_tile *tile = &coder->tiles[coefs[i].tile->index];
        wvl_t2_sizes sizes;
        if (tile->memory) {
            continue; /* a later strip of it */
        }
        size_tile(coder->plan, coefs[i].tile, coder->look, tile, &coder->sizes);
        if (wvl_look_is_over(coder->look)) {
            return WVL_CANCELLED; /* not all of its nodes were counted */
        }
        tile->memory = wvl_alloc(coder->allocator, tile->memory_bytes);
        if (!tile->memory) {
            return WVL_ERROR_MEMORY;
        }
        if (wvl_look_clear(coder->look, tile->memory, tile->memory_bytes)) {
            return WVL_CANCELLED;
        }
        wvl_carver carver = {tile->memory, 0};
        wvl_coder_carve_tile(coder->plan, &carver, tile);
        wvl_t2_build_precincts(coder->plan, coefs[i].tile, tile->precincts, coder->look, &sizes);
    }
    return wvl_look_is_over(coder->look) ? WVL_CANCELLED : WVL_OK;
}

wvl_status wvl_coder_code_tiles(wvl_coder *coder, const wvl_coefs *coefs, uint32_t tile_count)
{
    int is_first = !wvl_coder_wants_again(coder);
    wvl_block_order order;
    wvl_status status = is_first ? open_tiles(coder, coefs, tile_count) : WVL_OK;
    if (status != WVL_OK || !tile_count) {
        return status;
    }
    wvl_recode_fill_order(&coder->recode, coder->plan, &order);
    coder->blocks.pool.beside = coder->beside;
    coder->blocks.pool.beside_user = coder->beside_user;
    status = wvl_blocks_code_wave(&coder->blocks, coder->plan, coefs, tile_count, &order, is_first);
    if (coder->blocks.problem) {
        snprintf(coder->problem, sizeof coder->problem, "%s", coder->blocks.problem);
    }
    return status;
}
