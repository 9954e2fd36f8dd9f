/* SPDX-License-Identifier: BSD-2-Clause */
/* Packed samples to integers of 16 bits before the transform, where no conversion to X'Y'Z' reads them: kernels that
 * march take nothing else. */
#pragma once

#include "cuda/core/pixels.h"

#define WVL_CUDA_UNPACK_THREADS 256u /* of a thread block: a part of a row */
#define WVL_CUDA_UNPACK_MOST 4u      /* components */

typedef struct wvl_cuda_unpack_plane {
    wvl_cuda_pixels from;
    uint64_t to, pitch_bytes; /* sample (rect.x0, rect.y0), 16 bits each */
    wvl_rect rect;
    uint32_t first_block, cols; /* thread blocks: where those of the plane begin, and how many a row has */
} wvl_cuda_unpack_plane;

/* The argument of the kernel. */
typedef struct wvl_cuda_unpack {
    uint32_t count;
    wvl_cuda_unpack_plane planes[WVL_CUDA_UNPACK_MOST];
} wvl_cuda_unpack;

/* Planes of 16-bit samples at `planes`, one after the other, take the place of those of pixels[count] that are packed.
 * rects: what the transform reads of each. The memory has room: wvl_cuda_measure_plane(rect, 2) each. Returns the
 * thread blocks of the launch; 0: none is packed. */
uint32_t wvl_cuda_build_unpack(const wvl_rect *rects, uint32_t count, uint64_t planes, wvl_cuda_pixels *pixels,
                               wvl_cuda_unpack *unpack);
