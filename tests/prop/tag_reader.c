/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/prop/tag_reader.h"

#include <stdlib.h>

static void *need(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        abort();
    }
    return memory;
}

typedef struct tag_level {
    uint32_t cols, rows;
    uint32_t *least; /* proved lower bound of the node's value */
    uint8_t *exact;
} tag_level;

struct tag_reader {
    unsigned depth;
    tag_level level[34]; /* 0: leaves */
};

tag_reader *tag_reader_create(uint32_t cols, uint32_t rows)
{
    tag_reader *tree = need(1, sizeof *tree);
    for (;;) {
        tag_level *l = &tree->level[tree->depth++];
        *l = (tag_level){cols, rows, need((size_t)cols * rows, sizeof *l->least), need((size_t)cols * rows, 1)};
        if (cols <= 1 && rows <= 1) {
            return tree;
        }
        cols = cols / 2 + cols % 2;
        rows = rows / 2 + rows % 2;
    }
}

void tag_reader_free(tag_reader *tree)
{
    for (unsigned i = 0; tree && i < tree->depth; i++) {
        free(tree->level[i].least);
        free(tree->level[i].exact);
    }
    free(tree);
}

/* Reads the node of a level that covers the leaf, after its ancestors. */
static void refine(tag_reader *tree, unsigned level, uint32_t col, uint32_t row, uint32_t threshold,
                   unsigned (*bit)(void *), void *user)
{
    tag_level *l = &tree->level[level];
    size_t i = (size_t)(row >> level) * l->cols + (col >> level);
    if (level + 1 < tree->depth) {
        const tag_level *up = &tree->level[level + 1];
        refine(tree, level + 1, col, row, threshold, bit, user);
        uint32_t above = up->least[(size_t)(row >> (level + 1)) * up->cols + (col >> (level + 1))];
        l->least[i] = l->least[i] < above ? above : l->least[i];
    }
    while (!l->exact[i] && l->least[i] < threshold) {
        if (bit(user)) {
            l->exact[i] = 1;
        } else {
            l->least[i]++;
        }
    }
}

int tag_reader_below(tag_reader *tree, uint32_t col, uint32_t row, uint32_t threshold, unsigned (*bit)(void *),
                     void *user)
{
    refine(tree, 0, col, row, threshold, bit, user);
    size_t i = (size_t)row * tree->level[0].cols + col;
    return tree->level[0].exact[i] && tree->level[0].least[i] < threshold;
}
