/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/t2/tag_tree.h"

#define MAX_DEPTH 33 /* 2^32 leaves along an axis, and the root */

static void make_unknown(wvl_tag_node *node)
{
    node->low = 0;
    node->known = 0;
}

/* 0: the look is over. */
static int build_level(wvl_tag_node *child, uint32_t cols, uint32_t rows, wvl_tag_node *parent, const wvl_look *look)
{
    uint32_t pcols = (cols + 1) / 2;
    for (uint32_t y = 0; y < rows; y++) {
        for (uint32_t x = 0; x < cols; x++) {
            wvl_tag_node *p = &parent[(uint64_t)(y / 2) * pcols + x / 2];
            uint16_t v = child[(uint64_t)y * cols + x].value;
            if ((!(x & 1) && !(y & 1)) || v < p->value) {
                p->value = v;
            }
            make_unknown(&child[(uint64_t)y * cols + x]);
        }
        if (wvl_look_after(look, WVL_LOOK_LIST, cols)) {
            return 0;
        }
    }
    return 1;
}

void wvl_tag_tree_build(wvl_tag_node *nodes, uint32_t cols, uint32_t rows, const wvl_look *look)
{
    if (!cols || !rows) {
        return;
    }
    while ((uint64_t)cols * rows > 1) {
        wvl_tag_node *parent = nodes + (uint64_t)cols * rows;
        if (!build_level(nodes, cols, rows, parent, look)) {
            return;
        }
        nodes = parent;
        cols = (cols + 1) / 2;
        rows = (rows + 1) / 2;
    }
    make_unknown(nodes);
}

/* A level of a tree, and a node in it. */
typedef struct tag_place {
    wvl_tag_node *nodes;
    uint32_t cols, rows, col, row;
} tag_place;

static wvl_tag_node *node_at(const tag_place *p) { return &p->nodes[(uint64_t)p->row * p->cols + p->col]; }

/* To the parent; 0: it was the root. */
static int climb(tag_place *p)
{
    if ((uint64_t)p->cols * p->rows <= 1) {
        return 0;
    }
    *p = (tag_place){p->nodes + (uint64_t)p->cols * p->rows, (p->cols + 1) / 2, (p->rows + 1) / 2, p->col / 2,
                     p->row / 2};
    return 1;
}

void wvl_tag_tree_lower(wvl_tag_node *nodes, uint32_t cols, uint32_t rows, uint32_t col, uint32_t row, uint16_t value)
{
    tag_place p = {nodes, cols, rows, col, row};
    do {
        if (node_at(&p)->value <= value) {
            return; /* and so is everything above */
        }
        node_at(&p)->value = value;
    } while (climb(&p));
}

/* The path begins below the first node, from the leaf on, that has said all for this threshold: those above it have
 * said as much before. */
void wvl_tag_tree_put(wvl_tag_node *nodes, uint32_t cols, uint32_t rows, uint32_t col, uint32_t row, uint32_t threshold,
                      wvl_bit_writer *bits)
{
    wvl_tag_node *path[MAX_DEPTH];
    tag_place p = {nodes, cols, rows, col, row};
    unsigned depth = 0;
    uint32_t low = 0;
    do {
        wvl_tag_node *node = node_at(&p);
        if (node->known || node->low >= threshold) {
            low = node->low;
            break;
        }
        path[depth++] = node;
    } while (climb(&p));
    while (depth--) {
        low = wvl_bits_put_tag(bits, path[depth], low, threshold);
    }
}
