/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/launch.h"

#include <string.h>

#include "cuda/overlap.h"
#include "cuda/tuning.h"

/* parts: blocks that share an item, one a component. */
static const struct { const char *name; unsigned threads, parts; } kernel_table[WVL_CUDA_KERNELS] = {
    [WVL_CUDA_ANY53] = {"wvl_any53", WVL_CUDA_TILE_THREADS, 1},
    [WVL_CUDA_ANY97] = {"wvl_any97", WVL_CUDA_TILE_THREADS, 1},
    [WVL_CUDA_CASCADE53] = {"wvl_cascade53", 32 * WVL_CUDA_CASCADE_WARPS, 1},
    [WVL_CUDA_CASCADE97] = {"wvl_cascade97", 32 * WVL_CUDA_CASCADE_WARPS, 1},
    [WVL_CUDA_CASCADE53_W] = {"wvl_cascade53_w", 32 * WVL_CUDA_CASCADE_WARPS, 1},
    [WVL_CUDA_CASCADE97_W] = {"wvl_cascade97_w", 32 * WVL_CUDA_CASCADE_WARPS, 1},
    [WVL_CUDA_CASCADE53_S] = {"wvl_cascade53_s", 32 * WVL_CUDA_CASCADE_WARPS, 1},
    [WVL_CUDA_LAST53] = {"wvl_last53", 32, 1},
    [WVL_CUDA_LAST97] = {"wvl_last97", 32, 1},
    [WVL_CUDA_LAST53_W] = {"wvl_last53_w", 32, 1},
    [WVL_CUDA_LAST97_W] = {"wvl_last97_w", 32, 1},
    [WVL_CUDA_LAST53_S] = {"wvl_last53_s", 32, 1},
    [WVL_CUDA_LAST97_D] = {"wvl_last97_d", 32, 1},
    [WVL_CUDA_PLANE53] = {"wvl_plane53", 32, 1},
    [WVL_CUDA_PLANE97] = {"wvl_plane97", 32, 1},
    [WVL_CUDA_PLANE53_W] = {"wvl_plane53_w", 32, 1},
    [WVL_CUDA_PLANE97_W] = {"wvl_plane97_w", 32, 1},
    [WVL_CUDA_PLANE53_S] = {"wvl_plane53_s", 32, 1},
    [WVL_CUDA_PLANE97_D] = {"wvl_plane97_d", 32, 1},
    [WVL_CUDA_PLANE97_N] = {"wvl_plane97_n", 32, 1},
    [WVL_CUDA_PLANE53_P] = {"wvl_plane53_p", 32, 1},
    [WVL_CUDA_PLANE97_P] = {"wvl_plane97_p", 32, 1},
    [WVL_CUDA_PLANE53_WP] = {"wvl_plane53_wp", 32, 1},
    [WVL_CUDA_PLANE97_WP] = {"wvl_plane97_wp", 32, 1},
    [WVL_CUDA_PLANE53_SP] = {"wvl_plane53_sp", 32, 1},
    [WVL_CUDA_MARCH53_8] = {"wvl_march53_8", 32, 1},
    [WVL_CUDA_MARCH97_8] = {"wvl_march97_8", 32, 1},
    [WVL_CUDA_MARCH53_8N] = {"wvl_march53_8n", 32, 1},
    [WVL_CUDA_MARCH97_8N] = {"wvl_march97_8n", 32, 1},
    [WVL_CUDA_MARCH53_8X3] = {"wvl_march53_8x3", 32, 3},
    [WVL_CUDA_MARCH97_8X3] = {"wvl_march97_8x3", 32, 3},
    [WVL_CUDA_MARCH53_8P3] = {"wvl_march53_8p3", 32, 3},
    [WVL_CUDA_MARCH97_8P3] = {"wvl_march97_8p3", 32, 3},
    [WVL_CUDA_MARCH53_16] = {"wvl_march53_16", 32, 1},
    [WVL_CUDA_MARCH97_16] = {"wvl_march97_16", 32, 1},
    [WVL_CUDA_MARCH53_16W] = {"wvl_march53_16w", 32, 1},
    [WVL_CUDA_MARCH97_16W] = {"wvl_march97_16w", 32, 1},
    [WVL_CUDA_MARCH97_16D] = {"wvl_march97_16d", 32, 1},
    [WVL_CUDA_MARCH53_16X3] = {"wvl_march53_16x3", 32, 3},
    [WVL_CUDA_MARCH97_16X3] = {"wvl_march97_16x3", 32, 3},
    [WVL_CUDA_MARCH53_16P3] = {"wvl_march53_16p3", 32, 3},
    [WVL_CUDA_MARCH97_16P3] = {"wvl_march97_16p3", 32, 3},
    [WVL_CUDA_MARCH53_16X3W] = {"wvl_march53_16x3w", 32, 3},
    [WVL_CUDA_MARCH97_16X3W] = {"wvl_march97_16x3w", 32, 3},
    [WVL_CUDA_MARCH53_16P3W] = {"wvl_march53_16p3w", 32, 3},
    [WVL_CUDA_MARCH97_16P3W] = {"wvl_march97_16p3w", 32, 3},
    [WVL_CUDA_MARCH53_8X3W] = {"wvl_march53_8x3w", 32, 3},
    [WVL_CUDA_MARCH97_8X3W] = {"wvl_march97_8x3w", 128, 1},
    [WVL_CUDA_MARCH53_8P3W] = {"wvl_march53_8p3w", 32, 3},
    [WVL_CUDA_MARCH97_8P3W] = {"wvl_march97_8p3w", 128, 1},
};

