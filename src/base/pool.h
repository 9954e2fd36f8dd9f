/* SPDX-License-Identifier: BSD-2-Clause */
/* Worker threads behind a parallel for. */
#pragma once

#include "wavelane.h"

typedef struct wvl_pool wvl_pool;

/* threads counts the caller; runner (may be NULL) replaces own threads. Threads that do not start are done without.
 * NULL: no memory. */
wvl_pool *wvl_pool_create(const wvl_allocator *allocator, uint32_t threads, const wvl_runner *runner);
void wvl_pool_destroy(wvl_pool *pool);
/* Greatest number of simultaneous tasks of one call; worker indices are below it. */
uint32_t wvl_pool_concurrency(const wvl_pool *pool);
/* Says whether threads beside the caller's may be started: not with one thread, and not with a runner. */
int wvl_pool_starts_threads(const wvl_pool *pool);
/* Says whether worker 0 is the thread that calls wvl_pool_run(): not with a runner. */
int wvl_pool_uses_caller(const wvl_pool *pool);
/* Calls task(arg, index, worker) for every index below count, in no order, and returns when all are done. The caller
 * works too. Every task runs in the default floating-point environment. Several threads may call this at the same time:
 * each works on its own call, and workers help the call of the lowest rank that has tasks left, the oldest of these
 * (D-drive-02). Worker indices are distinct within a call only. */
void wvl_pool_run_ranked(wvl_pool *pool, uint64_t rank, uint32_t count, wvl_task_fn task, void *arg);
/* Rank 0: work that others wait for, soon done. */
static inline void wvl_pool_run(wvl_pool *pool, uint32_t count, wvl_task_fn task, void *arg)
{
    wvl_pool_run_ranked(pool, 0, count, task, arg);
}
