/* SPDX-License-Identifier: BSD-2-Clause */
/* A drawn picture, its plan and its coefficients from the CPU backend: the apparatus of test_transform.c, which alone
 * includes it. */
#ifndef WVL_TESTS_PROP_TRANSFORM_JOB_H
#define WVL_TESTS_PROP_TRANSFORM_JOB_H

#include "backend/backend_cpu.h"
#include "base/alloc.h"
#include "tests/support/planned.h"
#include "tests/support/support.h"

static uint64_t seed_state = 1;

static uint64_t draw(void) { return test_draw(&seed_state); }
static uint32_t between(uint32_t low, uint32_t high) { return low + (uint32_t)(draw() % (high - low + 1)); }

/* ---- A picture, its plan, its coefficients --------------------------------------------------- */

#define COMPONENTS 4u

typedef struct job {
    wvl_settings settings;
    double layer;
    wvl_component_format components[COMPONENTS];
    wvl_image_format format;
    wvl_plan *plan;
    wvl_tile_plan *tiles;
    int32_t *pixels[COMPONENTS]; /* by component, raster */
    wvl_plane planes[COMPONENTS];
    wvl_image image;
    wvl_pool *pool;
    wvl_backend *backend;
    wvl_backend_job *running;
    wvl_coefs *coefs;
} job;

static void default_job(job *j)
{
    memset(j, 0, sizeof *j);
    test_default_settings(&j->settings);
    j->format.struct_size = sizeof j->format;
    j->format.component_count = 1;
    for (unsigned c = 0; c < COMPONENTS; c++) {
        j->components[c] = (wvl_component_format){8, 0, 1, 1};
    }
}

static void plan_job(job *j)
{
    j->format.components = j->components;
    j->settings.layer_values = &j->layer;
    j->plan = test_build_plan(&j->settings, &j->format);
    j->tiles = test_build_tiles(j->plan);
    j->coefs = calloc(j->plan->syntax.tile_count, sizeof *j->coefs);
}

/* Noise over a gradient, full-range noise, or only the two extremes. */
static void draw_pixels(job *j)
{
    unsigned style = (unsigned)(draw() % 3);
    for (uint32_t c = 0; c < j->format.component_count; c++) {
        const wvl_plan_component *pc = &j->plan->syntax.components[c];
        uint64_t n = (uint64_t)wvl_rect_width(pc->rect) * wvl_rect_height(pc->rect);
        uint32_t top = (1u << pc->depth) - 1, offset = pc->is_signed ? 1u << (pc->depth - 1) : 0;
        j->pixels[c] = malloc((size_t)(n + 1) * sizeof *j->pixels[c]);
        for (uint64_t i = 0; i < n; i++) {
            uint32_t v = style == 2   ? (draw() & 1 ? top : 0)
                         : style == 1 ? (uint32_t)draw() & top
                                      : (uint32_t)(i + draw() % 5) & top;
            j->pixels[c][i] = (int32_t)(v - offset);
        }
        j->planes[c] = (wvl_plane){
            .data = j->pixels[c], .pitch_bytes = (ptrdiff_t)wvl_rect_width(pc->rect) * 4, .container = WVL_SAMPLE_32};
    }
    j->image =
        (wvl_image){.struct_size = sizeof j->image, .planes = j->planes, .plane_count = j->format.component_count};
}

static wvl_status run_job(job *j, uint32_t threads)
{
    uint32_t count = j->plan->syntax.tile_count;
    j->pool = wvl_pool_create(NULL, threads, NULL);
    REQUIRE_THAT(wvl_backend_cpu.open(&(wvl_backend_options){.pool = j->pool}, &j->backend) == WVL_OK, "open");
    REQUIRE_THAT(wvl_backend_prepare_tiles(&wvl_backend_cpu, j->backend, j->pool, j->plan, j->tiles, count) == WVL_OK,
                 "prepare");
    wvl_backend_job *none = NULL;
    REQUIRE_THAT(wvl_backend_cpu.submit(j->backend, &j->image, j->tiles, count, &j->running) == WVL_OK, "submit");
    REQUIRE_THAT(wvl_backend_cpu.submit(j->backend, &j->image, j->tiles, count, &none) == WVL_AGAIN,
                 "a second job in one workspace");
    REQUIRE_THAT(wvl_backend_cpu.wait(j->running, WVL_EVENT_DONE, 0) == WVL_AGAIN, "done before it ran");
    wvl_status status = wvl_backend_cpu.wait(j->running, WVL_EVENT_DONE, UINT32_MAX);
    REQUIRE_THAT(wvl_backend_cpu.collect(j->running, j->coefs) == WVL_OK, "collect");
    return status;
}

static void end_run(job *j)
{
    wvl_backend_cpu.release(j->running);
    wvl_backend_cpu.close(j->backend);
    wvl_pool_destroy(j->pool);
}

static void free_job(job *j)
{
    for (uint32_t c = 0; c < j->format.component_count; c++) {
        free(j->pixels[c]);
    }
    free(j->tiles);
    free(j->coefs);
    wvl_plan_destroy(NULL, j->plan);
}

static int64_t coef_value(const wvl_coefs *coefs, const wvl_tile_band *band, uint32_t x, uint32_t y)
{
    const uint8_t *at = coefs->samples + wvl_coef_at(band, x, y);
    uint32_t word, sign = band->coef_bytes == 2 ? 0x8000u : 0x80000000u;
    uint16_t half;
    if (band->coef_bytes == 2) {
        memcpy(&half, at, 2);
        word = half;
    } else {
        memcpy(&word, at, 4);
    }
    REQUIRE_THAT(word != sign, "negative zero");
    return word & sign ? -(int64_t)(word & ~sign) : (int64_t)word;
}

/* Bounds are the OR of the magnitudes, and the plan's planes hold them. */
static void check_bounds(const wvl_coefs *coefs, const wvl_tile_band *band)
{
    for (uint32_t row = 0; row < band->block_rows; row++) {
        for (uint32_t col = 0; col < band->block_cols; col++) {
            wvl_rect r = wvl_geom_block_rect(band, col, row);
            uint32_t seen = 0;
            for (uint32_t y = r.y0; y < r.y1; y++) {
                for (uint32_t x = r.x0; x < r.x1; x++) {
                    int64_t v = coef_value(coefs, band, x, y);
                    seen |= (uint32_t)(v < 0 ? -v : v);
                }
            }
            uint32_t bound = coefs->bounds[band->first_block + (uint64_t)row * band->block_cols + col];
            REQUIRE_THAT(bound == seen, "bound %x, magnitudes %x", bound, seen);
            REQUIRE_THAT((uint64_t)bound >> (band->planes + band->frac_bits) == 0, "magnitude %x in %u + %u bits",
                         bound, band->planes, band->frac_bits);
        }
    }
}

#endif
