/* SPDX-License-Identifier: BSD-2-Clause */
/* Which coefficients a region of interest takes. */
#include "geom/plan.h"

static int is_within(uint32_t v, uint32_t first, uint32_t end) { return end <= first || (v >= first && v < end); }

int wvl_geom_region_counts(const wvl_region *region, wvl_rect tile, uint32_t tile_index, uint32_t component)
{
    const wvl_scope *scope = &region->scope;
    int reaches = region->is_whole || (region->rect.x0 < tile.x1 && region->rect.x1 > tile.x0 &&
                                       region->rect.y0 < tile.y1 && region->rect.y1 > tile.y0);
    return reaches && is_within(tile_index, scope->tile_first, scope->tile_end) &&
           is_within(component, scope->component_first, scope->component_end);
}

/* [first, last] of one axis, in 64 bits because it may begin before 0. */
typedef struct span {
    int64_t first, last;
} span;

static int64_t half_down(int64_t v) { return v >= 0 ? v / 2 : -((1 - v) / 2); }
static int64_t half_up(int64_t v) { return half_down(v + 1); }

/*
 * One level up. Sample 2n depends on low n and high n - 1, n with 5/3, on low n - 1 .. n + 1 and high n - 2 .. n + 1
 * with 9/7; sample 2n + 1 on low n, n + 1 and high n - 1 .. n + 1, or on low n - 1 .. n + 2 and high n - 2 .. n + 2.
 * Extension at the edges reflects to coefficients that are nearer, so none is missed.
 */
static span step_up(span s, int high, int reversible)
{
    int reach = reversible ? 0 : 1;
    span up = {half_down(s.first) - reach - high, half_up(s.last) + reach};
    return up;
}

static span clamp(span s, uint64_t first, uint64_t end)
{
    s.first = s.first < (int64_t)first ? (int64_t)first : s.first;
    s.last = s.last >= (int64_t)end ? (int64_t)end - 1 : s.last;
    return s;
}

/* Band interval of the axis (1: y) of a tile-component. */
static span project(span s, const wvl_tile_component *tc, const wvl_tile_band *band, int axis)
{
    uint32_t t0 = axis ? tc->rect.y0 : tc->rect.x0, t1 = axis ? tc->rect.y1 : tc->rect.x1;
    int high = band->orient >> axis & 1;
    s = clamp(s, t0, t1);
    for (unsigned d = 1; d <= band->level && s.first <= s.last; d++) {
        int is_high = high && d == band->level;
        s = step_up(s, is_high, tc->reversible);
        s = is_high ? s : clamp(s, wvl_ceil_shift(t0, d), wvl_ceil_shift(t1, d));
    }
    return axis ? clamp(s, band->rect.y0, band->rect.y1) : clamp(s, band->rect.x0, band->rect.x1);
}

wvl_rect wvl_geom_region_in_band(const wvl_plan_component *component, const wvl_tile_component *tc,
                                 const wvl_tile_band *band, wvl_rect rect)
{
    span x = {(int64_t)wvl_ceil_div(rect.x0, component->dx), (int64_t)wvl_ceil_div(rect.x1, component->dx) - 1};
    span y = {(int64_t)wvl_ceil_div(rect.y0, component->dy), (int64_t)wvl_ceil_div(rect.y1, component->dy) - 1};
    wvl_rect none = {band->rect.x0, band->rect.y0, band->rect.x0, band->rect.y0};
    if (x.first > x.last || y.first > y.last || x.last < (int64_t)tc->rect.x0 || x.first >= (int64_t)tc->rect.x1 ||
        y.last < (int64_t)tc->rect.y0 || y.first >= (int64_t)tc->rect.y1) {
        return none;
    }
    x = project(x, tc, band, 0);
    y = project(y, tc, band, 1);
    if (x.first > x.last || y.first > y.last) {
        return none;
    }
    wvl_rect r = {(uint32_t)x.first, (uint32_t)y.first, (uint32_t)x.last + 1, (uint32_t)y.last + 1};
    return r;
}
