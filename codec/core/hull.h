/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Weighted distortion and the convex hull of a code block (J.14). All integer: gains in units of 2^gain_exponent
 * squared sample units, slopes in 1/256 octaves of gain per byte, so that every machine takes the same decisions.
 * Shared by host and device: whatever codes blocks finds their hulls here.
 */
#ifndef WVL_CORE_HULL_H
#define WVL_CORE_HULL_H

#include "base/hd.h"
#include "base/intmath.h"
#include "geom/handover_pass.h"
#include "geom/plan.h"

#define WVL_SLOPE_ZERO 32768u /* slope of one squared sample unit per byte */

/*
 * The hull of a block, pass by pass. What it says of a slope s depends only on the passes up to the one where s is
 * reached for good:
 *
 * From the third pass on the limit falls to the greater of two slopes: that of the last three passes together less
 * WVL_HULL_DROP, and that of a Gaussian source with the distortion that is left, times WVL_HULL_SPARSE, since what is
 * left may sit in few samples. Passes to come are candidates only for thresholds below the limit: points of the hull at
 * or above it stay, whatever follows, and what follows counts as less steep than the limit. So a coder that needs
 * nothing below a threshold may stop where the limit has fallen to it, and its decisions are those of a coder that goes
 * on. D-rate-05 has the reasons and what was tried.
 */
#define WVL_HULL_WINDOW 3u
#define WVL_HULL_DROP 64u
#define WVL_HULL_SPARSE (888u + 128u) /* 256 log2(16 ln 2): bits to bytes and D = 2^-2R; and half an octave */
#define WVL_HULL_MAX_PASSES 112u      /* 3 * 38 - 2 */

typedef struct wvl_hull_point {
    int64_t gain;   /* cumulative */
    uint32_t bytes; /* cumulative */
    uint16_t pass, slope;
} wvl_hull_point;

typedef struct wvl_hull {
    const wvl_band_coding *band;
    int32_t gain_exponent;
    unsigned planes, pass_count;
    int64_t energy; /* weighted */
    uint32_t samples;
    uint32_t limit;                /* 65536: nothing is settled */
    uint32_t top;                  /* point[0] is the empty block */
    uint32_t settled;              /* points that stay */
    unsigned lift;                 /* planes from here on stand for planes from 0 on; 0: none do */
    unsigned region_passes, boost; /* number of passes of a region; what is added to their slopes */
    wvl_hull_point point[WVL_HULL_MAX_PASSES + 1];
    int64_t gains[WVL_HULL_MAX_PASSES]; /* cumulative weighted gain of passes 0..i */
} wvl_hull;

#define WVL_HULL_REGION_BOOST 16384u

#define WVL_HULL_GAIN_LIMIT ((int64_t)1 << 62)

WVL_HD int64_t wvl_hull_hold(wvl_wide value)
{
    if (value > WVL_HULL_GAIN_LIMIT) {
        return WVL_HULL_GAIN_LIMIT;
    }
    return value < -WVL_HULL_GAIN_LIMIT ? -WVL_HULL_GAIN_LIMIT : (int64_t)value;
}

/* value * 2^shift, held to the limit. */
WVL_HD int64_t wvl_hull_scale(wvl_wide value, int shift)
{
    if (shift > 0) {
        int fits = shift <= 60 && value <= ((wvl_wide)WVL_HULL_GAIN_LIMIT >> shift) &&
                   -value <= ((wvl_wide)WVL_HULL_GAIN_LIMIT >> shift);
        wvl_wide limit = value < 0 ? -WVL_HULL_GAIN_LIMIT : WVL_HULL_GAIN_LIMIT;
        return fits || !value ? (int64_t)(value * ((wvl_wide)1 << (fits ? shift : 0))) : (int64_t)limit;
    }
    return wvl_hull_hold(shift < -126 ? 0 : value >> -shift);
}

/* gain_quarters of a pass at bit position P, weighted. Saturates at +-2^62. */
WVL_HD int64_t wvl_rate_weigh_pass(const wvl_band_coding *band, int32_t gain_exponent, int64_t gain_quarters,
                                   unsigned P)
{
    return wvl_hull_scale((wvl_wide)gain_quarters * band->weight_mantissa,
                          (int)P - 2 + band->weight_exponent - gain_exponent);
}

/* Energy of a block: what its squared error is when nothing of it is sent. */
WVL_HD int64_t wvl_rate_weigh_energy(const wvl_band_coding *band, int32_t gain_exponent, uint64_t energy,
                                     unsigned energy_shift)
{
    return wvl_hull_scale((wvl_wide)energy * band->weight_mantissa,
                          2 * (int)energy_shift + band->weight_exponent - gain_exponent);
}

