/* SPDX-License-Identifier: BSD-2-Clause */
/* A picture's blocks of coefficients, by the CPU's transform: what the programs that measure block coders start from.
 */
#ifndef WVL_TESTS_PICTURE_BLOCKS_H
#define WVL_TESTS_PICTURE_BLOCKS_H

#include "codec/core/block.h"

typedef struct pixels {
    uint32_t width, height, depth;
    uint8_t *data; /* RGB; 16 bits in the machine's order */
} pixels;

/* A binary PPM of 8 bits. 0: it cannot be read. */
int pixels_read(const char *name, pixels *p);

/* Lossless 5/3, RCT, 5 levels. The coefs of blocks point into samples. */
typedef struct picture_blocks {
    wvl_block_input *blocks;
    uint32_t count;
    uint8_t *samples;
    uint64_t sample_bytes;
} picture_blocks;

/* Blocks of side x side. 0: a call failed. */
int picture_blocks_fetch(picture_blocks *to, const pixels *p, uint32_t side);
void picture_blocks_clear(picture_blocks *blocks);

#endif
