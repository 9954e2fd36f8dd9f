/* SPDX-License-Identifier: BSD-2-Clause */
/* The device backend. Names no type of the toolkit. */
#ifndef WVL_CUDA_BACKEND_CUDA_H
#define WVL_CUDA_BACKEND_CUDA_H

#include <stdatomic.h>

#include "backend/backend.h"
#include "cuda/launch.h"
#include "cuda/tables.h"

extern const wvl_backend_vtable wvl_backend_cuda;

/* Beside WVL_CUDA_PLAIN_PATH: every slot is copied to the host, empty ones too. */
#define WVL_CUDA_WHOLE_DOWNLOAD 2u

typedef struct wvl_cuda_options {
    int device;                    /* ordinal */
    unsigned tables;               /* WVL_CUDA_PLAIN_PATH, WVL_CUDA_WHOLE_DOWNLOAD */
    const wvl_cuda_runtime *runtime; /* NULL: the driver's; must outlive the backend */
    const void *image;             /* NULL: the library's */
} wvl_cuda_options;

/* A backend with a device of its own. The vtable's other entries serve what comes back. */
wvl_status wvl_cuda_open_backend(const wvl_allocator *host, wvl_pool *pool, const wvl_cuda_options *options, wvl_backend **backend);

#define WVL_CUDA_ROW_ROOM 64u     /* containers before the first sample, so that rows keep their alignment to the absolute grid */

/* Bounding rectangle of the component over the tiles of a job; tiles without samples in it do not count. */
wvl_rect wvl_cuda_fetch_rect(const wvl_tile_plan *tiles, uint32_t tile_count, uint32_t component);
/* Samples of that rectangle in containers of so many bytes, with room before and after the rows. */
uint64_t wvl_cuda_measure_plane(wvl_rect rect, uint32_t container_bytes);
/* Samples of the picture beside the device: what of it a job needs, as it lies there or repacked by component into the smallest container
 * (cuda/staging.c). Upper bound for pictures in any container. */
uint64_t wvl_cuda_measure_staging(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count);

typedef struct wvl_cuda_staging {
    uint8_t *memory;               /* pinned; NULL: the picture lies on the device */
    uint64_t address;              /* of its copy on the device */
    wvl_cuda_pixels *pixels;       /* [component_count], as seen from the device: filled */
    wvl_cuda_copy *copies;         /* [component_count], for pixels in pinned memory that need no host copy; NULL: none wanted */
    uint32_t copy_count;           /* filled */
    const wvl_cuda_runtime *runtime; /* what is staged goes up piece by piece, in this stream */
    wvl_cuda_stream stream;
    wvl_cuda_event begun;          /* recorded before the first of them; NULL: not traced */
    uint64_t sent_bytes;           /* filled: from the beginning of memory on */
    wvl_cuda_status status;        /* filled: of the uploads */
    _Atomic uint32_t outside;      /* filled: nonzero when a repacked sample was outside its depth */
} wvl_cuda_staging;
/* Pixels that the host has to read are copied to memory, and sent to address while more of them are copied. */
void wvl_cuda_build_staging(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, const wvl_image *image, wvl_pool *pool,
                            wvl_cuda_staging *staging);

#endif
