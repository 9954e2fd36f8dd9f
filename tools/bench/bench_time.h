/* SPDX-License-Identifier: BSD-2-Clause */
/* What an encode takes: clocks, and the machine's own counters where it gives them. */
#ifndef WVL_BENCH_TIME_H
#define WVL_BENCH_TIME_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sums over all threads of the process, but for wall. Cycles and instructions outside the kernel; NAN where nothing
 * counts them. */
typedef struct wvl_bench_time {
    double wall_seconds, cpu_seconds, cycles, instructions;
} wvl_bench_time;

/* Before any thread is started: those that exist already are not counted. Says in `why` what keeps the machine from
 * counting, else "". */
void wvl_bench_time_open(const char **why);
double wvl_bench_wall_seconds(void);
wvl_bench_time wvl_bench_time_now(void);
wvl_bench_time wvl_bench_time_since(wvl_bench_time start);

/* ---- What several runs took ---- */

#define WVL_BENCH_MAX_RUNS 1000
int wvl_bench_compare(const void *a, const void *b); /* doubles, for qsort */
/* count: at least 1, at most WVL_BENCH_MAX_RUNS. */
void wvl_bench_summarise(const double *values, size_t count, double *least, double *median);
double wvl_bench_median(const double *values, size_t count);

#ifdef __cplusplus
}
#endif

#endif
