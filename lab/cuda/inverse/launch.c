/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/cuda/inverse/launch.h"

#include <string.h>

#include "cuda/host/driver/route.h"
#include "lab/cuda/inverse/tuning.h"

wvl_cuda_status wvl_cuda_inverse_init_kernels(const wvl_cuda_runtime *runtime, const void *image,
                                              uint32_t multiprocessors, wvl_cuda_inverse_kernels *kernels)
{
    memset(kernels, 0, sizeof *kernels);
    wvl_cuda_status status = runtime->module_load(&kernels->module, image);
    for (unsigned k = 0; k < WVL_CUDA_INVERSE_KERNELS && !status; k++) {
        status = runtime->module_function(&kernels->function[k], kernels->module, wvl_cuda_inverse_rows[k].name);
    }
    if (status) {
        wvl_cuda_inverse_fini_kernels(runtime, kernels);
        return status;
    }
    kernels->multiprocessors = multiprocessors;
    kernels->overlap = wvl_cuda_may_overlap(runtime, kernels->function[0]);
    return status;
}

void wvl_cuda_inverse_fini_kernels(const wvl_cuda_runtime *runtime, wvl_cuda_inverse_kernels *kernels)
{
    if (kernels->module) {
        (void)runtime->module_unload(kernels->module);
    }
    memset(kernels, 0, sizeof *kernels);
}

/* Planes to pixels: the more tiles a multiprocessor has, the fewer threads a tile. */
static unsigned choose_threads(const wvl_cuda_inverse_kernels *kernels, const wvl_cuda_kernel_row *row, uint32_t tiles)
{
    if (row->family != WVL_CUDA_FAMILY_PIXELS || tiles <= kernels->multiprocessors) {
        return row->threads;
    }
    return tiles <= 2 * kernels->multiprocessors ? row->threads / 2u : row->threads / 4u;
}

wvl_cuda_status wvl_cuda_inverse_launch_level(const wvl_cuda_runtime *runtime, const wvl_cuda_inverse_kernels *kernels,
                                              unsigned kernel, wvl_cuda_address splits, wvl_cuda_address items,
                                              uint32_t item_count, int follows, wvl_cuda_route route)
{
    void *arguments[] = {&splits, &items};
    unsigned threads = choose_threads(kernels, &wvl_cuda_inverse_rows[kernel], item_count);
    if (!item_count) {
        return WVL_CUDA_SUCCESS;
    }
    return wvl_cuda_run(runtime, kernels->function[kernel], (wvl_cuda_grid){item_count, 1, threads, 0},
                        follows && kernels->overlap, route, arguments);
}
