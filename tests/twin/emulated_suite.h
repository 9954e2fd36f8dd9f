/* SPDX-License-Identifier: BSD-2-Clause */
/* What the twins of block coders and packets share: their devices, and the fixture that opens them. */
#ifndef WVL_TESTS_EMULATED_SUITE_H
#define WVL_TESTS_EMULATED_SUITE_H

#include "emulated_driver.h"
#include "ht_emulated.h"
#include "tests/support/support.h"

static ht_device devices[2]; /* the emulation, and the machine's */
static unsigned device_count;
static int subset; /* a few cases, for slow checkers */

/* kernel: the code of a device must have it; NULL: any device. */
static inline void open_devices(const char *kernel)
{
    subset = getenv("WVL_CUDA_SUBSET") != NULL;
    device_count = kernel ? emulated_open_devices_with(devices, kernel) : emulated_open_devices(devices);
}
static inline void close_suite(void) { emulated_close_devices(devices, device_count); }

#define EMULATED_SUITE(kernel)                                                                                         \
    static void open_suite(void) { open_devices(kernel); }                                                             \
    TEST_FIXTURE(open_suite, close_suite)

#endif
