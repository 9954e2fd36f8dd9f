/* SPDX-License-Identifier: BSD-2-Clause */
/* wavelane-dwt-bench schemes: every scheme of the transform laboratory on this machine, each compared with a textbook.
 */
#include "tools/bench/bench.h"
#include "tools/bench/bench_encode.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "scheme_library.h"
#include "schemes_report.h"
#include "textbook.h"
#include "wavelane_dwt.h"

enum { THREADS_MAX = 256, MOST_RUNS = 99, MOST_SIZES = 8 };
static const double allowed_error = 1e-5; /* of the range of the expected values */

#ifndef WVL_DWTGEN_DIR
#define WVL_DWTGEN_DIR "lab/dwtgen"
#endif

typedef struct options {
    wvl_scheme_request request;
    const char *image, *json, *markdown;
    double size[2 * MOST_SIZES], threads, tile, runs;
    size_t size_count; /* pictures to generate */
} options;

/* One transform of a picture, cut into tiles that threads take one after the other. */
typedef struct job {
    const wvl_scheme_library *library;
    const lab_scheme *scheme; /* NULL: a copy of the picture */
    lab_picture picture;
    ptrdiff_t tile, columns, tiles;
    atomic_ptrdiff_t next;
} job;

typedef struct worker {
    job *job;
    void *scratch;
    pthread_t thread;
} worker;

typedef struct bench {
    const options *options;
    size_t width, height;
    float *pixels, *bands, *out; /* bands: LL, HL, LH, HH one behind the other */
    double *expected;            /* by the textbook, interleaved */
    worker workers[THREADS_MAX];
    wvl_schemes_report report;
} bench;

/* ---- Options ---- */

#define TAKE_TEXT(NAME, FIELD)                                                                                         \
    static int NAME(const char *value, void *to) { return ((options *)to)->FIELD = value, 0; }
TAKE_TEXT(take_image, image)
TAKE_TEXT(take_json, json)
TAKE_TEXT(take_markdown, markdown)
TAKE_TEXT(take_wavelets, request.wavelets)
TAKE_TEXT(take_schemes, request.schemes)
TAKE_TEXT(take_direction, request.direction)
TAKE_TEXT(take_generator, request.generator)
TAKE_TEXT(take_compiler, request.compiler)
TAKE_TEXT(take_cache, request.cache)

static int take_size(const char *value, void *to)
{
    options *o = to;
    const size_t count = wvl_bench_args_list("--size", value, 1, 32768, o->size, 2 * MOST_SIZES);
    if (count % 2) {
        fprintf(stderr, "wavelane-dwt-bench: --size %s: give W,H, or several: W,H,W,H\n", value);
    }
    o->size_count = count / 2;
    return count && count % 2 == 0 ? 0 : -1;
}
static int take_threads(const char *value, void *to)
{
    return wvl_bench_args_number("--threads", value, 1, THREADS_MAX, &((options *)to)->threads);
}
static int take_tile(const char *value, void *to)
{
    return wvl_bench_args_number("--tile", value, 16, 65536, &((options *)to)->tile);
}
static int take_runs(const char *value, void *to)
{
    return wvl_bench_args_number("--runs", value, 1, MOST_RUNS, &((options *)to)->runs);
}

static const wvl_bench_option table[] = {
    WVL_BENCH_CALL("--wavelet", take_wavelets),    WVL_BENCH_CALL("--scheme", take_schemes),
    WVL_BENCH_CALL("--direction", take_direction), WVL_BENCH_CALL("--image", take_image),
    WVL_BENCH_CALL("--size", take_size),           WVL_BENCH_CALL("--threads", take_threads),
    WVL_BENCH_CALL("--tile", take_tile),           WVL_BENCH_CALL("--runs", take_runs),
    WVL_BENCH_CALL("--json", take_json),           WVL_BENCH_CALL("--markdown", take_markdown),
    WVL_BENCH_CALL("--generator", take_generator), WVL_BENCH_CALL("--compiler", take_compiler),
    WVL_BENCH_CALL("--cache", take_cache),
};

