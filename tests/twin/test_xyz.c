/* SPDX-License-Identifier: BSD-2-Clause */
/* X'Y'Z' at the bottom: the guess, the plan's tables and the reference kernel against a model in extended precision,
 * and the fast kernel against the reference. */
#include <math.h>

#include "front/front.h"
#include "front/xyz_ops.h"
#include "geom/color.h"
#include "tests/prop/xyz_model.h"
#include "tests/support/support.h"

#define MOST 4096u
#define POISON 0x5A5A5A5A
#define ROOM 16u

static uint64_t seed_state = 1;

static uint64_t draw(void) { return test_draw(&seed_state); }

static int32_t buffer[2][3][MOST + 2 * ROOM];
static double tables[(3u << 16) + (3u << 15)];

static void convert(wvl_cpu_level level, const wvl_plan_xyz *xyz, uint32_t n, int32_t (*rows)[MOST + 2 * ROOM])
{
    const wvl_front_kernels *k = wvl_front_fetch_kernels(level);
    wvl_front_color color =
        k->color[xyz->kind] ? k->color[xyz->kind] : wvl_front_fetch_kernels(WVL_CPU_C)->color[xyz->kind];
    int32_t *lines[3] = {rows[0] + ROOM, rows[1] + ROOM, rows[2] + ROOM};
    color(xyz, n, lines);
}

/* A word of the option as the setting holds it: the table of options is the conductor's. */
static uint8_t input_of(unsigned space)
{
    static const uint8_t inputs[XYZ_SPACES] = {WVL_INPUT_REC709,     WVL_INPUT_SRGB,    WVL_INPUT_REC601_525,
                                               WVL_INPUT_REC601_625, WVL_INPUT_REC2020, WVL_INPUT_P3_DCI,
                                               WVL_INPUT_P3_D60,     WVL_INPUT_P3_D65,  WVL_INPUT_DISPLAY_P3};
    return inputs[space];
}

static wvl_plan_xyz build(const wvl_settings *s, unsigned depth)
{
    wvl_component_format components[3] = {
        {(uint8_t)depth, 0, 1, 1}, {(uint8_t)depth, 0, 1, 1}, {(uint8_t)depth, 0, 1, 1}};
    wvl_image_format format = {
        .struct_size = sizeof format, .x1 = 16, .y1 = 16, .component_count = 3, .components = components};
    wvl_plan_xyz xyz = {0};
    ck_assert_uint_le(wvl_color_count_entries(s, &format), sizeof tables / sizeof tables[0]);
    wvl_color_build(s, &format, tables, &xyz);
    return xyz;
}

/* ---- Against the model ----------------------------------------------------------------------- */

TEST(the_guess_is_close)
{
    double worst = 0.0;
    for (uint32_t bits = 0x3D800000u; bits <= 0x4F12F000u; bits += 29) {
        float w;
        memcpy(&w, &bits, sizeof w);
        if (w > (float)WVL_XYZ_MOST) {
            break;
        }
        worst = fmax(worst, fabs((double)wvl_xyz_guess(w) - pow((double)w, 5.0 / 13.0)));
    }
    ck_assert_msg(worst < 0.0015, "guess off by %g", worst);
}

/* Both sides of every threshold, at a distance of 2^-40. */
TEST(thresholds)
{
    for (int32_t code = 1; code <= 4095; code++) {
        double at = (double)powl(code - 0.5L, 2.6L);
        REQUIRE_THAT(wvl_xyz_code(at * (1.0 + 0x1p-40)) == code, "above threshold %d", code);
        REQUIRE_THAT(wvl_xyz_code(at * (1.0 - 0x1p-40)) == code - 1, "below threshold %d", code);
    }
    ck_assert_int_eq(wvl_xyz_code(0.0), 0);
    ck_assert_int_eq(wvl_xyz_code(-1e30), 0);
    ck_assert_int_eq(wvl_xyz_code(1e30), 4095);
}

