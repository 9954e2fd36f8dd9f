/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings of single tiles and components, value by value (D-plan-07). */
#include <string.h>

#include "geom/settings.h"

int wvl_scope_names_tile(const wvl_scope *scope) { return scope->tile_end > scope->tile_first; }
int wvl_scope_names_component(const wvl_scope *scope) { return scope->component_end > scope->component_first; }

static int is_for(const wvl_scope *scope, uint32_t tile, uint32_t component)
{
    return (!wvl_scope_names_tile(scope) || (tile >= scope->tile_first && tile < scope->tile_end)) &&
           (!wvl_scope_names_component(scope) ||
            (component >= scope->component_first && component < scope->component_end));
}

static void apply(const wvl_override *from, wvl_settings *to)
{
    uint32_t given = from->given;
    to->reversible = given & WVL_GIVEN_REVERSIBLE ? from->reversible : to->reversible;
    to->levels = given & WVL_GIVEN_LEVELS ? from->levels : to->levels;
    to->style = given & WVL_GIVEN_STYLE ? from->style : to->style;
    to->quant_style = given & WVL_GIVEN_QUANTIZATION ? from->quant_style : to->quant_style;
    to->guard_bits = given & WVL_GIVEN_GUARD_BITS ? from->guard_bits : to->guard_bits;
    to->step = given & WVL_GIVEN_STEP ? from->step : to->step;
    to->order = given & WVL_GIVEN_ORDER ? from->order : to->order;
    to->mct = given & WVL_GIVEN_MCT ? from->mct : to->mct;
    to->sop = given & WVL_GIVEN_SOP ? from->sop : to->sop;
    to->eph = given & WVL_GIVEN_EPH ? from->eph : to->eph;
    to->block_width = given & WVL_GIVEN_BLOCK ? from->block_width : to->block_width;
    to->block_height = given & WVL_GIVEN_BLOCK ? from->block_height : to->block_height;
    if (given & WVL_GIVEN_PRECINCTS) {
        to->precinct_count = from->precinct_count;
        memcpy(to->precinct_width, from->precinct_width, sizeof to->precinct_width);
        memcpy(to->precinct_height, from->precinct_height, sizeof to->precinct_height);
    }
}

uint64_t wvl_settings_lowest_side(const wvl_image_format *f, unsigned levels)
{
    uint64_t most = 0;
    for (uint32_t c = 0; f->components && c < f->component_count; c++) {
        uint64_t dx = (uint64_t)wvl_max_u32(f->components[c].dx, 1) << levels,
                 dy = (uint64_t)wvl_max_u32(f->components[c].dy, 1) << levels;
        uint64_t width = wvl_ceil_div(f->x1, dx) - wvl_ceil_div(f->x0, dx),
                 height = wvl_ceil_div(f->y1, dy) - wvl_ceil_div(f->y0, dy);
        most = wvl_max_u64(most, wvl_max_u64(width, height));
    }
    return most;
}

/* An impossible extent is left for the plan to refuse. */
void wvl_settings_settle(wvl_settings *s, const wvl_image_format *f)
{
    if (s->levels == WVL_LEVELS_AUTO) {
        int is_sound = f->x1 > f->x0 && f->y1 > f->y0;
        for (s->levels = 0;
             is_sound && s->levels < WVL_MAX_LEVELS && wvl_settings_lowest_side(f, s->levels) > WVL_THUMBNAIL_SIDE;) {
            s->levels++;
        }
    }
}

void wvl_settings_resolve(const wvl_settings *settings, uint32_t tile, uint32_t component, wvl_settings *resolved)
{
    *resolved = *settings;
    for (int rank = 1; rank <= 3 && settings->override_count; rank++) { /* 1 component, 2 tile, 3 both */
        for (uint32_t i = 0; i < settings->override_count; i++) {
            const wvl_override *o = &settings->overrides[i];
            if (wvl_scope_names_component(&o->scope) + 2 * wvl_scope_names_tile(&o->scope) == rank &&
                is_for(&o->scope, tile, component)) {
                apply(o, resolved);
            }
        }
    }
}

int wvl_settings_name_component(const wvl_settings *settings, uint32_t tile, uint32_t component)
{
    for (uint32_t i = 0; i < settings->override_count; i++) {
        const wvl_scope *scope = &settings->overrides[i].scope;
        if (wvl_scope_names_component(scope) && is_for(scope, tile, component)) {
            return 1;
        }
    }
    return 0;
}