/* ---- Running ---- */

static void copy_tile(const job *j, ptrdiff_t tile)
{
    const size_t row = (size_t)j->picture.width, first = 2 * (size_t)(tile * j->tile);
    const size_t rows = first + 2 * (size_t)j->tile > (size_t)j->picture.height ? (size_t)j->picture.height - first
                                                                                : 2 * (size_t)j->tile;
    memcpy((float *)j->picture.out[0].at + first * row, (const float *)j->picture.in[0].at + first * row,
           rows * row * sizeof(float));
}

static void *work(void *given)
{
    const worker *w = given;
    job *j = w->job;
    for (ptrdiff_t t = atomic_fetch_add(&j->next, 1); t < j->tiles; t = atomic_fetch_add(&j->next, 1)) {
        if (!j->scheme) {
            copy_tile(j, t);
        } else {
            j->library->run(j->scheme, &j->picture, t % j->columns * j->tile, t / j->columns * j->tile, j->tile,
                            j->tile, w->scratch);
        }
    }
    return NULL;
}

/* A thread that cannot be started leaves its tiles to the others. */
static double time_job(bench *b, job *j)
{
    const unsigned threads = (unsigned)b->options->threads;
    unsigned started = 1;
    const double start = wvl_bench_wall_seconds();
    atomic_store(&j->next, 0);
    for (unsigned i = 0; i < threads; i++) {
        b->workers[i].job = j;
    }
    while (started < threads && pthread_create(&b->workers[started].thread, NULL, work, &b->workers[started]) == 0) {
        started++;
    }
    work(&b->workers[0]);
    for (unsigned i = 1; i < started; i++) {
        pthread_join(b->workers[i].thread, NULL);
    }
    return wvl_bench_wall_seconds() - start;
}

static void time_runs(bench *b, job *j, double *least, double *median)
{
    double seconds[MOST_RUNS];
    const size_t runs = (size_t)b->options->runs;
    (void)time_job(b, j); /* pages and caches */
    for (size_t run = 0; run < runs; run++) {
        seconds[run] = time_job(b, j);
    }
    wvl_bench_summarise(seconds, runs, least, median);
}

static int open_workers(bench *b, const wvl_scheme_library *library)
{
    const ptrdiff_t tile = (ptrdiff_t)b->options->tile;
    size_t bytes = 0;
    for (unsigned i = 0; i < library->count; i++) {
        const size_t needed = library->scratch_bytes(&library->schemes[i], tile, tile);
        bytes = needed > bytes ? needed : bytes;
    }
    for (unsigned i = 0; i < (unsigned)b->options->threads; i++) {
        b->workers[i].scratch = calloc(1, bytes);
        if (!b->workers[i].scratch) {
            fprintf(stderr, "wavelane-dwt-bench: no memory for %u threads; give fewer, or a smaller --tile\n",
                    (unsigned)b->options->threads);
            return -1;
        }
    }
    return 0;
}

/* ---- Views ---- */

static void view_pixels(const bench *b, float *at, lab_view *views)
{
    for (int c = 0; c < 4; c++) {
        views[c] = (lab_view){at + (size_t)(c >> 1) * b->width + (c & 1), 2 * (ptrdiff_t)b->width, 2};
    }
}

static size_t band_width(const bench *b, int c) { return (b->width + !(c & 1)) / 2; }
static size_t band_height(const bench *b, int c) { return (b->height + !(c >> 1)) / 2; }

static void view_bands(const bench *b, float *at, lab_view *views)
{
    for (int c = 0; c < 4; c++) {
        views[c] = (lab_view){at, (ptrdiff_t)band_width(b, c), 1};
        at += band_width(b, c) * band_height(b, c);
    }
}

/* ---- Checking ---- */

