/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of devices that stay open behind a picture that was encoded alone, for the next one of their plan: tables,
 * memory and graphs are there. A context keeps a few, until their plan is released or memory of a device runs short. */
#pragma once

#include "device/pictures.h"

/* Pictures of the plan on a device for one at a time, kept or new, until wvl_kept_close(). As wvl_pictures_open(). */
wvl_status wvl_kept_open(wvl_pictures **pictures, const wvl_plan *plan, uint32_t ordinal, char *reason,
                         size_t reason_bytes);
/* keeps: nothing speaks against keeping them. NULL: there are none. */
void wvl_kept_close(wvl_pictures *pictures, int keeps);
/* Closes what is kept for a plan; NULL: for all. Returns whether there was anything. */
int wvl_kept_drop(wvl_context *context, const wvl_plan *plan);
