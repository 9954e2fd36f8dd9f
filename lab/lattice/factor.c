/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters to lattices. E(z) is the polyphase matrix of both filters, z an advance by one pair:
 * E = B (P A[m-1]) ... (P A[0]), A[k] = (1 t; s 1), P = (0 1; z 0). The rightmost A is peeled off until B is left:
 * the lowest coefficients of E A^-1 must vanish in the first column, the highest in the second.
 */
#include "lab/lattice/lattice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double most_tap_residual = 1e-8; /* of the largest tap */
static const double most_det_residual = 1e-6; /* of the determinant's largest coefficient */

static const struct {
    char name[8];
    int32_t first;
    uint32_t tap_count, is_biorthogonal;
    double low[WVL_LATTICE_TAPS], high[WVL_LATTICE_TAPS];
} named_filters[] = {
#include "lab/lattice/gen/filters.h"
};

static void fill_partner(wvl_lattice_filter *f)
{
    for (uint32_t k = 0; k < f->tap_count; k++) {
        const double tap = f->low[f->tap_count - 1 - k];
        f->high[k] = k % 2 ? -tap : tap;
    }
}

int wvl_lattice_find_filter(const char *name, wvl_lattice_filter *filter)
{
    for (size_t i = 0; i < sizeof named_filters / sizeof *named_filters; i++) {
        if (strcmp(name, named_filters[i].name) == 0) {
            filter->first = named_filters[i].first;
            filter->tap_count = named_filters[i].tap_count;
            memcpy(filter->low, named_filters[i].low, sizeof filter->low);
            memcpy(filter->high, named_filters[i].high, sizeof filter->high);
            if (!named_filters[i].is_biorthogonal) {
                fill_partner(filter);
            }
            return 1;
        }
    }
    return 0;
}

/* ---- The inverse as a convolution ---- */

int wvl_lattice_fill_inverse(wvl_lattice_filter *f)
{
    const uint32_t pairs = f->tap_count / 2;
    double det[WVL_LATTICE_TAPS] = {0};
    uint32_t top = 0;
    for (uint32_t i = 0; i < pairs; i++) {
        for (uint32_t k = 0; k < pairs; k++) {
            det[i + k] += f->low[2 * i] * f->high[2 * k + 1] - f->low[2 * i + 1] * f->high[2 * k];
        }
    }
    for (uint32_t k = 1; k < 2 * pairs - 1; k++) {
        top = fabs(det[k]) > fabs(det[top]) ? k : top;
    }
    for (uint32_t k = 0; k < 2 * pairs - 1; k++) {
        if (!(fabs(det[k]) <= most_det_residual * fabs(det[top])) && k != top) {
            return 0;
        }
    }
    if (!(fabs(det[top]) > 0) || !isfinite(det[top]) || !isfinite(1 / det[top])) {
        return 0;
    }
    f->delay = top;
    for (uint32_t k = 0; k < pairs; k++) {
        f->even[2 * k] = f->high[2 * k + 1] / det[top];
        f->even[2 * k + 1] = -f->low[2 * k + 1] / det[top];
        f->odd[2 * k] = -f->high[2 * k] / det[top];
        f->odd[2 * k + 1] = f->low[2 * k] / det[top];
    }
    return 1;
}

/* ---- The lattice ---- */

/* What is left of both filters while stages are peeled off. */
typedef struct peel {
    double row[2][WVL_LATTICE_TAPS];
    uint32_t taps;
    int is_orthogonal;
} peel;

/* Whether high is the orthogonal partner of low, to the last bit. */
static int is_orthogonal(const wvl_lattice_filter *f)
{
    wvl_lattice_filter partner = *f;
    fill_partner(&partner);
    for (uint32_t k = 0; k < f->tap_count; k++) {
        if (partner.high[k] != f->high[k] && partner.high[k] != -f->high[k]) {
            return 0;
        }
    }
    return 1;
}

/* The number r with (x0, x1) = r (y0, y1), by least squares; NAN if there is none. */
static double find_ratio(double x0, double x1, double y0, double y1)
{
    const double size = y0 * y0 + y1 * y1, all = x0 * x0 + x1 * x1 + size;
    if (all == 0) {
        return 0;
    }
    return size > 1e-24 * all ? (x0 * y0 + x1 * y1) / size : NAN;
}

