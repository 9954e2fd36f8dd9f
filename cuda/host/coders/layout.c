/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/host/coders/layout.h"

#include "cuda/color/color.h"
#include "cuda/host/coders/wave_coder.h"
#include "cuda/host/transform/deliver.h"
#include "cuda/host/transform/staging.h"

/* Places what goes up. coder: NULL where the CPU codes the blocks. */
static uint64_t place_tables(wvl_cuda_layout *l, const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count,
                             const wvl_cuda_tables *t, const wvl_cuda_coder *coder)
{
    uint64_t end = 0, parcels = l->block_count ? 0 : wvl_cuda_build_parcels(tiles, tile_count, 0, 0, 0, NULL);
    l->splits = wvl_cuda_place(&end, t->split_count, sizeof(wvl_cuda_split));
    l->parcels = wvl_cuda_place(&end, parcels, sizeof(wvl_cuda_parcel));
    l->color = wvl_cuda_place(&end, plan->syntax.xyz.kind != WVL_XYZ_NONE, sizeof(wvl_cuda_color));
    if (coder) {
        l->code_blocks = wvl_cuda_place(&end, l->block_count, coder->block_bytes);
        l->code_order = wvl_cuda_place(&end, l->block_count, sizeof(uint32_t));
        coder->place_wave(plan, WVL_CUDA_PART_UP, l, &end);
    }
    l->items = wvl_cuda_place(&end, t->item_count, sizeof(wvl_cuda_item));
    return end;
}

/* Places what comes down, and what stays. */
static void place_results(wvl_cuda_layout *l, const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count,
                          const wvl_cuda_tables *t, const wvl_cuda_coder *coder, uint64_t end)
{
    l->bounds = wvl_cuda_place(&end, t->block_count + 1 + t->flag_count, sizeof(uint32_t));
    l->outside = l->bounds + t->block_count * sizeof(uint32_t);
    l->flags = l->outside + sizeof(uint32_t);
    l->cleared_end = end;
    if (coder) {
        coder->place_wave(plan, WVL_CUDA_PART_DOWN, l, &end);
    }
    l->coefs = wvl_cuda_place(&end, t->coef_bytes, 1);
    l->down_end = end;
    l->staging = l->coded = wvl_cuda_place(&end, wvl_cuda_measure_staging(plan, tiles, tile_count), 1);
    l->output = plan->rate.keep_coefs ? l->down_end : l->coefs;
    uint64_t output_end = l->output;
    (void)wvl_cuda_place(&output_end, l->output_bytes, 1);
    l->pinned_end = wvl_max_u64(end, output_end);
    l->planes = wvl_cuda_place(&end, t->plane_bytes, 1);
    l->converted = wvl_cuda_place(&end, wvl_cuda_measure_color(plan, wvl_cuda_fetch_rect(tiles, tile_count, 0)), 1);
    l->device_least = end;
    if (coder) {
        coder->place_wave(plan, WVL_CUDA_PART_BELOW, l, &end);
    }
    l->device_end = end;
}

static void place_host(wvl_cuda_layout *l, const wvl_plan *plan, uint32_t tile_count, const wvl_cuda_tables *t,
                       const wvl_cuda_coder *coder, uint64_t head_bytes)
{
    uint64_t end = 0, blocks = l->block_count;
    (void)wvl_cuda_place(&end, 1, head_bytes);
    l->launches = wvl_cuda_place(&end, t->launch_count, sizeof(wvl_cuda_launch));
    l->fronts = wvl_cuda_place(&end, tile_count, plan->syntax.component_count * sizeof(uint32_t));
    l->host_coefs = wvl_cuda_place(&end, tile_count, sizeof(wvl_coefs));
    l->host_pixels = wvl_cuda_place(&end, plan->syntax.component_count, sizeof(wvl_cuda_pixels));
    l->host_copies = wvl_cuda_place(&end, plan->syntax.component_count, sizeof(wvl_cuda_copy));
    l->done = wvl_cuda_place(&end, blocks, sizeof(wvl_cuda_done));
    l->batch_records = wvl_cuda_place(&end, blocks, sizeof(wvl_block_record));
    l->batch_ranges = wvl_cuda_place(&end, blocks, sizeof(uint32_t));
    l->batch_blocks = wvl_cuda_place(&end, blocks, sizeof(uint32_t));
    l->chunks = wvl_cuda_place(&end, blocks ? (l->output_bytes >> WVL_CHUNK_LOG2) + 1 : 0, sizeof(uint8_t *));
    l->left = wvl_cuda_place(&end, blocks, sizeof(uint32_t));
    if (coder) {
        coder->place_wave(plan, WVL_CUDA_PART_HOST, l, &end);
    }
    l->host_end = end;
}

wvl_cuda_layout wvl_cuda_build_layout(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count,
                                      int any_shape, uint64_t head_bytes)
{
    wvl_cuda_layout l = {0};
    wvl_cuda_tables t = {0};
    wvl_cuda_table_options options = {.any_shape = any_shape};
    const char *why;
    wvl_cuda_build_tables(plan, tiles, tile_count, &options, NULL, &t);
    const wvl_cuda_coder *coder = t.block_count ? wvl_cuda_choose_coder(plan, WVL_REACH_BLOCKS, &why) : NULL;
    if (coder) {
        const wvl_cuda_coder_view view = {.plan = plan, .tiles = tiles, .tile_count = tile_count};
        l.block_count = t.block_count;
        coder->measure_wave(&view, &l);
    }
    place_results(&l, plan, tiles, tile_count, &t, coder, place_tables(&l, plan, tiles, tile_count, &t, coder));
    place_host(&l, plan, tile_count, &t, coder, head_bytes);
    return l;
}
