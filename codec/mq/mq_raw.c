/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/mq/mq.h"

void wvl_raw_init_segment(wvl_raw *raw, uint8_t *start)
{
    raw->bp = raw->start = start;
    raw->byte = 0;
    raw->free_bits = raw->full_bits = 8;
}

void wvl_raw_encode_bit(wvl_raw *raw, unsigned bit)
{
    raw->byte = raw->byte << 1 | bit;
    if (--raw->free_bits)
        return;
    *raw->bp++ = (uint8_t)raw->byte;
    raw->free_bits = raw->full_bits = raw->byte == 0xFF ? 7 : 8;
    raw->byte = 0;
}

void wvl_raw_encode_symbols(wvl_raw *raw, const uint8_t *symbols, size_t count)
{
    wvl_raw r = *raw;
    for (size_t i = 0; i < count; i++)
        wvl_raw_encode_bit(&r, symbols[i] & 1u);
    *raw = r;
}

/*
 * A partial byte is filled with 0, 1, 0, 1.. (D.6), which never makes 0xFF. A last full 0xFF is left out, unless
 * predictable termination asks for the stuffed byte after it (0101010), or leaving it out would make the segment
 * shorter than at the pass before.
 */
wvl_segment_end wvl_raw_fetch_end(const wvl_raw *raw, int predictable, uint32_t floor_bytes)
{
    uint32_t stored = (uint32_t)(raw->bp - raw->start);
    uint32_t partial = raw->free_bits < raw->full_bits;
    wvl_segment_end end = {stored + partial, stored + partial, {0}, 0};
    int after_ff = raw->full_bits == 7 && !partial;
    if (after_ff && !predictable && stored - 1 >= floor_bytes) {
        end.final_bytes--;
    } else if (partial || after_ff) {
        end.tail[0] = (uint8_t)(raw->byte << raw->free_bits | 0x55u >> (8 - raw->free_bits));
        end.tail_count = 1;
        end.final_bytes = stored + 1;
    }
    return end;
}
