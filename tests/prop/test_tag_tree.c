/* SPDX-License-Identifier: BSD-2-Clause */
/* Tag trees against the reader of the walker: what the decoder learns is exactly what was said. */

#include "codec/t2/tag_tree.h"
#include "conformance/walk/tag.h"
#include "tests/decode/picture.h"
#include "tests/support/support.h"

#define MOST_BYTES (1u << 20)

static uint8_t bytes[MOST_BYTES];

/* The worked example of B.10.2 (Figure B.12): a 6 x 3 field of values. */
TEST(example_of_the_standard)
{
    static const uint16_t values[18] = {1, 3, 2, 3, 2, 3, 2, 2, 1, 4, 3, 2, 2, 2, 2, 2, 1, 2};
    static const char expected[] = "01111"
                                   "001"
                                   "101"; /* q3(0,0), q3(1,0), q3(2,0) */
    wvl_tag_node nodes[64];
    wvl_bit_writer w;
    wvl_walk_bits r = {.data = bytes, .end = sizeof bytes};
    memset(nodes, 0, sizeof nodes);
    ck_assert_uint_eq(wvl_tag_tree_nodes(6, 3), 18 + 6 + 2 + 1);
    for (unsigned i = 0; i < 18; i++) {
        nodes[i].value = values[i];
    }
    wvl_tag_tree_build(nodes, 6, 3, NULL);
    wvl_bits_open(&w, bytes);
    for (uint32_t col = 0; col < 3; col++) {
        for (uint32_t threshold = 1; threshold <= values[col] + 1u; threshold++) {
            wvl_tag_tree_put(nodes, 6, 3, col, 0, threshold, &w);
        }
    }
    (void)wvl_bits_close(&w);
    for (const char *p = expected; *p; p++) {
        ck_assert_msg(wvl_check_take_bit(&r) == (unsigned)(*p - '0'), "bit %td", p - expected);
    }
}

/* Values asked for with rising thresholds, as inclusion is: leaf by leaf, layer by layer. */
static void check_layers(uint32_t cols, uint32_t rows, uint32_t most, uint32_t *state)
{
    uint64_t count = wvl_tag_tree_nodes(cols, rows);
    wvl_tag_node *nodes = calloc((size_t)count, sizeof *nodes);
    wvl_walk_tag_shape shape;
    wvl_check_tag_measure(&shape, cols, rows);
    OWNED uint32_t *read = calloc((size_t)wvl_check_tag_nodes(cols, rows), sizeof *read);
    wvl_bit_writer w;
    wvl_walk_bits r = {.data = bytes, .end = sizeof bytes};
    ck_assert_ptr_nonnull(nodes);
    for (uint32_t i = 0; i < cols * rows; i++) {
        nodes[i].value = (uint16_t)picture_between(state, 0, most);
    }
    wvl_tag_tree_build(nodes, cols, rows, NULL);
    wvl_bits_open(&w, bytes);
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t threshold = 1; threshold <= most;
             threshold += 1 + (threshold & 1)) { /* every other one is skipped */
            for (uint32_t i = 0; i < cols * rows; i++) {
                if (!pass) {
                    wvl_tag_tree_put(nodes, cols, rows, i % cols, i / cols, threshold, &w);
                } else {
                    uint32_t leaf = wvl_check_tag_descend(&shape, read, i % cols, i / cols, threshold, &r);
                    if ((leaf >> 1 < threshold) !=
                        (nodes[i].value <
                         threshold)) { /* Check reports assertions that hold, too; there are millions here */
                        ck_abort_msg("%ux%u, leaf %u, value %u, threshold %u", cols, rows, i, nodes[i].value,
                                     threshold);
                    }
                }
            }
        }
        if (!pass) {
            uint64_t written = wvl_bits_close(&w);
            ck_assert_uint_lt(written, MOST_BYTES);
            ck_assert_msg(!written || bytes[written - 1] != 0xFF, "the bits end in 0xFF");
        }
    }
    ck_assert_msg(r.at <= w.count && r.at + 2 >= w.count, "%llu bytes read of %llu", (unsigned long long)r.at,
                  (unsigned long long)w.count);
    free(nodes);
}

TEST_EACH(random_trees, 17 * 17)
{
    uint32_t state = 7 + (uint32_t)_i;
    check_layers(1 + (uint32_t)_i % 17, 1 + (uint32_t)_i / 17, picture_between(&state, 1, 12), &state);
    check_layers(picture_between(&state, 1, 70), picture_between(&state, 1, 70), picture_between(&state, 1, 40),
                 &state);
    check_layers(picture_between(&state, 1, 3), picture_between(&state, 1, 900), 3, &state);
}

/* Lowering what the decoder cannot have excluded yet gives the same bits as a tree built with the values from the
 * start. */
TEST_EACH(lowered_as_built, 200)
{
    uint32_t state = (uint32_t)_i, cols = picture_between(&state, 1, 9), rows = picture_between(&state, 1, 9),
             layers = 6;
    uint64_t count = wvl_tag_tree_nodes(cols, rows);
    wvl_tag_node built[256], lowered[256];
    uint16_t values[81];
    static uint8_t second[4096];
    wvl_bit_writer a, b;
    ck_assert_uint_le(count, 256);
    memset(built, 0, sizeof built);
    memset(lowered, 0, sizeof lowered);
    for (uint32_t i = 0; i < cols * rows; i++) {
        values[i] = (uint16_t)picture_between(&state, 0, layers);
        built[i].value = values[i] == layers ? 65535 : values[i];
        lowered[i].value = 65535;
    }
    wvl_tag_tree_build(built, cols, rows, NULL);
    wvl_tag_tree_build(lowered, cols, rows, NULL);
    wvl_bits_open(&a, bytes);
    wvl_bits_open(&b, second);
    for (uint32_t layer = 0; layer < layers; layer++) {
        for (uint32_t i = 0; i < cols * rows; i++) {
            if (values[i] == layer) {
                wvl_tag_tree_lower(lowered, cols, rows, i % cols, i / cols, (uint16_t)layer);
            }
        }
        for (uint32_t i = 0; i < cols * rows; i++) {
            wvl_tag_tree_put(built, cols, rows, i % cols, i / cols, layer + 1, &a);
            wvl_tag_tree_put(lowered, cols, rows, i % cols, i / cols, layer + 1, &b);
        }
    }
    ck_assert_uint_eq(wvl_bits_close(&a), wvl_bits_close(&b));
    ck_assert_mem_eq(bytes, second, (size_t)a.count);
}

TEST_MAIN("tag trees")
