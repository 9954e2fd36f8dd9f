/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "geom/plan.h"

wvl_rect wvl_geom_tile_rect(const wvl_plan *plan, uint32_t tile)
{
    uint64_t p = tile % plan->syntax.tile_cols, q = tile / plan->syntax.tile_cols;
    uint64_t left = plan->syntax.tile_x0 + p * plan->syntax.tile_width,
             top = plan->syntax.tile_y0 + q * plan->syntax.tile_height;
    wvl_rect rect;
    rect.x0 = (uint32_t)wvl_max_u64(left, plan->syntax.image.x0);
    rect.y0 = (uint32_t)wvl_max_u64(top, plan->syntax.image.y0);
    rect.x1 = (uint32_t)wvl_min_u64(left + plan->syntax.tile_width, plan->syntax.image.x1);
    rect.y1 = (uint32_t)wvl_min_u64(top + plan->syntax.tile_height, plan->syntax.image.y1);
    return rect;
}

/* ceil((v - offset) / 2^level) with offset = 2^(level-1) for a high-pass axis; v < offset gives 0 (B-15). */
static uint32_t band_coord(uint32_t v, unsigned level, int high)
{
    if (!high) {
        return (uint32_t)wvl_ceil_shift(v, level);
    }
    uint64_t half = (uint64_t)1 << (level - 1);
    return v <= half ? 0 : (uint32_t)wvl_ceil_shift(v - half, level);
}

static wvl_rect band_rect(wvl_rect tc, unsigned level, unsigned orient)
{
    int hx = orient & 1, hy = orient >> 1;
    wvl_rect r = {band_coord(tc.x0, level, hx), band_coord(tc.y0, level, hy), band_coord(tc.x1, level, hx),
                  band_coord(tc.y1, level, hy)};
    return r;
}

/* Scale that unscaled lifting has against the normalised band along one axis: K per high-pass level, 1/K per low-pass
 * level, and 1 or 2 where the signal has one sample (F.4.8: even passes, odd doubles). first..last are the axis
 * interval of the tile-component. */
static double axis_scale(uint32_t first, uint32_t last, unsigned level, int high)
{
    static const double k = 1.230174104914001;
    double scale = 1.0;
    for (unsigned d = 1; d <= level; d++) {
        uint64_t a = wvl_ceil_shift(first, d - 1), b = wvl_ceil_shift(last, d - 1);
        int is_high = high && d == level;
        if (b - a == 1) {
            scale *= is_high ? 2.0 : 1.0;
        } else {
            scale *= is_high ? k : 1.0 / k;
        }
    }
    return scale;
}

/* 2^F / Delta_b with everything folded in that the transform leaves out. Built from IEEE multiplications and divisions
 * in a fixed order, so it is the same number everywhere. */
static float band_reciprocal(const wvl_coding *coding, const wvl_band_coding *bc, wvl_rect tc,
                             const wvl_tile_band *band)
{
    static const double chroma[4] = {1.0, 1.0, 0.5 / (1.0 - 0.114), 0.5 / (1.0 - 0.299)};
    double r = (double)(1u << bc->frac_bits) / bc->step;
    r *= axis_scale(tc.x0, tc.x1, band->level, band->orient & 1);
    r *= axis_scale(tc.y0, tc.y1, band->level, band->orient >> 1);
    return (float)(r * chroma[coding->mct_part]);
}

