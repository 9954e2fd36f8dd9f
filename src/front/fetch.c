/* SPDX-License-Identifier: BSD-2-Clause */
#include "front/front.h"
#include "geom/container.h"

static unsigned choose_load(unsigned container, int is_signed)
{
    switch (container) {
    case WVL_SAMPLE_8: return is_signed ? WVL_LOAD_S8 : WVL_LOAD_U8;
    case WVL_SAMPLE_16: return is_signed ? WVL_LOAD_S16 : WVL_LOAD_U16;
    case WVL_SAMPLE_PACKED10: return WVL_LOAD_PACKED10;
    case WVL_SAMPLE_PACKED12: return WVL_LOAD_PACKED12;
    case WVL_SAMPLE_FILLED10_BE: return WVL_LOAD_FILLED10_BE;
    case WVL_SAMPLE_FILLED10_LE: return WVL_LOAD_FILLED10_LE;
    case WVL_SAMPLE_FILLED12_BE: return WVL_LOAD_FILLED12_BE;
    case WVL_SAMPLE_FILLED12_LE: return WVL_LOAD_FILLED12_LE;
    case WVL_SAMPLE_WORDS12_BE: return WVL_LOAD_WORDS12_BE;
    case WVL_SAMPLE_WORDS12_LE: return WVL_LOAD_WORDS12_LE;
    case WVL_SAMPLE_WORDS10_BE: return WVL_LOAD_WORDS10_BE;
    case WVL_SAMPLE_WORDS10_LE: return WVL_LOAD_WORDS10_LE;
    case WVL_SAMPLE_16_BE: return WVL_LOAD_16_BE;
    default: return WVL_LOAD_32;
    }
}

static void build_plane(const wvl_front_kernels *kernels, const wvl_plan *plan, uint32_t index, const wvl_plane *from,
                        wvl_front_plane *plane)
{
    const wvl_plan_component *component = &plan->syntax.components[index];
    int converted = plan->syntax.xyz.kind && index < 3; /* the conversion shifts its results */
    unsigned load = choose_load(from->container, component->is_signed);
    const wvl_front_kernels *c = wvl_front_fetch_kernels(WVL_CPU_C);
    plane->data = from->data;
    plane->pitch_bytes = from->pitch_bytes;
    plane->first = from->first_sample;
    plane->stride = from->sample_stride ? from->sample_stride : 1;
    plane->x0 = component->rect.x0;
    plane->y0 = component->rect.y0;
    plane->container_bits = wvl_container_bits(from->container);
    plane->depth = (uint8_t)wvl_plan_input_depth(plan, index);
    plane->shift.half = converted ? 0 : 1u << (component->depth - 1);
    plane->shift.bias = component->is_signed ? plane->shift.half : 0;
    plane->load = plane->stride == 1 ? kernels->contiguous[load] : kernels->strided[load];
    if (!plane->load) {
        plane->load = c->strided[load];
    }
}

/* Where the first sample of a plane lies. A caller may give the pixels' address with every plane, or that of each
 * plane's first sample. */
static uintptr_t first_address(const wvl_plane *p)
{
    return (uintptr_t)p->data + (uintptr_t)(p->first_sample * (wvl_container_bits(p->container) / 8));
}

/* Three planes that are places 0, 1, 2 (in any order) of pixels of three containers. */
static wvl_front_load3 choose_triple(const wvl_front_kernels *kernels, const wvl_image *image, uint32_t component,
                                     wvl_front_group *group)
{
    const wvl_plane *p = &image->planes[component];
    uintptr_t lowest = first_address(&p[0]), bytes = wvl_container_bits(p[0].container) / 8;
    wvl_front_load3 load = kernels->triple[choose_load(p[0].container, group->plane[0].shift.bias != 0)];
    unsigned seen = 0;
    for (unsigned i = 0; i < 3; i++) {
        if (p[i].pitch_bytes != p[0].pitch_bytes || p[i].container != p[0].container || p[i].sample_stride != 3) {
            return NULL;
        }
        lowest = first_address(&p[i]) < lowest ? first_address(&p[i]) : lowest;
    }
    for (unsigned i = 0; load && i < 3; i++) {
        uintptr_t offset = first_address(&p[i]) - lowest;
        if (offset % bytes || offset / bytes > 2) {
            return NULL;
        }
        group->place[offset / bytes] = (uint8_t)i;
        seen |= 1u << offset / bytes;
    }
    return seen == 7 ? load : NULL;
}

