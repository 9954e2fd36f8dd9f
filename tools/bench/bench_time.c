/* SPDX-License-Identifier: BSD-2-Clause */
#define _DEFAULT_SOURCE /* syscall() */
#include "bench_time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __linux__
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static int counters[2] = {-1, -1}; /* cycles, instructions */

static int open_counter(uint64_t config)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.type = PERF_TYPE_HARDWARE;
    attr.size = sizeof attr;
    attr.config = config;
    attr.inherit = 1;
    attr.exclude_kernel = 1;
    attr.exclude_hv = 1;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0UL);
}

void wvl_bench_time_open(const char **why)
{
    *why = "";
    counters[0] = open_counter(PERF_COUNT_HW_CPU_CYCLES);
    counters[1] = counters[0] < 0 ? -1 : open_counter(PERF_COUNT_HW_INSTRUCTIONS);
    if (counters[0] < 0 || counters[1] < 0) {
        *why = strerror(errno);
    }
}

/* A counter that shares its place on the chip with others ran for a part of the time only. */
static double read_counter(int counter)
{
    uint64_t v[3]; /* value, time enabled, time running */
    if (counter < 0 || read(counter, v, sizeof v) != (ssize_t)sizeof v || v[2] == 0) {
        return NAN;
    }
    return (double)v[0] * ((double)v[1] / (double)v[2]);
}
#else
static const int counters[2];
void wvl_bench_time_open(const char **why) { *why = "not on this system"; }
static double read_counter(int counter) { return NAN + counter; }
#endif

static double clock_seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double wvl_bench_wall_seconds(void) { return clock_seconds(CLOCK_MONOTONIC); }

wvl_bench_time wvl_bench_time_now(void)
{
    wvl_bench_time t;
    t.cycles = read_counter(counters[0]);
    t.instructions = read_counter(counters[1]);
    t.cpu_seconds = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    t.wall_seconds = wvl_bench_wall_seconds();
    return t;
}

wvl_bench_time wvl_bench_time_since(wvl_bench_time start)
{
    double wall = wvl_bench_wall_seconds(); /* last before the work and first after it */
    wvl_bench_time now = wvl_bench_time_now();
    now.wall_seconds = wall - start.wall_seconds;
    now.cpu_seconds -= start.cpu_seconds;
    now.cycles -= start.cycles;
    now.instructions -= start.instructions;
    return now;
}

int wvl_bench_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void wvl_bench_summarise(const double *values, size_t count, double *least, double *median)
{
    double sorted[WVL_BENCH_MAX_RUNS];
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, wvl_bench_compare);
    *least = sorted[0];
    *median = 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);
}

double wvl_bench_median(const double *values, size_t count)
{
    double least, median;
    wvl_bench_summarise(values, count, &least, &median);
    return median;
}
