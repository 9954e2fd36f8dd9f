/* SPDX-License-Identifier: BSD-2-Clause */
/* wavelane-dwt-bench lattice: the 1-D transform of long signals, as a lattice and as a convolution, beside a copy. */
#include "tools/bench/bench.h"
#include "tools/bench/bench_encode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wavelane_dwt.h"

enum { MOST_LIST = 16, MOST_RUNS = 99, MOST_CHECKS = 20000, NAME_BYTES = 16 };
static const double allowed_error = 1e-5; /* of samples from -1 to 1 */
static const double least_samples = 4e6;  /* that a timed run takes: short signals are repeated */

typedef struct options {
    const char *wavelets, *forms, *type, *json;
    double lengths[MOST_LIST], threads[MOST_LIST], levels, runs;
    size_t length_count, thread_count;
} options;

/* One signal with one wavelet, form and number of threads. */
typedef struct bench {
    const options *options;
    uint64_t length, count; /* samples, coefficients */
    size_t sample_bytes;
    void *signal, *coefs, *back;
    double copy_seconds; /* of the signal, one thread, least */
    wvl_bench_json json;
    int differs;
} bench;

typedef struct row {
    char wavelet[NAME_BYTES];
    uint32_t form, threads;
    wvl_dwt1 *dwt;
    double least[2], median[2]; /* seconds of forward and inverse */
    double error, lost;         /* of coefficients beside sums in doubles, and of the signal that came back */
} row;

/* ---- Options ---- */

#define TAKE_TEXT(NAME, FIELD)                                                                                         \
    static int NAME(const char *value, void *to) { return ((options *)to)->FIELD = value, 0; }
TAKE_TEXT(take_wavelets, wavelets)
TAKE_TEXT(take_forms, forms)
TAKE_TEXT(take_type, type)
TAKE_TEXT(take_json, json)

static int take_lengths(const char *value, void *to)
{
    options *o = to;
    o->length_count = wvl_bench_args_list("--length", value, 1, 1e9, o->lengths, MOST_LIST);
    return o->length_count ? 0 : -1;
}
static int take_threads(const char *value, void *to)
{
    options *o = to;
    o->thread_count = wvl_bench_args_list("--threads", value, 1, 1024, o->threads, MOST_LIST);
    return o->thread_count ? 0 : -1;
}
static int take_levels(const char *value, void *to)
{
    return wvl_bench_args_number("--levels", value, 1, 48, &((options *)to)->levels);
}
static int take_runs(const char *value, void *to)
{
    return wvl_bench_args_number("--runs", value, 1, MOST_RUNS, &((options *)to)->runs);
}

static const wvl_bench_option table[] = {
    WVL_BENCH_CALL("--wavelet", take_wavelets), WVL_BENCH_CALL("--length", take_lengths),
    WVL_BENCH_CALL("--form", take_forms),       WVL_BENCH_CALL("--type", take_type),
    WVL_BENCH_CALL("--threads", take_threads),  WVL_BENCH_CALL("--levels", take_levels),
    WVL_BENCH_CALL("--runs", take_runs),        WVL_BENCH_CALL("--json", take_json),
};

static int check_words(const options *o)
{
    if (strcmp(o->forms, "both") != 0 && strcmp(o->forms, "lattice") != 0 && strcmp(o->forms, "convolution") != 0) {
        fprintf(stderr, "wavelane-dwt-bench: --form %s: give lattice, convolution or both\n", o->forms);
        return -1;
    }
    if (strcmp(o->type, "f32") != 0 && strcmp(o->type, "f64") != 0) {
        fprintf(stderr, "wavelane-dwt-bench: --type %s: give f32 or f64\n", o->type);
        return -1;
    }
    return 0;
}

/* ---- Running ---- */

static double sample_of(const bench *b, const void *at, uint64_t i)
{
    return b->sample_bytes == sizeof(float) ? ((const float *)at)[i] : ((const double *)at)[i];
}

static void transform(const bench *b, const row *r, int inverse)
{
    const uint32_t levels = (uint32_t)b->options->levels;
    const wvl_status status = inverse ? wvl_dwt1_inverse(r->dwt, b->coefs, b->length, levels, b->back, 1, NULL, 0)
                                      : wvl_dwt1_forward(r->dwt, b->signal, 1, b->length, levels, b->coefs, NULL, 0);
    if (status) {
        fprintf(stderr, "wavelane-dwt-bench: %s\n", wvl_status_text(status));
        exit(WVL_BENCH_EXIT_FAILED);
    }
}

