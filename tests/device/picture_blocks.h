/* SPDX-License-Identifier: BSD-2-Clause */
/* A picture's blocks of coefficients, by the CPU's transform: the start of block coders that are measured. */
#ifndef WVL_TESTS_PICTURE_BLOCKS_H
#define WVL_TESTS_PICTURE_BLOCKS_H

#include "base/trace.h"
#include "codec/core/block.h"
#include "tests/decode/picture.h"

/* Lossless 5/3, RCT, 5 levels; three components. The coefs of blocks point into samples. */
typedef struct picture_blocks {
    wvl_block_input *blocks;
    uint32_t count;
    uint8_t *samples;
    uint64_t sample_bytes;
} picture_blocks;

/* Blocks of side x side. 0: a call failed. */
int picture_blocks_fetch(picture_blocks *to, const picture *p, uint32_t side);
void picture_blocks_clear(picture_blocks *blocks);

#endif
