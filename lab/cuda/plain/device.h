/* SPDX-License-Identifier: BSD-2-Clause */
/* The device of one object of wavelane_dwt.h: its primary context, the library's image, a stream of the caller. */
#pragma once

#include "cuda/host/driver/runtime_table.h"
#include "lab/cuda/plain/args.h"
#include "lab/on_device.h"

struct wvl_plain_device {
    wvl_allocator host;
    int has_host, has_context, handle;
    wvl_cuda_runtime runtime;
    wvl_cuda_context context;
    wvl_cuda_module module;
    wvl_cuda_function functions[WVL_PLAIN_KERNEL_COUNT];
    wvl_cuda_stream stream;
    wvl_cuda_status failed; /* the first failure since enter */
};

/* The compiled kernels: NULL in a build without device code. */
const void *wvl_plain_fetch_image(void);

/* Queues a launch of `blocks` thread blocks; failures are kept for leave. args: what the kernel takes. */
void wvl_plain_launch(wvl_plain_device *device, wvl_plain_kernel kernel, uint64_t blocks, uint32_t threads,
                      uint32_t shared_bytes, const void *args);
