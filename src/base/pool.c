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

/* One parallel for. Lives on the stack of its caller, in the pool's list while tasks may be left. */
typedef struct pool_run {
    struct pool_run *next;
    wvl_task_fn task;
    void *arg;
    uint64_t rank;
    uint32_t count;
    _Atomic uint32_t taken;   /* tasks; runs past count */
    _Atomic uint32_t helpers; /* workers in it; changes under the pool's lock */
} pool_run;

struct wvl_pool {
    wvl_allocator allocator;
    wvl_runner runner;
    uint32_t seat_count; /* threads of our own that really started */
    uint32_t seat_capacity;
    worker_seat *seats;
    pthread_mutex_t lock;      /* guards the fields below */
    pthread_cond_t work, left; /* there is a run; some run has lost its last helper */
    pool_run *runs;            /* lowest rank first, of one rank oldest first */
    _Atomic uint32_t added;    /* runs so far; changes under the lock */
    int stop;
};

/*
 * Runs of one picture follow each other within microseconds, some of them short, and to sleep and be woken takes 30 to
 * 50 of them. So a worker that has nothing to do polls for about as long before it sleeps.
 */
#define LOOKS 1500u

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void look_on(const _Atomic uint32_t *value, uint32_t until_not)
{
    for (unsigned i = 0; i < LOOKS && atomic_load_explicit(value, memory_order_relaxed) == until_not; i++) {
        pause_briefly();
    }
}

static void drain(pool_run *run, uint32_t worker)
{
    wvl_fpenv env;
    wvl_fpenv_enter(&env);
    for (;;) {
        uint32_t index = atomic_fetch_add_explicit(&run->taken, 1, memory_order_relaxed);
        if (index >= run->count) {
            break;
        }
        run->task(run->arg, index, worker);
    }
    wvl_fpenv_leave(&env);
}

/* The first run that has tasks left. Under the lock. */
static pool_run *find_run(const wvl_pool *pool)
{
    pool_run *run = pool->runs;
    while (run && atomic_load_explicit(&run->taken, memory_order_relaxed) >= run->count) {
        run = run->next;
    }
    return run;
}

/* Waits for a run, under the lock. added: runs that were there when none was found. */
static void wait_for_run(wvl_pool *pool, uint32_t added)
{
    pthread_mutex_unlock(&pool->lock);
    look_on(&pool->added, added);
    pthread_mutex_lock(&pool->lock);
    if (atomic_load_explicit(&pool->added, memory_order_relaxed) == added && !pool->stop) {
        pthread_cond_wait(&pool->work, &pool->lock);
    }
}

static void *seat_main(void *arg)
{
    worker_seat *seat = arg;
    wvl_pool *pool = seat->pool;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        pool_run *run = pool->stop ? NULL : find_run(pool);
        if (run) {
            run->helpers++;
            pthread_mutex_unlock(&pool->lock);
            drain(run, seat->index);
            pthread_mutex_lock(&pool->lock);
            if (--run->helpers == 0) {
                pthread_cond_broadcast(&pool->left);
            }
        } else if (pool->stop) {
            break;
        } else {
            wait_for_run(pool, atomic_load_explicit(&pool->added, memory_order_relaxed));
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static int init_locks(wvl_pool *pool)
{
    if (pthread_mutex_init(&pool->lock, NULL)) {
        return 0;
    }
    if (pthread_cond_init(&pool->work, NULL) == 0) {
        if (pthread_cond_init(&pool->left, NULL) == 0) {
            return 1;
        }
        pthread_cond_destroy(&pool->work);
    }
    pthread_mutex_destroy(&pool->lock);
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
    pthread_cond_destroy(&pool->left);
    pthread_mutex_destroy(&pool->lock);
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

static void add_run(wvl_pool *pool, pool_run *run)
{
    pthread_mutex_lock(&pool->lock);
    pool_run **at = &pool->runs;
    while (*at && (*at)->rank <= run->rank) {
        at = &(*at)->next;
    }
    run->next = *at;
    *at = run;
    pool->added++;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
}

/* No task is left; waits for the helpers, which may be in one each. */
static void end_run(wvl_pool *pool, pool_run *run)
{
    pthread_mutex_lock(&pool->lock);
    pool_run **at = &pool->runs;
    while (*at != run) {
        at = &(*at)->next;
    }
    *at = run->next;
    if (run->helpers == 1) {
        pthread_mutex_unlock(&pool->lock);
        look_on(&run->helpers, 1);
        pthread_mutex_lock(&pool->lock);
    }
    while (run->helpers) {
        pthread_cond_wait(&pool->left, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
}

void wvl_pool_run_ranked(wvl_pool *pool, uint64_t rank, uint32_t count, wvl_task_fn task, void *arg)
{
    if (!count) {
        return;
    }
    if (pool->runner.run) {
        guarded_task guarded = {task, arg};
        pool->runner.run(pool->runner.user, count, run_guarded, &guarded);
        return;
    }
    pool_run run = {NULL, task, arg, rank, count, 0, 0};
    if (!pool->seat_count || count == 1) {
        drain(&run, 0);
        return;
    }
    add_run(pool, &run);
    drain(&run, 0);
    end_run(pool, &run);
}