wvl_cuda_status wvl_cuda_init_kernels(const wvl_cuda_runtime *runtime, const void *image, wvl_cuda_kernels *kernels)
{
    memset(kernels, 0, sizeof *kernels);
    wvl_cuda_status status = runtime->module_load(&kernels->module, image);
    for (unsigned k = 0; k < WVL_CUDA_KERNELS && !status; k++) {
        status = runtime->module_function(&kernels->function[k], kernels->module, kernel_table[k].name);
    }
    status = status ? status : runtime->module_function(&kernels->color, kernels->module, "wvl_xyz");
    status = status ? status : runtime->module_function(&kernels->convert, kernels->module, "wvl_convert");
    status = status ? status : runtime->module_function(&kernels->deliver, kernels->module, "wvl_deliver");
    status = status ? status : runtime->module_function(&kernels->clear, kernels->module, "wvl_clear");
    if (status) {
        wvl_cuda_fini_kernels(runtime, kernels);
        return status;
    }
    kernels->overlap = wvl_cuda_may_overlap(runtime, kernels->function[0]);
    return status;
}

void wvl_cuda_fini_kernels(const wvl_cuda_runtime *runtime, wvl_cuda_kernels *kernels)
{
    if (kernels->module) {
        (void)runtime->module_unload(kernels->module);
    }
    memset(kernels, 0, sizeof *kernels);
}

wvl_cuda_status wvl_cuda_launch_clear(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels, wvl_cuda_address at, uint64_t bytes,
                                      wvl_cuda_address tables, uint64_t table_bytes, wvl_cuda_stream stream)
{
    uint64_t count = bytes / 16, lines = table_bytes / WVL_CUDA_LINE_BYTES;
    void *arguments[] = {&at, &count, &tables, &lines};
    return wvl_cuda_launch(runtime, kernels->clear, (unsigned)((count + WVL_CUDA_CLEAR_THREADS - 1) / WVL_CUDA_CLEAR_THREADS), WVL_CUDA_CLEAR_THREADS,
                           kernels->overlap, stream, arguments);
}

wvl_cuda_status wvl_cuda_launch_level(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels, const wvl_cuda_round *round, wvl_cuda_address jobs,
                                      wvl_cuda_address items, int follows, wvl_cuda_stream stream)
{
    uint32_t asked = round->asked, only = round->only;
    void *arguments[] = {&jobs, &items, &asked, &only};
    if (!round->item_count) {
        return WVL_CUDA_SUCCESS;
    }
    return wvl_cuda_launch(runtime, kernels->function[round->kernel], round->item_count * kernel_table[round->kernel].parts,
                           kernel_table[round->kernel].threads, follows && kernels->overlap, stream, arguments);
}

wvl_cuda_status wvl_cuda_launch_deliver(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels, wvl_cuda_address parcels, uint64_t parcel_count,
                                        wvl_cuda_stream stream)
{
    void *arguments[] = {&parcels};
    if (!parcel_count) {
        return WVL_CUDA_SUCCESS;
    }
    return runtime->launch(kernels->deliver, (unsigned)parcel_count, 1, 1, WVL_CUDA_DELIVER_THREADS, 1, 1, 0, stream, arguments, NULL);
}

wvl_cuda_status wvl_cuda_launch_convert(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels, wvl_cuda_address from,
                                        wvl_cuda_address to, uint64_t bytes, wvl_cuda_stream stream)
{
    uint64_t count = bytes / 16;
    void *arguments[] = {&from, &to, &count};
    return runtime->launch(kernels->convert, (unsigned)((count + 255) / 256), 1, 1, 256, 1, 1, 0, stream, arguments, NULL);
}

wvl_cuda_status wvl_cuda_launch_color(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels, wvl_cuda_address color, uint32_t block_count,
                                      wvl_cuda_stream stream)
{
    void *arguments[] = {&color};
    if (!block_count) {
        return WVL_CUDA_SUCCESS;
    }
    return runtime->launch(kernels->color, block_count, 1, 1, WVL_CUDA_COLOR_THREADS, 1, 1, 0, stream, arguments, NULL);
}
