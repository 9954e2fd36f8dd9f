/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to this room: what a JP2 header says, after the defaults of wvl_jp2_info are resolved. */
#pragma once

#include "geom/plan.h"

/* value = numerator / denominator * 10^exponent (I.5.3.7). */
typedef struct wvl_jp2_ratio {
    uint16_t numerator, denominator;
    int8_t exponent;
} wvl_jp2_ratio;

typedef struct wvl_jp2_resolution {
    uint8_t present;
    wvl_jp2_ratio x, y; /* per metre */
} wvl_jp2_resolution;

typedef struct wvl_jp2_header {
    const wvl_plan *plan;
    wvl_jp2_info info;      /* members past the caller's struct_size are 0 */
    uint32_t channel_count; /* after the palette */
    uint32_t color_count;   /* of the colour space */
    uint32_t enumerated;    /* EnumCS; unused with a profile */
    uint8_t any_icc;        /* JPH: a profile that is not of the restricted kind */
    uint8_t mixed_depth;    /* components differ in depth or sign: bpcc */
    wvl_jp2_resolution capture, display;
} wvl_jp2_header;

/* Fills header and reports every violation. Returns 1 when there is none. */
int wvl_jp2_resolve_header(const wvl_plan *plan, const wvl_jp2_info *info, wvl_jp2_header *header, wvl_report *report);
/* wvl_channel_type of a channel. */
unsigned wvl_jp2_channel_type(const wvl_jp2_header *header, uint32_t channel);

/* Best approximation with 16-bit terms. 0: value is not positive, not finite, or out of reach (relative error above
 * 1e-4). */
int wvl_jp2_find_ratio(double value, wvl_jp2_ratio *ratio);
