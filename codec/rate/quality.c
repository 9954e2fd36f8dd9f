/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/rate/quality.h"

/* Value at v of a curve through (from[i], to[i]), which begins at (0, 0) and ends level. */
static double follow_curve(const double *from, const double *to, unsigned count, double v)
{
    unsigned i = 1;
    if (v >= from[count - 1]) {
        return to[count - 1];
    }
    while (v > from[i]) {
        i++;
    }
    return to[i - 1] + (v - from[i - 1]) / (from[i] - from[i - 1]) * (to[i] - to[i - 1]);
}

/* A decoder rounds to integers: mean square of a rounded normal error against its variance. Beyond the table rounding
 * adds 1/12. Values: sum over k of (2k - 1) * P(|e| > k - 1/2). */
static const double variance_table[] = {0.0, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4};
static const double rounded_table[] = {0.0, 0.0004, 0.0039, 0.0253, 0.0679, 0.1139, 0.1971, 0.2660, 0.3801, 0.4828};
#define TABLE_COUNT (sizeof variance_table / sizeof variance_table[0])

/* Small errors vanish in rounding only where they are spread evenly. In flat and sparse pictures few samples hold them
 * all, and there they stay: the estimate is never less than the error itself. */
static double round_error(double v)
{
    const double *from = variance_table, *to = rounded_table;
    if (v >= from[TABLE_COUNT - 1]) {
        return v + (to[TABLE_COUNT - 1] - from[TABLE_COUNT - 1]);
    }
    double rounded = follow_curve(from, to, TABLE_COUNT, v);
    return rounded > v ? rounded : v;
}

/*
 * Error of decoded samples from the error of coefficients. Neither kernel is orthogonal: errors of neighbours add up to
 * a few per cent more than the norms say. Truncated 5/3 also rounds in every inverse lifting step, and RCT rounds once
 * more. Constants measured on photographs (D-rate-02); they hold within 0.3 dB from 25 to 50 dB. Errors that are few
 * and of one unit are rounded to more than they are, 3 to 7 times: curves of a noisy picture whose finest bands lose
 * their last plane one after the other.
 */
#define CORRELATION_97 1.03
#define CORRELATION_53 1.10
static const double lifting_from[] = {0.0, 0.02, 0.06, 0.1}, lifting_noise[] = {0.0, 0.05, 0.15, 0.27};
static const double rct_from[] = {0.0, 0.015, 0.04, 0.1}, rct_noise[] = {0.0, 0.07, 0.2, 0.27};

static double decoded_error(const wvl_plan *plan, double coefficient_mse)
{
    double noise = plan->syntax.mct ? follow_curve(rct_from, rct_noise, 4, coefficient_mse)
                                    : follow_curve(lifting_from, lifting_noise, 4, coefficient_mse);
    double from_97 = round_error(coefficient_mse * CORRELATION_97);
    double from_53 = round_error(coefficient_mse * CORRELATION_53) + noise;
    return plan->rate.reversible_share * from_53 + (1.0 - plan->rate.reversible_share) * from_97;
}

/* Inverse of the above by bisection: it rises strictly. */
static double coefficient_error(const wvl_plan *plan, double decoded_mse)
{
    double lo = 0.0, hi = decoded_mse + 1.0;
    for (int i = 0; i < 60; i++) {
        double mid = 0.5 * (lo + hi);
        if (decoded_error(plan, mid) <= decoded_mse) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    return lo;
}

static double peak_squared(const wvl_rate_plan *rate)
{
    double peak = (double)(((uint64_t)1 << rate->peak_depth) - 1);
    return peak * peak;
}

double wvl_rate_decoded_error_for_psnr(const wvl_plan *plan, double psnr)
{
    static const double octaves_per_db = 0.33219280948873623; /* log2(10) / 10 */
    uint64_t x = (uint64_t)(psnr * octaves_per_db * 65536.0);
    return peak_squared(&plan->rate) * wvl_rate_exp2_negative(x) * (double)plan->syntax.total_samples;
}

double wvl_rate_error_for_psnr(const wvl_plan *plan, double psnr)
{
    double samples = (double)plan->syntax.total_samples;
    return ldexp(coefficient_error(plan, wvl_rate_decoded_error_for_psnr(plan, psnr) / samples) * samples,
                 -plan->rate.gain_exponent);
}

static double psnr_of(const wvl_plan *plan, double mse)
{
    return mse > 0.0 ? 10.0 * log10(peak_squared(&plan->rate) / mse) : (double)INFINITY;
}

double wvl_rate_psnr_for_error(const wvl_plan *plan, double squared_error)
{
    return psnr_of(plan, decoded_error(plan, squared_error / (double)plan->syntax.total_samples));
}

double wvl_rate_psnr_for_decoded_error(const wvl_plan *plan, double squared_error)
{
    return psnr_of(plan, squared_error / (double)plan->syntax.total_samples);
}