static void put_pixel(uint32_t i, uint32_t r, uint32_t g, uint32_t b)
{
    const uint32_t v[3] = {r, g, b};
    for (unsigned c = 0; c < 3; c++) {
        buffer[0][c][ROOM + i] = buffer[1][c][ROOM + i] = (int32_t)v[c];
    }
}

/* What the reference makes of the pixels of buffer 1 against the model, and that no code is off by more than one is
 * implied by is_right. */
static void judge(const char *what, const wvl_plan_xyz *xyz, const xyz_model *model, uint32_t n)
{
    convert(WVL_CPU_C, xyz, n, buffer[0]);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t rgb[3];
        long double light[3];
        for (unsigned c = 0; c < 3; c++) {
            rgb[c] = (uint32_t)buffer[1][c][ROOM + i];
        }
        xyz_convert(model, rgb, light);
        for (unsigned c = 0; c < 3; c++) {
            int32_t code = buffer[0][c][ROOM + i] + WVL_XYZ_HALF;
            REQUIRE_THAT(xyz_is_right(light[c], code), "%s: %u,%u,%u: component %u is %d instead of %.6Lf", what,
                         rgb[0], rgb[1], rgb[2], c, code, xyz_code(light[c]));
        }
    }
}

static void judge_all(const char *what, const wvl_settings *s, const xyz_model *model)
{
    wvl_plan_xyz xyz = build(s, model->depth);
    uint32_t top = (1u << model->depth) - 1;
    for (uint32_t corner = 0; corner < 8; corner++) { /* black, primaries, white */
        put_pixel(corner, corner & 1 ? top : 0, corner & 2 ? top : 0, corner & 4 ? top : 0);
    }
    judge(what, &xyz, model, 8);
    for (uint32_t round = 0; round < 4; round++) {
        for (uint32_t i = 0; i < MOST; i++) {
            uint32_t dark = round == 1 ? top >> 6 : top; /* codes are dense there */
            put_pixel(i, (uint32_t)draw() & dark, (uint32_t)draw() & dark, (uint32_t)draw() & dark);
        }
        judge(what, &xyz, model, MOST);
    }
    for (uint32_t from = 0; from <= top; from += MOST) { /* every grey */
        uint32_t n = wvl_min_u32(MOST, top + 1 - from);
        for (uint32_t i = 0; i < n; i++) {
            put_pixel(i, from + i, from + i, from + i);
        }
        judge(what, &xyz, model, n);
    }
}

TEST_EACH(spaces_match_the_model, XYZ_SPACES)
{
    static const unsigned depths[] = {8, 9, 10, 12, 16};
    const xyz_space *space = &xyz_spaces[_i];
    for (unsigned d = 0; d < 5; d++) {
        wvl_settings s = {.input_color = input_of((unsigned)_i)};
        xyz_model model = xyz_build_model(space, space->curve, depths[d], 0);
        judge_all(space->word, &s, &model);
    }
}

TEST_EACH(transfers_match_the_model, 6)
{
    static const struct {
        uint8_t transfer;
        xyz_curve curve;
    } rows[] = {
        {WVL_TRANSFER_LINEAR, CURVE_LINEAR}, {WVL_TRANSFER_22, CURVE_22},     {WVL_TRANSFER_24, CURVE_24},
        {WVL_TRANSFER_26, CURVE_26},         {WVL_TRANSFER_BT1886, CURVE_24}, {WVL_TRANSFER_SRGB, CURVE_SRGB},
    };
    for (unsigned depth = 8; depth <= 16; depth += 2) {
        for (int video = 0; video < 2; video++) {
            wvl_settings s = {
                .input_color = WVL_INPUT_REC2020, .input_transfer = rows[_i].transfer, .input_video = (uint8_t)video};
            xyz_model model = xyz_build_model(&xyz_spaces[4], rows[_i].curve, depth, video);
            judge_all("transfer", &s, &model);
        }
    }
}

/* ---- Known values ---------------------------------------------------------------------------- */

