/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --trace FILE: spans of work as a Chrome trace (JSON object format; chrome://tracing and Perfetto read it). One process, a thread per track, times in
 * microseconds since the trace was opened.
 */
#include "trace.h"

#include <pthread.h>
#include <string.h>

#define TRACKS 64u

static struct {
    FILE *file;
    double start;
    pthread_mutex_t lock;
    char tracks[TRACKS][48];
    uint32_t track_count;
    int failed;
} trace = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Number of the track, told to the reader when it is new. The last one takes what there is no room for. */
static uint32_t find_track(const char *name)
{
    uint32_t i = 0;
    while (i < trace.track_count && strcmp(trace.tracks[i], name) != 0) {
        i++;
    }
    if (i < trace.track_count) {
        return i;
    }
    if (trace.track_count == TRACKS) {
        return TRACKS - 1;
    }
    (void)snprintf(trace.tracks[trace.track_count++], sizeof trace.tracks[0], "%s", name);
    (void)fprintf(trace.file, ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}}", i, name);
    return i;
}

static void put_span(void *user, const wvl_trace_span *span)
{
    (void)user;
    (void)pthread_mutex_lock(&trace.lock);
    uint32_t track = find_track(span->track);
    (void)fprintf(trace.file, ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"name\":\"%s\",\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"picture\":%llu}}", track, span->name,
                  1e6 * (span->begin - trace.start), 1e6 * (span->end - span->begin), (unsigned long long)span->picture);
    (void)pthread_mutex_unlock(&trace.lock);
}

int wvl_cli_open_trace(const char *path, wvl_context_options *options)
{
    trace.file = fopen(path, "wb");
    if (!trace.file) {
        wvl_cli_error("--trace %s: cannot be written", path);
        return WVL_EXIT_OUTPUT;
    }
    trace.start = wvl_cli_seconds();
    (void)fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
                "{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"wavelane\"}}",
                trace.file);
    options->trace = put_span;
    return WVL_EXIT_OK;
}

int wvl_cli_close_trace(int code)
{
    if (!trace.file) {
        return code;
    }
    (void)fputs("\n]}\n", trace.file);
    int failed = ferror(trace.file) != 0;
    failed |= fclose(trace.file) != 0;
    trace.file = NULL;
    if (failed && !code) {
        wvl_cli_error("--trace: cannot be written");
        return WVL_EXIT_OUTPUT;
    }
    return code;
}
