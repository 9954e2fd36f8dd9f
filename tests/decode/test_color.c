/* SPDX-License-Identifier: BSD-2-Clause */
/* X'Y'Z' through the whole library: every kind of picture memory, tiles with offsets, both wavelets, any number of
 * threads; OpenJPEG decodes what was coded without loss, and a model in extended precision says what it must be. */
#include <math.h>

#include "tests/decode/cases.h"
#include "tests/prop/xyz_model.h"
#include "tests/support/api.h"

#define EXTRA 4u /* most components */

/* RGB (and more) of one depth in memory of any kind. */
typedef struct scene {
    uint32_t x0, y0, width, height, count;
    unsigned depth, container, layout; /* layout 0: planar, 1: interleaved, 2: interleaved backwards */
    uint32_t *values;                  /* [count][height][width] */
    uint8_t *memory;
    wvl_component_format components[EXTRA];
    wvl_plane planes[EXTRA];
    wvl_image_format format;
    wvl_image image;
} scene;

static const uint8_t container_bits[] = {0, 8, 16, 32, 0, 10, 12};

static void put_value(uint8_t *row, unsigned container, uint64_t at, uint32_t v)
{
    unsigned bits = container_bits[container];
    uint16_t half = (uint16_t)v;
    switch (container) {
    case WVL_SAMPLE_8: row[at] = (uint8_t)v; break;
    case WVL_SAMPLE_16: memcpy(row + 2 * at, &half, 2); break;
    case WVL_SAMPLE_32: memcpy(row + 4 * at, &v, 4); break;
    default:
        for (unsigned b = 0; b < bits; b++) {
            uint64_t bit = at * bits + b;
            row[bit / 8] |= (uint8_t)((v >> (bits - 1 - b) & 1) << (7 - bit % 8));
        }
    }
}

static void fill_memory(scene *s)
{
    uint64_t offset = s->layout ? 1 : s->width, step = s->layout ? s->count : 1;
    uint64_t pitch = ((uint64_t)s->count * s->width * container_bits[s->container] + 7) / 8 + 3;
    s->memory = calloc(pitch, s->height);
    ck_assert_ptr_nonnull(s->memory);
    for (uint32_t c = 0; c < s->count; c++) {
        uint64_t first = (s->layout == 2 ? s->count - 1 - c : c) * offset;
        for (uint64_t i = 0; i < (uint64_t)s->width * s->height; i++) {
            put_value(s->memory + i / s->width * pitch, s->container, first + i % s->width * step,
                      s->values[(uint64_t)c * s->width * s->height + i]);
        }
        s->planes[c] = (wvl_plane){s->memory, (ptrdiff_t)pitch, (uint32_t)step, (uint32_t)first, (uint8_t)s->container};
        s->components[c] = (wvl_component_format){.depth = (uint8_t)s->depth, .dx = 1, .dy = 1};
    }
}

static void open_scene(scene *s, uint32_t seed)
{
    uint64_t samples = (uint64_t)s->count * s->width * s->height;
    s->values = malloc(samples * sizeof *s->values);
    ck_assert_ptr_nonnull(s->values);
    for (uint64_t i = 0; i < samples; i++) {
        s->values[i] = picture_random(&seed) >> (32 - s->depth);
    }
    fill_memory(s);
    s->format = (wvl_image_format){.struct_size = sizeof s->format,
                                   .x0 = s->x0,
                                   .y0 = s->y0,
                                   .x1 = s->x0 + s->width,
                                   .y1 = s->y0 + s->height,
                                   .component_count = s->count,
                                   .components = s->components};
    s->image = (wvl_image){.struct_size = sizeof s->image, .planes = s->planes, .plane_count = s->count};
}

static void close_scene(scene *s)
{
    free(s->values);
    free(s->memory);
}

#define owned_scene OWNED_BY(close_scene) scene