static void codes_of(const wvl_plan_xyz *xyz, uint32_t r, uint32_t g, uint32_t b, int32_t *codes)
{
    put_pixel(0, r, g, b);
    convert(WVL_CPU_C, xyz, 1, buffer[0]);
    for (unsigned c = 0; c < 3; c++) {
        codes[c] = buffer[0][c][ROOM] + WVL_XYZ_HALF;
    }
}

TEST(whites)
{
    for (unsigned i = 0; i < XYZ_SPACES; i++) {
        wvl_settings s = {.input_color = input_of(i)};
        wvl_plan_xyz xyz = build(&s, 10);
        int32_t codes[3];
        codes_of(&xyz, 1023, 1023, 1023, codes);
        int is_dci = s.input_color == WVL_INPUT_P3_DCI, is_d60 = s.input_color == WVL_INPUT_P3_D60;
        if (!is_d60) {
            ck_assert_int_eq(codes[0], is_dci ? 3794 : 3883);
            ck_assert_int_eq(codes[2], is_dci ? 3890 : 4092);
        }
        ck_assert_int_eq(codes[1], 3960);
        codes_of(&xyz, 0, 0, 0, codes);
        ck_assert(codes[0] == 0 && codes[1] == 0 && codes[2] == 0);
    }
}

TEST(greys_never_fall)
{
    for (unsigned i = 0; i < XYZ_SPACES; i++) {
        wvl_settings s = {.input_color = input_of(i)};
        wvl_plan_xyz xyz = build(&s, 16);
        int32_t before[3] = {0, 0, 0}, codes[3];
        for (uint32_t v = 0; v < 65536; v++) {
            codes_of(&xyz, v, v, v, codes);
            for (unsigned c = 0; c < 3; c++) {
                REQUIRE_THAT(codes[c] >= before[c], "grey %u falls", v);
                before[c] = codes[c];
            }
        }
    }
}

/* Tables of the caller that say the same as a word give the same codes; three different curves go to their own
 * channels. */
TEST(tables_from_the_caller)
{
    static double curves[3 * 256];
    xyz_model model = xyz_build_model(&xyz_spaces[0], CURVE_22, 8, 0);
    wvl_settings s = {.input_color = WVL_INPUT_CUSTOM, .custom = {256, curves, {0}}};
    for (unsigned i = 0; i < 9; i++) {
        s.custom.matrix[i] = (double)model.matrix[i];
    }
    for (unsigned i = 0; i < 768; i++) {
        curves[i] = (double)xyz_linear(&model, i % 256);
    }
    judge_all("tables", &s, &model);
    for (unsigned i = 256; i < 512; i++) {
        curves[i] = 0.0;
    }
    wvl_plan_xyz xyz = build(&s, 8);
    int32_t green[3], black[3];
    codes_of(&xyz, 9, 255, 200, green);
    codes_of(&xyz, 9, 0, 200, black);
    ck_assert_mem_eq(green, black, sizeof black);
    s.custom.entries = 2; /* curve 0 is 0 and the first step, a straight line */
    s.custom.curves = (double[6]){0.0, 0.5, 0.0, 0.0, 0.0, 0.0};
    xyz = build(&s, 16);
    ck_assert(xyz.linear[0][65535] == 0.5 && fabs(xyz.linear[0][13107] - 0.1) < 1e-15);
}

/* ---- Twins ----------------------------------------------------------------------------------- */

static void compare_twins(const wvl_plan_xyz *xyz, uint32_t n)
{
    for (unsigned c = 0; c < 3; c++) {
        for (uint32_t i = 0; i < MOST + 2 * ROOM; i++) {
            int inside = i >= ROOM && i < ROOM + n;
            buffer[0][c][i] = buffer[1][c][i] = inside ? (int32_t)draw() : POISON;
        }
    }
    convert(WVL_CPU_C, xyz, n, buffer[0]);
    convert(wvl_cpu_fetch_level(), xyz, n, buffer[1]);
    for (unsigned c = 0; c < 3; c++) {
        REQUIRE_THAT(!memcmp(buffer[0][c] + ROOM, buffer[1][c] + ROOM, n * sizeof(int32_t)), "line %u of %u", c, n);
        uint32_t touched = ROOM + (n + WVL_LINE_ROUND - 1) / WVL_LINE_ROUND * WVL_LINE_ROUND;
        for (uint32_t i = 0; i < MOST + 2 * ROOM; i++) {
            REQUIRE_THAT((i >= ROOM && i < touched) || buffer[1][c][i] == POISON, "element %u written, n %u", i, n);
        }
    }
}

