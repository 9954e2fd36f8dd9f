/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Weighted distortion and the convex hull of a code block (J.14). All integer: gains in units of 2^gain_exponent
 * squared sample units, slopes in 1/256 octaves of gain per byte, so that every machine takes the same decisions.
 * Shared by host and device: whatever codes blocks finds their hulls here.
 */
#pragma once

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

/* A hull as it grows, without what stands in wvl_hull_memory. A point of it is a pass, counted from 1; point 0 is the
 * empty block. */
typedef struct wvl_hull_line {
    const wvl_band_coding *band; /* frac_bits, weight_mantissa, weight_exponent */
    int32_t gain_exponent;
    unsigned planes, pass_count;
    int64_t energy; /* weighted */
    int64_t gain;   /* cumulative, of all passes so far */
    uint32_t samples;
    uint32_t limit;   /* 65536: nothing is settled */
    uint32_t top;     /* last point */
    uint32_t settled; /* points up to this one stay */
    int64_t top_gain; /* cumulative, of the last point */
    uint32_t top_bytes;
    unsigned lift;                 /* planes from here on stand for planes from 0 on; 0: none do */
    unsigned region_passes, boost; /* number of passes of a region; what is added to their slopes */
    uint64_t low_points,
        high_points; /* bit i, or i - 64: pass i is a point. No array: a device holds them in registers */
} wvl_hull_line;

/* What is known of each pass: the caller's, wherever it lies. */
typedef struct wvl_hull_memory {
    int64_t *gains;   /* cumulative weighted gain of passes 0..i */
    uint16_t *slopes; /* of points, as the hull knows them so far; wvl_hull_level_slopes() makes them final */
    const uint32_t *final_bytes;
    uint32_t step; /* from one of final_bytes to the next, in bytes */
} wvl_hull_memory;

