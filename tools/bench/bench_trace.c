/* SPDX-License-Identifier: BSD-2-Clause */
/* What the library reports of its work: as a Chrome trace, and added up. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bench_ring.h"

#define TRACKS_MAX (WVL_BENCH_PLACES_MAX + 8 * WVL_BENCH_DEVICES_MAX)
#define SPANS_MAX 65536u

typedef struct span_list {
    double at[SPANS_MAX][2]; /* begin and end */
    uint32_t count;
} span_list;

struct wvl_bench_trace {
    pthread_mutex_t lock;
    FILE *file; /* NULL: nothing is written */
    const char *path;
    char tracks[TRACKS_MAX][48];
    uint32_t track_count;
    int watches;
    span_list coding, device; /* of blocks; copies and kernels of a device */
    span_list transform;      /* the transform stage, as the conductor sees it: from pixels to coefficients at hand */
    double waiting;           /* their sum, not joined */
};

/* ---- Spans ---- */

static void add_span(span_list *list, const wvl_trace_span *span)
{
    if (list->count < SPANS_MAX) {
        list->at[list->count][0] = span->begin;
        list->at[list->count++][1] = span->end;
    }
}

/* Sorted, and overlapping ones joined. Returns their sum. */
static double join_spans(span_list *list)
{
    uint32_t n = 0;
    double sum = 0.0;
    qsort(list->at, list->count, sizeof list->at[0], wvl_bench_compare);
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

/* Clips what of joined spans lies in a window. */
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

void wvl_bench_forget_work(wvl_bench_trace *t)
{
    t->coding.count = t->device.count = t->transform.count = 0;
    t->waiting = 0.0;
}

void wvl_bench_sum_work(wvl_bench_trace *t, double from, double to, wvl_bench_work *work)
{
    work->coding = join_spans(&t->coding);
    work->device = join_spans(&t->device);
    work->hidden = common_seconds(&t->coding, &t->device);
    work->waiting = t->waiting;
    (void)join_spans(&t->transform);
    clip_spans(&t->transform, from, to);
    clip_spans(&t->coding, from, to);
    work->exposed = join_spans(&t->transform) - common_seconds(&t->transform, &t->coding);
    work->steady_seconds = to - from;
}

/* ---- The trace ---- */

/* The number of a track, which is named when it comes first. Tracks beyond the table have one number. */
static uint32_t find_track(wvl_bench_trace *t, const char *name)
{
    uint32_t i = 0;
    while (i < t->track_count && strcmp(t->tracks[i], name) != 0) {
        i++;
    }
    if (i == t->track_count && i < TRACKS_MAX) {
        snprintf(t->tracks[t->track_count++], sizeof t->tracks[0], "%s", name);
        fprintf(t->file, ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_name\",", i);
        fprintf(t->file, "\"args\":{\"name\":\"%s\"}}", name);
    }
    return i;
}

static void take_span(void *trace, const wvl_trace_span *span)
{
    wvl_bench_trace *t = trace;
    pthread_mutex_lock(&t->lock);
    if (t->watches && strcmp(span->name, "code") == 0) {
        add_span(&t->coding, span);
    }
    if (t->watches && strncmp(span->track, "cuda:", 5) == 0) {
        add_span(&t->device, span);
    }
    if (t->watches && strcmp(span->name, "transform") == 0) {
        add_span(&t->transform, span);
        t->waiting += span->end - span->begin;
    }
    if (t->file) {
        fprintf(t->file,
                ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"name\":\"%s\",\"ts\":%.3f,\"dur\":%.3f,"
                "\"args\":{\"picture\":%llu}}",
                find_track(t, span->track), span->name, 1e6 * span->begin, 1e6 * (span->end - span->begin),
                (unsigned long long)span->picture);
    }
    pthread_mutex_unlock(&t->lock);
}

int wvl_bench_open_trace(uint32_t threads, const char *path, int watches, wvl_context **context,
                         wvl_bench_trace **trace)
{
    wvl_context_options options = {.struct_size = sizeof options, .threads = threads};
    wvl_bench_trace *t = *trace = calloc(1, sizeof *t);
    *context = NULL;
    if (!t) {
        return wvl_bench_fail(WVL_BENCH_EXIT_FAILED, "no memory");
    }
    pthread_mutex_init(&t->lock, NULL);
    t->path = path;
    t->watches = watches;
    t->file = path ? fopen(path, "wb") : NULL;
    int code = WVL_BENCH_EXIT_OK;
    if (path && !t->file) {
        code = wvl_bench_fail(WVL_BENCH_EXIT_OUTPUT, "%s: %s", path, strerror(errno));
    }
    if (t->file) {
        fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":1,\"tid\":0,"
              "\"name\":\"process_name\",\"args\":{\"name\":\"wavelane-bench\"}}",
              t->file);
    }
    options.trace = path || watches ? take_span : NULL;
    options.trace_user = t;
    if (code == WVL_BENCH_EXIT_OK && wvl_context_create(&options, context) != WVL_OK) {
        code = wvl_bench_fail(WVL_BENCH_EXIT_FAILED, "no context");
    }
    if (code != WVL_BENCH_EXIT_OK) {
        (void)wvl_bench_close_trace(t);
        *trace = NULL;
    }
    return code;
}

int wvl_bench_close_trace(wvl_bench_trace *t)
{
    int failed = 0;
    if (t->file) {
        fputs("\n]}\n", t->file);
        failed = ferror(t->file);
        failed |= fclose(t->file) != 0;
    }
    if (failed) {
        (void)wvl_bench_fail(-1, "%s: cannot be written", t->path);
    }
    pthread_mutex_destroy(&t->lock);
    free(t);
    return failed ? -1 : 0;
}
