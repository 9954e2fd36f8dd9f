/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Context modelling of EBCOT blocks on devices against codec/t1. Its own device code runs twice: compiled for the CPU
 * (emulate.h), in both orders of threads, and on a device if there is one and the build has device code. Device memory
 * is filled with poison first. WVL_CUDA_SUBSET runs a few blocks (for slow checkers).
 */

#include "base/intmath.h"
#include "emulated_suite.h"
#include "geom/plan.h"
#include "t1_blocks.h"

static uint64_t seed;
static uint32_t draw(void) { return (uint32_t)(test_draw(&seed) >> 32); }
static uint32_t between(uint32_t low, uint32_t high) { return low + draw() % (high - low + 1); }

/* What the samples of a block are. */
enum { NOISE, ZERO, TOP, SPARSE, SMALL, CHECKERS, ONE_SAMPLE, RAMP, NATURAL, COLUMNS, KINDS };

static uint32_t draw_magnitude(unsigned kind, unsigned planes, uint32_t x, uint32_t y)
{
    uint32_t top = planes < 32 ? (1u << planes) - 1 : UINT32_MAX, any = (draw() << 8 ^ draw()) & top;
    switch (kind) {
    case NOISE: return any;
    case TOP: return top;
    case SPARSE: return draw() % 64 ? 0 : any;
    case SMALL: return draw() % 3 < 1;
    case CHECKERS: return (x ^ y) & 1 ? top : 0;
    case ONE_SAMPLE: return x + y ? 0 : top;
    case RAMP: return any >> draw() % planes;
    case NATURAL: return any >> (planes - 1) * ((x / 9 + y / 7) % 5) / 5 >> draw() % 3;
    case COLUMNS: return x % 5 || y % 4 != x / 5 % 4 ? 0 : any;
    default: return 0;
    }
}

static void add_block(t1_list *list, uint32_t width, uint32_t height, unsigned coef_bytes, unsigned kind,
                      unsigned style)
{
    unsigned most = coef_bytes == 2 ? 15 : 31, planes = between(1, draw() & 1 ? most : 9);
    uint32_t stride = draw() & 1 ? (width + 7) & ~7u : width + between(0, 9);
    wvl_cuda_ht_block *samples;
    wvl_cuda_t1_block *b =
        t1_list_add(list, width, height, stride, coef_bytes, draw() & 1 ? 0 : between(0, 9), &samples);
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            ht_list_put(&list->samples, samples, x, y, draw_magnitude(kind, planes, x, y), draw() & 1);
        }
    }
    b->orient = (uint8_t)(draw() % 4);
    b->style = (uint8_t)style;
    b->frac_bits = (uint8_t)(draw() & 1 ? 0 : between(0, planes - 1));
    b->max_passes = (uint8_t)(draw() % 4 ? 255 : between(0, 3 * planes));
    b->reversible = (uint8_t)(draw() & 1);
    /* The bound may be larger, but not in samples that do not exist: empty planes on top. */
    t1_list_seal(list, b, draw() % 8 ? 0 : draw() & ((1u << most) - 1));
}

static void check_list(t1_list *list)
{
    for (unsigned i = 0; i < device_count; i++) {
        for (int reversed = 0; reversed < (devices[i].runtime == &emulated_runtime ? 2 : 1); reversed++) {
            uint32_t left;
            wvl_emulate_reversed(reversed);
            t1_wish wish = {.scratch_share = 1000, .gains = 1};
            REQUIRE_THAT(!t1_check_lists(&devices[i], list, wish, &left), "device %u, order %d", i, reversed);
            REQUIRE_THAT(!left, "%u blocks are left with all memory", left);
        }
    }
    t1_list_clear(list);
}

EMULATED_SUITE("wvl_t1_open");

/* Every nominal shape, every kind of samples. */
TEST(shapes)
{
    seed = 1;
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

/* Widths 1 to 67 and the extremes, at heights of all remainders. */
TEST(borders)
{
    static const uint32_t extremes[] = {127, 128, 129, 255, 511, 513, 1021, 1022, 1023, 1024};
    seed = 2;
    for (unsigned turn = 0; turn < 4; turn++) {
        t1_list list = {0};
        for (uint32_t k = 1; k <= 67 + sizeof extremes / sizeof *extremes; k += subset ? 7 : 1) {
            uint32_t width = k <= 67 ? k : extremes[k - 68], most = 4096u >> wvl_bit_length(width - 1),
                     height = between(1, most < 1024 ? most : 1024);
            height = draw() & 1 && height > 9 ? between(1, 9) : height;
            int turned = turn & 1;
            add_block(&list, turned ? height : width, turned ? width : height, turn & 2 ? 4 : 2, draw() % KINDS,
                      draw() % 64);
        }
        check_list(&list);
    }
}

/* All 64 styles in all three classes. */
TEST(styles)
{
    static const uint32_t sides[][2] = {{64, 64}, {37, 50}, {32, 32}, {17, 9}, {128, 32}, {5, 260}};
    seed = 3;
    for (unsigned i = 0; i < sizeof sides / sizeof *sides; i++) {
        t1_list list = {0};
        for (unsigned style = 0; style < 64; style += subset ? 9 : 1) {
            add_block(&list, sides[i][0], sides[i][1], style % 3 ? 2 : 4, style % 5 ? NATURAL : draw() % KINDS, style);
        }
        check_list(&list);
    }
}

/* Blocks of the sizes that matter, many of them. */
TEST(natural)
{
    seed = 4;
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
    seed = 5;
    t1_list list = {0};
    for (unsigned k = 0; k < (subset ? 8 : 32); k++) {
        add_block(&list, between(1, 64), between(1, 64), k % 4 ? 2 : 4, k & 1 ? NOISE : draw() % KINDS, 0);
    }
    for (unsigned i = 0; i < device_count; i++) {
        for (unsigned k = 0; k < sizeof shares / sizeof *shares; k++) {
            uint32_t left = 0;
            t1_wish wish = {.scratch_share = shares[k], .gains = k & 1};
            REQUIRE_THAT(!t1_check_lists(&devices[i], &list, wish, &left), "device %u, share %u", i, k);
            REQUIRE_THAT(left, "device %u, share %u: no block is left", i, k);
        }
    }
    t1_list_clear(&list);
}

/* Blocks with more planes than the plan proved are left, and counted. */
TEST(unbounded)
{
    seed = 6;
    t1_list list = {0};
    for (unsigned k = 0; k < 12; k++) {
        add_block(&list, between(1, 64), between(1, 64), k % 4 ? 2 : 4, TOP, 0);
        list.blocks[k].planes -= k % 3 == 0;
    }
    for (unsigned i = 0; i < device_count; i++) {
        uint32_t left = 0;
        t1_wish wish = {.scratch_share = 1000, .gains = 1};
        REQUIRE_THAT(!t1_check_lists(&devices[i], &list, wish, &left), "device %u", i);
        REQUIRE_THAT(left == 4, "device %u: %u blocks are left", i, left);
    }
    t1_list_clear(&list);
}

TEST_MAIN("cuda_t1")