/* A hull with its memory. */
typedef struct wvl_hull {
    wvl_hull_line line;
    int64_t gains[WVL_HULL_MAX_PASSES];
    uint16_t slopes[WVL_HULL_MAX_PASSES];
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

/* ---- Points ---------------------------------------------------------------------------------- */

/* The lowest n bits, n below 64. */
WVL_HD uint64_t wvl_hull_low_bits(unsigned n) { return ((uint64_t)1 << n) - 1; }

/* The last point before a point. */
WVL_HD uint32_t wvl_hull_before(const wvl_hull_line *hull, uint32_t point)
{
    unsigned end = point - 1;
    uint64_t high = end > 64 ? hull->high_points & wvl_hull_low_bits(end - 64) : 0,
             low = end >= 64 ? hull->low_points : hull->low_points & wvl_hull_low_bits(end);
    return high ? 64 + wvl_bit_length(high) : wvl_bit_length(low);
}

/* The first point after a point; 0: there is none. */
WVL_HD uint32_t wvl_hull_after(const wvl_hull_line *hull, uint32_t point)
{
    uint64_t low = point >= 64 ? 0 : hull->low_points & ~wvl_hull_low_bits(point),
             high = point > 64 ? hull->high_points & ~wvl_hull_low_bits(point - 64) : hull->high_points;
    if (low) {
        return wvl_bit_length(low & (~low + 1));
    }
    return high ? 64 + wvl_bit_length(high & (~high + 1)) : 0;
}

WVL_HD int wvl_hull_has_point(const wvl_hull_line *hull, unsigned pass)
{
    return (int)((pass < 64 ? hull->low_points : hull->high_points) >> (pass & 63) & 1);
}

/* Pass i becomes a point, or is none any more. */
WVL_HD void wvl_hull_turn_point(wvl_hull_line *hull, unsigned pass)
{
    uint64_t bit = (uint64_t)1 << (pass & 63);
    hull->low_points ^= pass < 64 ? bit : 0;
    hull->high_points ^= pass < 64 ? 0 : bit;
}

WVL_HD int64_t wvl_hull_gain_at(const wvl_hull_memory *memory, uint32_t point)
{
    return point ? memory->gains[point - 1] : 0;
}

WVL_HD uint32_t wvl_hull_bytes_at(const wvl_hull_memory *memory, uint32_t point)
{
    const uint8_t *first = (const uint8_t *)memory->final_bytes;
    return point ? *(const uint32_t *)(const void *)(first + (size_t)(point - 1) * memory->step) : 0;
}

/* The last point is none any more. */
WVL_HD void wvl_hull_drop_point(wvl_hull_line *hull, const wvl_hull_memory *memory)
{
    wvl_hull_turn_point(hull, hull->top - 1);
    hull->top = wvl_hull_before(hull, hull->top);
    hull->top_gain = wvl_hull_gain_at(memory, hull->top);
    hull->top_bytes = wvl_hull_bytes_at(memory, hull->top);
}

/* ---- A line ---------------------------------------------------------------------------------- */

/* energy: wvl_rate_weigh_energy() of the block; samples: in the block. */
WVL_HD void wvl_hull_open(wvl_hull_line *hull, const wvl_band_coding *band, int32_t gain_exponent, unsigned planes,
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
    hull->gain = hull->top_gain = 0;
    hull->top_bytes = 0;
    hull->low_points = hull->high_points = 0;
    hull->lift = hull->region_passes = hull->boost = 0;
}

/* Two values at the limit make 2^63. */
WVL_HD int64_t wvl_hull_add_gain(const wvl_hull_line *hull, int64_t gain_quarters)
{
    unsigned plane = hull->planes - 1 - (hull->pass_count + 2) / 3,
             P = (plane >= hull->lift ? plane - hull->lift : plane) + hull->band->frac_bits;
    wvl_wide sum = (wvl_wide)hull->gain + wvl_rate_weigh_pass(hull->band, hull->gain_exponent, gain_quarters, P);
    return wvl_hull_hold(sum);
}

/* Says whether the last point lies on or below the line from the one before it to (gain, bytes). */
WVL_HD int wvl_hull_is_bent(const wvl_hull_line *hull, const wvl_hull_memory *memory, int64_t gain, uint32_t bytes)
{
    uint32_t before = wvl_hull_before(hull, hull->top);
    return wvl_hull_is_not_steeper(hull->top_gain - wvl_hull_gain_at(memory, before),
                                   hull->top_bytes - wvl_hull_bytes_at(memory, before), gain - hull->top_gain,
                                   bytes - hull->top_bytes);
}

WVL_HD void wvl_hull_put_point(wvl_hull_line *hull, const wvl_hull_memory *memory, int64_t gain, uint32_t bytes)
{
    unsigned pass = hull->pass_count;
    while (hull->top > hull->settled && gain >= hull->top_gain && bytes <= hull->top_bytes) {
        wvl_hull_drop_point(hull, memory); /* better for no more bytes */
    }
    if (gain <= hull->top_gain) {
        return;
    }
    while (hull->top > hull->settled && wvl_hull_is_bent(hull, memory, gain, bytes)) {
        wvl_hull_drop_point(hull, memory);
    }
    unsigned slope = wvl_rate_slope(gain - hull->top_gain, bytes - hull->top_bytes, hull->gain_exponent);
    memory->slopes[pass] = (uint16_t)(slope < hull->limit ? slope : hull->limit - 1);
    wvl_hull_turn_point(hull, pass);
    hull->top = pass + 1;
    hull->top_gain = gain;
    hull->top_bytes = bytes;
}

/* Returns the slope of what is gained from `before` to `gain`: both may be at the limit, on two sides. */
WVL_HD uint32_t wvl_hull_slope_of(const wvl_hull_line *hull, int64_t gain, int64_t before, uint32_t bytes)
{
    wvl_wide more = (wvl_wide)gain - before;
    int64_t held = more > INT64_MAX ? INT64_MAX : (int64_t)more;
    return held > 0 ? wvl_rate_slope(held, bytes, hull->gain_exponent) : 0;
}

/* Points at or above the limit stay. */
WVL_HD void wvl_hull_settle(wvl_hull_line *hull, const wvl_hull_memory *memory)
{
    while (hull->settled < hull->top) {
        uint32_t next = wvl_hull_after(hull, hull->settled);
        if (memory->slopes[next - 1] < hull->limit) {
            break;
        }
        hull->settled = next;
    }
}

/* Stays at 1 or above, so that a threshold of 0 takes everything. */
WVL_HD void wvl_hull_lower_limit(wvl_hull_line *hull, const wvl_hull_memory *memory)
{
    uint32_t now = hull->pass_count, first = now - WVL_HULL_WINDOW;
    if (now < WVL_HULL_WINDOW) {
        return;
    }
    uint32_t before = wvl_hull_bytes_at(memory, first), bytes = wvl_hull_bytes_at(memory, now);
    bytes = bytes > before ? bytes - before : 0; /* sets of HT passes may shrink */
    uint32_t recent = wvl_hull_slope_of(hull, hull->gain, wvl_hull_gain_at(memory, first), bytes),
             left = wvl_hull_slope_of(hull, hull->energy, hull->gain, hull->samples);
    uint32_t most = wvl_max_u32(recent > WVL_HULL_DROP ? recent - WVL_HULL_DROP : 1, left ? left + WVL_HULL_SPARSE : 1);
    hull->limit = wvl_min_u32(hull->limit, most);
    wvl_hull_settle(hull, memory);
}

/* The next pass of the block; its length is there. is_extra: wvl_hull_is_idle() where it adds nothing. */
WVL_HD void wvl_hull_extend(wvl_hull_line *hull, const wvl_hull_memory *memory, int64_t gain_quarters, int is_extra)
{
    unsigned pass = hull->pass_count;
    if (pass == hull->region_passes) { /* the background begins anew */
        hull->limit = 65536;
        hull->settled = hull->top;
    }
    int64_t before = hull->gain;
    memory->gains[pass] = hull->gain = wvl_hull_add_gain(hull, gain_quarters);
    if (!is_extra || hull->gain != before) {
        wvl_hull_put_point(hull, memory, hull->gain, wvl_hull_bytes_at(memory, pass + 1));
    }
    hull->pass_count++;
    wvl_hull_lower_limit(hull, memory);
}

/* slopes[i] = slope of the hull segment that ends at pass i, never rising along the hull, 0 for passes that are not on
 * it. known: of the memory; slopes may be the same array. */
WVL_HD void wvl_hull_level_slopes(const wvl_hull_line *hull, const uint16_t *known, uint16_t *slopes)
{
    uint32_t least = 0;
    for (unsigned i = hull->pass_count; i-- > 0;) {
        int is_point = wvl_hull_has_point(hull, i);
        if (is_point) {
            least = wvl_max_u32(least, known[i] + (i < hull->region_passes ? hull->boost : 0));
        }
        slopes[i] = (uint16_t)(is_point ? wvl_min_u32(least, 65535) : 0);
    }
}

/* ---- With its memory ------------------------------------------------------------------------- */

/* energy: wvl_rate_weigh_energy() of the block; samples: in the block. */
WVL_HD void wvl_hull_init(wvl_hull *hull, const wvl_band_coding *band, int32_t gain_exponent, unsigned planes,
                          int64_t energy, uint32_t samples)
{
    wvl_hull_open(&hull->line, band, gain_exponent, planes, energy, samples);
}

/* After init: the block lies in a region of interest of shift s, or with `part` samples of one and others are coded
 * together (codec/blocks/roi.h). Gains stay what they are; slopes of the region's passes are raised by 64 octaves,
 * above all others, and are never below those of passes that follow. */
WVL_HD void wvl_hull_set_region(wvl_hull_line *line, unsigned s, int part)
{
    line->lift = part ? s : 0;
    line->region_passes = part ? 3 * (line->planes - s) - 2 : WVL_HULL_MAX_PASSES;
    line->boost = WVL_HULL_REGION_BOOST;
}

/* The next pass of the block; passes: all up to it. */
WVL_HD void wvl_hull_put_pass(wvl_hull *hull, const wvl_pass *passes)
{
    unsigned i = hull->line.pass_count;
    wvl_hull_memory memory;
    memory.gains = hull->gains;
    memory.slopes = hull->slopes;
    memory.final_bytes = &passes->final_bytes;
    memory.step = sizeof *passes;
    wvl_hull_extend(&hull->line, &memory, passes[i].gain_quarters, (passes[i].flags & WVL_PASS_SET) && i % 3);
}

/* Says whether a later pass may matter to thresholds from `threshold` on: 0 means that the block is decided for them,
 * with is_layered every byte included that a layer boundary may take. threshold 0: always. */
WVL_HD int wvl_hull_is_open(const wvl_hull *hull, const wvl_pass *passes, uint32_t threshold, int is_layered)
{
    const wvl_hull_line *line = &hull->line;
    if (line->limit > threshold || !is_layered) {
        return line->limit > threshold;
    }
    /* A layer boundary after the last cut at this threshold may take bytes beyond that pass: they must have left the
     * coder. */
    uint32_t cut = 0;
    while (cut < line->settled) {
        uint32_t next = wvl_hull_after(line, cut);
        if (hull->slopes[next - 1] < threshold) {
            break;
        }
        cut = next;
    }
    const wvl_pass *now = &passes[line->pass_count - 1];
    return cut && (cut == line->pass_count || passes[cut - 1].safe_bytes > now->final_bytes - now->tail_count);
}

/* Gives the passes so far: slopes as wvl_hull_level_slopes() gives them, and cumulative weighted gains. */
WVL_HD void wvl_hull_fetch(const wvl_hull *hull, uint16_t *slopes, int64_t *gains)
{
    wvl_hull_level_slopes(&hull->line, hull->slopes, slopes);
    for (unsigned i = 0; i < hull->line.pass_count; i++) {
        gains[i] = hull->gains[i];
    }
}
