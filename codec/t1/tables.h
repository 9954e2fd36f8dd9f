/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

#include "codec/core/t1_context.h"

/* Twice the zero coding context of a neighbourhood (core/t1_context.h), per orientation. */
extern const uint8_t wvl_t1_zero_codes[4][512];

/* 2 * context + flip of sign coding, for neighbourhoods read column by column: 0 NW, 1 W, 2 SW, 3 N, ... For zero
 * coding that is wvl_t1_zero_codes with HL and LH exchanged. */
extern const uint8_t wvl_t1_sign_codes_by_column[256];
static inline const uint8_t *wvl_t1_zero_codes_by_column(unsigned orient)
{
    static const uint8_t turned[4] = {1, 0, 1, 3};
    return wvl_t1_zero_codes[turned[orient]];
}
