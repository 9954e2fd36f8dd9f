/* SPDX-License-Identifier: BSD-2-Clause */
#include "glue.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define CALL_SECONDS 0.1

static atomic_int closed;

static double read_clock(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int wvl_python_watch_progress(void *watch, uint64_t done, uint64_t total, wvl_stage stage)
{
    wvl_python_watch *w = watch;
    double now = read_clock();
    if (w->last == 0) {
        w->last = now;
    }
    if (now - w->last < CALL_SECONDS) {
        return 0;
    }
    w->last = now;
    return wvl_python_progress(w->user, done, total, (int)stage);
}

int wvl_python_write(void *output, const void *data, size_t bytes)
{
    wvl_python_output *o = output;
    if (bytes > o->bytes - o->written) {
        return 1;
    }
    memcpy(o->data + o->written, data, bytes);
    o->written += bytes;
    return 0;
}

void wvl_python_pass_log(void *user, wvl_log_level level, const char *text)
{
    if (!atomic_load(&closed)) {
        wvl_python_log(user, (int)level, text);
    }
}

void wvl_python_pass_trace(void *user, const wvl_trace_span *span)
{
    if (!atomic_load(&closed)) {
        wvl_python_trace(user, span->track, span->name, span->picture, span->begin, span->end);
    }
}

void wvl_python_close(void) { atomic_store(&closed, 1); }
