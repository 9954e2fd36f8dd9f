/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench_ring.h"

#include <math.h>

const char *wvl_bench_kind_name(wvl_memory_kind kind)
{
    static const char *const names[] = {"host", "pinned", "device"};
    return names[kind];
}

/* ---- Medians ---- */

typedef double (*figure)(const wvl_bench_flight *turn);

static double rate_of(const wvl_bench_flight *t) { return (double)t->pictures / t->seconds; }
static double p50_ms_of(const wvl_bench_flight *t) { return 1e3 * t->p50; }
static double p99_ms_of(const wvl_bench_flight *t) { return 1e3 * t->p99; }
static double cpu_ms_of(const wvl_bench_flight *t) { return 1e3 * t->cpu_seconds / (double)t->pictures; }
static double bytes_of(const wvl_bench_flight *t) { return (double)t->bytes / (double)t->pictures; }

static double median_of(const wvl_bench_flights *f, figure of)
{
    double values[WVL_BENCH_TURNS_MAX];
    for (uint32_t i = 0; i < f->turn_count; i++) {
        values[i] = of(&f->turns[i]);
    }
    return wvl_bench_median(values, f->turn_count);
}

static uint64_t count_pictures(const wvl_bench_flights *f)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->turn_count; i++) {
        sum += f->turns[i].pictures;
    }
    return sum;
}

static double up_bytes(const wvl_bench_flights *f) { return (double)f->up_bytes / (double)count_pictures(f); }

/* NAN: coefficients came down for some picture, whose bytes are not known here. */
static double down_bytes(const wvl_bench_flights *f)
{
    uint64_t pictures = count_pictures(f);
    return f->down_known == pictures ? (double)f->down_bytes / (double)pictures : NAN;
}

/* All devices over one of them: the mean of those alone. */
static double times_one(const wvl_bench_flight_results *results, size_t i)
{
    double sum = 0;
    for (uint32_t d = 0; d < results->alone_count; d++) {
        sum += median_of(&results->alone[i][d], rate_of);
    }
    return median_of(&results->settings[i], rate_of) * results->alone_count / sum;
}

/* ---- Text ---- */

static void print_backends(const wvl_bench_flights *f)
{
    for (uint32_t i = 0; i < WVL_BENCH_BACKENDS_MAX && f->backends[i].pictures; i++) {
        printf("%s%llu by %s", i ? ", " : "", (unsigned long long)f->backends[i].pictures, f->backends[i].name);
    }
    printf("; %llu below what device and reach ask for\n", (unsigned long long)f->below);
}

static void print_setting(const wvl_bench_flights *f)
{
    double down = down_bytes(f);
    char how[48];
    snprintf(how, sizeof how, "%u in flight", f->frames);
    if (f->frames == 0) {
        snprintf(how, sizeof how, "one by one");
    } else if (f->places != f->frames) {
        snprintf(how, sizeof how, "%u of %u in flight", f->places, f->frames);
    }
    printf("%-14s %9.2f pictures/s, latency p50 %.3f ms, p99 %.3f ms, CPU %.3f ms a picture, %.0f bytes a picture\n",
           how, median_of(f, rate_of), median_of(f, p50_ms_of), median_of(f, p99_ms_of), median_of(f, cpu_ms_of),
           median_of(f, bytes_of));
    printf("%-14s bus: %.0f bytes up, ", "", up_bytes(f));
    if (isfinite(down)) {
        printf("%.0f bytes down a picture; ", down);
    } else {
        printf("bytes down unknown (coefficients); ");
    }
    print_backends(f);
}

static void print_alone(const wvl_bench_flight_results *results, size_t i)
{
    for (uint32_t d = 0; d < results->alone_count; d++) {
        const wvl_bench_flights *f = &results->alone[i][d];
        printf("%-14s %9.2f pictures/s with %u in flight; ", d ? "" : "  one alone", median_of(f, rate_of),
               f->frames ? f->places : 1);
        print_backends(f);
    }
    if (results->alone_count) {
        printf("%-14s %9.3f\n", "  times one", times_one(results, i));
    }
}

static void print_copies(const char *name, double rate, const wvl_bench_frames_options *o, const wvl_bench_ring *ring,
                         const wvl_bench_flight_results *results)
{
    printf("%-14s %9.2f pictures/s, %.3f GB/s up;", name, rate, 1e-9 * rate * (double)ring->picture_bytes);
    for (size_t i = 0; i < o->frames.count; i++) {
        printf(" %s%.3f with %.0f", i ? "" : "of that encodes reach ", median_of(&results->settings[i], rate_of) / rate,
               o->frames.values[i]);
    }
    putchar('\n');
}

static void print_text(const wvl_bench_frames_options *o, const wvl_bench_picture *picture, const wvl_bench_ring *ring,
                       const wvl_bench_flight_results *results)
{
    wvl_bench_write_picture(picture, stdout);
    printf("ring of %u pictures in %s memory, %s; %u threads; medians of %u turns of %g s; bytes as from the CPU\n",
           ring->count, wvl_bench_kind_name(o->kind), ring->is_interleaved ? "interleaved" : "planar", o->threads,
           o->turns, o->seconds);
    for (size_t i = 0; i < o->frames.count; i++) {
        print_setting(&results->settings[i]);
        print_alone(results, i);
    }
    if (o->uploads) {
        print_copies("uploads alone", wvl_bench_median(results->uploads, o->turns), o, ring, results);
    }
    if (o->copies) {
        print_copies("copies alone", wvl_bench_median(results->copies, o->turns), o, ring, results);
    }
}

/* ---- JSON ---- */

