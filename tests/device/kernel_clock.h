/* SPDX-License-Identifier: BSD-2-Clause */
/* Times of kernels by events, for the programs that measure block coders on a device. */
#ifndef WVL_TESTS_KERNEL_CLOCK_H
#define WVL_TESTS_KERNEL_CLOCK_H

#include "tests/twin/ht_blocks.h"

#define KERNEL_CLOCK_RUNS 62u
#define KERNEL_CLOCK_PARTS 16u

extern wvl_cuda_runtime kernel_driver; /* after kernel_clock_open() */
extern wvl_cuda_runtime kernel_marked; /* the same, with a mark on the stream behind each launch */

/* Device code is that of the build, or of the file that WVL_CUDA_TWIN_IMAGE names. 0: there is no device; it says so.
 */
int kernel_clock_open(ht_device *device);

/* The runs that a program was asked for, or `usual` if that is none or too many. */
unsigned kernel_clock_runs(const char *text, unsigned usual);

/* A run: start, launches through kernel_marked, or through kernel_driver and a mark behind them, stop. Calls that fail
 * end the program. Stop waits, and returns the parts between marks. */
void kernel_clock_start(const ht_device *device);
void kernel_clock_mark(const ht_device *device);
unsigned kernel_clock_stop(const ht_device *device, unsigned run);
void kernel_clock_require(wvl_cuda_status status);

/* Medians of runs 0 to runs - 1, in microseconds. They sort what was kept. */
double kernel_clock_fetch_part(unsigned part, unsigned runs);
double kernel_clock_fetch_all(unsigned runs);

#endif
