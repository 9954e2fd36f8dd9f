/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <pthread.h>
#include <stdarg.h>

#include "base/look.h"
#include "base/pool.h"
#include "base/trace.h"

#define WVL_ERROR_TEXT_BYTES 16384u /* a plan reports all violations, one a line; what does not fit is cut */

#define WVL_CONTEXT_KEPT 4u /* two of a plan, and another plan's */

/* The error text of one thread: only that thread changes it, so that what wvl_context_error gave out stays as it is. */
typedef struct wvl_error_text {
    struct wvl_error_text *next;
    pthread_t thread;
    uint64_t number; /* counts failures of the context: the greatest is the last one */
    char text[WVL_ERROR_TEXT_BYTES];
} wvl_error_text;

struct wvl_context {
    _Atomic uint32_t references;
    wvl_allocator host, pinned, device;
    wvl_log_fn log;
    void *log_user;
    wvl_log_level log_level;
    wvl_pool *pool;
    wvl_trace trace;
    _Atomic uint64_t pictures; /* begun */
    pthread_mutex_t device_lock;
    struct wvl_device *devices[16];                     /* by ordinal, opened at their first use (device/devices.c) */
    void (*close_devices)(struct wvl_context *context); /* set by the first of them; before that NULL */
    pthread_mutex_t kept_lock;                          /* guards what follows */
    struct wvl_pictures
        *kept[WVL_CONTEXT_KEPT]; /* open for the next picture of their plan, latest first (device/kept.c)
                                  */
    int (*drop_kept)(struct wvl_context *context, const struct wvl_plan *plan); /* NULL: nothing was kept yet */
    uint64_t max_samples;                                                       /* 0: no limit */
    pthread_mutex_t error_lock; /* guards the list, its numbers and its texts */
    wvl_error_text *errors;     /* one for every thread that failed or asked */
    uint64_t error_count;
};

struct wvl_cancel {
    wvl_context *context;
    wvl_look_flag flag;
};

static inline int wvl_cancel_is_raised(const wvl_cancel *cancel)
{
    return cancel && atomic_load_explicit(&cancel->flag.raised, memory_order_relaxed);
}

void wvl_context_retain(wvl_context *context);
void wvl_context_log(const wvl_context *context, wvl_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Sets, clears, or appends one line to, the error text of the calling thread. */
void wvl_context_set_error(wvl_context *context, const char *text);
void wvl_context_clear_error(wvl_context *context);
void wvl_context_add_error(wvl_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));