static void put_turns(wvl_bench_json *json, const wvl_bench_flights *f)
{
    wvl_bench_put_open(json, "turns", '[');
    for (uint32_t i = 0; i < f->turn_count; i++) {
        const wvl_bench_flight *t = &f->turns[i];
        wvl_bench_put_open(json, NULL, '{');
        wvl_bench_put_number(json, "pictures", (double)t->pictures);
        wvl_bench_put_number(json, "seconds", t->seconds);
        wvl_bench_put_number(json, "pictures_per_second", rate_of(t));
        wvl_bench_put_number(json, "p50_ms", p50_ms_of(t));
        wvl_bench_put_number(json, "p99_ms", p99_ms_of(t));
        wvl_bench_put_number(json, "cpu_ms", cpu_ms_of(t));
        wvl_bench_put_close(json, '}');
    }
    wvl_bench_put_close(json, ']');
}

static void put_setting(wvl_bench_json *json, const wvl_bench_flights *f)
{
    wvl_bench_put_number(json, "frames", f->frames);
    wvl_bench_put_number(json, "places", f->frames ? f->places : 1);
    wvl_bench_put_number(json, "pictures_per_second", median_of(f, rate_of));
    wvl_bench_put_number(json, "p50_ms", median_of(f, p50_ms_of));
    wvl_bench_put_number(json, "p99_ms", median_of(f, p99_ms_of));
    wvl_bench_put_number(json, "cpu_ms", median_of(f, cpu_ms_of));
    wvl_bench_put_number(json, "bytes", median_of(f, bytes_of));
    wvl_bench_put_number(json, "first_bytes", (double)f->first_bytes);
    wvl_bench_put_number(json, "up_bytes", up_bytes(f));
    wvl_bench_put_number(json, "down_bytes", down_bytes(f));
    wvl_bench_put_number(json, "below", (double)f->below);
    wvl_bench_put_open(json, "backends", '[');
    for (uint32_t i = 0; i < WVL_BENCH_BACKENDS_MAX && f->backends[i].pictures; i++) {
        wvl_bench_put_open(json, NULL, '{');
        wvl_bench_put_text(json, "name", f->backends[i].name);
        wvl_bench_put_number(json, "pictures", (double)f->backends[i].pictures);
        wvl_bench_put_close(json, '}');
    }
    wvl_bench_put_close(json, ']');
    put_turns(json, f);
}

static void put_row(wvl_bench_json *json, const wvl_bench_flight_results *results, size_t i)
{
    wvl_bench_put_open(json, NULL, '{');
    put_setting(json, &results->settings[i]);
    if (results->alone_count) {
        wvl_bench_put_number(json, "times_one", times_one(results, i));
        wvl_bench_put_open(json, "alone", '[');
        for (uint32_t d = 0; d < results->alone_count; d++) {
            wvl_bench_put_open(json, NULL, '{');
            put_setting(json, &results->alone[i][d]);
            wvl_bench_put_close(json, '}');
        }
        wvl_bench_put_close(json, ']');
    }
    wvl_bench_put_close(json, '}');
}

static void put_head(wvl_bench_json *json, const wvl_bench_frames_options *o, const wvl_bench_picture *picture,
                     const wvl_bench_ring *ring)
{
    wvl_bench_put_text(json, "wavelane", wvl_build_text());
    wvl_bench_put_picture(json, picture);
    wvl_bench_put_text(json, "memory", wvl_bench_kind_name(o->kind));
    wvl_bench_put_text(json, "layout", ring->is_interleaved ? "interleaved" : "planar");
    wvl_bench_put_number(json, "ring", ring->count);
    wvl_bench_put_number(json, "devices", o->devices);
    wvl_bench_put_number(json, "picture_bytes", (double)ring->picture_bytes);
    wvl_bench_put_number(json, "threads", o->threads);
    wvl_bench_put_number(json, "seconds", o->seconds);
    wvl_bench_put_settings(json, &o->settings);
}

static void put_copies(wvl_bench_json *json, const char *name, const wvl_bench_frames_options *o, const double *turns)
{
    wvl_bench_put_open(json, name, '{');
    wvl_bench_put_number(json, "pictures_per_second", wvl_bench_median(turns, o->turns));
    wvl_bench_put_list(json, "turns", turns, o->turns);
    wvl_bench_put_close(json, '}');
}

static int write_json(const wvl_bench_frames_options *o, const wvl_bench_picture *picture, const wvl_bench_ring *ring,
                      const wvl_bench_flight_results *results)
{
    wvl_bench_json json;
    if (wvl_bench_json_open(&json, o->json) != 0) {
        return WVL_BENCH_EXIT_OUTPUT;
    }
    wvl_bench_put_open(&json, NULL, '{');
    put_head(&json, o, picture, ring);
    wvl_bench_put_open(&json, "rows", '[');
    for (size_t i = 0; i < o->frames.count; i++) {
        put_row(&json, results, i);
    }
    wvl_bench_put_close(&json, ']');
    if (o->uploads) {
        put_copies(&json, "uploads", o, results->uploads);
    }
    if (o->copies) {
        put_copies(&json, "copies", o, results->copies);
    }
    wvl_bench_put_close(&json, '}');
    return wvl_bench_json_close(&json, 1) ? WVL_BENCH_EXIT_OUTPUT : WVL_BENCH_EXIT_OK;
}

int wvl_bench_report_flights(const wvl_bench_frames_options *o, const wvl_bench_picture *picture,
                             const wvl_bench_ring *ring, const wvl_bench_flight_results *results)
{
    if (!o->json || strcmp(o->json, "-") != 0) {
        print_text(o, picture, ring, results);
    }
    return o->json ? write_json(o, picture, ring, results) : WVL_BENCH_EXIT_OK;
}
