/* SPDX-License-Identifier: BSD-2-Clause */
/* The three streams of a cleanup segment, and how they become one. */
#pragma once

#include <string.h>

#include "codec/ht/ht_block.h"
#include "codec/ht/streams.h"

typedef struct cleanup {
    wvl_ht_forward magsgn;
    wvl_ht_backward vlc;
    wvl_ht_mel mel;
} cleanup;

/* Begins a segment at `to`; the last two bytes of VLC are Scup's, twelve bits of it. */
static inline void open_segment(cleanup *c, wvl_ht_scratch *s, uint8_t *to)
{
    wvl_ht_forward_open(&c->magsgn, to);
    wvl_ht_mel_open(&c->mel, s->mel);
    wvl_ht_backward_open(&c->vlc, s->vlc + sizeof s->vlc);
    *--c->vlc.at = 0xFF;
}

/* What a decoder reads beyond the end are 1s. */
static inline uint8_t *end_magsgn(wvl_ht_forward *s)
{
    wvl_ht_forward_finish(s);
    if (s->count) {
        unsigned room = 8 - s->after_ff;
        uint8_t byte = (uint8_t)((s->bits | ~UINT64_C(0) << s->count) & ((1u << room) - 1));
        if (byte != 0xFF) {
            *s->at++ = byte;
        }
    } else if (s->after_ff) {
        s->at--;
    }
    return s->at;
}

/* The last MEL byte, filled from its highest bit, and the last VLC byte, filled from its lowest, are one where they may
 * be. The byte that Scup takes half of is not shared. */
static inline void join(wvl_ht_mel *mel, wvl_ht_backward *vlc, const uint8_t *vlc_end)
{
    if (mel->run) {
        wvl_ht_mel_put_bit(mel, 1);
    }
    wvl_ht_backward_finish(vlc);
    unsigned mel_byte = mel->byte << mel->room, mel_mask = 0xFFu << mel->room & 0xFFu;
    unsigned vlc_byte = (unsigned)vlc->bits, vlc_mask = (1u << vlc->count) - 1, both = mel_byte | vlc_byte;
    int mel_is_open = mel->room != 8, vlc_is_open = vlc->count != 0;
    if (mel_is_open && vlc_is_open && !((mel_byte ^ vlc_byte) & mel_mask & vlc_mask) && both != 0xFF &&
        vlc_end - vlc->at > 1) {
        *mel->at++ = (uint8_t)both;
        return;
    }
    if (mel_is_open) {
        *mel->at++ = (uint8_t)mel_byte; /* never 0xFF: the lowest bit is open */
    }
    if (vlc_is_open) {
        *--vlc->at = (uint8_t)vlc_byte;
    }
}

/* Returns the bytes of the segment. */
static inline uint32_t close_segment(cleanup *c, const wvl_ht_scratch *s, const uint8_t *to)
{
    const uint8_t *vlc_end = s->vlc + sizeof s->vlc;
    uint8_t *end = end_magsgn(&c->magsgn);
    join(&c->mel, &c->vlc, vlc_end);
    size_t mel_bytes = (size_t)(c->mel.at - s->mel), vlc_bytes = (size_t)(vlc_end - c->vlc.at),
           suffix = mel_bytes + vlc_bytes;
    memcpy(end, s->mel, mel_bytes);
    memcpy(end + mel_bytes, c->vlc.at, vlc_bytes);
    end += suffix;
    end[-1] = (uint8_t)(suffix >> 4);
    end[-2] = (uint8_t)((end[-2] & 0xF0) | (suffix & 15));
    return (uint32_t)(end - to);
}
