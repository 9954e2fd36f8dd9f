/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `encode --scaling`: what n threads on one picture are worth against n encodes on one thread each at the same time.
 * Everybody is a process of its own, so that nobody shares anything but the machine; both ways take turns, so that
 * whatever slows the machine slows both.
 */
#include "bench_encode.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_SINGLES 256

typedef struct moment {
    double begin, end, cpu;
    int status;
} moment;

/* Encodes once for every byte on its input; STOP ends it. (The end of the input would not: later workers hold copies of
 * it.) */
#define STOP 'q'
typedef struct worker {
    pid_t pid;
    int in, out;
} worker;

static void work(const wvl_bench_picture *picture, wvl_bench_job job, int in, int out)
{
    char go, error[WVL_BENCH_ERROR_BYTES] = "";
    job.context = wvl_bench_open_context(job.threads);
    while (job.context && read(in, &go, 1) == 1 && go != STOP) {
        wvl_bench_coded coded = {.data = NULL};
        moment m = {.begin = wvl_bench_wall_seconds()};

        m.status = wvl_bench_encode_wavelane(picture, &job, &coded, error);
        m.end = m.begin + coded.time.wall_seconds;
        m.cpu = coded.time.cpu_seconds;
        wvl_bench_release_coded(&coded);
        if (write(out, &m, sizeof m) != (ssize_t)sizeof m) {
            break;
        }
    }
    if (error[0] != '\0') {
        (void)wvl_bench_fail(-1, "%s", error);
    }
    wvl_context_release(job.context);
}

static int start_worker(const wvl_bench_picture *picture, const wvl_bench_job *job, uint32_t threads, worker *w)
{
    int to[2], from[2];
    wvl_bench_job own = *job;

    own.threads = threads;
    if (pipe(to) != 0) {
        return -1;
    }
    if (pipe(from) != 0 || (w->pid = fork()) < 0) {
        return -1;
    }
    if (w->pid == 0) {
        close(to[1]);
        close(from[0]);
        work(picture, own, to[0], from[1]);
        _exit(0);
    }
    close(to[0]);
    close(from[1]);
    w->in = to[1];
    w->out = from[0];
    return 0;
}

static void stop_worker(const worker *w)
{
    const char stop = STOP;

    (void)!write(w->in, &stop, 1);
    close(w->in);
    close(w->out);
    (void)waitpid(w->pid, NULL, 0);
}

/* From the first one's start to the last one's end. */
static int run_workers(const worker *w, size_t count, double *wall, double *cpu)
{
    double begin = 1e300, end = 0.0;
    moment m;

    *cpu = 0.0;
    for (size_t i = 0; i < count; i++) {
        if (write(w[i].in, "", 1) != 1) {
            return -1;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (read(w[i].out, &m, sizeof m) != (ssize_t)sizeof m || m.status != 0) {
            return -1;
        }
        begin = m.begin < begin ? m.begin : begin;
        end = m.end > end ? m.end : end;
        *cpu += m.cpu;
    }
    *wall = end - begin;
    return 0;
}

/* team: one worker of n threads; singles: n of one thread. The first run of each is not timed. */
static int measure_turns(const worker *team, const worker *singles, size_t n, size_t runs, wvl_bench_scaling *s)
{
    double team_wall[WVL_BENCH_MAX_RUNS], team_cpu[WVL_BENCH_MAX_RUNS], wall[WVL_BENCH_MAX_RUNS],
        cpu[WVL_BENCH_MAX_RUNS], ratio[WVL_BENCH_MAX_RUNS];
    double unused;
    for (size_t run = 0; run <= runs; run++) {
        size_t at = run == 0 ? 0 : run - 1;
        if (run_workers(team, 1, &team_wall[at], &team_cpu[at]) != 0 ||
            run_workers(singles, n, &wall[at], &cpu[at]) != 0) {
            return -1;
        }
        ratio[at] = wall[at] / ((double)n * team_wall[at]);
    }
    s->ratio_median = wvl_bench_median(ratio, runs);
    wvl_bench_summarise(team_wall, runs, &s->team_least, &s->team_median);
    wvl_bench_summarise(wall, runs, &s->singles_least, &s->singles_median);
    wvl_bench_summarise(team_cpu, runs, &s->team_cpu_least, &unused);
    wvl_bench_summarise(cpu, runs, &s->singles_cpu_least, &unused);
    return 0;
}

int wvl_bench_measure_scaling(const wvl_bench_picture *picture, const wvl_bench_job *job, uint32_t threads,
                              uint32_t runs, wvl_bench_scaling *s)
{
    worker team, singles[MAX_SINGLES];
    size_t started = 0;
    (void)signal(SIGPIPE, SIG_IGN);
    int status = threads <= MAX_SINGLES ? start_worker(picture, job, threads, &team) : -1;

    if (status != 0) {
        return status;
    }
    while (started < threads && (status = start_worker(picture, job, 1, &singles[started])) == 0) {
        started++;
    }
    if (status == 0) {
        status = measure_turns(&team, singles, threads, runs, s);
    }
    stop_worker(&team);
    for (size_t i = 0; i < started; i++) {
        stop_worker(&singles[i]);
    }
    s->threads = threads;
    return status;
}

void wvl_bench_write_scaling(const wvl_bench_scaling *s, FILE *out)
{
    fprintf(out, "threads %2u: %8.2f (%8.2f) ms; as many encodes on one thread each: %8.2f (%8.2f) ms; ", s->threads,
            1e3 * s->team_least, 1e3 * s->team_median, 1e3 * s->singles_least, 1e3 * s->singles_median);
    fprintf(out, "throughput %.3f (minimum), %.3f (median of ratios); cpu %.3f\n",
            s->singles_least / (s->threads * s->team_least), s->ratio_median,
            s->threads * s->team_cpu_least / s->singles_cpu_least);
}

void wvl_bench_put_scaling(wvl_bench_json *json, const wvl_bench_scaling *s)
{
    wvl_bench_put_open(json, NULL, '{');
    wvl_bench_put_number(json, "threads", s->threads);
    wvl_bench_put_number(json, "wall_s_min", s->team_least);
    wvl_bench_put_number(json, "wall_s_median", s->team_median);
    wvl_bench_put_number(json, "singles_wall_s_min", s->singles_least);
    wvl_bench_put_number(json, "singles_wall_s_median", s->singles_median);
    wvl_bench_put_number(json, "throughput_ratio_median", s->ratio_median);
    wvl_bench_put_number(json, "cpu_ratio", s->threads * s->team_cpu_least / s->singles_cpu_least);
    wvl_bench_put_close(json, '}');
}
