/* SPDX-License-Identifier: BSD-2-Clause */
/* Coding blocks no deeper than needed changes no byte: neither when the depth is predicted well, nor when blocks must
 * be coded again. */

#include "geom/plan.h"
#include "tests/decode/cases.h"
#include "tests/support/support.h"

static const char *const settings[] = {
    "reversible=no bpp=0.25",
    "reversible=no bpp=1",
    "reversible=no bpp=2 tile=300,250",
    "reversible=no bpp=0.1,0.3,0.8 style=BYPASS",
    "reversible=no bpp=0.5 layers=8 style=TERMALL+PTERM",
    "reversible=no slopes=36500,35000",
    "reversible=no slopes=35000 max-bytes=30000",
    "max-bytes=100000",
    "reversible=no max-bytes=50000 layers=3 style=SEGSYM+RESET block=32,32",
    "reversible=no bpp=1 style=HT",
    "max-bytes=100000 style=HT+VSC block=128,16",
    "reversible=no bpp=0.05 block=16,16",
    "reversible=no bpp=0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8 block=8,8",
    "reversible=no bpp=1 max-component-bytes=25000",
    "reversible=no bpp=1.5 max-component-bytes=60000 mct=off progression=CPRL tile-parts=C",
    "reversible=no max-component-bytes=40000 layers=2",
    "max-component-bytes=30000 bpp=0.2,1",
    "reversible=no max-component-bytes=60000 mct=off progression=CPRL tile-parts=C tile=100,90 levels=3",
    "reversible=no bpp=0.6 rdoq=yes",
    "reversible=no bpp=0.7 visual=yes",
    "bpp=0.2,0.9 visual=yes rdoq=yes max-component-bytes=40000",
    "reversible=no bpp=1.2 visual=yes style=HT",
    "bpp=0.3,0.8 rdoq=yes style=BYPASS+TERMALL max-component-bytes=30000",
    "reversible=no bpp=0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8 block=8,8 rdoq=yes",
    "reversible=no bpp=1.5 max-component-bytes=60000 mct=off progression=CPRL tile-parts=C rdoq=yes",
    "bpp=0.5,0.6,0.7,0.8,0.9,1,1.1,1.2,1.3,1.4,1.5 block=16,8 rdoq=yes",
    "reversible=no bpp=1 tile=200,180 rdoq=yes",
    "reversible=no bpp=30 rdoq=yes",
    "bpp=0.5,0.6,0.7,0.8,0.9,1,1.1,1.2,1.3,1.4,1.5 block=16,8"};
#define SETTINGS ((int)(sizeof settings / sizeof settings[0]))

typedef struct depth {
    uint8_t full;
    int32_t bias;
    uint32_t threads;
} depth;

static void *encode(const picture_input *input, const char *text, depth d, size_t *count)
{
    wvl_context_options options = {.struct_size = sizeof options, .threads = d.threads};
    wvl_context *context;
    wvl_params *params;
    wvl_plan *plan;
    wvl_sink sink;
    void *data;
    char error[512] = "";
    ck_assert_int_eq(wvl_context_create(&options, &context), WVL_OK);
    ck_assert_int_eq(wvl_params_create(context, &params), WVL_OK);
    ck_assert_msg(case_set(params, text, error, sizeof error) == WVL_OK, "%s", error);
    ck_assert_msg(wvl_plan_create(context, params, &input->format, NULL, &plan) == WVL_OK, "%s",
                  wvl_context_error(context));
    plan->test.depth_full = d.full;
    plan->test.depth_bias = d.bias;
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    ck_assert_msg(wvl_encode(plan, &input->image, &sink, NULL, NULL, error, sizeof error) == WVL_OK, "\"%s\": %s", text,
                  error);
    ck_assert_int_eq(wvl_sink_take_memory(&sink, &data, count), WVL_OK);
    void *copy = malloc(*count);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, data, *count);
    wvl_memory_release(context, data, *count);
    wvl_plan_release(plan);
    wvl_params_release(params);
    wvl_context_release(context);
    return copy;
}

/* Pictures just large enough for passes to be left out (wvl_rate_reach). */
TEST_EACH(depth_changes_no_byte, SETTINGS)
{
    static const depth depths[] = {{0, 0, 2}, {0, 150, 2}, {0, 300, 1}, {0, 3000, 2}};
    picture p = _i % 3 == 1 ? picture_draw(PICTURE_NATURAL, 740, 715, 1, 8, (unsigned)_i)
                            : picture_draw(PICTURE_NATURAL, 430, 410, 3, 10, (unsigned)_i);
    picture_input input = picture_open_input(&p, 0);
    size_t full_count, count;
    void *full = encode(&input, settings[_i], (depth){1, 0, 2}, &full_count);
    for (unsigned i = 0; i < sizeof depths / sizeof depths[0]; i++) {
        void *data = encode(&input, settings[_i], depths[i], &count);
        ck_assert_msg(count == full_count && !memcmp(data, full, count),
                      "%s, bias %d: %zu bytes, in full %zu, or other ones", settings[_i], depths[i].bias, count,
                      full_count);
        free(data);
    }
    free(full);
    picture_close_input(&input);
    fuzz_picture_free(&p);
}

TEST_MAIN("depth")
