/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/rate/hull.h"

#define GAIN_LIMIT ((int64_t)1 << 62)

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

static int64_t scale(wide value, int shift)
{
    if (shift > 0) {
        if (shift > 60 || value > ((wide)GAIN_LIMIT >> shift) || -value > ((wide)GAIN_LIMIT >> shift)) {
            return value < 0 ? -GAIN_LIMIT : value > 0 ? GAIN_LIMIT : 0;
        }
        return (int64_t)(value * ((wide)1 << shift));
    }
    value = shift < -126 ? 0 : value >> -shift;
    return value > GAIN_LIMIT ? GAIN_LIMIT : value < -GAIN_LIMIT ? -GAIN_LIMIT : (int64_t)value;
}

int64_t wvl_rate_weigh_pass(const wvl_band_coding *band, int32_t gain_exponent, int64_t gain_quarters, unsigned P)
{
    return scale((wide)gain_quarters * band->weight_mantissa, (int)P - 2 + band->weight_exponent - gain_exponent);
}

int64_t wvl_rate_weigh_energy(const wvl_band_coding *band, int32_t gain_exponent, uint64_t energy, unsigned energy_shift)
{
    return scale((wide)energy * band->weight_mantissa, 2 * (int)energy_shift + band->weight_exponent - gain_exponent);
}

/* The mantissa is squared bit by bit; 32 bits of it keep 8 fractional bits exact enough to be the same everywhere, which is all that counts. */
int wvl_rate_log2(uint64_t v)
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

unsigned wvl_rate_slope(int64_t gain, uint32_t bytes, int32_t gain_exponent)
{
    if (!bytes) {
        return 65535;
    }
    unsigned lift = 63 - wvl_bit_length((uint64_t)gain);
    uint64_t ratio = ((uint64_t)gain << lift) / bytes;
    int slope = wvl_rate_log2(ratio ? ratio : 1) + 256 * (gain_exponent - (int)lift) + (int)WVL_SLOPE_ZERO;
    return slope < 1 ? 1 : slope > 65535 ? 65535 : (unsigned)slope;
}

/* a/ra < b/rb or equal, exactly. */
static int not_steeper(int64_t a, uint32_t ra, int64_t b, uint32_t rb) { return (wide)a * rb <= (wide)b * ra; }

void wvl_hull_init(wvl_hull *hull, const wvl_band_coding *band, int32_t gain_exponent, unsigned planes, int64_t energy, uint32_t samples)
{
    hull->band = band;
    hull->gain_exponent = gain_exponent;
    hull->planes = planes;
    hull->pass_count = 0;
    hull->limit = 65536;
    hull->top = hull->settled = 0;
    hull->energy = energy;
    hull->samples = samples;
    hull->point[0] = (wvl_hull_point){0, 0, 0, 0};
    hull->lift = hull->region_passes = hull->boost = 0;
}

void wvl_hull_set_region(wvl_hull *hull, unsigned s, int part)
{
    hull->lift = part ? s : 0;
    hull->region_passes = part ? 3 * (hull->planes - s) - 2 : WVL_HULL_MAX_PASSES;
    hull->boost = WVL_HULL_REGION_BOOST;
}

/* Two values at the limit make 2^63. */
static int64_t add_gain(const wvl_hull *hull, int64_t gain, int64_t gain_quarters)
{
    unsigned plane = hull->planes - 1 - (hull->pass_count + 2) / 3, P = (plane >= hull->lift ? plane - hull->lift : plane) + hull->band->frac_bits;
    wide sum = (wide)gain + wvl_rate_weigh_pass(hull->band, hull->gain_exponent, gain_quarters, P);
    return sum > GAIN_LIMIT ? GAIN_LIMIT : sum < -GAIN_LIMIT ? -GAIN_LIMIT : (int64_t)sum;
}

static void put_point(wvl_hull *hull, int64_t gain, uint32_t bytes)
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
    while (top > hull->settled && not_steeper(p[top].gain - p[top - 1].gain, p[top].bytes - p[top - 1].bytes, gain - p[top].gain, bytes - p[top].bytes)) {
        top--;
    }
    unsigned slope = wvl_rate_slope(gain - p[top].gain, bytes - p[top].bytes, hull->gain_exponent);
    p[top + 1] = (wvl_hull_point){gain, bytes, (uint16_t)hull->pass_count, (uint16_t)(slope < hull->limit ? slope : hull->limit - 1)};
    hull->top = top + 1;
}

static uint32_t slope_of(const wvl_hull *hull, int64_t gain, uint32_t bytes)
{
    return gain > 0 ? wvl_rate_slope(gain, bytes, hull->gain_exponent) : 0;
}

/* Stays at 1 or above, so that a threshold of 0 takes everything. */
static void lower_limit(wvl_hull *hull, const wvl_pass *passes)
{
    unsigned i = hull->pass_count - 1;
    if (i + 1 < WVL_HULL_WINDOW) {
        return;
    }
    int64_t gain = hull->gains[i] - (i >= WVL_HULL_WINDOW ? hull->gains[i - WVL_HULL_WINDOW] : 0);
    uint32_t before = i >= WVL_HULL_WINDOW ? passes[i - WVL_HULL_WINDOW].final_bytes : 0, bytes = passes[i].final_bytes;
    bytes = bytes > before ? bytes - before : 0; /* sets of HT passes may shrink */
    uint32_t recent = slope_of(hull, gain, bytes), left = slope_of(hull, hull->energy - hull->gains[i], hull->samples);
    uint32_t most = wvl_max_u32(recent > WVL_HULL_DROP ? recent - WVL_HULL_DROP : 1, left ? left + WVL_HULL_SPARSE : 1);
    hull->limit = wvl_min_u32(hull->limit, most);
    while (hull->settled < hull->top && hull->point[hull->settled + 1].slope >= hull->limit) {
        hull->settled++;
    }
}

void wvl_hull_put_pass(wvl_hull *hull, const wvl_pass *passes)
{
    unsigned i = hull->pass_count;
    if (i == hull->region_passes) { /* the background begins anew */
        hull->limit = 65536;
        hull->settled = hull->top;
    }
    int64_t gain = add_gain(hull, i ? hull->gains[i - 1] : 0, passes[i].gain_quarters);
    hull->gains[i] = gain;
    if (!wvl_hull_is_idle(passes, hull->gains, i)) {
        put_point(hull, gain, passes[i].final_bytes);
    }
    hull->pass_count++;
    lower_limit(hull, passes);
}

int wvl_hull_is_open(const wvl_hull *hull, const wvl_pass *passes, uint32_t threshold, int is_layered)
{
    if (hull->limit > threshold || !is_layered) {
        return hull->limit > threshold;
    }
    /* A layer boundary after the last cut at this threshold may take bytes beyond that pass: they must have left the coder. */
    uint32_t cut = 0;
    for (uint32_t i = 1; i <= hull->settled && hull->point[i].slope >= threshold; i++) {
        cut = hull->point[i].pass + 1u;
    }
    const wvl_pass *now = &passes[hull->pass_count - 1];
    return cut && (cut == hull->pass_count || passes[cut - 1].safe_bytes > now->final_bytes - now->tail_count);
}

void wvl_hull_fetch(const wvl_hull *hull, uint16_t *slopes, int64_t *gains)
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
