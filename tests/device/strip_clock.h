/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of a picture's strips alone, and what of the jobs of a drive is under way at the same time. */
#ifndef WVL_TESTS_DEVICE_STRIP_CLOCK_H
#define WVL_TESTS_DEVICE_STRIP_CLOCK_H

#include "base/trace.h"
#include "way/job_cut.h"

/* A picture in page-locked memory. */
typedef struct strip_clock {
    wvl_device *device;
    uint8_t *pixels;
    size_t pitch, row_bytes;
    uint32_t height;
} strip_clock;

/* Seconds. All pixels through a buffer of `bytes` on the device. */
double strip_clock_time_upload(const strip_clock *clock, uint64_t bytes);
/* Rows as the strips have them, margins too, through a buffer of the largest. */
double strip_clock_time_strip_uploads(const strip_clock *clock, const wvl_job_cut *cut);
/* `bytes` in `pieces` to page-locked memory; with_upload: and all pixels up beside them. */
double strip_clock_time_download(const strip_clock *clock, uint64_t bytes, uint32_t pieces, int with_upload);

enum { STRIP_UPLOAD, STRIP_KERNELS, STRIP_DOWNLOAD, STRIP_KINDS };
#define STRIP_MOST_SPANS 4096u

typedef struct strip_spans {
    double begin[STRIP_KINDS][STRIP_MOST_SPANS], end[STRIP_KINDS][STRIP_MOST_SPANS];
    uint32_t count[STRIP_KINDS];
} strip_spans;

/* A wvl_trace_fn for a drive of one thread; user: strip_spans. */
void strip_clock_keep(void *user, const wvl_trace_span *span);
/* Prints how long what was under way at once. */
void strip_clock_tell(const strip_spans *spans);

#endif
