/* SPDX-License-Identifier: BSD-2-Clause */
/* Spans of time for wvl_context_options.trace. Without one: a branch a span. */
#pragma once

#include <time.h>

#include "wavelane.h"

typedef struct wvl_trace {
    wvl_trace_fn fn; /* NULL: nobody listens */
    void *user;
} wvl_trace;

static inline double wvl_trace_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int wvl_trace_is_on(const wvl_trace *trace) { return trace && trace->fn; }

/* track: who was at work; picture: a number of the context's, 0 where the span belongs to none; seconds of
 * wvl_trace_now(). */
static inline void wvl_trace_put(const wvl_trace *trace, const char *track, const char *name, uint64_t picture,
                                 double begin, double end)
{
    if (wvl_trace_is_on(trace)) {
        wvl_trace_span span = {sizeof span, track, name, picture, begin, end};
        trace->fn(trace->user, &span);
    }
}
