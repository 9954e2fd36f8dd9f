/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A line: one row of samples of one component with room around it, so that kernels need no edge cases. WVL_LINE_LEAD
 * elements before its first sample and WVL_LINE_TAIL after its last may be read and overwritten. Rows of planes have no
 * room but are padded to a multiple of WVL_LINE_ROUND elements.
 */
#pragma once

#include "base/arena.h"

enum { WVL_LINE_I32 = 0, WVL_LINE_I64 = 1, WVL_LINE_F32 = 2, WVL_LINE_KINDS = 3 }; /* 5/3, 5/3 of deep samples, 9/7 */
#define WVL_LINE_LEAD 32u
#define WVL_LINE_TAIL 128u
#define WVL_LINE_ROUND 16u

static inline uint32_t wvl_line_element_bytes(unsigned kind) { return kind == WVL_LINE_I64 ? 8u : 4u; }

/* Bytes of a line of n samples with its room. Lines start on a cache line; a multiple of 1 KiB would put all rolling
 * rows at the same offset of a page, where loads wait for unrelated stores. */
static inline uint64_t wvl_line_bytes(uint64_t n, unsigned kind)
{
    uint64_t elements = WVL_LINE_LEAD + wvl_align_up(n, WVL_LINE_ROUND) + WVL_LINE_TAIL;
    uint64_t bytes = wvl_align_up(elements * wvl_line_element_bytes(kind), WVL_ALIGNMENT);
    return bytes % 1024 ? bytes : bytes + 2 * WVL_ALIGNMENT;
}

/* Its first sample; NULL while measuring. */
static inline void *wvl_line_carve(wvl_carver *carver, uint64_t n, unsigned kind)
{
    uint8_t *line = (uint8_t *)wvl_carve(carver, 1, wvl_line_bytes(n, kind));
    return line ? line + WVL_LINE_LEAD * wvl_line_element_bytes(kind) : NULL;
}
