/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --trace FILE: spans of work as a Chrome trace (JSON object format; chrome://tracing and Perfetto read it). One
 * process, a thread per track, times in microseconds since the trace was opened.
 */

#include <pthread.h>
#include <stdarg.h>

#include "cli.h"

#define TRACKS 64u
#define LINE_BYTES 512

/* The file has a context of its own: that of the pictures must be gone before the last span is known. */
static struct {
    wvl_context *context;
    wvl_sink sink;
    const char *path; /* NULL: nothing is traced */
    double start;
    pthread_mutex_t lock;
    char tracks[TRACKS][48];
    uint32_t track_count;
    int failed;
} trace = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void put_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void put_text(const char *format, ...)
{
    char line[LINE_BYTES];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    trace.failed |= length < 0 || length >= LINE_BYTES || trace.sink.write(trace.sink.user, line, (size_t)length) != 0;
}

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
    snprintf(trace.tracks[trace.track_count++], sizeof trace.tracks[0], "%s", name);
    put_text(",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}}", i, name);
    return i;
}

static void put_span(void *user, const wvl_trace_span *span)
{
    (void)user;
    (void)pthread_mutex_lock(&trace.lock);
    uint32_t track = find_track(span->track);
    double begin = 1e6 * (span->begin - trace.start), duration = 1e6 * (span->end - span->begin);
    put_text(
        ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"name\":\"%s\",\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"picture\":%llu}}",
        track, span->name, begin, duration, (unsigned long long)span->picture);
    (void)pthread_mutex_unlock(&trace.lock);
}

static int check_trace(const wvl_cli_args *args)
{
    if (!strcmp(args->trace, "-")) {
        return wvl_cli_fail(WVL_EXIT_USAGE, "--trace -: a trace can be written to a file only; give its name");
    }
    if (args->output && wvl_cli_is_same_file(args->trace, args->output)) {
        return wvl_cli_fail(WVL_EXIT_OUTPUT, "--trace %s: is the output too; name another file", args->trace);
    }
    int code = wvl_cli_refuse_picture_name("--trace", args->trace);
    return code ? code : wvl_cli_check_output(args, args->inputs, args->input_count, args->trace);
}

int wvl_cli_open_trace(const wvl_cli_args *args, wvl_context_options *options)
{
    wvl_context_options own = {.struct_size = sizeof own, .threads = 1};
    int code = check_trace(args);
    if (code) {
        return code;
    }
    wvl_status status = wvl_context_create(&own, &trace.context);
    if (status) {
        return wvl_cli_fail(wvl_cli_exit_code(status), "--trace: %s", wvl_status_text(status));
    }
    trace.sink = (wvl_sink){.struct_size = sizeof trace.sink};
    code = wvl_cli_open_sink(args, trace.context, args->trace, &trace.sink);
    if (code) {
        wvl_context_release(trace.context);
        return code;
    }
    trace.path = args->trace;
    trace.start = wvl_cli_seconds();
    put_text("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
             "{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"wavelane\"}}");
    options->trace = put_span;
    return WVL_EXIT_OK;
}

void wvl_cli_trace_reading(double begin)
{
    if (trace.path) {
        const wvl_trace_span span = {sizeof span, "files", "read", 0, begin, wvl_cli_seconds()};
        put_span(NULL, &span);
    }
}

/* A trace of pictures that all failed is not kept; of some, it is. */
int wvl_cli_close_trace(int code)
{
    if (!trace.path) {
        return code;
    }
    int complete = code == WVL_EXIT_OK || code == WVL_EXIT_SOME_FAILED || code == WVL_EXIT_REPORT;
    put_text("\n]}\n");
    complete = complete && !trace.failed;
    int failed = trace.failed;
    failed |= trace.sink.close(trace.sink.user, complete) != 0;
    wvl_context_release(trace.context);
    if (failed && !code) {
        code = wvl_cli_fail(WVL_EXIT_REPORT, "--trace %s: cannot be written; the pictures are complete", trace.path);
    }
    trace.path = NULL;
    return code;
}
