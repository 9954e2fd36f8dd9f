/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/try.h"
#include "bench.h"

#include <stdatomic.h>
#include <stdlib.h>

/* ---- Plans ---- */

wvl_status wvl_bench_set_all(wvl_params *params, const wvl_bench_settings *settings)
{
    wvl_status status = WVL_OK;
    for (size_t i = 0; i < settings->count && status == WVL_OK; i++) {
        char key[64];
        size_t length = strcspn(settings->text[i], "=");
        snprintf(key, sizeof key, "%.*s", (int)length, settings->text[i]);
        status = wvl_params_set(params, key, settings->text[i] + length + 1);
    }
    return status;
}

static wvl_status set_number(wvl_params *params, const char *key, double number)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", number);
    return wvl_params_set(params, key, text);
}

static wvl_status set_job(wvl_params *params, const wvl_bench_job *job)
{
    wvl_status status = wvl_params_set(params, "container", "j2k");
    TRY(status, wvl_params_set(params, "reversible", job->reversible ? "yes" : "no"));
    TRY(status, wvl_params_set(params, "mct", job->color_transform ? "on" : "off"));
    TRY(status, set_number(params, "levels", job->levels));
    if (job->ht) {
        TRY(status, wvl_params_set(params, "style", "HT"));
    }
    if (job->step > 0) {
        TRY(status, set_number(params, "step", job->step));
    }
    if (job->cap_bytes > 0) {
        TRY(status, set_number(params, "max-bytes", (double)job->cap_bytes));
    } else if (job->bpp > 0) {
        TRY(status, set_number(params, "bpp", job->bpp));
    }
    return status;
}

/* job, settings, device: what is set, in this order; NULL: nothing of it. */
static wvl_status make_plan(wvl_context *context, const wvl_bench_job *job, const wvl_bench_settings *settings,
                            const char *device, const wvl_image_format *format, wvl_plan **plan, char *error)
{
    wvl_params *params = NULL;
    wvl_status status = wvl_params_create(context, &params);
    TRY(status, job ? set_job(params, job) : WVL_OK);
    TRY(status, settings ? wvl_bench_set_all(params, settings) : WVL_OK);
    TRY(status, device ? wvl_params_set(params, "device", device) : WVL_OK);
    const char *why = status && params ? wvl_params_error(params) : "";
    if (status == WVL_OK) {
        status = wvl_plan_create(context, params, format, NULL, plan);
        why = wvl_context_error(context);
    }
    if (status != WVL_OK) {
        snprintf(error, WVL_BENCH_ERROR_BYTES, "%s", why[0] ? why : wvl_status_text(status));
    }
    wvl_params_release(params);
    return status;
}

wvl_status wvl_bench_make_plan(wvl_context *context, const wvl_bench_settings *settings, const char *device,
                               const wvl_image_format *format, wvl_plan **plan)
{
    char error[WVL_BENCH_ERROR_BYTES];
    wvl_status status = make_plan(context, NULL, settings, device, format, plan, error);
    return status == WVL_OK ? status : (wvl_status)wvl_bench_fail((int)status, "%s", error);
}

/* ---- Encode ---- */

typedef struct output {
    void *data;
    size_t bytes;
    uint64_t base_bytes;
} output;

static int encode(wvl_context *context, const wvl_bench_picture *picture, const wvl_bench_job *job, output *out,
                  char *error)
{
    wvl_plan *plan = NULL;
    wvl_result *result = NULL;
    wvl_plan_memory memory = {.struct_size = sizeof memory};
    wvl_sink sink = {.struct_size = sizeof sink};
    wvl_status status = make_plan(context, job, job->settings, NULL, &picture->format, &plan, error);
    if (status != WVL_OK) {
        return -1;
    }
    error[0] = '\0';
    if (wvl_plan_measure(plan, &memory) == WVL_OK) {
        out->base_bytes = memory.base_bytes;
    }
    status = wvl_sink_open_memory(context, &sink);
    TRY(status, wvl_encode(plan, &picture->image, &sink, NULL, &result, error, WVL_BENCH_ERROR_BYTES));
    wvl_result_release(result);
    TRY(status, wvl_sink_take_memory(&sink, &out->data, &out->bytes));
    wvl_plan_release(plan);
    if (status != WVL_OK && error[0] == '\0') {
        snprintf(error, WVL_BENCH_ERROR_BYTES, "%s", wvl_status_text(status));
    }
    return status == WVL_OK ? 0 : -1;
}

