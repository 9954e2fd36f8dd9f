/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The HT cleanup pass on LANES quads of a row at once (D-ht-02), for blocks whose magnitudes have at most 15 bits in
 * the planes that are coded: what a quad says depends on the quads to its left and above only by their significance and
 * exponents, so that all but the runs of MEL and the places of bits comes out of arithmetic on whole vectors. Vectors
 * go through it in trays, step by step, so that no step waits for one vector's chain of results.
 *
 * A lane of 32 bits is a quad or a column of two samples of one line: the left one in the low half, the right one in
 * the high half. A sample is represented by t = 2 mu - 1, or 0 where mu is 0: t is odd where the sample
 * is significant, and has as many bits as the exponent E.
 *
 * A file that includes this one first defines, with the vectors of base/lanes.h (in `pairs` a number is of two quads):
 *   load16, load32            (line, count, shift, signs) to magnitudes and signs of count <= 2 LANES columns, 0 behind
 *                             them, from samples of 16 or 32 bits
 *   less_one                  halves less 1, but 0 stays
 *   greatest                  of 32-bit lanes
 *   length                    bits of 32-bit lanes below 2^16
 *   at_bit(t, U)              1 where bit U - 1 of a half is set, U >= 1
 *   keep(v, n)                the low n bits of halves, n <= 16
 *   left                      64-bit lanes shifted by up to 64 each
 *   behind(before, now)       every quad's left neighbour
 *   mask_of(v)                a bit for every lane that is not 0
 *   crossed(v)                pairs 1, 0, 3, 2, ...
 *   put_even(to, v)           pairs 0, 2, 4, ...
 *   put_turns(to, even, odd)  even 0, odd 0, even 1, ...
 *   squeeze(bits, members)    the bits of the members side by side
 *   pick(table, index)        of 32-bit lanes; pick_pairs: of pairs
 */
#pragma once

#include "codec/core/gen/ht_tables.h"
#include "codec/ht/plain.h"
#include "codec/ht/segment.h"

#define TRAY 16 /* vectors */

typedef struct lanes_tray {
    lanes top[TRAY], bottom[TRAY]; /* 2 (mu - 1) + sign, by halves */
    lanes U[TRAY], u[TRAY], index[TRAY];
    uint32_t events[TRAY], ones[TRAY]; /* quads that have a MEL event; significant ones */
    unsigned count;
    uint64_t bits[TRAY * LANES + 8], lengths[TRAY * LANES + 8]; /* for a stream */
} lanes_tray;

/* The rows of a block in work. */
typedef struct lanes_job {
    wvl_ht_plain magsgn, vlc, events; /* of MEL, one bit each */
    uint32_t quads, width;
    unsigned shift;
    lanes_tray tray;
} lanes_job;

typedef struct lanes_quads {
    lanes top, bottom, top_sign, bottom_sign; /* t, and 1 for negative samples, by halves */
    lanes context, kappa, rho, U, u;
} lanes_quads;

static inline lanes whole(uint32_t v) { return (lanes){0} + v; }

/* ---- Samples to codes ------------------------------------------------------------------------ */

/* Bits 0 and 16 of both vectors to the four of a quad, in the order of its samples. */
static inline lanes nibbles(lanes top, lanes bottom)
{
    lanes both = top + bottom + bottom;
    return (both | both >> 14) & 15;
}

static inline halves load_line(const uint8_t *line, uint32_t count, unsigned shift, int is_narrow, halves *sign)
{
    return is_narrow ? load16(line, count, shift, sign) : load32(line, count, shift, sign);
}

static inline void load_quads(const lanes_job *j, const uint8_t *above, const uint8_t *below, uint32_t first,
                              int is_narrow, lanes_quads *q)
{
    uint32_t columns = j->width - 2 * first, count = columns < 2 * LANES ? columns : 2 * LANES;
    size_t at = (size_t)first * (is_narrow ? 4 : 8);
    halves sign = {0}, mu = load_line(above + at, count, j->shift, is_narrow, &sign);
    q->top = (lanes)less_one(mu + mu);
    q->top_sign = (lanes)sign;
    q->bottom = q->bottom_sign = (lanes){0};
    if (below) {
        mu = load_line(below + at, count, j->shift, is_narrow, &sign);
        q->bottom = (lanes)less_one(mu + mu);
        q->bottom_sign = (lanes)sign;
    }
    q->rho = nibbles(q->top & 0x10001, q->bottom & 0x10001);
}

