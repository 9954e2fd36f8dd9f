/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps, exponents, magnitude bounds and distortion weights of the bands of a coding (Annex E, and J.14.4.2 for the
 * norms). */
#include <math.h>

#include "geom/gen/norms.h"
#include "geom/plan.h"

/* ---- Visual weights -------------------------------------------------------------------------- */

/*
 * How visible errors are, by component and band (D-plan-08, D-plan-09). Weights of amplitudes: W. Zeng, S. Daly,
 * S. Lei, "An overview of the visual optimization tools in JPEG 2000", Signal Processing: Image Communication 17
 * (2002), Table 2: contrast sensitivity at the middle of each band, at a viewing distance of 1700 pixels.
 *
 * Steps of a quality factor Q from 1 to 100, as JPEG counts it: the mapping that the JPEG committee's white paper on
 * HTJ2K gives and encoders share. M falls from 50 to 0 as Q rises; bands get steps in proportion to the error that eyes
 * allow there (weights), less so towards high quality.
 */

#define LOW_QUALITY 65.0  /* up to here weights count in full, */
#define HIGH_QUALITY 97.0 /* and from here on not at all */
#define LOW_SLOPE 0.04
#define HIGH_SLOPE 0.10

/* log2 of x > 0 by squaring, the same everywhere: libm need not be. */
static double log2_of(double x)
{
    int exponent;
    double f = 2.0 * frexp(x, &exponent), result = exponent - 1, part = 0.5; /* f in [1, 2) */
    for (int i = 0; i < 40; i++, part *= 0.5) {
        f *= f;
        if (f >= 2.0) {
            f *= 0.5;
            result += part;
        }
    }
    return result;
}

/* 2^x by square roots of 2. */
static double exp2_of(double x)
{
    double whole = floor(x), rest = x - whole, root = 2.0, result = 1.0;
    for (int i = 0; i < 40; i++) {
        root = sqrt(root);
        rest *= 2.0;
        if (rest >= 1.0) {
            result *= root;
            rest -= 1.0;
        }
    }
    return ldexp(result, (int)whole);
}

static double power(double x, double y) { return exp2_of(y * log2_of(x)); }

static double multiplier_of(double q) { return q < 50.0 ? 50.0 / q : 2.0 * (1.0 - q / 100.0); }

/* 1: weights count in full. */
static double weight_power(double q)
{
    if (q <= LOW_QUALITY || q >= HIGH_QUALITY) {
        return q <= LOW_QUALITY ? 1.0 : 0.0;
    }
    double low = log2_of(multiplier_of(LOW_QUALITY)), high = log2_of(multiplier_of(HIGH_QUALITY));
    return (high - log2_of(multiplier_of(q))) / (high - low);
}

/* By component (Y, Cb, Cr at full resolution), level from 1, and HL or LH, HH; 1 beyond. */
static double weight_of(unsigned part, unsigned level, unsigned orient)
{
    static const double weights[3][5][2] = {
        {{0.2758, 0.0901}, {0.8378, 0.7018}, {1.0, 1.0}, {1.0, 1.0}, {1.0, 1.0}},
        {{0.0863, 0.0263}, {0.2564, 0.1362}, {0.4691, 0.3346}, {0.6523, 0.5444}, {0.7797, 0.7078}},
        {{0.1835, 0.0773}, {0.413, 0.2598}, {0.6464, 0.504}, {0.8254, 0.722}, {0.9424, 0.8769}},
    };
    return orient == WVL_BAND_LL || level > 5 ? 1.0 : weights[part ? part - 1 : 0][level - 1][orient == WVL_BAND_HH];
}

/*
 * A sample of a component that is subsampled by two stands where the next level of one that is not does, and for as
 * many pixels more. Where the axes differ, a band is as fine as its finer axis: Table 2 says the same of 4:2:2 and
 * 4:2:0.
 */
