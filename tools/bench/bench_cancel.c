/* SPDX-License-Identifier: BSD-2-Clause */
/* How long an encode goes on after it was cancelled: wall time from the raise to the end, at moments all over it. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "bench.h"

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
    const wvl_image *image;
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
    status = wvl_encode(s->plan, s->image, &sink, &control, NULL, NULL, 0);
    double ended = wvl_bench_wall_seconds();
    if (is_cancelled) {
        (void)pthread_join(raiser, NULL);
    }
    *seconds = ended - (is_cancelled ? s->raised : begun);
    wvl_cancel_release(s->cancel);
    return status;
}

/* ---- All moments ---- */

static void print_times(const options *o, double whole, double *times, uint32_t count, double worst_moment)
{
    qsort(times, count, sizeof *times, wvl_bench_compare);
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
            return wvl_bench_fail(WVL_BENCH_EXIT_FAILED, "an encode failed");
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
            return wvl_bench_fail(WVL_BENCH_EXIT_FAILED, "an encode failed");
        }
        worst_moment = times[count] > most ? at : worst_moment;
        most = fmax(most, times[count++]);
    }
    print_times(o, whole, times, count, worst_moment);
    return WVL_BENCH_EXIT_OK;
}

int wvl_bench_run_cancel(wvl_bench_args *args)
{
    options o = {.shape = {4096, 2160, 3, 8}, .threads = 2, .seconds = 30.0};
    wvl_bench_picture picture;
    int code = WVL_BENCH_EXIT_FAILED;
    if (wvl_bench_args_parse(args, table, sizeof table / sizeof *table, &o)) {
        return WVL_BENCH_EXIT_USAGE;
    }
    if (wvl_bench_open_picture(o.image, 0, &o.shape, &picture) != 0) {
        return WVL_BENCH_EXIT_INPUT;
    }
    stage s = {.context = wvl_bench_open_context(o.threads), .image = &picture.image};
    if (s.context && wvl_bench_make_plan(s.context, &o.settings, NULL, &picture.format, &s.plan) == WVL_OK) {
        code = time_moments(&o, &s);
    }
    wvl_plan_release(s.plan);
    wvl_context_release(s.context);
    wvl_bench_release_picture(&picture);
    return code;
}