/* Bits 0 and 2 of the context, and kappa where several samples are significant. lower: t of the lower samples of the
 * row above, from the quad to the left of the first one on. */
static inline void look_above(const uint32_t *lower, lanes_quads *q)
{
    lanes west, own, east;
    memcpy(&west, lower, sizeof west);
    memcpy(&own, lower + 1, sizeof own);
    memcpy(&east, lower + 2, sizeof east);
    lanes near = own | west >> 16 | east << 16,
          told = near & 0x10001; /* samples left and right of the middle of the quad */
    q->context = (told | told >> 14) & 5;
    q->kappa = greatest(length((near | near >> 16) & 0xFFFF), whole(2)) - 1;
}

static inline void choose_U(int is_first, lanes *rho_before, lanes_quads *q)
{
    lanes west = behind(*rho_before, q->rho), any = q->top | q->bottom, E = length((any | any >> 16) & 0xFFFF);
    lanes is_several = (lanes)((q->rho & (q->rho - 1)) != 0);
    *rho_before = q->rho;
    if (is_first) {
        q->context = west >> 1 | (west & 1);
        q->kappa = whole(1);
    } else {
        q->context |= (lanes)(west > 3) & 2;
        q->kappa = ((q->kappa - 1) & is_several) + 1;
    }
    q->U = greatest(E, q->kappa);
    q->u = q->U - q->kappa;
}

/* Queues what the streams want of a vector; nothing where it goes beyond the last quad. */
static inline void queue_quads(lanes_job *j, const lanes_quads *q, uint32_t first)
{
    static const lanes number = LANES_NUMBERED;
    lanes_tray *b = &j->tray;
    unsigned i = b->count++;
    lanes emb = nibbles(at_bit(q->top, q->U), at_bit(q->bottom, q->U)) & (lanes)(q->u != 0),
          there = (lanes)(number < j->quads - first);
    b->top[i] = (q->top & 0xFFFEFFFE) | q->top_sign;
    b->bottom[i] = (q->bottom & 0xFFFEFFFE) | q->bottom_sign;
    b->U[i] = q->U;
    b->u[i] = q->u;
    b->index[i] = (q->context << 8 | q->rho << 4 | emb) & there;
    b->events[i] = mask_of((lanes)(q->context == 0) & there);
    b->ones[i] = mask_of(q->rho);
}

/* ---- Codes to streams ------------------------------------------------------------------------ */

/* The events of the first row: where both quads of a pair have u > 0, one more. */
static inline void put_first_events(wvl_ht_plain *s, const lanes_tray *b, unsigned i)
{
    uint32_t events = b->events[i], ones = b->ones[i], offset = mask_of(b->u[i]), large = mask_of((lanes)(b->u[i] > 2));
    for (unsigned q = 0; q < LANES; q += 2, events >>= 2, ones >>= 2, offset >>= 2, large >>= 2) {
        wvl_ht_plain_put(s, squeeze(ones, events & 3), (unsigned)__builtin_popcount(events & 3));
        wvl_ht_plain_put(s, (offset & large & 3) == 3, (offset & 3) == 3);
    }
}

static inline void put_events(wvl_ht_plain *s, const lanes_tray *b)
{
    wvl_ht_plain own = *s;
    for (unsigned i = 0; i < b->count; i++) {
        wvl_ht_plain_put(&own, squeeze(b->ones[i], b->events[i]), (unsigned)__builtin_popcount(b->events[i]));
    }
    *s = own;
}

/* CxtVLC: codeword, its bits << 7, e_k << 10. Entries have 16 bits: two are read, from an even place. */
static inline lanes look_up(lanes index, int is_first)
{
    return pick((const uint32_t *)(const void *)wvl_ht_vlc[!is_first], index >> 1) >> ((index & 1) << 4) & 0xFFFF;
}