double wvl_quant_visual_weight(const wvl_coding *coding, unsigned level, unsigned orient)
{
    unsigned across = level + wvl_bit_length(coding->visual_dx) - 1,
             down = level + wvl_bit_length(coding->visual_dy) - 1;
    unsigned fine = orient == WVL_BAND_HL ? across : orient == WVL_BAND_LH ? down : wvl_min_u32(across, down);
    double weight = weight_of(coding->visual, fine, orient == WVL_BAND_HH && across != down ? WVL_BAND_HL : orient);
    return weight * weight * (coding->visual_dx * coding->visual_dy);
}

double wvl_quant_visual_step(const wvl_coding *coding, unsigned level, unsigned orient)
{
    static const double chroma[4] = {1.0, 1.0, 1.8051 / 1.7321,
                                     1.5734 / 1.7321}; /* of the inverse colour transform, against that of Y */
    double q = coding->qfactor, pw = weight_power(q), slope = HIGH_SLOPE * power(LOW_SLOPE / HIGH_SLOPE, pw);
    double reference = slope * multiplier_of(q) + ldexp(sqrt(0.5), -(int)coding->depth);
    return reference / (chroma[coding->mct_part] * power(weight_of(coding->mct_part, level, orient), pw));
}

/* ---- Bands ----------------------------------------------------------------------------------- */

/* log2 of the nominal gain of the analysis filters (Table E.1). */
static unsigned log2_gain(unsigned orient) { return (orient & 1) + (orient >> 1); }

static unsigned band_orient(unsigned band) { return band ? (band - 1) % 3 + 1 : WVL_BAND_LL; }

/* n_b: N_L for LL and the lowest details, 1 for the finest. */
static unsigned band_level(unsigned band, unsigned levels) { return band ? levels - (band - 1) / 3 : levels; }

static double squared_norm_at(const wvl_coding *coding, unsigned band, unsigned level)
{
    const double *low = coding->reversible ? wvl_norm53_low : wvl_norm97_low;
    const double *high = coding->reversible ? wvl_norm53_high : wvl_norm97_high;
    unsigned orient = band_orient(band);
    return ((orient & 1) ? high : low)[level] * ((orient >> 1) ? high : low)[level];
}

static double squared_norm(const wvl_coding *coding, unsigned band)
{
    return squared_norm_at(coding, band, band_level(band, coding->levels));
}

/* Squared L2 norm of the inverse colour transform's column. */
static double squared_color_norm(const wvl_coding *coding)
{
    static const double rct[4] = {1.0, 3.0, 0.6875, 0.6875};
    static const double ict[4] = {1.0, 3.0, 1.772 * 1.772 + 0.344136 * 0.344136, 1.402 * 1.402 + 0.714136 * 0.714136};
    return (coding->reversible ? rct : ict)[coding->mct_part];
}

/*
 * Reversible: magnitude bits of a band, for samples in [-A, A - 1] with A = 2^(P-1) (P one higher with RCT). A gain g
 * is the L1 norm of the 2-D analysis filter of 5/3, borders included; its positive taps sum to (g + 1) / 2 in LL, to g
 * / 2 elsewhere. It grows with the level, and stays below 2.97 (LL), 4.96 (HL, LH) and 8.28 (HH). Rounding: one
 * dimension adds 0 to 1/2 to a high-pass sample and -1/4 to 3/4 to a low-pass one, so a level adds -3/4 to 7/4 to
 * low-low samples and at most 3/2 to others. Later levels pass on at most 5/4 g + 1/2 of that to LL, and 7/5 g
 * elsewhere (5/4 g, but for a lone sample at an odd place, which is doubled). From 8 bits on P + 1 (LL), P + 2 and P +
 * 3 bits hold all of it at any level; fewer bits and many levels need more. eps_b follows from Mb = G + eps_b - 1 for
 * whatever G the user wants.
 */
