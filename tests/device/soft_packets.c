/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels that put pictures together: their own source, compiled for the CPU (tests/twin/ht_emulated.h). */
#include "soft.h"
#ifdef WVL_HAVE_EMULATION
#include "tests/twin/ht_emulated.h"
#endif

int soft_run_packets(const char *name, const wvl_cuda_packets_job *job, const soft_shape *shape)
{
#ifdef WVL_HAVE_EMULATION
    wvl_cuda_function function;
    wvl_cuda_packets_job copy = *job;
    void *arguments[] = {&copy};
    return wvl_emulate_find(&function, NULL, name) ||
           wvl_emulate_launch(function, shape->grid_x, shape->grid_y, 1, shape->threads, 1, 1, shape->shared, NULL,
                              arguments, NULL);
#else
    (void)name, (void)job, (void)shape;
    return 801;
#endif
}
