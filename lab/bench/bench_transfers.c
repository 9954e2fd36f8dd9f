/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wavelane-dwt-bench transfers: what copies to devices and back cost beside the 2-D transform, as M. Blazewicz et al.
 * 2012 ask: whole pictures (`base`) and independent tiles (`tiled`), copies overlapped with transforms or not, on one
 * device or several, and on the CPU.
 */
#include "bench_transfers_device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "textbook.h"
#include "tools/bench/bench_encode.h"

enum { MOST_RUNS = 99, MOST_PICTURES = 64, TEXTBOOK_SAMPLES = 1 << 22 };

typedef struct options {
    const char *wavelet, *json;
    double size[2], levels, pictures, devices, tile, threads, runs;
} options;

/* One row of the table. */
typedef struct row {
    const char *variant, *order; /* base or tiled; which copies and transforms */
    uint32_t devices;            /* 0: the CPU */
    double least, median, bytes; /* seconds; bytes: up and down */
    double copies;               /* seconds of the copies alone in the same order; NAN: none, or this row is it */
    double error;                /* beside the textbook, as a part of the range; NAN: not compared */
} row;

typedef struct bench {
    const options *options;
    uint32_t width, height, pictures, levels;
    float *source, *out, *expected; /* picture n: rows n to n + height of source; out: all pictures */
    wvl_transfers_piece *pieces;
    size_t piece_count;
    uint32_t tile_width, tile_height; /* of the variant */
    wvl_transfers_bench *devices;     /* NULL: the CPU alone */
    wvl_dwt2 *host;
    double textbook_error; /* of the variant on the CPU, whose bits all others must have */
    wvl_bench_json json;
    int wrong;
} bench;

/* ---- Options ---- */

#define TAKE_TEXT(NAME, FIELD)                                                                                         \
    static int NAME(const char *value, void *to) { return ((options *)to)->FIELD = value, 0; }
TAKE_TEXT(take_wavelet, wavelet)
TAKE_TEXT(take_json, json)

static int take_size(const char *value, void *to)
{
    if (wvl_bench_args_list("--size", value, 1, 65536, ((options *)to)->size, 2) != 2) {
        fprintf(stderr, "wavelane-dwt-bench: --size %s: give W,H\n", value);
        return -1;
    }
    return 0;
}