static unsigned count_bits53(unsigned depth, unsigned orient, unsigned level)
{
    static const double gains[3][6] = {{1.0, 2.25, 2.6407, 2.8477, 2.8808, 2.9128},
                                       {0.0, 3.0, 4.0625, 4.6407, 4.7604, 4.8243},
                                       {0.0, 4.0, 6.25, 7.5625, 7.8664, 7.9901}};
    static const double limits[3] = {2.97, 4.96, 8.28};
    unsigned kind = log2_gain(orient);
    double gain = gains[kind][0], most = 0.0;
    for (unsigned i = 1; i <= level; i++) {
        double passed = kind ? 1.4 * gain : 1.25 * gain + 0.5;
        most += i > 1 ? passed : 0.0;
        gain = i <= 5 ? gains[kind][i] : limits[kind];
    }
    most += ldexp(gain, (int)depth - 1) - gain / 2 + (kind ? 1.5 : 1.25);
    return wvl_max_u32(depth + kind + 1, wvl_bit_length((uint64_t)most));
}

#define MOST_PLANES 37u       /* magnitude bits that exponents and guard bits can say */
#define MOST_CODED_PLANES 31u /* of EBCOT, and of a block that is shifted in part */
#define MOST_EXPONENT 31u
#define MOST_IRREVERSIBLE 28u /* bits of a sample */

static unsigned most_planes(const wvl_coding *coding)
{
    return coding->style & WVL_STYLE_HT ? MOST_PLANES : MOST_CODED_PLANES;
}

uint8_t wvl_quant_guard_bits(const wvl_coding *coding)
{
    unsigned most = 0;
    for (unsigned band = 0; coding->reversible && band < 3u * coding->levels + 1u; band++) {
        unsigned bits = count_bits53(coding->depth + coding->rct, band_orient(band), band_level(band, coding->levels));
        most = wvl_max_u32(most, bits);
    }
    int is_deep = most > MOST_CODED_PLANES && most <= most_planes(coding);
    return (uint8_t)wvl_max_u32(coding->guard_bits, is_deep ? most + 1 - MOST_EXPONENT : 0);
}

static int set_reversible(wvl_coding *coding, unsigned band, wvl_report *report)
{
    unsigned bits = count_bits53(coding->depth + coding->rct, band_orient(band), band_level(band, coding->levels));
    if (bits > most_planes(coding) || bits + 1 < coding->guard_bits || bits + 1 - coding->guard_bits > MOST_EXPONENT) {
        wvl_report_add(report,
                       "depth %u%s with %u guard bits: a band needs %u magnitude bits, %u can be carried (E.1, E-2)",
                       coding->depth, coding->rct ? " with RCT" : "", coding->guard_bits, bits, most_planes(coding));
        return 0;
    }
    coding->band[band].exponent = (uint8_t)(bits + 1 - coding->guard_bits);
    coding->band[band].planes = (uint8_t)bits;
    coding->band[band].step = 1.0;
    return 1;
}

/* eps and mu of the step nearest to `step` (E-3). The exponent is held at what 31 magnitude bits can carry: a coarser
 * step than asked for, which only very deep decompositions and samples meet. */
static int split_step(double step, unsigned range_bits, unsigned guard_bits, wvl_band_coding *bc)
{
    int e;
    double f = frexp(step, &e); /* step = f * 2^e, f in [0.5, 1) */
    int mantissa = (int)((2.0 * f - 1.0) * 2048.0 + 0.5);
    e -= 1;
    if (mantissa == 2048) {
        mantissa = 0;
        e += 1;
    }
    int exponent = (int)range_bits - e, most = 32 - (int)guard_bits < 31 ? 32 - (int)guard_bits : 31;
    if (exponent > most) {
        exponent = most;
        mantissa = 0;
    }
    if (exponent < 0) {
        return 0;
    }
    bc->exponent = (uint8_t)exponent;
    bc->mantissa = (uint16_t)mantissa;
    return 1;
}

/*
 * Irreversible: |y| < 1.905 * 2^(R_b - 1) for any number of levels (BIBO gains of 9/7; ICT rows have L1 norm 1), so |q|
 * < 2^eps_b: one guard bit holds everything, float rounding included.
 */
