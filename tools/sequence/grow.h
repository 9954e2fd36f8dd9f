/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays that grow. */
#pragma once

#include <stdint.h>
#include <stdlib.h>

/* Room for one more element behind `count`, of `bytes` each: the array, or NULL without memory, and it stays. */
static inline void *wvl_sequence_grow(void *array, size_t count, size_t *capacity, size_t bytes)
{
    if (count < *capacity) {
        return array;
    }
    size_t more = *capacity ? 2 * *capacity : 64;
    void *moved = more < SIZE_MAX / bytes ? realloc(array, more * bytes) : NULL;
    *capacity = moved ? more : *capacity;
    return moved;
}
