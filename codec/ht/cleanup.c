/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples to quads in plain C. */
#include <string.h>

#include "codec/ht/describe.h"
#include "codec/ht/refine.h"

/* Bits of 2 mu - 1, 0 for mu = 0. */
static inline unsigned exponent_of(uint32_t mu) { return mu ? 32u - (unsigned)__builtin_clz(2 * mu - 1) : 0; }

/* Magnitude and sign of sample x of a line. */
static inline uint32_t fetch(unsigned coef_bytes, const void *line, uint32_t x, unsigned *negative)
{
    uint32_t v = coef_bytes == 2 ? (uint32_t)((const uint16_t *)line)[x] << 16 : ((const uint32_t *)line)[x];
    *negative = v >> 31;
    return coef_bytes == 2 ? v >> 16 & 0x7FFF : v & 0x7FFFFFFF;
}

static void gather(unsigned coef_bytes, const void *above, const void *below, uint32_t width, unsigned shift,
                   wvl_ht_row *row)
{
    const void *lines[2] = {above, below};
    clear_row(row, width);
    for (unsigned k = 0; k < (below ? 2u : 1u); k++) {
        for (uint32_t x = 0; x < width; x++) {
            unsigned negative;
            uint32_t mu = fetch(coef_bytes, lines[k], x, &negative) >> shift, n = (x & 1) * 2 + k;
            row->v[2 * (x & ~1u) + n] = 2 * (mu - 1) + negative;
            row->e[x / 2 + 1] |= exponent_of(mu) << 8 * n;
        }
    }
}

#include "codec/ht/cleanup_code.h"

const wvl_ht_kernels wvl_ht_kernels_c = {encode_cleanup, wvl_ht_encode_refinement_c, wvl_ht_sum_plane_c,
                                         wvl_ht_sum_squares_c};