/* The bands that the textbook gives, as input of an inverse transform. */
static void split_expected(bench *b)
{
    lab_view views[4];
    view_bands(b, b->bands, views);
    for (size_t y = 0; y < b->height; y++) {
        for (size_t x = 0; x < b->width; x++) {
            const lab_view *v = &views[(y & 1) << 1 | (x & 1)];
            ((float *)v->at)[(ptrdiff_t)(y / 2) * v->row + (ptrdiff_t)(x / 2)] = (float)b->expected[y * b->width + x];
        }
    }
}

static int expect(bench *b, const wvl_textbook *book)
{
    for (size_t i = 0; i < b->width * b->height; i++) {
        b->expected[i] = (double)b->pixels[i];
    }
    if (!book) {
        return 0;
    }
    if (wvl_textbook_run(book, b->expected, b->width, b->height) != 0) {
        fprintf(stderr, "wavelane-dwt-bench: no memory for the textbook's transform\n");
        return -1;
    }
    split_expected(b);
    return 0;
}

/* The largest difference as a part of the range of what is expected, 0 included. */
static double find_error(const bench *b, const job *j, int is_inverse)
{
    double least = 0.0, most = 0.0, error = 0.0;
    for (size_t y = 0; y < b->height; y++) {
        for (size_t x = 0; x < b->width; x++) {
            const lab_view *v = &j->picture.out[(y & 1) << 1 | (x & 1)];
            const double found =
                (double)((const float *)v->at)[(ptrdiff_t)(y / 2) * v->row + (ptrdiff_t)(x / 2) * v->column];
            const double wanted = is_inverse ? (double)b->pixels[y * b->width + x] : b->expected[y * b->width + x];
            least = fmin(least, wanted);
            most = fmax(most, wanted);
            error = isnan(found) ? INFINITY : fmax(error, fabs(found - wanted));
        }
    }
    return error / fmax(most - least, 1.0);
}

static void place_job(bench *b, const wvl_scheme_library *library, const lab_scheme *s, job *j)
{
    const ptrdiff_t tile = (ptrdiff_t)b->options->tile;
    *j = (job){.library = library, .scheme = s, .tile = tile};
    j->picture.width = (ptrdiff_t)b->width;
    j->picture.height = (ptrdiff_t)b->height;
    j->columns = !s ? 1 : (j->picture.width + 2 * tile - 1) / (2 * tile);
    j->tiles = j->columns * ((j->picture.height + 2 * tile - 1) / (2 * tile));
    if (!s) {
        view_pixels(b, b->pixels, j->picture.in);
        view_pixels(b, b->out, j->picture.out);
    } else if (s->is_inverse) {
        view_bands(b, b->bands, j->picture.in);
        view_pixels(b, b->out, j->picture.out);
    } else {
        view_pixels(b, b->pixels, j->picture.in);
        view_bands(b, b->out, j->picture.out);
    }
}

/* 1: the result is wrong. */
static int report_row(bench *b, const wvl_schemes_row *row)
{
    wvl_schemes_report_add(&b->report, row);
    if (row->error > allowed_error) {
        fprintf(stderr, "wavelane-dwt-bench: %s of %s differs from the textbook by %.2g of the range\n", row->scheme,
                row->wavelet, row->error);
        return 1;
    }
    return 0;
}

/* 1: the result is wrong. */
static int measure_scheme(bench *b, const wvl_scheme_library *library, const lab_scheme *s)
{
    const wvl_textbook *book = wvl_textbook_find(s->wavelet);
    wvl_schemes_row row = {s->wavelet, s->scheme, s->is_inverse, s->operations, s->barriers, 0.0, 0.0, NAN};
    job j;
    place_job(b, library, s, &j);
    for (size_t i = 0; i < b->width * b->height; i++) {
        b->out[i] = 1e30f; /* what stays so was not written */
    }
    time_runs(b, &j, &row.least, &row.median);
    if (book) {
        row.error = find_error(b, &j, s->is_inverse);
    }
    return report_row(b, &row);
}

/* ---- The library's own transform, between the same views ---- */

typedef struct own {
    wvl_dwt2 *dwt;
    wvl_dwt2_view pixels, bands[4];
    int is_inverse;
} own;

