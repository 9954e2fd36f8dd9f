/* SPDX-License-Identifier: BSD-2-Clause */
/* Pixels as kernels see them. Host and device. */
#pragma once

#include "geom/container.h"
#include "geom/plan.h"

/* Pixels of one component. Sample (x, y) is container first + (x - x0) * stride of the row at data + (y - y0) *
 * pitch_bytes. */
typedef struct wvl_cuda_pixels {
    uint64_t data;
    int64_t pitch_bytes;
    uint64_t first;
    uint32_t stride;
    uint32_t x0, y0;
    uint32_t bias, half; /* stored + bias is in [0, 2^depth); the transform takes that - half */
    uint8_t container, is_signed, depth;
    uint8_t is_float; /* and no bytes without a name: pixels are compared as bytes */
} wvl_cuda_pixels;

/* Containers before the first sample of a staged row, so that rows keep their alignment to the absolute grid. */
#define WVL_CUDA_ROW_ROOM 64u

/* Bytes of a staged rectangle in containers of `container_bytes`, with room before and after the rows. */
WVL_HD uint64_t wvl_cuda_measure_plane(wvl_rect r, uint32_t container_bytes)
{
    uint64_t row = wvl_align_up(((uint64_t)wvl_rect_width(r) + WVL_CUDA_ROW_ROOM) * container_bytes, 64);
    return wvl_mul_saturate(row, wvl_rect_height(r)) + 64;
}
