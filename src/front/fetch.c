/* SPDX-License-Identifier: BSD-2-Clause */
#include "front/color_ops.h"
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
    plane->depth = (uint8_t)wvl_plan_input_depth(plan, index);
    plane->is_float = component->is_float;
    plane->shift.half = converted ? 0 : 1u << (component->depth - 1);
    plane->shift.bias = component->is_signed ? plane->shift.half : 0;
    plane->load = plane->stride == 1 ? kernels->contiguous[load] : kernels->strided[load];
    if (!plane->load) {
        plane->load = c->strided[load];
    }
}

/* Pixels of three containers that are repeated in whole bytes, or in whole words where they lie in words. */
static uint32_t pixel_period(unsigned container)
{
    uint32_t period = wvl_container_period(container);
    return period == 3 ? 1 : period;
}

/* Number of a plane's first sample, counted from `data`; UINT64_MAX: it lies in other memory. Each plane may have the
 * address of the pixels, or the address of its own first sample. */
static uint64_t number_of_first(const wvl_plane *p, const uint8_t *data)
{
    uint32_t period = wvl_container_period(p->container);
    uint64_t bytes = wvl_container_bytes(p->container, period);
    uintptr_t offset = (uintptr_t)p->data - (uintptr_t)data;
    return offset % bytes ? UINT64_MAX : p->first_sample + offset / bytes * period;
}

/* Three planes that are places 0, 1, 2 (in any order) of pixels of three containers. */
static int find_places(const wvl_plane *p, wvl_front_pixels *pixels)
{
    uint64_t number[WVL_FRONT_PLANES_MAX], lowest = UINT64_MAX;
    unsigned seen = 0;
    pixels->data = p[0].data;
    for (unsigned i = 0; i < 3; i++) {
        pixels->data = (uintptr_t)p[i].data < (uintptr_t)pixels->data ? p[i].data : pixels->data;
    }
    for (unsigned i = 0; i < 3; i++) {
        number[i] = number_of_first(&p[i], pixels->data);
        lowest = number[i] < lowest ? number[i] : lowest;
    }
    for (unsigned i = 0; i < 3; i++) {
        if (number[i] - lowest > 2) {
            return 0;
        }
        pixels->place[number[i] - lowest] = (uint8_t)i;
        seen |= 1u << (number[i] - lowest);
    }
    pixels->first = lowest / 3;
    pixels->data += wvl_container_bytes(p[0].container, lowest % 3); /* not 0: only where each container has bytes */
    return seen == 7 && (lowest % 3 == 0 || wvl_container_period(p[0].container) == 1);
}

static void choose_triple(const wvl_front_kernels *kernels, const wvl_image *image, uint32_t component,
                          wvl_front_group *group)
{
    const wvl_plane *p = &image->planes[component];
    wvl_front_pixels *pixels = &group->triple;
    wvl_front_load3 load = kernels->triple[choose_load(p[0].container, group->plane[0].shift.bias != 0)];
    pixels->period = pixel_period(p[0].container);
    pixels->period_bytes = (uint32_t)wvl_container_bytes(p[0].container, 3 * (uint64_t)pixels->period);
    for (unsigned i = 0; i < 3; i++) {
        if (p[i].pitch_bytes != p[0].pitch_bytes || p[i].container != p[0].container || p[i].sample_stride != 3) {
            return;
        }
    }
    pixels->load = load && find_places(p, pixels) ? load : NULL;
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

wvl_front_group wvl_front_build_group(const wvl_front_kernels *kernels, const wvl_plan *plan, const wvl_image *image,
                                      uint32_t component, uint32_t count, unsigned mct, unsigned kind)
{
    wvl_front_group group = {.count = count,
                             .xyz = &plan->syntax.xyz,
                             .color = choose_color(kernels, plan, component),
                             .mixes = mct != WVL_MCT_NONE,
                             .element_bytes = (uint8_t)wvl_line_element_bytes(kind)};
    for (uint32_t i = 0; i < count; i++) {
        build_plane(kernels, plan, component + i, &image->planes[component + i], &group.plane[i]);
    }
    if (count == 3) {
        choose_triple(kernels, image, component, &group);
    }
    int convert = choose_convert(mct, kind);
    group.convert = convert < 0 ? NULL : kernels->convert[convert];
    if (convert >= 0 && !group.convert) {
        group.convert = wvl_front_fetch_kernels(WVL_CPU_C)->convert[convert];
    }
    return group;
}

static uint32_t find_outside(uint32_t seen, unsigned depth) { return (uint32_t)((uint64_t)seen >> depth); }

/* In place. Compilers make vectors of it. */
static void complement(const wvl_front_plane *plane, uint32_t n, int32_t *line)
{
    uint32_t low = plane->shift.half - 1;
    for (uint32_t i = 0; i < n; i++) {
        line[i] = wvl_nlt_complement(line[i], low);
    }
}

void wvl_front_fetch_row(wvl_front_fetch *f, uint32_t y, void *const *rows)
{
    const wvl_front_group *group = &f->group;
    const wvl_front_pixels *pixels = &group->triple;
    for (uint32_t at = 0; at < f->n; at += WVL_FRONT_PIECE) {
        uint32_t x = f->x + at, n = wvl_min_u32(f->n - at, WVL_FRONT_PIECE), head = n;
        const wvl_front_plane *plane = &group->plane[0];
        uint64_t pixel = pixels->first + (x - plane->x0);
        void *piece[WVL_FRONT_PLANES_MAX];
        int32_t *lines[WVL_FRONT_PLANES_MAX];
        const int32_t *loaded[WVL_FRONT_PLANES_MAX];
        if (pixels->load) { /* a row may begin within a byte or word: pixels up to the next whole one come one by one */
            head = wvl_min_u32(n, (uint32_t)(wvl_align_up(pixel, pixels->period) - pixel));
        }
        for (uint32_t i = 0; i < group->count; i++, plane++) {
            piece[i] = (uint8_t *)rows[i] + (uint64_t)at * group->element_bytes;
            loaded[i] = lines[i] = group->convert ? f->work[i] : piece[i];
            if (head) {
                const uint8_t *row = plane->data + (ptrdiff_t)(y - plane->y0) * plane->pitch_bytes;
                uint64_t first = plane->first + (x - plane->x0) * plane->stride;
                f->outside |=
                    find_outside(plane->load(row, first, plane->stride, head, plane->shift, lines[i]), plane->depth);
            }
        }
        if (head < n) {
            int32_t *placed[WVL_FRONT_PLANES_MAX];
            for (unsigned i = 0; i < 3; i++) {
                placed[i] = lines[pixels->place[i]] + head;
            }
            plane = &group->plane[0];
            const uint8_t *row = pixels->data + (ptrdiff_t)(y - plane->y0) * plane->pitch_bytes +
                                 (pixel + head) / pixels->period * pixels->period_bytes;
            f->outside |=
                find_outside(pixels->load(row, plane->pitch_bytes, n - head, plane->shift, placed), plane->depth);
        }
        for (uint32_t i = 0; i < group->count; i++) {
            if (group->plane[i].is_float) {
                complement(&group->plane[i], n, lines[i]);
            }
        }
        if (group->color) {
            group->color(group->xyz, n, lines);
        }
        for (uint32_t i = 0; group->convert && i < (group->mixes ? 1 : group->count); i++) {
            group->convert(loaded + i, n, piece + i);
        }
    }
}
