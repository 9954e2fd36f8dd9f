/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams in two steps: bits lie side by side first, without the 0s that keep 0xFF90 and more out, and many bits are
 * put at once; then eight bytes at a time are looked at and sent as they are, or up to the one that wants a 0 behind
 * it. For processors with the low byte first.
 */
#pragma once

#include <stddef.h>
#include <string.h>

#include "codec/ht/streams.h"

typedef struct wvl_ht_plain {
    uint8_t *at;
    uint64_t bits;
    unsigned count; /* less than 64 between two puts */
} wvl_ht_plain;

static inline void wvl_ht_plain_open(wvl_ht_plain *s, uint8_t *at)
{
    s->at = at;
    s->bits = 0;
    s->count = 0;
}

/* n <= 64; bits beyond n are 0. */
static inline void wvl_ht_plain_put(wvl_ht_plain *s, uint64_t bits, unsigned n)
{
    uint64_t word = s->bits | bits << s->count, over = bits >> 1 >> (63 - s->count);
    unsigned count = s->count + n;
    memcpy(s->at, &word, sizeof word);
    s->bits = count & 64 ? over : word;
    s->at += count >> 3 & 8;
    s->count = count & 63;
}

/* The number of bits since `from`. What lies behind them is 0. */
static inline size_t wvl_ht_plain_finish(wvl_ht_plain *s, const uint8_t *from)
{
    memcpy(s->at, &s->bits, sizeof s->bits);
    memset(s->at + sizeof s->bits, 0, sizeof s->bits);
    return 8 * (size_t)(s->at - from) + s->count;
}

/* 64 bits from bit `at` on. */
static inline uint64_t wvl_ht_plain_fetch(const uint8_t *p, size_t at)
{
    uint64_t low;
    unsigned shift = at & 7;
    memcpy(&low, p + at / 8, sizeof low);
    return low >> shift | (uint64_t)p[at / 8 + 8] << 1 << (63 - shift);
}

/* At most 32 bits from bit *at on, of `bits`; *n: how many. */
static inline uint32_t wvl_ht_plain_take(const uint8_t *p, size_t *at, size_t bits, unsigned *n)
{
    *n = bits - *at < 32 ? (unsigned)(bits - *at) : 32;
    uint64_t some = wvl_ht_plain_fetch(p, *at) & ((UINT64_C(1) << *n) - 1);
    *at += *n;
    return (uint32_t)some;
}

/* `s` is empty before. */
static inline void wvl_ht_forward_put_plain(wvl_ht_forward *s, const uint8_t *p, size_t bits)
{
    size_t at = 0;
    while (bits - at >= 64) {
        uint64_t w = wvl_ht_plain_fetch(p, at),
                 full = (~w - UINT64_C(0x0101010101010101)) & w & UINT64_C(0x8080808080808080);
        memcpy(s->at, &w, sizeof w);
        if (!full) {
            s->at += 8;
            at += 64;
            continue;
        }
        unsigned bytes = (unsigned)__builtin_ctzll(full) / 8 + 1; /* the lowest is never wrong */
        s->at += bytes;
        at += 8 * bytes;
        if (bits - at < 7) {
            s->after_ff = 1;
            break;
        }
        *s->at++ = (uint8_t)(wvl_ht_plain_fetch(p, at) & 0x7F);
        at += 7;
    }
    while (at < bits) {
        unsigned n;
        uint32_t some = wvl_ht_plain_take(p, &at, bits, &n);
        wvl_ht_forward_put(s, some, n);
    }
}

/* Whole bytes go out, so that `s` holds none before. */
static inline void wvl_ht_backward_put_plain(wvl_ht_backward *s, const uint8_t *p, size_t bits)
{
    size_t at = 0;
    while (bits - at >= 64) {
        uint64_t w = wvl_ht_plain_fetch(p, at), ones = UINT64_C(0x0101010101010101),
                 sevens = ((w & 0x7F * ones) + ones) & 0x80 * ones;
        if (!sevens) { /* nowhere seven 1s */
            uint64_t turned = __builtin_bswap64(w);
            s->at -= 8;
            memcpy(s->at, &turned, sizeof turned);
            s->after_high = w >> 56 > 0x8F;
            at += 64;
            continue;
        }
        unsigned bytes = (unsigned)__builtin_ctzll(sevens) / 8 + 1;
        for (; bytes; bytes--) {
            unsigned stuffs = s->after_high && (w & 0x7F) == 0x7F;
            uint8_t byte = (uint8_t)(stuffs ? 0x7F : w);
            *--s->at = byte;
            s->after_high = byte > 0x8F;
            w >>= 8 - stuffs;
            at += 8 - stuffs;
        }
    }
    while (at < bits) {
        unsigned n;
        uint32_t some = wvl_ht_plain_take(p, &at, bits, &n);
        wvl_ht_backward_put(s, some, n);
    }
}

/* n events 0. */
static inline void wvl_ht_mel_put_run(wvl_ht_mel *s, size_t n)
{
    for (s->run += (unsigned)n; s->run >> wvl_ht_mel_exponents[s->state];) {
        s->run -= 1u << wvl_ht_mel_exponents[s->state];
        wvl_ht_mel_put_bit(s, 1);
        s->state += s->state < 12;
    }
}

/* An event for every bit. */
static inline void wvl_ht_mel_put_plain(wvl_ht_mel *s, const uint8_t *p, size_t bits)
{
    wvl_ht_mel own = *s;
    size_t zeros = 0;
    for (size_t at = 0; at < bits; at += 64) {
        uint64_t w;
        unsigned seen = 0;
        for (memcpy(&w, p + at / 8, sizeof w); w; w &= w - 1) {
            unsigned place = (unsigned)__builtin_ctzll(w);
            wvl_ht_mel_put_run(&own, zeros + place - seen);
            wvl_ht_mel_put(&own, 1);
            zeros = 0;
            seen = place + 1;
        }
        zeros += (bits - at < 64 ? bits - at : 64) - seen;
    }
    wvl_ht_mel_put_run(&own, zeros);
    *s = own;
}
