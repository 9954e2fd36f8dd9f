/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The HT SigProp and MagRef passes, one plane below the cleanup pass (15444-15 Annex C), compiled once for every level
 * of processors. Who includes it defines before: static void load_stripes(s, in, shift): significance, next bit and
 * sign of every stripe column, from bit `shift` of the magnitudes on.
 */
#pragma once

#include <string.h>

#include "codec/core/gen/ht_tables.h"
#include "codec/ht/ht_block.h"
#include "codec/ht/streams.h"
#ifdef __BMI2__
#include <immintrin.h>
#endif

/* Bits of `from` where `which` has 1s, next to each other. */
static inline uint32_t extract(uint32_t from, uint32_t which)
{
#ifdef __BMI2__
    return _pext_u32(from, which);
#else
    uint32_t bits = 0;
    for (unsigned n = 0; which; which &= which - 1, n++) {
        bits |= (from >> __builtin_ctz(which) & 1) << n;
    }
    return bits;
#endif
}

/* Four stripe columns in the bytes of a word. */
static inline uint32_t load_four(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* ---- SigProp --------------------------------------------------------------------------------- */

/* Samples of four columns with a significant neighbour, before any of these columns gets new ones. */
static inline uint32_t members_of(const wvl_ht_scratch *s, uint32_t i, uint32_t pitch, int is_causal)
{
    const uint8_t *old = s->significant + i, *fresh = s->fresh + i;
    uint32_t own = load_four(old), sides = load_four(old - 1) | load_four(fresh - 1) | load_four(old + 1), above = 0;
    for (unsigned k = 0; k < 3; k++) {
        above |= load_four(old - pitch - 1 + k) | load_four(fresh - pitch - 1 + k);
    }
    uint32_t below = is_causal ? 0 : load_four(old + pitch - 1) | load_four(old + pitch) | load_four(old + pitch + 1);
    uint32_t near =
        sides | sides << 1 | sides >> 1 | own << 1 | own >> 1 | (above >> 3 & 0x01010101u) | (below & 0x01010101u) << 3;
    return near & 0x0F0F0F0Fu;
}

/* A group of up to four columns: their bits, then the signs of what became significant. absent: samples that do not
 * exist. */
static inline void put_group(wvl_ht_scratch *s, uint32_t i, uint32_t pitch, uint32_t columns, uint32_t absent,
                             int is_causal, wvl_ht_forward *stream)
{
    uint32_t members = members_of(s, i, pitch, is_causal), own = load_four(s->significant + i) | absent;
    if (!(members & ~own)) {
        return;
    }
    uint32_t bits = load_four(s->bit + i), all_fresh = 0, fresh = 0, code = 0;
    unsigned count = 0;
    for (uint32_t k = 0; k < columns; k++) {
        uint32_t near = (members >> 8 * k | fresh | fresh << 1 | fresh >> 1) & 15;
        unsigned entry = wvl_ht_column[near | (own >> 8 * k & 15) << 4 | (bits >> 8 * k & 15) << 8];
        code |= (entry & 15u) << count;
        count += entry >> 4 & 7;
        fresh = entry >> 8;
        s->fresh[i + k] = (uint8_t)fresh;
        all_fresh |= fresh << 8 * k;
    }
    uint32_t signs = extract(load_four(s->negative + i), all_fresh);
    wvl_ht_forward_put(stream, code | signs << count,
                       count + (unsigned)__builtin_popcount(all_fresh)); /* at most 16 of either */
}

static void put_propagation(wvl_ht_scratch *s, const wvl_block_input *in, wvl_ht_forward *stream)
{
    uint32_t width = in->width, height = in->height, pitch = width + 2;
    int is_causal = (in->style & WVL_STYLE_VSC) != 0;
    for (uint32_t stripe = 0; 4 * stripe < height; stripe++) {
        uint32_t rows = height - 4 * stripe < 4 ? height - 4 * stripe : 4, absent = (15u << rows & 15u) * 0x01010101u;
        for (uint32_t x = 0; x < width; x += 4) {
            uint32_t columns = width - x < 4 ? width - x : 4, beyond = columns < 4 ? ~0u << 8 * columns : 0;
            put_group(s, (stripe + 1) * pitch + x + 1, pitch, columns, absent | beyond, is_causal, stream);
        }
    }
}

/* ---- MagRef ---------------------------------------------------------------------------------- */

static void put_magnitude_bits(const wvl_ht_scratch *s, const wvl_block_input *in, wvl_ht_backward *stream)
{
    uint32_t width = in->width, pitch = width + 2;
    for (uint32_t stripe = 0; 4 * stripe < in->height; stripe++) {
        for (uint32_t x = 0; x < width; x += 4) {
            uint32_t i = (stripe + 1) * pitch + x + 1, columns = width - x < 4 ? width - x : 4;
            uint32_t own = load_four(s->significant + i) & (columns < 4 ? ~(~0u << 8 * columns) : ~0u);
            wvl_ht_backward_put(stream, extract(load_four(s->bit + i), own), (unsigned)__builtin_popcount(own));
        }
    }
}

/* ---- The segment ----------------------------------------------------------------------------- */

/* SigProp alone: decoders read 0s beyond the end, and the last byte must not be 0xFF. Where MagRef follows, that end is
 * kept aside. */
static void end_propagation(const wvl_ht_forward *stream, const uint8_t *to, wvl_ht_refinement *r)
{
    r->tail_at = (uint32_t)(stream->at - to);
    r->sigprop_bytes = r->tail_at;
    if (stream->count || stream->after_ff) {
        r->tail[0] = (uint8_t)stream->bits;
        r->sigprop_bytes++;
    }
}

/* Both streams fill their last bytes from the lowest bit; one byte serves both where their bits agree. */
static uint8_t *join_refinement(wvl_ht_forward *sigprop, wvl_ht_backward *magref)
{
    unsigned forward = (unsigned)sigprop->bits, backward = (unsigned)magref->bits, both = forward | backward;
    unsigned mask = ((1u << sigprop->count) - 1) | (sigprop->after_ff ? 0x80u : 0), other = (1u << magref->count) - 1;
    uint8_t *at = sigprop->at;
    if (mask && other && !((forward ^ backward) & mask & other) && both != 0xFF) {
        *at++ = (uint8_t)both;
        return at;
    }
    if (mask) {
        *at++ = (uint8_t)forward;
    }
    if (other) {
        *at++ = (uint8_t)backward;
    }
    return at;
}

static wvl_ht_refinement encode_refinement(wvl_ht_scratch *s, const wvl_block_input *in, unsigned plane,
                                           int with_magref, uint8_t *to)
{
    uint8_t *end = s->refinement + sizeof s->refinement;
    wvl_ht_refinement r;
    wvl_ht_forward sigprop;
    wvl_ht_backward magref;
    memset(&r, 0, sizeof r);
    load_stripes(s, in, in->frac_bits + plane);
    wvl_ht_forward_open(&sigprop, to);
    put_propagation(s, in, &sigprop);
    wvl_ht_forward_finish(&sigprop);
    end_propagation(&sigprop, to, &r);
    if (!with_magref) {
        memcpy(to + r.tail_at, r.tail, r.sigprop_bytes - r.tail_at);
        r.bytes = r.sigprop_bytes;
        return r;
    }
    wvl_ht_backward_open(&magref, end);
    put_magnitude_bits(s, in, &magref);
    wvl_ht_backward_finish(&magref);
    uint8_t *at = join_refinement(&sigprop, &magref);
    memcpy(at, magref.at, (size_t)(end - magref.at));
    r.bytes = (uint32_t)(at - to) + (uint32_t)(end - magref.at);
    return r;
}
