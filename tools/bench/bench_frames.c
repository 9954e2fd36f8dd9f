/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures one after the other, and in flight: pictures a second, for how much of the time blocks were being coded, how
 * much of what a device did lay behind that, and what was exposed: time in which nobody coded blocks although a picture
 * was on its way to them, in staging, on the device or in the CPU's transform. The steady state of pictures in flight
 * begins with the first result and ends with the last submission. With --memory none of this is counted: see
 * bench_ring.h. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bench_ring.h"
#include "wavelane.h"

#define SPANS_MAX 65536u

typedef wvl_bench_frames_options frames_options;

typedef struct span_list {
    double at[SPANS_MAX][2]; /* begin and end */
    uint32_t count;
} span_list;

/* What the library reports of its work. */
typedef struct spans {
    pthread_mutex_t lock;
    span_list coding, device; /* of blocks; copies and kernels of a device */
    span_list transform;      /* the transform stage, as the conductor sees it: from pixels to coefficients at hand */
    double waiting;           /* their sum, not joined */
    wvl_bench_trace *trace;   /* NULL: nothing is written */
} spans;

static spans told = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void add_span(span_list *list, const wvl_trace_span *span)
{
    if (list->count < SPANS_MAX) {
        list->at[list->count][0] = span->begin;
        list->at[list->count++][1] = span->end;
    }
}

static void take_span(void *user, const wvl_trace_span *span)
{
    (void)user;
    pthread_mutex_lock(&told.lock);
    if (strcmp(span->name, "code") == 0) {
        add_span(&told.coding, span);
    }
    if (strncmp(span->track, "cuda:", 5) == 0) {
        add_span(&told.device, span);
    }
    if (strcmp(span->name, "transform") == 0) {
        add_span(&told.transform, span);
        told.waiting += span->end - span->begin;
    }
    wvl_bench_write_span(told.trace, span);
    pthread_mutex_unlock(&told.lock);
}

static int compare_begin(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorted, and overlapping ones joined. Returns their sum. */
static double join_spans(span_list *list)
{
    uint32_t n = 0;
    double sum = 0.0;
    qsort(list->at, list->count, sizeof list->at[0], compare_begin);
    for (uint32_t i = 0; i < list->count; i++) {
        if (n && list->at[i][0] <= list->at[n - 1][1]) {
            list->at[n - 1][1] = list->at[i][1] > list->at[n - 1][1] ? list->at[i][1] : list->at[n - 1][1];
        } else {
            list->at[n][0] = list->at[i][0];
            list->at[n++][1] = list->at[i][1];
        }
    }
    list->count = n;
    for (uint32_t i = 0; i < n; i++) {
        sum += list->at[i][1] - list->at[i][0];
    }
    return sum;
}

/* Seconds of the time that both, joined, were going on. */
static double common_seconds(const span_list *a, const span_list *b)
{
    double sum = 0.0;
    for (uint32_t i = 0, k = 0; i < a->count && k < b->count;) {
        double from = a->at[i][0] > b->at[k][0] ? a->at[i][0] : b->at[k][0],
               to = a->at[i][1] < b->at[k][1] ? a->at[i][1] : b->at[k][1];
        sum += to > from ? to - from : 0.0;
        if (a->at[i][1] < b->at[k][1]) {
            i++;
        } else {
            k++;
        }
    }
    return sum;
}

/* What of joined spans lies in a window. */
static void clip_spans(span_list *list, double from, double to)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        double begin = list->at[i][0] > from ? list->at[i][0] : from, end = list->at[i][1] < to ? list->at[i][1] : to;
        if (begin < end) {
            list->at[n][0] = begin;
            list->at[n++][1] = end;
        }
    }
    list->count = n;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

typedef struct run {
    double seconds, coding, waiting;
    double device,
        hidden; /* seconds that the device was at work; the part of them during which blocks were being coded */
    double begin, end, exposed; /* the steady state, in seconds of the trace's clock, and what of it was exposed */
    uint32_t results;           /* received in it */
    uint64_t bytes;
    char backend[32];
} run;

