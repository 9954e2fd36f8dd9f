/* SPDX-License-Identifier: BSD-2-Clause */
/* The HT SigProp and MagRef passes: one more plane below that of the cleanup pass (15444-15 Annex C). */
#include <string.h>

#include "codec/core/gain.h"
#include "codec/ht/block.h"
#include "codec/ht/streams.h"

/* Stripe columns with a frame of empty ones: index of stripe -1 column -1 is 0. */
typedef struct stripes {
    wvl_ht_scratch *s;
    uint32_t width, count, pitch;
    int is_causal;
} stripes;

static uint32_t column_at(const stripes *t, uint32_t stripe, uint32_t x) { return (stripe + 1) * t->pitch + x + 1; }

static stripes load_stripes(wvl_ht_scratch *s, const wvl_block_input *in, unsigned plane)
{
    stripes t = {s, in->width, (in->height + 3u) / 4, in->width + 2u, (in->style & WVL_STYLE_VSC) != 0};
    size_t bytes = (size_t)t.pitch * (t.count + 2);
    unsigned shift = in->frac_bits + plane;
    memset(s->significant, 0, bytes);
    memset(s->fresh, 0, bytes);
    memset(s->bit, 0, bytes);
    memset(s->negative, 0, bytes);
    for (uint32_t y = 0; y < in->height; y++) {
        for (uint32_t x = 0; x < in->width; x++) {
            uint32_t i = column_at(&t, y / 4, x);
            unsigned negative, row = y & 3;
            uint32_t magnitude = wvl_ht_fetch_sample(in, x, y, &negative);
            s->significant[i] |= (uint8_t)((magnitude >> shift != 0) << row);
            s->bit[i] |= (uint8_t)((magnitude >> (shift - 1) & 1) << row);
            s->negative[i] |= (uint8_t)(negative << row);
        }
    }
    return t;
}

/* ---- SigProp ------------------------------------------------------------------------------------------------------------------- */

/* Samples of a column with a significant neighbour, before any of its own becomes significant. */
static unsigned members_of(const stripes *t, uint32_t i)
{
    const uint8_t *old = t->s->significant, *fresh = t->s->fresh;
    unsigned sides = old[i - 1] | fresh[i - 1] | old[i + 1], own = old[i];
    uint32_t up = i - t->pitch, down = i + t->pitch;
    unsigned above = old[up - 1] | fresh[up - 1] | old[up] | fresh[up] | old[up + 1] | fresh[up + 1];
    unsigned below = t->is_causal ? 0 : old[down - 1] | old[down] | old[down + 1];
    return sides | sides << 1 | sides >> 1 | own << 1 | own >> 1 | above >> 3 | (below & 1) << 3;
}

static void put_column(const stripes *t, uint32_t i, unsigned rows, wvl_ht_forward *stream)
{
    unsigned members = members_of(t, i), own = t->s->significant[i], bits = t->s->bit[i], fresh = 0, code = 0, count = 0;
    for (unsigned row = 0; row < rows; row++) {
        if ((members >> row & 1) && !(own >> row & 1)) {
            unsigned bit = bits >> row & 1;
            code |= bit << count++;
            fresh |= bit << row;
            members |= bit << (row + 1);
        }
    }
    t->s->fresh[i] = (uint8_t)fresh;
    wvl_ht_forward_put(stream, code, count);
}

static void put_signs(const stripes *t, uint32_t i, wvl_ht_forward *stream)
{
    for (unsigned fresh = t->s->fresh[i], signs = t->s->negative[i]; fresh; fresh >>= 1, signs >>= 1) {
        if (fresh & 1) {
            wvl_ht_forward_put(stream, signs & 1, 1);
        }
    }
}

/* Groups of four columns: their bits, then the signs of what became significant. */
static void put_propagation(const stripes *t, uint32_t height, wvl_ht_forward *stream)
{
    for (uint32_t stripe = 0; stripe < t->count; stripe++) {
        unsigned rows = height - 4 * stripe < 4 ? height - 4 * stripe : 4;
        for (uint32_t x = 0; x < t->width; x += 4) {
            uint32_t end = x + 4 < t->width ? x + 4 : t->width;
            for (uint32_t k = x; k < end; k++) {
                put_column(t, column_at(t, stripe, k), rows, stream);
            }
            for (uint32_t k = x; k < end; k++) {
                put_signs(t, column_at(t, stripe, k), stream);
            }
        }
    }
}

/* ---- MagRef -------------------------------------------------------------------------------------------------------------------- */

static void put_magnitude_bits(const stripes *t, wvl_ht_backward *stream)
{
    for (uint32_t stripe = 0; stripe < t->count; stripe++) {
        for (uint32_t x = 0; x < t->width; x++) {
            uint32_t i = column_at(t, stripe, x);
            unsigned own = t->s->significant[i], bits = t->s->bit[i], code = 0, count = 0;
            for (; own; own >>= 1, bits >>= 1) {
                code |= (own & bits & 1) << count;
                count += own & 1;
            }
            wvl_ht_backward_put(stream, code, count);
        }
    }
}

