/* SPDX-License-Identifier: BSD-2-Clause */
#include "dwt/inverse.h"

#include "dwt/scheme.h"

void wvl_inverse_band_origin(const wvl_tile_resolution *resolution, const wvl_tile_band *band, uint32_t *col,
                             uint32_t *row)
{
    /* The details follow the low-pass samples of the same level, whose number is what the detail band leaves of the
     * resolution. */
    *col = band->orient & 1 ? wvl_rect_width(resolution->rect) - wvl_rect_width(band->rect) : 0;
    *row = band->orient >> 1 ? wvl_rect_height(resolution->rect) - wvl_rect_height(band->rect) : 0;
}

#define COLUMNS 256u

#define SAMPLE int32_t
#define NAME(x) x##_53
#define STEPS 2u
#define LIFT(x, sum, step) (x) = (step) ? (x) + ((sum) >> 1) : (x) - (((sum) + 2) >> 2)
#define SCALE(x, is_high) (void)(is_high)
#define SETTLE_ALONE(x, parity) (x) /= 1 + (int32_t)(parity) /* coded doubled */
#include "dwt/inverse_tmpl.h"
#undef SAMPLE
#undef NAME
#undef STEPS
#undef LIFT
#undef SCALE
#undef SETTLE_ALONE

static const float steps_97[4] = {WVL_LIFT97_DELTA, WVL_LIFT97_GAMMA, WVL_LIFT97_BETA, WVL_LIFT97_ALPHA};
static const float scales_97[2] = {WVL_LIFT97_K, 1 / WVL_LIFT97_K};

#define SAMPLE float
#define NAME(x) x##_97
#define STEPS 4u
#define LIFT(x, sum, step) (x) -= steps_97[step] * (sum)
#define SCALE(x, is_high) (x) *= scales_97[is_high]
#define SETTLE_ALONE(x, parity) (x) *= (parity) ? 0.5f : 1.0f
#include "dwt/inverse_tmpl.h"