/* The codewords of pairs: CxtVLC of both quads, then U-VLC of both, at most 30 bits; two pairs at a time. */
static inline unsigned queue_vlc(lanes_tray *b, unsigned at, lanes entry, lanes u_lanes, int is_first)
{
    const pairs low_lane = (pairs){0} + UINT32_MAX;
    pairs word = (pairs)(entry & 0x7F), bits = (pairs)(entry >> 7 & 7), u = (pairs)u_lanes;
    pairs prediction = pick_pairs(wvl_ht_uvlc[!is_first], (u & low_lane) << 5 | u >> 32);
    pairs first = bits & low_lane, both = first + (bits >> 32);
    word = (word & low_lane) | left(word >> 32, first) | left(prediction & 0xFFFF, both);
    bits = both + (prediction >> 16);
    put_even(b->bits + at, word | left(crossed(word), bits));
    put_even(b->lengths + at, bits + crossed(bits));
    return at + LANES / 4;
}

/* Quads in turn, n bits each: by fours where two quads never have more than 32 bits, by twos where they never have more
 * than 64. */
static inline unsigned queue_magsgn(lanes_tray *b, unsigned at, pairs even, pairs even_bits, pairs odd, pairs odd_bits)
{
    pairs n = even_bits + odd_bits, both = even | left(odd, even_bits);
    if (mask_of((lanes)(n > 64))) {
        put_turns(b->bits + at, even, odd);
        put_turns(b->lengths + at, even_bits, odd_bits);
        return at + LANES;
    }
    if (mask_of((lanes)(n > 32))) {
        memcpy(b->bits + at, &both, sizeof both);
        memcpy(b->lengths + at, &n, sizeof n);
        return at + LANES / 2;
    }
    put_even(b->bits + at, both | left(crossed(both), n));
    put_even(b->lengths + at, n + crossed(n));
    return at + LANES / 4;
}

/* Bits 0 and 2 of a quad's four to bits 0 and 16; bits 1 and 3. */
static inline lanes top_of(lanes four) { return (four | four << 14) & 0x10001; }
static inline lanes bottom_of(lanes four) { return (four >> 1 | four << 13) & 0x10001; }

/* Fields of the samples beside each other: U bits of those that are significant, less the one that e_k gives. */
static inline unsigned queue_samples(lanes_tray *b, unsigned at, unsigned i, lanes entry)
{
    const pairs low_lane = (pairs){0} + UINT32_MAX;
    lanes e_k = entry >> 10, U = b->U[i] | b->U[i] << 16, rho = b->index[i] >> 4 & 15;
    lanes top_bits = (U - top_of(e_k)) & (lanes) - (halves)top_of(rho),
          bottom_bits = (U - bottom_of(e_k)) & (lanes) - (halves)bottom_of(rho);
    lanes top = keep(b->top[i], top_bits), bottom = keep(b->bottom[i], bottom_bits);
    lanes bits = top_bits + bottom_bits, quad_bits = (bits & 0xFFFF) + (bits >> 16);
    pairs west = (pairs)((top & 0xFFFF) | (bottom & 0xFFFF) << (top_bits & 0xFFFF)), west_bits = (pairs)(bits & 0xFFFF);
    pairs east = (pairs)(top >> 16 | bottom >> 16 << (top_bits >> 16));
    pairs even = (west & low_lane) | left(east & low_lane, west_bits & low_lane),
          odd = west >> 32 | left(east >> 32, west_bits >> 32);
    return queue_magsgn(b, at, even, (pairs)quad_bits & low_lane, odd, (pairs)quad_bits >> 32);
}

/* The writer is worked on as a copy that no store to memory can alias. */
static inline void put_queue(wvl_ht_plain *s, const lanes_tray *b, unsigned count)
{
    wvl_ht_plain own = *s;
    for (unsigned i = 0; i < count; i++) {
        wvl_ht_plain_put(&own, b->bits[i], (unsigned)b->lengths[i]);
    }
    *s = own;
}

