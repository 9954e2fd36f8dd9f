/* SPDX-License-Identifier: BSD-2-Clause */
#include "backend/cpu_strands.h"

/* ---- Planes between levels ------------------------------------------------------------------- */

uint8_t wvl_cpu_line_kind(const wvl_tile_component *tc)
{
    unsigned integers = tc->wide ? WVL_LINE_I64 : WVL_LINE_I32;
    return (uint8_t)(tc->reversible ? integers : WVL_LINE_F32);
}

uint64_t wvl_cpu_plane_pitch(uint32_t width, unsigned kind)
{
    if (wvl_dwt_is_narrow(width)) {
        return (uint64_t)width * wvl_line_element_bytes(kind);
    }
    return wvl_align_up(wvl_align_up(width, WVL_LINE_ROUND) * wvl_line_element_bytes(kind), WVL_ALIGNMENT);
}

/* Plane `which` is the one that level which + 1 writes. */
uint64_t wvl_cpu_plane_bytes(const wvl_tile_plan *tile, const wvl_tile_component *tc, unsigned which)
{
    if (which + 1u >= tc->levels || (which && wvl_cpu_is_flat(tc))) {
        return 0;
    }
    wvl_rect low = tile->resolutions[tc->first_resolution + tc->levels - which - 1u].rect;
    return wvl_mul_saturate(wvl_cpu_plane_pitch(wvl_rect_width(low), wvl_cpu_line_kind(tc)), wvl_rect_height(low));
}

/* The widest row of a low half that goes to a band: LH, and the last low-low one. */
static uint32_t find_low_width(const wvl_tile_plan *tile, const wvl_tile_component *tc)
{
    uint32_t first = tile->resolutions[tc->first_resolution].first_band, most = 0;
    for (uint32_t b = first; tc->levels && b <= first + 3u * tc->levels; b++) {
        const wvl_tile_band *band = &tile->bands[b];
        int is_left = band->orient == WVL_BAND_LL || band->orient == WVL_BAND_LH;
        most = is_left && wvl_rect_height(band->rect) ? wvl_max_u32(most, wvl_rect_width(band->rect)) : most;
    }
    return most;
}

void wvl_cpu_add_component(wvl_cpu_shape *shape, const wvl_tile_plan *tile, uint32_t component, uint64_t times)
{
    const wvl_tile_component *tc = &tile->components[component];
    shape->width_max = wvl_max_u32(shape->width_max, wvl_rect_width(tc->rect));
    shape->height_max = wvl_max_u32(shape->height_max, wvl_rect_height(tc->rect));
    shape->low_max = wvl_max_u32(shape->low_max, find_low_width(tile, tc));
    shape->strips =
        wvl_add_saturate(shape->strips, wvl_mul_saturate(wvl_dwt_most_strips(wvl_rect_height(tc->rect)), times));
    if (tc->reversible && tc->wide) {
        shape->widest_kind = WVL_LINE_I64;
    }
    for (unsigned which = 0; which < 2; which++) {
        uint64_t bytes = wvl_cpu_plane_bytes(tile, tc, which);
        uint64_t rounded = bytes > UINT64_MAX - WVL_ALIGNMENT ? UINT64_MAX : wvl_align_up(bytes, WVL_ALIGNMENT);
        shape->plane_bytes[which] = wvl_max_u64(shape->plane_bytes[which], bytes);
        shape->planes_bytes = wvl_add_saturate(shape->planes_bytes, wvl_mul_saturate(rounded, times));
    }
}

void wvl_cpu_add_tile(wvl_cpu_shape *shape, uint32_t component_count, uint32_t strands, uint64_t coef_bytes,
                      uint64_t block_count)
{
    shape->units += component_count - strands + 1;
    shape->strands_max = wvl_max_u32(shape->strands_max, strands);
    shape->coef_bytes = wvl_add_saturate(shape->coef_bytes, coef_bytes);
    shape->block_count = wvl_add_saturate(shape->block_count, block_count);
}

void wvl_cpu_join_shapes(wvl_cpu_shape *shape, const wvl_cpu_shape *other)
{
    shape->units += other->units;
    shape->strands_max = wvl_max_u32(shape->strands_max, other->strands_max);
    shape->width_max = wvl_max_u32(shape->width_max, other->width_max);
    shape->height_max = wvl_max_u32(shape->height_max, other->height_max);
    shape->low_max = wvl_max_u32(shape->low_max, other->low_max);
    shape->strips = wvl_add_saturate(shape->strips, other->strips);
    shape->widest_kind = other->widest_kind ? other->widest_kind : shape->widest_kind;
    for (unsigned which = 0; which < 2; which++) {
        shape->plane_bytes[which] = wvl_max_u64(shape->plane_bytes[which], other->plane_bytes[which]);
    }
    shape->planes_bytes = wvl_add_saturate(shape->planes_bytes, other->planes_bytes);
    shape->coef_bytes = wvl_add_saturate(shape->coef_bytes, other->coef_bytes);
    shape->block_count = wvl_add_saturate(shape->block_count, other->block_count);
}

void wvl_cpu_settle_shape(wvl_cpu_shape *shape, uint32_t concurrency)
{
    shape->deep = concurrency == 1 || shape->units / 2 >= concurrency;
    shape->sets = shape->deep ? concurrency : (uint32_t)wvl_min_u64(concurrency, wvl_max_u64(shape->strips, 1));
}

void wvl_cpu_carve_lines(wvl_carver *carver, const wvl_cpu_shape *shape, wvl_cpu_lines *lines)
{
    const wvl_dwt_extent extent = {shape->width_max, shape->height_max, shape->low_max};
    wvl_dwt_carve_lines(carver, shape->strands_max, extent, shape->widest_kind, &lines->rows);
    for (uint32_t i = 0; i < shape->strands_max; i++) {
        lines->work[i] = wvl_line_carve(carver, wvl_min_u32(shape->width_max, WVL_FRONT_PIECE), WVL_LINE_I32);
    }
}

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

void wvl_cpu_open_rows(const wvl_cpu_kernels *k, const wvl_cpu_unit *unit, unsigned level, uint32_t y0, uint32_t y1,
                       const wvl_cpu_lines *lines, wvl_cpu_rows *rows)
{
    wvl_rect rect = rows->strands[0].rect;
    rows->strip = (wvl_dwt_strip){.kernels = k->dwt,
                                  .strands = rows->strands,
                                  .strand_count = unit->count,
                                  .y0 = y0,
                                  .y1 = y1,
                                  .lines = &lines->rows,
                                  .look = k->look,
                                  .splits = level != 0,
                                  .fetches = level < 2};
    rows->fetch.work = lines->work;
    rows->fetch.x = rect.x0;
    rows->fetch.n = wvl_rect_width(rect);
    rows->fetch.outside = 0;
    if (level < 2) {
        rows->fetch.group =
            wvl_front_build_group(k->front, k->plan, k->image, unit->component, unit->count, unit->mct, unit->kind);
    }
}
