/* SPDX-License-Identifier: BSD-2-Clause */
/* A codestream that is not as long as was foretold: an internal error with a text, before anything is written beyond
 * the memory that was taken for it. */

#include "codec/write/lengths.h"

/* The output of the conductor is compiled into this program with a coder whose prediction is wrong by off_by bytes. */
static int64_t off_by;
static uint64_t foretell(const wvl_coder *coder)
{
    return (uint64_t)((int64_t)wvl_coder_codestream_bytes(coder) + off_by);
}
#define wvl_coder_codestream_bytes foretell
#include "picture/session_output.c"
#include "tests/support/support.h"
#undef wvl_coder_codestream_bytes

#include <check.h> /* after the conductor: both have a fail */

static uint64_t received;
static int closed_complete;

static int count_bytes(void *user, const void *data, size_t bytes)
{
    (void)user;
    (void)data;
    received += bytes;
    return 0;
}

static int note_close(void *user, int complete)
{
    (void)user;
    closed_complete = complete;
    return 0;
}

/* preset "dci-2k-24": the whole output is held and judged first. */
static wvl_status encode(const char *preset, char *text, size_t text_bytes)
{
    enum { WIDTH = 2048, HEIGHT = 1080 };
    static uint16_t samples[3 * WIDTH * HEIGHT];
    wvl_component_format components[3] = {{12, 0, 1, 1}, {12, 0, 1, 1}, {12, 0, 1, 1}};
    wvl_image_format format = {
        .struct_size = sizeof format, .x1 = WIDTH, .y1 = HEIGHT, .component_count = 3, .components = components};
    wvl_plane planes[3];
    wvl_image image = {.struct_size = sizeof image, .planes = planes, .plane_count = 3};
    wvl_sink sink = {.struct_size = sizeof sink, .write = count_bytes, .close = note_close};
    wvl_context_options options = {.struct_size = sizeof options, .threads = 1};
    wvl_context *context;
    wvl_params *params;
    wvl_plan *plan;
    for (unsigned c = 0; c < 3; c++) {
        planes[c] = (wvl_plane){.data = samples,
                                .pitch_bytes = 6 * WIDTH,
                                .sample_stride = 3,
                                .first_sample = c,
                                .container = WVL_SAMPLE_16};
    }
    for (uint32_t i = 0; i < 3 * WIDTH * HEIGHT; i++) {
        samples[i] = (uint16_t)(i / 300 % 4096);
    }
    received = 0;
    closed_complete = -1;
    ck_assert_int_eq(wvl_context_create(&options, &context), WVL_OK);
    ck_assert_int_eq(wvl_params_create(context, &params), WVL_OK);
    ck_assert(!preset || wvl_params_preset(params, preset) == WVL_OK);
    ck_assert_msg(wvl_plan_create(context, params, &format, NULL, &plan) == WVL_OK, "%s", wvl_context_error(context));
    wvl_status status = wvl_encode(plan, &image, &sink, NULL, NULL, text, text_bytes);
    wvl_plan_release(plan);
    wvl_params_release(params);
    wvl_context_release(context);
    return status;
}

TEST_EACH(wrong_lengths_are_internal_errors, 8)
{
    static const char *const presets[2] = {"dci-2k-24", NULL};
    static const int64_t errors[4] = {-4096, -1, 1, 4096};
    char text[512];
    off_by = errors[_i % 4];
    ck_assert_int_eq(encode(presets[_i / 4], text, sizeof text), WVL_ERROR_INTERNAL);
    ck_assert_ptr_nonnull(strstr(text, "foretold"));
    ck_assert_int_eq(closed_complete, 0);
    ck_assert(_i / 4 || !received); /* what is judged first is not written at all */
}

TEST(right_lengths_are_not)
{
    char text[512];
    off_by = 0;
    ck_assert_msg(encode("dci-2k-24", text, sizeof text) == WVL_OK, "%s", text);
    ck_assert(closed_complete == 1 && received);
}

TEST_MAIN("overrun")
