/* SPDX-License-Identifier: BSD-2-Clause */
/* What an encode takes: by the clock, and of the processor. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* cpu_seconds: the sum over all threads of the process. */
typedef struct wvl_bench_time {
    double wall_seconds, cpu_seconds;
} wvl_bench_time;

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
