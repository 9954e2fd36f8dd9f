/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of the transform's kernels, and the image of the library. */

#include "cuda/host/transform/launch.h"
#include "kernel_table.h"

static const char *const others[] = {"wvl_xyz",      "wvl_unpack", "wvl_convert",
                                     "wvl_deliver",  "wvl_clear",             /* cuda/color, cuda/dwt, cuda/host */
                                     "wvl_ht_",      "wvl_t1_",    "wvl_mq_", /* cuda/blocks, cuda/packets */
                                     "wvl_packets_", "wvl_rate_",             /* cuda/packets, cuda/rate */
                                     "wvl_rdoq_",    NULL};

int main(void)
{
    const kernel_table table = {wvl_cuda_kernel_rows, WVL_CUDA_KERNELS,     0,
                                wvl_cuda_find_kernel, wvl_cuda_fetch_image, others};
    return kernel_table_run("kernel_rows", &table);
}
