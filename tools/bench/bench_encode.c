/* SPDX-License-Identifier: BSD-2-Clause */
/* `encode`: the coders take turns on one picture, so that whatever slows the machine slows all of them. */
#include "bench_encode.h"

#include <stdlib.h>
#include <string.h>

/* ---- Options ---- */

/* What --mode names. One that names several has no job of its own. */
typedef struct mode {
    const char *name;
    int reversible, ht;
} mode;
static const mode modes[] = {{"lossless", 1, 0}, {"lossy", 0, 0}, {"ht-lossless", 1, 1}, {"ht-lossy", 0, 1}};
#define MODE_COUNT (sizeof modes / sizeof *modes)

static int names_mode(const char *text, const mode *m)
{
    return strcmp(text, m->name) == 0 || strcmp(text, m->ht ? "ht" : "both") == 0;
}

static int take_mode(const char *text, void *options)
{
    ((wvl_bench_encode_options *)options)->mode = text;
    for (size_t i = 0; i < MODE_COUNT; i++) {
        if (names_mode(text, &modes[i])) {
            return 0;
        }
    }
    fprintf(stderr, "wavelane-bench: --mode %s: not lossless, lossy, both, ht-lossless, ht-lossy or ht\n", text);
    return -1;
}

static int take_threads(const char *text, void *options)
{
    wvl_bench_encode_options *o = options;

    o->thread_counts = wvl_bench_args_list("--threads", text, 1, 1024, o->threads, WVL_BENCH_MAX_THREAD_COUNTS);
    return o->thread_counts > 0 ? 0 : -1;
}

#define OPTION(name, kind, member) WVL_BENCH_OPTION(name, kind, wvl_bench_encode_options, member)
#define RANGE(name, kind, member, lowest, highest)                                                                     \
    WVL_BENCH_RANGE(name, kind, wvl_bench_encode_options, member, lowest, highest)
static const wvl_bench_option option_table[] = {
    OPTION("--image", TEXT, image),
    RANGE("--size", SIZE, shape.width, 1, 65535),
    RANGE("--components", COUNT, shape.component_count, 1, 16),
    RANGE("--depth", COUNT, shape.depth, 1, 16),
    WVL_BENCH_CALL("--mode", take_mode),
    RANGE("--bpp", NUMBER, bpp, 0.001, 128),
    WVL_BENCH_CALL("--threads", take_threads),
    RANGE("--runs", COUNT, runs, 1, WVL_BENCH_MAX_RUNS),
    OPTION("--set", SETTING, settings),
    OPTION("--alone", FLAG, alone),
    OPTION("--memory", FLAG, memory),
    OPTION("--json", TEXT, json),
    OPTION("--indices", FLAG, indices),
    RANGE("--step", NUMBER, step, 1e-6, 0.999),
    OPTION("--scaling", FLAG, scaling),
};

/* ---- Measuring ---- */

/* OpenJPEG has no HT blocks to write, OpenJPH no threads. */
static int takes_part(wvl_bench_coder coder, const wvl_bench_encode_options *o, const wvl_bench_job *job)
{
    if (coder == WVL_BENCH_WAVELANE) {
        return 1;
    }
    if (o->alone || !wvl_bench_has_coder(coder) || (coder == WVL_BENCH_OPENJPEG) != !job->ht) {
        return 0;
    }
    return coder != WVL_BENCH_OPENJPH || job->threads == 1;
}

static wvl_bench_job make_job(const wvl_bench_encode_options *o, const wvl_bench_picture *picture, const mode *m)
{
    return (wvl_bench_job){.reversible = m->reversible,
                           .ht = m->ht,
                           .color_transform = wvl_bench_picture_has_color(picture),
                           .bpp = m->reversible || m->ht ? 0 : o->bpp,
                           .step = m->ht && !m->reversible ? o->step : 0,
                           .levels = wvl_bench_picture_levels(picture),
                           .settings = &o->settings};
}

static size_t make_entrants(const wvl_bench_encode_options *o, const wvl_bench_picture *picture, const mode *m,
                            wvl_bench_entrant *entrants)
{
    wvl_bench_job job = make_job(o, picture, m);
    size_t count = 0;

    for (size_t t = 0; t < o->thread_counts; t++) {
        job.threads = (uint32_t)o->threads[t];
        for (unsigned coder = 0; coder < WVL_BENCH_CODERS; coder++) {
            if (!takes_part((wvl_bench_coder)coder, o, &job)) {
                continue;
            }
            entrants[count].coder = (wvl_bench_coder)coder;
            entrants[count++].job = job;
        }
    }
    return count;
}