/* ---- The segment --------------------------------------------------------------------------------------------------------------- */

/* SigProp alone: decoders read 0s beyond the end, and the last byte must not be 0xFF. Where MagRef follows, that end is kept aside. */
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
static uint8_t *join(wvl_ht_forward *sigprop, wvl_ht_backward *magref)
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

wvl_ht_refinement wvl_ht_encode_refinement(wvl_ht_scratch *s, const wvl_block_input *in, unsigned plane, int with_magref, uint8_t *to)
{
    stripes t = load_stripes(s, in, plane);
    uint8_t *end = s->refinement + sizeof s->refinement;
    wvl_ht_refinement r;
    wvl_ht_forward sigprop;
    wvl_ht_backward magref;
    memset(&r, 0, sizeof r);
    wvl_ht_forward_open(&sigprop, to);
    put_propagation(&t, in->height, &sigprop);
    wvl_ht_forward_finish(&sigprop);
    end_propagation(&sigprop, to, &r);
    if (!with_magref) {
        memcpy(to + r.tail_at, r.tail, r.sigprop_bytes - r.tail_at);
        r.bytes = r.sigprop_bytes;
        return r;
    }
    wvl_ht_backward_open(&magref, end);
    put_magnitude_bits(&t, &magref);
    wvl_ht_backward_finish(&magref);
    uint8_t *at = join(&sigprop, &magref);
    memcpy(at, magref.at, (size_t)(end - magref.at));
    r.bytes = (uint32_t)(at - to) + (uint32_t)(end - magref.at);
    return r;
}

/* ---- Distortion ---------------------------------------------------------------------------------------------------------------- */

__extension__ typedef __int128 wide;

static int64_t saturate(wide v)
{
    const wide most = (wide)1 << 62;
    return v > most ? (int64_t)most : v < -most ? -(int64_t)most : (int64_t)v;
}

/*
 * Cleanup: with k = m >> P the decoder puts a sample at (k + 1/2) 2^P, which removes (2k + 1) t - (k + 1/2)^2 of t = m / 2^P; exact samples
 * remove t^2. As quarters of 2^P: (8k + 4) m - (2k + 1)^2 2^P, and 4 m^2.
 */
int64_t wvl_ht_measure_cleanup(const wvl_block_input *in, unsigned plane)
{
    unsigned P = in->frac_bits + plane;
    int exact = in->reversible && P == 0;
    wide gain = 0;
    for (uint32_t y = 0; y < in->height; y++) {
        int64_t row = 0; /* below 1024 * 2^34 for 16-bit samples; deeper ones go to the wide sum one by one */
        for (uint32_t x = 0; x < in->width; x++) {
            unsigned negative;
            uint64_t m = wvl_ht_fetch_sample(in, x, y, &negative), k = m >> P;
            if (!k) {
                continue;
            }
            if (in->coef_bytes == 2) {
                row += exact ? (int64_t)(4 * m * m) : (int64_t)((8 * k + 4) * m) - (int64_t)(((2 * k + 1) * (2 * k + 1)) << P);
            } else {
                gain += exact ? (wide)(4 * m) * (wide)m : (wide)(8 * k + 4) * (wide)m - ((wide)((2 * k + 1) * (2 * k + 1)) << P);
            }
        }
        gain += row;
    }
    return saturate(gain);
}

/* 1 where the sample belongs to the part: SigProp made it significant, it was so before, or its first bit is left for the cleanup pass. */
static unsigned is_member(const wvl_ht_scratch *s, uint32_t i, unsigned row, uint64_t magnitude, unsigned P, int part)
{
    unsigned significant = s->significant[i] >> row & 1, fresh = s->fresh[i] >> row & 1;
    return part == WVL_HT_MAGREF ? significant : part == WVL_HT_SIGPROP ? fresh : !significant && !fresh && (magnitude >> P & 1);
}

int64_t wvl_ht_measure_plane(const wvl_ht_scratch *s, const wvl_block_input *in, unsigned plane, int part)
{
    unsigned P = in->frac_bits + plane;
    int exact = in->reversible && P == 0;
    uint32_t pitch = in->width + 2u;
    uint64_t sum = 0, count = 0, middle = UINT64_C(1) << P;
    for (uint32_t y = 0; y < in->height; y++) {
        for (uint32_t x = 0; x < in->width; x++) {
            unsigned negative;
            uint64_t magnitude = wvl_ht_fetch_sample(in, x, y, &negative), low = magnitude & (2 * middle - 1);
            unsigned member = is_member(s, (y / 4 + 1) * pitch + x + 1, y & 3, magnitude, P, part);
            uint64_t value = part != WVL_HT_MAGREF ? low : low > middle ? low - middle : middle - low;
            sum += member ? value : 0;
            count += member;
        }
    }
    return part == WVL_HT_MAGREF ? wvl_gain_refined(sum, count, P, exact) : wvl_gain_significant(sum, count, P, exact);
}
