/* SPDX-License-Identifier: BSD-2-Clause */
#include "way/leaving.h"

#include "codec/write/early.h"
#include "report/profile_walk.h"
#include "way/way.h"

/* TLM stands before all packets, and how many tile-parts it names is not known. The box does not follow it. */
static int names_long_parts(const wvl_plan *plan) { return plan->syntax.tlm && plan->memory.spare_parts; }

wvl_early_kind wvl_early_find_kind(const wvl_plan *plan, int from_rows)
{
    if (wvl_early_obstacle(plan) || wvl_profile_walks(plan) || names_long_parts(plan)) {
        return WVL_EARLY_NO;
    }
    if (!from_rows || !wvl_strips_are_used(plan)) {
        return plan->memory.wave_count > 1 ? WVL_EARLY_TILES : WVL_EARLY_NO;
    }
    if (!wvl_early_rows_obstacle(plan)) {
        return WVL_EARLY_ROWS;
    }
    return plan->syntax.tile_rows > 1 ? WVL_EARLY_TILES : WVL_EARLY_NO;
}

const char *wvl_early_find_reason(const wvl_plan *plan)
{
    if (wvl_profile_walks(plan)) {
        return "the finished bytes are checked against the profile first";
    }
    if (names_long_parts(plan)) {
        return "TLM stands before all packets, and a tile-part may have to be divided at 4 GiB";
    }
    const char *why = wvl_early_obstacle(plan);
    return why ? why : wvl_early_rows_obstacle(plan);
}

int wvl_early_needs_patch(const wvl_plan *plan, wvl_early_kind kind)
{
    return plan->syntax.jp2 != WVL_CONTAINER_NONE || wvl_early_patches(plan, kind == WVL_EARLY_ROWS);
}

int wvl_early_is_taken(const wvl_plan *plan, wvl_early_kind kind, int can_patch)
{
    return kind && (can_patch || !wvl_early_needs_patch(plan, kind));
}

uint64_t wvl_early_base_bytes(const wvl_plan *plan, wvl_early_kind kind, int in_strips, uint64_t *index_bytes)
{
    const wvl_early_plan *e = &plan->memory.early;
    int is_by_row = in_strips || kind == WVL_EARLY_ROWS;
    uint64_t tiles = is_by_row ? e->row_tile_bytes : e->wave_tile_bytes, sum = e->fixed_bytes;
    *index_bytes = is_by_row ? e->row_index : e->wave_index;
    if (kind == WVL_EARLY_ROWS) {
        *index_bytes = wvl_min_u64(*index_bytes, wvl_early_bound_index(plan));
    }
    sum = wvl_add_saturate(sum, wvl_early_state_bytes(plan, kind == WVL_EARLY_ROWS));
    return wvl_add_saturate(sum, wvl_add_saturate(e->finish_bytes, tiles));
}

/* Writing beside the transform is new; tiles that have left make up for it where there are many. */
int wvl_early_fits_waves(const wvl_plan *plan)
{
    uint64_t index, base = wvl_early_base_bytes(plan, WVL_EARLY_TILES, 0, &index);
    return wvl_add_saturate(base, plan->memory.backend.host_bytes) <= plan->memory.base_bytes;
}
