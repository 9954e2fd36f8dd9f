/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of a unit through one level: what whole tiles (backend_cpu.c) and strips (cpu_strips.c) share. */
#pragma once

#include "backend/backend.h"
#include "dwt/strip.h"
#include "front/front.h"

/* ---- Planes between levels ---- */

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

/* ---- Rows ---- */

/* One component of one tile, or the three of a colour transform or conversion. tile: index in the job. */
typedef struct wvl_cpu_unit {
    uint32_t tile, component;
    uint8_t count, mct, kind;
} wvl_cpu_unit;

/* What all rows of a job go through. */
typedef struct wvl_cpu_kernels {
    const wvl_dwt_kernels *dwt;
    const wvl_front_kernels *front;
    const wvl_plan *plan;
    const wvl_look *look;
    const wvl_image *image;
} wvl_cpu_kernels;

/* Units of a tile, one after another: the next one at *component, which moves on. 0: there are no more. */
int wvl_cpu_next_unit(const wvl_plan *plan, const wvl_tile_plan *tile, uint32_t index, uint32_t *component,
                      wvl_cpu_unit *unit);
/* The most levels of any component of the unit. */
unsigned wvl_cpu_unit_levels(const wvl_tile_plan *tile, const wvl_cpu_unit *unit);
/* A component at `level`: 0: no decomposition at all. in: used from level 2 on; low: where low-low rows go unless this
 * is the last level. Their pitch and y0 are set here. */
void wvl_cpu_build_strand(const wvl_dwt_kernels *dwt, const wvl_coefs *coefs, uint32_t component, unsigned level,
                          uint8_t *in, uint8_t *low, wvl_dwt_strand *strand);
/* Rows of a unit on their way: as long as wvl_dwt_next_row() wants one, wvl_front_fetch_row() brings it. */
typedef struct wvl_cpu_rows {
    wvl_dwt_strand strands[WVL_STRANDS_MAX]; /* built by the caller */
    wvl_dwt_strip strip;
    wvl_front_fetch fetch;
} wvl_cpu_rows;
/* Rows [y0, y1) of the unit. At levels 0 and 1 they are fetched from the image, with `work` lines in between. */
void wvl_cpu_open_rows(const wvl_cpu_kernels *kernels, const wvl_cpu_unit *unit, unsigned level, uint32_t y0,
                       uint32_t y1, const wvl_cpu_lines *lines, wvl_cpu_rows *rows);