static int peel_stage(peel *p, double *t, double *s)
{
    const uint32_t end = p->taps - 1;
    double(*r)[WVL_LATTICE_TAPS] = p->row;
    *s = find_ratio(r[0][0], r[1][0], r[0][1], r[1][1]);
    *t = p->is_orthogonal ? -*s : find_ratio(r[0][end], r[1][end], r[0][end - 1], r[1][end - 1]);
    const double scale = 1 / (1 - *t * *s);
    if (!isfinite(*s) || !isfinite(*t) || !(fabs(1 - *t * *s) > 1e-9)) {
        return 0;
    }
    for (int i = 0; i < 2; i++) {
        double next[WVL_LATTICE_TAPS];
        for (uint32_t k = 0; k + 2 < p->taps; k += 2) {
            next[k] = (r[i][k + 1] - *t * r[i][k]) * scale;
            next[k + 1] = (r[i][k + 2] - *s * r[i][k + 3]) * scale;
        }
        memcpy(r[i], next, (p->taps - 2) * sizeof **r);
    }
    p->taps -= 2;
    return 1;
}

/* The taps that the lattice has, one row. */
static void rebuild(const wvl_lattice_filter *f, int row, double *taps)
{
    double even[WVL_LATTICE_TAPS / 2 + 1] = {f->b[2 * row]}, odd[WVL_LATTICE_TAPS / 2 + 1] = {f->b[2 * row + 1]};
    for (uint32_t stage = f->stage_count; stage-- > 0;) {
        for (uint32_t k = f->stage_count - stage + 1; k-- > 0;) {
            const double first = k ? odd[k - 1] : 0, second = even[k];
            taps[2 * k] = first + f->s[stage] * second;
            taps[2 * k + 1] = f->t[stage] * first + second;
        }
        for (uint32_t k = 0; k <= f->stage_count - stage; k++) {
            even[k] = taps[2 * k];
            odd[k] = taps[2 * k + 1];
        }
    }
    for (uint32_t k = 0; k <= f->stage_count; k++) {
        taps[2 * k] = even[k];
        taps[2 * k + 1] = odd[k];
    }
}

static int check_taps(wvl_lattice_filter *f)
{
    double largest = 0, worst = 0;
    for (int row = 0; row < 2; row++) {
        double taps[WVL_LATTICE_TAPS + 2];
        const double *wanted = row ? f->high : f->low;
        rebuild(f, row, taps);
        for (uint32_t k = 0; k < f->tap_count; k++) {
            const double error = fabs(taps[k] - wanted[k]);
            worst = error <= worst ? worst : error;
            largest = fabs(wanted[k]) > largest ? fabs(wanted[k]) : largest;
        }
    }
    f->tap_residual = worst;
    return worst <= most_tap_residual * largest;
}

static void fill_inverse_b(wvl_lattice_filter *f)
{
    double det = f->b[0] * f->b[3] - f->b[1] * f->b[2];
    for (uint32_t k = 0; k < f->stage_count; k++) {
        det *= 1 - f->t[k] * f->s[k];
    }
    f->inverse_b[0] = f->b[3] / det;
    f->inverse_b[1] = -f->b[1] / det;
    f->inverse_b[2] = -f->b[2] / det;
    f->inverse_b[3] = f->b[0] / det;
}

void wvl_lattice_factorise(wvl_lattice_filter *f)
{
    peel p = {.taps = f->tap_count, .is_orthogonal = is_orthogonal(f)};
    memcpy(p.row[0], f->low, sizeof f->low);
    memcpy(p.row[1], f->high, sizeof f->high);
    f->stage_count = f->tap_count / 2 - 1;
    f->has_lattice = 0;
    for (uint32_t k = 0; k < f->stage_count; k++) {
        if (!peel_stage(&p, &f->t[k], &f->s[k])) {
            snprintf(f->why_not, sizeof f->why_not,
                     "stage %u of the lattice would need an infinite factor: a tap of both filters is 0, and the "
                     "tap beside it is not",
                     k);
            return;
        }
    }
    memcpy(f->b, p.row[0], 2 * sizeof *f->b);
    memcpy(f->b + 2, p.row[1], 2 * sizeof *f->b);
    fill_inverse_b(f);
    f->has_lattice = (uint32_t)check_taps(f);
    if (!f->has_lattice) {
        snprintf(f->why_not, sizeof f->why_not, "the taps of the lattice differ from the given ones by %.1e",
                 f->tap_residual);
    }
}

/* ---- Numbers for kernels ---- */

/* Copies the numbers of the filter, rounded to the type of the samples. */
#define FILL(TO, FIELD, COUNT)                                                                                         \
    for (uint32_t k = 0; k < (COUNT); k++) {                                                                           \
        (TO)->FIELD[k] = (float)f->FIELD[k];                                                                           \
    }

void wvl_lattice_round_f32(const wvl_lattice_filter *f, wvl_lattice_steps_f32 *to)
{
    to->stage_count = f->stage_count;
    to->tap_count = f->tap_count;
    FILL(to, t, f->stage_count)
    FILL(to, s, f->stage_count)
    FILL(to, b, 4)
    FILL(to, inverse_b, 4)
    FILL(to, low, f->tap_count)
    FILL(to, high, f->tap_count)
    FILL(to, even, f->tap_count)
    FILL(to, odd, f->tap_count)
}
