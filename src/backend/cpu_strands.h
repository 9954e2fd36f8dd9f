/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of a unit through one level: what whole tiles (backend_cpu.c) and strips (cpu_strips.c) share. */
#ifndef WVL_BACKEND_CPU_STRANDS_H
#define WVL_BACKEND_CPU_STRANDS_H

#include "backend/cpu_shape.h"
#include "dwt/strip.h"
#include "front/front.h"
#include "geom/handover.h"

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
/* Rows [y0, y1) of the unit. At levels 0 and 1 they are fetched from the image, with `work` lines in between. Returns
 * nonzero when samples lie outside their depth. */
uint32_t wvl_cpu_run_rows(const wvl_cpu_kernels *kernels, const wvl_image *image, const wvl_cpu_unit *unit,
                          unsigned level, const wvl_dwt_strand *strands, uint32_t y0, uint32_t y1,
                          const wvl_cpu_lines *lines);

#endif
