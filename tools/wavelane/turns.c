/* SPDX-License-Identifier: BSD-2-Clause */
#include "turns.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define KEPT_BYTES (64 << 20)

struct wvl_cli_turns {
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    size_t count, workers;
    size_t running;    /* pieces at work: at most `workers`. A piece that waits for its turn is at work no more */
    size_t next, turn; /* to be begun; to be told */
    uint64_t held_bytes;
    size_t coding;                             /* pieces between begin and end of their encode */
    enum { BESIDE, ALONE_WANTED, ALONE } kind; /* ALONE: one piece encodes, and no other begins */
    int stopped;
    wvl_cli_work_fn work;
    void *user;
    pthread_mutex_t single; /* of wvl_cli_enter */
};

void wvl_cli_keep_memory(void)
{
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, KEPT_BYTES / 2);
    (void)mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
    (void)mallopt(M_TOP_PAD, KEPT_BYTES); /* without it, memory of threads goes back with its last block */
#endif
}

size_t wvl_cli_count_workers(const wvl_cli_turns *t) { return t->workers; }

/* Whether the piece of this thread counts as running. */
static _Thread_local int is_running;

/* Under the lock. */
static void stop_running(wvl_cli_turns *t)
{
    if (is_running) {
        is_running = 0;
        t->running--;
        pthread_cond_broadcast(&t->changed);
    }
}

void wvl_cli_wait_turn(wvl_cli_turns *t, size_t index)
{
    pthread_mutex_lock(&t->lock);
    while (t->turn != index) {
        stop_running(t); /* others go on meanwhile */
        pthread_cond_wait(&t->changed, &t->lock);
    }
    pthread_mutex_unlock(&t->lock);
}

void wvl_cli_take_turn(wvl_cli_turns *t, size_t index)
{
    wvl_cli_wait_turn(t, index);
    wvl_cli_tell_messages();
}

static void end_turn(wvl_cli_turns *t)
{
    pthread_mutex_lock(&t->lock);
    stop_running(t);
    t->turn++;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

void wvl_cli_stop_turns(wvl_cli_turns *t)
{
    pthread_mutex_lock(&t->lock);
    t->stopped = 1;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

/* The next piece; count: there is none. */
static size_t begin_piece(wvl_cli_turns *t)
{
    pthread_mutex_lock(&t->lock);
    while (t->running >= t->workers && !t->stopped && t->next < t->count) {
        pthread_cond_wait(&t->changed, &t->lock);
    }
    size_t index = t->stopped || t->next >= t->count ? t->count : t->next++;
    if (index < t->count) {
        t->running++;
        is_running = 1;
    }
    pthread_mutex_unlock(&t->lock);
    return index;
}

static void *work_on(void *arg)
{
    wvl_cli_turns *t = arg;
    for (size_t index; (index = begin_piece(t)) < t->count;) {
        if (t->workers > 1) {
            wvl_cli_hold_messages();
        }
        t->work(t->user, t, index);
        wvl_cli_take_turn(t, index);
        end_turn(t);
    }
    return NULL;
}

uint64_t wvl_cli_share_of_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 2 : UINT64_MAX / 2;
}

/* Under the lock. */
static int may_hold(const wvl_cli_turns *t, size_t index, uint64_t bytes, uint64_t most)
{
    int fits = bytes <= most && t->held_bytes <= most - bytes;
    return fits || !t->held_bytes || (index == t->turn && !t->coding);
}

static void drop_bytes(wvl_cli_turns *t, uint64_t bytes)
{
    t->held_bytes -= bytes;
    pthread_cond_broadcast(&t->changed);
}

void wvl_cli_hold_samples(wvl_cli_turns *t, size_t index, uint64_t bytes, uint64_t most)
{
    pthread_mutex_lock(&t->lock);
    while (!may_hold(t, index, bytes, most)) {
        pthread_cond_wait(&t->changed, &t->lock);
    }
    t->held_bytes += bytes;
    pthread_mutex_unlock(&t->lock);
}

void wvl_cli_begin_coding(wvl_cli_turns *t, size_t index, uint64_t bytes, uint64_t most)
{
    pthread_mutex_lock(&t->lock);
    while (t->kind != BESIDE || !may_hold(t, index, bytes, most)) {
        pthread_cond_wait(&t->changed, &t->lock);
    }
    t->held_bytes += bytes;
    t->coding++;
    pthread_mutex_unlock(&t->lock);
}

void wvl_cli_code_alone(wvl_cli_turns *t)
{
    pthread_mutex_lock(&t->lock);
    t->coding--; /* of two that want it each would wait for the other */
    pthread_cond_broadcast(&t->changed);
    while (t->kind != BESIDE) {
        pthread_cond_wait(&t->changed, &t->lock);
    }
    t->kind = ALONE_WANTED;
    while (t->coding) {
        pthread_cond_wait(&t->changed, &t->lock);
    }
    t->kind = ALONE;
    t->coding++;
    pthread_mutex_unlock(&t->lock);
}

void wvl_cli_end_coding(wvl_cli_turns *t, uint64_t bytes)
{
    pthread_mutex_lock(&t->lock);
    t->coding--;
    t->kind = t->kind == ALONE ? BESIDE : t->kind;
    drop_bytes(t, bytes);
    pthread_mutex_unlock(&t->lock);
}

void wvl_cli_drop_samples(wvl_cli_turns *t, uint64_t bytes)
{
    pthread_mutex_lock(&t->lock);
    drop_bytes(t, bytes);
    pthread_mutex_unlock(&t->lock);
}

void wvl_cli_enter(wvl_cli_turns *t) { pthread_mutex_lock(&t->single); }

void wvl_cli_leave(wvl_cli_turns *t) { pthread_mutex_unlock(&t->single); }

void wvl_cli_run_turns(size_t count, size_t workers, size_t ahead, wvl_cli_work_fn work, void *user)
{
    size_t thread_count = workers + ahead < count ? workers + ahead : count;
    wvl_cli_turns t = {.lock = PTHREAD_MUTEX_INITIALIZER,
                       .changed = PTHREAD_COND_INITIALIZER,
                       .single = PTHREAD_MUTEX_INITIALIZER,
                       .count = count,
                       .workers = workers < count ? workers : count,
                       .work = work,
                       .user = user};
    pthread_t *threads = t.workers > 1 ? calloc(thread_count - 1, sizeof *threads) : NULL;
    size_t started = 0;
    while (threads && started + 1 < thread_count && pthread_create(&threads[started], NULL, work_on, &t) == 0) {
        started++; /* the others do the work of one that does not start */
    }
    (void)work_on(&t);
    for (size_t i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    free(threads);
    pthread_cond_destroy(&t.changed);
    pthread_mutex_destroy(&t.lock);
    pthread_mutex_destroy(&t.single);
}
