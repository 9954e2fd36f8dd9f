/* SPDX-License-Identifier: BSD-2-Clause */
#include "pool.h"
#include "rows.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "illegal.h"
#include "patience.h"

#define ILLEGAL_EVERY 8u

typedef struct record {
    uint64_t seed;
    int begins; /* 1: the trial begins; 0: it ended with this verdict */
    fuzz_verdict verdict;
} record;

typedef struct worker {
    pid_t process;
    int from; /* its records; -1: it has ended */
    uint64_t seed, next;
    int busy;
} worker;

void fuzz_pool_draw(const fuzz_plan *plan, uint64_t seed, fuzz_case *c)
{
    if (plan->only_packets) {
        fuzz_draw_packets_case(seed, &plan->judge->folder, plan->blocks, c);
    } else if (plan->blocks != FUZZ_BLOCKS_ANY) {
        fuzz_draw_case_of(seed, &plan->judge->folder, plan->blocks, c);
    } else if (plan->only_presets) {
        fuzz_draw_preset_case(seed, &plan->judge->folder, c);
    } else if (plan->only_estimates) {
        fuzz_draw_estimate_case(seed, c);
    } else if (seed % ILLEGAL_EVERY == ILLEGAL_EVERY - 1) {
        fuzz_illegal_draw(seed, (uint32_t)(seed / ILLEGAL_EVERY % fuzz_illegal_count()), c);
    } else {
        fuzz_draw_case(seed, &plan->judge->folder, c);
    }
    if (plan->by_rows) {
        fuzz_rows_draw(c, seed);
    }
    if (plan->device) {
        fuzz_case_set(c, "device", "%s", plan->device);
    }
    if (plan->device || plan->reach) {
        fuzz_case_set(c, "reach", "%s", plan->reach ? plan->reach : "coefs");
    }
}

/* ---- Records --------------------------------------------------------------------------------- */

static int write_all(int to, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes) {
        ssize_t n = write(to, at, bytes);
        if (n <= 0) {
            return 0;
        }
        at += n;
        bytes -= (size_t)n;
    }
    return 1;
}

static int read_all(int from, void *data, size_t bytes)
{
    char *at = data;
    while (bytes) {
        ssize_t n = read(from, at, bytes);
        if (n <= 0) {
            return 0;
        }
        at += n;
        bytes -= (size_t)n;
    }
    return 1;
}

static void describe_end(int status, fuzz_verdict *v)
{
    int is_hang = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    memset(v, 0, sizeof *v);
    if (WIFEXITED(status) && WEXITSTATUS(status) == FUZZ_SLOW_STATUS) {
        v->found = FUZZ_WAS_SLOW;
        snprintf(v->check, sizeof v->check, "a judge is too slow");
        return;
    }
    v->outcome = FUZZ_FAILED;
    snprintf(v->check, sizeof v->check, "%s", is_hang ? "hang" : "crash");
    if (WIFSIGNALED(status)) {
        snprintf(v->text, sizeof v->text, "the process was ended by signal %d", WTERMSIG(status));
    } else {
        snprintf(v->text, sizeof v->text, "the process ended with status %d",
                 WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    }
}

/* ---- Workers --------------------------------------------------------------------------------- */

static void work(const fuzz_plan *plan, uint64_t first, int to)
{
    static fuzz_case c;
    record r;
    for (uint64_t seed = first; seed < plan->seed + plan->count; seed += plan->jobs) {
        memset(&r, 0, sizeof r);
        r.seed = seed;
        r.begins = 1;
        if (!write_all(to, &r, sizeof r)) {
            break;
        }
        (void)alarm(plan->seconds);
        fuzz_pool_draw(plan, seed, &c);
        (plan->judge_case ? plan->judge_case : fuzz_judge_case)(plan->judge, &c, &r.verdict);
        (void)alarm(0);
        r.begins = 0;
        if (!write_all(to, &r, sizeof r)) {
            break;
        }
    }
    fuzz_folder_close(&plan->judge->folder);
}

static int start(const fuzz_plan *plan, worker *w)
{
    int ends[2];
    w->from = -1;
    w->busy = 0;
    if (w->next >= plan->seed + plan->count) {
        return 1;
    }
    if (pipe(ends)) {
        return 0;
    }
    (void)fflush(NULL);
    w->process = fork();
    if (w->process == 0) {
        (void)close(ends[0]);
        work(plan, w->next, ends[1]);
        exit(0);
    }
    (void)close(ends[1]);
    if (w->process < 0) {
        (void)close(ends[0]);
        return 0;
    }
    w->from = ends[0];
    return 1;
}

/* One record of a worker, or its end. */
static int serve(const fuzz_plan *plan, worker *w, void (*done)(void *user, uint64_t seed, const fuzz_verdict *v),
                 void *user)
{
    record r;
    int status = 0;
    if (read_all(w->from, &r, sizeof r)) {
        w->busy = r.begins;
        w->seed = r.seed;
        w->next = r.seed + plan->jobs;
        if (!r.begins) {
            done(user, r.seed, &r.verdict);
        }
        return 1;
    }
    (void)close(w->from);
    w->from = -1;
    (void)waitpid(w->process, &status, 0);
    if (w->busy) {
        describe_end(status, &r.verdict);
        done(user, w->seed, &r.verdict);
        return start(plan, w);
    }
    return WIFEXITED(status) && !WEXITSTATUS(status);
}

int fuzz_pool_run(const fuzz_plan *plan, void (*done)(void *user, uint64_t seed, const fuzz_verdict *v), void *user)
{
    worker workers[FUZZ_MAX_JOBS];
    int good = 1;
    for (uint32_t i = 0; i < plan->jobs; i++) {
        workers[i].next = plan->seed + i;
        good &= start(plan, &workers[i]);
    }
    for (;;) {
        struct pollfd polls[FUZZ_MAX_JOBS];
        uint32_t open = 0;
        for (uint32_t i = 0; i < plan->jobs; i++) {
            polls[i] = (struct pollfd){workers[i].from, POLLIN, 0};
            open += workers[i].from >= 0;
        }
        if (!open || poll(polls, plan->jobs, -1) < 0) {
            return good && !open;
        }
        for (uint32_t i = 0; i < plan->jobs; i++) {
            if (workers[i].from >= 0 && polls[i].revents) {
                good &= serve(plan, &workers[i], done, user);
            }
        }
    }
}

void fuzz_pool_try(fuzz_judge *judge, const fuzz_case *c, uint32_t seconds, fuzz_verdict *v)
{
    int ends[2], status = 0;
    memset(v, 0, sizeof *v);
    (void)fflush(NULL);
    pid_t process = pipe(ends) ? -1 : fork();
    if (process == 0) {
        (void)close(ends[0]);
        (void)alarm(seconds);
        fuzz_judge_case(judge, c, v);
        (void)alarm(0);
        int sent = write_all(ends[1], v, sizeof *v);
        fuzz_folder_close(&judge->folder);
        exit(!sent);
    }
    if (process < 0) {
        v->outcome = FUZZ_FAILED;
        snprintf(v->check, sizeof v->check, "no process");
        return;
    }
    (void)close(ends[1]);
    int told = read_all(ends[0], v, sizeof *v);
    (void)close(ends[0]);
    (void)waitpid(process, &status, 0);
    if (!told || status) { /* a leak that is found at its end is a finding too */
        describe_end(status, v);
    }
}
