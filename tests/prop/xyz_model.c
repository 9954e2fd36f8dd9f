/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/prop/xyz_model.h"

#include <math.h>
#include <string.h>

#define WHITE_D65                                                                                                      \
    {                                                                                                                  \
        0.3127L, 0.3290L                                                                                               \
    }

const xyz_space xyz_spaces[XYZ_SPACES] = {
    {"rec709", {0.64L, 0.33L, 0.30L, 0.60L, 0.15L, 0.06L}, WHITE_D65, CURVE_24},
    {"srgb", {0.64L, 0.33L, 0.30L, 0.60L, 0.15L, 0.06L}, WHITE_D65, CURVE_SRGB},
    {"rec601-525", {0.63L, 0.34L, 0.31L, 0.595L, 0.155L, 0.07L}, WHITE_D65, CURVE_24},
    {"rec601-625", {0.64L, 0.33L, 0.29L, 0.60L, 0.15L, 0.06L}, WHITE_D65, CURVE_24},
    {"rec2020", {0.708L, 0.292L, 0.17L, 0.797L, 0.131L, 0.046L}, WHITE_D65, CURVE_24},
    {"p3-dci", {0.68L, 0.32L, 0.265L, 0.69L, 0.15L, 0.06L}, {0.314L, 0.351L}, CURVE_26},
    {"p3-d60", {0.68L, 0.32L, 0.265L, 0.69L, 0.15L, 0.06L}, {0.32168L, 0.33767L}, CURVE_26},
    {"p3-d65", {0.68L, 0.32L, 0.265L, 0.69L, 0.15L, 0.06L}, WHITE_D65, CURVE_26},
    {"display-p3", {0.68L, 0.32L, 0.265L, 0.69L, 0.15L, 0.06L}, WHITE_D65, CURVE_SRGB},
};

/* Gauss-Jordan elimination on three equations with the greatest pivot. */
static void solve3(long double a[3][4])
{
    for (int i = 0; i < 3; i++) {
        int pivot = i;
        for (int k = i; k < 3; k++) {
            pivot = fabsl(a[k][i]) > fabsl(a[pivot][i]) ? k : pivot;
        }
        for (int j = 0; j < 4; j++) {
            long double t = a[i][j];
            a[i][j] = a[pivot][j];
            a[pivot][j] = t;
        }
        for (int k = 0; k < 3; k++) {
            long double part = a[k][i] / a[i][i];
            for (int j = i; k != i && j < 4; j++) {
                a[k][j] -= part * a[i][j];
            }
        }
    }
}

xyz_model xyz_build_model(const xyz_space *space, xyz_curve curve, unsigned depth, int is_video)
{
    xyz_model model = {.curve = curve, .depth = depth, .is_video = is_video};
    long double a[3][4];
    for (int i = 0; i < 4; i++) {
        const long double *xy = i < 3 ? &space->primaries[2 * i] : space->white;
        /* columns as small x, y, z; the white with Y = 1 */
        long double scale = i < 3 ? 1.0L : 1.0L / xy[1];
        a[0][i] = xy[0] * scale;
        a[1][i] = xy[1] * scale;
        a[2][i] = (1.0L - xy[0] - xy[1]) * scale;
    }
    for (int i = 0; i < 9; i++) {
        model.matrix[i] = a[i / 3][i % 3];
    }
    solve3(a);
    for (int i = 0; i < 9; i++) {
        model.matrix[i] *= a[i % 3][3] / a[i % 3][i % 3];
    }
    return model;
}

long double xyz_linear(const xyz_model *model, uint32_t sample)
{
    long double unit = (long double)(1u << (model->depth - 8));
    long double x =
        model->is_video ? (sample - 16.0L * unit) / (219.0L * unit) : (long double)sample / ((1u << model->depth) - 1);
    x = x < 0.0L ? 0.0L : x > 1.0L ? 1.0L : x;
    switch (model->curve) {
    case CURVE_LINEAR: return x;
    case CURVE_22: return powl(x, 2.2L);
    case CURVE_24: return powl(x, 2.4L);
    case CURVE_26: return powl(x, 2.6L);
    case CURVE_SRGB: return x <= 0.04045L ? x / 12.92L : powl((x + 0.055L) / 1.055L, 2.4L);
    }
    return 0.0L;
}

/* As xyz_linear(), which takes a power: the light of each sample is computed once while the curve stays. */
static long double recall_linear(const xyz_model *model, uint32_t sample)
{
    static long double lights[1u << 16];
    static uint8_t known[1u << 16];
    static unsigned kept_curve, kept_depth, kept_video;
    if (model->curve != kept_curve || model->depth != kept_depth || (unsigned)model->is_video != kept_video) {
        memset(known, 0, sizeof known);
        kept_curve = model->curve;
        kept_depth = model->depth;
        kept_video = (unsigned)model->is_video;
    }
    if (!known[sample]) {
        lights[sample] = xyz_linear(model, sample);
        known[sample] = 1;
    }
    return lights[sample];
}

void xyz_convert(const xyz_model *model, const uint32_t *rgb, long double *xyz)
{
    long double light[3];
    for (int i = 0; i < 3; i++) {
        light[i] = recall_linear(model, rgb[i]);
    }
    for (int i = 0; i < 3; i++) {
        const long double *m = &model->matrix[3 * i];
        long double v = (m[0] * light[0] + m[1] * light[1] + m[2] * light[2]) * 48.0L / 52.37L;
        xyz[i] = v < 0.0L ? 0.0L : v > 1.0L ? 1.0L : v;
    }
}

long double xyz_code(long double light) { return 4095.0L * powl(light, 1.0L / 2.6L); }

/* Light where the code is this. */
static long double light_of(long double code) { return code < 0.0L ? -1.0L : powl(code / 4095.0L, 2.6L); }

int xyz_is_right(long double light, int32_t code)
{
    static long double borders[4096][2]; /* of each code, and a little beyond */
    if (borders[4095][1] == 0.0L) {
        for (int i = 0; i < 4096; i++) {
            borders[i][0] = light_of(i - 0.5L - 1e-9L);
            borders[i][1] = light_of(i + 0.5L + 1e-9L);
        }
    }
    return code >= 0 && code < 4096 && light >= borders[code][0] && light <= borders[code][1];
}
