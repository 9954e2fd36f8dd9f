/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/inverse_launch.h"

#include <string.h>

#include "cuda/inverse_tuning.h"
#include "cuda/overlap.h"

static const struct { const char *name; unsigned threads; } kernel_table[WVL_CUDA_BACK_KERNELS] = {
    [WVL_CUDA_BACK_ANY53] = {"wvl_back_any53", WVL_CUDA_BACK_JOIN_THREADS},
    [WVL_CUDA_BACK_ANY97] = {"wvl_back_any97", WVL_CUDA_BACK_JOIN_THREADS},
    [WVL_CUDA_BACK_PLANE53] = {"wvl_back_plane53", 32},
    [WVL_CUDA_BACK_PLANE97] = {"wvl_back_plane97", 32},
    [WVL_CUDA_BACK_PLANE53_W] = {"wvl_back_plane53_w", 32},
    [WVL_CUDA_BACK_PLANE97_W] = {"wvl_back_plane97_w", 32},
    [WVL_CUDA_BACK53_8] = {"wvl_back53_8", 32},
    [WVL_CUDA_BACK97_8] = {"wvl_back97_8", 32},
    [WVL_CUDA_BACK53_8N] = {"wvl_back53_8n", 32},
    [WVL_CUDA_BACK97_8N] = {"wvl_back97_8n", 32},
    [WVL_CUDA_BACK53_8X3] = {"wvl_back53_8x3", 128},
    [WVL_CUDA_BACK97_8X3] = {"wvl_back97_8x3", 128},
    [WVL_CUDA_BACK53_8P3] = {"wvl_back53_8p3", 128},
    [WVL_CUDA_BACK97_8P3] = {"wvl_back97_8p3", 128},
    [WVL_CUDA_BACK53_16] = {"wvl_back53_16", 32},
    [WVL_CUDA_BACK97_16] = {"wvl_back97_16", 32},
    [WVL_CUDA_BACK53_16W] = {"wvl_back53_16w", 32},
    [WVL_CUDA_BACK97_16W] = {"wvl_back97_16w", 32},
    [WVL_CUDA_BACK97_8X3W] = {"wvl_back97_8x3w", 128},
    [WVL_CUDA_BACK97_8P3W] = {"wvl_back97_8p3w", 128},
    [WVL_CUDA_BACK_PIXELS53] = {"wvl_back_pixels53", WVL_CUDA_BACK_TILE_THREADS},
    [WVL_CUDA_BACK_PIXELS97] = {"wvl_back_pixels97", WVL_CUDA_BACK_TILE_THREADS},
};

wvl_cuda_status wvl_cuda_inverse_init_kernels(const wvl_cuda_runtime *runtime, const void *image, wvl_cuda_inverse_kernels *kernels)
{
    memset(kernels, 0, sizeof *kernels);
    wvl_cuda_status status = runtime->module_load(&kernels->module, image);
    for (unsigned k = 0; k < WVL_CUDA_BACK_KERNELS && !status; k++) {
        status = runtime->module_function(&kernels->function[k], kernels->module, kernel_table[k].name);
    }
    if (status) {
        wvl_cuda_inverse_fini_kernels(runtime, kernels);
        return status;
    }
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

wvl_cuda_status wvl_cuda_inverse_launch_level(const wvl_cuda_runtime *runtime, const wvl_cuda_inverse_kernels *kernels, unsigned kernel,
                                              wvl_cuda_address jobs, wvl_cuda_address items, uint32_t item_count, int follows, wvl_cuda_stream stream)
{
    void *arguments[] = {&jobs, &items};
    unsigned threads = kernel_table[kernel].threads;
    if (!item_count) {
        return WVL_CUDA_SUCCESS;
    }
    if (threads == WVL_CUDA_BACK_TILE_THREADS && item_count <= 2 * WVL_CUDA_BACK_MULTIPROCESSORS) {
        threads = item_count <= WVL_CUDA_BACK_MULTIPROCESSORS ? WVL_CUDA_BACK_TILE_THREADS_MAX : WVL_CUDA_BACK_TILE_THREADS_MAX / 2;
    }
    return wvl_cuda_launch(runtime, kernels->function[kernel], item_count, threads, follows && kernels->overlap, stream, arguments);
}