/* floor(256 * log2(v)) for v > 0. The mantissa is squared bit by bit; 32 bits of it keep 8 fractional bits exact enough
 * to be the same everywhere, which is all that counts. */
WVL_HD int wvl_rate_log2(uint64_t v)
{
    unsigned top = wvl_bit_length(v) - 1;
    uint64_t m = top > 31 ? v >> (top - 31) : v << (31 - top);
    int result = (int)top;
    for (int i = 0; i < 8; i++) {
        m = m * m >> 31;
        int bit = (int)(m >> 32);
        m >>= bit;
        result = 2 * result + bit;
    }
    return result;
}

/* floor(256 * log2(gain * 2^gain_exponent / bytes)) + WVL_SLOPE_ZERO held to 1..65535; gain > 0. bytes 0 gives 65535.
 */
WVL_HD unsigned wvl_rate_slope(int64_t gain, uint32_t bytes, int32_t gain_exponent)
{
    if (!bytes) {
        return 65535;
    }
    unsigned lift = 63 - wvl_bit_length((uint64_t)gain);
    uint64_t ratio = ((uint64_t)gain << lift) / bytes;
    int slope = wvl_rate_log2(ratio ? ratio : 1) + 256 * (gain_exponent - (int)lift) + (int)WVL_SLOPE_ZERO;
    unsigned held = slope < 1 ? 1 : (unsigned)slope;
    return held > 65535 ? 65535 : held;
}

/* a/ra < b/rb or equal, exactly. */
WVL_HD int wvl_hull_is_not_steeper(int64_t a, uint32_t ra, int64_t b, uint32_t rb)
{
    return (wvl_wide)a * rb <= (wvl_wide)b * ra;
}

/* HT: refinement that adds nothing. No block ends with it, since a refinement segment must not be empty. gains:
 * cumulative. */
WVL_HD int wvl_hull_is_idle(const wvl_pass *passes, const int64_t *gains, uint32_t i)
{
    return (passes[i].flags & WVL_PASS_SET) && i % 3 && gains[i] == gains[i - 1];
}

WVL_HD void wvl_hull_set_point(wvl_hull_point *point, int64_t gain, uint32_t bytes, uint32_t pass, uint32_t slope)
{
    point->gain = gain;
    point->bytes = bytes;
    point->pass = (uint16_t)pass;
    point->slope = (uint16_t)slope;
}

/* energy: wvl_rate_weigh_energy() of the block; samples: in the block. */
WVL_HD void wvl_hull_init(wvl_hull *hull, const wvl_band_coding *band, int32_t gain_exponent, unsigned planes,
                          int64_t energy, uint32_t samples)
{
    hull->band = band;
    hull->gain_exponent = gain_exponent;
    hull->planes = planes;
    hull->pass_count = 0;
    hull->limit = 65536;
    hull->top = hull->settled = 0;
    hull->energy = energy;
    hull->samples = samples;
    wvl_hull_set_point(&hull->point[0], 0, 0, 0, 0);
    hull->lift = hull->region_passes = hull->boost = 0;
}

/* After init: the block lies in a region of interest of shift s, or with `part` samples of one and others are coded
 * together (codec/roi.h). Gains stay what they are; slopes of the region's passes are raised by 64 octaves, above all
 * others, and are never below those of passes that follow. */
WVL_HD void wvl_hull_set_region(wvl_hull *hull, unsigned s, int part)
{
    hull->lift = part ? s : 0;
    hull->region_passes = part ? 3 * (hull->planes - s) - 2 : WVL_HULL_MAX_PASSES;
    hull->boost = WVL_HULL_REGION_BOOST;
}

/* Two values at the limit make 2^63. */
WVL_HD int64_t wvl_hull_add_gain(const wvl_hull *hull, int64_t gain, int64_t gain_quarters)
{
    unsigned plane = hull->planes - 1 - (hull->pass_count + 2) / 3,
             P = (plane >= hull->lift ? plane - hull->lift : plane) + hull->band->frac_bits;
    wvl_wide sum = (wvl_wide)gain + wvl_rate_weigh_pass(hull->band, hull->gain_exponent, gain_quarters, P);
    return wvl_hull_hold(sum);
}

