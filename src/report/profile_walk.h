/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/context.h"
#include "geom/plan.h"

/* 1: the plan's profile is one whose bytes are judged before they leave (D-profile-04). */
int wvl_profile_walks(const wvl_plan *plan);
/* Returns what the walker may take while it judges: a limit that it keeps; while a list grows it holds half as much
 * more. 0: nothing is judged. */
uint64_t wvl_profile_walk_bytes(const wvl_plan *plan);
/*
 * Servers of a certain age stumble over FF FF where its first byte is 254 modulo 256 from the start of main header and
 * tile-part (RDD 52, note 1). Only lengths can be that: TLM, which ends the main header, and Psot. Where comments bring
 * them to such a place, one more moves them on.
 */
void wvl_profile_space_lengths(wvl_plan *plan);
/* Judges the whole output. WVL_ERROR_PROFILE: every violation is a line of text; what does not fit is cut. */
wvl_status wvl_profile_walk(const wvl_plan *plan, const void *data, uint64_t bytes, char *text, size_t text_bytes);