static inline void flush_tray(lanes_job *j, int is_first)
{
    lanes_tray *b = &j->tray;
    lanes entries[TRAY];
    unsigned at = 0;
    if (is_first) {
        for (unsigned i = 0; i < b->count; i++) {
            put_first_events(&j->events, b, i);
        }
    } else {
        put_events(&j->events, b);
    }
    for (unsigned i = 0; i < b->count; i++) {
        entries[i] = look_up(b->index[i], is_first);
        at = queue_vlc(b, at, entries[i], b->u[i], is_first);
    }
    put_queue(&j->vlc, b, at);
    at = 0;
    for (unsigned i = 0; i < b->count; i++) {
        at = queue_samples(b, at, i, entries[i]);
    }
    put_queue(&j->magsgn, b, at);
    b->count = 0;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* A row of quads; lower: of the row above and of this one. */
static inline void code_lanes(lanes_job *j, const uint8_t *above, const uint8_t *below, const uint32_t *lower_before,
                              uint32_t *lower, int is_first, int is_narrow)
{
    lanes rho_before = {0}, nothing = {0};
    for (uint32_t first = 0; first < j->quads; first += LANES) {
        lanes_quads q;
        load_quads(j, above, below, first, is_narrow, &q);
        memcpy(lower + 1 + first, &q.bottom, sizeof q.bottom);
        memcpy(lower + 1 + first + LANES, &nothing, sizeof nothing);
        if (!is_first) {
            look_above(lower_before + first, &q);
        }
        choose_U(is_first, &rho_before, &q);
        queue_quads(j, &q, first);
        if (j->tray.count == TRAY) {
            flush_tray(j, is_first);
        }
    }
    if (is_first) {
        flush_tray(j, 1);
    }
}

#define FETCH_AHEAD 12 /* lines; where it goes beyond the block, the next one mostly follows */

/* A block of 8 KiB is too short for the processor to see the pattern in time. */
static inline void fetch_ahead(const uint8_t *p, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 64) {
        __builtin_prefetch(p + i);
    }
}

static inline void code_all_lanes(lanes_job *j, wvl_ht_scratch *s, const wvl_block_input *in, int is_narrow)
{
    size_t pitch = (size_t)in->stride * in->coef_bytes;
    const uint8_t *line = in->coefs;
    s->lower[0][0] = s->lower[1][0] = 0;
    for (uint32_t y = 0; y < in->height; y += 2, line += 2 * pitch) {
        const uint8_t *below = y + 1 < in->height ? line + pitch : NULL;
        fetch_ahead(line + FETCH_AHEAD * pitch, 2 * pitch);
        uint32_t *lower = s->lower[y >> 1 & 1], *before = s->lower[~y >> 1 & 1];
        if (y) {
            code_lanes(j, line, below, before, lower, 0, is_narrow);
        } else {
            code_lanes(j, line, below, NULL, lower, 1, is_narrow);
        }
    }
    flush_tray(j, 0);
}

/* 2 mu - 1 must have 16 bits. */
static inline int fits_lanes(const wvl_block_input *in, unsigned plane)
{
    return in->coef_bytes == 2 || in->bound >> (in->frac_bits + plane) < 1u << 15;
}

static inline uint32_t encode_lanes(wvl_ht_scratch *s, const wvl_block_input *in, unsigned plane, uint8_t *to)
{
    lanes_job j;
    cleanup c;
    open_segment(&c, s, to);
    j.quads = (in->width + 1u) / 2;
    j.width = in->width;
    j.shift = in->frac_bits + plane;
    j.tray.count = 0;
    wvl_ht_plain_open(&j.magsgn, s->plain_magsgn);
    wvl_ht_plain_open(&j.vlc, s->plain_vlc);
    wvl_ht_plain_open(&j.events, s->plain_events);
    wvl_ht_plain_put(&j.vlc, 15, 4);
    if (in->coef_bytes == 2) {
        code_all_lanes(&j, s, in, 1);
    } else {
        code_all_lanes(&j, s, in, 0);
    }
    wvl_ht_mel_put_plain(&c.mel, s->plain_events, wvl_ht_plain_finish(&j.events, s->plain_events));
    wvl_ht_forward_put_plain(&c.magsgn, s->plain_magsgn, wvl_ht_plain_finish(&j.magsgn, s->plain_magsgn));
    wvl_ht_backward_put_plain(&c.vlc, s->plain_vlc, wvl_ht_plain_finish(&j.vlc, s->plain_vlc));
    return close_segment(&c, s, to);
}
