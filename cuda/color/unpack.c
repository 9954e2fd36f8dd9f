/* SPDX-License-Identifier: BSD-2-Clause */
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