/* Encodes on `device`; *data is released with wvl_memory_release. */
static void encode_on(wvl_context *context, const scene *s, const char *settings, const wvl_color_tables *tables,
                      const char *device, void **data, size_t *bytes)
{
    char error[512] = "";
    owned_params *params = test_open_params(context, settings), *copy = NULL;
    owned_plan *plan = NULL;
    owned_result *result = NULL;
    wvl_sink sink = {.struct_size = sizeof sink};
    ck_assert_int_eq(wvl_params_set(params, "device", device), WVL_OK);
    if (tables) {
        ck_assert_int_eq(wvl_params_set_color(params, tables), WVL_OK);
    }
    ck_assert_int_eq(wvl_params_clone(params, &copy), WVL_OK); /* tables travel with a copy */
    ck_assert_msg(wvl_plan_create(context, copy, &s->format, NULL, &plan) == WVL_OK, "%s: %s", settings,
                  wvl_context_error(context));
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    ck_assert_msg(wvl_encode(plan, &s->image, &sink, NULL, &result, error, sizeof error) == WVL_OK, "%s on %s: %s",
                  settings, device, error);
    ck_assert_int_eq(wvl_sink_take_memory(&sink, data, bytes), WVL_OK);
    ck_assert_msg(strstr(wvl_result_backend(result), strcmp(device, "cpu") ? "cuda:" : "cpu"), "%s on %s: made by %s",
                  settings, device, wvl_result_backend(result));
}

/* On the CPU. WVL_TEST_DEVICE in the environment: that device has to give the same bytes. */
static void encode(wvl_context *context, const scene *s, const char *settings, const wvl_color_tables *tables,
                   void **data, size_t *bytes)
{
    const char *device = getenv("WVL_TEST_DEVICE");
    encode_on(context, s, settings, tables, "cpu", data, bytes);
    if (device) {
        void *other;
        size_t count;
        encode_on(context, s, settings, tables, device, &other, &count);
        ck_assert_msg(count == *bytes && !memcmp(other, *data, count),
                      "%s: on %s %zu bytes, from the CPU %zu, or others", settings, device, count, *bytes);
        wvl_memory_release(context, other, count);
    }
}

static void check_codes(const char *settings, const scene *s, const xyz_model *model, const picture *back)
{
    uint64_t pixels = (uint64_t)s->width * s->height;
    ck_assert_uint_eq(back->count, s->count);
    for (uint32_t c = 0; c < s->count; c++) {
        ck_assert_uint_eq(back->planes[c].depth, c < 3 ? 12 : s->depth);
        ck_assert_uint_eq((uint64_t)back->planes[c].width * back->planes[c].height, pixels);
    }
    for (uint64_t i = 0; i < pixels; i++) {
        uint32_t rgb[3] = {s->values[i], s->values[pixels + i], s->values[2 * pixels + i]};
        long double light[3];
        xyz_convert(model, rgb, light);
        for (uint32_t c = 0; c < s->count; c++) {
            int32_t code = back->planes[c].samples[i];
            if (c < 3 ? !xyz_is_right(light[c], code) : code != (int32_t)s->values[c * pixels + i]) {
                ck_abort_msg("%s: component %u of pixel %llu is %d", settings, c, (unsigned long long)i, code);
            }
        }
    }
}

static void check_scene(const char *settings, const scene *s, const xyz_model *model, const wvl_color_tables *tables)
{
    char text[512] = "";
    void *data;
    size_t bytes;
    picture back;
    encode(case_context(), s, settings, tables, &data, &bytes);
    ck_assert_msg(decode_picture(data, bytes, NULL, &back, NULL, text, sizeof text), "%s: %s", settings, text);
    check_codes(settings, s, model, &back);
    fuzz_picture_free(&back);
    wvl_memory_release(case_context(), data, bytes);
}

TEST_EACH(any_memory, 12)
{
    static const struct {
        unsigned container, depth;
    } kinds[] = {
        {WVL_SAMPLE_8, 8},         {WVL_SAMPLE_16, 8},        {WVL_SAMPLE_16, 10},       {WVL_SAMPLE_16, 12},
        {WVL_SAMPLE_16, 16},       {WVL_SAMPLE_32, 9},        {WVL_SAMPLE_32, 16},       {WVL_SAMPLE_16, 13},
        {WVL_SAMPLE_PACKED10, 10}, {WVL_SAMPLE_PACKED12, 12}, {WVL_SAMPLE_PACKED12, 11}, {WVL_SAMPLE_PACKED10, 8},
    };
    static const char *const settings[] = {
        "input-color=rec709",
        "input-color=rec709 mct=off",
        "input-color=rec709 levels=0 mct=off",
        "input-color=rec709 tile=50,37 tile-offset=3,1 levels=3",
    };
    for (uint32_t layout = 0; layout < 3; layout++) {
        for (uint32_t count = 3; count <= EXTRA; count++) {
            owned_scene s = {.x0 = layout * 7,
                             .y0 = layout * 5,
                             .width = 131,
                             .height = 75,
                             .count = count,
                             .depth = kinds[_i].depth,
                             .container = kinds[_i].container,
                             .layout = layout};
            s.x0 += 3;
            s.y0 += 1;
            open_scene(&s, (uint32_t)_i * 16 + layout);
            xyz_model model = xyz_build_model(&xyz_spaces[0], CURVE_24, s.depth, 0);
            check_scene(settings[(_i + (int)layout) % 4], &s, &model, NULL);
        }
    }
}

