/* SPDX-License-Identifier: BSD-2-Clause */
/* RGB to X'Y'Z' in extended precision, from the chromaticities and powers of the documents: shares nothing with the
 * encoder's tables. */
#include "color.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CODED_DEPTH 12u
#define D65 0.3127L, 0.3290L

typedef struct space {
    const char *word, *transfer; /* of input-color, and what input-transfer=auto means for it */
    long double xy[8];           /* R, G, B, white */
} space;

static const space spaces[] = {
    {"rec709", "2.4", {0.640L, 0.330L, 0.300L, 0.600L, 0.150L, 0.060L, D65}},
    {"srgb", "srgb", {0.640L, 0.330L, 0.300L, 0.600L, 0.150L, 0.060L, D65}},
    {"rec601-525", "2.4", {0.630L, 0.340L, 0.310L, 0.595L, 0.155L, 0.070L, D65}},
    {"rec601-625", "2.4", {0.640L, 0.330L, 0.290L, 0.600L, 0.150L, 0.060L, D65}},
    {"rec2020", "2.4", {0.708L, 0.292L, 0.170L, 0.797L, 0.131L, 0.046L, D65}},
    {"p3-dci", "2.6", {0.680L, 0.320L, 0.265L, 0.690L, 0.150L, 0.060L, 0.314L, 0.351L}},
    {"p3-d60", "2.6", {0.680L, 0.320L, 0.265L, 0.690L, 0.150L, 0.060L, 0.32168L, 0.33767L}},
    {"p3-d65", "2.6", {0.680L, 0.320L, 0.265L, 0.690L, 0.150L, 0.060L, D65}},
    {"display-p3", "srgb", {0.680L, 0.320L, 0.265L, 0.690L, 0.150L, 0.060L, D65}},
};

typedef struct conversion {
    long double matrix[9];
    const char *transfer; /* NULL: the curves of the tables */
    fuzz_color_tables own;
    unsigned depth;
    int is_video;
} conversion;

/* ---- Matrix ---------------------------------------------------------------------------------- */

static long double determinant(const long double *a, const long double *b, const long double *c)
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * b[2] - a[2] * b[1]);
}

/* Columns are the primaries, so much of each that together they are the white with Y = 1. */
static void build_matrix(const space *s, long double *matrix)
{
    long double column[4][3];
    for (unsigned i = 0; i < 4; i++) {
        long double x = s->xy[2 * i], y = s->xy[2 * i + 1], scale = i < 3 ? 1.0L : 1.0L / y;
        column[i][0] = x * scale;
        column[i][1] = y * scale;
        column[i][2] = (1.0L - x - y) * scale;
    }
    const long double *w = column[3];
    long double whole = determinant(column[0], column[1], column[2]);
    long double share[3] = {determinant(w, column[1], column[2]) / whole, determinant(column[0], w, column[2]) / whole,
                            determinant(column[0], column[1], w) / whole};
    for (unsigned i = 0; i < 9; i++) {
        matrix[i] = column[i % 3][i / 3] * share[i % 3];
    }
}

/* ---- Samples --------------------------------------------------------------------------------- */

static long double light_of(const conversion *k, unsigned channel, int32_t sample)
{
    long double unit = ldexpl(1.0L, (int)k->depth - 8);
    long double x =
        k->is_video ? (sample - 16.0L * unit) / (219.0L * unit) : sample / (ldexpl(1.0L, (int)k->depth) - 1.0L);
    x = fminl(fmaxl(x, 0.0L), 1.0L);
    if (!k->transfer) {
        const double *curve = k->own.curve[channel];
        long double at = x * (k->own.tables.entries - 1), below = floorl(fminl(at, k->own.tables.entries - 2.0L));
        return curve[(unsigned)below] +
               (curve[(unsigned)below + 1] - (long double)curve[(unsigned)below]) * (at - below);
    }
    if (!strcmp(k->transfer, "srgb")) {
        return x <= 0.04045L ? x / 12.92L : powl((x + 0.055L) / 1.055L, 2.4L);
    }
    return !strcmp(k->transfer, "linear") ? x : powl(x, roundl(10.0L * strtold(k->transfer, NULL)) / 10.0L);
}

