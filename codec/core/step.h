/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Integer rules of a step that follows the byte target (D-ht-04), shared by host and device: where the blocks of a
 * first coding ended, by how much steps become coarser for it, and what becomes of magnitudes.
 */
#pragma once

#include "base/intmath.h"

#define WVL_STEP_SET_PASSES 3u
#define WVL_STEP_SIXTEENTHS 16u /* of an octave: a step becomes coarser by 0 to 15 of them */
#define WVL_STEP_PLANE 256      /* parts of a plane that are counted */
#define WVL_STEP_SETS_ABOVE 2u  /* planes above the mean one from which sets are coded again */

/* Where the blocks of the first coding ended: bytes sent, and the sum of planes in 1/256, each block with its bytes. */
typedef struct wvl_step_ends {
    uint64_t bytes;
    int64_t planes;
} wvl_step_ends;

/* Says where a block ended. first, before, long_before: bytes of the cleanup pass of its last set, of the set before
 * and of the one before that, 0 where there is none; bytes: sent.
 *
 * Refinement lies between this cleanup pass and the next one. What that one would add follows from what this one and
 * the one before added: where the growth grows, it goes on to do so (13/16 was found by trying: D-ht-04). What was
 * coded beyond the cut says nothing, since it may differ from run to run. */
WVL_HD wvl_step_ends wvl_step_end_of(uint32_t planes, uint32_t set, uint32_t first, uint32_t before,
                                     uint32_t long_before, uint32_t bytes)
{
    wvl_step_ends end;
    int64_t growth = (int64_t)first - before, growth_before = (int64_t)before - long_before;
    int64_t step = growth + (growth > growth_before ? (growth - growth_before) * 13 / 16 : 0);
    int64_t part = 0;
    if (step > 0) {
        uint64_t parts = (uint64_t)WVL_STEP_PLANE * (bytes - first) / (uint64_t)step;
        part = (int64_t)wvl_min_u64(parts, WVL_STEP_PLANE);
    }
    end.bytes = bytes;
    end.planes = (int64_t)bytes * (WVL_STEP_PLANE * ((int64_t)planes - 1 - (int64_t)set) - part);
    return end;
}

/* The mean plane, and half a sixteenth. */
WVL_HD int64_t wvl_step_mean_plane(const wvl_step_ends *ends)
{
    return ends->bytes ? ends->planes / (int64_t)ends->bytes + WVL_STEP_PLANE / 32 : 0;
}

/* Sixteenths of an octave; 0: the steps are right as they are. */
WVL_HD uint32_t wvl_step_choose(const wvl_step_ends *ends)
{
    int64_t plane = wvl_step_mean_plane(ends);
    int has_plane_below = plane >= WVL_STEP_PLANE; /* for what bytes are left over */
    return has_plane_below ? (uint32_t)(plane % WVL_STEP_PLANE / (WVL_STEP_PLANE / (int64_t)WVL_STEP_SIXTEENTHS)) : 0;
}

/* One more than the plane above which no set is coded again. */
WVL_HD uint32_t wvl_step_first_set(const wvl_step_ends *ends)
{
    return WVL_STEP_SETS_ABOVE + (uint32_t)(wvl_step_mean_plane(ends) / WVL_STEP_PLANE) + 1;
}

/* A magnitude of 15 or of 31 bits times factor / 2^32, in the middle of the cell that the fraction bits give. */
WVL_HD uint32_t wvl_step_scale_narrow(uint32_t magnitude, uint64_t factor)
{
    return (uint32_t)((uint64_t)(2 * magnitude + 1) * (uint32_t)(factor >> 16) >> 17);
}
WVL_HD uint32_t wvl_step_scale_wide(uint32_t magnitude, uint64_t factor)
{
    return (uint32_t)((magnitude * factor + factor / 2) >> 32);
}