static void build_band(const wvl_coding *coding, const wvl_tile_component *tc, unsigned r, unsigned orient,
                       const wvl_tile_resolution *res, wvl_tile_band *band, wvl_tile_plan *tile)
{
    unsigned nl = coding->levels;
    memset(band, 0, sizeof *band);
    band->orient = (uint8_t)orient;
    band->level = (uint8_t)(r ? nl - r + 1 : nl);
    band->coding_band = (uint8_t)(r ? 3 * (r - 1) + orient : 0);
    band->rect = band_rect(tc->rect, band->level, orient);
    const wvl_band_coding *bc = &coding->band[band->coding_band];
    band->planes = bc->planes;
    band->frac_bits = bc->frac_bits;
    band->coef_bytes = bc->coef_bytes;
    band->reciprocal = coding->reversible ? 1.0f : band_reciprocal(coding, bc, tc->rect, band);
    unsigned cut = r ? 1 : 0; /* a precinct of r >= 1 halves into its bands (B.7) */
    band->xcb = (uint8_t)wvl_min_u32(coding->xcb, res->ppx - cut);
    band->ycb = (uint8_t)wvl_min_u32(coding->ycb, res->ppy - cut);
    uint32_t w = wvl_rect_width(band->rect), h = wvl_rect_height(band->rect);
    band->first_block = tile->block_count;
    band->coef_offset = tile->coef_bytes;
    band->block_x0 = band->rect.x0 >> band->xcb;
    band->block_y0 = band->rect.y0 >> band->ycb;
    if (!w || !h) {
        return;
    }
    band->block_cols = (uint32_t)wvl_ceil_shift(band->rect.x1, band->xcb) - band->block_x0;
    band->block_rows = (uint32_t)wvl_ceil_shift(band->rect.y1, band->ycb) - band->block_y0;
    /* Rounded to 8 samples so that rows of a cell stay aligned for vector stores. A column or two are not: of a picture
     * as high as they are narrow, cells would be eight times as large as it is. */
    uint64_t width = w < 4 ? w + (w == 3) : wvl_align_up(w, 8);
    band->cell_width = (uint32_t)wvl_min_u64((uint64_t)1 << band->xcb, width);
    band->cell_height = (uint32_t)wvl_min_u64((uint64_t)1 << band->ycb, h);
    uint64_t blocks = (uint64_t)band->block_cols * band->block_rows;
    tile->block_count += blocks;
    uint64_t bytes = wvl_mul_saturate(blocks, (uint64_t)band->cell_width * band->cell_height * band->coef_bytes);
    /* Saturated: a size that no memory holds stays one. */
    tile->coef_bytes = wvl_add_saturate(
        tile->coef_bytes, bytes > UINT64_MAX - WVL_ALIGNMENT ? UINT64_MAX : wvl_align_up(bytes, WVL_ALIGNMENT));
}

const wvl_tile_variant *wvl_plan_find_variant(const wvl_plan *plan, uint32_t tile)
{
    uint32_t lo = 0, hi = plan->syntax.choice_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (plan->syntax.choices[mid].tile < tile) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo < plan->syntax.choice_count && plan->syntax.choices[lo].tile == tile
               ? &plan->syntax.variants[plan->syntax.choices[lo].variant]
               : NULL;
}

static void carve_tile(wvl_carver *carver, uint64_t components, uint64_t resolutions, wvl_tile_plan *tile)
{
    tile->components = wvl_carve(carver, components, sizeof *tile->components);
    tile->resolutions = wvl_carve(carver, resolutions, sizeof *tile->resolutions);
    tile->bands = wvl_carve(carver, 3 * resolutions - 2 * components, sizeof *tile->bands);
}

void wvl_tile_plan_carve(const wvl_plan *plan, wvl_carver *carver, wvl_tile_plan *tile)
{
    carve_tile(carver, plan->syntax.component_count, plan->memory.most_resolutions, tile);
}

void wvl_tile_plan_carve_component(const wvl_plan *plan, wvl_carver *carver, wvl_tile_plan *tile)
{
    carve_tile(carver, 1, plan->syntax.max_levels + 1u, tile);
}

static void open_tile(const wvl_plan *plan, uint32_t index, const wvl_tile_variant *variant, wvl_tile_plan *tile)
{
    tile->index = index;
    tile->rect = wvl_geom_tile_rect(plan, index);
    tile->order = variant ? variant->order : plan->syntax.order;
    tile->mct = variant ? variant->mct : plan->syntax.mct;
    tile->sop = variant ? variant->sop : plan->syntax.sop;
    tile->eph = variant ? variant->eph : plan->syntax.eph;
    tile->component_count = tile->resolution_count = tile->band_count = 0;
    tile->block_count = tile->precinct_count = tile->coef_bytes = tile->sample_count = tile->strip = 0;
}

