/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds what a device needs to put pictures of a plan together (geom/handover_assembly.h). */
#pragma once

#include "geom/handover_assembly.h"
#include "geom/plan.h"

/* NULL, or why pictures of this plan are put together on the host only. */
const char *wvl_assembly_refuses(const wvl_plan *plan);
static inline wvl_tile_range wvl_assembly_whole(const wvl_plan *plan)
{
    return (wvl_tile_range){0, plan->syntax.tile_count};
}
/* Pure in the plan, which must be complete: with its boxes, and refused by nothing. Of a range of tiles: a codestream
 * that has no others, but their numbers. WVL_ERROR_UNSUPPORTED: *why says what is too large. */
wvl_status wvl_assembly_build(const wvl_allocator *allocator, const wvl_plan *plan, wvl_tile_range range,
                              wvl_assembly *assembly, const char **why);
/* The main header of all tiles, of *header_bytes in memory of the allocator. part_bytes: of all tile-parts. */
wvl_status wvl_assembly_put_main(const wvl_allocator *allocator, const wvl_plan *plan, const uint32_t *part_bytes,
                                 uint8_t **header, uint64_t *header_bytes);
void wvl_assembly_free(const wvl_allocator *allocator, wvl_assembly *assembly);
