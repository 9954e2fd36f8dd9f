/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of quads in plain C: from exponents to what quads say of themselves and to the row below. */
#ifndef WVL_HT_DESCRIBE_H
#define WVL_HT_DESCRIBE_H

#include <string.h>

#include "codec/ht/ht_block.h"

static void clear_row(wvl_ht_row *row, uint32_t width) { memset(row->e, 0, ((width + 1) / 2 + 2) * sizeof *row->e); }

static inline unsigned greater(unsigned a, unsigned b) { return a > b ? a : b; }

static void describe(wvl_ht_row *row, uint32_t quads)
{
    for (uint32_t q = 0; q < quads; q++) {
        uint32_t e = row->e[q + 1], left = row->e[q] >> 24, right = row->e[q + 2] >> 8 & 0xFF, lower = e >> 8 & 0xFF,
                 last = e >> 24;
        unsigned below = greater(greater(left, lower), greater(last, right)), top = 0, rho = 0, equal = 0;
        for (unsigned n = 0; n < 4; n++) {
            top = greater(top, e >> 8 * n & 0xFF);
        }
        for (unsigned n = 0; n < 4; n++) {
            unsigned exponent = e >> 8 * n & 0xFF;
            rho |= (unsigned)(exponent != 0) << n;
            equal |= (unsigned)(exponent == top) << n;
        }
        unsigned context = (unsigned)((left | lower) != 0) | (unsigned)((last | right) != 0) << 2;
        row->info[q] = rho | context << 4 | (below > 2 ? below - 1 : 1) << 8 | top << 16 | equal << 24;
    }
}

#endif
