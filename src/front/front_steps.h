/* SPDX-License-Identifier: BSD-2-Clause */
/* What the instruction sets give to front_lanes.h. */
#pragma once

#include "base/lanes.h"
#include "front/front.h"
#include "front/packed_pixels.h"

#define STEP (LANES < 8 ? 8 : LANES) /* samples of a row at a time */

typedef struct step {
    lanes part[STEP / LANES];
} step;

/* 16 pixels of three components. */
typedef struct pixels {
    lanes part[3][16 / LANES];
} pixels;

/* Always constants after inlining. Samples lie where the caller put them, maybe not aligned. */
typedef step (*widener)(const uint8_t *p);
typedef pixels (*pixel_taker)(wvl_packed_pixels layout, const uint8_t *p);
