/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/host/transform/launch.h"

#include <string.h>

#include "base/intmath.h"
#include "base/try.h"
#include "cuda/color/color.h"
#include "cuda/color/unpack.h"
#include "cuda/dwt/tuning.h"
#include "cuda/host/driver/route.h"
#include "cuda/host/transform/deliver.h"

#define CONVERT_THREADS 256

/* The kernels that are in no table of rows. */
static wvl_cuda_status find_others(const wvl_cuda_runtime *runtime, wvl_cuda_kernels *kernels)
{
    const struct {
        const char *name;
        wvl_cuda_function *function;
    } others[] = {
        {"wvl_xyz", &kernels->color},       {"wvl_unpack", &kernels->unpack}, {"wvl_convert", &kernels->convert},
        {"wvl_deliver", &kernels->deliver}, {"wvl_clear", &kernels->clear},
    };
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    for (unsigned k = 0; k < sizeof others / sizeof *others && !status; k++) {
        status = runtime->module_function(others[k].function, kernels->module, others[k].name);
    }
    return status;
}

wvl_cuda_status wvl_cuda_init_kernels(const wvl_cuda_runtime *runtime, const void *image, wvl_cuda_kernels *kernels)
{
    memset(kernels, 0, sizeof *kernels);
    wvl_cuda_status status = runtime->module_load(&kernels->module, image);
    for (unsigned k = 0; k < WVL_CUDA_KERNELS && !status; k++) {
        status = runtime->module_function(&kernels->function[k], kernels->module, wvl_cuda_kernel_rows[k].name);
    }
    TRY(status, find_others(runtime, kernels));
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

/* One launch of thread blocks in a row, after all that is queued. */
static wvl_cuda_status launch_blocks(const wvl_cuda_runtime *runtime, wvl_cuda_function function, uint64_t blocks,
                                     unsigned threads, wvl_cuda_route route, void **arguments)
{
    if (!blocks) {
        return WVL_CUDA_SUCCESS;
    }
    return wvl_cuda_run(runtime, function, (wvl_cuda_grid){(uint32_t)blocks, 1, threads, 0}, 0, route, arguments);
}

wvl_cuda_status wvl_cuda_launch_clear(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels,
                                      wvl_cuda_address at, uint64_t bytes, wvl_cuda_address tables,
                                      uint64_t table_bytes, wvl_cuda_route route)
{
    uint64_t count = bytes / 16, lines = table_bytes / WVL_CUDA_LINE_BYTES;
    uint32_t blocks = (uint32_t)wvl_ceil_div(count, WVL_CUDA_CLEAR_THREADS);
    void *arguments[] = {&at, &count, &tables, &lines};
    return wvl_cuda_run(runtime, kernels->clear, (wvl_cuda_grid){blocks, 1, WVL_CUDA_CLEAR_THREADS, 0},
                        kernels->overlap, route, arguments);
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

wvl_cuda_status wvl_cuda_launch_deliver(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels,
                                        wvl_cuda_address parcels, uint64_t parcel_count, wvl_cuda_route route)
{
    void *arguments[] = {&parcels};
    return launch_blocks(runtime, kernels->deliver, parcel_count, WVL_CUDA_DELIVER_THREADS, route, arguments);
}

wvl_cuda_status wvl_cuda_launch_convert(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels,
                                        wvl_cuda_address from, wvl_cuda_address to, uint64_t bytes,
                                        wvl_cuda_route route)
{
    uint64_t count = bytes / 16;
    void *arguments[] = {&from, &to, &count};
    return launch_blocks(runtime, kernels->convert, wvl_ceil_div(count, CONVERT_THREADS), CONVERT_THREADS, route,
                         arguments);
}

wvl_cuda_status wvl_cuda_launch_color(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels,
                                      wvl_cuda_address color, uint32_t block_count, wvl_cuda_route route)
{
    void *arguments[] = {&color};
    return launch_blocks(runtime, kernels->color, block_count, WVL_CUDA_COLOR_THREADS, route, arguments);
}

wvl_cuda_status wvl_cuda_launch_unpack(const wvl_cuda_runtime *runtime, const wvl_cuda_kernels *kernels,
                                       wvl_cuda_address unpack, uint32_t block_count, wvl_cuda_route route)
{
    void *arguments[] = {&unpack};
    return launch_blocks(runtime, kernels->unpack, block_count, WVL_CUDA_UNPACK_THREADS, route, arguments);
}
