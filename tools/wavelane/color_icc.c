/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ICC profiles. A profile speaks of colours adapted to D50; digital cinema shows them as they are, so the adaptation is
 * taken back: by the profile's own matrix ('chad'), or in profiles before version 4 by Bradford's from the media white.
 */

#include <math.h>
#include <stdlib.h>

#include "cli.h"

#ifndef WVL_HAVE_LCMS2

int wvl_cli_apply_profile(const char *name, wvl_cli_picture *p, wvl_params *params)
{
    (void)p, (void)params;
    return wvl_cli_fail(WVL_EXIT_INPUT,
                        "%s: this build cannot read the picture's ICC profile, because it has no Little CMS; name the "
                        "colour space with --input-color srgb, p3-d65, ...",
                        name);
}

#else

#include <lcms2.h>

#define CODE_DEPTH 12u

static int refuse(const char *name, const char *reason)
{
    return wvl_cli_fail(WVL_EXIT_INPUT,
                        "%s: the ICC profile %s; name the colour space with --input-color srgb, p3-d65, ...", name,
                        reason);
}

/* ---- White ----------------------------------------------------------------------------------- */

static void multiply(const double *a, const double *b, double *product)
{
    for (int i = 0; i < 9; i++) {
        product[i] = a[i / 3 * 3] * b[i % 3] + a[i / 3 * 3 + 1] * b[3 + i % 3] + a[i / 3 * 3 + 2] * b[6 + i % 3];
    }
}

/* 0: has no inverse. */
static int invert(const double *m, double *inverse)
{
    double adjugate[9];
    for (int i = 0; i < 9; i++) { /* element (row, column) is the cofactor of (column, row) */
        int r = i % 3, c = i / 3, r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
        adjugate[i] = m[3 * r1 + c1] * m[3 * r2 + c2] - m[3 * r1 + c2] * m[3 * r2 + c1];
    }
    double determinant = m[0] * adjugate[0] + m[1] * adjugate[3] + m[2] * adjugate[6];
    for (int i = 0; i < 9; i++) {
        inverse[i] = adjugate[i] / determinant;
    }
    return fabs(determinant) > 1e-6;
}

/* Bradford's adaptation between two whites. */
static int adapt(const double *from, const double *to, double *matrix)
{
    static const double cone[9] = {0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296};
    double back[9], scaled[9];
    for (int i = 0; i < 3; i++) {
        const double *m = &cone[3 * i];
        double have = m[0] * from[0] + m[1] * from[1] + m[2] * from[2],
               want = m[0] * to[0] + m[1] * to[1] + m[2] * to[2];
        for (int k = 0; k < 3; k++) {
            scaled[3 * i + k] = m[k] * want / have;
        }
    }
    (void)invert(cone, back);
    multiply(back, scaled, matrix);
    return isfinite(matrix[0]) && isfinite(matrix[4]) && isfinite(matrix[8]);
}

