/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_CONTEXT_H
#define WVL_CONTEXT_H

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>

#include "base/pool.h"
#include "base/trace.h"
#include "wavelane.h"

#define WVL_ERROR_TEXT_BYTES 16384u /* a plan reports all violations, one a line; what does not fit is cut */

struct wvl_context {
    _Atomic uint32_t references;
    wvl_allocator host, pinned, device;
    wvl_log_fn log;
    void *log_user;
    wvl_log_level log_level;
    wvl_pool *pool;
    wvl_trace trace;
    _Atomic uint64_t pictures;        /* begun */
    pthread_mutex_t device_lock;
    struct wvl_device *devices[16];   /* by ordinal, opened at their first use (devices.c) */
    pthread_mutex_t error_lock;
    char error[WVL_ERROR_TEXT_BYTES]; /* never moves: threads that share the context may read it while another fails */
};

struct wvl_cancel {
    wvl_context *context;
    _Atomic int raised; /* lock-free int: may be stored from a signal handler (C11 7.14.1.1) */
};

static inline int wvl_cancel_is_raised(wvl_cancel *cancel)
{
    return cancel && atomic_load_explicit(&cancel->raised, memory_order_relaxed);
}

void wvl_context_close_devices(wvl_context *context);
void wvl_context_retain(wvl_context *context);
void wvl_context_log(const wvl_context *context, wvl_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Clears, or appends one line to, the error text. */
void wvl_context_clear_error(wvl_context *context);
void wvl_context_add_error(wvl_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
