/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan that frames of a sequence or pictures of a folder share: mostly they are alike in format. Settings are the
 * same for all of a run, so only what differs is compared: context, format, colour, limit of bytes. Only codestreams
 * without a conversion to X'Y'Z' share a plan: nothing else of a picture goes into theirs.
 */
#ifndef WVL_TOOLS_PLANS_H
#define WVL_TOOLS_PLANS_H

#include "cli.h"

typedef struct wvl_cli_plans {
    wvl_plan *plan; /* of the first picture; NULL: none yet */
    const wvl_context *context;
    wvl_image_format format;
    wvl_component_format *components; /* owned */
    wvl_io_color color;
    uint64_t limit_bytes;
} wvl_cli_plans;

/* Whether codestreams of a run with these settings may share one. */
int wvl_cli_may_share_plans(const wvl_cli_args *args, const wvl_params *params);
/* The plan for such a picture, which stays that of `plans`; NULL: none. One thread at a time. */
wvl_plan *wvl_cli_find_plan(const wvl_cli_plans *plans, const wvl_context *context, const wvl_cli_picture *picture,
                            uint64_t limit_bytes);
/* 1: plans keep this one from now on. 0: they have another, or memory is short. One thread at a time. */
int wvl_cli_keep_plan(wvl_cli_plans *plans, const wvl_context *context, const wvl_cli_picture *picture,
                      uint64_t limit_bytes, wvl_plan *plan);
void wvl_cli_release_plans(wvl_cli_plans *plans);

#endif
