/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_T1_TABLES_H
#define WVL_T1_TABLES_H

#include <stdint.h>

#include "codec/core/t1_context.h"

/* Twice the zero coding context of a neighbourhood (core/t1_context.h), per orientation. */
extern const uint8_t wvl_t1_zero_codes[4][512];

/* 2 * context + flip of sign coding. */
extern const uint8_t wvl_t1_sign_codes[256];

#endif