static void add_component(const wvl_plan *plan, const wvl_tile_variant *variant, uint32_t component,
                          wvl_tile_plan *tile)
{
    const wvl_plan_component *pc = &plan->syntax.components[component];
    wvl_tile_component *tc = &tile->components[tile->component_count++];
    tc->coding = variant ? variant->codings[component] : pc->coding;
    const wvl_coding *coding = &plan->syntax.codings[tc->coding];
    tc->rect = (wvl_rect){(uint32_t)wvl_ceil_div(tile->rect.x0, pc->dx), (uint32_t)wvl_ceil_div(tile->rect.y0, pc->dy),
                          (uint32_t)wvl_ceil_div(tile->rect.x1, pc->dx), (uint32_t)wvl_ceil_div(tile->rect.y1, pc->dy)};
    tc->first_resolution = tile->resolution_count;
    tc->levels = coding->levels;
    tc->reversible = coding->reversible;
    tc->wide = coding->wide;
    tile->sample_count =
        wvl_add_saturate(tile->sample_count, (uint64_t)wvl_rect_width(tc->rect) * wvl_rect_height(tc->rect));
    for (unsigned r = 0; r <= coding->levels; r++) {
        wvl_tile_resolution *res = &tile->resolutions[tile->resolution_count];
        unsigned s = coding->levels - r;
        memset(res, 0, sizeof *res);
        res->rect = band_rect(tc->rect, s, WVL_BAND_LL);
        res->ppx = coding->precinct[r] & 15;
        res->ppy = coding->precinct[r] >> 4;
        res->band_count = r ? 3 : 1;
        res->first_band = tile->band_count;
        res->precinct_x0 = res->rect.x0 >> res->ppx;
        res->precinct_y0 = res->rect.y0 >> res->ppy;
        /* numprecinctswide and -high depend on each axis alone (B.6); with either empty there is no packet. */
        res->precinct_cols =
            wvl_rect_width(res->rect) ? (uint32_t)wvl_ceil_shift(res->rect.x1, res->ppx) - res->precinct_x0 : 0;
        res->precinct_rows =
            wvl_rect_height(res->rect) ? (uint32_t)wvl_ceil_shift(res->rect.y1, res->ppy) - res->precinct_y0 : 0;
        res->first_precinct = tile->precinct_count;
        tile->precinct_count += (uint64_t)res->precinct_cols * res->precinct_rows;
        for (unsigned b = 0; b < res->band_count; b++) {
            build_band(coding, tc, r, r ? b + 1 : 0, res, &tile->bands[tile->band_count], tile);
            tile->band_count++;
        }
        tile->resolution_count++;
    }
}

static void add_components(const wvl_plan *plan, const wvl_tile_variant *variant, wvl_tile_plan *tile)
{
    for (uint32_t c = 0; c < plan->syntax.component_count; c++) {
        add_component(plan, variant, c, tile);
    }
}

void wvl_tile_plan_build(const wvl_plan *plan, uint32_t index, wvl_tile_plan *tile)
{
    const wvl_tile_variant *variant = wvl_plan_find_variant(plan, index);
    open_tile(plan, index, variant, tile);
    add_components(plan, variant, tile);
}

/* ---- Strips ---------------------------------------------------------------------------------- */

static uint64_t common_multiple(uint64_t a, uint64_t b)
{
    uint64_t x = a, y = b;
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return wvl_mul_saturate(a / x, b);
}

/* log2 of the rows of the component that are a row of blocks of any band. Precincts only make blocks lower. */
static unsigned block_row_log2(const wvl_coding *coding)
{
    unsigned most = 0;
    for (unsigned r = 0; r <= coding->levels; r++) {
        unsigned level = r ? coding->levels - r + 1u : coding->levels, cut = r ? 1 : 0;
        most = wvl_max_u32(most, level + wvl_min_u32(coding->ycb, (unsigned)(coding->precinct[r] >> 4) - cut));
    }
    return most;
}

/*
 * Of a low row n 5/3 reads rows 2n-2 to 2n+2 of the level above, and 9/7 rows 2n-4 to 2n+4; of a high row no more than
 * from 2n-2 and up to 2n+4. So t rows above, or r rows below, are 2t+2, 2r+1 or 2t+4, 2r+3 on the level above: after k
 * levels 2 (2^k - 1), 2^k - 1, or 4 (2^k - 1), 3 (2^k - 1).
 */
wvl_strip_grid wvl_geom_strip_grid(const wvl_plan *plan)
{
    uint64_t rows = 1, above = 2, below = 1;
    unsigned block = 0;
    for (uint32_t c = 0; c < plan->syntax.component_count; c++) {
        rows = common_multiple(rows, plan->syntax.components[c].dy);
    }
    for (uint32_t i = 0; i < plan->syntax.coding_count; i++) {
        block = wvl_max_u32(block, block_row_log2(&plan->syntax.codings[i]));
        above = plan->syntax.codings[i].reversible ? above : 4;
        below = plan->syntax.codings[i].reversible ? below : 3;
    }
    if (rows >> 20) {
        return (wvl_strip_grid){.unit = UINT64_MAX};
    }
    unsigned levels = plan->syntax.max_levels;
    return (wvl_strip_grid){rows << block, above * rows << levels, below * rows << levels};
}

/* Rows of blocks of the band above row `at` of the reference grid, which begins one, counted from the strip's first. */
static uint32_t block_rows_above(const wvl_plan *plan, uint32_t component, const wvl_tile_band *band, uint64_t at)
{
    uint64_t row = at / plan->syntax.components[component].dy >> (band->level + band->ycb);
    return row <= band->block_y0 ? 0 : (uint32_t)wvl_min_u64(row - band->block_y0, band->block_rows);
}

