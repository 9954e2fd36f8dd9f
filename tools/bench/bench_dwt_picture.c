/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "base/alloc.h"
#include "bench_dwt.h"
#include "geom/settings.h"

static void report(void *user, const char *text)
{
    (void)user;
    fprintf(stderr, "bench dwt: %s\n", text);
}

static wvl_plan *build_plan(const wvl_bench_dwt_case *c)
{
    wvl_component_format components[4];
    wvl_image_format format = {.struct_size = sizeof format,
                               .x1 = c->width,
                               .y1 = c->height,
                               .component_count = c->components,
                               .components = components};
    double layer = 0.0;
    wvl_settings s = {.reversible = (uint8_t)c->reversible,
                      .levels = (uint8_t)c->levels,
                      .mct = 2,
                      .block_width = 64,
                      .block_height = 64,
                      .guard_bits = 2,
                      .quant_style = WVL_QUANT_EXPOUNDED,
                      .distortion_bits = 4,
                      .layer_count = 1,
                      .layer_value_count = 1,
                      .layer_values = &layer,
                      .tile_width = c->tile,
                      .tile_height = c->tile};
    wvl_report r = {report, NULL, 0};
    for (uint32_t i = 0; i < c->components; i++) {
        components[i] = (wvl_component_format){(uint8_t)c->depth, 0, 1, 1};
    }
    return wvl_plan_check(&s, &format, &r) ? wvl_geom_build_plan(NULL, &s, &format, &r) : NULL;
}

static int build_tiles(wvl_bench_dwt_picture *p)
{
    uint32_t count = p->plan->syntax.tile_count;
    wvl_tile_plan shape;
    wvl_carver carver = {NULL, 0};
    wvl_tile_plan_carve(p->plan, &carver, &shape);
    p->tile_bytes = carver.used * count;
    p->tile_memory = wvl_alloc(NULL, p->tile_bytes);
    p->tiles = calloc(count, sizeof *p->tiles);
    if (!p->tile_memory || !p->tiles) {
        return 0;
    }
    carver = (wvl_carver){p->tile_memory, 0};
    for (uint32_t t = 0; t < count; t++) {
        wvl_tile_plan_carve(p->plan, &carver, &p->tiles[t]);
        wvl_tile_plan_build(p->plan, t, &p->tiles[t]);
    }
    return 1;
}

/* Slopes, edges and grain: integer arithmetic, the same everywhere. */
static uint32_t sample_at(uint32_t x, uint32_t y, uint32_t c, uint32_t depth)
{
    uint32_t h = (x * 2654435761u) ^ (y * 2246822519u) ^ (c * 3266489917u);
    h = (h ^ h >> 15) * 668265263u;
    uint32_t slope = (x * 3 + y * 5 + c * 70) >> 2, edge = ((x >> 7) + (y >> 6) + c) & 1 ? 60 : 0,
             v = (slope + edge + (h >> 28)) & 255;
    return depth >= 8 ? v << (depth - 8) | (h >> 8 & ((1u << (depth - 8)) - 1)) : v >> (8 - depth);
}

static int draw_pixels(const wvl_bench_dwt_case *c, wvl_bench_dwt_picture *p)
{
    uint32_t bytes = c->depth > 8 ? 2 : 1, n = c->components;
    uint64_t plane = (uint64_t)c->width * c->height;
    p->samples = plane * n;
    p->pixel_bytes = p->samples * bytes;
    p->pixels = malloc(p->pixel_bytes);
    for (uint64_t i = 0; p->pixels && i < p->samples; i++) {
        uint32_t place = (uint32_t)(c->interleaved ? i % n : i / plane);
        uint64_t at = c->interleaved ? i / n : i % plane;
        uint32_t v = sample_at((uint32_t)(at % c->width), (uint32_t)(at / c->width), place, c->depth);
        memcpy(p->pixels + i * bytes, &v, bytes); /* little endian */
    }
    for (uint32_t i = 0; i < n; i++) {
        p->planes[i] = (wvl_plane){.data = p->pixels + (c->interleaved ? 0 : plane * i * bytes),
                                   .sample_stride = c->interleaved ? n : 1,
                                   .pitch_bytes = (ptrdiff_t)((uint64_t)c->width * bytes * (c->interleaved ? n : 1)),
                                   .first_sample = c->interleaved ? i : 0,
                                   .container = bytes == 1 ? WVL_SAMPLE_8 : WVL_SAMPLE_16};
    }
    p->image = (wvl_image){.struct_size = sizeof p->image, .planes = p->planes, .plane_count = n};
    return p->pixels != NULL;
}

