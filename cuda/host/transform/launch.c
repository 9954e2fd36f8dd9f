/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/host/transform/launch.h"

#include <string.h>

#include "base/try.h"
#include "cuda/color/color.h"
#include "cuda/color/unpack.h"
#include "cuda/dwt/tuning.h"
#include "cuda/host/transform/deliver.h"

#define CONVERT_THREADS 256

wvl_cuda_status wvl_cuda_init_kernels(const wvl_cuda_runtime *runtime, const void *image, wvl_cuda_kernels *kernels)
{
    memset(kernels, 0, sizeof *kernels);
    wvl_cuda_status status = runtime->module_load(&kernels->module, image);
    for (unsigned k = 0; k < WVL_CUDA_KERNELS; k++) {
        TRY(status, runtime->module_function(&kernels->function[k], kernels->module, wvl_cuda_kernel_rows[k].name));
    }
    const wvl_cuda_wanted_kernel others[] = {
        {&kernels->color, "wvl_xyz"},       {&kernels->unpack, "wvl_unpack"}, {&kernels->convert, "wvl_convert"},
        {&kernels->deliver, "wvl_deliver"}, {&kernels->clear, "wvl_clear"},
    };
    TRY(status, wvl_cuda_find_kernels(runtime, kernels->module, others, sizeof others / sizeof *others));
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

wvl_cuda_status wvl_cuda_launch_clear(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels,
                                      wvl_cuda_address at, uint64_t bytes, wvl_cuda_address tables,
                                      uint64_t table_bytes, wvl_cuda_route route)
{
    uint64_t count = bytes / 16, lines = table_bytes / WVL_CUDA_LINE_BYTES;
    void *arguments[] = {&at, &count, &tables, &lines};
    return wvl_cuda_run(runtime, kernels->clear, wvl_cuda_grid_of(count, WVL_CUDA_CLEAR_THREADS), kernels->overlap,
                        route, arguments);
}

wvl_cuda_status wvl_cuda_launch_level(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels,
                                      const wvl_cuda_launch *launch, wvl_cuda_address splits, wvl_cuda_address items,
                                      int follows, wvl_cuda_route route)
{
    const wvl_cuda_kernel_row *row = &wvl_cuda_kernel_rows[launch->kernel];
    uint32_t asked = launch->asked, only = launch->only;
    void *arguments[] = {&splits, &items, &asked, &only};
    if (!launch->item_count) {
        return WVL_CUDA_SUCCESS;
    }
    const wvl_cuda_grid grid = {launch->item_count * wvl_cuda_row_parts(row), 1, row->threads, 0};
    return wvl_cuda_run(runtime, kernels->function[launch->kernel], grid, follows && kernels->overlap, route,
                        arguments);
}

wvl_cuda_status wvl_cuda_launch_transform(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels,
                                          const wvl_cuda_transform *t, wvl_cuda_route route)
{
    const wvl_cuda_address at = t->device, color = at + t->color, unpack = at + t->unpack;
    const wvl_cuda_grid color_grid = {t->color_blocks, 1, WVL_CUDA_COLOR_THREADS, 0},
                        unpack_grid = {t->unpack_blocks, 1, WVL_CUDA_UNPACK_THREADS, 0};
    const wvl_cuda_tables *tables = t->tables;
    wvl_cuda_status status = wvl_cuda_launch_clear(runtime, kernels, at + t->bounds, t->cleared_end - t->bounds, at,
                                                   t->items + tables->item_count * sizeof(wvl_cuda_item), route);
    TRY(status, wvl_cuda_run_job(runtime, kernels->color, color_grid, &color, route));
    TRY(status, wvl_cuda_run_job(runtime, kernels->unpack, unpack_grid, &unpack, route));
    for (uint64_t i = 0; i < tables->launch_count; i++) {
        wvl_cuda_address items = at + t->items + tables->launches[i].first_item * sizeof(wvl_cuda_item);
        int follows = i || !(t->color_blocks || t->unpack_blocks);
        TRY(status,
            wvl_cuda_launch_level(runtime, kernels, &tables->launches[i], at + t->splits, items, follows, route));
    }
    return status;
}

wvl_cuda_status wvl_cuda_launch_deliver(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels,
                                        wvl_cuda_address parcels, uint64_t parcel_count, wvl_cuda_route route)
{
    const wvl_cuda_grid grid = {(uint32_t)parcel_count, 1, WVL_CUDA_DELIVER_THREADS, 0};
    return wvl_cuda_run_job(runtime, kernels->deliver, grid, &parcels, route);
}

wvl_cuda_status wvl_cuda_launch_convert(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels,
                                        wvl_cuda_address from, wvl_cuda_address to, uint64_t bytes,
                                        wvl_cuda_route route)
{
    uint64_t count = bytes / 16;
    void *arguments[] = {&from, &to, &count};
    return count
               ? wvl_cuda_run(runtime, kernels->convert, wvl_cuda_grid_of(count, CONVERT_THREADS), 0, route, arguments)
               : WVL_CUDA_SUCCESS;
}
