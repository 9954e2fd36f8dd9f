/* SPDX-License-Identifier: BSD-2-Clause */
/* What suites of plugins that store chunks share. */
#ifndef WVL_CHUNKS_EXPECT_H
#define WVL_CHUNKS_EXPECT_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

static int wrong;

#define EXPECT(condition, ...) expect(condition, __LINE__, __VA_ARGS__)

static void expect(int is_good, int line, const char *format, ...)
{
    va_list list;
    if (!is_good) {
        printf("line %d: ", line);
        va_start(list, format);
        (void)vprintf(format, list);
        va_end(list);
        printf("\n");
        wrong++; /* of several threads: some may be lost, not all */
    }
}

static uint32_t draw(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Slopes with noise; or noise alone. */
static void fill(uint8_t *samples, size_t bytes, unsigned sample_bytes, uint32_t seed, int is_noise)
{
    for (size_t i = 0; i < bytes; i++) {
        samples[i] = (uint8_t)(is_noise ? draw(&seed) : i / sample_bytes % 251 / 8 + draw(&seed) % 3);
    }
}

#endif
