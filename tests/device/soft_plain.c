/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of plain transforms: by their own source, compiled for the CPU. */
#include <string.h>

#include "soft.h"
#ifdef WVL_HAVE_EMULATION
#include "tests/twin/plain_emulated.h"
#endif

size_t soft_plain_bytes(const char *name)
{
#define BYTES(member, kernel, type)                                                                                    \
    if (strcmp(name, #kernel) == 0) {                                                                                  \
        return sizeof(type);                                                                                           \
    }
    WVL_PLAIN_KERNELS(BYTES)
#undef BYTES
    return 0;
}

int soft_run_plain(const char *name, const soft_plain *args, const soft_shape *shape)
{
#ifdef WVL_HAVE_EMULATION
    return plain_emulate(name, args, shape->grid_x, shape->threads, shape->shared);
#else
    (void)name, (void)args, (void)shape;
    return 801;
#endif
}
