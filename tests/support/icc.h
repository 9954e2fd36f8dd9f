/* SPDX-License-Identifier: BSD-2-Clause */
/* ICC profiles as JP2 restricts them, and others. */
#pragma once

#include <stdint.h>
#include <string.h>

typedef struct test_icc {
    uint8_t bytes[512];
    size_t size;
} test_icc;

static inline void test_put_be32(uint8_t *p, size_t value)
{
    for (int i = 0; i < 4; i++) {
        p[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

/* kind: its class and its colour space, as in "mntrRGB ". tags: names of four letters, one after the other; all share
 * the last 64 bytes, which describe the profile by a name. */
static inline test_icc test_make_icc(const char *kind, const char *tags, const char *name)
{
    test_icc f = {{0}, 0};
    size_t count = strlen(tags) / 4, description = 132 + 12 * count;
    f.size = description + 64;
    test_put_be32(f.bytes, f.size);
    memcpy(f.bytes + 12, kind, 8);
    memcpy(f.bytes + 20, "XYZ ", 4);
    memcpy(f.bytes + 36, "acsp", 4);
    test_put_be32(f.bytes + 128, count);
    for (size_t i = 0; i < count; i++) {
        memcpy(f.bytes + 132 + 12 * i, tags + 4 * i, 4);
        test_put_be32(f.bytes + 136 + 12 * i, description);
        test_put_be32(f.bytes + 140 + 12 * i, 64);
    }
    memcpy(f.bytes + description, "desc", 4);
    test_put_be32(f.bytes + description + 8, strlen(name) + 1);
    memcpy(f.bytes + description + 12, name, strlen(name) + 1);
    return f;
}

#define TEST_ICC_RGB_TAGS "rXYZgXYZbXYZrTRCgTRCbTRC"
