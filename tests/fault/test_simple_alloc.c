/* SPDX-License-Identifier: BSD-2-Clause */
/* The conveniences of wavelane_simple.h with memory that runs short: each allocation fails in turn. Nothing stays
 * behind, params stay as they were, and what succeeds has the same bytes. */

#include "tests/fault/ledger.h"
#include "wavelane_simple.h"

enum { WIDTH = 70, HEIGHT = 50 };

static uint16_t grey[HEIGHT][WIDTH];
static const char *const options_text = "preset=iiif-lossy, levels=3, comment=\"a, b\", container=jp2";

static wvl_context *open_context(const wvl_allocator *allocator)
{
    wvl_context *context = NULL;
    wvl_context_options options = {.struct_size = sizeof options, .host = *allocator, .threads = 1};
    return wvl_context_create(&options, &context) ? NULL : context;
}

static void draw(void)
{
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
        grey[i / WIDTH][i % WIDTH] = (uint16_t)((i * 37 + i / WIDTH * 91) & 4095);
    }
}

static wvl_status encode(wvl_context *context, uint8_t *bytes_of_picture, size_t *bytes)
{
    char error[200] = "";
    void *data = NULL;
    wvl_pixels pixels = {.struct_size = sizeof pixels, .data = grey, .width = WIDTH, .height = HEIGHT, .depth = 12};
    wvl_status status = wvl_encode_pixels(context, &pixels, options_text, &data, bytes, error, sizeof error);
    ck_assert_msg((status == WVL_OK) == !error[0], "%s with the text \"%s\"", wvl_status_text(status), error);
    ck_assert((status == WVL_OK) == (data != NULL));
    if (data) {
        memcpy(bytes_of_picture, data, *bytes);
        wvl_memory_release(context, data, *bytes);
    }
    return status;
}

TEST_EACH(pixels_without_memory, 2)
{
    static uint8_t reference[65536], again[65536];
    size_t reference_bytes = 0, bytes = 0;
    unsigned refused = 0;
    draw();
    for (uint64_t n = 0;; n++) {
        ledger l;
        ledger_open(&l);
        wvl_allocator allocator = ledger_allocator(&l);
        wvl_context *context = open_context(&allocator);
        uint64_t before = l.calls;
        l.fail_at = n ? before + n : 0; /* first without a failure */
        l.fail_on = _i;
        wvl_status status = encode(context, n ? again : reference, n ? &bytes : &reference_bytes);
        uint64_t made = l.calls - before;
        wvl_context_release(context);
        ck_assert_uint_eq(l.live_count, 0);
        ck_assert_uint_eq(l.wrong_sizes, 0);
        ck_assert_msg(status == WVL_OK || status == WVL_ERROR_MEMORY, "%s", wvl_status_text(status));
        ck_assert(status != WVL_OK || !n || (bytes == reference_bytes && !memcmp(again, reference, bytes)));
        refused += status != WVL_OK;
        if (n > made) {
            break;
        }
    }
    ck_assert_uint_gt(refused, 8);
}

TEST(texts_without_memory)
{
    unsigned refused = 0;
    for (uint64_t n = 1;; n++) {
        ledger l;
        ledger_open(&l);
        wvl_allocator allocator = ledger_allocator(&l);
        wvl_context *context = open_context(&allocator);
        wvl_params *params = NULL;
        ck_assert_int_eq(wvl_params_create(context, &params), WVL_OK);
        ck_assert_int_eq(wvl_params_set(params, "rates", "7,1"), WVL_OK);
        uint64_t before = l.calls;
        l.fail_at = before + n;
        wvl_status status = wvl_params_parse(params, options_text);
        uint64_t made = l.calls - before;
        l.fail_at = 0;
        ck_assert_int_eq(status == WVL_OK, !wvl_params_error(params)[0]);
        ck_assert_str_eq(wvl_params_get(params, "rates"), status ? "7,1" : "8");
        ck_assert_str_eq(wvl_params_get(params, "comment"), status ? "" : "a, b");
        wvl_params_release(params);
        wvl_context_release(context);
        ck_assert_uint_eq(l.live_count, 0);
        ck_assert_uint_eq(l.wrong_sizes, 0);
        refused += status != WVL_OK;
        if (n > made) {
            break;
        }
    }
    ck_assert_uint_gt(refused, 3);
}

TEST_MAIN("simple_alloc")
