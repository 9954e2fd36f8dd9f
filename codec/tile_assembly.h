/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds what a device needs to put pictures of a plan together (geom/handover_assembly.h). */
#ifndef WVL_CODEC_TILE_ASSEMBLY_H
#define WVL_CODEC_TILE_ASSEMBLY_H

#include "geom/handover_assembly.h"
#include "geom/plan.h"

/* NULL, or why pictures of this plan are put together on the host only. */
const char *wvl_assembly_refuses(const wvl_plan *plan);
/* Pure in the plan, which must be complete: with its boxes, and refused by nothing. WVL_ERROR_UNSUPPORTED: *why says
 * what is too large. */
wvl_status wvl_assembly_build(const wvl_allocator *allocator, const wvl_plan *plan, wvl_assembly *assembly,
                              const char **why);
void wvl_assembly_free(const wvl_allocator *allocator, wvl_assembly *assembly);

#endif
