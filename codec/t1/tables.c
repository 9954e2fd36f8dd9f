/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/t1/tables.h"

#define ROWS_512(F) WVL_ROWS_256(F, 0), WVL_ROWS_256(F, 256)
#define ZERO_LH(n) 2 * WVL_ZC_LH(n)
#define ZERO_HL(n) 2 * WVL_ZC_HL(n)
#define ZERO_HH(n) 2 * WVL_ZC_HH(n)
/* Reading by columns transposes a neighbourhood. */
#define SIGN_BY_COLUMN(i) (2 * WVL_SC_CTX(WVL_SC_V(i), WVL_SC_H(i)) + WVL_SC_FLIP(WVL_SC_V(i), WVL_SC_H(i)))

const uint8_t wvl_t1_zero_codes[4][512] = {
    {ROWS_512(ZERO_LH)}, {ROWS_512(ZERO_HL)}, {ROWS_512(ZERO_LH)}, {ROWS_512(ZERO_HH)}};
const uint8_t wvl_t1_sign_codes_by_column[256] = {WVL_ROWS_256(SIGN_BY_COLUMN, 0)};
