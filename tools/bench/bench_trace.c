/* SPDX-License-Identifier: BSD-2-Clause */
/* What the library reports of its work, as a Chrome trace. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "bench_ring.h"

#define TRACKS_MAX (WVL_BENCH_PLACES_MAX + 8 * WVL_BENCH_DEVICES_MAX)

struct wvl_bench_trace {
    pthread_mutex_t lock;
    FILE *file; /* NULL: nothing is written */
    const char *path;
    char tracks[TRACKS_MAX][48];
    uint32_t track_count;
};

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
    fprintf(t->file,
            ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"name\":\"%s\",\"ts\":%.3f,\"dur\":%.3f,"
            "\"args\":{\"picture\":%llu}}",
            find_track(t, span->track), span->name, 1e6 * span->begin, 1e6 * (span->end - span->begin),
            (unsigned long long)span->picture);
    pthread_mutex_unlock(&t->lock);
}

int wvl_bench_open_trace(uint32_t threads, const char *path, wvl_context **context, wvl_bench_trace **trace)
{
    wvl_context_options options = {.struct_size = sizeof options, .threads = threads};
    wvl_bench_trace *t = *trace = calloc(1, sizeof *t);
    *context = NULL;
    if (!t) {
        return wvl_bench_fail(WVL_BENCH_EXIT_FAILED, "no memory");
    }
    pthread_mutex_init(&t->lock, NULL);
    t->path = path;
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
    options.trace = path ? take_span : NULL;
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
