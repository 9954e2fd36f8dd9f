/* SPDX-License-Identifier: BSD-2-Clause */
/* What the library reports of its work, as a Chrome trace. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bench_ring.h"

#define TRACKS_MAX (WVL_BENCH_PLACES_MAX + 8 * WVL_BENCH_DEVICES_MAX)

struct wvl_bench_trace {
    pthread_mutex_t lock;
    FILE *file;
    char path[512];
    char tracks[TRACKS_MAX][48];
    uint32_t track_count;
};

int wvl_bench_open_trace(const char *path, wvl_bench_trace **trace)
{
    wvl_bench_trace *t = calloc(1, sizeof *t);
    FILE *file = t ? fopen(path, "wb") : NULL;
    if (!file) {
        fprintf(stderr, "wavelane-bench: %s: %s\n", path, strerror(errno));
        free(t);
        return -1;
    }
    pthread_mutex_init(&t->lock, NULL);
    t->file = file;
    snprintf(t->path, sizeof t->path, "%s", path);
    fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_name\","
          "\"args\":{\"name\":\"wavelane-bench\"}}",
          file);
    *trace = t;
    return 0;
}

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

void wvl_bench_write_span(wvl_bench_trace *t, const wvl_trace_span *span)
{
    if (t) {
        fprintf(t->file,
                ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"name\":\"%s\",\"ts\":%.3f,\"dur\":%.3f,"
                "\"args\":{\"picture\":%llu}}",
                find_track(t, span->track), span->name, 1e6 * span->begin, 1e6 * (span->end - span->begin),
                (unsigned long long)span->picture);
    }
}

static void take_span(void *trace, const wvl_trace_span *span)
{
    wvl_bench_trace *t = trace;
    pthread_mutex_lock(&t->lock);
    wvl_bench_write_span(t, span);
    pthread_mutex_unlock(&t->lock);
}

int wvl_bench_open_traced(uint32_t threads, const char *path, wvl_context **context, wvl_bench_trace **trace)
{
    wvl_context_options options = {.struct_size = sizeof options, .threads = threads};
    *context = NULL;
    *trace = NULL;
    if (path && wvl_bench_open_trace(path, trace) != 0) {
        return WVL_BENCH_EXIT_OUTPUT;
    }
    options.trace = path ? take_span : NULL;
    options.trace_user = *trace;
    if (wvl_context_create(&options, context) == WVL_OK) {
        return WVL_BENCH_EXIT_OK;
    }
    fprintf(stderr, "wavelane-bench: no context\n");
    (void)wvl_bench_close_trace(*trace);
    *context = NULL;
    *trace = NULL;
    return WVL_BENCH_EXIT_FAILED;
}

int wvl_bench_close_trace(wvl_bench_trace *t)
{
    if (!t) {
        return 0;
    }
    fputs("\n]}\n", t->file);
    int failed = ferror(t->file);
    failed |= fclose(t->file) != 0;
    if (failed) {
        fprintf(stderr, "wavelane-bench: %s: cannot be written\n", t->path);
    }
    pthread_mutex_destroy(&t->lock);
    free(t);
    return failed ? -1 : 0;
}
