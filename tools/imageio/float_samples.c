/* SPDX-License-Identifier: BSD-2-Clause */
#include "float_samples.h"

#include <math.h>

#define TOP 65535.0

/* ---- Numbers that are the same everywhere ---------------------------------------------------- */

float wvl_io_float_of_half(uint16_t half)
{
    unsigned exponent = half >> 10 & 31u, mantissa = half & 0x3FFu;
    float v = (float)mantissa;
    if (exponent == 31) {
        v = mantissa ? NAN : INFINITY;
    } else if (exponent) {
        v = ldexpf(v + 1024.0f, (int)exponent - 25);
    } else {
        v = ldexpf(v, -24);
    }
    return half & 0x8000u ? -v : v;
}

/* log2 of m in sqrt(1/2)..sqrt(2) by the series of atanh((m - 1) / (m + 1)), of which 13 terms leave less than 1e-19.
 */
double wvl_io_log2(double value)
{
    int exponent;
    double m = frexp(value, &exponent), sum = 0;
    if (m < 0.70710678118654752) {
        m *= 2;
        exponent--;
    }
    double t = (m - 1) / (m + 1), square = t * t;
    for (int k = 25; k >= 1; k -= 2) {
        sum = sum * square + 1.0 / k;
    }
    return exponent + 2 * t * sum * 1.4426950408889634;
}

double wvl_io_exp2(double exponent)
{
    double whole = floor(exponent + 0.5), z = (exponent - whole) * 0.69314718055994531, sum = 1;
    for (int k = 17; k >= 1; k--) {
        sum = 1 + sum * z / k;
    }
    return ldexp(sum, (int)whole);
}

static double power(double base, double exponent) { return base > 0 ? wvl_io_exp2(exponent * wvl_io_log2(base)) : 0; }

/* SMPTE ST 2084, 5.3: from linear light of 0..1. */
static double encode_pq(double light)
{
    const double m1 = 2610.0 / 16384, m2 = 2523.0 / 32, c1 = 3424.0 / 4096, c2 = 2413.0 / 128, c3 = 2392.0 / 128;
    double p = power(light, m1);
    return power((c1 + c2 * p) / (1 + c3 * p), m2);
}

static double limit(double f) { return f > 0 ? fmin(f, 1.0) : 0; } /* NaN becomes 0 */

double wvl_io_transfer_value(wvl_io_float_transfer transfer, double low, double high, double value)
{
    if (transfer == WVL_IO_FLOAT_LOG) {
        return value > low ? limit(wvl_io_log2(fmin(value, high) / low) / wvl_io_log2(high / low)) : 0;
    }
    double f = limit((value - low) / (high - low));
    return transfer == WVL_IO_FLOAT_PQ ? encode_pq(f) : f;
}

/* ---- Range ----------------------------------------------------------------------------------- */

static double value_at(const wvl_io_component *k, uint32_t x, uint32_t y)
{
    float v;
    memcpy(&v, wvl_io_place(k, x, y), sizeof v);
    return (double)v;
}

typedef struct range {
    double least, least_positive, most; /* of finite samples; most < least: there are none */
} range;

/* A picture of one value gets a range above it, so that all of it is the lowest code. */
static int find_range(wvl_io_context *context)
{
    wvl_io_picture *picture = context->picture;
    range r = {INFINITY, INFINITY, -INFINITY};
    for (uint32_t c = 0; c < picture->component_count; c++) {
        if ((int)c != picture->alpha_component) {
            for (uint32_t y = 0; y < picture->components[c].height; y++) {
                for (uint32_t x = 0; x < picture->components[c].width; x++) {
                    double v = value_at(&picture->components[c], x, y);
                    if (!isfinite(v)) {
                        continue;
                    }
                    r.least = fmin(r.least, v);
                    r.most = fmax(r.most, v);
                    r.least_positive = v > 0 ? fmin(r.least_positive, v) : r.least_positive;
                }
            }
        }
    }
    int is_log = picture->float_transfer == WVL_IO_FLOAT_LOG, is_pq = picture->float_transfer == WVL_IO_FLOAT_PQ;
    if (!(r.least <= r.most) || ((is_log || is_pq) && !(r.most > 0))) {
        return wvl_io_fail(context, "--float-range auto: no sample is a finite number%s; give LO,HI",
                           is_log || is_pq ? " above 0" : "");
    }
    picture->float_low = is_log ? r.least_positive : r.least;
    picture->float_low = is_pq ? 0 : picture->float_low;
    picture->float_high = r.most;
    if (!(picture->float_high > picture->float_low)) {
        picture->float_high =
            is_log ? picture->float_low * 2 : picture->float_low + fmax(1.0, fabs(picture->float_low));
    }
    return 0;
}

