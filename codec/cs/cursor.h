/* SPDX-License-Identifier: BSD-2-Clause */
/* A cursor stores bytes, or only counts them when `at` is NULL. Whatever is written is measured by running the same
 * function on a counting cursor, so that a length field and its content cannot disagree. */
#pragma once

#include <stddef.h>
#include <string.h>

#include "base/bytes.h"

typedef struct wvl_cursor {
    uint8_t *at;    /* NULL: counting */
    uint64_t bytes; /* put so far */
} wvl_cursor;

static inline void wvl_cursor_put_u8(wvl_cursor *c, unsigned v)
{
    c->at = c->at ? wvl_put_u8(c->at, v) : NULL;
    c->bytes += 1;
}
static inline void wvl_cursor_put_u16(wvl_cursor *c, unsigned v)
{
    c->at = c->at ? wvl_put_u16(c->at, v) : NULL;
    c->bytes += 2;
}
static inline void wvl_cursor_put_u32(wvl_cursor *c, uint32_t v)
{
    c->at = c->at ? wvl_put_u32(c->at, v) : NULL;
    c->bytes += 4;
}
static inline void wvl_cursor_put_u64(wvl_cursor *c, uint64_t v)
{
    c->at = c->at ? wvl_put_u64(c->at, v) : NULL;
    c->bytes += 8;
}
/* What is stored was allocated, so bytes fits size_t whenever the cursor stores. */
static inline void wvl_cursor_put_bytes(wvl_cursor *c, const void *data, uint64_t bytes)
{
    if (c->at && bytes) {
        memcpy(c->at, data, (size_t)bytes);
        c->at += bytes;
    }
    c->bytes += bytes;
}