static wvl_front_color choose_color(const wvl_front_kernels *kernels, const wvl_plan *plan, uint32_t component)
{
    if (component >= 3 || plan->syntax.xyz.kind == WVL_XYZ_NONE) {
        return NULL;
    }
    wvl_front_color color = kernels->color[plan->syntax.xyz.kind];
    return color ? color : wvl_front_fetch_kernels(WVL_CPU_C)->color[plan->syntax.xyz.kind];
}

static int choose_convert(unsigned mct, unsigned kind)
{
    if (mct == WVL_MCT_ICT) {
        return WVL_CONVERT_ICT;
    }
    if (mct == WVL_MCT_RCT) {
        return kind == WVL_LINE_I64 ? WVL_CONVERT_RCT_I64 : WVL_CONVERT_RCT;
    }
    if (kind == WVL_LINE_I64) {
        return WVL_CONVERT_I64;
    }
    return kind == WVL_LINE_F32 ? WVL_CONVERT_F32 : -1;
}

void wvl_front_build_group(const wvl_front_kernels *kernels, const wvl_plan *plan, const wvl_image *image,
                           uint32_t component, uint32_t count, unsigned mct, unsigned kind, wvl_front_group *group)
{
    group->count = count;
    for (uint32_t i = 0; i < count; i++) {
        build_plane(kernels, plan, component + i, &image->planes[component + i], &group->plane[i]);
    }
    group->triple = count == 3 ? choose_triple(kernels, image, component, group) : NULL;
    group->xyz = &plan->syntax.xyz;
    group->color = choose_color(kernels, plan, component);
    group->mixes = mct != WVL_MCT_NONE;
    int convert = choose_convert(mct, kind);
    group->convert = convert < 0 ? NULL : kernels->convert[convert];
    if (convert >= 0 && !group->convert) {
        group->convert = wvl_front_fetch_kernels(WVL_CPU_C)->convert[convert];
    }
}

static uint32_t load_triple(const wvl_front_group *group, uint32_t y, uint32_t x, uint32_t n, int32_t *const *lines)
{
    const wvl_front_plane *plane = &group->plane[group->place[0]];
    const uint8_t *row = plane->data + (ptrdiff_t)(y - plane->y0) * plane->pitch_bytes;
    int32_t *placed[WVL_FRONT_PLANES_MAX];
    for (unsigned i = 0; i < 3; i++) {
        placed[i] = lines[group->place[i]];
    }
    row += (plane->first + (uint64_t)(x - plane->x0) * 3) * (plane->container_bits / 8);
    return group->triple(row, n, plane->shift, placed) >> plane->depth;
}

static uint32_t load_planes(const wvl_front_group *group, uint32_t y, uint32_t x, uint32_t n, int32_t *const *lines)
{
    uint32_t outside = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        const wvl_front_plane *plane = &group->plane[i];
        const uint8_t *row = plane->data + (ptrdiff_t)(y - plane->y0) * plane->pitch_bytes;
        uint64_t first = plane->first + (x - plane->x0) * plane->stride;
        outside |= plane->load(row, first, plane->stride, n, plane->shift, lines[i]) >> plane->depth;
    }
    return outside;
}

uint32_t wvl_front_fetch_row(const wvl_front_group *group, uint32_t y, uint32_t x, uint32_t n, int32_t *const *work,
                             void *const *rows)
{
    int32_t *lines[WVL_FRONT_PLANES_MAX];
    const int32_t *loaded[WVL_FRONT_PLANES_MAX];
    for (uint32_t i = 0; i < group->count; i++) {
        loaded[i] = lines[i] = group->convert ? work[i] : rows[i];
    }
    uint32_t outside = group->triple ? load_triple(group, y, x, n, lines) : load_planes(group, y, x, n, lines);
    if (group->color) {
        group->color(group->xyz, n, lines);
    }
    for (uint32_t i = 0; group->convert && i < (group->mixes ? 1 : group->count); i++) {
        group->convert(loaded + i, n, rows + i);
    }
    return outside;
}
