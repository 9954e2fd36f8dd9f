/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tiles of a plan add up to: waves, tile-parts, and the memory that it promises. */
#pragma once

#include "base/look.h"
#include "geom/plan.h"

/* Fills what the conductor owes the plan. The time depends on tiles times kinds of components, which is bounded, never
 * on precincts or blocks; with tile-parts on the number of packets, which is bounded too. WVL_ERROR_PARAMETER and
 * _UNREACHABLE: `problem` says why. */
wvl_status wvl_plan_measure_tiles(wvl_plan *plan, const wvl_look *look, char *problem, size_t problem_bytes);

/* plan->memory.output_bytes_bound, from what the plan asks for. */
void wvl_plan_bound_output(wvl_plan *plan);