static int open_contexts(const wvl_bench_report *r)
{
    char error[WVL_BENCH_ERROR_BYTES] = "";

    for (size_t i = 0; i < r->entrant_count; i++) {
        wvl_bench_job *job = &r->entrants[i].job;

        if (r->entrants[i].coder == WVL_BENCH_WAVELANE &&
            !(job->context = wvl_bench_open_context(job->threads, error))) {
            fprintf(stderr, "wavelane-bench: %s\n", error);
            return -1;
        }
    }
    return 0;
}

static void close_contexts(const wvl_bench_report *r)
{
    for (size_t i = 0; i < r->entrant_count; i++) {
        wvl_bench_close_context(r->entrants[i].job.context);
    }
}

static int encode(const wvl_bench_report *r, const wvl_bench_entrant *e, wvl_bench_coded *coded, char *error)
{
    switch (e->coder) {
    case WVL_BENCH_WAVELANE: return wvl_bench_encode_wavelane(r->picture, &e->job, coded, error);
    case WVL_BENCH_OPENJPEG: return wvl_bench_encode_opj(r->picture, &e->job, coded, error);
    default: return wvl_bench_encode_ht(e->coder, r->picture, &e->job, coded, error);
    }
}

static int run_once(const wvl_bench_report *r, wvl_bench_entrant *e, wvl_bench_coded *coded)
{
    char error[WVL_BENCH_ERROR_BYTES] = "";
    int status = encode(r, e, coded, error);

    if (status != 0) {
        fprintf(stderr, "wavelane-bench: %s, %s: %s\n", r->picture->name, wvl_bench_coder_name(e->coder), error);
    }
    return status;
}

/* The run that warms caches and is not timed also shows what was written. */
static int run_first(const wvl_bench_report *r, wvl_bench_entrant *e)
{
    char error[WVL_BENCH_ERROR_BYTES] = "";
    wvl_bench_coded coded = {.data = NULL};
    int status = run_once(r, e, &coded);

    if (status != 0) {
        return status;
    }
    e->bytes = coded.bytes;
    if (wvl_bench_has_opj()) {
        e->judged = 1;
        status = wvl_bench_decode_opj(&coded, r->picture, &e->quality, error);
        if (status != 0) {
            fprintf(stderr, "wavelane-bench: the codestream of %s is not decoded: %s\n", wvl_bench_coder_name(e->coder),
                    error);
        }
    }
    wvl_bench_release_coded(&coded);
    return status;
}

