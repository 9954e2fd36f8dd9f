/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated C functions, listed as the kernels are. */
#include "schemes_c.h"

#include <schemes_generated.c> /* made with the suite */

#include <stdlib.h>

enum { TILE_WIDTH = 16, TILE_HEIGHT = 12 };

uint32_t wvl_lab_c_count(void) { return lab_scheme_count; }

wvl_lab_kernel wvl_lab_c_find(uint32_t index)
{
    const lab_scheme *s = &lab_schemes[index];
    return (wvl_lab_kernel){.name = s->name,
                            .wavelet = s->wavelet,
                            .scheme = s->scheme,
                            .is_inverse = s->is_inverse,
                            .type = s->is_integer ? WVL_LAB_I32 : WVL_LAB_F32,
                            .tile_width = TILE_WIDTH,
                            .tile_height = TILE_HEIGHT,
                            .tiles = 1,
                            .levels = 1};
}

void wvl_lab_c_run(uint32_t index, const void *from, void *to, int width, int height)
{
    const lab_scheme *s = &lab_schemes[index];
    lab_picture p = {.width = width, .height = height};
    for (int c = 0; c < 4; c++) {
        const int first = (c >> 1) * width + (c & 1);
        p.in[c] = (lab_view){(float *)from + first, 2 * width, 2};
        p.out[c] = (lab_view){(float *)to + first, 2 * width, 2};
    }
    void *scratch = calloc(1, lab_scratch_bytes(s, TILE_WIDTH, TILE_HEIGHT));
    if (!scratch) {
        abort();
    }
    for (int y = 0; 2 * y < height; y += TILE_HEIGHT) {
        for (int x = 0; 2 * x < width; x += TILE_WIDTH) {
            lab_run(s, &p, x, y, TILE_WIDTH, TILE_HEIGHT, scratch);
        }
    }
    free(scratch);
}