#define TAKE_NUMBER(NAME, LEAST, MOST)                                                                                 \
    static int take_##NAME(const char *value, void *to)                                                                \
    {                                                                                                                  \
        return wvl_bench_args_number("--" #NAME, value, LEAST, MOST, &((options *)to)->NAME);                          \
    }
TAKE_NUMBER(levels, 1, 32)
TAKE_NUMBER(pictures, 1, MOST_PICTURES)
TAKE_NUMBER(devices, 0, WVL_TRANSFERS_DEVICES)
TAKE_NUMBER(tile, 16, 65536)
TAKE_NUMBER(threads, 1, 1024)
TAKE_NUMBER(runs, 1, MOST_RUNS)

static const wvl_bench_option table[] = {
    WVL_BENCH_CALL("--wavelet", take_wavelet), WVL_BENCH_CALL("--size", take_size),
    WVL_BENCH_CALL("--levels", take_levels),   WVL_BENCH_CALL("--pictures", take_pictures),
    WVL_BENCH_CALL("--devices", take_devices), WVL_BENCH_CALL("--tile", take_tile),
    WVL_BENCH_CALL("--threads", take_threads), WVL_BENCH_CALL("--runs", take_runs),
    WVL_BENCH_CALL("--json", take_json),
};

/* ---- Report ---- */

static void report(bench *b, const row *r)
{
    const double rate = 1e-9 * r->bytes / r->median, share = r->copies / r->median;
    if (b->json.out) {
        wvl_bench_put_open(&b->json, NULL, '{');
        wvl_bench_put_text(&b->json, "variant", r->variant);
        wvl_bench_put_text(&b->json, "order", r->order);
        wvl_bench_put_number(&b->json, "devices", r->devices);
        wvl_bench_put_number(&b->json, "least_seconds", r->least);
        wvl_bench_put_number(&b->json, "median_seconds", r->median);
        wvl_bench_put_number(&b->json, "gigabytes_per_second", rate);
        wvl_bench_put_number(&b->json, "copy_share", share);
        wvl_bench_put_number(&b->json, "error", r->error);
        wvl_bench_put_close(&b->json, '}');
    }
    if (b->json.out != stdout) {
        char of_copies[16] = "", error[16] = "";
        if (isfinite(share)) {
            snprintf(of_copies, sizeof of_copies, "%.3f", share);
        }
        if (isfinite(r->error)) {
            snprintf(error, sizeof error, "%.1e", r->error);
        }
        printf("%-6s %-22s %7u %10.2f %10.2f %8.2f %8s %8s\n", r->variant, r->order, r->devices, 1e3 * r->median,
               1e3 * r->least, rate, of_copies, error);
    }
}

static void begin_report(bench *b)
{
    const options *o = b->options;
    const char *name = b->devices ? wvl_transfers_device_name(b->devices) : "";
    if (b->json.out) {
        wvl_bench_put_open(&b->json, NULL, '{');
        wvl_bench_put_text(&b->json, "wavelet", o->wavelet);
        wvl_bench_put_text(&b->json, "device", name);
        wvl_bench_put_number(&b->json, "width", b->width);
        wvl_bench_put_number(&b->json, "height", b->height);
        wvl_bench_put_number(&b->json, "levels", b->levels);
        wvl_bench_put_number(&b->json, "pictures", b->pictures);
        wvl_bench_put_number(&b->json, "tile", o->tile);
        wvl_bench_put_number(&b->json, "threads", o->threads);
        wvl_bench_put_open(&b->json, "rows", '[');
    }
    if (b->json.out != stdout) {
        printf("%s, %s, %u pictures of %ux%u floats, %u level%s, tiles of %.0f, milliseconds of all pictures\n",
               name[0] ? name : "CPU", o->wavelet, b->pictures, b->width, b->height, b->levels,
               b->levels > 1 ? "s" : "", o->tile);
        printf("%-6s %-22s %7s %10s %10s %8s %8s %8s\n", "", "", "devices", "median", "least", "GB/s", "share",
               "error");
    }
}

/* ---- Pieces ---- */

/* Whole pictures, or rows of tiles. */
static void cut(bench *b, int is_tiled)
{
    const uint32_t tile = (uint32_t)b->options->tile;
    b->tile_width = is_tiled && tile < b->width ? tile : b->width;
    b->tile_height = is_tiled && tile < b->height ? tile : b->height;
    b->piece_count = 0;
    for (uint32_t n = 0; n < b->pictures; n++) {
        for (uint32_t y = 0; y < b->height; y += b->tile_height) {
            const uint32_t rows = b->height - y < b->tile_height ? b->height - y : b->tile_height;
            b->pieces[b->piece_count++] = (wvl_transfers_piece){b->source + (size_t)(n + y) * b->width,
                                                                b->out + ((size_t)n * b->height + y) * b->width,
                                                                b->width,
                                                                rows,
                                                                b->tile_width,
                                                                b->tile_height};
        }
    }
}

/* ---- The CPU ---- */

/* Where coefficient (x, y) of a plane with interleaved bands lies in one whose bands are apart. */
static size_t place_apart(const bench *b, uint32_t x, uint32_t y)
{
    const uint32_t low_columns = (b->tile_width + 1) / 2, low_rows = (b->tile_height + 1) / 2;
    const size_t line = y / 2 + (y % 2 ? low_rows : 0);
    return line * b->width + x / 2 + (x % 2 ? low_columns : 0);
}

/* The first picture's first tile beside the textbook; NAN for what the textbook lacks, and for large tiles. */
static double compare_textbook(const bench *b)
{
    const wvl_textbook *book = b->levels == 1 ? wvl_textbook_find(b->options->wavelet) : NULL;
    const size_t count = (size_t)b->tile_width * b->tile_height;
    double *values = book && count <= TEXTBOOK_SAMPLES ? malloc(count * sizeof *values) : NULL;
    double least = 0.0, most = 0.0, error = NAN;
    for (size_t i = 0; values && i < count; i++) {
        values[i] = (double)b->source[i / b->tile_width * b->width + i % b->tile_width];
    }
    if (values && wvl_textbook_run(book, values, b->tile_width, b->tile_height) == 0) {
        error = 0.0;
        for (size_t i = 0; i < count; i++) {
            const size_t at = place_apart(b, (uint32_t)(i % b->tile_width), (uint32_t)(i / b->tile_width));
            const double found = (double)b->out[at];
            least = fmin(least, values[i]);
            most = fmax(most, values[i]);
            error = isnan(found) ? INFINITY : fmax(error, fabs(found - values[i]));
        }
        error /= fmax(most - least, 1.0);
    }
    free(values);
    return error;
}

/* 0: done. */
static int run_host(bench *b, double *seconds, char *error)
{
    const double start = wvl_bench_wall_seconds();
    for (size_t i = 0; i < b->piece_count; i++) {
        if (wvl_transfers_transform(b->host, &b->pieces[i], b->levels, error) != WVL_OK) {
            return 1;
        }
    }
    *seconds = wvl_bench_wall_seconds() - start;
    return 0;
}

static int measure_host(bench *b, row r, char *error)
{
    double seconds[MOST_RUNS], untimed;
    const size_t runs = (size_t)b->options->runs;
    if (run_host(b, &untimed, error)) {
        return 1;
    }
    for (size_t i = 0; i < runs; i++) {
        if (run_host(b, &seconds[i], error)) {
            return 1;
        }
    }
    wvl_bench_summarise(seconds, runs, &r.least, &r.median);
    r.error = b->textbook_error = compare_textbook(b);
    if (r.error > 1e-5) {
        fprintf(stderr, "wavelane-dwt-bench: %s differs from the textbook by %.2g of the range\n", r.variant, r.error);
        b->wrong = 1;
    }
    memcpy(b->expected, b->out, (size_t)b->pictures * b->height * b->width * sizeof *b->out);
    report(b, &r);
    return 0;
}

/* ---- Devices ---- */

typedef struct order {
    const char *name;
    wvl_transfers_order what;
    int copies_alone; /* the row in `orders` that has the same copies alone; -1: none */
} order;
static const order orders[] = {
    {"copies, in turn", {1, 0, 0, 0}, -1}, {"copies, overlapped", {1, 0, 1, 0}, -1}, {"transforms", {0, 1, 0, 0}, -1},
    {"all, in turn", {1, 1, 0, 0}, 0},     {"all, overlapped", {1, 1, 1, 0}, 1},
};
enum { ORDERS = sizeof orders / sizeof *orders };

static void clear_out(const bench *b)
{
    memset(b->out, 0x7F, (size_t)b->pictures * b->height * b->width * sizeof *b->out);
}

/* The bits of the CPU, in every picture. */
static void compare_host(bench *b, const row *r)
{
    if (memcmp(b->out, b->expected, (size_t)b->pictures * b->height * b->width * sizeof *b->out) != 0) {
        fprintf(stderr, "wavelane-dwt-bench: %s, %s, %u devices: coefficients differ from the CPU's\n", r->variant,
                r->order, r->devices);
        b->wrong = 1;
    }
}

/* 0: done. medians: of all orders so far. */
static int measure_order(bench *b, const order *o, row r, double *median, char *error)
{
    double seconds[MOST_RUNS];
    const size_t runs = (size_t)b->options->runs;
    wvl_transfers_order what = o->what;
    what.devices = r.devices;
    clear_out(b);
    if (wvl_transfers_run(b->devices, &what, b->pieces, b->piece_count, error) < 0) { /* not timed */
        return 1;
    }
    for (size_t i = 0; i < runs; i++) {
        seconds[i] = wvl_transfers_run(b->devices, &what, b->pieces, b->piece_count, error);
        if (seconds[i] < 0) {
            return 1;
        }
    }
    wvl_bench_summarise(seconds, runs, &r.least, &r.median);
    *median = r.median;
    if (what.copies && what.transforms) {
        compare_host(b, &r);
        r.error = b->textbook_error;
    }
    report(b, &r);
    return 0;
}

static int measure_devices(bench *b, row r, char *error)
{
    double medians[ORDERS];
    for (int i = 0; i < ORDERS; i++) {
        r.order = orders[i].name;
        r.copies = orders[i].copies_alone < 0 ? NAN : medians[orders[i].copies_alone];
        if (measure_order(b, &orders[i], r, &medians[i], error)) {
            return 1;
        }
    }
    return 0;
}

/* ---- All of it ---- */

static int measure_all(bench *b, char *error)
{
    const double bytes = 2.0 * sizeof(float) * b->width * b->height * b->pictures;
    begin_report(b);
    for (int is_tiled = 0; is_tiled < 2; is_tiled++) {
        row r = {is_tiled ? "tiled" : "base", "transforms", 0, 0.0, 0.0, bytes, NAN, NAN};
        cut(b, is_tiled);
        if (measure_host(b, r, error)) {
            return WVL_BENCH_EXIT_FAILED;
        }
        for (r.devices = 1; r.devices <= (uint32_t)b->options->devices; r.devices *= 2) {
            if (measure_devices(b, r, error)) {
                return WVL_BENCH_EXIT_FAILED;
            }
        }
    }
    if (b->json.out) {
        wvl_bench_put_close(&b->json, ']');
        wvl_bench_put_close(&b->json, '}');
    }
    return b->wrong ? WVL_BENCH_EXIT_CHECK : WVL_BENCH_EXIT_OK;
}

static float *take(bench *b, uint64_t samples)
{
    return b->devices ? wvl_transfers_take(b->devices, samples) : malloc(samples * sizeof(float));
}

static int fill_source(bench *b)
{
    const uint32_t rows = b->height + b->pictures - 1;
    const wvl_bench_shape shape = {b->width, rows, 1, 8};
    wvl_bench_picture picture;
    int32_t *line = malloc(b->width * sizeof *line);
    if (!line || wvl_bench_build_picture(&shape, &picture) != 0) {
        free(line);
        return 1;
    }
    for (uint32_t y = 0; y < rows; y++) {
        wvl_bench_fetch_row(&picture.io.components[0], y, line);
        for (uint32_t x = 0; x < b->width; x++) {
            b->source[(size_t)y * b->width + x] = (float)line[x] - 128.0f;
        }
    }
    wvl_bench_release_picture(&picture);
    free(line);
    return 0;
}

/* 0: all is there. */
static int allocate(bench *b, char *error)
{
    const uint64_t samples = (uint64_t)b->width * b->height;
    const wvl_dwt2_options o = {.struct_size = sizeof o,
                                .wavelet = b->options->wavelet,
                                .type = WVL_DWT_F32,
                                .threads = (uint32_t)b->options->threads};
    snprintf(error, WVL_BENCH_ERROR_BYTES, "no memory for %u pictures; give fewer with --pictures", b->pictures);
    b->source = take(b, samples + (uint64_t)b->width * (b->pictures - 1));
    b->out = take(b, samples * b->pictures);
    b->expected = malloc(samples * b->pictures * sizeof *b->expected);
    b->pieces = malloc(((size_t)b->height / 16 + 1) * b->pictures * sizeof *b->pieces);
    if (!b->source || !b->out || !b->expected || !b->pieces) {
        return 1;
    }
    return wvl_dwt2_create(&o, &b->host, error, WVL_BENCH_ERROR_BYTES) != WVL_OK || fill_source(b);
}

static void release(bench *b)
{
    wvl_dwt2_release(b->host);
    if (!b->devices) {
        free(b->source);
        free(b->out);
    }
    free(b->expected);
    free(b->pieces);
    wvl_transfers_close(b->devices);
}

static int run(bench *b)
{
    char error[WVL_BENCH_ERROR_BYTES] = "";
    int status = WVL_BENCH_EXIT_FAILED, is_absent = 0;
    if (b->options->devices > 0) {
        b->devices = wvl_transfers_open((uint32_t)b->options->devices, b->options->wavelet, b->levels,
                                        (uint64_t)b->width * b->height, &is_absent, error);
    }
    if (!b->devices && b->options->devices > 0) {
        status = is_absent ? WVL_BENCH_EXIT_NO_DEVICE : WVL_BENCH_EXIT_FAILED;
    } else if (allocate(b, error) == 0) {
        status = measure_all(b, error);
    }
    if (status != WVL_BENCH_EXIT_OK && status != WVL_BENCH_EXIT_CHECK) {
        fprintf(stderr, "wavelane-dwt-bench: %s\n", error);
    }
    release(b);
    return status;
}

int wvl_lab_run_transfers(wvl_bench_args *args)
{
    options o = {.wavelet = "cdf97",
                 .size = {16384, 16384},
                 .levels = 1,
                 .pictures = 4,
                 .devices = 1,
                 .tile = 1024,
                 .threads = 1,
                 .runs = 3};
    if (wvl_bench_args_parse(args, table, sizeof table / sizeof *table, &o) != 0) {
        return WVL_BENCH_EXIT_USAGE;
    }
    bench b = {.options = &o,
               .width = (uint32_t)o.size[0],
               .height = (uint32_t)o.size[1],
               .pictures = (uint32_t)o.pictures,
               .levels = (uint32_t)o.levels};
    if (wvl_bench_json_open(&b.json, o.json) != 0) {
        return WVL_BENCH_EXIT_OUTPUT;
    }
    const int status = run(&b);
    const int closed = wvl_bench_json_close(&b.json, status == WVL_BENCH_EXIT_OK || status == WVL_BENCH_EXIT_CHECK);
    return closed != 0 && status == WVL_BENCH_EXIT_OK ? WVL_BENCH_EXIT_OUTPUT : status;
}
