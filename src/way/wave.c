/* SPDX-License-Identifier: BSD-2-Clause */
#include "way/wave.h"

void wvl_wave_carve(const wvl_plan *plan, wvl_carver *carver, wvl_wave *wave)
{
    wave->coefs = wvl_carve(carver, plan->memory.wave_tiles, sizeof *wave->coefs);
    wvl_order_carve(plan, plan->memory.most_resolutions, plan->memory.most_precincts, carver, &wave->order);
    wave->buffer = wvl_carve(carver, 1, WVL_WRITE_BUFFER_BYTES);
    wvl_tile_plan_carve(plan, carver, &wave->scratch);
    wave->tiles = wvl_carve(carver, plan->memory.wave_tiles, sizeof *wave->tiles);
    for (uint32_t i = 0; i < plan->memory.wave_tiles; i++) {
        wvl_tile_plan tile;
        wvl_tile_plan_carve(plan, carver, carver->base ? &wave->tiles[i] : &tile);
    }
}

uint32_t wvl_wave_build(const wvl_plan *plan, uint32_t first, wvl_tile_plan *tiles)
{
    uint64_t bytes = 0;
    uint32_t count = 0;
    while (count < plan->memory.wave_tiles && first + count < plan->syntax.tile_count) {
        wvl_tile_plan_build(plan, first + count, &tiles[count]);
        bytes += tiles[count].coef_bytes + plan->memory.tile_plan_bytes;
        if (count && bytes > plan->memory.wave_limit) {
            break;
        }
        count++;
    }
    return count;
}

wvl_tile_walk wvl_wave_walk(const wvl_plan *plan, wvl_wave *wave)
{
    return (wvl_tile_walk){plan, plan->memory.wave_count == 1 ? wave->tiles : NULL, &wave->scratch};
}
