/* SPDX-License-Identifier: BSD-2-Clause */
#include "geom/color.h"

#define DEPTH_LEAST 8u
#define DEPTH_MOST 16u

/* SMPTE ST 428-1: white of 48 cd/m2 stands in a container of 52.37 cd/m2; 4095^2.6 brings the light to the scale of
 * codes. */
#define PEAK (48.0 / 52.37)
#define SCALE 2465245392.870972

/* ---- Spaces ---------------------------------------------------------------------------------- */

/* Chromaticities x, y. */
typedef struct color_space {
    double red[2], green[2], blue[2], white[2];
} color_space;

#define D65                                                                                                            \
    {                                                                                                                  \
        0.3127, 0.3290                                                                                                 \
    }
#define P3                                                                                                             \
    {0.680, 0.320}, {0.265, 0.690}, { 0.150, 0.060 }

static const color_space spaces[WVL_INPUT_CUSTOM] = {
    [WVL_INPUT_REC709] = {{0.640, 0.330}, {0.300, 0.600}, {0.150, 0.060}, D65},     /* ITU-R BT.709 */
    [WVL_INPUT_SRGB] = {{0.640, 0.330}, {0.300, 0.600}, {0.150, 0.060}, D65},       /* IEC 61966-2-1 */
    [WVL_INPUT_REC601_525] = {{0.630, 0.340}, {0.310, 0.595}, {0.155, 0.070}, D65}, /* ITU-R BT.601, 525 lines */
    [WVL_INPUT_REC601_625] = {{0.640, 0.330}, {0.290, 0.600}, {0.150, 0.060}, D65}, /* ITU-R BT.601, 625 lines */
    [WVL_INPUT_REC2020] = {{0.708, 0.292}, {0.170, 0.797}, {0.131, 0.046}, D65},    /* ITU-R BT.2020 */
    [WVL_INPUT_P3_DCI] = {P3, {0.314, 0.351}},                                      /* SMPTE RP 431-2 */
    [WVL_INPUT_P3_D60] = {P3, {0.32168, 0.33767}},                                  /* the white of ACES */
    [WVL_INPUT_P3_D65] = {P3, D65},                                                 /* SMPTE EG 432-1 */
    [WVL_INPUT_DISPLAY_P3] = {P3, D65},
};

/* X, Y, Z of a chromaticity, with Y = 1. */
static void put_column(const double *xy, double *m, unsigned column)
{
    m[column] = xy[0] / xy[1];
    m[3 + column] = 1.0;
    m[6 + column] = (1.0 - xy[0] - xy[1]) / xy[1];
}

/* Solves m * s = v by Cramer's rule. */
static void solve(const double *m, const double *v, double *s)
{
    double a = m[4] * m[8] - m[5] * m[7], b = m[5] * m[6] - m[3] * m[8], c = m[3] * m[7] - m[4] * m[6];
    double determinant = m[0] * a + m[1] * b + m[2] * c;
    s[0] = (v[0] * a + v[1] * (m[2] * m[7] - m[1] * m[8]) + v[2] * (m[1] * m[5] - m[2] * m[4])) / determinant;
    s[1] = (v[0] * b + v[1] * (m[0] * m[8] - m[2] * m[6]) + v[2] * (m[2] * m[3] - m[0] * m[5])) / determinant;
    s[2] = (v[0] * c + v[1] * (m[1] * m[6] - m[0] * m[7]) + v[2] * (m[0] * m[4] - m[1] * m[3])) / determinant;
}

/* ---- Curves ---------------------------------------------------------------------------------- */

/* x^(1/5) by Newton's method from above, where it falls until the last bit; `above` is not less than the root. */
static double fifth_root(double x, double above)
{
    if (x <= 0.0) {
        return 0.0;
    }
    for (double root = above;;) {
        double square = root * root, next = (4.0 * root + x / (square * square)) / 5.0;
        if (!(next < root)) {
            return root;
        }
        root = next;
    }
}

