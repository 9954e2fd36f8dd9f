/* SPDX-License-Identifier: BSD-2-Clause */
#include <dlfcn.h>
#include <math.h>

#include "cuda/host/memory/device.h"
#include "soft_bench.h"
#include "tests/support/support.h"

soft_control *soft;
wvl_context *context;
ledger books;
char log_text[4096];

static void note(void *user, wvl_log_level level, const char *text)
{
    (void)user, (void)level;
    strncat(log_text, text, sizeof log_text - strlen(log_text) - 1);
}

void open_context(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *symbol = library ? dlsym(library, "soft_driver_control") : NULL;
    soft_control *(*fetch)(void);
    ck_assert_msg(symbol != NULL, "the driver that is found is not the software one");
    memcpy(&fetch, &symbol, sizeof fetch);
    soft = fetch();
    log_text[0] = 0;
    ledger_open(&books);
    wvl_context_options options = {.struct_size = sizeof options,
                                   .threads = 2,
                                   .host = ledger_allocator(&books),
                                   .log = note,
                                   .log_level = WVL_LOG_DEBUG};
    ck_assert_int_eq(wvl_context_create(&options, &context), WVL_OK);
}

void reset_driver(int devices)
{
    soft->devices = devices;
    soft->broken = 0;
    soft->broken_devices = 0;
    soft->kill_at = soft->fail_at = soft->calls = 0;
    soft->memory_limit = 0;
    memset(soft->launches_of, 0, sizeof soft->launches_of);
    wvl_cuda_forget_losses();
}

void close_context(void)
{
    wvl_context_release(context);
    ck_assert_msg(soft->broken || soft->live == 0, "%u things of the device leaked", soft->live);
    ck_assert_uint_eq(books.live_count, 0);
    ck_assert_uint_eq(books.wrong_sizes, 0);
}

wvl_plan *make_plan(const wvl_image_format *format, const char *settings, const char *device)
{
    wvl_params *params;
    wvl_plan *plan;
    char text[512];
    ck_assert_int_eq(wvl_params_create(context, &params), WVL_OK);
    ck_assert_int_eq(wvl_params_set(params, "device", device), WVL_OK);
    snprintf(text, sizeof text, "%s", settings);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        char *equals = strchr(word, '=');
        *equals = 0;
        ck_assert_msg(wvl_params_set(params, word, equals + 1) == WVL_OK, "%s", wvl_params_error(params));
    }
    wvl_status status = wvl_plan_create(context, params, format, NULL, &plan);
    ck_assert_msg(status == WVL_OK || status == WVL_ERROR_UNREACHABLE, "%s", wvl_context_error(context));
    wvl_params_release(params);
    return plan; /* NULL: the caps are for larger pictures */
}

bytes encode_plan(const wvl_plan *plan, const wvl_image *image)
{
    bytes b = {0};
    wvl_sink sink;
    wvl_result *result = NULL;
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    b.status = wvl_encode(plan, image, &sink, NULL, &result, b.error, sizeof b.error);
    if (b.status == WVL_OK) {
        ck_assert_int_eq(wvl_sink_take_memory(&sink, &b.data, &b.count), WVL_OK);
        snprintf(b.backend, sizeof b.backend, "%s", wvl_result_backend(result));
        b.psnr = wvl_result_layer_psnr(result, wvl_result_layer_count(result) - 1);
    }
    wvl_result_release(result);
    return b;
}

bytes encode(const picture_input *input, const char *settings, const char *device)
{
    wvl_plan *plan = make_plan(&input->format, settings, device);
    bytes b = {.status = WVL_ERROR_UNREACHABLE};
    if (plan) {
        b = encode_plan(plan, &input->image);
    }
    wvl_plan_release(plan);
    return b;
}

void free_bytes(bytes *b)
{
    wvl_memory_release(context, b->data, b->count);
    b->data = NULL;
}

void expect_same(const char *what, const bytes *a, bytes b, const char *backend)
{
    ck_assert_msg(b.status == WVL_OK, "%s: %s", what, b.error);
    ck_assert_msg(a->count == b.count && !memcmp(a->data, b.data, a->count), "%s: %zu bytes, %zu bytes, or other ones",
                  what, a->count, b.count);
    /* A picture that the device finishes adds errors up in doubles. The CPU rounds each pass of a block to whole units
     * of all energies: that shows where little is left. */
    double fine = a->psnr > 90 ? 0.5 : 1e-3, near = a->psnr > 70 ? fine : 1e-4,
           allowed = strstr(b.backend, "packets") ? near : 0.0;
    ck_assert_msg(!memcmp(&a->psnr, &b.psnr, sizeof b.psnr) || fabs(a->psnr - b.psnr) <= allowed, "%s: PSNR %f, %f",
                  what, a->psnr, b.psnr);
    ck_assert_msg(!strcmp(b.backend, backend), "%s: came from \"%s\"", what, b.backend);
    free_bytes(&b);
}

wvl_cuda_event open_event(void)
{
    wvl_cuda_runtime runtime;
    wvl_cuda_event event = NULL;
    ck_assert(wvl_cuda_fetch_runtime(&runtime) && !runtime.event_create(&event, 0) &&
              !runtime.event_record(event, NULL));
    return event;
}

void close_event(wvl_cuda_event event)
{
    wvl_cuda_runtime runtime;
    ck_assert(wvl_cuda_fetch_runtime(&runtime) && !runtime.event_destroy(event));
}
