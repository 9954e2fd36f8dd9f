/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Context modelling of EBCOT blocks on devices against codec/t1. Its own device code runs twice: compiled for the CPU
 * (emulate.h), in both orders of threads, and on a device if there is one and the build has device code. Device memory
 * is filled with poison first. WVL_CUDA_SUBSET runs a few blocks (for slow checkers).
 */

#include "sample_kinds.h"
#include "t1_blocks.h"

static void add_block(t1_list *list, uint32_t width, uint32_t height, unsigned coef_bytes, unsigned kind,
                      unsigned style)
{
    unsigned most = coef_bytes == 2 ? 15 : 31, planes = between(1, draw() & 1 ? most : 9);
    wvl_cuda_ht_block *samples;
    wvl_cuda_t1_block *b =
        t1_list_add(list, width, height, draw_stride(width), coef_bytes, draw() & 1 ? 0 : between(0, 9), &samples);
    fill_block(&list->samples, samples, kind, planes);
    b->orient = (uint8_t)(below(4));
    b->style = (uint8_t)style;
    b->frac_bits = (uint8_t)(draw() & 1 ? 0 : between(0, planes - 1));
    b->max_passes = (uint8_t)(below(4) ? 255 : between(0, 3 * planes));
    b->reversible = (uint8_t)(draw() & 1);
    /* The bound may be larger, but not in samples that do not exist: empty planes on top. */
    t1_list_seal(list, b, below(8) ? 0 : draw() & ((1u << most) - 1));
}

/* left: blocks that find no memory, or UINT32_MAX: any, but some. */
static void check_with(t1_list *list, t1_wish wish, uint32_t left)
{
    const ht_device *d;
    EACH_DEVICE(d)
    {
        uint32_t got;
        REQUIRE_THAT(!t1_check_lists(d, list, wish, &got), "device %d, share %u", (int)(d - devices),
                     wish.scratch_share);
        REQUIRE_THAT(left == UINT32_MAX ? got != 0 : got == left, "device %d: %u blocks are left", (int)(d - devices),
                     got);
    }
}

static void check_list(t1_list *list)
{
    check_with(list, (t1_wish){.scratch_share = 1000, .gains = 1}, 0);
    t1_list_clear(list);
}

EMULATED_SUITE("wvl_t1_open");

/* Every nominal shape, every kind of samples. */
TEST(shapes)
{
    seed_suite(1);
    for (unsigned xcb = 2; xcb <= 10; xcb++) {
        t1_list list = {0};
        for (unsigned ycb = 2; ycb <= 10 && xcb + ycb <= 12; ycb++) {
            for (unsigned kind = 0; kind < KINDS; kind += subset ? 5 : 1) {
                add_block(&list, 1u << xcb, 1u << ycb, draw() & 1 ? 2 : 4, kind, 0);
            }
        }
        check_list(&list);
    }
}

TEST(borders)
{
    seed_suite(2);
    for (unsigned turn = 0; turn < 4; turn++) {
        t1_list list = {0};
        for (uint32_t k = 1, width, height; k <= BORDER_SHAPES; k += subset ? 7 : 1) {
            draw_border(k, turn & 1, &width, &height);
            add_block(&list, width, height, turn & 2 ? 4 : 2, below(KINDS), below(64));
        }
        check_list(&list);
    }
}

/* All 64 styles in all three classes. */
TEST(styles)
{
    static const uint32_t sides[][2] = {{64, 64}, {37, 50}, {32, 32}, {17, 9}, {128, 32}, {5, 260}};
    seed_suite(3);
    for (unsigned i = 0; i < sizeof sides / sizeof *sides; i++) {
        t1_list list = {0};
        for (unsigned style = 0; style < 64; style += subset ? 9 : 1) {
            add_block(&list, sides[i][0], sides[i][1], style % 3 ? 2 : 4, style % 5 ? NATURAL : below(KINDS), style);
        }
        check_list(&list);
    }
}

/* Blocks of the sizes that matter, many of them. */
TEST(natural)
{
    seed_suite(4);
    t1_list list = {0};
    for (unsigned k = 0; k < (subset ? 4 : 60); k++) {
        uint32_t side = k % 2 ? 64 : 32;
        add_block(&list, side, side, 2, k % 3 ? NATURAL : NOISE, draw() & 1 ? 0 : WVL_STYLE_VSC | WVL_STYLE_SEGSYM);
    }
    check_list(&list);
}

/* Too little scratch memory: some blocks are left, nothing is written elsewhere, and the others are right. */
TEST(short_memory)
{
    static const unsigned shares[] = {0, 30, 100, 250, 400};
    seed_suite(5);
    t1_list list = {0};
    for (unsigned k = 0; k < (subset ? 8 : 32); k++) {
        add_block(&list, between(1, 64), between(1, 64), k % 4 ? 2 : 4, k & 1 ? NOISE : below(KINDS), 0);
    }
    for (unsigned k = 0; k < sizeof shares / sizeof *shares; k++) {
        check_with(&list, (t1_wish){.scratch_share = shares[k], .gains = k & 1}, UINT32_MAX);
    }
    t1_list_clear(&list);
}

/* Blocks with more planes than the plan proved are left, and counted. */
TEST(unbounded)
{
    seed_suite(6);
    t1_list list = {0};
    for (unsigned k = 0; k < 12; k++) {
        add_block(&list, between(1, 64), between(1, 64), k % 4 ? 2 : 4, TOP, 0);
        list.blocks[k].planes -= k % 3 == 0;
    }
    check_with(&list, (t1_wish){.scratch_share = 1000, .gains = 1}, 4);
    t1_list_clear(&list);
}

TEST_MAIN("cuda_t1")
