/* SPDX-License-Identifier: BSD-2-Clause */
/* A carver: the same carve function first measures (base == NULL), then cuts the one allocation into pieces. */
#pragma once

#include "base/intmath.h"

#define WVL_ALIGNMENT 64u

typedef struct wvl_carver {
    uint8_t *base; /* NULL: measuring */
    uint64_t used; /* bytes; UINT64_MAX after an overflow */
} wvl_carver;

/* count * size bytes aligned to WVL_ALIGNMENT; NULL while measuring. */
static inline void *wvl_carve(wvl_carver *c, uint64_t count, uint64_t size)
{
    uint64_t bytes = wvl_mul_saturate(count, size);
    uint64_t end =
        wvl_add_saturate(c->used, bytes > UINT64_MAX - WVL_ALIGNMENT ? UINT64_MAX : wvl_align_up(bytes, WVL_ALIGNMENT));
    void *piece = c->base ? c->base + c->used : NULL;
    c->used = end;
    return piece;
}
