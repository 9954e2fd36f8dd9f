/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows that are pushed: in portions of every size, to the end or not. */

#include "geom/plan.h"
#include "tests/unit/rows_bench.h"

typedef struct pushed {
    picture_input input;
    wvl_row_component components[ROWS_MOST_COMPONENTS];
    const void *data[ROWS_MOST_COMPONENTS];
    size_t pitch[ROWS_MOST_COMPONENTS];
    uint32_t count;
} pushed;

/* The planes of an image as buffers. */
static void open_pushed(pushed *p, const picture *from)
{
    p->input = picture_open_input(from, 0);
    p->count = from->count;
    for (uint32_t c = 0; c < p->count; c++) {
        const wvl_plane *plane = &p->input.planes[c];
        p->components[c] = (wvl_row_component){.buffer = c, .container = plane->container};
        p->pitch[c] = (size_t)plane->pitch_bytes;
    }
}

/* Rows [at, at + rows) of the reference grid. */
static wvl_status push(wvl_row_pusher *pusher, pushed *p, const picture *from, uint32_t at, uint32_t rows)
{
    for (uint32_t c = 0; c < p->count; c++) {
        uint32_t dy = from->planes[c].dy, row = (at + dy - 1) / dy - (from->y0 + dy - 1) / dy;
        p->data[c] = (const uint8_t *)p->input.planes[c].data + (size_t)row * p->pitch[c];
    }
    return wvl_row_pusher_push(pusher, p->data, p->pitch, rows);
}

static wvl_row_pusher *open_pusher(wvl_context *context, pushed *p, const char *settings, wvl_sink *sink,
                                   wvl_plan **plan)
{
    wvl_row_pusher *pusher;
    *plan = test_open_plan(context, &p->input.format, settings);
    (*plan)->test.strip_rows = 32;
    ck_assert_int_eq(wvl_row_pusher_create(*plan, p->components, p->count, NULL, sink, NULL, &pusher), WVL_OK);
    return pusher;
}

TEST_EACH(pushed_rows_have_the_same_bytes, 3)
{
    static const char *const settings[] = {"levels=3", "tile=70,50 levels=2", "reversible=no bpp=1 rdoq=no levels=3",
                                           "reversible=no psnr=38"};
    static const uint32_t steps[] = {1, 3, 50, 1000};
    owned_picture p = rows_draw(_i % 3);
    owned_context *context = test_open_context(0);
    pushed from;
    open_pushed(&from, &p);
    for (unsigned k = 0; k < 16; k++) {
        char error[256];
        owned_rows whole = rows_encode(&p, settings[k / 4], 2, NULL, 0);
        rows_output got = {.data = whole.data};
        wvl_sink sink = {.struct_size = sizeof sink, .write = rows_expect, .user = &got};
        wvl_plan *plan;
        wvl_row_pusher *pusher = open_pusher(context, &from, settings[k / 4], &sink, &plan);
        wvl_result *result;
        for (uint32_t at = p.y0, rows; at < p.y1; at += rows) {
            rows = p.y1 - at < steps[k % 4] ? p.y1 - at : steps[k % 4];
            ck_assert_int_eq(push(pusher, &from, &p, at, rows), WVL_OK);
        }
        ck_assert_int_eq(push(pusher, &from, &p, p.y0, 1), WVL_ERROR_ARGUMENT);
        ck_assert_msg(wvl_row_pusher_finish(pusher, &result, error, sizeof error) == WVL_OK, "%s", error);
        ck_assert_uint_eq(got.bytes, whole.bytes);
        ck_assert_uint_eq(wvl_result_bytes(result), whole.bytes);
        wvl_result_release(result);
        wvl_row_pusher_release(pusher);
        wvl_plan_release(plan);
    }
    picture_close_input(&from.input);
}

static int refuse(void *user, const void *data, size_t bytes)
{
    (void)user, (void)data, (void)bytes;
    return 1;
}

/* Too few rows, a pusher that is dropped, a sink that refuses, wrong arguments. */
TEST(pushes_fail)
{
    owned_picture p = rows_draw(0);
    owned_context *context = test_open_context(0);
    wvl_plan *plan;
    wvl_row_pusher *pusher;
    char error[256];
    pushed from;
    wvl_sink sink = {.struct_size = sizeof sink, .write = refuse};
    open_pushed(&from, &p);
    pusher = open_pusher(context, &from, "levels=3", &sink, &plan);
    ck_assert_int_eq(push(pusher, &from, &p, 0, 100), WVL_OK);
    ck_assert_int_eq(wvl_row_pusher_finish(pusher, NULL, error, sizeof error), WVL_ERROR_INPUT);
    ck_assert_int_eq(push(pusher, &from, &p, 100, 1), WVL_ERROR_ARGUMENT); /* the lock has gone with the thread */
    ck_assert_str_eq(error, "100 rows were pushed, and the picture has 187");
    wvl_row_pusher_release(pusher);
    wvl_plan_release(plan);
    pusher = open_pusher(context, &from, "levels=3", &sink, &plan);
    ck_assert_int_eq(push(pusher, &from, &p, 0, 10), WVL_OK);
    from.data[0] = NULL;
    ck_assert_int_eq(wvl_row_pusher_push(pusher, from.data, from.pitch, 10), WVL_ERROR_ARGUMENT);
    ck_assert_int_eq(wvl_row_pusher_push(pusher, from.data, from.pitch, 0), WVL_OK);
    ck_assert_int_eq(push(pusher, &from, &p, 10, 10), WVL_OK);
    wvl_row_pusher_release(pusher);
    wvl_plan_release(plan);
    pusher = open_pusher(context, &from, "levels=3", &sink, &plan);
    ck_assert_int_eq(push(pusher, &from, &p, 0, 187), WVL_OK);
    ck_assert_int_eq(wvl_row_pusher_finish(pusher, NULL, error, sizeof error), WVL_ERROR_SINK);
    wvl_row_pusher_release(pusher);
    from.components[1].buffer = 7;
    ck_assert_int_eq(wvl_row_pusher_create(plan, from.components, 3, NULL, &sink, NULL, &pusher), WVL_ERROR_ARGUMENT);
    from.components[1].buffer = 0;
    ck_assert_int_eq(wvl_row_pusher_create(plan, from.components, 3, NULL, &sink, NULL, &pusher), WVL_ERROR_ARGUMENT);
    ck_assert_ptr_null(pusher);
    wvl_plan_release(plan);
    picture_close_input(&from.input);
}

TEST_MAIN("rows_push")
