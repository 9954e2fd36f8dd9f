/* SPDX-License-Identifier: BSD-2-Clause */
#include "schemes_report.h"

#include <errno.h>
#include <math.h>
#include <string.h>

int wvl_schemes_report_open(wvl_schemes_report *r, size_t pictures, const char *json, const char *markdown)
{
    r->markdown_path = markdown;
    r->is_array = pictures > 1;
    if (wvl_bench_json_open(&r->json, json) != 0) {
        return -1;
    }
    if (r->is_array && r->json.out) {
        wvl_bench_put_open(&r->json, NULL, '[');
    }
    if (!markdown) {
        return 0;
    }
    r->markdown = fopen(markdown, "w");
    if (!r->markdown) {
        fprintf(stderr, "wavelane-dwt-bench: %s: %s\n", markdown, strerror(errno));
        (void)wvl_bench_json_close(&r->json, 0);
        return -1;
    }
    return 0;
}

/* Read once and written once. */
static double traffic_bytes(const wvl_schemes_report *r) { return 8.0 * (double)r->width * (double)r->height; }

static void begin_json(wvl_schemes_report *r)
{
    wvl_bench_put_open(&r->json, NULL, '{');
    wvl_bench_put_number(&r->json, "width", (double)r->width);
    wvl_bench_put_number(&r->json, "height", (double)r->height);
    wvl_bench_put_number(&r->json, "threads", r->threads);
    wvl_bench_put_number(&r->json, "copy_seconds", r->copy_seconds);
    wvl_bench_put_open(&r->json, "schemes", '[');
}

/* Standard output has the table, unless JSON goes there. */
static int prints_table(const wvl_schemes_report *r) { return r->json.out != stdout; }

void wvl_schemes_report_begin(wvl_schemes_report *r)
{
    const double copy = traffic_bytes(r) / r->copy_seconds / 1e9;
    r->has_begun = 1;
    if (r->json.out) {
        begin_json(r);
    }
    if (r->markdown) {
        fprintf(r->markdown,
                "%zu x %zu, float, one level, %u threads; a copy of the same bytes: %.2f ms, %.1f GB/s.\n\n", r->width,
                r->height, r->threads, 1e3 * r->copy_seconds, copy);
        fprintf(r->markdown, "| wavelet | scheme | direction | ms, median | ms, least | share of the copy | error |\n");
        fprintf(r->markdown, "| --- | --- | --- | ---: | ---: | ---: | ---: |\n");
    }
    if (prints_table(r)) {
        printf("%zu x %zu, float, one level, %u threads; copy of the same bytes %.2f ms, %.1f GB/s\n", r->width,
               r->height, r->threads, 1e3 * r->copy_seconds, copy);
        printf("%-8s %-28s %-8s %10s %10s %8s %10s\n", "wavelet", "scheme", "", "ms median", "ms least", "of copy",
               "error");
    }
}

static void add_json(wvl_schemes_report *r, const wvl_schemes_row *row)
{
    wvl_bench_put_open(&r->json, NULL, '{');
    wvl_bench_put_text(&r->json, "wavelet", row->wavelet);
    wvl_bench_put_text(&r->json, "scheme", row->scheme);
    wvl_bench_put_text(&r->json, "direction", row->is_inverse ? "inverse" : "forward");
    wvl_bench_put_number(&r->json, "operations", row->operations);
    wvl_bench_put_number(&r->json, "barriers", row->barriers);
    wvl_bench_put_number(&r->json, "median_seconds", row->median);
    wvl_bench_put_number(&r->json, "least_seconds", row->least);
    wvl_bench_put_number(&r->json, "copy_share", r->copy_seconds / row->median);
    wvl_bench_put_number(&r->json, "error", row->error);
    wvl_bench_put_close(&r->json, '}');
}

void wvl_schemes_report_add(wvl_schemes_report *r, const wvl_schemes_row *row)
{
    const char *direction = row->is_inverse ? "inverse" : "forward";
    const double median = 1e3 * row->median, least = 1e3 * row->least, share = r->copy_seconds / row->median;
    char error[32] = "not known";
    if (!isnan(row->error)) {
        snprintf(error, sizeof error, "%.1e", row->error);
    }
    if (r->json.out) {
        add_json(r, row);
    }
    if (r->markdown) {
        fprintf(r->markdown, "| %s | %s | %s | %.2f | %.2f | %.2f | %s |\n", row->wavelet, row->scheme, direction,
                median, least, share, error);
    }
    if (prints_table(r)) {
        printf("%-8s %-28s %-8s %10.2f %10.2f %8.2f %10s\n", row->wavelet, row->scheme, direction, median, least, share,
               error);
    }
}

void wvl_schemes_report_end(wvl_schemes_report *r)
{
    if (r->has_begun && r->json.out) {
        wvl_bench_put_close(&r->json, ']');
        wvl_bench_put_close(&r->json, '}');
    }
    if (r->has_begun && r->markdown && r->is_array) {
        fputc('\n', r->markdown);
    }
    r->has_begun = 0;
}

int wvl_schemes_report_close(wvl_schemes_report *r)
{
    int status = 0;
    if (r->json.out) {
        if (r->is_array) {
            wvl_bench_put_close(&r->json, ']');
        }
        status = wvl_bench_json_close(&r->json, 1);
    }
    if (r->markdown && (ferror(r->markdown) | fclose(r->markdown)) != 0) {
        fprintf(stderr, "wavelane-dwt-bench: %s: %s\n", r->markdown_path, strerror(errno));
        status = -1;
    }
    return status;
}