static unsigned resolve_transfer(const wvl_settings *s)
{
    if (s->input_transfer != WVL_TRANSFER_AUTO) {
        return s->input_transfer == WVL_TRANSFER_BT1886 ? WVL_TRANSFER_24 : s->input_transfer;
    }
    switch (s->input_color) {
    case WVL_INPUT_SRGB:
    case WVL_INPUT_DISPLAY_P3: return WVL_TRANSFER_SRGB;
    case WVL_INPUT_P3_DCI:
    case WVL_INPUT_P3_D60:
    case WVL_INPUT_P3_D65: return WVL_TRANSFER_26;
    default: return WVL_TRANSFER_24;
    }
}

/* Light of x in [0, 1]. *root: of the last larger x, 1 at first. All powers are fifths: 2.2, 2.4, 2.6 are 2 and 1, 2, 3
 * of them. */
static double apply_transfer(unsigned transfer, double x, double *root)
{
    if (transfer == WVL_TRANSFER_LINEAR) {
        return x;
    }
    if (transfer == WVL_TRANSFER_SRGB) {
        if (x <= 0.04045) {
            return x / 12.92;
        }
        x = (x + 0.055) / 1.055;
    }
    double r = *root = fifth_root(x, *root);
    double light = x * x * r;
    return transfer == WVL_TRANSFER_22 ? light : transfer == WVL_TRANSFER_26 ? light * r * r : light * r;
}

/* Between neighbours in a straight line. */
static double apply_curve(const double *curve, uint32_t entries, double x)
{
    double at = x * (entries - 1);
    uint32_t i = (uint32_t)at;
    return i + 1 < entries ? curve[i] + (curve[i + 1] - curve[i]) * (at - i) : curve[entries - 1];
}

/* Place of a sample between black and white. */
static double place_sample(const wvl_settings *s, uint32_t value, unsigned depth)
{
    double unit = (double)(1u << (depth - 8));
    double x =
        s->input_video ? ((double)value - 16.0 * unit) / (219.0 * unit) : (double)value / (double)((1u << depth) - 1);
    return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
}

static void build_curve(const wvl_settings *s, unsigned depth, unsigned channel, double *linear)
{
    unsigned transfer = resolve_transfer(s);
    double root = 1.0;
    for (uint32_t value = 1u << depth; value-- > 0;) {
        double x = place_sample(s, value, depth);
        linear[value] =
            s->input_color == WVL_INPUT_CUSTOM
                ? apply_curve(s->custom.curves + (uint64_t)channel * s->custom.entries, s->custom.entries, x)
                : apply_transfer(transfer, x, &root);
    }
}

/* ---- Tables ---------------------------------------------------------------------------------- */

unsigned wvl_plan_coded_depth(const wvl_settings *s, const wvl_image_format *f, uint32_t component)
{
    return s->input_color != WVL_INPUT_AS_IS && component < 3 ? WVL_XYZ_DEPTH : f->components[component].depth;
}

static unsigned choose_kind(const wvl_settings *s, const wvl_image_format *f)
{
    if (s->input_color == WVL_INPUT_XYZ) {
        return f->components[0].depth > WVL_XYZ_DEPTH ? WVL_XYZ_SHIFT : WVL_XYZ_NONE;
    }
    return s->input_color == WVL_INPUT_AS_IS ? WVL_XYZ_NONE : WVL_XYZ_MATRIX;
}

uint64_t wvl_color_count_entries(const wvl_settings *s, const wvl_image_format *f)
{
    if (choose_kind(s, f) != WVL_XYZ_MATRIX) {
        return 0;
    }
    uint64_t entries = (uint64_t)(s->input_color == WVL_INPUT_CUSTOM ? 3 : 1) << f->components[0].depth;
    return entries + entries / 2; /* as doubles, then as floats */
}

