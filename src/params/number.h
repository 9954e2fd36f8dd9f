/* SPDX-License-Identifier: BSD-2-Clause */
/* Decimal numbers, the same in every locale and under every rounding mode of the caller. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "wavelane.h"

/* Both read the longest number at *text and move *text behind it; nothing before or behind it is skipped.
 * WVL_ERROR_PARAMETER: no number there, or one that does not fit. */
wvl_status wvl_number_scan_unsigned(const char **text, uint64_t *value);
/* [+-] digits [. digits] [e [+-] digits], correctly rounded; at most 63 characters. WVL_ERROR_MEMORY: no locale object.
 */
wvl_status wvl_number_scan_real(const char **text, double *value);

/* The shortest of 15 to 17 digits that reads back as the same value. */
#define WVL_NUMBER_CHARS 32u
wvl_status wvl_number_print_real(char text[WVL_NUMBER_CHARS], double value);
