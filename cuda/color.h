/* SPDX-License-Identifier: BSD-2-Clause */
/* The conversion to X'Y'Z' before the transform: what of a slot it takes, and its argument. */
#ifndef WVL_CUDA_COLOR_H
#define WVL_CUDA_COLOR_H

#include "cuda/job.h"

/* Bytes of the converted planes; 0 where nothing is converted. A multiple of 64. */
uint64_t wvl_cuda_measure_color(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count);
/* Bytes of the tables of light, which plan->xyz.linear[0] begins: the same for all jobs of the plan. */
uint64_t wvl_cuda_measure_light(const wvl_plan *plan);

/* Takes the first three of the pixels and puts the planes at `converted` in their place. color->light[0] and color->outside are set: addresses on
 * the device. Returns the thread blocks of the launch. */
uint32_t wvl_cuda_build_color(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, uint64_t converted, wvl_cuda_pixels *pixels,
                              wvl_cuda_color *color);

#endif
