/* SPDX-License-Identifier: BSD-2-Clause */
#include "backend/cpu_shape.h"

uint8_t wvl_cpu_line_kind(const wvl_tile_component *tc)
{
    unsigned integers = tc->wide ? WVL_LINE_I64 : WVL_LINE_I32;
    return (uint8_t)(tc->reversible ? integers : WVL_LINE_F32);
}

uint64_t wvl_cpu_plane_pitch(uint32_t width, unsigned kind)
{
    return wvl_align_up(wvl_align_up(width, WVL_LINE_ROUND) * wvl_line_element_bytes(kind), WVL_ALIGNMENT);
}

/* Plane `which` is the one that level which + 1 writes. */
uint64_t wvl_cpu_plane_bytes(const wvl_tile_plan *tile, const wvl_tile_component *tc, unsigned which)
{
    if (which + 1u >= tc->levels) {
        return 0;
    }
    wvl_rect low = tile->resolutions[tc->first_resolution + tc->levels - which - 1u].rect;
    return wvl_mul_saturate(wvl_cpu_plane_pitch(wvl_rect_width(low), wvl_cpu_line_kind(tc)), wvl_rect_height(low));
}

void wvl_cpu_add_component(wvl_cpu_shape *shape, const wvl_tile_plan *tile, uint32_t component, uint64_t times)
{
    const wvl_tile_component *tc = &tile->components[component];
    shape->width_max = wvl_max_u32(shape->width_max, wvl_rect_width(tc->rect));
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

void wvl_cpu_add_tile(wvl_cpu_shape *shape, uint32_t component_count, uint32_t lanes, uint64_t coef_bytes,
                      uint64_t block_count)
{
    shape->units += component_count - lanes + 1;
    shape->lanes_max = wvl_max_u32(shape->lanes_max, lanes);
    shape->coef_bytes = wvl_add_saturate(shape->coef_bytes, coef_bytes);
    shape->block_count = wvl_add_saturate(shape->block_count, block_count);
}

void wvl_cpu_join_shapes(wvl_cpu_shape *shape, const wvl_cpu_shape *other)
{
    shape->units += other->units;
    shape->lanes_max = wvl_max_u32(shape->lanes_max, other->lanes_max);
    shape->width_max = wvl_max_u32(shape->width_max, other->width_max);
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
}
