/* SPDX-License-Identifier: BSD-2-Clause */
/* Pixels on their way to the device: what of a picture the host copies, and what the device reads where it lies. */
#pragma once

#include "backend/backend.h"
#include "cuda/core/pixels.h"
#include "cuda/host/driver/runtime_table.h"

/* Bounding rectangle of the component over the tiles of a job; tiles without samples in it do not count. */
wvl_rect wvl_cuda_fetch_rect(const wvl_tile_plan *tiles, uint32_t tile_count, uint32_t component);
/* Samples of the picture beside the device: what of it a job needs, as it lies there or repacked by component into the
 * smallest container (cuda/host/transform/staging.c). Upper bound for pictures in any container. */
uint64_t wvl_cuda_measure_staging(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count);

typedef struct wvl_cuda_staging {
    int lies_on_device; /* the picture: nothing is staged */
    uint8_t *memory;    /* pinned; NULL: take gives it when the host copies the first rows */
    wvl_cuda_status (*take)(void *user, uint8_t **memory);
    void *user;
    uint64_t address;        /* of its copy on the device */
    wvl_cuda_pixels *pixels; /* [component_count], as seen from the device: filled */
    wvl_cuda_copy
        *copies;         /* [component_count], for pixels in pinned memory that need no host copy; NULL: none wanted */
    uint32_t copy_count; /* filled */
    int keeps_packed;    /* packed samples are uploaded as they are, if that takes no more memory */
    const wvl_cuda_runtime *runtime; /* what is staged goes up piece by piece, in this stream */
    wvl_cuda_stream stream;
    wvl_cuda_event begun;     /* recorded before the first of them; NULL: not traced */
    uint64_t sent_bytes;      /* filled: from the beginning of memory on */
    wvl_cuda_status status;   /* filled: of the uploads */
    _Atomic uint32_t outside; /* filled: nonzero when a repacked sample was outside its depth */
} wvl_cuda_staging;
/* Pixels that the host has to read are copied to memory, and sent to address while more of them are copied. */
void wvl_cuda_build_staging(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count,
                            const wvl_image *image, wvl_pool *pool, wvl_cuda_staging *staging);
