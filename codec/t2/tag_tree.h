/* SPDX-License-Identifier: BSD-2-Clause */
/* Tag trees (B.10.2): a quad tree of minima over the blocks of one precinct in one band. */
#pragma once

#include "base/look.h"
#include "codec/core/packet_bits.h"

/* Nodes of a tree over cols x rows leaves, all levels; 0 for an empty grid. Leaves come first, in raster order. */
static inline uint64_t wvl_tag_tree_nodes(uint64_t cols, uint64_t rows)
{
    uint64_t n = cols * rows;
    while (cols * rows > 1) {
        cols = (cols + 1) / 2;
        rows = (rows + 1) / 2;
        n += cols * rows;
    }
    return n;
}

/* Leaves hold their values; gives every inner node the minimum of its children and makes nothing known. When the look
 * (may be NULL) is over, the tree is not complete. */
void wvl_tag_tree_build(wvl_tag_node *nodes, uint32_t cols, uint32_t rows, const wvl_look *look);
/* Lowers a leaf's value, and the minima above it, to `value`. Only values that the decoder cannot yet have excluded
 * may be set. */
void wvl_tag_tree_lower(wvl_tag_node *nodes, uint32_t cols, uint32_t rows, uint32_t col, uint32_t row, uint16_t value);
/* Codes whether the leaf's value is less than threshold, as far as the decoder does not know it yet. */
void wvl_tag_tree_put(wvl_tag_node *nodes, uint32_t cols, uint32_t rows, uint32_t col, uint32_t row, uint32_t threshold,
                      wvl_bit_writer *bits);
