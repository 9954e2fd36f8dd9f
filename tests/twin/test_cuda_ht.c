/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The HT block coder of devices against codec/ht, byte by byte and pass by pass. Its own device code runs twice:
 * compiled for the CPU (emulate.h), in both orders of threads, and on a device if there is one and the build has
 * device code. Device memory is filled with poison first (not with WVL_CUDA_UNPOISONED). WVL_CUDA_SUBSET runs a few
 * blocks (for slow checkers); WVL_CUDA_TWIN_IMAGE names a file of device code to be tested; CK_RUN_CASE names a case.
 */

#include "sample_kinds.h"

static const uint32_t limits[] = {48, 64, 99, 163, 227}; /* KiB */
#define LIMITS (sizeof limits / sizeof *limits)

/* A block of drawn samples; half of the lists ask for lower planes and passes. */
static void add_block(ht_list *list, uint32_t width, uint32_t height, unsigned coef_bytes, unsigned kind, int plain)
{
    unsigned most = coef_bytes == 2 ? 15 : 31, planes = between(1, draw() & 1 ? most : 12);
    planes = kind == ONES && draw() & 1 ? most : planes;
    wvl_cuda_ht_block *b =
        ht_list_add(list, width, height, draw_stride(width), coef_bytes, draw() & 1 ? 0 : between(0, 9));
    fill_block(list, b, kind, planes);
    if (!plain) {
        b->frac_bits = (uint8_t)(draw() & 1 ? 0 : between(0, planes - 1));
        b->cleanup_plane = (uint8_t)between(0, planes - b->frac_bits > 4 ? 4 : planes - b->frac_bits);
        b->style = draw() & 1 ? WVL_STYLE_VSC : 0;
        b->max_passes = (uint8_t)(draw() & 1 ? 255 : between(0, 3));
        b->set_passes = (uint8_t)(draw() & 1 ? 3 : between(1, 3));
    }
    ht_list_seal(list, b, below(8) ? 0 : (uint32_t)draw() & ((1u << most) - 1)); /* bounds may be larger */
}

static void check_list(ht_list *list)
{
    const ht_device *d;
    uint32_t left = 0;
    EACH_DEVICE(d)
    {
        REQUIRE_THAT(!ht_check(d, list, 1, 0, 1000, 1000, &left), "device %d", (int)(d - devices));
        REQUIRE_THAT(!left, "%u blocks are left with all memory", left);
    }
    ht_list_clear(list);
}

/* ---- Cases ----------------------------------------------------------------------------------- */

EMULATED_SUITE(NULL);

/* Every nominal shape, every kind of samples. */
TEST(shapes)
{
    seed_suite(1);
    for (unsigned xcb = 2; xcb <= 10; xcb++) {
        ht_list list = {0};
        for (unsigned ycb = 2; ycb <= 10 && xcb + ycb <= 12; ycb++) {
            for (unsigned kind = 0; kind < KINDS; kind += subset ? 5 : 1) {
                add_block(&list, 1u << xcb, 1u << ycb, draw() & 1 ? 2 : 4, kind, kind & 1);
            }
        }
        check_list(&list);
    }
}

TEST(borders)
{
    seed_suite(2);
    for (unsigned turn = 0; turn < 2; turn++) {
        ht_list list = {0};
        for (uint32_t k = 1, width, height; k <= BORDER_SHAPES; k += subset ? 7 : 1) {
            draw_border(k, turn & 1, &width, &height);
            add_block(&list, width, height, below(3) ? 2 : 4, below(KINDS), draw() & 1);
        }
        check_list(&list);
    }
}

/* Blocks of up to 32x32 go two to a warp, empty ones among them. */
TEST(pairs)
{
    ht_list list = {0};
    seed_suite(3);
    for (unsigned k = 0; k < (subset ? 9 : 61); k++) {
        add_block(&list, between(1, 32), between(1, 32), 2, below(4) ? below(KINDS) : ZERO, draw() & 1);
    }
    check_list(&list);
}

/* Streams full of 1s, and of 0xFF here and there. */
TEST(ones)
{
    ht_list list = {0};
    seed_suite(4);
    for (unsigned k = 0; k < (subset ? 4 : 40); k++) {
        uint32_t side = k % 3 ? 64 : 32;
        add_block(&list, side - k % 2, side - k % 5, k % 4 ? 2 : 4, k % 4 == 1 ? ONES : MIXED, 1);
    }
    check_list(&list);
}

