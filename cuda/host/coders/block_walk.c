/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/host/coders/coder.h"

static void walk_tile(const wvl_tile_plan *tile, wvl_cuda_walk_band at,
                      void (*see)(void *user, const wvl_cuda_walk_band *band), void *user)
{
    uint64_t before = at.first_block;
    at.tile = tile;
    for (uint32_t c = 0; c < tile->component_count; c++) {
        const wvl_tile_component *component = &tile->components[c];
        uint32_t first = tile->resolutions[component->first_resolution].first_band;
        at.coding = &at.view->plan->syntax.codings[component->coding];
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

void wvl_cuda_walk_bands(const wvl_cuda_coder_view *v, uint64_t coefs, uint64_t bounds,
                         void (*see)(void *user, const wvl_cuda_walk_band *band), void *user)
{
    wvl_cuda_walk_band at = {.view = v, .coefs = coefs, .bounds = bounds, .nothing = bounds};
    for (uint32_t t = 0; t < v->tile_count; t++) {
        at.nothing += v->tiles[t].block_count * sizeof(uint32_t);
    }
    for (uint32_t t = 0; t < v->tile_count; t++) {
        walk_tile(&v->tiles[t], at, see, user);
        at.coefs += v->tiles[t].coef_bytes;
        at.bounds += v->tiles[t].block_count * sizeof(uint32_t);
        at.first_block += v->tiles[t].block_count;
    }
}

typedef struct block_user {
    void (*put)(void *user, uint64_t place, const wvl_cuda_walk_block *block);
    void *user;
} block_user;

static void walk_band(void *user, const wvl_cuda_walk_band *at)
{
    const block_user *to = user;
    const wvl_tile_band *band = at->band;
    const uint32_t *places = at->view->places;
    uint32_t index = 0, end = band->block_rows - band->rows_below;
    for (uint32_t row = 0; row < band->block_rows; row++) {
        int is_own = row >= band->rows_above && row < end;
        for (uint32_t col = 0; col < band->block_cols; col++, index++) {
            uint64_t number = at->first_block + index, bound = (band->first_block + index) * sizeof(uint32_t);
            wvl_rect rect = wvl_geom_block_rect(band, col, row);
            wvl_cuda_walk_block block = {.in = at,
                                         .rect = rect,
                                         .coefs = at->coefs + wvl_coef_cell(band, index),
                                         .bound = is_own ? at->bounds + bound : at->nothing,
                                         .width = (uint16_t)wvl_rect_width(rect),
                                         .height = (uint16_t)wvl_rect_height(rect)};
            to->put(to->user, places ? places[number] : number, &block);
        }
    }
}

void wvl_cuda_walk_blocks(const wvl_cuda_coder_view *v, uint64_t coefs, uint64_t bounds,
                          void (*put)(void *user, uint64_t place, const wvl_cuda_walk_block *block), void *user)
{
    block_user to = {put, user};
    wvl_cuda_walk_bands(v, coefs, bounds, walk_band, &to);
}
