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
/* floor(256 * log2(v)) for v > 0. */
int wvl_rate_log2(uint64_t v);
/* floor(256 * log2(gain * 2^gain_exponent / bytes)) + WVL_SLOPE_ZERO held to 1..65535; gain > 0. bytes 0 gives 65535. */
unsigned wvl_rate_slope(int64_t gain, uint32_t bytes, int32_t gain_exponent);

/*
 * The hull of a block, pass by pass. What it says of a slope s depends only on the passes up to the one where s is reached for good:
 *
 * From the third pass on the limit falls to the greater of two slopes: that of the last three passes together less WVL_HULL_DROP, and that
 * of a Gaussian source with the distortion that is left, times WVL_HULL_SPARSE, since what is left may sit in few samples. Passes to come
 * are candidates only for thresholds below the limit: points of the hull at or above it stay, whatever follows, and what follows counts
 * as less steep than the limit. So a coder that needs nothing below a threshold may stop where the limit has fallen to it, and its
 * decisions are those of a coder that goes on. D-rate-05 has the reasons and what was tried.
 */
#define WVL_HULL_WINDOW 3u
#define WVL_HULL_DROP 64u
#define WVL_HULL_SPARSE (888u + 128u) /* 256 log2(16 ln 2): bits to bytes and D = 2^-2R; and half an octave */
#define WVL_HULL_MAX_PASSES 112u /* 3 * 38 - 2 */

typedef struct wvl_hull_point {
    int64_t gain;      /* cumulative */
    uint32_t bytes;    /* cumulative */
    uint16_t pass, slope;
} wvl_hull_point;

typedef struct wvl_hull {
    const wvl_band_coding *band;
    int32_t gain_exponent;
    unsigned planes, pass_count;
    int64_t energy;    /* weighted */
    uint32_t samples;
    uint32_t limit;    /* 65536: nothing is settled */
    uint32_t top;      /* point[0] is the empty block */
    uint32_t settled;  /* points that stay */
    unsigned lift;     /* planes from here on stand for planes from 0 on; 0: none do */
    unsigned region_passes, boost; /* so many passes are a region's; added to their slopes */
    wvl_hull_point point[WVL_HULL_MAX_PASSES + 1];
    int64_t gains[WVL_HULL_MAX_PASSES]; /* cumulative weighted gain of passes 0..i */
} wvl_hull;

/* After init: the block lies in a region of interest of shift s, or with `part` samples of one and others are coded together (codec/roi.h). Gains
 * stay what they are; slopes of the region's passes are raised by 64 octaves, above all others, and are never below those of passes that follow. */
#define WVL_HULL_REGION_BOOST 16384u
void wvl_hull_set_region(wvl_hull *hull, unsigned s, int part);
/* energy: wvl_rate_weigh_energy() of the block; samples: in the block. */
void wvl_hull_init(wvl_hull *hull, const wvl_band_coding *band, int32_t gain_exponent, unsigned planes, int64_t energy, uint32_t samples);
/* The next pass of the block; passes: all up to it. */
void wvl_hull_put_pass(wvl_hull *hull, const wvl_pass *passes);
/* HT: refinement that tells nothing. No block ends with it, since a refinement segment must not be empty. gains: cumulative. */
static inline int wvl_hull_is_idle(const wvl_pass *passes, const int64_t *gains, uint32_t i)
{
    return (passes[i].flags & WVL_PASS_SET) && i % 3 && gains[i] == gains[i - 1];
}
/* Whether a later pass may matter to thresholds from `threshold` on: 0 means that the block is decided for them, with is_layered every byte
 * included that a layer boundary may take. threshold 0: always. */
int wvl_hull_is_open(const wvl_hull *hull, const wvl_pass *passes, uint32_t threshold, int is_layered);
/* slopes[i] = slope of the hull segment that ends at pass i, never rising along the hull, 0 for passes that are not on it. */
void wvl_hull_fetch(const wvl_hull *hull, uint16_t *slopes, int64_t *gains);

#endif