static int run_cpu(wvl_bench_dwt_picture *p)
{
    uint32_t count = p->plan->syntax.tile_count;
    p->pool = wvl_pool_create(NULL, 8, NULL);
    p->coefs = calloc(count, sizeof *p->coefs);
    return p->pool && p->coefs && wvl_backend_cpu.open(&(wvl_backend_options){.pool = p->pool}, &p->cpu) == WVL_OK &&
           wvl_backend_prepare_tiles(&wvl_backend_cpu, p->cpu, p->pool, p->plan, p->tiles, count) == WVL_OK &&
           wvl_backend_cpu.submit(p->cpu, &p->image, p->tiles, count, &p->job) == WVL_OK &&
           wvl_backend_cpu.wait(p->job, WVL_EVENT_DONE, UINT32_MAX) == WVL_OK &&
           wvl_backend_cpu.collect(p->job, p->coefs) == WVL_OK;
}

int wvl_bench_dwt_open_picture(const wvl_bench_dwt_case *c, wvl_bench_dwt_picture *picture)
{
    memset(picture, 0, sizeof *picture);
    picture->plan = build_plan(c);
    if (picture->plan && build_tiles(picture) && draw_pixels(c, picture) && run_cpu(picture)) {
        return 1;
    }
    wvl_bench_dwt_close_picture(picture);
    return 0;
}

void wvl_bench_dwt_close_picture(wvl_bench_dwt_picture *p)
{
    if (p->job) {
        wvl_backend_cpu.release(p->job);
    }
    if (p->cpu) {
        wvl_backend_cpu.close(p->cpu);
    }
    if (p->pool) {
        wvl_pool_destroy(p->pool);
    }
    wvl_free(NULL, p->tile_memory, p->tile_bytes);
    free(p->tiles);
    free(p->coefs);
    free(p->pixels);
    if (p->plan) {
        wvl_plan_destroy(NULL, p->plan);
    }
}

static uint64_t compare_block(const wvl_coefs *a, const wvl_tile_band *band, uint32_t index, const uint8_t *samples,
                              const uint32_t *bounds)
{
    wvl_rect r = wvl_geom_block_rect(band, index % band->block_cols, index / band->block_cols);
    uint64_t wrong = a->bounds[band->first_block + index] != bounds[band->first_block + index];
    for (uint32_t y = r.y0; y < r.y1; y++) {
        uint64_t at = wvl_coef_at(band, r.x0, y);
        wrong += memcmp(a->samples + at, samples + at, (size_t)(r.x1 - r.x0) * band->coef_bytes) != 0 &&
                 !wvl_coef_agree(a->samples + at, samples + at, r.x1 - r.x0, band->coef_bytes);
    }
    return wrong;
}

/* Wrong bounds and block rows. */
uint64_t wvl_bench_dwt_compare(const wvl_bench_dwt_picture *p, const uint8_t *samples, const uint32_t *bounds)
{
    uint64_t wrong = 0;
    for (uint32_t t = 0; t < p->plan->syntax.tile_count; t++) {
        const wvl_tile_plan *tile = &p->tiles[t];
        for (uint32_t i = 0; i < tile->band_count; i++) {
            const wvl_tile_band *band = &tile->bands[i];
            for (uint32_t k = 0; k < band->block_cols * band->block_rows; k++) {
                wrong += compare_block(&p->coefs[t], band, k, samples, bounds);
            }
        }
        samples += tile->coef_bytes;
        bounds += tile->block_count;
    }
    return wrong;
}
