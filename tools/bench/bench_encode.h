/* SPDX-License-Identifier: BSD-2-Clause */
/* What `encode` measures and reports. */
#ifndef WVL_BENCH_ENCODE_H
#define WVL_BENCH_ENCODE_H

#include "bench.h"

#define WVL_BENCH_MAX_THREAD_COUNTS 8
#define WVL_BENCH_MAX_RUNS 1000

typedef struct wvl_bench_encode_options {
    const char *image, *json, *mode;
    wvl_bench_shape shape;
    double bpp, step;
    double threads[WVL_BENCH_MAX_THREAD_COUNTS];
    size_t thread_counts;
    uint32_t runs;
    wvl_bench_settings settings;
    int indices, alone, memory, scaling;
    const char *uncounted; /* why the machine counts no cycles and instructions; "": it does */
} wvl_bench_encode_options;

/* One coder with one thread count. */
typedef struct wvl_bench_entrant {
    wvl_bench_coder coder;
    wvl_bench_job job;
    double wall[WVL_BENCH_MAX_RUNS], cpu[WVL_BENCH_MAX_RUNS], cycles[WVL_BENCH_MAX_RUNS],
        instructions[WVL_BENCH_MAX_RUNS];
    double wall_least, wall_median, cpu_least, cpu_median;
    double cycles_median, instructions_median; /* NAN where the machine counts neither */
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

void wvl_bench_summarise(const double *seconds, size_t runs, double *least, double *median);
int wvl_bench_measure_scaling(const wvl_bench_picture *picture, const wvl_bench_job *job, uint32_t threads,
                              uint32_t runs, wvl_bench_scaling *scaling);
void wvl_bench_write_scaling(const wvl_bench_scaling *scaling, FILE *out);
void wvl_bench_put_scaling(wvl_bench_json *json, const wvl_bench_scaling *scaling);

/* Text goes to out; JSON between head and tail, one object a report. */
void wvl_bench_write_report(const wvl_bench_report *report, FILE *out);
void wvl_bench_put_head(wvl_bench_json *json, const wvl_bench_encode_options *options,
                        const wvl_bench_picture *picture);
void wvl_bench_put_report(wvl_bench_json *json, const wvl_bench_report *report);
void wvl_bench_put_tail(wvl_bench_json *json);

#endif
