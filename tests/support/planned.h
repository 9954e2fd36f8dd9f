/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings, a plan and its tile plans without a context: for suites that call a room by itself. */
#pragma once

#include "geom/settings.h"
#include "tests/support/support.h"

static inline void test_default_settings(wvl_settings *s)
{
    memset(s, 0, sizeof *s);
    s->reversible = 1;
    s->levels = 5;
    s->mct = 2;
    s->block_width = s->block_height = 64;
    s->guard_bits = 2;
    s->quant_style = WVL_QUANT_EXPOUNDED;
    s->distortion_bits = 4;
    s->layer_count = s->layer_value_count = 1;
}

static inline void test_report(void *user, const char *text)
{
    (void)user;
    ck_abort_msg("plan: %s", text);
}

/* The settings must be right; release it with wvl_plan_destroy(NULL, plan). */
static inline wvl_plan *test_build_plan(const wvl_settings *settings, const wvl_image_format *format)
{
    wvl_report r = {test_report, NULL, 0};
    REQUIRE_THAT(wvl_plan_check(settings, format, &r), "settings");
    wvl_plan *plan = wvl_geom_build_plan(NULL, settings, format, &r);
    REQUIRE_THAT(plan, "no plan");
    return plan;
}

static inline wvl_tile_plan *test_carve_tiles(const wvl_plan *plan, wvl_carver *carver)
{
    wvl_tile_plan *tiles = wvl_carve(carver, plan->syntax.tile_count, sizeof *tiles);
    for (uint32_t t = 0; t < plan->syntax.tile_count; t++) {
        wvl_tile_plan unused;
        wvl_tile_plan_carve(plan, carver, tiles ? &tiles[t] : &unused);
    }
    return tiles;
}

/* All tile plans in one piece of memory; free() them. */
static inline wvl_tile_plan *test_build_tiles(const wvl_plan *plan)
{
    wvl_carver carver = {NULL, 0};
    (void)test_carve_tiles(plan, &carver);
    carver = (wvl_carver){aligned_alloc(WVL_ALIGNMENT, wvl_align_up(carver.used, WVL_ALIGNMENT)), 0};
    REQUIRE_THAT(carver.base, "no memory");
    wvl_tile_plan *tiles = test_carve_tiles(plan, &carver);
    for (uint32_t t = 0; t < plan->syntax.tile_count; t++) {
        wvl_tile_plan_build(plan, t, &tiles[t]);
    }
    return tiles;
}
