/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The least that a codestream of a plan can have: its headers, and packets without contributions. Caps below that are
 * refused with the plan, before memory for samples is taken; rate control never has to find out (D-profile-06).
 */
#pragma once

#include "codec/rate/measure.h"

typedef struct wvl_coder_least {
    wvl_layer_cost cost;    /* of every packet of every layer */
    uint64_t segment_bytes; /* marker segments in tile-part headers */
    uint64_t *group_bytes;  /* [cap groups], caller's; NULL without a component cap */
} wvl_coder_least;

/* Adds a tile. precincts: of all its components. tile: only its index and markers are read. */
void wvl_coder_add_least(const wvl_plan *plan, const wvl_tile_plan *tile, uint64_t precincts, wvl_coder_least *least);
/* The component with this number, which is component 0 of `tile`, for the cap groups. */
void wvl_coder_add_least_component(const wvl_plan *plan, const wvl_tile_plan *tile, uint32_t number,
                                   wvl_coder_least *least);
/* Notes the sums in plan->memory. */
void wvl_coder_note_least(wvl_plan *plan, const wvl_coder_least *least, uint64_t part_count);
/* Compares targets and caps with what was noted. WVL_ERROR_UNREACHABLE with the reason, or WVL_OK. */
wvl_status wvl_coder_check_least(const wvl_plan *plan, char *problem, size_t problem_bytes);
