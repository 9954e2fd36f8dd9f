/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"
#include "wavelane.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

const char *wvl_bench_wavelane_version(void) { return wvl_build_text(); }

void wvl_bench_release_coded(wvl_bench_coded *coded)
{
    free(coded->data);
    coded->data = NULL;
    coded->bytes = 0;
}

/* ---- The picture as the library wants it: the same memory, described ---- */

void wvl_bench_close_source(wvl_bench_source *s)
{
    free(s->components);
    free(s->planes);
}

int wvl_bench_open_source(const wvl_bench_picture *picture, wvl_bench_source *s, char *error)
{
    uint32_t count = picture->io.component_count;

    *s = (wvl_bench_source){.components = calloc(count, sizeof *s->components),
                            .planes = calloc(count, sizeof *s->planes)};
    if (!s->components || !s->planes) {
        wvl_bench_close_source(s);
        snprintf(error, WVL_BENCH_ERROR_BYTES, "no memory");
        return -1;
    }
    for (uint32_t c = 0; c < count; c++) {
        const wvl_io_component *from = &picture->io.components[c];

        s->components[c] =
            (wvl_component_format){.depth = from->depth, .is_signed = from->is_signed, .dx = from->dx, .dy = from->dy};
        s->planes[c] = (wvl_plane){.data = from->data,
                                   .pitch_bytes = (ptrdiff_t)from->stride_bytes,
                                   .sample_stride = (uint32_t)(from->sample_stride_bytes / from->sample_bytes),
                                   .container = from->sample_bytes == 1   ? WVL_SAMPLE_8
                                                : from->sample_bytes == 2 ? WVL_SAMPLE_16
                                                                          : WVL_SAMPLE_32};
    }
    s->format = (wvl_image_format){.struct_size = sizeof s->format,
                                   .x1 = picture->io.width,
                                   .y1 = picture->io.height,
                                   .component_count = count,
                                   .components = s->components};
    s->image = (wvl_image){.struct_size = sizeof s->image, .planes = s->planes, .plane_count = count};
    return 0;
}

/* ---- Job to parameters ---- */

static int set_text(wvl_params *params, const char *key, const char *value)
{
    return wvl_params_set(params, key, value) == WVL_OK ? 0 : -1;
}

/* "key=value"; wvl_bench_settings_add saw that there is a '='. */
static int set_setting(wvl_params *params, const char *setting, char *error)
{
    char key[64];
    size_t length = strcspn(setting, "=");

    if (length >= sizeof key) {
        snprintf(error, WVL_BENCH_ERROR_BYTES, "%s: no such parameter", setting);
        return -1;
    }
    memcpy(key, setting, length);
    key[length] = '\0';
    return set_text(params, key, setting + length + 1);
}

static int set_job(wvl_params *params, const wvl_bench_job *job, char *error)
{
    char number[40];
    int bad = 0;

    bad |= set_text(params, "container", "j2k");
    bad |= set_text(params, "reversible", job->reversible ? "yes" : "no");
    bad |= set_text(params, "mct", job->color_transform ? "on" : "off");
    snprintf(number, sizeof number, "%u", job->levels);
    bad |= set_text(params, "levels", number);
    if (job->ht) {
        bad |= set_text(params, "style", "HT");
    }
    if (job->step > 0) {
        snprintf(number, sizeof number, "%.9g", job->step);
        bad |= set_text(params, "step", number);
    }
    if (job->cap_bytes > 0) {
        snprintf(number, sizeof number, "%llu", (unsigned long long)job->cap_bytes);
        bad |= set_text(params, "max-bytes", number);
    } else if (job->bpp > 0) {
        snprintf(number, sizeof number, "%.9g", job->bpp);
        bad |= set_text(params, "bpp", number);
    }
    for (size_t i = 0; job->settings && i < job->settings->count && bad == 0; i++) {
        bad |= set_setting(params, job->settings->text[i], error);
    }
    return bad;
}

/* ---- Encode ---- */

typedef struct output {
    void *data;
    size_t bytes;
    uint64_t base_bytes;
} output;

static wvl_status encode_plan(wvl_context *context, const wvl_plan *plan, const wvl_image *image, output *out,
                              char *error)
{
    wvl_plan_memory memory = {.struct_size = sizeof memory};
    wvl_sink sink = {.struct_size = sizeof sink};
    wvl_result *result = NULL;
    wvl_status status = wvl_sink_open_memory(context, &sink);

    if (status != WVL_OK) {
        return status;
    }
    if (wvl_plan_measure(plan, &memory) == WVL_OK) {
        out->base_bytes = memory.base_bytes;
    }
    status = wvl_encode(plan, image, &sink, NULL, &result, error, WVL_BENCH_ERROR_BYTES);
    wvl_result_release(result);
    return status == WVL_OK ? wvl_sink_take_memory(&sink, &out->data, &out->bytes) : status;
}

