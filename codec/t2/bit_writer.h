/* SPDX-License-Identifier: BSD-2-Clause */
/* Bits of a packet header, most significant first, with a 0 stuffed after every 0xFF byte (B.10.1). */
#ifndef WVL_CODEC_T2_BIT_WRITER_H
#define WVL_CODEC_T2_BIT_WRITER_H

#include <stdint.h>

typedef struct wvl_bit_writer {
    uint8_t *bytes;    /* room proved by wvl_t2_header_bound */
    uint64_t count;    /* whole bytes written */
    uint32_t byte;     /* bits of the byte being filled, right-justified */
    unsigned free;     /* bits still free in it: 8, or 7 after 0xFF */
} wvl_bit_writer;

static inline void wvl_bits_open(wvl_bit_writer *w, uint8_t *bytes)
{
    w->bytes = bytes;
    w->count = 0;
    w->byte = 0;
    w->free = 8;
}

/* The n low bits of value, n up to 32. */
static inline void wvl_bits_put(wvl_bit_writer *w, uint32_t value, unsigned n)
{
    while (n) {
        unsigned take = n < w->free ? n : w->free;
        n -= take;
        w->byte = w->byte << take | (value >> n & ((1u << take) - 1));
        w->free -= take;
        if (!w->free) {
            w->bytes[w->count++] = (uint8_t)w->byte;
            w->free = w->byte == 0xFF ? 7 : 8;
            w->byte = 0;
        }
    }
}

/* Pads with 0 to a byte; a header never ends in 0xFF, so after one a 0x00 follows. Returns the length in bytes. */
static inline uint64_t wvl_bits_close(wvl_bit_writer *w)
{
    int after_ff = w->count && w->bytes[w->count - 1] == 0xFF;
    if (w->free != (after_ff ? 7u : 8u) || after_ff) {
        w->bytes[w->count++] = (uint8_t)(w->byte << w->free);
    }
    return w->count;
}

#endif
