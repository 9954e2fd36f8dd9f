/* SPDX-License-Identifier: BSD-2-Clause */
/* Planes between levels, for the CPU backend alone. */
#ifndef WVL_BACKEND_CPU_SHAPE_H
#define WVL_BACKEND_CPU_SHAPE_H

#include "backend/backend.h"
#include "dwt/strip.h"
#include "front/front.h"

uint8_t wvl_cpu_line_kind(const wvl_tile_component *tc);
/* One row: a level is done with its plane before it writes the next one, which takes the same place. */
static inline int wvl_cpu_is_flat(const wvl_tile_component *tc) { return wvl_rect_height(tc->rect) < 2; }
uint64_t wvl_cpu_plane_pitch(uint32_t width, unsigned kind);
/* Bytes of plane 0 or 1 of a component; 0: it has none. */
uint64_t wvl_cpu_plane_bytes(const wvl_tile_plan *tile, const wvl_tile_component *tc, unsigned which);
/* What one worker needs for a strip. */
typedef struct wvl_cpu_lines {
    wvl_dwt_lines rows;
    int32_t *work[WVL_STRANDS_MAX]; /* between the pixels and a conversion */
} wvl_cpu_lines;
void wvl_cpu_carve_lines(wvl_carver *carver, const wvl_cpu_shape *shape, wvl_cpu_lines *lines);
/* When all tiles are in: whether there are units enough for all workers. */
void wvl_cpu_settle_shape(wvl_cpu_shape *shape, uint32_t concurrency);

#endif
