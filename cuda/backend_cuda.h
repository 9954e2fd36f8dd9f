/* SPDX-License-Identifier: BSD-2-Clause */
/* The device backend. Names no type of the toolkit. */
#ifndef WVL_CUDA_BACKEND_CUDA_H
#define WVL_CUDA_BACKEND_CUDA_H

#include "backend/backend.h"
#include "cuda/launch.h"
#include "cuda/tables.h"

/* open: device 0. WVL_ERROR_DEVICE where there is none; WVL_ERROR_UNSUPPORTED in a build without device code. */
extern const wvl_backend_vtable wvl_backend_cuda;

typedef struct wvl_cuda_options {
    int device;                    /* ordinal */
    unsigned tables;               /* WVL_CUDA_PLAIN_PATH */
    const wvl_cuda_runtime *runtime; /* NULL: the driver's; must outlive the backend */
    const void *image;             /* NULL: the library's */
} wvl_cuda_options;

/* The same with a choice. The vtable's other entries serve what comes back. */
wvl_status wvl_cuda_open_backend(const wvl_allocator *host, wvl_pool *pool, const wvl_cuda_options *options, wvl_backend **backend);

/* Samples of the picture beside the device: what of it a job needs, as it lies there or repacked by component (cuda/staging.c). */
uint64_t wvl_cuda_measure_staging(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count);
/* Copies to `memory` (NULL: only the addresses, of a picture on the device) and describes each component as seen from the device, where
 * the copy will lie at `address`. Returns the bytes used. */
uint64_t wvl_cuda_build_staging(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, const wvl_image *image, wvl_pool *pool,
                                uint8_t *memory, uint64_t address, wvl_cuda_pixels *pixels);

#endif