void wvl_color_build(const wvl_settings *s, const wvl_image_format *f, double *linear, wvl_plan_xyz *xyz)
{
    unsigned depth = f->components[0].depth;
    xyz->is_xyz = s->input_color != WVL_INPUT_AS_IS;
    xyz->kind = (uint8_t)choose_kind(s, f);
    if (xyz->kind == WVL_XYZ_NONE) {
        return;
    }
    xyz->depth = (uint8_t)depth;
    if (xyz->kind == WVL_XYZ_SHIFT) {
        return;
    }
    unsigned curves = s->input_color == WVL_INPUT_CUSTOM ? 3 : 1;
    float *coarse = (float *)(void *)(linear + ((uint64_t)curves << depth));
    for (unsigned i = 0; i < curves; i++) {
        build_curve(s, depth, i, linear + ((uint64_t)i << depth));
    }
    for (uint64_t i = 0; i < (uint64_t)curves << depth; i++) {
        coarse[i] = (float)linear[i];
    }
    for (unsigned i = 0; i < 3; i++) {
        uint64_t first = (uint64_t)(curves == 3 ? i : 0) << depth;
        xyz->linear[i] = linear + first;
        xyz->coarse[i] = coarse + first;
    }
    double matrix[9];
    int custom = s->input_color == WVL_INPUT_CUSTOM;
    if (!custom) {
        /* White is R = G = B = 1; the white of the space stays what it is, nothing is adapted. */
        const color_space *space = &spaces[s->input_color];
        double white[9] = {0}, share[3];
        put_column(space->red, matrix, 0);
        put_column(space->green, matrix, 1);
        put_column(space->blue, matrix, 2);
        put_column(space->white, white, 0);
        solve(matrix, (const double[3]){white[0], white[3], white[6]}, share);
        for (unsigned i = 0; i < 9; i++) {
            matrix[i] *= share[i % 3];
        }
    }
    for (unsigned i = 0; i < 9; i++) {
        xyz->matrix[i] = (custom ? s->custom.matrix[i] : matrix[i]) * PEAK * SCALE;
        xyz->coarse_matrix[i] = (float)xyz->matrix[i];
        xyz->has_negative |= xyz->matrix[i] < 0.0;
    }
}

/* ---- Rules ----------------------------------------------------------------------------------- */

void wvl_color_check(const wvl_settings *s, const wvl_image_format *f, wvl_report *r)
{
    int is_xyz = s->input_color == WVL_INPUT_XYZ;
    if (s->input_color == WVL_INPUT_AS_IS || is_xyz) {
        wvl_report_if(r, s->input_transfer != WVL_TRANSFER_AUTO || s->input_video,
                      "input-transfer and input-range belong to an input-color that is converted from RGB");
        if (!is_xyz) {
            return;
        }
    }
    wvl_report_if(r, s->input_color == WVL_INPUT_CUSTOM && !s->custom.entries,
                  "input-color custom: no tables were given (wvl_params_set_color)");
    wvl_report_if(r, s->input_color == WVL_INPUT_CUSTOM && s->input_transfer != WVL_TRANSFER_AUTO,
                  "input-transfer: the tables of input-color custom hold the curves already");
    if (f->component_count < 3) {
        wvl_report_add(r, "input-color: %u components; X'Y'Z' needs three", f->component_count);
        return;
    }
    unsigned least = is_xyz ? WVL_XYZ_DEPTH : DEPTH_LEAST;
    for (uint32_t c = 0; c < 3; c++) {
        const wvl_component_format *cf = &f->components[c];
        wvl_report_if(r, cf->dx > 1 || cf->dy > 1,
                      "input-color: component %u is subsampled %u,%u; X'Y'Z' needs every sample of all three", c,
                      cf->dx ? cf->dx : 1, cf->dy ? cf->dy : 1);
        wvl_report_if(r, cf->is_signed, "input-color: component %u is signed; X'Y'Z' needs unsigned samples", c);
        int is_other = cf->depth != f->components[0].depth;
        wvl_report_if(r, is_other || (c == 0 && (cf->depth < least || cf->depth > DEPTH_MOST)),
                      "input-color: component %u has depth %u; three equal depths of %u to %u are supported", c,
                      cf->depth, least, DEPTH_MOST);
    }
    wvl_report_if(r, s->jp2,
                  "input-color: JP2 has no colour space for X'Y'Z' of digital cinema (I.5.3.3); write a codestream");
}
