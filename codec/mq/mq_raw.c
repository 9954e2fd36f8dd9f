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
    if (--raw->free_bits) {
        return;
    }
    *raw->bp++ = (uint8_t)raw->byte;
    raw->free_bits = raw->full_bits = raw->byte == 0xFF ? 7 : 8;
    raw->byte = 0;
}

void wvl_raw_encode_symbols(wvl_raw *raw, const uint8_t *symbols, size_t count)
{
    wvl_raw r = *raw;
    for (size_t i = 0; i < count; i++) {
        wvl_raw_encode_bit(&r, symbols[i] & 1u);
    }
    *raw = r;
}

wvl_segment_end wvl_raw_fetch_end(const wvl_raw *raw, int predictable, uint32_t floor_bytes)
{
    wvl_raw_registers regs = {(uint32_t)(raw->bp - raw->start), raw->byte, raw->free_bits, raw->full_bits};
    return wvl_raw_end_segment(&regs, predictable, floor_bytes);
}
