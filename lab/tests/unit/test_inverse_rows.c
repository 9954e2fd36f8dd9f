/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of the inverse's kernels, and their image. */
#include <stddef.h>

#include "lab/cuda/inverse/launch.h"
#include "tests/unit/kernel_table.h"

int main(void)
{
    static const char *const others[] = {NULL};
    const kernel_table table = {wvl_cuda_inverse_rows,        WVL_CUDA_INVERSE_KERNELS,     1,
                                wvl_cuda_inverse_find_kernel, wvl_cuda_inverse_fetch_image, others};
    return kernel_table_run("inverse_rows", &table);
}
