/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The HT cleanup pass on LANES quads of a row at once, for blocks whose magnitudes have at most 15 bits in the planes that are coded: what a quad
 * says depends on the quads to its left and above only by their significance and exponents, so that all but the runs of MEL and the places of bits
 * comes out of arithmetic on whole vectors.
 *
 * A lane of 32 bits is a quad or a column of two samples of one line: the left one in the low half, the right one in the high half. Samples are told
 * by t = 2 mu - 1, or 0 where mu is 0: odd where significant, and with as many bits as the exponent E.
 *
 * Who includes it defines before:
 *   LANES (8 or 16), lanes, halves, pairs: vectors of uint32_t, uint16_t and, for two quads, uint64_t;
 *   load16, load32: (line, count, shift, signs) to magnitudes and signs of count <= 2 LANES columns, 0 behind them, from samples of 16 or 32 bits;
 *   less_one: halves less 1, but 0 stays; greatest: of 32-bit lanes; length: bits of 32-bit lanes below 2^16;
 *   at_bit(t, U): 1 where bit U - 1 of a half is set, U >= 1; keep(v, n): the low n bits of halves, n <= 16;
 *   left, right: 64-bit lanes shifted by up to 64 each;
 *   behind(before, now): every quad's left neighbour; crossed(v): pairs 1, 0, 3, 2, ...; mask_of(v): a bit for every lane but 0;
 *   pick(table, index) of 32-bit lanes, pick_pairs; LANES_NUMBERED: {0, 1, 2, ...}.
 */
#ifndef WVL_HT_CLEANUP_LANES_H
#define WVL_HT_CLEANUP_LANES_H

#include "codec/core/gen/ht_tables.h"
#include "codec/ht/plain.h"
#include "codec/ht/segment.h"

/* The rows of a block in work. */
typedef struct lanes_job {
    wvl_ht_plain magsgn, vlc;
    wvl_ht_mel mel;
    uint32_t quads, width;
    unsigned shift;
} lanes_job;

typedef struct lanes_quads {
    lanes top, bottom, top_sign, bottom_sign; /* t, and 1 for negative samples, by halves */
    lanes context, kappa, rho, U, u, entry;
} lanes_quads;

static inline lanes whole(uint32_t v) { return (lanes){0} + v; }

/* Bits 0 and 16 of both vectors to the four of a quad, in the order of its samples. */
static inline lanes nibbles(lanes top, lanes bottom)
{
    lanes both = top + bottom + bottom;
    return (both | both >> 14) & 15;
}

static inline void load_quads(const lanes_job *j, const uint8_t *above, const uint8_t *below, uint32_t first, int is_narrow, lanes_quads *q)
{
    uint32_t columns = j->width - 2 * first, count = columns < 2 * LANES ? columns : 2 * LANES;
    size_t at = (size_t)first * (is_narrow ? 4 : 8);
    halves sign = {0}, mu = (is_narrow ? load16 : load32)(above + at, count, j->shift, &sign);
    q->top = (lanes)less_one(mu + mu);
    q->top_sign = (lanes)sign;
    q->bottom = q->bottom_sign = (lanes){0};
    if (below) {
        mu = (is_narrow ? load16 : load32)(below + at, count, j->shift, &sign);
        q->bottom = (lanes)less_one(mu + mu);
        q->bottom_sign = (lanes)sign;
    }
    q->rho = nibbles(q->top & 0x10001, q->bottom & 0x10001);
}

/* Bits 0 and 2 of the context, and kappa where several samples are significant. lower: t of the lower samples of the row above, from the quad to
 * the left of the first one on. */
static inline void look_above(const uint32_t *lower, lanes_quads *q)
{
    lanes west, own, east;
    memcpy(&west, lower, sizeof west);
    memcpy(&own, lower + 1, sizeof own);
    memcpy(&east, lower + 2, sizeof east);
    lanes near = own | west >> 16 | east << 16; /* samples left and right of the middle of the quad */
    q->context = ((near & 0x10001) | (near & 0x10001) >> 14) & 5;
    q->kappa = greatest(length((near | near >> 16) & 0xFFFF), whole(2)) - 1;
}

