/* SPDX-License-Identifier: BSD-2-Clause */
/* The blocks of a picture by phases of the survey (codec/core/phase_shares.h). They follow from the plan alone. */
#pragma once

#include "cuda/rdoq/rdoq_launch.h"
#include "geom/handover.h"

/* Says whether the blocks of EBCOT pictures lie in tables phase by phase. */
static inline int wvl_cuda_has_phases(const wvl_plan *plan)
{
    return plan->rate.rdoq && !(plan->syntax.codings[0].style & WVL_STYLE_HT);
}

/* Blocks are numbered as wvl_cuda_walk_band numbers them. lists, kinds: [blocks of the picture]
 * (rdoq_job.h). */
void wvl_cuda_rdoq_list_phases(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, uint32_t *lists,
                               uint8_t *kinds, wvl_cuda_rdoq_phases *phases);
