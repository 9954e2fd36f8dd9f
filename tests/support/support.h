/* SPDX-License-Identifier: BSD-2-Clause */
/* What test suites share: tests that register themselves, assertions for inner loops, and numbers by chance that are
 * the same on every machine. */
#pragma once

#include <check.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Suites ----
 * A test registers itself before main(), so none can be forgotten. Each is a case of Check with its own name:
 * CK_RUN_CASE=name runs it alone, CK_INCLUDE_TAGS="a b" some, CK_EXCLUDE_TAGS all others. They run in the order of the
 * file; _i counts the runs of one.
 *
 *     TEST_FIXTURE(open, close);      for all that follow; NULL, NULL: none any more
 *     TEST(name) { ... }
 *     TEST_EACH(name, 6) { ... }      _i from 0 to 5; TEST_RANGE(name, 1, 6): from 1 to 5
 *     TEST_MAIN("suite")              main(); or one of its own, that calls test_run_suite() */
#define TESTS_MAX 64
/* Tests of this file; fixtures of those that come next. */
static struct {
    TCase *cases[TESTS_MAX];
    int count;
    SFun open, close;
} test_registry;

static inline void test_register(const TTest *test, const char *name, int first, int end)
{
    TCase *c = tcase_create(name);
    tcase_set_timeout(c, 900); /* the limit of ctest is the one that counts */
    tcase_set_tags(c, name);
    if (test_registry.open || test_registry.close) {
        tcase_add_checked_fixture(c, test_registry.open, test_registry.close);
    }
    tcase_add_loop_test(c, test, first, end);
    if (test_registry.count == TESTS_MAX) {
        abort();
    }
    test_registry.cases[test_registry.count++] = c;
}

static inline int test_run(SRunner *runner)
{
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static inline int test_run_suite_as(const char *name, enum fork_status forks)
{
    Suite *suite = suite_create(name);
    for (int i = 0; i < test_registry.count; i++) {
        suite_add_tcase(suite, test_registry.cases[i]);
    }
    SRunner *runner = srunner_create(suite);
    if (forks != CK_FORK_GETENV) {
        srunner_set_fork_status(runner, forks);
    }
    return test_run(runner);
}

/* The status of the program. */
static inline int test_run_suite(const char *name) { return test_run_suite_as(name, CK_FORK_GETENV); }

#define TEST_RANGE(name, first, end)                                                                                   \
    static const TTest *name;                                                                                          \
    __attribute__((constructor)) static void test_add_##name(void)                                                     \
    {                                                                                                                  \
        test_register(name, #name, (int)(first), (int)(end));                                                          \
    }                                                                                                                  \
    START_TEST(name)
#define TEST_EACH(name, count) TEST_RANGE(name, 0, count)
#define TEST(name) TEST_RANGE(name, 0, 1)
#define TEST_JOIN(a, b) a##b
#define TEST_FIXTURE_AT(line, opener, closer)                                                                          \
    __attribute__((constructor)) static void TEST_JOIN(test_fixture_, line)(void)                                      \
    {                                                                                                                  \
        test_registry.open = opener;                                                                                   \
        test_registry.close = closer;                                                                                  \
    }                                                                                                                  \
    struct test_registry
#define TEST_FIXTURE(opener, closer) TEST_FIXTURE_AT(__LINE__, opener, closer)
#define TEST_MAIN(name)                                                                                                \
    int main(void) { return test_run_suite(name); }

/* ---- Assertions ---- */

/* Check writes the place of each assertion that holds to a file, for tests that end by a signal. That takes more time
 * than most assertions. */
#define _mark_point(file, line) ((void)0)

/* As ck_assert() and ck_assert_msg(), with a shorter text. */
#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            ck_abort_msg("not true: %s", #condition);                                                                  \
        }                                                                                                              \
    } while (0)
/* The same with a text of printf. */
#define REQUIRE_THAT(condition, ...)                                                                                   \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            ck_abort_msg(__VA_ARGS__);                                                                                 \
        }                                                                                                              \
    } while (0)

/* ---- Texts ---- */

/* A text of printf, which stays until eight more are made. */
static inline const char *test_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline const char *test_print(const char *format, ...)
{
    static char texts[8][512];
    static unsigned next;
    char *text = texts[next++ % 8];
    va_list arguments;
    va_start(arguments, format);
    REQUIRE((size_t)vsnprintf(text, sizeof *texts, format, arguments) < sizeof *texts);
    va_end(arguments);
    return text;
}

/* ---- Numbers by chance ---- */

/* WVL_TEST_SEED of the environment, made odd; or the usual one. */
static inline uint64_t test_read_seed(uint64_t usual)
{
    const char *seed = getenv("WVL_TEST_SEED");
    return seed ? strtoull(seed, NULL, 0) | 1 : usual;
}

/* splitmix64 */
static inline uint64_t test_draw(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* The upper half of xorshift64; state is never 0. */
static inline uint32_t test_draw32(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 32);
}
