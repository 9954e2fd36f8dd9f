/* SPDX-License-Identifier: BSD-2-Clause */
#include "picture_blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend_cpu.h"
#include "base/alloc.h"
#include "geom/settings.h"

static void report(void *user, const char *text)
{
    (void)user;
    fprintf(stderr, "%s\n", text);
}

static wvl_plan *build_plan(const wvl_image_format *format, uint32_t side)
{
    double layer = 0.0;
    wvl_settings s = {.reversible = 1,
                      .levels = 5,
                      .mct = 2,
                      .block_width = side,
                      .block_height = side,
                      .guard_bits = 2,
                      .quant_style = WVL_QUANT_EXPOUNDED,
                      .distortion_bits = 4,
                      .layer_count = 1,
                      .layer_value_count = 1,
                      .layer_values = &layer};
    wvl_report r = {report, NULL, 0};
    return wvl_plan_check(&s, format, &r) ? wvl_geom_build_plan(NULL, &s, format, &r) : NULL;
}

static void take_band(picture_blocks *to, const wvl_coefs *coefs, const wvl_tile_band *band)
{
    for (uint32_t k = 0; k < band->block_cols * band->block_rows; k++) {
        wvl_rect r = wvl_geom_block_rect(band, k % band->block_cols, k / band->block_cols);
        to->blocks[to->count++] = (wvl_block_input){.coefs = to->samples + wvl_coef_cell(band, k),
                                                    .stride = band->cell_width,
                                                    .width = (uint16_t)wvl_rect_width(r),
                                                    .height = (uint16_t)wvl_rect_height(r),
                                                    .coef_bytes = band->coef_bytes,
                                                    .orient = band->orient,
                                                    .reversible = 1,
                                                    .max_passes = 255,
                                                    .bound = coefs->bounds[band->first_block + k]};
    }
}

static void take_tile(picture_blocks *to, const wvl_coefs *coefs, const wvl_tile_plan *tile)
{
    *to = (picture_blocks){.blocks = calloc(tile->block_count, sizeof *to->blocks),
                           .samples = malloc(tile->coef_bytes),
                           .sample_bytes = tile->coef_bytes};
    memcpy(to->samples, coefs->samples, tile->coef_bytes);
    for (uint32_t i = 0; i < tile->band_count; i++) {
        take_band(to, coefs, &tile->bands[i]);
    }
}

int picture_blocks_fetch(picture_blocks *to, const picture *p, uint32_t side)
{
    picture_input input = picture_open_input(p, 0);
    wvl_plan *plan = build_plan(&input.format, side);
    wvl_tile_plan tile;
    wvl_coefs coefs;
    wvl_carver carver = {NULL, 0};
    wvl_backend *cpu = NULL;
    wvl_backend_job *job = NULL;
    if (!plan) {
        picture_close_input(&input);
        return 0;
    }
    wvl_tile_plan_carve(plan, &carver, &tile);
    uint64_t tile_bytes = carver.used;
    void *memory = wvl_alloc(NULL, tile_bytes);
    carver = (wvl_carver){memory, 0};
    wvl_tile_plan_carve(plan, &carver, &tile);
    wvl_tile_plan_build(plan, 0, &tile);
    wvl_pool *pool = wvl_pool_create(NULL, 8, NULL);
    int fine = wvl_backend_cpu.open(&(wvl_backend_options){.pool = pool}, &cpu) == WVL_OK &&
               wvl_backend_prepare_tiles(&wvl_backend_cpu, cpu, pool, plan, &tile, 1) == WVL_OK &&
               wvl_backend_cpu.submit(cpu, &input.image, &tile, 1, &job) == WVL_OK &&
               wvl_backend_cpu.wait(job, WVL_EVENT_DONE, UINT32_MAX) == WVL_OK &&
               wvl_backend_cpu.collect(job, &coefs) == WVL_OK;
    if (fine) {
        take_tile(to, &coefs, &tile);
        wvl_backend_cpu.release(job);
    }
    wvl_backend_cpu.close(cpu);
    wvl_pool_destroy(pool);
    wvl_free(NULL, memory, tile_bytes);
    wvl_plan_destroy(NULL, plan);
    picture_close_input(&input);
    return fine;
}

void picture_blocks_clear(picture_blocks *blocks)
{
    free(blocks->blocks);
    free(blocks->samples);
    memset(blocks, 0, sizeof *blocks);
}
