/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules of progression order changes (A.6.6). */
#include <stdio.h>

#include "geom/plan.h"
#include "geom/settings.h"

#define MAX_CHANGES 32u /* for all tiles, and of each tile: what decoders carry */

static int check_progression(const wvl_settings *s, const wvl_image_format *f, uint64_t tiles, uint32_t i,
                             wvl_report *r)
{
    const wvl_progression *v = &s->progressions[i];
    uint32_t before = r->count, most = f->component_count < 257 ? 256 : 16384;
    wvl_report_if(r, v->resolution_first >= v->resolution_end || v->resolution_end > WVL_MAX_LEVELS + 1,
                  "progression change %u: resolutions %u to %u; the end must be greater than the start and at "
                  "most 33 (A.6.6)",
                  i + 1, v->resolution_first, v->resolution_end);
    wvl_report_if(
        r, v->component_first >= v->component_end || v->component_end > most,
        "progression change %u: components %u to %u; the end must be greater than the start and at most %u (A.6.6)",
        i + 1, v->component_first, v->component_end, most);
    wvl_report_if(r, v->component_first >= f->component_count && v->component_first < v->component_end,
                  "progression change %u: it begins with component %u; the picture has the components 0 to %u "
                  "(A.6.6)",
                  i + 1, v->component_first, f->component_count - 1);
    wvl_report_if(r, v->layer_end < 1 || v->layer_end > s->layer_count,
                  "progression change %u: layer end %u; 1 to %u, the number of layers, are allowed (A.6.6)", i + 1,
                  v->layer_end, s->layer_count);
    wvl_report_if(r, v->order > WVL_ORDER_CPRL, "progression change %u: order %u is not defined (A.6.6)", i + 1,
                  v->order);
    wvl_report_if(r, v->tile != WVL_ALL_TILES && v->tile >= tiles,
                  "progression change %u: there is no tile %u, the picture has %llu (A.4.2)", i + 1, v->tile + 1,
                  (unsigned long long)tiles);
    return r->count == before;
}

/* Most levels that a component has in the tiles whose packets these changes order. */
static uint32_t levels_of(const wvl_settings *s, uint32_t tile, uint32_t component)
{
    wvl_settings resolved;
    wvl_settings_resolve(s, tile, component, &resolved);
    uint32_t most = resolved.levels;
    for (uint32_t i = 0; tile == WVL_ALL_TILES && i < s->override_count; i++) {
        const wvl_override *o = &s->overrides[i];
        int is_meant = !wvl_scope_names_component(&o->scope) ||
                       (component >= o->scope.component_first && component < o->scope.component_end);
        if (is_meant && wvl_scope_names_tile(&o->scope) && (o->given & WVL_GIVEN_LEVELS)) {
            most = wvl_max_u32(most, o->levels);
        }
    }
    return most;
}

/* Along either axis coverage changes only where a volume begins or ends, so a missing packet has a neighbour there. */
static int covers_component(const wvl_settings *s, uint32_t tile, uint32_t component, wvl_report *r)
{
    for (uint32_t resolution = 0, levels = levels_of(s, tile, component); resolution <= levels; resolution++) {
        /* Layers that the changes for `tile` send of a resolution of a component: every change starts at layer 0, so
         * the greatest end counts. */
        uint32_t sent = 0;
        for (uint32_t i = 0; i < s->progression_count; i++) {
            const wvl_progression *v = &s->progressions[i];
            if (v->tile == tile && resolution >= v->resolution_first && resolution < v->resolution_end &&
                component >= v->component_first && component < v->component_end && v->layer_end > sent) {
                sent = v->layer_end;
            }
        }
        if (sent < s->layer_count) {
            char whose[32] = "";
            if (tile != WVL_ALL_TILES) {
                snprintf(whose, sizeof whose, " for tile %u", tile + 1);
            }
            wvl_report_add(r,
                           "progression-changes: no change%s sends layer %u of resolution %u of component %u; every "
                           "packet must be sent (A.6.6)",
                           whose, sent, resolution, component);
            return 0;
        }
    }
    return 1;
}

static void check_coverage(const wvl_settings *s, const wvl_image_format *f, uint32_t tile, wvl_report *r)
{
    /* With overrides, components may have levels of their own. */
    for (uint32_t c = 0; c == 0 || (c < f->component_count && s->override_count); c++) {
        if (!covers_component(s, tile, c, r)) {
            return;
        }
    }
    for (uint32_t i = 0; i < s->progression_count; i++) {
        const wvl_progression *v = &s->progressions[i];
        if (v->tile == tile &&
            ((v->component_first < f->component_count && !covers_component(s, tile, v->component_first, r)) ||
             (v->component_end < f->component_count && !covers_component(s, tile, v->component_end, r)))) {
            return;
        }
    }
}

void wvl_plan_check_progressions(const wvl_settings *s, const wvl_image_format *f, wvl_report *r)
{
    uint64_t tiles = wvl_settings_count_tiles(s, f);
    uint32_t before = r->count;
    for (uint32_t i = 0; i < s->progression_count && r->count < before + 16; i++) {
        (void)check_progression(s, f, tiles, i, r);
    }
    for (uint32_t i = 0; i < s->progression_count && r->count == before; i++) {
        uint32_t tile = s->progressions[i].tile, same = 0, first = i;
        for (uint32_t j = 0; j < s->progression_count; j++) {
            same += s->progressions[j].tile == tile;
            first = s->progressions[j].tile == tile && j < first ? j : first;
        }
        if (same > MAX_CHANGES) {
            wvl_report_add(r, "progression-changes: %u changes in one header; %u are supported", same, MAX_CHANGES);
        } else if (first == i) {
            check_coverage(s, f, tile, r);
        }
    }
}