static int choose_range(wvl_io_context *context)
{
    wvl_io_picture *picture = context->picture;
    const wvl_io_options *o = &context->options;
    picture->float_transfer = o->float_transfer;
    if (!o->float_range_given) {
        return find_range(context);
    }
    picture->float_low = o->float_low;
    picture->float_high = o->float_high;
    if (!(o->float_low < o->float_high) || (o->float_transfer == WVL_IO_FLOAT_LOG && !(o->float_low > 0))) {
        return wvl_io_fail(context, "--float-range %g,%g: LO must be below HI, and with log above 0", o->float_low,
                           o->float_high);
    }
    return 0;
}

/* ---- Conversion ------------------------------------------------------------------------------ */

typedef struct tally {
    uint64_t not_numbers, infinite, outside;
} tally;

/* The code takes the first two bytes of the float. */
static void convert(wvl_io_component *k, wvl_io_float_transfer transfer, double low, double high, tally *t)
{
    for (uint32_t y = 0; y < k->height; y++) {
        for (uint32_t x = 0; x < k->width; x++) {
            double v = value_at(k, x, y);
            uint16_t code = (uint16_t)floor(wvl_io_transfer_value(transfer, low, high, v) * TOP + 0.5);
            if (isnan(v)) {
                t->not_numbers++;
            } else if (isinf(v)) {
                t->infinite++;
            } else if (v < low || v > high) {
                t->outside++;
            }
            memcpy(wvl_io_place(k, x, y), &code, sizeof code);
        }
    }
    k->depth = 16;
    k->sample_bytes = 2;
    k->is_signed = 0;
}

int wvl_io_permit_floats(wvl_io_context *context, const char *kind)
{
    if (context->options.float_transfer != WVL_IO_FLOAT_REFUSED) {
        return 0;
    }
    return wvl_io_fail(
        context,
        "%s: floating point; --float-transfer linear, log or pq makes 16-bit integers of the samples, and keep "
        "encodes them bit for bit, with HT blocks",
        kind);
}

void wvl_io_keep_floats(wvl_io_component *component, unsigned depth)
{
    component->depth = (uint8_t)depth;
    component->sample_bytes = wvl_io_container_bytes(depth);
    component->is_signed = component->is_float = 1;
}

/* Neither codes nor linear light are sRGB, or what the file said of its light. */
static void settle_color(wvl_io_picture *picture)
{
    if (picture->color == WVL_IO_RGB && !picture->icc) {
        picture->color = WVL_IO_UNKNOWN;
    }
    picture->color_declared = picture->icc != NULL;
}

int wvl_io_finish_floats(wvl_io_context *context)
{
    wvl_io_picture *picture = context->picture;
    tally all = {0};
    if (context->options.float_transfer == WVL_IO_FLOAT_KEPT) {
        picture->float_transfer = WVL_IO_FLOAT_KEPT;
        settle_color(picture);
        return 0;
    }
    if (choose_range(context) != 0) {
        return -1;
    }
    for (uint32_t c = 0; c < picture->component_count; c++) {
        if ((int)c == picture->alpha_component) {
            convert(&picture->components[c], WVL_IO_FLOAT_LINEAR, 0, 1, &all);
        } else {
            convert(&picture->components[c], picture->float_transfer, picture->float_low, picture->float_high, &all);
        }
    }
    if (all.not_numbers) {
        wvl_io_note(context, "%llu samples are no number (NaN) and get the lowest code",
                    (unsigned long long)all.not_numbers);
    }
    if (all.infinite) {
        wvl_io_note(context, "%llu samples are infinite and get the lowest or the highest code",
                    (unsigned long long)all.infinite);
    }
    if (all.outside) {
        wvl_io_note(context, "%llu samples lie outside the range and are limited to it",
                    (unsigned long long)all.outside);
    }
    settle_color(picture);
    return 0;
}
