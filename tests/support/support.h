/* SPDX-License-Identifier: BSD-2-Clause */
/* What test suites share: assertions for inner loops, and numbers by chance that are the same on every machine. */
#ifndef WVL_TESTS_SUPPORT_SUPPORT_H
#define WVL_TESTS_SUPPORT_SUPPORT_H

#include <check.h>
#include <stdint.h>

/* The assertions of Check write to a pipe even when they hold. These write only when they fail. */
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

#endif
