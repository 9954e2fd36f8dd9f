/* SPDX-License-Identifier: BSD-2-Clause */
#include "backend/cpu_shape.h"

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
