/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated kernels of the transform laboratory, run on the CPU. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum wvl_lab_type { WVL_LAB_F32, WVL_LAB_F16X2, WVL_LAB_I32 } wvl_lab_type;

typedef struct wvl_lab_kernel {
    const char *name, *wavelet, *scheme;
    int is_inverse;
    wvl_lab_type type;
    uint32_t threads;
    int tile_width, tile_height; /* quads */
    int tiles;                   /* of a thread block, side by side */
    uint32_t shared_bytes;
    int is_memoryless;
    int levels;
} wvl_lab_kernel;

uint32_t wvl_lab_count(void);
const wvl_lab_kernel *wvl_lab_find(uint32_t index);

/* The levels of the kernel, of a width x height picture. Values are float or int32_t, as the kernel's type says; half
 * floats are made of floats, rounded, and widened again. Pixels: rows of `width`. Bands: interleaved, as the pixels lie
 * (LL at even rows and columns; bands of the next level there in the same way). reversed: the last thread goes first.
 */
void wvl_lab_run(uint32_t index, const void *from, void *to, int width, int height, int reversed);

#ifdef __cplusplus
}
#endif
