/* SPDX-License-Identifier: BSD-2-Clause */
/* Which pass of a block is which, and where segments end. Pass 0 is the cleanup of the top plane. */
#pragma once

#include "geom/plan.h"

enum { WVL_T1_PROPAGATE, WVL_T1_REFINE, WVL_T1_CLEANUP };

WVL_HD int wvl_t1_pass_kind(uint32_t pass) { return (int)((pass + 2) % 3); }

/* Planes below the pass's own. */
WVL_HD uint32_t wvl_t1_pass_plane(uint32_t planes, uint32_t pass) { return planes - 1 - (pass + 2) / 3; }

/* Passes 0..9 are never raw (D.6). */
WVL_HD int wvl_t1_pass_is_raw(uint32_t pass, unsigned style)
{
    return (style & WVL_STYLE_BYPASS) && pass > 9 && wvl_t1_pass_kind(pass) != WVL_T1_CLEANUP;
}

/* Does a segment end with this pass although passes follow (Table D.9)? */
WVL_HD int wvl_t1_pass_is_end(uint32_t pass, unsigned style)
{
    if (style & WVL_STYLE_TERMALL) {
        return 1;
    }
    return (style & WVL_STYLE_BYPASS) && pass >= 9 && wvl_t1_pass_kind(pass) != WVL_T1_PROPAGATE;
}