static void convert_pixel(const conversion *k, int32_t *const *at)
{
    long double light[3];
    for (unsigned i = 0; i < 3; i++) {
        light[i] = light_of(k, i, *at[i]);
    }
    for (unsigned i = 0; i < 3; i++) {
        const long double *m = &k->matrix[3 * i];
        long double v = (m[0] * light[0] + m[1] * light[1] + m[2] * light[2]) * 48.0L / 52.37L;
        *at[i] = (int32_t)floorl(4095.0L * powl(fminl(fmaxl(v, 0.0L), 1.0L), 1.0L / 2.6L) + 0.5L);
    }
}

static int open_conversion(const fuzz_case *c, const char *word, unsigned depth, conversion *k)
{
    const char *transfer = fuzz_case_or(c, "input-transfer", "auto"), *tables = fuzz_case_get(c, "tables");
    memset(k, 0, sizeof *k);
    k->depth = depth;
    k->is_video = !strcmp(fuzz_case_or(c, "input-range", "full"), "video");
    if (tables) {
        fuzz_color_draw((uint32_t)strtoul(tables, NULL, 10), &k->own);
        for (unsigned i = 0; i < 9; i++) {
            k->matrix[i] = k->own.tables.matrix[i];
        }
        return 1;
    }
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        if (!strcmp(spaces[i].word, word)) {
            build_matrix(&spaces[i], k->matrix);
            k->transfer = !strcmp(transfer, "auto")     ? spaces[i].transfer
                          : !strcmp(transfer, "bt1886") ? "2.4"
                                                        : transfer;
            return 1;
        }
    }
    return 0;
}

void fuzz_color_convert(const fuzz_case *c, fuzz_picture *p)
{
    static conversion k;
    const char *word = fuzz_case_or(c, "input-color", fuzz_case_get(c, "tables") ? "custom" : "none");
    int is_xyz = !strcmp(word, "xyz");
    if (!strcmp(word, "none") || !fuzz_color_can(p, is_xyz) ||
        (!is_xyz && !open_conversion(c, word, p->planes[0].depth, &k))) {
        return;
    }
    unsigned shift = p->planes[0].depth - CODED_DEPTH;
    for (size_t i = 0; i < (size_t)p->planes[0].width * p->planes[0].height; i++) {
        int32_t *at[3] = {&p->planes[0].samples[i], &p->planes[1].samples[i], &p->planes[2].samples[i]};
        for (unsigned n = 0; is_xyz && n < 3; n++) {
            *at[n] >>= shift;
        }
        if (!is_xyz) {
            convert_pixel(&k, at);
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        p->planes[i].depth = CODED_DEPTH;
    }
}

/* ---- Drawing --------------------------------------------------------------------------------- */

int fuzz_color_can(const fuzz_picture *p, int is_xyz)
{
    const fuzz_plane *first = p->planes;
    if (p->count < 3 || first->depth < (is_xyz ? CODED_DEPTH : 8u) || first->depth > 16) {
        return 0;
    }
    for (uint32_t i = 0; i < 3; i++) {
        const fuzz_plane *plane = &p->planes[i];
        if (plane->depth != first->depth || plane->is_signed || plane->dx != 1 || plane->dy != 1) {
            return 0;
        }
    }
    return 1;
}

void fuzz_color_draw(uint32_t seed, fuzz_color_tables *t)
{
    fuzz_random random = {seed};
    memset(t, 0, sizeof *t);
    t->tables.struct_size = sizeof t->tables;
    t->tables.entries = fuzz_random_between(&random, 2, FUZZ_CURVE_MOST);
    for (unsigned i = 0; i < 3; i++) {
        double power = fuzz_random_between(&random, 10, 28) / 10.0;
        for (uint32_t k = 0; k < t->tables.entries; k++) {
            t->curve[i][k] = pow((double)k / (t->tables.entries - 1), power);
        }
        t->tables.curve[i] = t->curve[i];
    }
    for (unsigned i = 0; i < 9; i++) { /* about what primaries have; some outside of the gamut, so that codes are cut */
        t->tables.matrix[i] = fuzz_random_between(&random, 0, 1000) / 1500.0 - (i % 4 ? 0.1 : 0.0);
    }
}