static wvl_status encode_alone(wvl_context *context, const wvl_plan *plan, const wvl_image *image, run *r)
{
    wvl_sink sink;
    wvl_result *result = NULL;
    void *data = NULL;
    size_t bytes = 0;
    char error[256] = "";
    wvl_status status = wvl_sink_open_memory(context, &sink);
    if (status == WVL_OK && (status = wvl_encode(plan, image, &sink, NULL, &result, error, sizeof error)) != WVL_OK) {
        fprintf(stderr, "wavelane-bench: %s\n", error);
    }
    if (status == WVL_OK && (status = wvl_sink_take_memory(&sink, &data, &bytes)) == WVL_OK) {
        snprintf(r->backend, sizeof r->backend, "%s", wvl_result_backend(result));
        r->bytes += bytes;
        wvl_memory_release(context, data, bytes);
    }
    wvl_result_release(result);
    return status;
}

static wvl_status receive_one(wvl_encoder *encoder, run *r)
{
    wvl_encoded_picture *packet;
    wvl_status status = wvl_encoder_receive(encoder, UINT32_MAX, &packet);
    if (status != WVL_OK) {
        return status;
    }
    size_t bytes;
    (void)wvl_encoded_picture_data(packet, &bytes);
    r->bytes += bytes;
    status = wvl_encoded_picture_status(packet);
    if (status == WVL_OK) {
        snprintf(r->backend, sizeof r->backend, "%s", wvl_result_backend(wvl_encoded_picture_result(packet)));
    } else {
        fprintf(stderr, "wavelane-bench: %s\n", wvl_encoded_picture_error(packet));
    }
    wvl_encoded_picture_release(packet);
    return status;
}

static wvl_status encode_in_flight(wvl_encoder *encoder, const wvl_image *image, uint32_t count, run *r)
{
    wvl_status status = WVL_OK;
    for (uint32_t sent = 0, got = 0; got < count && status == WVL_OK;) {
        while (sent < count && wvl_encoder_submit(encoder, image, NULL, NULL) == WVL_OK) {
            r->end = wvl_bench_wall_seconds();
            sent++;
        }
        status = receive_one(encoder, r);
        r->results += got && sent < count;
        r->begin = got++ ? r->begin : wvl_bench_wall_seconds();
    }
    return status;
}

/* After the joined spans have served for the whole run. */
static void measure_exposed(run *r, double from, double to)
{
    (void)join_spans(&told.transform);
    clip_spans(&told.transform, from, to);
    clip_spans(&told.coding, from, to);
    r->exposed = join_spans(&told.transform) - common_seconds(&told.transform, &told.coding);
    r->begin = from;
    r->end = to;
}

static wvl_status time_run(wvl_context *context, const wvl_plan *plan, const wvl_image *image, uint32_t frames,
                           uint32_t count, run *r)
{
    wvl_encoder *encoder = NULL;
    run warm;
    wvl_status status = frames ? wvl_encoder_create(plan, frames, &encoder) : WVL_OK;
    if (status == WVL_OK) {
        status = frames ? encode_in_flight(encoder, image, frames, &warm) : encode_alone(context, plan, image, &warm);
    }
    memset(r, 0, sizeof *r);
    told.coding.count = told.device.count = told.transform.count = 0;
    told.waiting = 0.0;
    double start = wvl_bench_wall_seconds();
    if (frames && status == WVL_OK) {
        status = encode_in_flight(encoder, image, count, r);
    }
    for (uint32_t i = 0; i < count && !frames && status == WVL_OK; i++) {
        status = encode_alone(context, plan, image, r);
    }
    r->seconds = wvl_bench_wall_seconds() - start;
    wvl_encoder_release(encoder);
    r->coding = join_spans(&told.coding);
    r->device = join_spans(&told.device);
    r->hidden = common_seconds(&told.coding, &told.device);
    r->waiting = told.waiting;
    measure_exposed(r, frames ? r->begin : start, frames ? r->end : start + r->seconds);
    r->results = frames ? r->results : count;
    return status;
}

static void print_run(const frames_options *o, uint32_t frames, const run *r, uint64_t samples)
{
    char how[32];
    snprintf(how, sizeof how, frames ? "%u in flight" : "one by one", frames);
    printf("%-12s %-8s %u threads: %8.2f pictures/s, %8.1f Msamples/s, blocks coded %5.1f %% of the time, transform "
           "waited for %.3f ms a picture, %llu bytes each\n",
           how, r->backend, o->threads, o->count / r->seconds, 1e-6 * (double)samples * o->count / r->seconds,
           100.0 * r->coding / r->seconds, 1e3 * r->waiting / o->count, (unsigned long long)(r->bytes / o->count));
    if (r->device > 0.0) {
        printf("%-12s %-8s device at work for %.3f ms a picture, %.1f %% of that while blocks were being coded\n", how,
               r->backend, 1e3 * r->device / o->count, 100.0 * r->hidden / r->device);
    }
    if (r->results && r->end > r->begin) {
        printf("%-12s %-8s exposed: %.3f ms a picture, %.2f %% of the time%s\n", how, r->backend,
               1e3 * r->exposed / r->results, 100.0 * r->exposed / (r->end - r->begin),
               frames ? ", from the first result to the last submission" : "");
    }
}