/* Seconds of one transform, or of one copy if r is NULL. */
static double time_once(const bench *b, const row *r, int inverse)
{
    const uint64_t turns = 1 + (uint64_t)(least_samples / (double)b->length);
    const double start = wvl_bench_wall_seconds();
    for (uint64_t turn = 0; turn < turns; turn++) {
        if (r) {
            transform(b, r, inverse);
        } else {
            memcpy(b->back, b->signal, b->length * b->sample_bytes);
        }
    }
    return (wvl_bench_wall_seconds() - start) / (double)turns;
}

static void time_runs(const bench *b, const row *r, int inverse, double *least, double *median)
{
    double seconds[MOST_RUNS];
    const size_t runs = (size_t)b->options->runs;
    (void)time_once(b, r, inverse);
    for (size_t run = 0; run < runs; run++) {
        seconds[run] = time_once(b, r, inverse);
    }
    wvl_bench_summarise(seconds, runs, least, median);
}

/* The high coefficients of level 1, evenly spread ones, beside sums in doubles. */
static double measure_error(const bench *b, const row *r)
{
    wvl_dwt1_info f = {.struct_size = sizeof f};
    const uint64_t half = b->length / 2 + b->length % 2, step = 1 + half / MOST_CHECKS;
    const int64_t period = 2 * (int64_t)half;
    double worst = 0;
    (void)wvl_dwt1_describe(r->dwt, &f);
    for (uint64_t i = 0; i < half; i += step) {
        double sum = 0;
        for (uint32_t k = 0; k < f.tap_count; k++) {
            const int64_t at = ((2 * (int64_t)i + f.first + (int64_t)k) % period + period) % period;
            sum += f.high_taps[k] * sample_of(b, b->signal, (uint64_t)at < b->length ? (uint64_t)at : b->length - 1);
        }
        const double error = fabs(sum - sample_of(b, b->coefs, b->count - half + i));
        worst = error <= worst ? worst : error;
    }
    return worst;
}

static double measure_lost(const bench *b)
{
    double worst = 0;
    for (uint64_t i = 0; i < b->length; i++) {
        const double error = fabs(sample_of(b, b->signal, i) - sample_of(b, b->back, i));
        worst = error <= worst ? worst : error;
    }
    return worst;
}

/* ---- Report ---- */

static int prints_table(const bench *b) { return b->json.out != stdout; }

static void report_row(bench *b, const row *r)
{
    static const char *const ways[2] = {"forward", "inverse"};
    const char *form = r->form == WVL_DWT1_LATTICE ? "lattice" : "convolution";
    for (int way = 0; way < 2; way++) {
        const double share = b->copy_seconds / r->median[way];
        if (prints_table(b)) {
            printf("%10llu %-8s %-12s %-8s %3u %10.3f %8.3f %8.1f %10.1e %10.1e\n", (unsigned long long)b->length,
                   r->wavelet, form, ways[way], r->threads, 1e3 * r->median[way],
                   1e9 * r->median[way] / (double)b->length, 100 * share, r->error, r->lost);
        }
        if (b->json.out) {
            wvl_bench_put_open(&b->json, NULL, '{');
            wvl_bench_put_number(&b->json, "length", (double)b->length);
            wvl_bench_put_text(&b->json, "wavelet", r->wavelet);
            wvl_bench_put_text(&b->json, "form", form);
            wvl_bench_put_text(&b->json, "direction", ways[way]);
            wvl_bench_put_number(&b->json, "threads", r->threads);
            wvl_bench_put_number(&b->json, "median_seconds", r->median[way]);
            wvl_bench_put_number(&b->json, "least_seconds", r->least[way]);
            wvl_bench_put_number(&b->json, "copy_seconds", b->copy_seconds);
            wvl_bench_put_number(&b->json, "error", r->error);
            wvl_bench_put_number(&b->json, "reconstruct_error", r->lost);
            wvl_bench_put_close(&b->json, '}');
        }
    }
    if (!(r->error <= allowed_error && r->lost <= allowed_error)) {
        fprintf(stderr, "wavelane-dwt-bench: %s, %s: differs from the sums in double precision\n", r->wavelet, form);
        b->differs = 1;
    }
}

/* ---- Cases ---- */

static int run_row(bench *b, row *r)
{
    char error[WVL_BENCH_ERROR_BYTES] = "";
    const wvl_dwt1_options o = {.struct_size = sizeof o,
                                .wavelet = r->wavelet,
                                .type = b->sample_bytes == sizeof(float) ? WVL_DWT_F32 : WVL_DWT_F64,
                                .form = r->form,
                                .threads = r->threads};
    const wvl_status status = wvl_dwt1_create(&o, &r->dwt, error, sizeof error);
    if (status == WVL_ERROR_UNSUPPORTED) {
        fprintf(stderr, "wavelane-dwt-bench: left out: %s\n", error);
        return 0;
    }
    if (status) {
        fprintf(stderr, "wavelane-dwt-bench: %s\n", error);
        return -1;
    }
    time_runs(b, r, 0, &r->least[0], &r->median[0]);
    time_runs(b, r, 1, &r->least[1], &r->median[1]);
    r->error = measure_error(b, r);
    r->lost = measure_lost(b);
    report_row(b, r);
    wvl_dwt1_release(r->dwt);
    return 0;
}