static double choose_step(const wvl_coding *coding, unsigned band, unsigned range_bits)
{
    if (!coding->qfactor) {
        return (coding->base_step > 0.0 ? ldexp(coding->base_step, coding->depth) : 1.0) /
               sqrt(squared_norm(coding, band));
    }
    double step =
        ldexp(wvl_quant_visual_step(coding, band_level(band, coding->levels), band_orient(band)), coding->depth) /
        sqrt(squared_norm(coding, band));
    /* The coarsest that can be told, where nothing but 0 is left: low factors go beyond it in the finest bands. */
    double coarsest = ldexp(1.9375, (int)range_bits - (coding->guard_bits < 2 ? 2 - coding->guard_bits : 0));
    return step < coarsest ? step : coarsest;
}

static int set_irreversible(wvl_coding *coding, unsigned band, wvl_report *report)
{
    wvl_band_coding *bc = &coding->band[band];
    unsigned range_bits = coding->depth + log2_gain(band_orient(band));
    if (coding->depth > MOST_IRREVERSIBLE) {
        wvl_report_add(report, "depth %u: the 9/7 wavelet takes up to %u; use reversible=yes", coding->depth,
                       MOST_IRREVERSIBLE);
        return 0;
    }
    if (coding->quant_style == WVL_QUANT_DERIVED && band) {
        int exponent = (int)coding->band[0].exponent - (int)coding->levels + (int)band_level(band, coding->levels);
        if (exponent < 0) {
            wvl_report_add(report, "derived quantization: exponent of level %u falls below 0; use a finer step (E-5)",
                           band_level(band, coding->levels));
            return 0;
        }
        bc->exponent = (uint8_t)exponent;
        bc->mantissa = coding->band[0].mantissa;
    } else if (!split_step(choose_step(coding, band, range_bits), range_bits, coding->guard_bits, bc)) {
        wvl_report_add(report, "step %g is too coarse for depth %u: its exponent falls below 0 (E-3)",
                       coding->base_step, coding->depth);
        return 0;
    }
    if (coding->guard_bits + bc->exponent < 2) {
        wvl_report_add(report, "step %g leaves no magnitude bit in a band (E-2)", coding->base_step);
        return 0;
    }
    bc->planes = (uint8_t)(coding->guard_bits + bc->exponent - 1);
    bc->step = ldexp(1.0 + bc->mantissa / 2048.0, (int)range_bits - bc->exponent);
    return 1;
}

/* Fraction bits: as many as wanted and the container holds. A 16-bit container is worth giving up what exceeds
 * ENOUGH_FRACTION_BITS: beyond three the rate-distortion curve moves by less than 0.001 dB (D-plan-04). */
#define ENOUGH_FRACTION_BITS 3u

/* reach: from this level on a band of the picture is one sample wide or high, and its samples reach no farther than the
 * picture does. The norms of an endless picture would go on growing, until gains of the deepest levels leave no room
 * for those of the others. */
static void set_weight(wvl_coding *coding, unsigned band, unsigned max_depth, unsigned reach)
{
    wvl_band_coding *bc = &coding->band[band];
    unsigned level = wvl_min_u32(band_level(band, coding->levels), reach);
    double unit = ldexp(bc->step, -(int)bc->frac_bits + (int)(max_depth - coding->depth));
    int e;
    bc->visual =
        coding->visual ? wvl_quant_visual_weight(coding, band_level(band, coding->levels), band_orient(band)) : 1.0;
    double f = frexp(unit * unit * squared_norm_at(coding, band, level) * squared_color_norm(coding) * bc->visual, &e);
    bc->weight_mantissa = (uint32_t)(f * 4294967296.0);
    bc->weight_exponent = e - 32;
}

/* 2^(i/16) */
static const double roots[16] = {1.0,
                                 1.0442737824274138,
                                 1.0905077326652577,
                                 1.1387886347566916,
                                 1.189207115002721,
                                 1.241857812073484,
                                 1.2968395546510096,
                                 1.3542555469368927,
                                 1.4142135623730951,
                                 1.4768261459394993,
                                 1.5422108254079407,
                                 1.6104903319492543,
                                 1.681792830507429,
                                 1.7562521603732995,
                                 1.8340080864093424,
                                 1.9152065613971474};

