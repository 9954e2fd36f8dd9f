/* SPDX-License-Identifier: BSD-2-Clause */
#include "dwt/inverse.h"

#include <string.h>

void wvl_inverse_band_origin(const wvl_tile_resolution *resolution, const wvl_tile_band *band, uint32_t *col, uint32_t *row)
{
    /* The details follow the low-pass samples of the same level, whose number is what the detail band leaves of the resolution. */
    *col = band->orient & 1 ? wvl_rect_width(resolution->rect) - wvl_rect_width(band->rect) : 0;
    *row = band->orient >> 1 ? wvl_rect_height(resolution->rect) - wvl_rect_height(band->rect) : 0;
}

#define SAMPLE int32_t
#define NAME(x) x##_53
#include "dwt/inverse_tmpl.h"
#undef SAMPLE
#undef NAME
#define SAMPLE float
#define NAME(x) x##_97
#define IS_97 1
#include "dwt/inverse_tmpl.h"
