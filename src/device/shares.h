/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One large picture on several devices, each of which finishes a range of its tiles (D-device-27). The host puts the
 * ranges together: head, the tile-parts of each, and EOC.
 */
#pragma once

#include "device/pictures.h"

typedef struct wvl_share {
    struct wvl_shares *of;
    wvl_tile_range range;
    uint32_t ordinal;
    wvl_pictures pictures; /* closed: backend is NULL */
    wvl_picture_facts facts;
    wvl_status status;
    char reason[256];
} wvl_share;

typedef struct wvl_shares {
    const wvl_plan *plan;
    const wvl_image *image;
    const wvl_look *look;
    uint32_t count;  /* 0: none */
    uint32_t failed; /* a bit for each device that did */
    wvl_share share[WVL_DEVICE_ORDINAL_MAX + 1];
    uint8_t *header;                   /* main header */
    uint64_t header_bytes, body_bytes; /* body: all tile-parts */
} wvl_shares;

/* Divides a picture whose way is WVL_WAY_SHARES. */
void wvl_shares_divide(wvl_shares *shares, const wvl_plan *plan, const wvl_image *image);
/* Most that each device takes, and host memory of all. Nothing where pictures of the plan are not divided. */
wvl_status wvl_shares_measure(const wvl_plan *plan, wvl_backend_memory *memory);
/* All ranges, on the devices at the same time where the context may start threads. WVL_OK: header, and facts of each
 * range. A device that fails leaves its range to the others. Else as wvl_pictures_encode. */
wvl_status wvl_shares_encode(wvl_shares *shares, const wvl_look *look);
/* Tile-parts of a range. */
const uint8_t *wvl_shares_fetch_body(const wvl_shares *shares, uint32_t index, uint64_t *bytes);
/* codestream_offset: bytes before SOC. NULL: no memory. */
wvl_result *wvl_shares_create_result(wvl_shares *shares, uint64_t codestream_offset, const double *seconds);
void wvl_shares_close(wvl_shares *shares);
