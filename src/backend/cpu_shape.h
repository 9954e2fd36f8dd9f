/* SPDX-License-Identifier: BSD-2-Clause */
/* Planes between levels, for the CPU backend alone. */
#ifndef WVL_BACKEND_CPU_SHAPE_H
#define WVL_BACKEND_CPU_SHAPE_H

#include "backend/backend.h"
#include "dwt/strip.h"

uint8_t wvl_cpu_line_kind(const wvl_tile_component *tc);
uint64_t wvl_cpu_plane_pitch(uint32_t width, unsigned kind);
/* Bytes of plane 0 or 1 of a component; 0: it has none. */
uint64_t wvl_cpu_plane_bytes(const wvl_tile_plan *tile, const wvl_tile_component *tc, unsigned which);
/* When all tiles are in: whether there are units enough for all workers. */
void wvl_cpu_settle_shape(wvl_cpu_shape *shape, uint32_t concurrency);

#endif
