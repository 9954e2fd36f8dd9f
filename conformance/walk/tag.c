/* SPDX-License-Identifier: BSD-2-Clause */
#include "tag.h"

unsigned wvl_check_take_bit(wvl_walk_bits *b)
{
    if (b->is_short || b->is_unstuffed) {
        return 0;
    }
    if (!b->left) {
        unsigned before = b->byte;
        if (b->at >= b->end) {
            b->is_short = 1;
            return 0;
        }
        b->byte = b->data[b->at++];
        b->left = before == 0xFF ? 7 : 8;
        if (before == 0xFF && (b->byte & 0x80)) {
            b->is_unstuffed = 1;
            return 0;
        }
    }
    return b->byte >> --b->left & 1;
}

unsigned wvl_check_take_bits(wvl_walk_bits *b, unsigned count)
{
    unsigned value = 0;
    while (count--) {
        value = value << 1 | wvl_check_take_bit(b);
    }
    return value;
}

void wvl_check_tag_measure(wvl_walk_tag_shape *shape, uint32_t cols, uint32_t rows)
{
    uint32_t first = 0;
    shape->levels = 0;
    for (;;) {
        unsigned l = shape->levels++;
        shape->width[l] = cols;
        shape->first[l] = first;
        first += cols * rows;
        if ((cols == 1 && rows == 1) || shape->levels == WVL_WALK_TAG_LEVELS) {
            return;
        }
        cols = (cols + 1) / 2;
        rows = (rows + 1) / 2;
    }
}

uint64_t wvl_check_tag_nodes(uint32_t cols, uint32_t rows)
{
    wvl_walk_tag_shape shape;
    wvl_check_tag_measure(&shape, cols, rows);
    return (uint64_t)shape.first[shape.levels - 1] + 1;
}

uint32_t wvl_check_tag_step(uint32_t node, uint32_t threshold, wvl_walk_bits *b)
{
    while (!(node & 1) && node >> 1 < threshold) {
        node += wvl_check_take_bit(b) ? 1 : 2;
    }
    return node;
}

uint32_t wvl_check_tag_descend(const wvl_walk_tag_shape *shape, uint32_t *nodes, uint32_t col, uint32_t row,
                               uint32_t threshold, wvl_walk_bits *b)
{
    uint32_t low = 0, node = 0;
    for (unsigned l = shape->levels; l-- > 0;) {
        uint32_t *place = &nodes[shape->first[l] + (row >> l) * shape->width[l] + (col >> l)];
        node = *place;
        if (node >> 1 < low) { /* a node is not below its parent */
            node = low << 1;
        }
        node = wvl_check_tag_step(node, threshold, b);
        *place = node;
        low = node >> 1;
    }
    return node;
}