int wvl_quant_scale_steps(const wvl_plan *plan, wvl_coding *coding, unsigned sixteenths)
{
    unsigned reach =
        wvl_bit_length(wvl_max_u32(wvl_rect_width(plan->syntax.image), wvl_rect_height(plan->syntax.image)));
    for (unsigned band = 0; band < 3u * coding->levels + 1u; band++) {
        wvl_band_coding *bc = &coding->band[band];
        unsigned range_bits = coding->depth + log2_gain(band_orient(band)), old = bc->exponent;
        if (coding->quant_style == WVL_QUANT_DERIVED && band) {
            bc->exponent = (uint8_t)(coding->band[0].exponent + band_level(band, coding->levels) - coding->levels);
            bc->mantissa = coding->band[0].mantissa;
        } else if (!split_step(bc->step * roots[sixteenths & 15], range_bits, coding->guard_bits, bc)) {
            return 0;
        }
        if (bc->exponent > old || coding->guard_bits + bc->exponent < 2) {
            return 0;
        }
        bc->planes = (uint8_t)(coding->guard_bits + bc->exponent - 1);
        bc->step = ldexp(1.0 + bc->mantissa / 2048.0, (int)range_bits - bc->exponent);
        set_weight(coding, band, plan->rate.peak_depth, reach);
    }
    return 1;
}

#define EASY_PLANES 30u /* OpenJPEG 2.5 decodes no more */

/*
 * The shift must lift the region above every plane of the background (H.2). OpenJPEG 2.5 takes magnitudes from half
 * that on for the region's, so a shift that is found is one greater where there is room.
 */
static int set_region_shift(wvl_coding *coding, wvl_report *report)
{
    unsigned most = 0, shift = coding->region_least;
    for (unsigned band = 0; band < 3u * coding->levels + 1u; band++) {
        most = wvl_max_u32(most, coding->band[band].planes);
    }
    if (coding->region == WVL_REGION_PART && !coding->region_auto && shift < most) {
        wvl_report_add(report,
                       "roi: a shift of %u; %u or more are needed to lift a part above the background, whose bands "
                       "have up to %u magnitude bits (H.2)",
                       shift, most, most);
        return 0;
    }
    if (coding->region == WVL_REGION_PART && coding->region_auto) {
        shift = wvl_max_u32(shift, 2 * most + 1 <= EASY_PLANES ? most + 1 : most);
    }
    unsigned limit = coding->region == WVL_REGION_PART ? MOST_CODED_PLANES : MOST_PLANES;
    if (coding->region && most + shift > limit) {
        wvl_report_add(report, "roi: a shift of %u on %u magnitude bits; %u in all are %s (A.6.3, H.2)%s", shift, most,
                       limit, coding->region == WVL_REGION_PART ? "coded" : "possible",
                       coding->region == WVL_REGION_PART && !coding->reversible
                           ? "; fewer guard bits or a coarser step make room"
                           : "");
        return 0;
    }
    coding->region_shift = (uint8_t)shift;
    return 1;
}

/* bits: without the sign. */
static unsigned container_bytes(unsigned bits)
{
    unsigned bytes = 2;
    while (bits > 8 * bytes - 1) {
        bytes *= 2;
    }
    return bytes;
}

int wvl_quant_build_bands(wvl_coding *coding, unsigned distortion_bits, unsigned max_depth, unsigned reach,
                          wvl_report *report)
{
    for (unsigned band = 0; band < 3u * coding->levels + 1u; band++) {
        if (coding->reversible ? !set_reversible(coding, band, report) : !set_irreversible(coding, band, report)) {
            return 0;
        }
        wvl_band_coding *bc = &coding->band[band];
        unsigned frac = coding->reversible ? 0 : wvl_min_u32(distortion_bits, MOST_CODED_PLANES - bc->planes);
        if (bc->planes + frac > 15 && bc->planes + wvl_min_u32(frac, ENOUGH_FRACTION_BITS) <= 15) {
            frac = 15u - bc->planes;
        }
        bc->frac_bits = (uint8_t)frac;
        bc->coef_bytes = (uint8_t)container_bytes(bc->planes + frac);
        set_weight(coding, band, max_depth, reach);
    }
    return set_region_shift(coding, report);
}
