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

/* floor(256 * log2(v)) for v > 0: the mantissa is squared bit by bit; 32 bits of it keep 8 fractional bits exact enough to be the same
 * everywhere, which is all that counts. */
static int log2_256(uint64_t v)
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
    int slope = log2_256(ratio ? ratio : 1) + 256 * (gain_exponent - (int)lift) + (int)WVL_SLOPE_ZERO;
    return slope < 1 ? 1 : slope > 65535 ? 65535 : (unsigned)slope;
}

/* a/ra < b/rb or equal, exactly. */
static int not_steeper(int64_t a, uint32_t ra, int64_t b, uint32_t rb) { return (wide)a * rb <= (wide)b * ra; }

typedef struct hull_point {
    int64_t gain;      /* cumulative */
    uint32_t bytes;    /* cumulative */
    unsigned pass;
} hull_point;

#define MAX_PASSES 128 /* 3 * 37 - 2 */

void wvl_rate_build_hull(const wvl_band_coding *band, int32_t gain_exponent, const wvl_pass *passes, unsigned pass_count, unsigned planes,
                         uint16_t *slopes, int64_t *cumulative)
{
    hull_point hull[MAX_PASSES + 1] = {{0, 0, 0}};
    unsigned top = 0;
    int64_t gain = 0;
    for (unsigned i = 0; i < pass_count; i++) {
        unsigned P = planes - 1 - (i + 2) / 3 + band->frac_bits;
        wide sum = (wide)gain + wvl_rate_weigh_pass(band, gain_exponent, passes[i].gain_quarters, P); /* two values at the limit make 2^63 */
        gain = sum > GAIN_LIMIT ? GAIN_LIMIT : sum < -GAIN_LIMIT ? -GAIN_LIMIT : (int64_t)sum;
        cumulative[i] = gain;
        slopes[i] = 0;
        while (top && (gain >= hull[top].gain ? passes[i].final_bytes <= hull[top].bytes : 0)) {
            top--; /* better for no more bytes */
        }
        if (gain <= hull[top].gain) {
            continue;
        }
        while (top && not_steeper(hull[top].gain - hull[top - 1].gain, hull[top].bytes - hull[top - 1].bytes, gain - hull[top].gain,
                                  passes[i].final_bytes - hull[top].bytes)) {
            top--;
        }
        hull[++top] = (hull_point){gain, passes[i].final_bytes, i};
    }
    for (; top; top--) {
        slopes[hull[top].pass] = (uint16_t)wvl_rate_slope(hull[top].gain - hull[top - 1].gain, hull[top].bytes - hull[top - 1].bytes, gain_exponent);
    }
}
