/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/context.h"

#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/intmath.h"
#include "base/structs.h"

#define MAX_THREADS 1024u /* the limit of wvl_runner.concurrency, for own threads too */

#if ATOMIC_INT_LOCK_FREE != 2
#error "wvl_cancel_raise must be callable from a signal handler"
#endif

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)

/* ---- Status, version ------------------------------------------------------------------------- */

const char *wvl_status_text(wvl_status status)
{
    switch (status) {
    case WVL_OK: return "ok";
    case WVL_AGAIN: return "no result yet";
    case WVL_END: return "nothing more will come";
    case WVL_CANCELLED: return "cancelled";
    case WVL_ERROR_ARGUMENT: return "bad argument of the call";
    case WVL_ERROR_PARAMETER: return "bad parameter";
    case WVL_ERROR_UNSUPPORTED: return "not supported";
    case WVL_ERROR_UNREACHABLE: return "the byte cap or quality target cannot be met";
    case WVL_ERROR_MEMORY: return "out of memory";
    case WVL_ERROR_SINK: return "the output refused bytes";
    case WVL_ERROR_DEVICE: return "the device failed or is missing";
    case WVL_ERROR_INPUT: return "bad picture data";
    case WVL_ERROR_THREAD: return "no worker thread could be started";
    case WVL_ERROR_INTERNAL: return "internal error";
    case WVL_ERROR_PROFILE: return "the profile is broken";
    }
    return "unknown status";
}

void wvl_version(int *major, int *minor, int *patch)
{
    if (major) {
        *major = WVL_VERSION_MAJOR;
    }
    if (minor) {
        *minor = WVL_VERSION_MINOR;
    }
    if (patch) {
        *patch = WVL_VERSION_PATCH;
    }
}

#define VERSION_TEXT "wavelane " TEXT(WVL_VERSION_MAJOR) "." TEXT(WVL_VERSION_MINOR) "." TEXT(WVL_VERSION_PATCH)
#if defined(__clang__)
#define COMPILER_TEXT ", clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER_TEXT ", gcc " __VERSION__
#else
#define COMPILER_TEXT ""
#endif
#if defined(WVL_HAVE_CUDA)
#define CUDA_TEXT ", CUDA"
#else
#define CUDA_TEXT ", without CUDA"
#endif
#define BUILD_TEXT(simd) VERSION_TEXT COMPILER_TEXT simd CUDA_TEXT

/* Says what is built in and what of it this processor takes. */
const char *wvl_build_text(void)
{
    static const char *const texts[] = {
        [WVL_CPU_C] = BUILD_TEXT(", no SIMD"),
        [WVL_CPU_AVX2] = BUILD_TEXT(", SIMD AVX2+FMA"),
        [WVL_CPU_AVX512] = BUILD_TEXT(", SIMD AVX-512"),
        [WVL_CPU_NEON] = BUILD_TEXT(", SIMD NEON"),
    };
    return texts[wvl_cpu_fetch_level()];
}

/* ---- Life ------------------------------------------------------------------------------------ */

/* Processors this process may use: the affinity mask, which container runtimes and batch systems set. The mask of a
 * machine with more processors than a cpu_set_t holds is asked for in larger and larger sets. */
