/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_CONFORMANCE_PROFILES_H
#define WVL_CONFORMANCE_PROFILES_H

#include "boxes.h"
#include "walk.h"

int wvl_check_knows_profile(const char *name);
/* Fills the summary's profiles, and reports what breaks the one that the options name. */
void wvl_check_judge_profiles(wvl_walk *w, const wvl_walk_boxes *b);

#endif
