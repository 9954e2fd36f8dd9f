/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures with ICC profiles that Little CMS makes: by curves and matrix, with the adaptation told in either way, and
 * by tables. OpenJPEG decodes, and the model of the same space, which knows of no profile, says what must come out. */
#include <lcms2.h>
#include <math.h>

#include "tests/prop/xyz_model.h"
#include "tests/support/support.h"
#include "tools/wavelane/cli.h"

#define SIDE 64u
#define PIXELS (SIDE * SIDE)

static uint16_t samples[3 * PIXELS], expected[3 * PIXELS];
static wvl_io_component components[3], expected_components[3];
static wvl_component_format formats[3];
static wvl_plane planes[3];
static wvl_context *context;
static wvl_params *params;

static void wrap(wvl_io_component *c, uint16_t *data, unsigned depth)
{
    for (unsigned i = 0; i < 3; i++) {
        c[i] = (wvl_io_component){.width = SIDE,
                                  .height = SIDE,
                                  .dx = 1,
                                  .dy = 1,
                                  .depth = (uint8_t)depth,
                                  .sample_bytes = 2,
                                  .sample_stride_bytes = 6,
                                  .stride_bytes = 6 * SIDE,
                                  .data = data + i};
    }
}

/* Corners of the cube, greys, then any. */
static void draw(const xyz_model *model)
{
    uint32_t top = (1u << model->depth) - 1, state = 12345;
    for (uint32_t i = 0; i < PIXELS; i++) {
        uint32_t rgb[3];
        long double light[3];
        for (unsigned c = 0; c < 3; c++) {
            state = state * 1664525u + 1013904223u;
            rgb[c] = i < 8 ? (i >> c & 1) * top : i < SIDE ? i * top / SIDE : state >> 16 & top;
            samples[3 * i + c] = (uint16_t)rgb[c];
        }
        xyz_convert(model, rgb, light);
        for (unsigned c = 0; c < 3; c++) {
            expected[3 * i + c] = (uint16_t)roundl(xyz_code(light[c]));
        }
    }
}

static wvl_cli_picture open_picture(cmsHPROFILE profile, unsigned depth)
{
    wvl_cli_picture p = {.components = formats, .planes = planes};
    cmsUInt32Number bytes = 0;
    ck_assert(cmsSaveProfileToMem(profile, NULL, &bytes));
    p.io = (wvl_io_picture){.width = SIDE,
                            .height = SIDE,
                            .component_count = 3,
                            .components = components,
                            .color = WVL_IO_RGB,
                            .alpha_component = -1,
                            .icc = malloc(bytes),
                            .icc_bytes = bytes};
    ck_assert(p.io.icc && cmsSaveProfileToMem(profile, p.io.icc, &bytes));
    cmsCloseProfile(profile);
    wrap(components, samples, depth);
    for (unsigned i = 0; i < 3; i++) {
        formats[i] = (wvl_component_format){.depth = (uint8_t)depth, .dx = 1, .dy = 1};
        planes[i] = (wvl_plane){samples, 6 * SIDE, 3, i, WVL_SAMPLE_16};
    }
    p.format = (wvl_image_format){
        .struct_size = sizeof p.format, .x1 = SIDE, .y1 = SIDE, .component_count = 3, .components = formats};
    p.image = (wvl_image){.struct_size = sizeof p.image, .planes = planes, .plane_count = 3};
    return p;
}

/* PSNR of the codes that come back against the expected ones. */
static double code_and_compare(const wvl_cli_picture *p)
{
    wvl_plan *plan;
    wvl_sink sink = {.struct_size = sizeof sink};
    void *data;
    size_t bytes;
    wvl_cli_check check = {0};
    wvl_cli_picture other = {.io = {.component_count = 3, .components = expected_components}};
    wrap(expected_components, expected, 12);
    ck_assert_msg(wvl_plan_create(context, params, &p->format, NULL, &plan) == WVL_OK, "%s",
                  wvl_context_error(context));
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    ck_assert_int_eq(wvl_encode(plan, &p->image, &sink, NULL, NULL, NULL, 0), WVL_OK);
    ck_assert_int_eq(wvl_sink_take_memory(&sink, &data, &bytes), WVL_OK);
    ck_assert_int_eq(wvl_cli_verify_bytes(&other, "test", 0, data, bytes, &check), WVL_EXIT_OK);
    wvl_memory_release(context, data, bytes);
    wvl_plan_release(plan);
    free(check.component_psnr);
    return check.psnr;
}

static void judge(cmsHPROFILE profile, unsigned space, unsigned depth, const char *word, double least)
{
    xyz_model model = xyz_build_model(&xyz_spaces[space], CURVE_SRGB, depth, 0);
    draw(&model);
    wvl_cli_picture p = open_picture(profile, depth);
    ck_assert_int_eq(wvl_cli_apply_profile("test", &p, params), WVL_EXIT_OK);
    ck_assert_str_eq(wvl_params_get(params, "input-color"), word);
    double psnr = code_and_compare(&p);
    ck_assert_msg(psnr >= least, "%s, depth %u: %.2f dB", xyz_spaces[space].word, depth, psnr);
    free(p.converted);
    free(p.io.icc);
}

