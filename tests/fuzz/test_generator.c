/* SPDX-License-Identifier: BSD-2-Clause */
/* The generator of random configurations knows every option and draws each of them; lines and seeds repeat cases. */
#include "conformance/fuzz/draw.h"
#include "tests/support/owned.h"
#include "tests/support/support.h"

#define SEEDS 4000u

static fuzz_case drawn, again;
static char line[FUZZ_MAX_TEXT], other[FUZZ_MAX_TEXT];

TEST(every_option_is_known)
{
    size_t count;
    const wvl_option *options = wvl_options(&count);
    for (size_t i = 0; i < count; i++) {
        ck_assert_msg(fuzz_draw_knows(options[i].key), "option %s: conformance/fuzz/draw.c has no generator for it",
                      options[i].key);
    }
}

TEST(every_option_is_drawn)
{
    size_t count;
    const wvl_option *options = wvl_options(&count);
    OWNED unsigned *seen = calloc(count, sizeof *seen);
    ck_assert_ptr_nonnull(seen);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        fuzz_draw_case(seed, NULL, &drawn);
        for (size_t i = 0; i < count; i++) {
            const char *value = fuzz_case_get(&drawn, options[i].key);
            seen[i] += value && strcmp(value, options[i].initial) != 0;
        }
    }
    for (size_t i = 0; i < count; i++) {
        ck_assert_msg(seen[i] > 0, "option %s never leaves its default", options[i].key);
    }
}

/* A line repeats a case; a seed draws the same one. */
TEST(lines_repeat_cases)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        fuzz_draw_case(seed, NULL, &drawn);
        fuzz_case_print(&drawn, line, sizeof line);
        ck_assert(fuzz_case_parse(&again, line));
        ck_assert_uint_eq(again.count, drawn.count);
        fuzz_case_print(&again, other, sizeof other);
        ck_assert_str_eq(line, other);
        for (uint32_t i = 0; i < drawn.count; i++) {
            ck_assert_str_eq(drawn.pairs[i].value, again.pairs[i].value);
        }
        fuzz_draw_case(seed, NULL, &again);
        fuzz_case_print(&again, other, sizeof other);
        ck_assert_str_eq(line, other);
    }
    ck_assert(!fuzz_case_parse(&again, "levels"));
    ck_assert(!fuzz_case_parse(&again, "=3"));
    ck_assert(!fuzz_case_parse(&again, "comment=%4"));
    ck_assert(!fuzz_case_parse(&again, "comment=%00"));
    ck_assert(fuzz_case_parse(&again, "# what it is about\nlevels=2 style=4\n") && again.count == 2);
}

TEST_MAIN("generator")
