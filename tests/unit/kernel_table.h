/* SPDX-License-Identifier: BSD-2-Clause */
/* A suite for a table of kernels: rows agree with their names, with one another and, in a build with device code, with
 * what the compiler says about the machine code for 9.0: threads, shared memory, and that no kernel is without a row.
 */
#pragma once

#include "cuda/core/kernel_row.h"

typedef struct kernel_table {
    const wvl_cuda_kernel_row *rows;
    uint32_t count;
    int is_inverse;
    const wvl_cuda_kernel_row *(*find)(const wvl_cuda_kernel_wish *wish);
    const void *(*fetch_image)(void);
    const char *const *others; /* kernels of the image that are in no table: beginnings of their names, then NULL */
} kernel_table;

/* Returns what main does. */
int kernel_table_run(const char *name, const kernel_table *table);
