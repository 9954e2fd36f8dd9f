/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the colour space of the samples given to the tables of the front. Everything here is addition, multiplication,
 * division and comparison of doubles in a fixed order, so that the tables are the same on every machine.
 */
#pragma once

#include "geom/settings.h"

void wvl_color_check(const wvl_settings *settings, const wvl_image_format *format, wvl_report *report);
/* Doubles that the tables of these checked settings take. */
uint64_t wvl_color_count_entries(const wvl_settings *settings, const wvl_image_format *format);
void wvl_color_build(const wvl_settings *settings, const wvl_image_format *format, double *linear, wvl_plan_xyz *xyz);
