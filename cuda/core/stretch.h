/* SPDX-License-Identifier: BSD-2-Clause */
/* How long the stretches of marching warps are, for either direction. Speed alone depends on it. */
#pragma once

#include "base/intmath.h"

/* Iterations of a warp, at least `least` if there are as many: of the ways to cut them, the one whose waves together
 * are shortest. wave: warps that the machine holds. run_in: what a stretch costs beyond its own iterations. A wave that
 * is not full is faster, but not in proportion. */
static inline uint32_t wvl_cuda_choose_stretch(uint64_t panels, uint64_t wave, uint64_t iterations, uint64_t run_in,
                                               uint64_t least)
{
    uint64_t most = wvl_max_u64(iterations / least, 1), best = UINT64_MAX, length = iterations;
    for (uint64_t rows = 1; rows <= most; rows++) {
        uint64_t each = wvl_ceil_div(iterations, rows), warps = panels * rows, rest = warps % wave;
        uint64_t cost = (each + run_in) * (warps / wave * 8 + (rest ? 3 + wvl_ceil_div(rest * 5, wave) : 0));
        if (cost < best) {
            best = cost;
            length = each;
        }
    }
    return (uint32_t)length;
}
