/* SPDX-License-Identifier: BSD-2-Clause */
/* What wavelane-dwt-bench schemes writes: a table as text, and on request JSON and Markdown. */
#pragma once

#include "tools/bench/bench.h"

typedef struct wvl_schemes_row {
    const char *wavelet, *scheme;
    int is_inverse, operations, barriers; /* of a quad */
    double least, median;                 /* seconds */
    double error; /* the largest, as a part of the range; NAN: there is no textbook for the wavelet */
} wvl_schemes_row;

typedef struct wvl_schemes_report {
    size_t width, height;
    unsigned threads;
    int is_array, has_begun;
    double copy_seconds; /* of as many bytes, read and written by as many threads */
    wvl_bench_json json;
    FILE *markdown;
    const char *markdown_path;
} wvl_schemes_report;

/* Paths may be NULL. JSON of one picture is an object, of several an array of such. Nonzero (reported): a file cannot
 * be written. */
int wvl_schemes_report_open(wvl_schemes_report *report, size_t pictures, const char *json, const char *markdown);
void wvl_schemes_report_begin(wvl_schemes_report *report); /* the head of a picture; copy_seconds is known */
void wvl_schemes_report_end(wvl_schemes_report *report);   /* of a picture; without a begin it does nothing */
void wvl_schemes_report_add(wvl_schemes_report *report, const wvl_schemes_row *row);
int wvl_schemes_report_close(wvl_schemes_report *report);
