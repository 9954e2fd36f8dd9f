/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Weighted distortion and the convex hull of a code block (J.14). All integer: gains in units of 2^gain_exponent squared sample units,
 * slopes in 1/256 octaves of gain per byte, so that every machine takes the same decisions.
 */
#ifndef WVL_CODEC_RATE_HULL_H
#define WVL_CODEC_RATE_HULL_H

#include "geom/handover.h"

#define WVL_SLOPE_ZERO 32768u  /* slope of one squared sample unit per byte */

/* gain_quarters of a pass at bit position P, weighted. Saturates at +-2^62. */
int64_t wvl_rate_weigh_pass(const wvl_band_coding *band, int32_t gain_exponent, int64_t gain_quarters, unsigned P);
/* Energy of a block: what its squared error is when nothing of it is sent. */
int64_t wvl_rate_weigh_energy(const wvl_band_coding *band, int32_t gain_exponent, uint64_t energy, unsigned energy_shift);
/* floor(256 * log2(gain * 2^gain_exponent / bytes)) + WVL_SLOPE_ZERO held to 1..65535; gain > 0. bytes 0 gives 65535. */
unsigned wvl_rate_slope(int64_t gain, uint32_t bytes, int32_t gain_exponent);

/*
 * slopes[i] = slope of the hull segment that ends at pass i, 0 for passes that are not on the hull; strictly decreasing by exact gain per
 * byte along the hull. cumulative[i] = weighted gain of passes 0..i.
 */
void wvl_rate_build_hull(const wvl_band_coding *band, int32_t gain_exponent, const wvl_pass *passes, unsigned pass_count, unsigned planes,
                         uint16_t *slopes, int64_t *cumulative);

#endif