/* U, u and the CxtVLC codeword; 0 for what is beyond the last quad. */
static inline void choose_codes(const lanes_job *j, uint32_t first, int is_first, lanes *rho_before, lanes_quads *q)
{
    static const lanes number = LANES_NUMBERED;
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
    lanes emb = nibbles(at_bit(q->top, q->U), at_bit(q->bottom, q->U)) & (lanes)(q->u != 0);
    lanes index = (q->context << 8 | q->rho << 4 | emb) & (lanes)(number < j->quads - first);
    /* Entries have 16 bits: two are read, from an even place. */
    q->entry = pick((const uint32_t *)(const void *)wvl_ht_vlc[!is_first], index >> 1) >> ((index & 1) << 4);
    q->entry &= 0xFFFF;
}

static inline void put_each(wvl_ht_plain *s, pairs bits, pairs n, unsigned step)
{
    for (unsigned i = 0; i < LANES / 2; i += step) {
        wvl_ht_plain_put(s, bits[i], (unsigned)n[i]);
    }
}

/* Two vectors' quads in turn, n bits each: by fours where two quads never have more than 32 bits, by twos where they never have more than 64. */
static inline void put_quads(wvl_ht_plain *s, pairs even, pairs even_bits, pairs odd, pairs odd_bits)
{
    pairs n = even_bits + odd_bits, both = even | left(odd, even_bits);
    if (mask_of((lanes)(n > 64))) {
        for (unsigned i = 0; i < LANES / 2; i++) {
            wvl_ht_plain_put(s, even[i], (unsigned)even_bits[i]);
            wvl_ht_plain_put(s, odd[i], (unsigned)odd_bits[i]);
        }
    } else if (mask_of((lanes)(n > 32))) {
        put_each(s, both, n, 1);
    } else {
        put_each(s, both | left(crossed(both), n), n + crossed(n), 2);
    }
}

/* Fields of the samples, U - e_k bits of 2 (mu - 1) + sign each, beside each other. */
static inline void put_magsgn(wvl_ht_plain *s, const lanes_quads *q)
{
    const pairs low_lane = (pairs){0} + UINT32_MAX;
    lanes e_k = q->entry >> 10, U = q->U | q->U << 16;
    lanes top_told = (e_k | e_k << 14) & 0x10001, bottom_told = (e_k >> 1 | e_k << 13) & 0x10001;
    lanes top_bits = (U - top_told) & (lanes)-(halves)(q->top & 0x10001), bottom_bits = (U - bottom_told) & (lanes)-(halves)(q->bottom & 0x10001);
    lanes top = keep((q->top & 0xFFFEFFFE) | q->top_sign, top_bits), bottom = keep((q->bottom & 0xFFFEFFFE) | q->bottom_sign, bottom_bits);
    lanes bits = top_bits + bottom_bits, quad_bits = (bits & 0xFFFF) + (bits >> 16);
    pairs west = (pairs)((top & 0xFFFF) | (bottom & 0xFFFF) << (top_bits & 0xFFFF)), west_bits = (pairs)(bits & 0xFFFF);
    pairs east = (pairs)(top >> 16 | bottom >> 16 << (top_bits >> 16));
    pairs even = (west & low_lane) | left(east & low_lane, west_bits & low_lane), odd = west >> 32 | left(east >> 32, west_bits >> 32);
    put_quads(s, even, (pairs)quad_bits & low_lane, odd, (pairs)quad_bits >> 32);
}

/* The codewords of pairs: CxtVLC of both quads, then U-VLC of both, at most 30 bits; two pairs at a time. */
static inline void put_vlc(wvl_ht_plain *s, const lanes_quads *q, int is_first)
{
    const pairs low_lane = (pairs){0} + UINT32_MAX;
    pairs word = (pairs)(q->entry & 0x7F), bits = (pairs)(q->entry >> 7 & 7), u = (pairs)q->u;
    pairs prediction = pick_pairs(wvl_ht_uvlc[!is_first], (u & low_lane) << 5 | u >> 32);
    pairs first = bits & low_lane, both = first + (bits >> 32);
    word = (word & low_lane) | left(word >> 32, first) | left(prediction & 0xFFFF, both);
    bits = both + (prediction >> 16);
    put_each(s, word | left(crossed(word), bits), bits + crossed(bits), 2);
}

