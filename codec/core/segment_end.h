/* SPDX-License-Identifier: BSD-2-Clause */
/* How a segment of a block can end at a given moment: for the MQ coder (Annex C) and for plain bits (D.6). */
#pragma once

#include "codec/core/mq_length.h"

/* Lengths count from the start of the segment. */
typedef struct wvl_segment_end {
    uint32_t safe_bytes;
    uint32_t final_bytes;
    uint8_t tail[6];
    uint8_t tail_count;
} wvl_segment_end;

/* Endings that a decoder supplies by itself: 0xFF, and 0xFF 0x7F. `last` is the last byte: what is stored there does
 * not count. */
WVL_HD uint32_t wvl_mq_strip_ones(const uint8_t *segment, uint32_t length, uint32_t last)
{
    while (length) {
        uint32_t before = length > 1 ? segment[length - 2] : 0;
        if (last == 0xFF) {
            length--;
            last = before;
        } else if (last == 0x7F && before == 0xFF) {
            length -= 2;
            last = length ? segment[length - 1] : 0;
        } else {
            break;
        }
    }
    return length;
}

/*
 * before_b: bytes with B; B is not one of them at the start of a segment. Of the stored bytes those before B are read.
 * floor_bytes: final_bytes of the pass before in the same segment (0 if none); the result is not below it.
 */
WVL_HD wvl_segment_end wvl_mq_end_segment(const uint8_t *segment, uint32_t before_b, const wvl_mq_registers *regs,
                                          int predictable, uint32_t floor_bytes)
{
    uint32_t skip = before_b == 0, wanted = floor_bytes + 1 > before_b ? floor_bytes + 1 - before_b : 0;
    wvl_mq_tail tail = predictable ? wvl_mq_end_predictable(regs, wanted) : wvl_mq_end_shortest(regs);
    wvl_segment_end end = {before_b + wvl_mq_safe_extra(regs), before_b + tail.count - 1, {0}, 0};
    if (!predictable && tail.count == 1) {
        end.final_bytes = wvl_mq_strip_ones(segment, before_b, regs->b);
        tail.count = end.final_bytes == before_b;
    }
    for (uint32_t i = skip; i < tail.count; i++) {
        end.tail[end.tail_count++] = tail.bytes[i];
    }
    return end;
}

/* Plain bits: `stored` whole bytes, then the byte in work. */
typedef struct wvl_raw_registers {
    uint32_t stored;
    uint32_t byte;
    uint32_t free_bits; /* in `byte` */
    uint32_t full_bits; /* of `byte`: 7 after a 0xFF, else 8 */
} wvl_raw_registers;

/*
 * A partial byte is filled with 0, 1, 0, 1.. (D.6), which never makes 0xFF. A last full 0xFF is left out, unless
 * predictable termination asks for the stuffed byte after it (0101010), or leaving it out would make the segment
 * shorter than at the pass before.
 */
WVL_HD wvl_segment_end wvl_raw_end_segment(const wvl_raw_registers *r, int predictable, uint32_t floor_bytes)
{
    uint32_t partial = r->free_bits < r->full_bits;
    wvl_segment_end end = {r->stored + partial, r->stored + partial, {0}, 0};
    int after_ff = r->full_bits == 7 && !partial;
    if (after_ff && !predictable && r->stored - 1 >= floor_bytes) {
        end.final_bytes--;
    } else if (partial || after_ff) {
        end.tail[0] = (uint8_t)(r->byte << r->free_bits | 0x55u >> (8 - r->free_bits));
        end.tail_count = 1;
        end.final_bytes = r->stored + 1;
    }
    return end;
}
