/* SPDX-License-Identifier: BSD-2-Clause */
/* What the twins of block coders and packets share: their devices, the fixture that opens them, and numbers by chance.
 */
#pragma once

#include "emulated_driver.h"
#include "ht_emulated.h"
#include "tests/prop/t1_draw.h"

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

/* The next device to run on, NULL: no more; *run: 0 at first. The emulation comes twice, in both orders of threads. */
static inline const ht_device *next_device(unsigned *run)
{
    for (; *run < 2 * device_count; ++*run) {
        const ht_device *d = &devices[*run / 2];
        int reversed = (int)*run % 2;
        if (!reversed || d->runtime == &emulated_runtime) {
            wvl_emulate_reversed(reversed);
            ++*run;
            return d;
        }
    }
    return NULL;
}

/* Each device in each order: d is declared before. */
#define EACH_DEVICE(d) for (unsigned run = 0; ((d) = next_device(&run));)

static t1_rng rng;
/* Each test begins anew, with numbers of its own. */
static inline void seed_suite(uint64_t number) { rng.s = t1_seed() + (number << 20); }
static inline uint32_t draw(void) { return t1_random(&rng); }
static inline uint32_t below(uint32_t n) { return draw() % n; }
static inline uint32_t between(uint32_t low, uint32_t high) { return low + below(high - low + 1); }

#define EMULATED_SUITE(kernel)                                                                                         \
    static void open_suite(void) { open_devices(kernel); }                                                             \
    TEST_FIXTURE(open_suite, close_suite)