/* Bits above the depth are drawn too: no table may be read beyond its end. */
TEST(twins)
{
    for (unsigned i = 0; i < XYZ_SPACES; i++) {
        for (unsigned depth = 8; depth <= 16; depth++) {
            wvl_settings s = {.input_color = input_of(i)};
            wvl_plan_xyz xyz = build(&s, depth);
            for (uint32_t n = 0; n <= 67; n++) {
                compare_twins(&xyz, n);
            }
            for (uint32_t n = 247; n < 330; n += 1 + n % 9) { /* around the chunks of the fast kernel */
                compare_twins(&xyz, n);
            }
            compare_twins(&xyz, MOST);
        }
    }
}

/* A matrix with negative elements, and light on the two sides of every threshold. */
TEST(twins_of_hard_light)
{
    static float coarse[65536];
    static const double matrix[9] = {1.7, -0.4, -0.2, -0.3, 1.6, -0.3, 0.01, -0.5, 1.5};
    wvl_plan_xyz xyz = {.kind = WVL_XYZ_MATRIX,
                        .is_xyz = 1,
                        .depth = 16,
                        .linear = {tables, tables, tables},
                        .coarse = {coarse, coarse, coarse}};
    for (unsigned round = 0; round < 4; round++) {
        for (uint32_t i = 0; i < 65536; i++) {
            double at = pow((double)(i % 4096) + 0.5, 2.6) / WVL_XYZ_MOST;
            tables[i] = at * (1.0 + (double)((int)(i >> 12) - 8) * 0x1p-52);
            coarse[i] = (float)tables[i];
        }
        for (unsigned k = 0; k < 9; k++) {
            xyz.matrix[k] = (round & 1 ? matrix[k] : k % 4 == 0) * WVL_XYZ_MOST;
            xyz.coarse_matrix[k] = (float)xyz.matrix[k];
        }
        xyz.has_negative = round & 1;
        for (unsigned k = 0; k < 16; k++) {
            compare_twins(&xyz, MOST);
        }
    }
}

TEST(bits_are_dropped)
{
    for (unsigned depth = 13; depth <= 16; depth++) {
        wvl_settings s = {.input_color = WVL_INPUT_XYZ};
        wvl_plan_xyz xyz = build(&s, depth);
        ck_assert_uint_eq(xyz.kind, WVL_XYZ_SHIFT);
        for (uint32_t i = 0; i < MOST; i++) {
            put_pixel(i, (uint32_t)draw() & ((1u << depth) - 1), i << (depth - 12), (i << (depth - 12)) + 1);
        }
        convert(wvl_cpu_fetch_level(), &xyz, MOST, buffer[0]);
        for (uint32_t i = 0; i < MOST; i++) {
            REQUIRE_THAT(buffer[0][0][ROOM + i] == (buffer[1][0][ROOM + i] >> (depth - 12)) - 2048, "depth %u", depth);
            REQUIRE_THAT(buffer[0][1][ROOM + i] == (int32_t)i - 2048 && buffer[0][2][ROOM + i] == (int32_t)i - 2048,
                         "depth %u sample %u", depth, i);
        }
        compare_twins(&xyz, 61);
    }
}

int main(void)
{
    if (wvl_cpu_fetch_level() == WVL_CPU_C) {
        printf("twin_xyz: no fast kernels on this machine or build; the reference is compared with itself\n");
    }
    return test_run_suite("twin_xyz");
}
