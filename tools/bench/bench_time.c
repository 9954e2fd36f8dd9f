/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench_time.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

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
