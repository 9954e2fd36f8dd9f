/* SPDX-License-Identifier: BSD-2-Clause */
/* Pixels as kernels see them. Host and device. */
#ifndef WVL_CUDA_CORE_PIXELS_H
#define WVL_CUDA_CORE_PIXELS_H

#include "base/intmath.h"
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
    uint8_t zero; /* no bytes without a name: pixels are compared as bytes */
} wvl_cuda_pixels;

/* Containers before the first sample of a staged row, so that rows keep their alignment to the absolute grid. */
#define WVL_CUDA_ROW_ROOM 64u

/* Bits of a container, WVL_SAMPLE_*; 0: no such container. */
WVL_HD uint32_t wvl_cuda_container_bits(unsigned container)
{
    switch (container) {
    case WVL_SAMPLE_8: return 8;
    case WVL_SAMPLE_16: return 16;
    case WVL_SAMPLE_32: return 32;
    case WVL_SAMPLE_PACKED10: return 10;
    case WVL_SAMPLE_PACKED12: return 12;
    default: return 0;
    }
}

/* `bits` bits at any bit position, most significant first; reads only bytes that hold some of them. */
WVL_HD uint32_t wvl_cuda_read_bits(const uint8_t *row, uint64_t at, unsigned bits)
{
    uint32_t window = 0;
    uint64_t last = (at + bits - 1) >> 3;
    for (uint64_t i = at >> 3; i <= last; i++) {
        window = window << 8 | row[i];
    }
    return window >> ((last + 1) * 8 - at - bits) & ((1u << bits) - 1);
}

/* Bytes of a staged rectangle in containers of `container_bytes`, with room before and after the rows. */
WVL_HD uint64_t wvl_cuda_measure_plane(wvl_rect r, uint32_t container_bytes)
{
    uint64_t row = wvl_align_up(((uint64_t)wvl_rect_width(r) + WVL_CUDA_ROW_ROOM) * container_bytes, 64);
    return wvl_mul_saturate(row, wvl_rect_height(r)) + 64;
}

#endif
