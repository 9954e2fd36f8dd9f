/* SPDX-License-Identifier: BSD-2-Clause */
/* Says whether bytes of a plan leave before all of it is coded (D-strip-06), and the memory that it then takes. */
#pragma once

#include "geom/plan.h"

typedef enum wvl_early_kind {
    WVL_EARLY_NO = 0,
    WVL_EARLY_TILES, /* after each wave, or row of tiles */
    WVL_EARLY_ROWS   /* after each strip */
} wvl_early_kind;

/* from_rows: the pixels come from a row source. */
wvl_early_kind wvl_early_find_kind(const wvl_plan *plan, int from_rows);
/* Why not, or why not with every strip; NULL: nothing stands in the way. */
const char *wvl_early_find_reason(const wvl_plan *plan);
/* Says whether an encode of rows, or of a picture of several waves, does so. can_patch: the sink can. */
int wvl_early_is_taken(const wvl_plan *plan, wvl_early_kind kind, int can_patch);
/* Lengths that are known only at the end stand before the packets. */
int wvl_early_needs_patch(const wvl_plan *plan, wvl_early_kind kind);
/* A whole picture takes no more memory than without it. */
int wvl_early_fits_waves(const wvl_plan *plan);
/* Most that is held beside stores, pixels and what transforms them. *index_bytes: what coded data takes beside stores.
 */
uint64_t wvl_early_base_bytes(const wvl_plan *plan, wvl_early_kind kind, int in_strips, uint64_t *index_bytes);