static int run_wavelet(bench *b, const char *name, size_t bytes)
{
    for (uint32_t form = WVL_DWT1_LATTICE; form <= WVL_DWT1_CONVOLUTION; form++) {
        const char *word = form == WVL_DWT1_LATTICE ? "lattice" : "convolution";
        if (strcmp(b->options->forms, "both") != 0 && strcmp(b->options->forms, word) != 0) {
            continue;
        }
        for (size_t i = 0; i < b->options->thread_count; i++) {
            row r = {.form = form, .threads = (uint32_t)b->options->threads[i]};
            if (bytes >= sizeof r.wavelet) {
                fprintf(stderr, "wavelane-dwt-bench: --wavelet: a name is too long\n");
                return -1;
            }
            memcpy(r.wavelet, name, bytes);
            if (run_row(b, &r) != 0) {
                return -1;
            }
        }
    }
    return 0;
}

static void fill_signal(const bench *b)
{
    uint32_t state = 1;
    for (uint64_t i = 0; i < b->length; i++) {
        state = state * 1664525u + 1013904223u;
        const double sample = (double)(state >> 8) / (1 << 23) - 1;
        if (b->sample_bytes == sizeof(float)) {
            ((float *)b->signal)[i] = (float)sample;
        } else {
            ((double *)b->signal)[i] = sample;
        }
    }
}

static int run_length(bench *b, uint64_t length)
{
    double median;
    int status = 0;
    b->length = length;
    b->count = wvl_dwt1_count(length, (uint32_t)b->options->levels);
    b->signal = malloc(length * b->sample_bytes);
    b->coefs = malloc(b->count * b->sample_bytes);
    b->back = malloc(length * b->sample_bytes);
    if (!b->signal || !b->coefs || !b->back) {
        fprintf(stderr, "wavelane-dwt-bench: no memory for %llu samples\n", (unsigned long long)length);
        status = -1;
    } else {
        fill_signal(b);
        time_runs(b, NULL, 0, &b->copy_seconds, &median);
        for (const char *name = b->options->wavelets; status == 0 && *name;) {
            const size_t bytes = strcspn(name, ",");
            status = run_wavelet(b, name, bytes);
            name += bytes + (name[bytes] == ',');
        }
    }
    free(b->signal);
    free(b->coefs);
    free(b->back);
    return status;
}

int wvl_lab_run_lattice(wvl_bench_args *args)
{
    options o = {.wavelets = "db2,db4,db8,db16,sym8,coif3,cdf53,cdf97",
                 .forms = "both",
                 .type = "f32",
                 .lengths = {1e3, 1e5, 1e7},
                 .threads = {1},
                 .length_count = 3,
                 .thread_count = 1,
                 .levels = 1,
                 .runs = 7};
    bench b = {.options = &o};
    int status = 0;
    if (wvl_bench_args_parse(args, table, sizeof table / sizeof *table, &o) != 0 || check_words(&o) != 0) {
        return WVL_BENCH_EXIT_USAGE;
    }
    b.sample_bytes = strcmp(o.type, "f32") == 0 ? sizeof(float) : sizeof(double);
    if (wvl_bench_json_open(&b.json, o.json) != 0) {
        return WVL_BENCH_EXIT_OUTPUT;
    }
    if (b.json.out) {
        wvl_bench_put_open(&b.json, NULL, '{');
        wvl_bench_put_text(&b.json, "type", o.type);
        wvl_bench_put_number(&b.json, "levels", o.levels);
        wvl_bench_put_open(&b.json, "rows", '[');
    }
    if (prints_table(&b)) {
        printf("%s, %d levels; copy: a memcpy of the signal by one thread\n", o.type, (int)o.levels);
        printf("%10s %-8s %-12s %-8s %3s %10s %8s %8s %10s %10s\n", "samples", "wavelet", "form", "", "thr", "ms",
               "ns each", "% copy", "error", "lost");
    }
    for (size_t i = 0; i < o.length_count && status == 0; i++) {
        status = run_length(&b, (uint64_t)o.lengths[i]);
    }
    if (b.json.out) {
        wvl_bench_put_close(&b.json, ']');
        wvl_bench_put_close(&b.json, '}');
        if (wvl_bench_json_close(&b.json, status == 0) != 0) {
            return WVL_BENCH_EXIT_OUTPUT;
        }
    }
    if (status) {
        return WVL_BENCH_EXIT_USAGE;
    }
    return b.differs ? WVL_BENCH_EXIT_CHECK : WVL_BENCH_EXIT_OK;
}
