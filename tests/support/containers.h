/* SPDX-License-Identifier: BSD-2-Clause */
/* Packed samples by definition, bit by bit: where each of their bits lies in a row. */
#pragma once

#include <stdint.h>

#include "wavelane.h"

static inline unsigned test_container_bits(unsigned container)
{
    static const uint8_t bits[] = {0, 8, 16, 32, 0, 10, 12, 10, 10, 12, 12, 12, 12, 10, 10, 16};
    return bits[container];
}

/* Bit `bit` (0: the least) of sample `at`: the byte of the row, and *place in it (0: the least). */
static inline uint64_t test_container_find(uint64_t at, unsigned bit, unsigned container, unsigned *place)
{
    uint64_t word_bits = 32, in_row; /* counted from the low end of each word */
    int is_big = container == WVL_SAMPLE_FILLED10_BE || container == WVL_SAMPLE_FILLED12_BE ||
                 container == WVL_SAMPLE_WORDS12_BE || container == WVL_SAMPLE_WORDS10_BE;
    switch (container) {
    case WVL_SAMPLE_FILLED10_BE:
    case WVL_SAMPLE_FILLED10_LE: in_row = at / 3 * 32 + 2 + 10 * (2 - at % 3) + bit; break;
    case WVL_SAMPLE_FILLED12_BE:
    case WVL_SAMPLE_FILLED12_LE:
        in_row = at * 16 + 4 + bit;
        word_bits = 16;
        break;
    case WVL_SAMPLE_WORDS12_BE:
    case WVL_SAMPLE_WORDS12_LE: in_row = at * 12 + bit; break;
    case WVL_SAMPLE_WORDS10_BE:
    case WVL_SAMPLE_WORDS10_LE: in_row = at * 10 + bit; break;
    default: /* most significant bit first */
        in_row = (at + 1) * test_container_bits(container) - 1 - bit;
        *place = (unsigned)(7 - in_row % 8);
        return in_row / 8;
    }
    uint64_t byte = in_row % word_bits / 8;
    *place = (unsigned)(in_row % 8);
    return in_row / word_bits * (word_bits / 8) + (is_big ? word_bits / 8 - 1 - byte : byte);
}

static inline uint32_t test_container_get(const uint8_t *row, uint64_t at, unsigned container)
{
    uint32_t v = 0;
    for (unsigned bit = 0; bit < test_container_bits(container); bit++) {
        unsigned place;
        uint64_t byte = test_container_find(at, bit, container, &place);
        v |= (uint32_t)(row[byte] >> place & 1) << bit;
    }
    return v;
}

static inline void test_container_put(uint8_t *row, uint64_t at, unsigned container, uint32_t v)
{
    for (unsigned bit = 0; bit < test_container_bits(container); bit++) {
        unsigned place;
        uint64_t byte = test_container_find(at, bit, container, &place);
        row[byte] = (uint8_t)((row[byte] & ~(1u << place)) | (v >> bit & 1) << place);
    }
}

/* Bytes of a row with that number of samples. */
static inline uint64_t test_container_row_bytes(uint64_t count, unsigned container)
{
    uint64_t bytes = 0;
    unsigned place;
    for (uint64_t i = count > 3 ? count - 3 : 0; i < count; i++) {
        for (unsigned bit = 0; bit < test_container_bits(container); bit++) {
            uint64_t end = test_container_find(i, bit, container, &place) + 1;
            bytes = end > bytes ? end : bytes;
        }
    }
    int is_half =
        container == WVL_SAMPLE_FILLED12_BE || container == WVL_SAMPLE_FILLED12_LE || container == WVL_SAMPLE_16_BE;
    uint64_t word = container < WVL_SAMPLE_FILLED10_BE ? 1 : 4;
    word = is_half ? 2 : word;
    return (bytes + word - 1) / word * word;
}
