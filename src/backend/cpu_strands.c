/* SPDX-License-Identifier: BSD-2-Clause */
#include "backend/cpu_strands.h"

#include <string.h>

/* ---- Units ----------------------------------------------------------------------------------- */

int wvl_cpu_next_unit(const wvl_plan *plan, const wvl_tile_plan *tile, uint32_t index, uint32_t *component,
                      wvl_cpu_unit *unit)
{
    uint32_t c = *component;
    if (c >= plan->syntax.component_count) {
        return 0;
    }
    uint32_t count = wvl_front_count_strands(plan, tile, c);
    *unit = (wvl_cpu_unit){index, c, (uint8_t)count, count == 3 ? tile->mct : WVL_MCT_NONE,
                           wvl_cpu_line_kind(&tile->components[c])};
    *component = c + count;
    return 1;
}

unsigned wvl_cpu_unit_levels(const wvl_tile_plan *tile, const wvl_cpu_unit *unit)
{
    unsigned most = 0;
    for (uint32_t i = 0; i < unit->count; i++) {
        most = wvl_max_u32(most, tile->components[unit->component + i].levels);
    }
    return most;
}

/* ---- Strands --------------------------------------------------------------------------------- */

static void build_bands(const wvl_dwt_kernels *dwt, const wvl_coefs *coefs, const wvl_tile_resolution *res,
                        wvl_dwt_strand *strand)
{
    for (unsigned b = 0; b < res->band_count; b++) {
        const wvl_tile_band *band = &coefs->tile->bands[res->first_band + b];
        wvl_dwt_build_band(dwt, strand->kind, band, coefs->samples, coefs->bounds, &strand->band[band->orient]);
    }
}

void wvl_cpu_build_strand(const wvl_dwt_kernels *dwt, const wvl_coefs *coefs, uint32_t component, unsigned level,
                          uint8_t *in, uint8_t *low, wvl_dwt_strand *strand)
{
    const wvl_tile_plan *tile = coefs->tile;
    const wvl_tile_component *tc = &tile->components[component];
    const wvl_tile_resolution *below = &tile->resolutions[tc->first_resolution + tc->levels - level];
    memset(strand, 0, sizeof *strand);
    strand->kind = wvl_cpu_line_kind(tc);
    strand->rect = level ? below[1].rect : below->rect;
    if (level > 1) {
        strand->in =
            (wvl_dwt_plane){in, wvl_cpu_plane_pitch(wvl_rect_width(strand->rect), strand->kind), strand->rect.y0};
    }
    if (level) {
        build_bands(dwt, coefs, below + 1, strand);
    }
    if (level == tc->levels) {
        build_bands(dwt, coefs, below - (tc->levels - level), strand);
    } else {
        strand->low =
            (wvl_dwt_plane){low, wvl_cpu_plane_pitch(wvl_rect_width(below->rect), strand->kind), below->rect.y0};
    }
}

/* ---- Rows ------------------------------------------------------------------------------------ */

typedef struct cpu_fetch {
    wvl_front_group group;
    int32_t *const *work;
    uint32_t x, n, outside;
} cpu_fetch;

static void fetch_row(void *user, uint32_t y, void *const *rows)
{
    cpu_fetch *f = user;
    f->outside |= wvl_front_fetch_row(&f->group, y, f->x, f->n, f->work, rows);
}

uint32_t wvl_cpu_run_rows(const wvl_cpu_kernels *k, const wvl_image *image, const wvl_cpu_unit *unit, unsigned level,
                          const wvl_dwt_strand *strands, uint32_t y0, uint32_t y1, const wvl_cpu_lines *lines)
{
    wvl_rect rect = strands[0].rect;
    wvl_dwt_strip strip = {k->dwt, strands, unit->count, y0, y1, &lines->rows, NULL, NULL, k->look};
    cpu_fetch fetch = {.work = lines->work, .x = rect.x0, .n = wvl_rect_width(rect)};
    if (level < 2) {
        wvl_front_build_group(k->front, k->plan, image, unit->component, unit->count, unit->mct, unit->kind,
                              &fetch.group);
        strip.fetch = fetch_row;
        strip.user = &fetch;
    }
    if (level) {
        wvl_dwt_put_strip(&strip);
    } else {
        wvl_dwt_put_plain(&strip);
    }
    return fetch.outside;
}