static double time_own(const bench *b, const own *t)
{
    const double start = wvl_bench_wall_seconds();
    const uint32_t width = (uint32_t)b->width, height = (uint32_t)b->height;
    (void)(t->is_inverse ? wvl_dwt2_inverse(t->dwt, t->bands, width, height, 1, &t->pixels, NULL, 0)
                         : wvl_dwt2_forward(t->dwt, &t->pixels, width, height, 1, t->bands, NULL, 0));
    return wvl_bench_wall_seconds() - start;
}

static void place_own(bench *b, job *j, own *t)
{
    const lab_view *bands = t->is_inverse ? j->picture.in : j->picture.out;
    t->pixels = (wvl_dwt2_view){t->is_inverse ? b->out : b->pixels, 1, (int64_t)b->width};
    for (int c = 0; c < 4; c++) {
        t->bands[c] = (wvl_dwt2_view){bands[c].at, bands[c].column, bands[c].row ? bands[c].row : 1};
    }
}

/* Operations of a quad: those of separable lifting, which it does. 1: the result is wrong. */
static int measure_own(bench *b, const lab_scheme *s)
{
    const uint32_t threads = (uint32_t)b->options->threads;
    const wvl_dwt2_options o = {
        .struct_size = sizeof o, .wavelet = s->wavelet, .type = WVL_DWT_F32, .threads = threads};
    const size_t runs = (size_t)b->options->runs;
    wvl_schemes_row row = {s->wavelet, "libwavelane", s->is_inverse, strcmp(s->wavelet, "cdf53") == 0 ? 16 : 32,
                           0,          0.0,           0.0,           NAN};
    lab_scheme like = {.is_inverse = s->is_inverse};
    own t = {.is_inverse = s->is_inverse};
    double seconds[MOST_RUNS];
    job j;
    if (wvl_dwt2_create(&o, &t.dwt, NULL, 0) != WVL_OK) {
        return 0; /* a wavelet of the user's */
    }
    place_job(b, NULL, &like, &j);
    place_own(b, &j, &t);
    for (size_t i = 0; i < b->width * b->height; i++) {
        b->out[i] = 1e30f;
    }
    (void)time_own(b, &t);
    for (size_t run = 0; run < runs; run++) {
        seconds[run] = time_own(b, &t);
    }
    wvl_bench_summarise(seconds, runs, &row.least, &row.median);
    wvl_dwt2_release(t.dwt);
    row.error = find_error(b, &j, s->is_inverse);
    return report_row(b, &row);
}

static int measure_all(bench *b, const wvl_scheme_library *library)
{
    const char *wavelet = "";
    int wrong = 0, own_done = 0; /* own_done: a bit for each direction */
    double least;
    job copy;
    place_job(b, library, NULL, &copy);
    time_runs(b, &copy, &least, &b->report.copy_seconds);
    wvl_schemes_report_begin(&b->report);
    for (unsigned i = 0; i < library->count; i++) {
        const lab_scheme *s = &library->schemes[i];
        if (strcmp(wavelet, s->wavelet) != 0 && expect(b, wvl_textbook_find(wavelet = s->wavelet)) != 0) {
            return WVL_BENCH_EXIT_FAILED;
        }
        own_done = i && strcmp(library->schemes[i - 1].wavelet, s->wavelet) == 0 ? own_done : 0;
        if (!(own_done & (1 << s->is_inverse))) {
            wrong += measure_own(b, s);
            own_done |= 1 << s->is_inverse;
        }
        wrong += measure_scheme(b, library, s);
    }
    return wrong ? WVL_BENCH_EXIT_CHECK : WVL_BENCH_EXIT_OK;
}

/* ---- The picture ---- */

