/* SPDX-License-Identifier: BSD-2-Clause */
/* How long an encode goes on after it was cancelled: wall time from the raise to the end, at moments all over it. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "wavelane.h"

#define MOST_MOMENTS 2000u

typedef struct options {
    const char *image;
    wvl_bench_shape shape;
    uint32_t threads;
    double seconds;
    wvl_bench_settings settings;
} options;

typedef struct stage {
    wvl_context *context;
    wvl_plan *plan;
    wvl_bench_source source;
    wvl_cancel *cancel; /* of the encode that runs */
    double moment;      /* seconds after its begin at which it is cancelled */
    double raised;      /* when that was */
} stage;

/* ---- Options ---- */

static const wvl_bench_option table[] = {
    WVL_BENCH_OPTION("--image", TEXT, options, image),
    WVL_BENCH_RANGE("--size", SIZE, options, shape.width, 1, 65535),
    WVL_BENCH_RANGE("--threads", COUNT, options, threads, 1, 256),
    WVL_BENCH_RANGE("--seconds", NUMBER, options, seconds, 0, 3600),
    WVL_BENCH_OPTION("--set", SETTING, options, settings),
};

/* ---- One encode ---- */

static int swallow(void *user, const void *data, size_t bytes)
{
    (void)user;
    (void)data;
    (void)bytes;
    return 0;
}

static void *raise_later(void *arg)
{
    stage *s = arg;
    struct timespec pause = {(time_t)s->moment, (long)(fmod(s->moment, 1.0) * 1e9)};
    (void)nanosleep(&pause, NULL);
    s->raised = wvl_bench_wall_seconds();
    wvl_cancel_raise(s->cancel);
    return NULL;
}

/* Seconds that it took, or, where it was cancelled, that it went on. */
static wvl_status encode(stage *s, int is_cancelled, double *seconds)
{
    pthread_t raiser;
    wvl_sink sink = {.struct_size = sizeof sink, .write = swallow};
    wvl_control control = {.struct_size = sizeof control};
    wvl_status status = wvl_cancel_create(s->context, &s->cancel);
    if (status != WVL_OK) {
        return status;
    }
    control.cancel = s->cancel;
    is_cancelled = is_cancelled && pthread_create(&raiser, NULL, raise_later, s) == 0;
    double begun = wvl_bench_wall_seconds();
    status = wvl_encode(s->plan, &s->source.image, &sink, &control, NULL, NULL, 0);
    double ended = wvl_bench_wall_seconds();
    if (is_cancelled) {
        (void)pthread_join(raiser, NULL);
    }
    *seconds = ended - (is_cancelled ? s->raised : begun);
    wvl_cancel_release(s->cancel);
    return status;
}

/* ---- All moments ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_times(const options *o, double whole, double *times, uint32_t count, double worst_moment)
{
    qsort(times, count, sizeof *times, compare);
    for (size_t i = 0; i < o->settings.count; i++) {
        printf("%s ", o->settings.text[i]);
    }
    printf(
        "(%u threads, %.3f s uncancelled): %u cancelled, ms to the end: median %.2f, 99 %% %.2f, most %.2f at %.0f %% "
        "of the encode\n",
        o->threads, whole, count, 1e3 * times[count / 2], 1e3 * times[(count * 99 + 99) / 100 - 1],
        1e3 * times[count - 1], 100.0 * worst_moment);
}

#define GOLDEN 0.6180339887498949 /* moments by it lie evenly, however many there are */

static int time_moments(const options *o, stage *s)
{
    static double times[MOST_MOMENTS];
    double whole, at = 0.0, most = 0.0, worst_moment = 0.0, begun;
    uint32_t count = 0;
    for (int turn = 0; turn < 2; turn++) { /* the first one touches new memory */
        if (encode(s, 0, &whole) != WVL_OK) {
            return WVL_BENCH_EXIT_FAILED;
        }
    }
    begun = wvl_bench_wall_seconds();
    while (count < MOST_MOMENTS && (count == 0 || wvl_bench_wall_seconds() < begun + o->seconds)) {
        at = fmod(at + GOLDEN, 1.0);
        s->moment = at * whole;
        wvl_status status = encode(s, 1, &times[count]);
        if (status == WVL_OK) {
            continue; /* it was over before */
        }
        if (status != WVL_CANCELLED) {
            return WVL_BENCH_EXIT_FAILED;
        }
        worst_moment = times[count] > most ? at : worst_moment;
        most = fmax(most, times[count++]);
    }
    print_times(o, whole, times, count, worst_moment);
    return WVL_BENCH_EXIT_OK;
}

static wvl_status set_all(const options *o, wvl_params *params)
{
    char key[64];
    wvl_status status = WVL_OK;
    for (size_t i = 0; i < o->settings.count && status == WVL_OK; i++) {
        const char *text = o->settings.text[i], *value = strchr(text, '=') + 1;
        snprintf(key, sizeof key, "%.*s", (int)(value - text - 1), text);
        status = wvl_params_set(params, key, value);
    }
    return status;
}

static int run_stage(const options *o, const wvl_bench_picture *picture, char *error)
{
    stage s = {0};
    wvl_params *params = NULL;
    wvl_context_options context = {.struct_size = sizeof context, .threads = o->threads};
    int code = WVL_BENCH_EXIT_FAILED;
    if (wvl_bench_open_source(picture, &s.source, error)) {
        return code;
    }
    wvl_status status = wvl_context_create(&context, &s.context);
    status = status == WVL_OK ? wvl_params_create(s.context, &params) : status;
    status = status == WVL_OK ? set_all(o, params) : status;
    status = status == WVL_OK ? wvl_plan_create(s.context, params, &s.source.format, NULL, &s.plan) : status;
    if (status == WVL_OK) {
        code = time_moments(o, &s);
    } else {
        snprintf(error, WVL_BENCH_ERROR_BYTES, "%s",
                 params && wvl_params_error(params)[0] ? wvl_params_error(params) : wvl_context_error(s.context));
    }
    wvl_plan_release(s.plan);
    wvl_params_release(params);
    wvl_context_release(s.context);
    wvl_bench_close_source(&s.source);
    return code;
}

int wvl_bench_run_cancel(wvl_bench_args *args)
{
    options o = {.shape = {4096, 2160, 3, 8}, .threads = 2, .seconds = 30.0};
    wvl_bench_picture picture;
    char error[WVL_BENCH_ERROR_BYTES] = "";
    if (wvl_bench_args_parse(args, table, sizeof table / sizeof *table, &o)) {
        return WVL_BENCH_EXIT_USAGE;
    }
    if (o.image ? wvl_bench_fetch_picture(o.image, 0, &picture, error)
                : wvl_bench_build_picture(&o.shape, &picture, error)) {
        fprintf(stderr, "wavelane-bench: %s\n", error);
        return WVL_BENCH_EXIT_INPUT;
    }
    int code = run_stage(&o, &picture, error);
    if (code) {
        fprintf(stderr, "wavelane-bench: %s\n", error[0] ? error : "an encode failed");
    }
    wvl_bench_release_picture(&picture);
    return code;
}
