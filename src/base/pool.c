/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/alloc.h"
#include "base/fpenv.h"

typedef struct worker_seat {
    wvl_pool *pool;
    uint32_t index;
    pthread_t thread;
} worker_seat;

struct wvl_pool {
    wvl_allocator allocator;
    wvl_runner runner;
    uint32_t seat_count;    /* threads of our own that really started */
    uint32_t seat_capacity;
    worker_seat *seats;
    pthread_mutex_t turn;   /* one run at a time */
    pthread_mutex_t lock;   /* guards the fields below */
    pthread_cond_t work, idle;
    uint64_t generation;    /* counts runs; a worker joins each run once */
    uint32_t busy;          /* workers that have not finished the present run */
    int stop;
    wvl_task_fn task;
    void *arg;
    uint32_t count;
    _Atomic uint32_t next;
};

static void drain(wvl_pool *pool, uint32_t worker)
{
    wvl_fpenv env;
    wvl_fpenv_enter(&env);
    for (;;) {
        uint32_t index = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (index >= pool->count) {
            break;
        }
        pool->task(pool->arg, index, worker);
    }
    wvl_fpenv_leave(&env);
}

static void *seat_main(void *arg)
{
    worker_seat *seat = arg;
    wvl_pool *pool = seat->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->stop && pool->generation == seen) {
            pthread_cond_wait(&pool->work, &pool->lock);
        }
        if (pool->stop) {
            break;
        }
        seen = pool->generation;
        pthread_mutex_unlock(&pool->lock);
        drain(pool, seat->index);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0) {
            pthread_cond_signal(&pool->idle);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static int init_locks(wvl_pool *pool)
{
    if (pthread_mutex_init(&pool->turn, NULL)) {
        return 0;
    }
    if (pthread_mutex_init(&pool->lock, NULL)) {
        pthread_mutex_destroy(&pool->turn);
        return 0;
    }
    if (pthread_cond_init(&pool->work, NULL) == 0) {
        if (pthread_cond_init(&pool->idle, NULL) == 0) {
            return 1;
        }
        pthread_cond_destroy(&pool->work);
    }
    pthread_mutex_destroy(&pool->lock);
    pthread_mutex_destroy(&pool->turn);
    return 0;
}

wvl_pool *wvl_pool_create(const wvl_allocator *allocator, uint32_t threads, const wvl_runner *runner)
{
    wvl_pool *pool = wvl_alloc_zeroed(allocator, sizeof *pool);
    if (!pool) {
        return NULL;
    }
    pool->allocator = allocator ? *allocator : (wvl_allocator){0};
    if (!init_locks(pool)) {
        wvl_free(allocator, pool, sizeof *pool);
        return NULL;
    }
    if (runner && runner->run) {
        pool->runner = *runner;
        return pool;
    }
    pool->seat_capacity = threads > 1 ? threads - 1 : 0;
    pool->seats = wvl_alloc_zeroed(allocator, (uint64_t)pool->seat_capacity * sizeof *pool->seats);
    while (pool->seats && pool->seat_count < pool->seat_capacity) {
        worker_seat *seat = &pool->seats[pool->seat_count];
        seat->pool = pool;
        seat->index = pool->seat_count + 1;
        if (pthread_create(&seat->thread, NULL, seat_main, seat)) {
            break;
        }
        pool->seat_count++;
    }
    return pool;
}

void wvl_pool_destroy(wvl_pool *pool)
{
    if (!pool) {
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->stop = 1;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->seat_count; i++) {
        pthread_join(pool->seats[i].thread, NULL);
    }
    pthread_cond_destroy(&pool->work);
    pthread_cond_destroy(&pool->idle);
    pthread_mutex_destroy(&pool->lock);
    pthread_mutex_destroy(&pool->turn);
    wvl_allocator allocator = pool->allocator;
    wvl_free(&allocator, pool->seats, (uint64_t)pool->seat_capacity * sizeof *pool->seats);
    wvl_free(&allocator, pool, sizeof *pool);
}

uint32_t wvl_pool_concurrency(const wvl_pool *pool)
{
    return pool->runner.run ? pool->runner.concurrency : pool->seat_count + 1;
}

int wvl_pool_starts_threads(const wvl_pool *pool) { return !pool->runner.run && pool->seat_capacity; }

int wvl_pool_uses_caller(const wvl_pool *pool) { return !pool->runner.run; }

typedef struct guarded_task {
    wvl_task_fn task;
    void *arg;
} guarded_task;

static void run_guarded(void *arg, uint32_t index, uint32_t worker)
{
    const guarded_task *guarded = arg;
    wvl_fpenv env;
    wvl_fpenv_enter(&env);
    guarded->task(guarded->arg, index, worker);
    wvl_fpenv_leave(&env);
}

void wvl_pool_run(wvl_pool *pool, uint32_t count, wvl_task_fn task, void *arg)
{
    if (!count) {
        return;
    }
    if (pool->runner.run) {
        guarded_task guarded = {task, arg};
        pool->runner.run(pool->runner.user, count, run_guarded, &guarded);
        return;
    }
    pthread_mutex_lock(&pool->turn);
    pool->task = task;
    pool->arg = arg;
    pool->count = count;
    atomic_store(&pool->next, 0);
    if (pool->seat_count && count > 1) {
        pthread_mutex_lock(&pool->lock);
        pool->busy = pool->seat_count;
        pool->generation++;
        pthread_cond_broadcast(&pool->work);
        pthread_mutex_unlock(&pool->lock);
    }
    drain(pool, 0);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy) {
        pthread_cond_wait(&pool->idle, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    pthread_mutex_unlock(&pool->turn);
}