WVL_HD void wvl_hull_put_point(wvl_hull *hull, int64_t gain, uint32_t bytes)
{
    wvl_hull_point *p = hull->point;
    uint32_t top = hull->top;
    while (top > hull->settled && gain >= p[top].gain && bytes <= p[top].bytes) {
        top--; /* better for no more bytes */
    }
    if (gain <= p[top].gain) {
        hull->top = top;
        return;
    }
    while (top > hull->settled &&
           wvl_hull_is_not_steeper(p[top].gain - p[top - 1].gain, p[top].bytes - p[top - 1].bytes, gain - p[top].gain,
                                   bytes - p[top].bytes)) {
        top--;
    }
    unsigned slope = wvl_rate_slope(gain - p[top].gain, bytes - p[top].bytes, hull->gain_exponent);
    wvl_hull_set_point(&p[top + 1], gain, bytes, hull->pass_count, slope < hull->limit ? slope : hull->limit - 1);
    hull->top = top + 1;
}

WVL_HD uint32_t wvl_hull_slope_of(const wvl_hull *hull, int64_t gain, uint32_t bytes)
{
    return gain > 0 ? wvl_rate_slope(gain, bytes, hull->gain_exponent) : 0;
}

/* Stays at 1 or above, so that a threshold of 0 takes everything. */
WVL_HD void wvl_hull_lower_limit(wvl_hull *hull, const wvl_pass *passes)
{
    unsigned i = hull->pass_count - 1;
    if (i + 1 < WVL_HULL_WINDOW) {
        return;
    }
    int64_t gain = hull->gains[i] - (i >= WVL_HULL_WINDOW ? hull->gains[i - WVL_HULL_WINDOW] : 0);
    uint32_t before = i >= WVL_HULL_WINDOW ? passes[i - WVL_HULL_WINDOW].final_bytes : 0, bytes = passes[i].final_bytes;
    bytes = bytes > before ? bytes - before : 0; /* sets of HT passes may shrink */
    uint32_t recent = wvl_hull_slope_of(hull, gain, bytes),
             left = wvl_hull_slope_of(hull, hull->energy - hull->gains[i], hull->samples);
    uint32_t most = wvl_max_u32(recent > WVL_HULL_DROP ? recent - WVL_HULL_DROP : 1, left ? left + WVL_HULL_SPARSE : 1);
    hull->limit = wvl_min_u32(hull->limit, most);
    while (hull->settled < hull->top && hull->point[hull->settled + 1].slope >= hull->limit) {
        hull->settled++;
    }
}

/* The next pass of the block; passes: all up to it. */
WVL_HD void wvl_hull_put_pass(wvl_hull *hull, const wvl_pass *passes)
{
    unsigned i = hull->pass_count;
    if (i == hull->region_passes) { /* the background begins anew */
        hull->limit = 65536;
        hull->settled = hull->top;
    }
    int64_t gain = wvl_hull_add_gain(hull, i ? hull->gains[i - 1] : 0, passes[i].gain_quarters);
    hull->gains[i] = gain;
    if (!wvl_hull_is_idle(passes, hull->gains, i)) {
        wvl_hull_put_point(hull, gain, passes[i].final_bytes);
    }
    hull->pass_count++;
    wvl_hull_lower_limit(hull, passes);
}

/* Whether a later pass may matter to thresholds from `threshold` on: 0 means that the block is decided for them, with
 * is_layered every byte included that a layer boundary may take. threshold 0: always. */
WVL_HD int wvl_hull_is_open(const wvl_hull *hull, const wvl_pass *passes, uint32_t threshold, int is_layered)
{
    if (hull->limit > threshold || !is_layered) {
        return hull->limit > threshold;
    }
    /* A layer boundary after the last cut at this threshold may take bytes beyond that pass: they must have left the
     * coder. */
    uint32_t cut = 0;
    for (uint32_t i = 1; i <= hull->settled && hull->point[i].slope >= threshold; i++) {
        cut = hull->point[i].pass + 1u;
    }
    const wvl_pass *now = &passes[hull->pass_count - 1];
    return cut && (cut == hull->pass_count || passes[cut - 1].safe_bytes > now->final_bytes - now->tail_count);
}

/* slopes[i] = slope of the hull segment that ends at pass i, never rising along the hull, 0 for passes that are not on
 * it. */
WVL_HD void wvl_hull_fetch(const wvl_hull *hull, uint16_t *slopes, int64_t *gains)
{
    for (unsigned i = 0; i < hull->pass_count; i++) {
        slopes[i] = 0;
        gains[i] = hull->gains[i];
    }
    uint32_t least = 0;
    for (uint32_t i = hull->top; i; i--) {
        const wvl_hull_point *p = &hull->point[i];
        least = wvl_max_u32(least, p->slope + (p->pass < hull->region_passes ? hull->boost : 0));
        slopes[p->pass] = (uint16_t)wvl_min_u32(least, 65535);
    }
}

#endif
