/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of a picture's strips alone, and what of the jobs of a drive is under way at the same time. */
#ifndef WVL_TESTS_DEVICE_TIMER_COPIES_H
#define WVL_TESTS_DEVICE_TIMER_COPIES_H

#include "base/trace.h"
#include "cuda/host/memory/device.h"

/* Copies in page-locked memory, one strip after the other. */
typedef struct timer_copies {
    wvl_device *device;
    uint8_t *pixels; /* page-locked */
    size_t pitch, row_bytes;
    uint64_t height, rows; /* of the picture; of a strip */
    uint64_t above, below; /* rows that a strip's upload has beside its own */
    uint64_t down_bytes;   /* of all strips; 0: no downloads */
    int has_uploads;
} timer_copies;

/* Seconds, the least of three times. */
double timer_copies_measure(const timer_copies *copies);

enum { TIMER_UPLOAD, TIMER_KERNELS, TIMER_DOWNLOAD, TIMER_SPAN_KINDS };
#define TIMER_MOST_SPANS 4096u

typedef struct timer_spans {
    double begin[TIMER_SPAN_KINDS][TIMER_MOST_SPANS], end[TIMER_SPAN_KINDS][TIMER_MOST_SPANS];
    uint32_t count[TIMER_SPAN_KINDS];
} timer_spans;

/* A wvl_trace_fn for a drive of one thread; user: timer_spans. */
void timer_spans_keep(void *user, const wvl_trace_span *span);
/* Prints how long what was under way at once. */
void timer_spans_print(const timer_spans *spans);

#endif