/* events: the quads that have one; which of them are 1. */
static inline void put_mel(wvl_ht_mel *s, uint32_t events, uint32_t ones)
{
    for (ones &= events; ones; ones &= ones - 1) {
        uint32_t until = ones ^ (ones - 1);
        wvl_ht_mel_put_run(s, (unsigned)__builtin_popcount(events & until) - 1);
        wvl_ht_mel_put(s, 1);
        events &= ~until;
    }
    wvl_ht_mel_put_run(s, (unsigned)__builtin_popcount(events));
}

/* Where both quads of a pair have u > 0, one event more. */
static inline void put_first_mel(wvl_ht_mel *s, uint32_t events, uint32_t ones, uint32_t offset, uint32_t large)
{
    for (unsigned q = 0; q < LANES; q += 2) {
        put_mel(s, events & 3u << q, ones);
        if ((offset >> q & 3) == 3) {
            wvl_ht_mel_put(s, (large >> q & 3) == 3);
        }
    }
}

/* A row of quads; lower: of the row above and of this one. */
static inline void code_lanes(lanes_job *j, const uint8_t *above, const uint8_t *below, const uint32_t *lower_before, uint32_t *lower, int is_first,
                              int is_narrow)
{
    lanes rho_before = {0}, nothing = {0};
    for (uint32_t first = 0; first < j->quads; first += LANES) {
        uint32_t there = j->quads - first < LANES ? (1u << (j->quads - first)) - 1 : (uint32_t)((UINT64_C(1) << LANES) - 1);
        lanes_quads q;
        load_quads(j, above, below, first, is_narrow, &q);
        memcpy(lower + 1 + first, &q.bottom, sizeof q.bottom);
        memcpy(lower + 1 + first + LANES, &nothing, sizeof nothing);
        if (!is_first) {
            look_above(lower_before + first, &q);
        }
        choose_codes(j, first, is_first, &rho_before, &q);
        uint32_t events = mask_of((lanes)(q.context == 0)) & there;
        if (is_first) {
            put_first_mel(&j->mel, events, mask_of(q.rho), mask_of(q.u), mask_of((lanes)(q.u > 2)));
        } else {
            put_mel(&j->mel, events, mask_of(q.rho));
        }
        put_magsgn(&j->magsgn, &q);
        put_vlc(&j->vlc, &q, is_first);
    }
}

static inline void code_all_lanes(lanes_job *j, wvl_ht_scratch *s, const wvl_block_input *in, int is_narrow)
{
    size_t pitch = (size_t)in->stride * in->coef_bytes;
    const uint8_t *line = in->coefs;
    s->rows[0].e[0] = s->rows[1].e[0] = 0;
    for (uint32_t y = 0; y < in->height; y += 2, line += 2 * pitch) {
        const uint8_t *below = y + 1 < in->height ? line + pitch : NULL;
        uint32_t *lower = s->rows[y >> 1 & 1].e, *before = s->rows[~y >> 1 & 1].e;
        if (y) {
            code_lanes(j, line, below, before, lower, 0, is_narrow);
        } else {
            code_lanes(j, line, below, NULL, lower, 1, is_narrow);
        }
    }
}

/* Where 2 mu - 1 has 16 bits. */
static inline int fits_lanes(const wvl_block_input *in, unsigned plane)
{
    return in->coef_bytes == 2 || in->bound >> (in->frac_bits + plane) < 1u << 15;
}

static inline uint32_t encode_lanes(wvl_ht_scratch *s, const wvl_block_input *in, unsigned plane, uint8_t *to)
{
    lanes_job j = {.quads = (in->width + 1u) / 2, .width = in->width, .shift = in->frac_bits + plane};
    cleanup c;
    open_segment(&c, s, to);
    j.mel = c.mel;
    wvl_ht_plain_open(&j.magsgn, s->plain_magsgn);
    wvl_ht_plain_open(&j.vlc, s->plain_vlc);
    wvl_ht_plain_put(&j.vlc, 15, 4);
    if (in->coef_bytes == 2) {
        code_all_lanes(&j, s, in, 1);
    } else {
        code_all_lanes(&j, s, in, 0);
    }
    c.mel = j.mel;
    wvl_ht_forward_put_plain(&c.magsgn, s->plain_magsgn, wvl_ht_plain_finish(&j.magsgn, s->plain_magsgn));
    wvl_ht_backward_put_plain(&c.vlc, s->plain_vlc, wvl_ht_plain_finish(&j.vlc, s->plain_vlc));
    return close_segment(&c, s, to);
}

#endif