void wvl_tile_plan_build_strip(const wvl_plan *plan, const wvl_tile_plan *whole, uint64_t first, uint64_t end,
                               wvl_strip_grid grid, wvl_tile_plan *strip)
{
    const wvl_tile_variant *variant = wvl_plan_find_variant(plan, whole->index);
    uint64_t top = first > grid.above ? first - grid.above : 0, bottom = wvl_add_saturate(end, grid.below);
    int is_cut = top <= whole->rect.y0 || bottom >= whole->rect.y1;
    open_tile(plan, whole->index, variant, strip);
    strip->rect.y0 = (uint32_t)wvl_max_u64(top, whole->rect.y0);
    strip->rect.y1 = (uint32_t)wvl_min_u64(bottom, whole->rect.y1);
    strip->strip = is_cut ? first + 2 : 1;
    add_components(plan, variant, strip);
    for (uint32_t c = 0; c < strip->component_count; c++) {
        const wvl_tile_component *tc = &strip->components[c];
        uint32_t b = strip->resolutions[tc->first_resolution].first_band;
        for (uint32_t last = b + 3u * tc->levels; b <= last; b++) {
            wvl_tile_band *band = &strip->bands[b];
            band->reciprocal = whole->bands[b].reciprocal; /* corrections for one sample are the tile's */
            band->rows_above = first <= whole->rect.y0 ? 0 : block_rows_above(plan, c, band, first);
            band->rows_below = end >= whole->rect.y1 ? 0 : band->block_rows - block_rows_above(plan, c, band, end);
        }
    }
}

const wvl_tile_plan *wvl_tile_walk_fetch(const wvl_tile_walk *walk, uint32_t index)
{
    if (walk->built) {
        return &walk->built[index];
    }
    wvl_tile_plan_build(walk->plan, index, walk->scratch);
    return walk->scratch;
}

void wvl_tile_plan_build_component(const wvl_plan *plan, uint32_t index, uint32_t component, wvl_tile_plan *tile)
{
    const wvl_tile_variant *variant = wvl_plan_find_variant(plan, index);
    open_tile(plan, index, variant, tile);
    add_component(plan, variant, component, tile);
}

wvl_rect wvl_geom_block_rect(const wvl_tile_band *band, uint32_t col, uint32_t row)
{
    uint64_t x0 = (uint64_t)(band->block_x0 + col) << band->xcb, y0 = (uint64_t)(band->block_y0 + row) << band->ycb;
    wvl_rect r;
    r.x0 = (uint32_t)wvl_max_u64(x0, band->rect.x0);
    r.y0 = (uint32_t)wvl_max_u64(y0, band->rect.y0);
    r.x1 = (uint32_t)wvl_min_u64(x0 + ((uint64_t)1 << band->xcb), band->rect.x1);
    r.y1 = (uint32_t)wvl_min_u64(y0 + ((uint64_t)1 << band->ycb), band->rect.y1);
    return r;
}

typedef struct block_axis {
    uint32_t first, end;
} block_axis;

/* Block columns (relative to the first) that lie in precinct `index` of size 2^pp (in band samples) and in [b0, b1). */
static block_axis precinct_axis(uint64_t index, unsigned pp, unsigned cb, uint32_t b0, uint32_t b1, uint32_t first)
{
    uint64_t p0 = wvl_max_u64(index << pp, b0), p1 = wvl_min_u64((index + 1) << pp, b1);
    return p0 < p1 ? (block_axis){(uint32_t)(p0 >> cb) - first, (uint32_t)wvl_ceil_shift(p1, cb) - first}
                   : (block_axis){0, 0};
}

wvl_rect wvl_geom_precinct_blocks(const wvl_tile_resolution *res, const wvl_tile_band *band, uint32_t precinct_col,
                                  uint32_t precinct_row)
{
    unsigned cut = res->band_count == 1 ? 0 : 1;
    block_axis x = precinct_axis((uint64_t)res->precinct_x0 + precinct_col, res->ppx - cut, band->xcb, band->rect.x0,
                                 band->rect.x1, band->block_x0);
    block_axis y = precinct_axis((uint64_t)res->precinct_y0 + precinct_row, res->ppy - cut, band->ycb, band->rect.y0,
                                 band->rect.y1, band->block_y0);
    int is_empty = x.first == x.end || y.first == y.end;
    return (wvl_rect){x.first, y.first, is_empty ? x.first : x.end, is_empty ? y.first : y.end};
}
