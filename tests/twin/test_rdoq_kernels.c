/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels of optimised quantisation: every level of the processor gives what plain C gives. */
#include <check.h>

#include "../prop/t1_draw.h"
#include "base/cpu.h"
#include "codec/rate/rdoq_kernels.h"

enum { AREA = 4096, CELLS = 34 * 1026, TURNS = 3000 };

static t1_rng rng;
static uint32_t original[2 * AREA];

typedef struct side {
    const wvl_rdoq_kernels *kernels;
    uint8_t levels[CELLS];
    int8_t fractions[CELLS];
} side;

static side plain, fast;

static void draw(wvl_block_input *in)
{
    uint32_t w = 1 + t1_random(&rng) % 67, h, shift = t1_random(&rng) % 31;
    w = t1_random(&rng) % 20 == 0 ? 4u << t1_random(&rng) % 9 : w;
    h = 1 + t1_random(&rng) % (w < 4 ? 1024 : 4096 / w);
    *in = (wvl_block_input){.coefs = original, .stride = w + t1_random(&rng) % 5, .width = (uint16_t)w, .height = (uint16_t)h};
    in->stride = in->stride * h > AREA ? w : in->stride;
    in->coef_bytes = t1_random(&rng) % 2 ? 2 : 4;
    uint8_t *bytes = (uint8_t *)original;
    for (uint32_t i = 0; i < in->stride * h; i++) {
        uint32_t v = t1_random(&rng) >> t1_random(&rng) % 32 >> (t1_random(&rng) % 3 ? shift : 0), sign = t1_random(&rng) & 1;
        if (in->coef_bytes == 2) {
            uint16_t s = (uint16_t)((v & 0x7FFF) | sign << 15);
            memcpy(bytes + 2 * i, &s, 2);
        } else {
            v = (v & 0x7FFFFFFF) | sign << 31;
            memcpy(bytes + 4 * i, &v, 4);
        }
    }
}

static void draw_rule(wvl_rdoq_rule *rule)
{
    for (unsigned n = 0; n < 16; n++) {
        rule->first[n] = (int8_t)((int)(t1_random(&rng) % 160) - 32);
        rule->second[n] = (int8_t)(t1_random(&rng) % 128);
        rule->more[n] = (int8_t)(t1_random(&rng) % 128);
    }
    rule->alone = (int8_t)((int)(t1_random(&rng) % 224) - 96);
    rule->needs = t1_random(&rng) & 1;
}

/* Cells of the block; fractions beyond it count for nobody. */
static void compare_cells(const wvl_block_input *in)
{
    uint32_t pitch = wvl_rdoq_pitch(in->width);
    REQUIRE(memcmp(plain.levels, fast.levels, (size_t)pitch * (in->height + 2u)) == 0);
    for (uint32_t y = 1; y <= in->height; y++) {
        REQUIRE(memcmp(&plain.fractions[y * pitch + 1], &fast.fractions[y * pitch + 1], in->width) == 0);
    }
}

static void compare_rows(const wvl_block_input *in)
{
    wvl_rdoq_rule rule;
    uint32_t pitch = wvl_rdoq_pitch(in->width), words = (in->width + 63u) / 64;
    draw_rule(&rule);
    for (uint32_t y = 1; y <= in->height; y++) {
        uint64_t down[2][WVL_RDOQ_WORDS], up[2][WVL_RDOQ_WORDS];
        memset(down, 0x55, sizeof down);
        memset(up, 0x55, sizeof up);
        size_t at = (size_t)y * pitch + 1;
        plain.kernels->move_row(&rule, &plain.levels[at], &plain.fractions[at], in->width, down[0], up[0]);
        fast.kernels->move_row(&rule, &fast.levels[at], &fast.fractions[at], in->width, down[1], up[1]);
        REQUIRE(memcmp(down[0], down[1], 8 * words) == 0 && memcmp(up[0], up[1], 8 * words) == 0);
    }
    compare_cells(in);
}

static void compare(void)
{
    wvl_block_input in;
    uint32_t ranks[2][3], least = 1 + (t1_random(&rng) >> t1_random(&rng) % 32);
    draw(&in);
    unsigned plane = t1_random(&rng) % (in.coef_bytes == 2 ? 16 : 31);
    plain.kernels->rank(&in, least, ranks[0]);
    fast.kernels->rank(&in, least, ranks[1]);
    REQUIRE(memcmp(ranks[0], ranks[1], sizeof ranks[0]) == 0);
    memset(fast.levels, 0xAA, sizeof fast.levels);
    plain.kernels->split(&in, plane, plain.levels, plain.fractions);
    fast.kernels->split(&in, plane, fast.levels, fast.fractions);
    compare_cells(&in);
    wvl_rdoq_sums a = plain.kernels->count(plain.levels, plain.fractions, in.width, in.height), b = fast.kernels->count(fast.levels, fast.fractions, in.width, in.height);
    REQUIRE(memcmp(&a, &b, sizeof a) == 0);
    compare_rows(&in);
}

START_TEST(same_as_plain)
{
    rng.s = t1_seed();
    plain.kernels = &wvl_rdoq_kernels_c;
    fast.kernels = wvl_rdoq_fetch_kernels();
    for (unsigned i = 0; i < TURNS; i++) {
        compare();
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rdoq kernels");
    TCase *tc = tcase_create("twins");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, same_as_plain);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
