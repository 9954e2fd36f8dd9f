/* SPDX-License-Identifier: BSD-2-Clause */
/* The device backend. Names no type of the toolkit. */
#pragma once

#include "backend/backend.h"
#include "cuda/host/driver/runtime_table.h"

extern const wvl_backend_vtable wvl_backend_cuda;

/* For tests. PLAIN_PATH: every level by the any-shape kernels. WHOLE_DOWNLOAD: every workspace is copied to the host,
 * empty ones too. NO_GRAPHS: the kernels of a picture are launched one by one. DIRECT: they write it to where it goes.
 */
enum { WVL_CUDA_PLAIN_PATH = 1, WVL_CUDA_WHOLE_DOWNLOAD = 2, WVL_CUDA_NO_GRAPHS = 4, WVL_CUDA_DIRECT = 8 };

typedef struct wvl_cuda_options {
    int device;                      /* ordinal */
    unsigned tables;                 /* bits: WVL_CUDA_PLAIN_PATH, WVL_CUDA_WHOLE_DOWNLOAD, WVL_CUDA_NO_GRAPHS */
    const wvl_cuda_runtime *runtime; /* NULL: the driver's; must outlive the backend */
    const void *image;               /* NULL: the library's */
} wvl_cuda_options;

/* A backend with a device of its own. The vtable's other entries serve what comes back. */
wvl_status wvl_cuda_open_backend(const wvl_allocator *host, wvl_pool *pool, const wvl_cuda_options *options,
                                 wvl_backend **backend);

/* The function of wvl_backend_vtable.name_kernels. */
wvl_status wvl_cuda_name_kernels(const wvl_plan *plan, const wvl_assembly *assembly, const wvl_tile_plan *tiles,
                                 uint32_t tile_count, wvl_kernel_fn tell, void *user);
