/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "geom/settings.h"

/* Warnings of what is legal and yet not what a caller expects: options without effect, regions that take all bytes or
 * that decoders refuse. */
void wvl_plan_log_warnings(const wvl_plan *plan, const wvl_settings *settings);
/* One line of what was decided for a picture. rounds: how often its pixels were transformed. is_surveyed: slopes were
 * found before coding. */
void wvl_plan_log_work(const wvl_plan *plan, const char *backend_name, unsigned rounds, int is_surveyed);