/* ---- Command --------------------------------------------------------------------------------- */

static int take_frames(const char *value, void *options)
{
    frames_options *o = options;
    double list[WVL_BENCH_FRAMES_MAX];
    o->frames_count =
        (uint32_t)wvl_bench_args_list("--frames", value, 0, WVL_BENCH_PLACES_MAX, list, WVL_BENCH_FRAMES_MAX);
    for (uint32_t i = 0; i < o->frames_count; i++) {
        o->frames[i] = (uint32_t)list[i];
    }
    return o->frames_count ? 0 : -1;
}

/* The place of a word in a list. -1 (reported): none of them. */
static int find_word(const char *option, const char *value, const char *const *words, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(value, words[i]) == 0) {
            return i;
        }
    }
    fprintf(stderr, "wavelane-bench: %s %s: give %s", option, value, words[0]);
    for (int i = 1; i < count; i++) {
        fprintf(stderr, i + 1 < count ? ", %s" : " or %s", words[i]);
    }
    fputc('\n', stderr);
    return -1;
}

static int take_memory(const char *value, void *options)
{
    static const char *const words[] = {"host", "pinned", "device"};
    frames_options *o = options;
    int kind = find_word("--memory", value, words, 3);
    o->has_memory = 1;
    o->kind = kind > 0 ? (wvl_memory_kind)kind : WVL_MEMORY_HOST;
    return kind < 0 ? -1 : 0;
}

static int take_layout(const char *value, void *options)
{
    static const char *const words[] = {"planar", "interleaved"};
    frames_options *o = options;
    int order = find_word("--layout", value, words, 2);
    o->order = order == 1 ? WVL_BENCH_INTERLEAVED : WVL_BENCH_PLANAR;
    return order < 0 ? -1 : 0;
}

/* What needs --memory and is there. NULL: nothing. */
static const char *find_of_memory(const wvl_bench_args *args)
{
    static const char *const names[] = {"--layout", "--ring",   "--devices", "--seconds", "--turns", "--uploads",
                                        "--copies", "--arrive", "--json",    "--out",     "--raw"};
    for (int i = 2; i < args->count; i++) {
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            if (strcmp(args->values[i], names[k]) == 0) {
                return names[k];
            }
        }
    }
    return NULL;
}

/* Options that do not go together. 0, or -1 (reported). */
static int check_options(const frames_options *o, const wvl_bench_args *args)
{
    const char *why = NULL, *of_memory = o->has_memory ? NULL : find_of_memory(args);
    if (of_memory) {
        fprintf(stderr, "wavelane-bench: %s needs --memory\n", of_memory);
        return -1;
    }
    if (o->has_memory && o->count != 0) {
        why = "--count does not go with --memory: use --seconds and --turns";
    } else if (o->arrives && o->kind != WVL_MEMORY_DEVICE) {
        why = "--arrive needs --memory device";
    } else if ((o->uploads || o->copies) && o->kind != WVL_MEMORY_PINNED) {
        why = o->uploads ? "--uploads needs --memory pinned" : "--copies needs --memory pinned";
    } else if (o->raw && o->trace) {
        why = "--raw encodes nothing: --trace does not go with it";
    } else if (o->has_memory && o->ring < o->devices) {
        why = "--ring has fewer pictures than there are --devices";
    }
    if (why) {
        fprintf(stderr, "wavelane-bench: %s\n", why);
    }
    return why ? -1 : 0;
}

/* ---- Runs that are watched ---- */

