/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of one encode: the conductor's own pieces, and how tiles are grouped into waves. */
#pragma once

#include "codec/t2/packet_order.h"
#include "geom/handover.h"

#define WVL_WRITE_BUFFER_BYTES ((size_t)1 << 17)

/* The conductor's memory for waves of at most plan->memory.wave_tiles tiles. */
typedef struct wvl_wave {
    wvl_tile_plan *tiles;   /* [wave_tiles] */
    wvl_tile_plan scratch;  /* for walks over all tiles (wvl_wave_walk) */
    wvl_coefs *coefs;       /* [wave_tiles] */
    wvl_order_memory order; /* of any one tile */
    uint8_t *buffer;        /* WVL_WRITE_BUFFER_BYTES */
} wvl_wave;

void wvl_wave_carve(const wvl_plan *plan, wvl_carver *carver, wvl_wave *wave);
/* Builds the tile plans of the wave that begins at tile `first`, and returns their number: at least 1. tiles:
 * [plan->memory.wave_tiles]. */
uint32_t wvl_wave_build(const wvl_plan *plan, uint32_t first, wvl_tile_plan *tiles);
/* For walks over all tiles after the last wave was built: a picture of one wave builds no tile plan again. */
wvl_tile_walk wvl_wave_walk(const wvl_plan *plan, wvl_wave *wave);

/* Bytes of the conductor's own state (src/picture/session_waves.c). */
uint64_t wvl_session_bytes(void);
