/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/alloc.h"
#include "base/fpenv.h"

typedef struct pool_worker {
    wvl_pool *pool;
    uint32_t index;
    pthread_t thread;
} pool_worker;

/* One parallel for. Lives on the stack of its caller, in the pool's list while tasks may be left. */
typedef struct pool_call {
    struct pool_call *next;
    wvl_task_fn task;
    void *arg;
    uint64_t rank;
    uint32_t count;
    _Atomic uint32_t taken;   /* tasks; runs past count */
    _Atomic uint32_t helpers; /* workers in it; changes under the pool's lock */
} pool_call;

struct wvl_pool {
    wvl_allocator allocator;
    wvl_runner runner;
    uint32_t worker_count; /* threads of our own that really started */
    uint32_t worker_capacity;
    pool_worker *workers;
    pthread_mutex_t lock;      /* guards the fields below */
    pthread_cond_t work, left; /* there is a call; some call has lost its last helper */
    pool_call *calls;          /* lowest rank first, of one rank oldest first */
    _Atomic uint32_t added;    /* calls so far; changes under the lock */
    int stop;
};

/*
 * Calls for one picture follow each other within microseconds, some of them short, and to sleep and be woken takes 30
 * to 50 of them. So a worker that has nothing to do polls for about as long before it sleeps.
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

static void drain(pool_call *call, uint32_t worker)
{
    wvl_fpenv env;
    wvl_fpenv_enter(&env);
    for (;;) {
        uint32_t index = atomic_fetch_add_explicit(&call->taken, 1, memory_order_relaxed);
        if (index >= call->count) {
            break;
        }
        call->task(call->arg, index, worker);
    }
    wvl_fpenv_leave(&env);
}

/* The first call that has tasks left. Under the lock. */
static pool_call *find_call(const wvl_pool *pool)
{
    pool_call *call = pool->calls;
    while (call && atomic_load_explicit(&call->taken, memory_order_relaxed) >= call->count) {
        call = call->next;
    }
    return call;
}

/* Waits for a call, under the lock. added: calls that were there when none was found. */
static void wait_for_call(wvl_pool *pool, uint32_t added)
{
    pthread_mutex_unlock(&pool->lock);
    look_on(&pool->added, added);
    pthread_mutex_lock(&pool->lock);
    if (atomic_load_explicit(&pool->added, memory_order_relaxed) == added && !pool->stop) {
        pthread_cond_wait(&pool->work, &pool->lock);
    }
}

static void *worker_main(void *arg)
{
    pool_worker *self = arg;
    wvl_pool *pool = self->pool;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        pool_call *call = pool->stop ? NULL : find_call(pool);
        if (call) {
            call->helpers++;
            pthread_mutex_unlock(&pool->lock);
            drain(call, self->index);
            pthread_mutex_lock(&pool->lock);
            if (--call->helpers == 0) {
                pthread_cond_broadcast(&pool->left);
            }
        } else if (pool->stop) {
            break;
        } else {
            wait_for_call(pool, atomic_load_explicit(&pool->added, memory_order_relaxed));
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
    pool->worker_capacity = threads > 1 ? threads - 1 : 0;
    pool->workers = wvl_alloc_zeroed(allocator, (uint64_t)pool->worker_capacity * sizeof *pool->workers);
    while (pool->workers && pool->worker_count < pool->worker_capacity) {
        pool_worker *self = &pool->workers[pool->worker_count];
        self->pool = pool;
        self->index = pool->worker_count + 1;
        if (pthread_create(&self->thread, NULL, worker_main, self)) {
            break;
        }
        pool->worker_count++;
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
    for (uint32_t i = 0; i < pool->worker_count; i++) {
        pthread_join(pool->workers[i].thread, NULL);
    }
    pthread_cond_destroy(&pool->work);
    pthread_cond_destroy(&pool->left);
    pthread_mutex_destroy(&pool->lock);
    wvl_allocator allocator = pool->allocator;
    wvl_free(&allocator, pool->workers, (uint64_t)pool->worker_capacity * sizeof *pool->workers);
    wvl_free(&allocator, pool, sizeof *pool);
}

uint32_t wvl_pool_concurrency(const wvl_pool *pool)
{
    return pool->runner.run ? pool->runner.concurrency : pool->worker_count + 1;
}

int wvl_pool_starts_threads(const wvl_pool *pool) { return !pool->runner.run && pool->worker_capacity; }

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

/* No task is left; waits for the helpers, which may be in one each. */
static void end_call(wvl_pool *pool, pool_call *call)
{
    pthread_mutex_lock(&pool->lock);
    pool_call **at = &pool->calls;
    while (*at != call) {
        at = &(*at)->next;
    }
    *at = call->next;
    if (call->helpers == 1) {
        pthread_mutex_unlock(&pool->lock);
        look_on(&call->helpers, 1);
        pthread_mutex_lock(&pool->lock);
    }
    while (call->helpers) {
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
    pool_call call = {NULL, task, arg, rank, count, 0, 0};
    if (!pool->worker_count || count == 1) {
        drain(&call, 0);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool_call **at = &pool->calls;
    while (*at && (*at)->rank <= call.rank) {
        at = &(*at)->next;
    }
    call.next = *at;
    *at = &call;
    pool->added++;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    drain(&call, 0);
    end_call(pool, &call);
}
