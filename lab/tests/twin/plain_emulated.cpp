/* SPDX-License-Identifier: BSD-2-Clause */
#include "plain_emulated.h"

#include <math.h>

#include "tests/twin/emulate.h"
#include "tests/twin/emulate_words.h"

static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
#include "emulate_copies.h"

static inline unsigned long long min(unsigned long long a, unsigned long long b) { return a < b ? a : b; }

#define __grid_constant__
#include "lab/cuda/plain/kernels.cu"

template <class ARGS, void (*KERNEL)(ARGS)> static void run(const void *args) { KERNEL(*(const ARGS *)args); }

static const struct {
    const char *name;
    void (*run)(const void *args);
} kernels[] = {
#define WVL_PLAIN_ROW(member, name, type) {#name, run<const type, name>},
    WVL_PLAIN_KERNELS(WVL_PLAIN_ROW)
#undef WVL_PLAIN_ROW
};

int plain_emulate(const char *name, const void *args, uint32_t blocks, uint32_t threads, uint32_t shared_bytes)
{
    for (const auto &kernel : kernels) {
        if (strcmp(kernel.name, name) == 0) {
            emulation::reversed = !emulation::reversed;
            wvl_lattice::forget_copies();
            emulation::launch(kernel.run, args, blocks, 1, threads, shared_bytes);
            return 0;
        }
    }
    return 500;
}