static int encode_source(wvl_context *context, const wvl_bench_source *s, const wvl_bench_job *job, output *out,
                         char *error)
{
    wvl_params *params = NULL;
    wvl_plan *plan = NULL;
    wvl_status status = wvl_params_create(context, &params);

    error[0] = '\0';
    if (status == WVL_OK && set_job(params, job, error) != 0) {
        status = WVL_ERROR_PARAMETER;
        if (error[0] == '\0') {
            snprintf(error, WVL_BENCH_ERROR_BYTES, "%s", wvl_params_error(params));
        }
    }
    if (status == WVL_OK && (status = wvl_plan_create(context, params, &s->format, NULL, &plan)) != WVL_OK) {
        snprintf(error, WVL_BENCH_ERROR_BYTES, "%s", wvl_context_error(context));
    }
    if (status == WVL_OK) {
        status = encode_plan(context, plan, &s->image, out, error);
    }
    wvl_plan_release(plan);
    wvl_params_release(params);
    if (status != WVL_OK && error[0] == '\0') {
        snprintf(error, WVL_BENCH_ERROR_BYTES, "%s", wvl_status_text(status));
    }
    return status == WVL_OK ? 0 : -1;
}

static wvl_context *open_context(uint32_t threads, const wvl_allocator *host, char *error)
{
    wvl_context_options options = {.struct_size = sizeof options, .threads = threads};
    wvl_context *context = NULL;

    if (host) {
        options.host = *host;
    }
    if (wvl_context_create(&options, &context) == WVL_OK) {
        return context;
    }
    snprintf(error, WVL_BENCH_ERROR_BYTES, "no context");
    return NULL;
}

wvl_context *wvl_bench_open_context(uint32_t threads, char *error) { return open_context(threads, NULL, error); }

void wvl_bench_close_context(wvl_context *context) { wvl_context_release(context); }

/* The library's memory goes back through its context; what the caller keeps is a copy from malloc. */
static int keep_output(wvl_context *context, output *out, wvl_bench_coded *coded, char *error)
{
    coded->data = malloc(out->bytes);
    if (coded->data) {
        memcpy(coded->data, out->data, out->bytes);
    } else {
        snprintf(error, WVL_BENCH_ERROR_BYTES, "no memory");
    }
    coded->bytes = out->bytes;
    wvl_memory_release(context, out->data, out->bytes);
    return coded->data ? 0 : -1;
}

static int encode_timed(wvl_context *context, const wvl_bench_picture *picture, const wvl_bench_job *job,
                        wvl_bench_coded *coded, char *error)
{
    output out = {.data = NULL};
    wvl_bench_time start;
    wvl_bench_source s;
    int status;

    if (wvl_bench_open_source(picture, &s, error) != 0) {
        return -1;
    }
    start = wvl_bench_time_now();
    status = encode_source(context, &s, job, &out, error);
    coded->time = wvl_bench_time_since(start);
    if (status == 0) {
        status = keep_output(context, &out, coded, error);
    }
    wvl_bench_close_source(&s);
    return status;
}

int wvl_bench_encode_wavelane(const wvl_bench_picture *picture, const wvl_bench_job *job, wvl_bench_coded *coded,
                              char *error)
{
    wvl_context *context = job->context ? job->context : open_context(job->threads, NULL, error);
    int status = context ? encode_timed(context, picture, job, coded, error) : -1;

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
    uint64_t live, peak;
    void *memory;

    (void)stream;
    if (posix_memalign(&memory, alignment < sizeof(void *) ? sizeof(void *) : alignment, bytes) != 0) {
        return NULL;
    }
    live = atomic_fetch_add(&count->live_bytes, bytes) + bytes;
    peak = atomic_load(&count->peak_bytes);
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

int wvl_bench_measure_wavelane(const wvl_bench_picture *picture, const wvl_bench_job *job, wvl_bench_memory *memory,
                               char *error)
{
    counter count = {0};
    wvl_allocator host = {.allocate = counted_allocate, .release = counted_release, .user = &count};
    wvl_context *context = open_context(job->threads, &host, error);
    output out = {.data = NULL};
    wvl_bench_source s;
    int status;

    if (!context || wvl_bench_open_source(picture, &s, error) != 0) {
        wvl_context_release(context);
        return -1;
    }
    status = encode_source(context, &s, job, &out, error);
    *memory = (wvl_bench_memory){
        .base_bytes = out.base_bytes, .peak_bytes = atomic_load(&count.peak_bytes), .output_bytes = out.bytes};
    if (status == 0) {
        wvl_memory_release(context, out.data, out.bytes);
    }
    wvl_bench_close_source(&s);
    wvl_context_release(context);
    return status;
}