static int run_picture(const frames_options *o, wvl_context *context, const wvl_bench_picture *picture)
{
    wvl_bench_source source;
    char error[WVL_BENCH_ERROR_BYTES];
    wvl_plan *plan = NULL;
    run r;
    if (wvl_bench_open_source(picture, &source, error) != 0) {
        fprintf(stderr, "wavelane-bench: %s\n", error);
        return WVL_BENCH_EXIT_FAILED;
    }
    wvl_status status = wvl_bench_make_plan(context, o, &source.format, NULL, &plan);
    for (uint32_t i = 0; i < o->frames_count && status == WVL_OK; i++) {
        if ((status = time_run(context, plan, &source.image, o->frames[i], o->count, &r)) == WVL_OK) {
            print_run(o, o->frames[i], &r, picture->sample_count);
        }
    }
    wvl_plan_release(plan);
    wvl_bench_close_source(&source);
    return status == WVL_OK ? WVL_BENCH_EXIT_OK : WVL_BENCH_EXIT_FAILED;
}

static int run_watched(const frames_options *o, const wvl_bench_picture *picture)
{
    wvl_context *context = NULL;
    wvl_context_options options = {.struct_size = sizeof options, .threads = o->threads, .trace = take_span};
    int code = WVL_BENCH_EXIT_FAILED;
    if (o->trace && wvl_bench_open_trace(o->trace, &told.trace) != 0) {
        return WVL_BENCH_EXIT_OUTPUT;
    }
    wvl_bench_write_picture(picture, stdout);
    if (wvl_context_create(&options, &context) == WVL_OK) {
        code = run_picture(o, context, picture);
    }
    wvl_context_release(context);
    int is_written = wvl_bench_close_trace(told.trace) == 0;
    return code == WVL_BENCH_EXIT_OK && !is_written ? WVL_BENCH_EXIT_OUTPUT : code;
}

#define OPTION(name, kind, member) WVL_BENCH_OPTION(name, kind, frames_options, member)
#define RANGE(name, kind, member, lowest, highest) WVL_BENCH_RANGE(name, kind, frames_options, member, lowest, highest)
static const wvl_bench_option table[] = {
    OPTION("--image", TEXT, image),
    RANGE("--size", SIZE, shape.width, 1, 1 << 20),
    RANGE("--components", COUNT, shape.component_count, 1, 4),
    RANGE("--depth", COUNT, shape.depth, 1, 16),
    RANGE("--threads", COUNT, threads, 1, 1024),
    WVL_BENCH_CALL("--frames", take_frames),
    RANGE("--count", COUNT, count, 1, 10000),
    OPTION("--set", SETTING, settings),
    OPTION("--trace", TEXT, trace),
    WVL_BENCH_CALL("--memory", take_memory),
    WVL_BENCH_CALL("--layout", take_layout),
    RANGE("--ring", COUNT, ring, 1, WVL_BENCH_RING_MAX),
    RANGE("--seconds", NUMBER, seconds, 0, 600),
    RANGE("--turns", COUNT, turns, 1, WVL_BENCH_TURNS_MAX),
    RANGE("--devices", COUNT, devices, 1, WVL_BENCH_DEVICES_MAX),
    OPTION("--uploads", FLAG, uploads),
    OPTION("--copies", FLAG, copies),
    OPTION("--arrive", FLAG, arrives),
    OPTION("--json", TEXT, json),
    OPTION("--out", TEXT, out),
    OPTION("--raw", TEXT, raw),
};

int wvl_bench_run_frames(wvl_bench_args *args)
{
    frames_options o = {.shape = {4096, 2160, 3, 8},
                        .threads = 16,
                        .frames = {0, 3},
                        .frames_count = 2,
                        .ring = 8,
                        .devices = 1,
                        .turns = 3,
                        .seconds = 2};
    wvl_bench_picture picture;
    char error[WVL_BENCH_ERROR_BYTES];
    if (wvl_bench_args_parse(args, table, sizeof table / sizeof table[0], &o) != 0 || check_options(&o, args) != 0) {
        return WVL_BENCH_EXIT_USAGE;
    }
    o.count = o.count != 0 ? o.count : 24;
    if ((o.image ? wvl_bench_fetch_picture(o.image, 0, &picture, error)
                 : wvl_bench_build_picture(&o.shape, &picture, error)) != 0) {
        fprintf(stderr, "wavelane-bench: %s\n", error);
        return WVL_BENCH_EXIT_INPUT;
    }
    int code = o.has_memory ? wvl_bench_run_memory(&o, &picture) : run_watched(&o, &picture);
    wvl_bench_release_picture(&picture);
    return code;
}