static wvl_context *open_context(uint32_t threads, const wvl_allocator *host)
{
    wvl_context_options options = {.struct_size = sizeof options, .threads = threads};
    wvl_context *context = NULL;
    if (host) {
        options.host = *host;
    }
    if (wvl_context_create(&options, &context) != WVL_OK) {
        (void)wvl_bench_fail(-1, "no context");
        return NULL;
    }
    return context;
}

wvl_context *wvl_bench_open_context(uint32_t threads) { return open_context(threads, NULL); }

/* The library's memory goes back through its context; what the caller keeps is a copy from malloc. */
int wvl_bench_encode_wavelane(const wvl_bench_picture *picture, const wvl_bench_job *job, wvl_bench_coded *coded,
                              char *error)
{
    wvl_context *context = job->context ? job->context : open_context(job->threads, NULL);
    output out = {.data = NULL};
    wvl_bench_time start = wvl_bench_time_now();
    int status = context ? encode(context, picture, job, &out, error) : -1;
    coded->time = wvl_bench_time_since(start);
    if (status == 0) {
        coded->data = malloc(out.bytes);
        coded->bytes = out.bytes;
        if (coded->data) {
            memcpy(coded->data, out.data, out.bytes);
        } else {
            snprintf(error, WVL_BENCH_ERROR_BYTES, "no memory");
            status = -1;
        }
        wvl_memory_release(context, out.data, out.bytes);
    }
    if (!job->context) {
        wvl_context_release(context);
    }
    return status;
}

/* ---- Memory ---- */

typedef struct counter {
    atomic_uint_fast64_t live_bytes, peak_bytes;
} counter;

static void *counted_allocate(void *user, size_t bytes, size_t alignment, void *stream)
{
    counter *count = user;
    void *memory;
    (void)stream;
    if (posix_memalign(&memory, alignment < sizeof(void *) ? sizeof(void *) : alignment, bytes) != 0) {
        return NULL;
    }
    uint64_t live = atomic_fetch_add(&count->live_bytes, bytes) + bytes, peak = atomic_load(&count->peak_bytes);
    while (live > peak && !atomic_compare_exchange_weak(&count->peak_bytes, &peak, live))
        ;
    return memory;
}

static void counted_release(void *user, void *memory, size_t bytes, void *stream)
{
    (void)stream;
    if (memory) {
        atomic_fetch_sub(&((counter *)user)->live_bytes, bytes);
    }
    free(memory);
}

int wvl_bench_measure_wavelane(const wvl_bench_picture *picture, const wvl_bench_job *job, wvl_bench_memory *memory)
{
    counter count = {0};
    wvl_allocator host = {.allocate = counted_allocate, .release = counted_release, .user = &count};
    wvl_context *context = open_context(job->threads, &host);
    char error[WVL_BENCH_ERROR_BYTES];
    output out = {.data = NULL};
    if (!context) {
        return -1;
    }
    int status = encode(context, picture, job, &out, error);
    *memory = (wvl_bench_memory){
        .base_bytes = out.base_bytes, .peak_bytes = atomic_load(&count.peak_bytes), .output_bytes = out.bytes};
    if (status == 0) {
        wvl_memory_release(context, out.data, out.bytes);
    }
    wvl_context_release(context);
    return status == 0 ? 0 : wvl_bench_fail(-1, "%s", error);
}
