/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inverse transforms of one tile-component (F.3), plain C. The encoder needs them to know what a decoder will see when
 * a PSNR target is set; tests need them as the other half of every forward transform.
 */
#pragma once

#include "base/look.h"
#include "geom/plan.h"

/*
 * plane: on entry, for every resolution the bands in Mallat order as wvl_inverse_band_origin places them, row stride
 * `stride` >= width of the tile-component; on return its samples. spare: as large as plane. row: as many elements as
 * the tile-component is wide. 9/7 coefficients are normalised as in Part 1 (dequantised); everything is computed in
 * float in a fixed order.
 */
void wvl_inverse_53(const wvl_tile_plan *tile, uint32_t component, int32_t *plane, int32_t *spare, uint64_t stride,
                    int32_t *row, const wvl_look *look);
void wvl_inverse_97(const wvl_tile_plan *tile, uint32_t component, float *plane, float *spare, uint64_t stride,
                    float *row, const wvl_look *look);

/* Column and row of a band's first sample in the plane: LL of all levels at the origin, details beside and below it. */
void wvl_inverse_band_origin(const wvl_tile_resolution *resolution, const wvl_tile_band *band, uint32_t *col,
                             uint32_t *row);
