/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of plain transforms in a device made of software: by their own source, compiled for the CPU. */
#include <string.h>

#include "lab/cuda/plain/args.h"
#include "lab/tests/twin/plain_emulated.h"
#include "tests/device/soft.h"

#define FITS(member, kernel, type)                                                                                     \
    _Static_assert(sizeof(type) <= SOFT_OTHER_BYTES, "the software device keeps what " #kernel " takes");
WVL_PLAIN_KERNELS(FITS)
#undef FITS

static size_t count_bytes(const char *name)
{
#define BYTES(member, kernel, type)                                                                                    \
    if (strcmp(name, #kernel) == 0) {                                                                                  \
        return sizeof(type);                                                                                           \
    }
    WVL_PLAIN_KERNELS(BYTES)
#undef BYTES
    return 0;
}

static int run(const char *name, const void *args, const soft_shape *shape)
{
    return plain_emulate(name, args, shape->grid_x, shape->threads, shape->shared);
}

const soft_others soft_other_kernels = {"wvl_plain_", count_bytes, run};
