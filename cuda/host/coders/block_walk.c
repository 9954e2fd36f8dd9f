/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/host/coders/block_walk.h"

static void walk_tile(const wvl_plan *plan, const wvl_tile_plan *tile, wvl_cuda_walk_band at,
                      void (*see)(void *user, const wvl_cuda_walk_band *band), void *user)
{
    uint64_t before = at.first_block;
    at.tile = tile;
    for (uint32_t c = 0; c < tile->component_count; c++) {
        const wvl_tile_component *component = &tile->components[c];
        uint32_t first = tile->resolutions[component->first_resolution].first_band;
        at.coding = &plan->syntax.codings[component->coding];
        at.component = c;
        for (uint32_t b = first; b < first + 3u * component->levels + 1; b++) {
            at.band = &tile->bands[b];
            at.first_block = before + at.band->first_block;
            at.count = (uint64_t)at.band->block_cols * at.band->block_rows;
            if (at.count) {
                see(user, &at);
            }
        }
    }
}

void wvl_cuda_walk_bands(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, uint64_t coefs,
                         uint64_t bounds, void (*see)(void *user, const wvl_cuda_walk_band *band), void *user)
{
    wvl_cuda_walk_band at = {.coefs = coefs, .bounds = bounds, .nothing = bounds};
    for (uint32_t t = 0; t < tile_count; t++) {
        at.nothing += tiles[t].block_count * sizeof(uint32_t);
    }
    for (uint32_t t = 0; t < tile_count; t++) {
        walk_tile(plan, &tiles[t], at, see, user);
        at.coefs += tiles[t].coef_bytes;
        at.bounds += tiles[t].block_count * sizeof(uint32_t);
        at.first_block += tiles[t].block_count;
    }
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

typedef struct block_user {
    void (*put)(void *user, uint64_t index, const wvl_cuda_walk_block *block);
    void *user;
} block_user;

static void walk_band(void *user, const wvl_cuda_walk_band *at)
{
    const block_user *to = user;
    const wvl_tile_band *band = at->band;
    uint32_t index = 0, end = band->block_rows - band->rows_below;
    for (uint32_t row = 0; row < band->block_rows; row++) {
        int is_own = row >= band->rows_above && row < end;
        for (uint32_t col = 0; col < band->block_cols; col++, index++) {
            wvl_rect rect = wvl_geom_block_rect(band, col, row);
            wvl_cuda_walk_block block = {.band = band,
                                         .coding = at->coding,
                                         .tile = at->tile,
                                         .component = at->component,
                                         .rect = rect,
                                         .coefs = at->coefs + wvl_coef_slot(band, index),
                                         .bound = is_own ? at->bounds + (band->first_block + index) * sizeof(uint32_t)
                                                         : at->nothing,
                                         .width = (uint16_t)wvl_rect_width(rect),
                                         .height = (uint16_t)wvl_rect_height(rect)};
            to->put(to->user, at->first_block + index, &block);
        }
    }
}

void wvl_cuda_walk_blocks(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, uint64_t coefs,
                          uint64_t bounds, void (*put)(void *user, uint64_t index, const wvl_cuda_walk_block *block),
                          void *user)
{
    block_user to = {put, user};
    wvl_cuda_walk_bands(plan, tiles, tile_count, coefs, bounds, walk_band, &to);
}
