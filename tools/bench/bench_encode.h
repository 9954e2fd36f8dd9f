/* SPDX-License-Identifier: BSD-2-Clause */
/* What `encode` measures and reports. */
#pragma once

#include "bench.h"

typedef struct wvl_bench_encode_options {
    const char *image, *json;
    int mode; /* place in the words of --mode */
    int simd; /* 0: what the processor has; else the level and 1 */
    wvl_bench_shape shape;
    double bpp, step;
    wvl_bench_list threads;
    uint32_t runs;
    wvl_bench_settings settings;
    int indices, alone, memory, scaling;
} wvl_bench_encode_options;

/* One figure of all runs. */
typedef struct wvl_bench_series {
    double runs[WVL_BENCH_MAX_RUNS], least, median;
} wvl_bench_series;

/* One coder with one thread count. */
typedef struct wvl_bench_entrant {
    wvl_bench_coder coder;
    wvl_bench_job job;
    wvl_bench_series wall, cpu; /* seconds */
    size_t bytes;
    int judged;
    wvl_bench_quality quality;
} wvl_bench_entrant;

typedef struct wvl_bench_report {
    const wvl_bench_encode_options *options;
    const wvl_bench_picture *picture;
    const char *mode;
    wvl_bench_entrant *entrants;
    size_t entrant_count;
    int has_memory;
    wvl_bench_memory memory;
} wvl_bench_report;

/* n threads on one picture against n encodes on one thread each. */
typedef struct wvl_bench_scaling {
    uint32_t threads;
    double team_least, team_median;       /* wall seconds of the one */
    double singles_least, singles_median; /* of the others, together */
    double ratio_median;                  /* throughput of the one over the others', turn by turn */
    double team_cpu_least, singles_cpu_least;
} wvl_bench_scaling;

int wvl_bench_measure_scaling(const wvl_bench_picture *picture, const wvl_bench_job *job, uint32_t threads,
                              uint32_t runs, wvl_bench_scaling *scaling);
void wvl_bench_write_scaling(const wvl_bench_scaling *scaling, FILE *out);
void wvl_bench_put_scaling(wvl_bench_json *json, const wvl_bench_scaling *scaling);

/* Writes text, and an object of the JSON. */
void wvl_bench_write_report(const wvl_bench_report *report, FILE *out);
void wvl_bench_put_report(wvl_bench_json *json, const wvl_bench_report *report);
