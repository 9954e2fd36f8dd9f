/* SPDX-License-Identifier: BSD-2-Clause */
/* Tag trees of packet headers (B.10.2). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define WVL_WALK_TAG_LEVELS 15u /* 2^13 blocks in each direction at most: precincts of 2^15, blocks of 4 */

/* Bits of a packet header (B.10.1). */
typedef struct wvl_walk_bits {
    const uint8_t *data;
    uint64_t at, end;
    unsigned byte, left;
    int is_short, is_unstuffed; /* either: only 0 comes from now on */
} wvl_walk_bits;

typedef struct wvl_walk_tag_shape {
    unsigned levels;
    uint32_t width[WVL_WALK_TAG_LEVELS];
    uint32_t first[WVL_WALK_TAG_LEVELS]; /* node of level l at column 0, row 0; level 0: leaves */
} wvl_walk_tag_shape;

unsigned wvl_check_take_bit(wvl_walk_bits *b);
unsigned wvl_check_take_bits(wvl_walk_bits *b, unsigned count); /* 32 at most */

uint64_t wvl_check_tag_nodes(uint32_t cols, uint32_t rows);
void wvl_check_tag_measure(wvl_walk_tag_shape *shape, uint32_t cols, uint32_t rows);
/* A node is twice its lower bound, plus 1 when that is its value. Reads until it is known whether the value is below
 * the threshold. */
uint32_t wvl_check_tag_step(uint32_t node, uint32_t threshold, wvl_walk_bits *b);
/* The same from the root to a leaf; returns the leaf's node. */
uint32_t wvl_check_tag_descend(const wvl_walk_tag_shape *shape, uint32_t *nodes, uint32_t col, uint32_t row,
                               uint32_t threshold, wvl_walk_bits *b);