/* The order rotates, so that nobody always follows the same predecessor. */
static int run_timed(const wvl_bench_report *r, size_t run)
{
    for (size_t i = 0; i < r->entrant_count; i++) {
        wvl_bench_entrant *e = &r->entrants[(i + run) % r->entrant_count];
        wvl_bench_coded coded = {.data = NULL};

        if (run_once(r, e, &coded) != 0) {
            return -1;
        }
        e->wall[run] = coded.time.wall_seconds;
        e->cpu[run] = coded.time.cpu_seconds;
        e->cycles[run] = coded.time.cycles;
        e->instructions[run] = coded.time.instructions;
        wvl_bench_release_coded(&coded);
    }
    return 0;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void wvl_bench_summarise(const double *seconds, size_t runs, double *least, double *median)
{
    double sorted[WVL_BENCH_MAX_RUNS];

    memcpy(sorted, seconds, runs * sizeof *sorted);
    qsort(sorted, runs, sizeof *sorted, compare_doubles);
    *least = sorted[0];
    *median = 0.5 * (sorted[(runs - 1) / 2] + sorted[runs / 2]);
}

static int measure(wvl_bench_report *r)
{
    char error[WVL_BENCH_ERROR_BYTES] = "";
    size_t runs = r->options->runs;
    double least;

    for (size_t i = 0; i < r->entrant_count; i++) {
        if (run_first(r, &r->entrants[i]) != 0) {
            return -1;
        }
    }
    for (size_t run = 0; run < runs; run++) {
        if (run_timed(r, run) != 0) {
            return -1;
        }
    }
    for (size_t i = 0; i < r->entrant_count; i++) {
        wvl_bench_summarise(r->entrants[i].wall, runs, &r->entrants[i].wall_least, &r->entrants[i].wall_median);
        wvl_bench_summarise(r->entrants[i].cpu, runs, &r->entrants[i].cpu_least, &r->entrants[i].cpu_median);
        wvl_bench_summarise(r->entrants[i].cycles, runs, &least, &r->entrants[i].cycles_median);
        wvl_bench_summarise(r->entrants[i].instructions, runs, &least, &r->entrants[i].instructions_median);
    }
    r->has_memory = r->options->memory;
    if (r->has_memory && wvl_bench_measure_wavelane(r->picture, &r->entrants[0].job, &r->memory, error) != 0) {
        fprintf(stderr, "wavelane-bench: %s\n", error);
        return -1;
    }
    return 0;
}

/* ---- The command ---- */

static int run_scaling(const wvl_bench_encode_options *o, const wvl_bench_picture *picture, const mode *m,
                       wvl_bench_json *json)
{
    wvl_bench_job job = make_job(o, picture, m);
    wvl_bench_scaling scaling;

    if (json->out != stdout) {
        printf("\n%s, one picture on n threads against n pictures on one thread each, %u turns\n", m->name, o->runs);
    }
    if (json->out) {
        wvl_bench_put_open(json, NULL, '{');
        wvl_bench_put_text(json, "mode", m->name);
        wvl_bench_put_open(json, "scaling", '[');
    }
    for (size_t t = 0; t < o->thread_counts; t++) {
        if (wvl_bench_measure_scaling(picture, &job, (uint32_t)o->threads[t], o->runs, &scaling) != 0) {
            fputs("wavelane-bench: --scaling could not be measured\n", stderr);
            return -1;
        }
        if (json->out != stdout) {
            wvl_bench_write_scaling(&scaling, stdout);
        }
        if (json->out) {
            wvl_bench_put_scaling(json, &scaling);
        }
    }
    if (json->out) {
        wvl_bench_put_close(json, ']');
        wvl_bench_put_close(json, '}');
    }
    return 0;
}

static int run_mode(const wvl_bench_encode_options *o, const wvl_bench_picture *picture, const mode *m,
                    wvl_bench_json *json)
{
    wvl_bench_report report = {.options = o, .picture = picture, .mode = m->name};
    int status;

    report.entrants = calloc(WVL_BENCH_CODERS * WVL_BENCH_MAX_THREAD_COUNTS, sizeof *report.entrants);
    if (!report.entrants) {
        fputs("wavelane-bench: no memory\n", stderr);
        return -1;
    }
    report.entrant_count = make_entrants(o, picture, m, report.entrants);
    status = open_contexts(&report) == 0 ? measure(&report) : -1;
    close_contexts(&report);
    if (status == 0 && json->out != stdout) {
        wvl_bench_write_report(&report, stdout);
    }
    if (status == 0 && json->out) {
        wvl_bench_put_report(json, &report);
    }
    free(report.entrants);
    return status;
}

static int run_picture(const wvl_bench_encode_options *o, const wvl_bench_picture *picture, wvl_bench_json *json)
{
    if (json->out != stdout) {
        for (unsigned coder = 0; coder < WVL_BENCH_CODERS; coder++) {
            printf("%s %s\n", wvl_bench_coder_name((wvl_bench_coder)coder),
                   wvl_bench_has_coder((wvl_bench_coder)coder) ? wvl_bench_coder_version((wvl_bench_coder)coder)
                                                               : "not built in");
        }
        if (o->uncounted[0]) {
            printf("cycles and instructions: not counted here (%s)\n", o->uncounted);
        }
        wvl_bench_write_picture(picture, stdout);
    }
    if (json->out) {
        wvl_bench_put_head(json, o, picture);
    }
    for (size_t i = 0; i < MODE_COUNT; i++) {
        if (names_mode(o->mode, &modes[i]) && (o->scaling ? run_scaling : run_mode)(o, picture, &modes[i], json) != 0) {
            return WVL_BENCH_EXIT_FAILED;
        }
    }
    if (json->out) {
        wvl_bench_put_tail(json);
    }
    return WVL_BENCH_EXIT_OK;
}

static int fetch(const wvl_bench_encode_options *o, wvl_bench_picture *picture)
{
    char error[WVL_BENCH_ERROR_BYTES] = "";
    int status = o->image ? wvl_bench_fetch_picture(o->image, o->indices, picture, error)
                          : wvl_bench_build_picture(&o->shape, picture, error);

    if (status != 0) {
        fprintf(stderr, "wavelane-bench: %s\n", error);
    }
    return status;
}

int wvl_bench_run_encode(wvl_bench_args *args)
{
    wvl_bench_encode_options o = {.mode = "both",
                                  .shape = {1920, 1080, 3, 8},
                                  .bpp = 1,
                                  .step = 1.0 / 128,
                                  .threads = {1},
                                  .thread_counts = 1,
                                  .runs = 7};
    wvl_bench_json json = {.out = NULL};
    wvl_bench_picture picture;
    int status;

    if (wvl_bench_args_parse(args, option_table, sizeof option_table / sizeof *option_table, &o) != 0) {
        return WVL_BENCH_EXIT_USAGE;
    }
    wvl_bench_time_open(&o.uncounted);
    if (fetch(&o, &picture) != 0) {
        return WVL_BENCH_EXIT_INPUT;
    }
    if (wvl_bench_json_open(&json, o.json) != 0) {
        wvl_bench_release_picture(&picture);
        return WVL_BENCH_EXIT_OUTPUT;
    }
    status = run_picture(&o, &picture, &json);
    wvl_bench_release_picture(&picture);
    return wvl_bench_json_close(&json, status == WVL_BENCH_EXIT_OK) != 0 ? WVL_BENCH_EXIT_OUTPUT : status;
}