static int allocate(bench *b, const wvl_bench_picture *picture)
{
    const wvl_io_component *component = &picture->io.components[0];
    b->width = component->width;
    b->height = component->height;
    const size_t count = b->width * b->height;
    int32_t *line = malloc(b->width * sizeof *line);
    b->pixels = malloc(count * sizeof *b->pixels);
    b->bands = malloc(count * sizeof *b->bands);
    b->out = malloc(count * sizeof *b->out);
    b->expected = malloc(count * sizeof *b->expected);
    const int complete = line && b->pixels && b->bands && b->out && b->expected;
    for (size_t y = 0; complete && y < b->height; y++) {
        wvl_bench_fetch_row(component, (uint32_t)y, line);
        for (size_t x = 0; x < b->width; x++) {
            b->pixels[y * b->width + x] = (float)line[x];
        }
    }
    free(line);
    return complete ? 0 : -1;
}

static int fetch_picture(bench *b, size_t index)
{
    const options *o = b->options;
    const wvl_bench_shape shape = {(uint32_t)o->size[2 * index], (uint32_t)o->size[2 * index + 1], 1, 8};
    wvl_bench_picture picture;
    if (wvl_bench_open_picture(o->image, 0, &shape, &picture) != 0) {
        return WVL_BENCH_EXIT_INPUT;
    }
    const int status = allocate(b, &picture) == 0 ? WVL_BENCH_EXIT_OK : WVL_BENCH_EXIT_FAILED;
    if (status != WVL_BENCH_EXIT_OK) {
        fprintf(stderr, "wavelane-dwt-bench: no memory for a picture of this size; give a smaller one\n");
    }
    wvl_bench_release_picture(&picture);
    return status;
}

static void release_picture(bench *b)
{
    free(b->pixels);
    free(b->bands);
    free(b->out);
    free(b->expected);
    b->pixels = b->bands = b->out = NULL;
    b->expected = NULL;
}

static int run_picture(bench *b, const wvl_scheme_library *library, size_t index)
{
    int status = fetch_picture(b, index);
    if (status == WVL_BENCH_EXIT_OK) {
        b->report.width = b->width;
        b->report.height = b->height;
        status = measure_all(b, library);
        wvl_schemes_report_end(&b->report);
    }
    release_picture(b);
    return status;
}

static int run_library(bench *b, const wvl_scheme_library *library)
{
    const options *o = b->options;
    const size_t pictures = o->image ? 1 : o->size_count;
    int status = open_workers(b, library) == 0 ? WVL_BENCH_EXIT_OK : WVL_BENCH_EXIT_FAILED;
    if (status != WVL_BENCH_EXIT_OK) {
        return status;
    }
    b->report.threads = (unsigned)o->threads;
    if (wvl_schemes_report_open(&b->report, pictures, o->json, o->markdown) != 0) {
        return WVL_BENCH_EXIT_OUTPUT;
    }
    for (size_t i = 0; i < pictures && (status == WVL_BENCH_EXIT_OK || status == WVL_BENCH_EXIT_CHECK); i++) {
        const int found = run_picture(b, library, i);
        status = found == WVL_BENCH_EXIT_OK ? status : found;
    }
    return wvl_schemes_report_close(&b->report) != 0 ? WVL_BENCH_EXIT_OUTPUT : status;
}

int wvl_lab_run_schemes(wvl_bench_args *args)
{
    static bench b;
    options o = {.request = {WVL_DWTGEN_DIR, "all", "all", "both", "cc", NULL},
                 .size = {2048, 2048},
                 .size_count = 1,
                 .threads = 1,
                 .tile = 128,
                 .runs = 5};
    wvl_scheme_library library;
    char error[WVL_SCHEME_ERROR_BYTES];

    if (wvl_bench_args_parse(args, table, sizeof table / sizeof *table, &o) != 0) {
        return WVL_BENCH_EXIT_USAGE;
    }
    if (wvl_scheme_library_open(&o.request, &library, error) != 0) {
        fprintf(stderr, "wavelane-dwt-bench: %s\n", error);
        return WVL_BENCH_EXIT_FAILED;
    }
    b.options = &o;
    const int status = run_library(&b, &library);
    for (unsigned i = 0; i < THREADS_MAX; i++) {
        free(b.workers[i].scratch);
    }
    wvl_scheme_library_close(&library);
    return status;
}
