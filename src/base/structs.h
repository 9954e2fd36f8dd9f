/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Structures that cross the interface begin with their size. A program may have been built with an older header (its
 * structure is shorter) or with a newer one (longer). Every size from that of version 0.2.0 on is taken; what a longer
 * one has beyond today's members must be zero, because nobody here could do what it asks for.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WVL_STRUCT_MOST 65536u /* a greater size is memory that nobody has set */

/* Bytes of a structure up to and with its last member of version 0.2.0. */
#define WVL_STRUCT_UNTIL(type, member) (offsetof(type, member) + sizeof(((type *)NULL)->member))

/* The size that the structure says it has; 0: not a size that is taken. */
static inline size_t wvl_struct_size(const void *from, size_t least)
{
    size_t size;
    memcpy(&size, from, sizeof size);
    return size >= least && size <= WVL_STRUCT_MOST ? size : 0;
}

/* Copies what is known of a caller's structure into `to`, of `bytes` bytes, the rest zero. 0: its size is not taken, or
 * its unknown end is not zero. */
int wvl_struct_read(void *to, size_t bytes, const void *from, size_t least);
/* Fills as much of a caller's structure as it has; its size stays, and what is unknown of it becomes zero. 0: its size
 * is not taken. */
int wvl_struct_write(void *to, const void *from, size_t bytes, size_t least);
