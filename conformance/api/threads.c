/* SPDX-License-Identifier: BSD-2-Clause */
/* Several threads at one library: cancelling, two encoders, many encodes. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "api.h"

static wvl_context *open_context(uint32_t threads)
{
    wvl_context *context = NULL;
    wvl_context_options options = {.struct_size = sizeof options, .threads = threads};
    (void)wvl_context_create(&options, &context);
    return context;
}

static const char *const lossy[] = {"reversible=no", "bpp=1,2", "tile=100,90", "plt=yes", "tlm=yes"};
#define LOSSY 5

/* ---- Cancel ---------------------------------------------------------------------------------- */

typedef struct bell {
    wvl_cancel *cancel;
    long nanoseconds;
} bell;

static void *ring(void *user)
{
    bell *b = user;
    struct timespec pause = {0, b->nanoseconds};
    (void)nanosleep(&pause, NULL);
    wvl_cancel_raise(b->cancel);
    return NULL;
}

static double milliseconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

int wvl_api_run_cancel(const wvl_api_picture *p)
{
    unsigned cancelled = 0, finished = 0;
    double before = milliseconds();
    wvl_context *context = open_context(4);
    wvl_api_stream whole = wvl_api_encode(context, p, lossy, LOSSY, NULL);
    double length = milliseconds() - before;
    for (unsigned i = 0; i < 24; i++) { /* from at once to after the end */
        wvl_cancel *cancel;
        pthread_t thread;
        if (wvl_cancel_create(context, &cancel) != WVL_OK) {
            return wvl_api_fail(WVL_API_WRONG, "no cancel token");
        }
        double wait = length * i / 18.0;
        bell b = {cancel, (long)(1e6 * (wait > 900.0 ? 900.0 : wait))};
        if (pthread_create(&thread, NULL, ring, &b)) {
            return wvl_api_fail(WVL_API_WRONG, "no thread");
        }
        wvl_api_stream s = wvl_api_encode(context, p, lossy, LOSSY, cancel);
        (void)pthread_join(thread, NULL);
        int good = s.status == WVL_CANCELLED ? !s.data : wvl_api_same(&s, &whole);
        cancelled += s.status == WVL_CANCELLED;
        finished += s.status == WVL_OK;
        wvl_memory_release(context, s.data, s.bytes);
        wvl_cancel_release(cancel);
        if (!good) {
            return wvl_api_fail(WVL_API_WRONG, "round %u: %s", i, wvl_status_text(s.status));
        }
    }
    wvl_memory_release(context, whole.data, whole.bytes);
    wvl_context_release(context);
    printf("24 encodes of %.0f ms: %u cancelled, %u finished with the same bytes\n", length, cancelled, finished);
    return cancelled ? WVL_API_DONE : wvl_api_fail(WVL_API_WRONG, "none was cancelled");
}

/* ---- Two encoders ---------------------------------------------------------------------------- */

typedef struct worker {
    const wvl_api_picture *picture;
    wvl_api_stream reference[2];
    unsigned wrong;
} worker;

static void *encode_often(void *user)
{
    worker *w = user;
    wvl_context *context = open_context(16);
    for (unsigned i = 0; i < 6; i++) {
        wvl_api_stream s = wvl_api_encode(context, w->picture, lossy, i & 1 ? LOSSY : 0, NULL);
        w->wrong += !wvl_api_same(&s, &w->reference[i & 1]);
        wvl_memory_release(context, s.data, s.bytes);
    }
    wvl_context_release(context);
    return NULL;
}

int wvl_api_run_pair(const wvl_api_picture *p)
{
    wvl_context *context = open_context(1);
    worker workers[2];
    pthread_t threads[2];
    memset(workers, 0, sizeof workers);
    workers[0].reference[0] = wvl_api_encode(context, p, lossy, 0, NULL);
    workers[0].reference[1] = wvl_api_encode(context, p, lossy, LOSSY, NULL);
    workers[0].picture = p;
    workers[1] = workers[0];
    for (int i = 0; i < 2; i++) {
        if (pthread_create(&threads[i], NULL, encode_often, &workers[i])) {
            return wvl_api_fail(WVL_API_WRONG, "no thread");
        }
    }
    for (int i = 0; i < 2; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    unsigned wrong = workers[0].wrong + workers[1].wrong;
    for (int i = 0; i < 2; i++) {
        wvl_memory_release(context, workers[0].reference[i].data, workers[0].reference[i].bytes);
    }
    wvl_context_release(context);
    printf("2 x 6 encodes with 16 threads each: %u differ from the bytes of one thread\n", wrong);
    return wrong ? WVL_API_WRONG : WVL_API_DONE;
}

/* ---- Many encodes ---------------------------------------------------------------------------- */

static long resident_kib(void)
{
    long pages = 0, all;
    FILE *file = fopen("/proc/self/statm", "r");
    int got = file ? fscanf(file, "%ld %ld", &all, &pages) : 0;
    if (file) {
        (void)fclose(file);
    }
    return got == 2 ? pages * (sysconf(_SC_PAGESIZE) / 1024) : -1;
}

int wvl_api_run_loop(const wvl_api_picture *p, unsigned rounds)
{
    wvl_context *context = open_context(2);
    long settled = 0, most = 0;
    for (unsigned i = 0; i < rounds; i++) {
        wvl_api_stream s = wvl_api_encode(context, p, lossy, i & 1 ? LOSSY : 0, NULL);
        int good = s.status == WVL_OK;
        wvl_memory_release(context, s.data, s.bytes);
        if (!good) {
            return wvl_api_fail(WVL_API_WRONG, "round %u: %s", i, s.error);
        }
        long now = resident_kib();
        if (i == rounds / 10) {
            settled = now;
        }
        most = i > rounds / 10 && now > most ? now : most;
    }
    wvl_context_release(context);
    printf("%u encodes: %ld KiB resident after a tenth, %ld KiB at most afterwards\n", rounds, settled, most);
    return most <= settled + settled / 20 + 1024 ? WVL_API_DONE : wvl_api_fail(WVL_API_WRONG, "memory grows");
}