TEST_EACH(every_word, XYZ_SPACES)
{
    const xyz_space *space = &xyz_spaces[_i];
    owned_scene s = {.width = 200, .height = 30, .count = 3, .depth = 10, .container = WVL_SAMPLE_16, .layout = 1};
    open_scene(&s, (uint32_t)_i);
    xyz_model model = xyz_build_model(space, space->curve, 10, 0);
    const char *settings = test_print("input-color=%s", space->word);
    check_scene(settings, &s, &model, NULL);
    static const char *const transfers[] = {"linear", "2.2", "2.4", "2.6", "srgb", "bt1886"};
    static const xyz_curve curves[] = {CURVE_LINEAR, CURVE_22, CURVE_24, CURVE_26, CURVE_SRGB, CURVE_24};
    for (unsigned t = 0; t < 6; t++) {
        model = xyz_build_model(space, curves[t], 10, t & 1);
        settings = test_print("input-color=%s input-transfer=%s input-range=%s", space->word, transfers[t],
                              t & 1 ? "video" : "full");
        check_scene(settings, &s, &model, NULL);
    }
}

TEST(tables_of_the_caller)
{
    static double curves[3][1024];
    const xyz_space *space = &xyz_spaces[4];
    owned_scene s = {.width = 90, .height = 40, .count = 3, .depth = 10, .container = WVL_SAMPLE_PACKED10};
    open_scene(&s, 5);
    xyz_model model = xyz_build_model(space, CURVE_22, 10, 0);
    wvl_color_tables tables = {
        .struct_size = sizeof tables, .entries = 1024, .curve = {curves[0], curves[1], curves[2]}};
    for (unsigned i = 0; i < 3 * 1024; i++) {
        curves[i / 1024][i % 1024] = (double)xyz_linear(&model, i % 1024);
    }
    for (unsigned i = 0; i < 9; i++) {
        tables.matrix[i] = (double)model.matrix[i];
    }
    check_scene("levels=2", &s, &model, &tables);
}

/* X'Y'Z' already: 12 bits are coded as they are, of more the uppermost stay. */
TEST(already_xyz)
{
    for (unsigned depth = 12; depth <= 16; depth += 2) {
        void *data;
        size_t bytes;
        picture back;
        char text[256] = "";
        owned_scene s = {.width = 70, .height = 41, .count = 3, .depth = depth, .container = WVL_SAMPLE_16};
        open_scene(&s, depth);
        encode(case_context(), &s, depth == 14 ? "input-color=xyz mct=off" : "input-color=xyz", NULL, &data, &bytes);
        ck_assert_msg(decode_picture(data, bytes, NULL, &back, NULL, text, sizeof text), "%s", text);
        for (uint32_t i = 0; i < 3 * 70 * 41; i++) {
            if (back.planes[i / (70 * 41)].samples[i % (70 * 41)] != (int32_t)(s.values[i] >> (depth - 12))) {
                ck_abort_msg("depth %u, sample %u", depth, i);
            }
        }
        if (depth == 12) {
            void *plain;
            size_t plain_bytes;
            encode(case_context(), &s, "input-color=none", NULL, &plain, &plain_bytes);
            ck_assert(plain_bytes == bytes && !memcmp(plain, data, bytes));
            wvl_memory_release(case_context(), plain, plain_bytes);
        }
        fuzz_picture_free(&back);
        wvl_memory_release(case_context(), data, bytes);
    }
}