static cmsHPROFILE make_profile(unsigned space)
{
    const long double *v = xyz_spaces[space].primaries, *w = xyz_spaces[space].white;
    cmsFloat64Number srgb[5] = {2.4, 1.0 / 1.055, 0.055 / 1.055, 1.0 / 12.92, 0.04045};
    cmsToneCurve *curve = cmsBuildParametricToneCurve(NULL, 4, srgb), *curves[3] = {curve, curve, curve};
    cmsCIExyY white = {(double)w[0], (double)w[1], 1.0};
    cmsCIExyYTRIPLE primaries = {
        {(double)v[0], (double)v[1], 1.0}, {(double)v[2], (double)v[3], 1.0}, {(double)v[4], (double)v[5], 1.0}};
    cmsHPROFILE profile = cmsCreateRGBProfile(&white, &primaries, curves);
    cmsFreeToneCurve(curve);
    ck_assert_ptr_nonnull(profile);
    return profile;
}

static void setup(void)
{
    ck_assert_int_eq(wvl_context_create(NULL, &context), WVL_OK);
    ck_assert_int_eq(wvl_params_create(context, &params), WVL_OK);
}

static void teardown(void)
{
    wvl_params_release(params);
    wvl_context_release(context);
}

TEST_FIXTURE(setup, teardown);

/* Profiles keep colorants in 16 bits behind the point. That is 89 dB and more (a fiftieth of the samples off by one),
 * but where P3's red, which has no Z, is left with 8e-6 of it: dark codes are dense. */
TEST(matrix_profiles)
{
    for (unsigned space = 0; space < XYZ_SPACES; space++) {
        for (unsigned depth = 8; depth <= 16; depth += 4) {
            judge(make_profile(space), space, depth, "custom", 78.0);
        }
    }
}

/* Before version 4: no 'chad', but the media white. */
TEST(old_matrix_profiles)
{
    cmsHPROFILE profile = make_profile(1);
    cmsCIEXYZ white;
    cmsCIExyY d65 = {0.3127, 0.3290, 1.0};
    cmsxyY2XYZ(&white, &d65);
    cmsSetProfileVersion(profile, 2.1);
    ck_assert(cmsWriteTag(profile, cmsSigMediaWhitePointTag, &white));
    ck_assert(cmsWriteTag(profile, cmsSigChromaticAdaptationTag, NULL));
    judge(profile, 1, 8, "custom", 78.0);
}

/* A device link made a colour space: tables of 33 points. D50 stays the white, since nothing tells another. */
TEST(table_profiles)
{
    cmsHPROFILE srgb = make_profile(1), xyz = cmsCreateXYZProfile();
    cmsHTRANSFORM transform =
        cmsCreateTransform(srgb, TYPE_RGB_16, xyz, TYPE_XYZ_16, INTENT_RELATIVE_COLORIMETRIC, cmsFLAGS_NOOPTIMIZE);
    cmsHPROFILE link = cmsTransform2DeviceLink(transform, 4.2, cmsFLAGS_FORCE_CLUT);
    ck_assert_ptr_nonnull(link);
    cmsSetDeviceClass(link, cmsSigColorSpaceClass);
    cmsSetPCS(link, cmsSigXYZData);
    ck_assert(cmsIsTag(link, cmsSigAToB0Tag));
    const double *adaptation = cmsReadTag(srgb, cmsSigChromaticAdaptationTag);
    ck_assert_ptr_nonnull(adaptation);
    ck_assert(cmsWriteTag(link, cmsSigChromaticAdaptationTag, adaptation));
    cmsDeleteTransform(transform);
    cmsCloseProfile(xyz);
    cmsCloseProfile(srgb);
    judge(link, 1, 8, "xyz", 65.0);
}

TEST(refusals)
{
    cmsHPROFILE lab = cmsCreateLab4Profile(NULL);
    wvl_cli_picture p = open_picture(lab, 8);
    ck_assert_int_eq(wvl_cli_apply_profile("test", &p, params), WVL_EXIT_INPUT);
    ck_assert_ptr_nonnull(strstr(wvl_cli_last_error(), "is not for RGB"));
    memset(p.io.icc, 0, p.io.icc_bytes);
    ck_assert_int_eq(wvl_cli_apply_profile("test", &p, params), WVL_EXIT_INPUT);
    ck_assert_ptr_nonnull(strstr(wvl_cli_last_error(), "cannot be read"));
    components[1].is_signed = 1;
    ck_assert_int_eq(wvl_cli_apply_profile("test", &p, params), WVL_EXIT_INPUT);
    ck_assert_ptr_nonnull(strstr(wvl_cli_last_error(), "three unsigned components"));
    free(p.io.icc);
}

TEST_MAIN("unit_color_icc")