/* From the profile's D50 to the white of the colours themselves. 0: the profile is not sane. */
static int find_white(cmsHPROFILE profile, double *matrix)
{
    const double *adaptation = cmsReadTag(profile, cmsSigChromaticAdaptationTag);
    const cmsCIEXYZ *white = cmsReadTag(profile, cmsSigMediaWhitePointTag), *d50 = cmsD50_XYZ();
    if (adaptation) {
        return invert(adaptation, matrix);
    }
    if (white && cmsGetProfileVersion(profile) < 4.0) {
        return white->Y > 0.5 && adapt((const double[3]){d50->X, d50->Y, d50->Z},
                                       (const double[3]){white->X, white->Y, white->Z}, matrix);
    }
    static const double same[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(matrix, same, sizeof same);
    return 1;
}

/* ---- Matrix profiles ------------------------------------------------------------------------- */

static int fill_curves(cmsHPROFILE profile, uint32_t entries, double *curves)
{
    static const cmsTagSignature tags[3] = {cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag};
    for (unsigned c = 0; c < 3; c++) {
        const cmsToneCurve *curve = cmsReadTag(profile, tags[c]);
        for (uint32_t i = 0; curve && i < entries; i++) {
            double light = (double)cmsEvalToneCurveFloat(curve, (float)((double)i / (entries - 1)));
            curves[(size_t)c * entries + i] = light > 0.0 ? fmin(light, 1.0) : 0.0;
        }
        if (!curve) {
            return 0;
        }
    }
    return 1;
}

static int fill_matrix(cmsHPROFILE profile, const double *white, double *matrix)
{
    static const cmsTagSignature tags[3] = {cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag};
    double colorants[9];
    for (unsigned c = 0; c < 3; c++) {
        const cmsCIEXYZ *colorant = cmsReadTag(profile, tags[c]);
        if (!colorant) {
            return 0;
        }
        colorants[c] = colorant->X;
        colorants[3 + c] = colorant->Y;
        colorants[6 + c] = colorant->Z;
    }
    multiply(white, colorants, matrix);
    return 1;
}

static int take_matrix(const char *name, cmsHPROFILE profile, const double *white, unsigned depth, wvl_params *params)
{
    uint32_t entries = 1u << depth;
    double *curves = malloc((size_t)3 * entries * sizeof *curves);
    if (!curves) {
        return wvl_cli_lack_memory(name);
    }
    wvl_color_tables tables = {.struct_size = sizeof tables,
                               .entries = entries,
                               .curve = {curves, curves + entries, curves + 2 * (size_t)entries}};
    int code = WVL_EXIT_OK;
    if (!fill_curves(profile, entries, curves) || !fill_matrix(profile, white, tables.matrix)) {
        code = refuse(name, "lacks a curve or a colorant");
    } else if (wvl_params_set_color(params, &tables)) {
        code = wvl_cli_fail(WVL_EXIT_INPUT, "%s: the ICC profile: %s", name, wvl_params_error(params));
    }
    free(curves);
    return code;
}

/* ---- Other profiles: the picture itself is converted ----------------------------------------- */

static uint16_t code_of(double light)
{
    double v = light * 48.0 / 52.37;
    return (uint16_t)floor(4095.0 * pow(v > 0.0 ? fmin(v, 1.0) : 0.0, 1.0 / 2.6) + 0.5);
}

static void convert_row(cmsHTRANSFORM transform, const double *white, const wvl_io_picture *io, uint32_t y, double *row,
                        uint16_t *codes)
{
    for (uint32_t i = 0; i < 3 * io->width; i++) {
        const wvl_io_component *c = &io->components[i % 3];
        row[i] = (double)wvl_io_sample(c, i / 3, y) / ((1u << c->depth) - 1);
    }
    cmsDoTransform(transform, row, row, io->width);
    for (uint32_t i = 0; i < 3 * io->width; i++) {
        const double *m = &white[i % 3 * 3], *v = &row[i / 3 * 3];
        codes[i] = code_of(m[0] * v[0] + m[1] * v[1] + m[2] * v[2]);
    }
}

static int convert_picture(const char *name, cmsHPROFILE profile, const double *white, wvl_cli_picture *p,
                           wvl_params *params)
{
    cmsHPROFILE xyz = cmsCreateXYZProfile();
    cmsHTRANSFORM transform = xyz ? cmsCreateTransform(profile, TYPE_RGB_DBL, xyz, TYPE_XYZ_DBL,
                                                       INTENT_RELATIVE_COLORIMETRIC, cmsFLAGS_NOCACHE)
                                  : NULL;
    uint16_t *codes = malloc((size_t)6 * p->io.width * p->io.height);
    double *row = malloc((size_t)3 * p->io.width * sizeof *row);
    int code = !transform       ? refuse(name, "cannot be used for a conversion")
               : !codes || !row ? wvl_cli_lack_memory(name)
                                : WVL_EXIT_OK;
    for (uint32_t y = 0; !code && y < p->io.height; y++) {
        convert_row(transform, white, &p->io, y, row, codes + (size_t)3 * p->io.width * y);
    }
    if (!code && wvl_params_set(params, "input-color", "xyz")) {
        code = WVL_EXIT_INPUT;
    }
    if (!code) {
        /* The old samples stay until the picture goes: a fourth component may lie among them. */
        for (unsigned i = 0; i < 3; i++) {
            wvl_io_component *c = &p->io.components[i];
            c->data = codes + i;
            c->depth = CODE_DEPTH;
            c->sample_bytes = 2;
            c->sample_stride_bytes = 6;
            c->stride_bytes = (size_t)6 * p->io.width;
            p->components[i].depth = CODE_DEPTH;
            p->planes[i] = (wvl_plane){.data = codes,
                                       .pitch_bytes = (ptrdiff_t)c->stride_bytes,
                                       .sample_stride = 3,
                                       .first_sample = i,
                                       .container = WVL_SAMPLE_16};
        }
        p->converted = codes;
    } else {
        free(codes);
    }
    free(row);
    if (transform) {
        cmsDeleteTransform(transform);
    }
    if (xyz) {
        cmsCloseProfile(xyz);
    }
    return code;
}

/* ---- All ------------------------------------------------------------------------------------- */

static int check_components(const char *name, const wvl_io_picture *io)
{
    for (unsigned i = 0; i < 3; i++) {
        const wvl_io_component *c = &io->components[i];
        if (io->component_count < 3 || c->depth < 8 || c->depth > 16 || c->depth != io->components[0].depth ||
            c->is_signed || c->dx != 1 || c->dy != 1) {
            return wvl_cli_fail(WVL_EXIT_INPUT,
                                "%s: the conversion to X'Y'Z' needs three unsigned components of the same size and "
                                "depth, of 8 to 16 bits",
                                name);
        }
    }
    return WVL_EXIT_OK;
}

static int use_profile(const char *name, cmsHPROFILE profile, wvl_cli_picture *p, wvl_params *params)
{
    double white[9];
    cmsProfileClassSignature class = cmsGetDeviceClass(profile);
    if (cmsGetColorSpace(profile) != cmsSigRgbData) {
        return refuse(name, "is not for RGB");
    }
    if (class != cmsSigInputClass && class != cmsSigDisplayClass && class != cmsSigOutputClass &&
        class != cmsSigColorSpaceClass) {
        return refuse(name, "does not describe a device or a space");
    }
    if (!find_white(profile, white)) {
        return refuse(name, "has no usable white");
    }
    int is_matrix = cmsIsMatrixShaper(profile) && !cmsIsTag(profile, cmsSigAToB0Tag);
    wvl_cli_inform("%s: converted to X'Y'Z' by its ICC profile (%s)", name, is_matrix ? "curves and matrix" : "tables");
    return is_matrix ? take_matrix(name, profile, white, p->io.components[0].depth, params)
                     : convert_picture(name, profile, white, p, params);
}

int wvl_cli_apply_profile(const char *name, wvl_cli_picture *p, wvl_params *params)
{
    int code = check_components(name, &p->io);
    if (code) {
        return code;
    }
    cmsHPROFILE profile =
        p->io.icc_bytes <= UINT32_MAX ? cmsOpenProfileFromMem(p->io.icc, (cmsUInt32Number)p->io.icc_bytes) : NULL;
    if (!profile) {
        return refuse(name, "cannot be read");
    }
    code = use_profile(name, profile, p, params);
    cmsCloseProfile(profile);
    return code;
}

#endif
