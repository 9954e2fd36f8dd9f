/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bit streams of an HT block (15444-15 Annex C). Forward ones send a bit 0 after a byte 0xFF; backward ones grow
 * from high addresses to low ones and send a 0 where seven 1s would stand below it and the byte sent before exceeds
 * 0x8F. So no two bytes make 0xFF90 or more.
 */
#pragma once

#include <stdint.h>

/* ---- Forward, lowest bit first: MagSgn, SigProp ---------------------------------------------- */

typedef struct wvl_ht_forward {
    uint8_t *at;
    uint64_t bits;
    unsigned count; /* less than 32 between two puts */
    unsigned after_ff;
} wvl_ht_forward;

static inline void wvl_ht_forward_open(wvl_ht_forward *s, uint8_t *at)
{
    s->at = at;
    s->bits = 0;
    s->count = s->after_ff = 0;
}

static inline void wvl_ht_forward_put_byte(wvl_ht_forward *s)
{
    unsigned room = 8 - s->after_ff;
    uint8_t byte = (uint8_t)(s->bits & ((1u << room) - 1));
    *s->at++ = byte;
    s->after_ff = byte == 0xFF;
    s->bits >>= room;
    s->count -= room;
}

/* Four bytes without a 0xFF among them leave as they are; 1 of 64 random words does not. */
static inline void wvl_ht_forward_drain(wvl_ht_forward *s)
{
    uint32_t w = (uint32_t)s->bits;
    if (!s->after_ff && !((~w - 0x01010101u) & w & 0x80808080u)) {
        s->at[0] = (uint8_t)w;
        s->at[1] = (uint8_t)(w >> 8);
        s->at[2] = (uint8_t)(w >> 16);
        s->at[3] = (uint8_t)(w >> 24);
        s->at += 4;
        s->bits >>= 32;
        s->count -= 32;
        return;
    }
    while (s->count >= 32) {
        wvl_ht_forward_put_byte(s);
    }
}

/* n <= 32; bits beyond n are 0. */
static inline void wvl_ht_forward_put(wvl_ht_forward *s, uint32_t bits, unsigned n)
{
    s->bits |= (uint64_t)bits << s->count;
    s->count += n;
    if (s->count >= 32) {
        wvl_ht_forward_drain(s);
    }
}

/* Writes all whole bytes; fewer bits than the next byte holds stay. */
static inline void wvl_ht_forward_finish(wvl_ht_forward *s)
{
    while (s->count >= 8 - s->after_ff) {
        wvl_ht_forward_put_byte(s);
    }
}

/* ---- Backward, lowest bit first: VLC, MagRef ------------------------------------------------- */

typedef struct wvl_ht_backward {
    uint8_t *at; /* the byte written last */
    uint64_t bits;
    unsigned count;      /* less than 32 between two puts */
    unsigned after_high; /* the byte written last exceeds 0x8F */
} wvl_ht_backward;

/* The stream begins as if a byte 0xFF stood at `end`. */
static inline void wvl_ht_backward_open(wvl_ht_backward *s, uint8_t *end)
{
    s->at = end;
    s->bits = 0;
    s->count = 0;
    s->after_high = 1;
}

static inline void wvl_ht_backward_put_byte(wvl_ht_backward *s)
{
    unsigned stuffs = s->after_high && (s->bits & 0x7F) == 0x7F, room = 8 - stuffs;
    uint8_t byte = (uint8_t)(s->bits & ((1u << room) - 1));
    *--s->at = byte;
    s->after_high = byte > 0x8F;
    s->bits >>= room;
    s->count -= room;
}

static inline void wvl_ht_backward_drain(wvl_ht_backward *s)
{
    uint32_t w = (uint32_t)s->bits;
    if (!(((w & 0x7F7F7F7Fu) + 0x01010101u) & 0x80808080u)) { /* nowhere seven 1s */
        s->at -= 4;
        s->at[0] = (uint8_t)(w >> 24);
        s->at[1] = (uint8_t)(w >> 16);
        s->at[2] = (uint8_t)(w >> 8);
        s->at[3] = (uint8_t)w;
        s->after_high = w >> 24 > 0x8F;
        s->bits >>= 32;
        s->count -= 32;
        return;
    }
    while (s->count >= 32) {
        wvl_ht_backward_put_byte(s);
    }
}

static inline void wvl_ht_backward_put(wvl_ht_backward *s, uint32_t bits, unsigned n)
{
    s->bits |= (uint64_t)bits << s->count;
    s->count += n;
    if (s->count >= 32) {
        wvl_ht_backward_drain(s);
    }
}

/* Writes all whole bytes, one that ends in a stuffed bit included; fewer than eight bits stay. */
static inline void wvl_ht_backward_finish(wvl_ht_backward *s)
{
    while (s->count >= 8 || (s->count == 7 && s->after_high && s->bits == 0x7F)) {
        wvl_ht_backward_put_byte(s);
    }
}

/* ---- MEL: forward, highest bit first, an adaptive run coder ---------------------------------- */

typedef struct wvl_ht_mel {
    uint8_t *at;
    unsigned byte, room; /* bits of the byte at hand; how many more it takes */
    unsigned run, state;
} wvl_ht_mel;

static inline void wvl_ht_mel_open(wvl_ht_mel *s, uint8_t *at)
{
    s->at = at;
    s->byte = s->run = s->state = 0;
    s->room = 8;
}

static inline void wvl_ht_mel_put_bit(wvl_ht_mel *s, unsigned bit)
{
    s->byte = s->byte << 1 | bit;
    if (--s->room == 0) {
        *s->at++ = (uint8_t)s->byte;
        s->room = s->byte == 0xFF ? 7 : 8;
        s->byte = 0;
    }
}

/* By state: a run of 2^this is one bit. */
static const uint8_t wvl_ht_mel_exponents[13] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5};

static inline void wvl_ht_mel_put(wvl_ht_mel *s, unsigned event)
{
    unsigned exponent = wvl_ht_mel_exponents[s->state];
    if (!event) {
        if (++s->run == 1u << exponent) {
            wvl_ht_mel_put_bit(s, 1);
            s->run = 0;
            s->state += s->state < 12;
        }
        return;
    }
    wvl_ht_mel_put_bit(s, 0);
    while (exponent) {
        wvl_ht_mel_put_bit(s, s->run >> --exponent & 1);
    }
    s->run = 0;
    s->state -= s->state > 0;
}