/* SigProp and MagRef of blocks that are large, of one plane and of many. */
TEST(refinement)
{
    ht_list list = {0};
    seed_suite(5);
    for (unsigned k = 0; k < (subset ? 6 : 60); k++) {
        unsigned coef_bytes = k & 1 ? 2 : 4, most = coef_bytes == 2 ? 15 : 31, planes = between(2, k % 3 ? 4 : most);
        unsigned xcb = between(2, 10), ycb = between(2, 12 - xcb < 10 ? 12 - xcb : 10);
        uint32_t width = (1u << xcb) - between(0, 3), height = (1u << ycb) - between(0, 3);
        wvl_cuda_ht_block *b = ht_list_add(&list, width, height, width + 3, coef_bytes, 1);
        fill_block(&list, b, k % 5 ? RAMP : below(KINDS), planes);
        b->style = k & 2 ? WVL_STYLE_VSC : 0;
        b->cleanup_plane = (uint8_t)between(1, planes - 1);
        b->frac_bits = (uint8_t)between(0, planes - 1u - b->cleanup_plane);
        b->max_passes = (uint8_t)(k % 4 ? 255 : between(1, 3));
        ht_list_seal(&list, b, 0);
    }
    check_list(&list);
}

/* The same bytes with all sizes of shared memory. */
TEST(shared_memory)
{
    seed_suite(6);
    ht_list list = {0};
    for (unsigned k = 0; k < (subset ? 6 : 24); k++) {
        add_block(&list, k % 4 ? between(1, 64) : between(65, 128), between(1, 32), k % 3 ? 2 : 4, below(KINDS),
                  draw() & 1);
    }
    for (unsigned i = 0; i < device_count; i++) {
        for (unsigned k = 0; k < LIMITS; k++) {
            uint32_t left;
            emulated_most_shared = 0;
            REQUIRE_THAT(!ht_check(&devices[i], &list, 1, limits[k] << 10, 1000, 1000, &left) && !left,
                         "device %u, %u KiB", i, limits[k]);
            REQUIRE_THAT(emulated_most_shared <= limits[k] << 10 &&
                             (k == 0 || devices[i].runtime != &emulated_runtime || emulated_most_shared > 40 << 10),
                         "%u KiB: %u", limits[k], emulated_most_shared);
        }
    }
    ht_list_clear(&list);
}

/* Too little scratch memory or output: some blocks are left, nothing is written elsewhere, and they are right in
 * another launch. */
TEST(short_memory)
{
    static const unsigned shares[][2] = {{0, 1000}, {1000, 0}, {60, 1000}, {1000, 60}, {150, 100}};
    seed_suite(7);
    ht_list list = {0};
    for (unsigned k = 0; k < (subset ? 8 : 32); k++) {
        add_block(&list, between(1, 64), between(1, 64), k % 4 ? 2 : 4, k & 1 ? NOISE : below(KINDS), k & 2);
    }
    for (unsigned i = 0; i < device_count; i++) {
        for (unsigned k = 0; k < sizeof shares / sizeof *shares; k++) {
            uint32_t left = 0;
            REQUIRE_THAT(!ht_check(&devices[i], &list, 1, 0, shares[k][0], shares[k][1], &left), "device %u, shares %u",
                         i, k);
            REQUIRE_THAT(left, "device %u, shares %u: no block is left", i, k);
        }
    }
    ht_list_clear(&list);
}

/* Groups lie in memory of their own; more blocks than a turn of ht_place takes. */
TEST(groups)
{
    seed_suite(8);
    ht_list list = {0};
    for (unsigned k = 0; k < (subset ? 8 : 9000); k++) {
        add_block(&list, between(1, 4), between(1, 2), 2, k % 7 ? ZERO : NOISE, 1);
    }
    for (unsigned i = 0; i < device_count; i++) {
        uint32_t left;
        wvl_emulate_reversed(0);
        REQUIRE_THAT(!ht_check(&devices[i], &list, 2, 0, 1000, 1000, &left) && !left, "device %u", i);
    }
    ht_list_clear(&list);
}

TEST_MAIN("cuda_ht")
