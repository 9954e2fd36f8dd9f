/* SPDX-License-Identifier: BSD-2-Clause */
/* The conversion to X'Y'Z' before the transform: what of a workspace it takes, and its argument. */
#pragma once

#include "cuda/core/pixels.h"

#define WVL_CUDA_COLOR_THREADS 256 /* of a thread block: a part of a row */

/* Pixels of three components as they were given, to X'Y'Z' codes of WVL_XYZ_DEPTH bits in planes of 16-bit containers
 * (front/xyz_ops.h). */
typedef struct wvl_cuda_color {
    wvl_cuda_pixels from[3];
    uint64_t to[3];    /* sample (rect.x0, rect.y0) of each plane */
    uint64_t light[3]; /* WVL_XYZ_MATRIX: doubles by sample value */
    uint64_t pitch_bytes, outside;
    double matrix[9];
    wvl_rect rect;
    uint8_t kind, depth; /* WVL_XYZ_*; of the samples given */
} wvl_cuda_color;

/* rect: what is staged of the first component, wvl_cuda_fetch_rect(). Bytes of the converted planes, a multiple of 64;
 * 0 where nothing is converted. */
uint64_t wvl_cuda_measure_color(const wvl_plan *plan, wvl_rect rect);
/* Bytes of the tables of light, which plan->syntax.xyz.linear[0] begins: the same for all splits of the plan. */
uint64_t wvl_cuda_measure_light(const wvl_plan *plan);

/* Takes the first three of the pixels and puts the planes at `converted` in their place. color->light[0] and
 * color->outside are set: addresses on the device. Returns the thread blocks of the launch. */
uint32_t wvl_cuda_build_color(const wvl_plan *plan, wvl_rect rect, uint64_t converted, wvl_cuda_pixels *pixels,
                              wvl_cuda_color *color);