/* A sample beyond its depth is refused as always, though it would have no place in a table. */
TEST_EACH(samples_outside_their_depth, 3)
{
    owned_scene s = {
        .width = 40, .height = 30, .count = 3, .depth = 10, .container = WVL_SAMPLE_16, .layout = (unsigned)_i};
    wvl_sink sink = {.struct_size = sizeof sink};
    char error[256];
    const char *device = getenv("WVL_TEST_DEVICE");
    open_scene(&s, 1);
    s.values[2 * 1200 + 700] = 0xFFFF;
    free(s.memory);
    fill_memory(&s);
    owned_plan *plan =
        test_open_plan(case_context(), &s.format, test_print("input-color=srgb device=%s", device ? device : "auto"));
    ck_assert_int_eq(wvl_sink_open_memory(case_context(), &sink), WVL_OK);
    ck_assert_int_eq(wvl_encode(plan, &s.image, &sink, NULL, NULL, error, sizeof error), WVL_ERROR_INPUT);
}

#define RGB                                                                                                            \
    {8, 0, 1, 1}, {8, 0, 1, 1}, { 8, 0, 1, 1 }
static const struct {
    const char *settings, *reason;
    uint32_t count;
    wvl_component_format components[3];
} refused[] = {
    {"input-color=rec709 container=jp2", "no colour space for X'Y'Z'", 3, {RGB}},
    {"input-color=xyz", "depth 8; three equal depths of 12 to 16", 3, {RGB}},
    {"input-transfer=2.4", "belong to an input-color", 3, {RGB}},
    {"input-color=xyz input-range=video", "belong to an input-color", 3, {RGB}},
    {"input-color=custom", "no tables were given", 3, {RGB}},
    {"input-color=rec709", "2 components; X'Y'Z' needs three", 2, {RGB}},
    {"input-color=rec709", "component 1 is subsampled 2,2", 3, {{8, 0, 1, 1}, {8, 0, 2, 2}, {8, 0, 2, 2}}},
    {"input-color=rec709", "component 2 is signed", 3, {{8, 0, 1, 1}, {8, 0, 1, 1}, {8, 1, 1, 1}}},
    {"input-color=rec709", "component 1 has depth 10", 3, {{8, 0, 1, 1}, {10, 0, 1, 1}, {8, 0, 1, 1}}},
    {"input-color=rec709", "three equal depths of 8 to 16", 3, {{7, 0, 1, 1}, {7, 0, 1, 1}, {7, 0, 1, 1}}},
    {"input-color=rec709", "depth 17", 3, {{17, 0, 1, 1}, {17, 0, 1, 1}, {17, 0, 1, 1}}},
};

TEST_EACH(refusals, sizeof refused / sizeof *refused)
{
    wvl_image_format f = {sizeof f, 0, 0, 64, 64, refused[_i].count, refused[_i].components};
    case_refused("X'Y'Z'", &f, refused[_i].settings, refused[_i].reason);
}

static void refuse_tables(wvl_params *params, const wvl_color_tables *tables, const char *reason)
{
    ck_assert_int_eq(wvl_params_set_color(params, tables), WVL_ERROR_PARAMETER);
    ck_assert_msg(strstr(wvl_params_error(params), reason) != NULL, "%s", wvl_params_error(params));
}

TEST(tables_are_checked)
{
    static const double ramp[2] = {0.0, 1.0}, beyond[2] = {0.0, 1.5}, broken[2] = {0.0, NAN};
    owned_params *params = test_open_params(case_context(), "");
    wvl_color_tables good = {sizeof good, 2, {ramp, ramp, ramp}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}, bad = good;
    ck_assert_int_eq(wvl_params_set_color(params, &good), WVL_OK);
    ck_assert_str_eq(wvl_params_get(params, "input-color"), "custom");
    bad.entries = 1;
    refuse_tables(params, &bad, "2 to 65536 entries");
    bad.entries = 65537;
    refuse_tables(params, &bad, "2 to 65536 entries");
    bad = good;
    bad.curve[1] = NULL;
    refuse_tables(params, &bad, "every curve");
    bad.curve[1] = beyond;
    refuse_tables(params, &bad, "every curve");
    bad.curve[1] = broken;
    refuse_tables(params, &bad, "every curve");
    bad = good;
    bad.matrix[5] = INFINITY;
    refuse_tables(params, &bad, "matrix elements");
    bad.struct_size = 8;
    ck_assert_int_eq(wvl_params_set_color(params, &bad), WVL_ERROR_ARGUMENT);
    ck_assert_int_eq(wvl_params_set_color(NULL, &good), WVL_ERROR_ARGUMENT);
    ck_assert_int_eq(wvl_params_set_color(params, NULL), WVL_OK);
    ck_assert_str_eq(wvl_params_get(params, "input-color"), "none");
}

TEST_MAIN("decode_color")
