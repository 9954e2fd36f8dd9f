/* SPDX-License-Identifier: BSD-2-Clause */
/* Containers of samples as callers give them (wvl_container_type): where they lie in a row. For host and devices. */
#pragma once

#include <stdint.h>

#include "base/hd.h"
#include "wavelane.h"

/* Bits of a sample; 0: no container that is read. */
WVL_HD uint32_t wvl_container_bits(unsigned container)
{
    switch (container) {
    case WVL_SAMPLE_8: return 8;
    case WVL_SAMPLE_16:
    case WVL_SAMPLE_16_BE: return 16;
    case WVL_SAMPLE_32: return 32;
    case WVL_SAMPLE_PACKED10:
    case WVL_SAMPLE_FILLED10_BE:
    case WVL_SAMPLE_FILLED10_LE:
    case WVL_SAMPLE_WORDS10_BE:
    case WVL_SAMPLE_WORDS10_LE: return 10;
    case WVL_SAMPLE_PACKED12:
    case WVL_SAMPLE_FILLED12_BE:
    case WVL_SAMPLE_FILLED12_LE:
    case WVL_SAMPLE_WORDS12_BE:
    case WVL_SAMPLE_WORDS12_LE: return 12;
    default: return 0;
    }
}

/* 1: unsigned, and no integer in native byte order. */
WVL_HD int wvl_container_is_packed(unsigned container)
{
    return container >= WVL_SAMPLE_PACKED10 && wvl_container_bits(container) != 0;
}

/* Containers that are repeated in whole bytes, or in whole words where they lie in words. */
WVL_HD uint32_t wvl_container_period(unsigned container)
{
    switch (container) {
    case WVL_SAMPLE_PACKED10: return 4;
    case WVL_SAMPLE_PACKED12: return 2;
    case WVL_SAMPLE_FILLED10_BE:
    case WVL_SAMPLE_FILLED10_LE: return 3;
    case WVL_SAMPLE_WORDS12_BE:
    case WVL_SAMPLE_WORDS12_LE: return 8;
    case WVL_SAMPLE_WORDS10_BE:
    case WVL_SAMPLE_WORDS10_LE: return 16;
    default: return 1;
    }
}

/* Containers up to that of the last of `width` samples; stride 0 means 1. */
WVL_HD uint64_t wvl_container_count(uint32_t first, uint32_t stride, uint32_t width)
{
    uint64_t step = stride ? stride : 1;
    return width ? first + (width - 1) * step + 1 : 0;
}

/* Says whether such a row has a size that memory may have, in containers of any type. */
WVL_HD int wvl_container_row_fits(uint32_t first, uint32_t stride, uint32_t width)
{
    return wvl_container_count(first, stride, width) <= UINT64_MAX / 16;
}

/* Bytes of a row that the first `count` containers lie in; words are whole. */
WVL_HD uint64_t wvl_container_bytes(unsigned container, uint64_t count)
{
    switch (container) {
    case WVL_SAMPLE_FILLED10_BE:
    case WVL_SAMPLE_FILLED10_LE: return (count + 2) / 3 * 4;
    case WVL_SAMPLE_FILLED12_BE:
    case WVL_SAMPLE_FILLED12_LE: return count * 2;
    case WVL_SAMPLE_WORDS10_BE:
    case WVL_SAMPLE_WORDS10_LE:
    case WVL_SAMPLE_WORDS12_BE:
    case WVL_SAMPLE_WORDS12_LE: return (count * wvl_container_bits(container) + 31) / 32 * 4;
    default: return (count * wvl_container_bits(container) + 7) / 8;
    }
}

/* ---- Packed samples: no byte is read that holds none of their bits, but for those of their words ------------------
 */

WVL_HD uint32_t wvl_container_read_be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}
WVL_HD uint32_t wvl_container_read_le32(const uint8_t *p)
{
    return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

/* `bits` bits at any bit position, most significant first. */
WVL_HD uint32_t wvl_container_read_bits(const uint8_t *row, uint64_t at, unsigned bits)
{
    uint32_t window = 0;
    uint64_t last = (at + bits - 1) >> 3;
    for (uint64_t i = at >> 3; i <= last; i++) {
        window = window << 8 | row[i];
    }
    return window >> ((last + 1) * 8 - at - bits) & ((1u << bits) - 1);
}

/* `bits` bits of 32-bit words that are filled from their low end. */
WVL_HD uint32_t wvl_container_read_words(const uint8_t *row, uint64_t at, unsigned bits, int is_big)
{
    const uint8_t *p = row + at * bits / 32 * 4;
    uint32_t skip = (uint32_t)(at * bits % 32);
    uint32_t v = (is_big ? wvl_container_read_be32(p) : wvl_container_read_le32(p)) >> skip;
    if (skip > 32 - bits) {
        v |= (is_big ? wvl_container_read_be32(p + 4) : wvl_container_read_le32(p + 4)) << (32 - skip);
    }
    return v & ((1u << bits) - 1);
}

/* Container number `at` of a row. container: packed. */
WVL_HD uint32_t wvl_container_read(unsigned container, const uint8_t *row, uint64_t at)
{
    uint32_t down = 22 - (uint32_t)(at % 3) * 10; /* of three in a word */
    switch (container) {
    case WVL_SAMPLE_PACKED10: return wvl_container_read_bits(row, at * 10, 10);
    case WVL_SAMPLE_PACKED12: return wvl_container_read_bits(row, at * 12, 12);
    case WVL_SAMPLE_FILLED10_BE: return wvl_container_read_be32(row + at / 3 * 4) >> down & 0x3FF;
    case WVL_SAMPLE_FILLED10_LE: return wvl_container_read_le32(row + at / 3 * 4) >> down & 0x3FF;
    case WVL_SAMPLE_FILLED12_BE: return (uint32_t)row[2 * at] << 4 | row[2 * at + 1] >> 4;
    case WVL_SAMPLE_FILLED12_LE: return (uint32_t)row[2 * at + 1] << 4 | row[2 * at] >> 4;
    case WVL_SAMPLE_16_BE: return (uint32_t)row[2 * at] << 8 | row[2 * at + 1];
    case WVL_SAMPLE_WORDS10_BE: return wvl_container_read_words(row, at, 10, 1);
    case WVL_SAMPLE_WORDS10_LE: return wvl_container_read_words(row, at, 10, 0);
    default: return wvl_container_read_words(row, at, 12, container == WVL_SAMPLE_WORDS12_BE);
    }
}
