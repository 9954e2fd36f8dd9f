/* SPDX-License-Identifier: BSD-2-Clause */
/* The subjects of device_timer, its options, and the clock that they share. */
#pragma once

#include "base/trace.h"
#include "tests/decode/picture.h"
#include "tests/twin/ht_blocks.h"

typedef struct timer {
    const char *picture;                   /* as the command line names it */
    const char *settings;                  /* "key=value key=value"; "": none */
    uint32_t runs, frames, lanes, seconds; /* 0: the subject's own */
    char **configurations;                 /* words that are no options */
    unsigned configuration_count;
} timer;

void timer_run_ht(const timer *t);
void timer_run_mq(const timer *t);
void timer_run_t1(const timer *t);
void timer_run_packets(const timer *t);
void timer_run_pictures(const timer *t);
void timer_run_strips(const timer *t);

/* Prints the text and ends the program. */
void timer_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void timer_require(wvl_cuda_status status);
static inline uint32_t timer_or(uint32_t value, uint32_t usual) { return value ? value : usual; }

/* A file, one of the folder of test pictures, its highest bits (FILE@BITS), four of these side by side (FILE@BITSx2),
 * or noise:WIDTHxHEIGHTxDEPTH. */
picture timer_load(const char *name);

/* ---- The clock of single kernels (timer_clock.c) ---- */

#define TIMER_MOST_RUNS 62u
#define TIMER_MOST_PARTS 16u

extern ht_device timer_device;        /* after timer_open_device() */
extern wvl_cuda_runtime timer_driver; /* its functions */
extern wvl_cuda_runtime timer_marked; /* the same, with a mark on the stream behind each launch */
void timer_open_device(void);

/* Medians in microseconds: of the work, and of its parts, one for each launch through timer_marked. */
typedef struct timer_times {
    double all, parts[TIMER_MOST_PARTS];
    unsigned count;
} timer_times;
typedef wvl_cuda_status (*timer_work)(void *user); /* queues on the device's stream */
timer_times timer_measure(uint32_t runs, timer_work work, void *user);
void timer_print_parts(const timer_times *times, uint32_t frames);
