/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plans of single frames: the plan of an encoder with other values of targets and caps. All else is shared with it,
 * so that memory that was taken for one serves the other.
 */
#pragma once

#include "geom/plan.h"

/* What parameters of frames are compared with. Used by one thread at a time. */
typedef struct wvl_frame_rule {
    const wvl_plan *usual;
    wvl_params *params; /* a copy: an option is read as text into memory of the params; NULL: no frame came yet */
    wvl_image_format format;
    wvl_component_format *components; /* of the format */
} wvl_frame_rule;

/* Zero-initialise with `usual`. */
void wvl_frame_rule_close(wvl_frame_rule *rule);

/* A copy of the usual plan with values of its own, which must not outlive it. NULL: no memory. */
wvl_plan *wvl_frame_plan_create(const wvl_plan *usual);
void wvl_frame_plan_release(wvl_plan *plan);
/* The values of the usual plan. */
void wvl_frame_plan_reset(wvl_plan *plan, const wvl_plan *usual);
/* The values of these params. The plan is then what wvl_plan_create would make of them, or the call fails with the
 * reason: _PARAMETER where another plan is needed or a value breaks a rule, _UNREACHABLE, _MEMORY. */
wvl_status wvl_frame_plan_set(wvl_frame_rule *rule, const wvl_params *given, wvl_plan *plan, char *error,
                              size_t error_bytes);