static uint32_t count_processors(void)
{
    for (size_t cpus = CPU_SETSIZE; cpus <= CPU_SETSIZE * 64u; cpus *= 2) {
        cpu_set_t *set = CPU_ALLOC(cpus);
        if (!set) {
            break;
        }
        size_t bytes = CPU_ALLOC_SIZE(cpus);
        int count = sched_getaffinity(0, bytes, set) ? 0 : CPU_COUNT_S(bytes, set);
        CPU_FREE(set);
        if (count > 0) {
            return wvl_min_u32((uint32_t)count, MAX_THREADS);
        }
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : wvl_min_u32((uint32_t)online, MAX_THREADS);
}

static int usable_allocator(const wvl_allocator *allocator) { return !allocator->allocate == !allocator->release; }

static wvl_status take_options(const wvl_context_options *given, wvl_context_options *options)
{
    memset(options, 0, sizeof *options);
    if (!given) {
        return WVL_OK;
    }
    if (!wvl_struct_read(options, sizeof *options, given, WVL_STRUCT_UNTIL(wvl_context_options, max_samples))) {
        return WVL_ERROR_ARGUMENT;
    }
    if (!usable_allocator(&options->host) || !usable_allocator(&options->pinned) ||
        !usable_allocator(&options->device)) {
        return WVL_ERROR_ARGUMENT;
    }
    if ((int)options->log_level < WVL_LOG_ERROR || options->log_level > WVL_LOG_DEBUG ||
        options->threads > MAX_THREADS) {
        return WVL_ERROR_ARGUMENT;
    }
    if (options->runner.run && (options->runner.concurrency < 1 || options->runner.concurrency > MAX_THREADS)) {
        return WVL_ERROR_ARGUMENT;
    }
    return WVL_OK;
}

static int init_locks(wvl_context *c)
{
    if (pthread_mutex_init(&c->error_lock, NULL)) {
        return 0;
    }
    if (pthread_mutex_init(&c->device_lock, NULL)) {
        pthread_mutex_destroy(&c->error_lock);
        return 0;
    }
    if (pthread_mutex_init(&c->kept_lock, NULL)) {
        pthread_mutex_destroy(&c->device_lock);
        pthread_mutex_destroy(&c->error_lock);
        return 0;
    }
    return 1;
}

static void fini_locks(wvl_context *c)
{
    pthread_mutex_destroy(&c->kept_lock);
    pthread_mutex_destroy(&c->device_lock);
    pthread_mutex_destroy(&c->error_lock);
}

wvl_status wvl_context_create(const wvl_context_options *given, wvl_context **context)
{
    wvl_context_options options;
    if (!context) {
        return WVL_ERROR_ARGUMENT;
    }
    *context = NULL;
    wvl_status status = take_options(given, &options);
    if (status) {
        return status;
    }
    wvl_context *c = wvl_alloc_zeroed(&options.host, sizeof *c);
    if (!c) {
        return WVL_ERROR_MEMORY;
    }
    if (!init_locks(c)) {
        wvl_free(&options.host, c, sizeof *c);
        return WVL_ERROR_MEMORY;
    }
    atomic_init(&c->references, 1);
    c->host = options.host;
    c->pinned = options.pinned;
    c->device = options.device;
    c->trace = (wvl_trace){options.trace, options.trace_user};
    c->log = options.log;
    c->log_user = options.log_user;
    c->log_level = options.log_level;
    c->max_samples = options.max_samples;
    uint32_t threads = options.threads ? options.threads : count_processors();
    c->pool = wvl_pool_create(&c->host, threads, options.runner.run ? &options.runner : NULL);
    if (!c->pool) {
        fini_locks(c);
        wvl_free(&options.host, c, sizeof *c);
        return WVL_ERROR_MEMORY;
    }
    if (!options.runner.run) {
        uint32_t got = wvl_context_threads(c);
        if (got < threads) {
            wvl_context_log(c, WVL_LOG_WARNING, "%u of %u threads could be started; the output is the same", got,
                            threads);
        }
    }
    *context = c;
    return WVL_OK;
}

void wvl_context_retain(wvl_context *context)
{
    atomic_fetch_add_explicit(&context->references, 1, memory_order_relaxed);
}

void wvl_context_release(wvl_context *context)
{
    if (!context || atomic_fetch_sub_explicit(&context->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    wvl_allocator host = context->host;
    if (context->close_devices) {
        context->close_devices(context);
    }
    wvl_pool_destroy(context->pool);
    while (context->errors) {
        wvl_error_text *first = context->errors;
        context->errors = first->next;
        wvl_free(&host, first, sizeof *first);
    }
    fini_locks(context);
    wvl_free(&host, context, sizeof *context);
}

uint32_t wvl_context_threads(const wvl_context *context) { return context ? wvl_pool_concurrency(context->pool) : 0; }

void wvl_memory_release(wvl_context *context, void *data, size_t bytes)
{
    if (context) {
        wvl_free(&context->host, data, bytes);
    }
}

/* ---- Log and error text ---------------------------------------------------------------------- */

void wvl_context_log(const wvl_context *context, wvl_log_level level, const char *format, ...)
{
    if (!context->log || level > context->log_level) {
        return;
    }
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    context->log(context->log_user, level, text);
}

/* Under the lock. NULL: the calling thread has none. */
static wvl_error_text *find_text(const wvl_context *context)
{
    wvl_error_text *text = context->errors;
    while (text && !pthread_equal(text->thread, pthread_self())) {
        text = text->next;
    }
    return text;
}

/* Under the lock; the text of the calling thread, new and empty if it has none. NULL: no memory. */
static wvl_error_text *open_text(wvl_context *context)
{
    wvl_error_text *text = find_text(context);
    if (!text && (text = wvl_alloc(&context->host, sizeof *text)) != NULL) {
        text->thread = pthread_self();
        text->number = 0;
        text->text[0] = '\0';
        text->next = context->errors;
        context->errors = text;
    }
    return text;
}

static const char *last_text(const wvl_context *context)
{
    const wvl_error_text *last = NULL;
    for (const wvl_error_text *text = context->errors; text; text = text->next) {
        last = text->text[0] && text->number > (last ? last->number : 0) ? text : last;
    }
    return last ? last->text : "";
}

/* A thread that never failed gets a copy of what failed last anywhere: a text that another thread may change is never
 * given out. */
const char *wvl_context_error(const wvl_context *given)
{
    wvl_context *context = (wvl_context *)(uintptr_t)given; /* its texts are no part of what the caller sees change */
    if (!context) {
        return "";
    }
    pthread_mutex_lock(&context->error_lock);
    wvl_error_text *own = find_text(context);
    const char *last = last_text(context);
    if ((!own || !own->number) && *last && (own = open_text(context)) != NULL) {
        memcpy(own->text, last, strlen(last) + 1);
    }
    pthread_mutex_unlock(&context->error_lock);
    return own ? own->text : "";
}

void wvl_context_set_error(wvl_context *context, const char *text)
{
    pthread_mutex_lock(&context->error_lock);
    wvl_error_text *own = *text ? open_text(context) : find_text(context);
    if (own) {
        snprintf(own->text, sizeof own->text, "%s", text);
        own->number = ++context->error_count;
    }
    pthread_mutex_unlock(&context->error_lock);
}

void wvl_context_clear_error(wvl_context *context) { wvl_context_set_error(context, ""); }

void wvl_context_add_error(wvl_context *context, const char *format, ...)
{
    pthread_mutex_lock(&context->error_lock);
    wvl_error_text *own = open_text(context);
    size_t used = own ? strlen(own->text) : 0;
    if (own && used && used + 2 < sizeof own->text) {
        own->text[used++] = '\n';
        own->text[used] = '\0';
    }
    if (own) {
        va_list args;
        va_start(args, format);
        vsnprintf(own->text + used, sizeof own->text - used, format, args);
        va_end(args);
        own->number = ++context->error_count;
    }
    pthread_mutex_unlock(&context->error_lock);
}

/* ---- Cancel ---------------------------------------------------------------------------------- */

wvl_status wvl_cancel_create(wvl_context *context, wvl_cancel **cancel)
{
    if (!context || !cancel) {
        return WVL_ERROR_ARGUMENT;
    }
    *cancel = wvl_alloc_zeroed(&context->host, sizeof **cancel);
    if (!*cancel) {
        return WVL_ERROR_MEMORY;
    }
    wvl_context_retain(context);
    (*cancel)->context = context;
    atomic_init(&(*cancel)->flag.raised, 0);
    return WVL_OK;
}

void wvl_cancel_raise(wvl_cancel *cancel)
{
    if (cancel) {
        atomic_store_explicit(&cancel->flag.raised, 1, memory_order_relaxed);
    }
}

void wvl_cancel_release(wvl_cancel *cancel)
{
    if (!cancel) {
        return;
    }
    wvl_context *context = cancel->context;
    wvl_free(&context->host, cancel, sizeof *cancel);
    wvl_context_release(context);
}
