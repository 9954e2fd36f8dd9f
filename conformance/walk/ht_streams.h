/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bit streams of HT segments (15444-15 7.1). Readers of a buffer of 64 bits take bytes ahead, and behind the data
 * they take filler; what was really read is found at the end from what is left in the buffer. `left` counts bits in the
 * buffer, the last `filler` of all that came are no data.
 */
#pragma once

#include <stdint.h>

#define WVL_WALK_HT_READY 57u /* bits at hand after a refill */

/* Says whether one of four bytes is 0xFF: a byte of the complement is 0. */
static inline int wvl_walk_ht_has_ff(uint32_t four) { return ((~four - 0x01010101u) & four & 0x80808080u) != 0; }

/* MagSgn and SigProp: from the first byte on, each from its lowest bit; a byte after 0xFF has seven. */
typedef struct wvl_walk_forward {
    const uint8_t *start, *at, *end;
    const uint8_t *unstuffed; /* the first byte above 0x7F that follows 0xFF; NULL: none came */
    uint64_t bits, filler;
    unsigned left;
    uint8_t last, fill; /* the byte before; what comes behind the end */
} wvl_walk_forward;

static inline unsigned wvl_walk_ht_room_after(uint8_t last) { return last == 0xFF ? 7 : 8; }

static inline void wvl_walk_ht_refill_forward(wvl_walk_forward *s)
{
    if (s->left <= 32 && s->end - s->at >= 4 &&
        s->last != 0xFF) { /* most bytes follow no 0xFF, and four of them come at once */
        uint32_t four = s->at[0] | (uint32_t)s->at[1] << 8 | (uint32_t)s->at[2] << 16 | (uint32_t)s->at[3] << 24;
        if (!wvl_walk_ht_has_ff(four)) {
            s->bits |= (uint64_t)four << s->left;
            s->left += 32;
            s->last = s->at[3];
            s->at += 4;
        }
    }
    while (s->left < WVL_WALK_HT_READY) {
        uint8_t byte = s->fill;
        unsigned room = wvl_walk_ht_room_after(s->last);
        if (s->at < s->end) {
            byte = *s->at++;
            s->unstuffed = room == 7 && byte > 0x7F && !s->unstuffed ? s->at - 1 : s->unstuffed;
            s->last = byte;
        } else {
            s->filler += room;
        }
        s->bits |= (uint64_t)(byte & ((1u << room) - 1)) << s->left;
        s->left += room;
    }
}

/* count: 57 at most since the last refill. */
static inline uint64_t wvl_walk_ht_take_forward(wvl_walk_forward *s, unsigned count)
{
    uint64_t value = s->bits & ((UINT64_C(1) << count) - 1);
    s->bits >>= count;
    s->left -= count;
    return value;
}

/* Bits taken from behind the end. */
static inline uint64_t wvl_walk_ht_taken_filler(uint64_t filler, unsigned left)
{
    return filler > left ? filler - left : 0;
}

/* The place behind the last byte of which a bit was taken. */
static inline const uint8_t *wvl_walk_ht_end_forward(const wvl_walk_forward *s)
{
    const uint8_t *at = s->at;
    uint64_t left = s->left > s->filler ? s->left - s->filler : 0;
    while (at > s->start) {
        unsigned room = wvl_walk_ht_room_after(at - 1 > s->start ? at[-2] : 0);
        if (left < room) {
            break;
        }
        left -= room;
        at--;
    }
    return at;
}

/* VLC and MagRef: from the last byte back, each from its lowest bit; of a byte 0x7F or 0xFF before one above 0x8F the
 * highest bit is not there. */
typedef struct wvl_walk_backward {
    const uint8_t *start, *at, *end; /* at: behind the next byte */
    uint64_t bits, filler;
    unsigned left, head; /* head: bits that the last byte has, if Scup takes others of it; 0: it is as any other */
    uint8_t first, last; /* what stands behind the end; the byte before */
} wvl_walk_backward;

static inline unsigned wvl_walk_ht_room_before(uint8_t last, uint8_t byte)
{
    return last > 0x8F && (byte & 0x7F) == 0x7F ? 7 : 8;
}

static inline void wvl_walk_ht_refill_backward(wvl_walk_backward *s)
{
    if (s->left <= 32 && s->at - s->start >= 4) {
        uint32_t four = s->at[-1] | (uint32_t)s->at[-2] << 8 | (uint32_t)s->at[-3] << 16 | (uint32_t)s->at[-4] << 24;
        if (!wvl_walk_ht_has_ff(four | 0x80808080u)) {
            s->bits |= (uint64_t)four << s->left;
            s->left += 32;
            s->last = s->at[-4];
            s->at -= 4;
        }
    }
    while (s->left < WVL_WALK_HT_READY) {
        uint8_t byte = 0;
        unsigned room = 8;
        if (s->at > s->start) {
            byte = *--s->at;
            room = wvl_walk_ht_room_before(s->last, byte);
            s->last = byte;
        } else {
            s->filler += room;
        }
        s->bits |= (uint64_t)(byte & ((1u << room) - 1)) << s->left;
        s->left += room;
    }
}

static inline unsigned wvl_walk_ht_take_backward(wvl_walk_backward *s, unsigned count)
{
    unsigned value = (unsigned)s->bits & ((1u << count) - 1);
    s->bits >>= count;
    s->left -= count;
    return value;
}

/* The first byte of which a bit was taken; the end when there is none. */
static inline const uint8_t *wvl_walk_ht_end_backward(const wvl_walk_backward *s)
{
    const uint8_t *at = s->at;
    uint64_t left = s->left > s->filler ? s->left - s->filler : 0;
    while (at < s->end) {
        unsigned room =
            at + 1 == s->end && s->head ? s->head : wvl_walk_ht_room_before(at + 1 < s->end ? at[1] : s->first, *at);
        if (left < room) {
            break;
        }
        left -= room;
        at++;
    }
    return at;
}

/* MEL: from the first byte on, each from its highest bit, seven after 0xFF, and over them the run decoder of 7.3.3. */
typedef struct wvl_walk_mel {
    const uint8_t *at, *end;
    const uint8_t *unstuffed; /* as in wvl_walk_forward */
    unsigned byte, left, k, run, is_hit;
} wvl_walk_mel;

/* The last two bytes are read as if Scup were not there. */
static inline unsigned wvl_walk_ht_take_mel_bit(wvl_walk_mel *s)
{
    if (!s->left) {
        unsigned before = s->byte;
        s->left = before == 0xFF ? 7 : 8;
        s->byte = 0xFF;
        if (s->at < s->end) {
            s->byte = s->end - s->at > 2 ? *s->at : s->end - s->at == 2 ? *s->at | 0x0Fu : 0xFF;
            s->unstuffed = before == 0xFF && s->byte > 0x7F && !s->unstuffed ? s->at : s->unstuffed;
            s->at++;
        }
    }
    return s->byte >> --s->left & 1;
}

static inline unsigned wvl_walk_ht_take_event(wvl_walk_mel *s)
{
    static const uint8_t exponents[13] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5};
    if (!s->run && !s->is_hit) {
        unsigned count = exponents[s->k];
        if (wvl_walk_ht_take_mel_bit(s)) {
            s->run = 1u << count;
            s->k += s->k < 12;
        } else {
            while (count--) {
                s->run = s->run << 1 | wvl_walk_ht_take_mel_bit(s);
            }
            s->k -= s->k > 0;
            s->is_hit = 1;
        }
    }
    if (s->run) {
        s->run--;
        return 0;
    }
    s->is_hit = 0;
    return 1;
}
