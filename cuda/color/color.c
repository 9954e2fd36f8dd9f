/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/color/color.h"

#include <string.h>

#include "cuda/color/unpack.h"

static uint32_t add_plane(wvl_rect rect, uint64_t at, wvl_cuda_pixels *pixels, uint32_t first, wvl_cuda_unpack *unpack)
{
    uint64_t room = rect.x0 % WVL_CUDA_ROW_ROOM * 2;
    wvl_cuda_unpack_plane *plane = &unpack->planes[unpack->count++];
    *plane = (wvl_cuda_unpack_plane){.from = *pixels,
                                     .to = at + room,
                                     .pitch_bytes = wvl_align_up((uint64_t)wvl_rect_width(rect) * 2 + room, 64),
                                     .rect = rect,
                                     .first_block = first,
                                     .cols = (uint32_t)wvl_ceil_div(wvl_rect_width(rect), WVL_CUDA_UNPACK_THREADS)};
    pixels->data = plane->to;
    pixels->pitch_bytes = (int64_t)plane->pitch_bytes;
    pixels->first = 0;
    pixels->stride = 1;
    pixels->x0 = rect.x0;
    pixels->y0 = rect.y0;
    pixels->container = WVL_SAMPLE_16;
    return first + plane->cols * wvl_rect_height(rect);
}

uint32_t wvl_cuda_build_unpack(const wvl_rect *rects, uint32_t count, uint64_t planes, wvl_cuda_pixels *pixels,
                               wvl_cuda_unpack *unpack)
{
    uint32_t blocks = 0;
    unpack->count = 0;
    for (uint32_t c = 0; c < count; c++) {
        if (wvl_container_is_packed(pixels[c].container) && rects[c].x0 < rects[c].x1) {
            blocks = add_plane(rects[c], planes, &pixels[c], blocks, unpack);
            planes += wvl_cuda_measure_plane(rects[c], 2);
        }
    }
    return blocks;
}

uint64_t wvl_cuda_measure_color(const wvl_plan *plan, wvl_rect rect)
{
    return plan->syntax.xyz.kind == WVL_XYZ_NONE ? 0 : wvl_mul_saturate(3, wvl_cuda_measure_plane(rect, 2));
}

/* One curve for all components, or three that follow one another. */
uint64_t wvl_cuda_measure_light(const wvl_plan *plan)
{
    const wvl_plan_xyz *xyz = &plan->syntax.xyz;
    return xyz->kind == WVL_XYZ_MATRIX
               ? (uint64_t)(xyz->linear[2] - xyz->linear[0] + (1 << xyz->depth)) * sizeof(double)
               : 0;
}

uint32_t wvl_cuda_build_color(const wvl_plan *plan, wvl_rect rect, uint64_t converted, wvl_cuda_pixels *pixels,
                              wvl_cuda_color *color)
{
    const wvl_plan_xyz *xyz = &plan->syntax.xyz;
    uint64_t plane_bytes = wvl_cuda_measure_plane(rect, 2), room = rect.x0 % WVL_CUDA_ROW_ROOM * 2;
    color->rect = rect;
    color->kind = xyz->kind;
    color->depth = xyz->depth;
    color->pitch_bytes = wvl_align_up((uint64_t)wvl_rect_width(rect) * 2 + room, 64);
    memcpy(color->matrix, xyz->matrix, sizeof color->matrix);
    for (uint32_t c = 0; c < 3; c++) {
        color->from[c] = pixels[c];
        color->to[c] = converted + c * plane_bytes + room;
        color->light[c] = xyz->kind == WVL_XYZ_MATRIX
                              ? color->light[0] + (uint64_t)(xyz->linear[c] - xyz->linear[0]) * sizeof(double)
                              : 0;
        pixels[c] = (wvl_cuda_pixels){.data = color->to[c],
                                      .pitch_bytes = (int64_t)color->pitch_bytes,
                                      .stride = 1,
                                      .x0 = rect.x0,
                                      .y0 = rect.y0,
                                      .half = 1u << (WVL_XYZ_DEPTH - 1),
                                      .container = WVL_SAMPLE_16,
                                      .depth = WVL_XYZ_DEPTH};
    }
    return (uint32_t)(wvl_ceil_div(wvl_rect_width(rect), WVL_CUDA_COLOR_THREADS) * wvl_rect_height(rect));
}
