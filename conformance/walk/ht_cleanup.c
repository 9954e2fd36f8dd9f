/* SPDX-License-Identifier: BSD-2-Clause */
/* The HT cleanup pass (15444-15 7.3), from the standard's decoding procedures (D-check-01). Exponents of the row above
 * give its significance too: E is 0 where a sample is 0. */
#include <string.h>

#include "gen/ht_codewords.h"
#include "ht.h"
#include "ht_streams.h"

#define PAIR_BITS 38u /* of VLC at most: two codewords of 7, two residuals of 12 */
#define WIDEST                                                                                                         \
    56u /* bits of a magnitude and its sign that one refill covers; Mb is below 40 without a region of interest */

typedef struct decoder {
    const wvl_walk_ht_block *block;
    wvl_walk_forward magsgn;
    wvl_walk_backward vlc;
    wvl_walk_mel mel;
    const uint16_t *codewords; /* of the quad row at hand */
    const uint8_t *above;      /* exponents of the row above, from one column before the block on */
    uint8_t *below;            /* of this row */
    uint8_t *map;              /* sample 0, 0; NULL where nothing is refined */
    unsigned stride, row;      /* of the map; the quad row */
    uint64_t limit, most;      /* of 2 mu - 1: what it has to stay below, and the greatest one */
    int is_any, is_unjudged;   /* a sample is significant; magnitudes are wider than this code reads */
    wvl_walk_ht_finding found;
} decoder;

static int fail(decoder *d, wvl_walk_ht_fault fault, unsigned a, unsigned b)
{
    d->found.fault = fault;
    d->found.a = a;
    d->found.b = b;
    return 0;
}

/* ---- Codewords ------------------------------------------------------------------------------- */

/* 7.3.5. 0: MEL says that the quad is insignificant. */
static unsigned take_codeword(decoder *d, unsigned context)
{
    if (!context && !wvl_walk_ht_take_event(&d->mel)) {
        return 0;
    }
    unsigned found = d->codewords[context << 7 | (d->vlc.bits & 127)];
    (void)wvl_walk_ht_take_backward(&d->vlc, found & 7);
    return found;
}

static unsigned significance_of(unsigned codeword) { return codeword >> 4 & 15; }

static unsigned take_prefix(wvl_walk_backward *s)
{
    static const uint8_t lengths[8] = {3, 1, 2, 1, 3, 1, 2, 1}, values[8] = {5, 1, 2, 1, 3, 1, 2, 1};
    unsigned next = s->bits & 7;
    (void)wvl_walk_ht_take_backward(s, lengths[next]);
    return values[next];
}

static unsigned take_suffix(wvl_walk_backward *s, unsigned prefix)
{
    return prefix < 3 ? 0 : wvl_walk_ht_take_backward(s, prefix == 3 ? 1 : 5);
}

static unsigned take_extension(wvl_walk_backward *s, unsigned suffix)
{
    return suffix < 28 ? 0 : wvl_walk_ht_take_backward(s, 4);
}

/* 7.3.6: u of the two quads of a pair; those without u_off have 0. At most 24 bits. */
static void take_residuals(decoder *d, unsigned first, unsigned second, unsigned u[2])
{
    wvl_walk_backward *s = &d->vlc;
    int is_both = first & second & 8, exceeds = is_both && !d->row && wvl_walk_ht_take_event(&d->mel);
    unsigned prefix[2] = {0, 0}, suffix[2];
    u[0] = u[1] = 0;
    if (!((first | second) & 8)) {
        return;
    }
    prefix[0] = first & 8 ? take_prefix(s) : 0;
    if (is_both && !d->row && !exceeds && prefix[0] > 2) { /* the second is 1 or 2 then */
        u[1] = 1 + wvl_walk_ht_take_backward(s, 1);
    } else {
        prefix[1] = second & 8 ? take_prefix(s) : 0;
    }
    suffix[0] = take_suffix(s, prefix[0]);
    suffix[1] = take_suffix(s, prefix[1]);
    u[0] = prefix[0] + suffix[0] + 4 * take_extension(s, suffix[0]) + (exceeds ? 2 : 0);
    u[1] += prefix[1] + suffix[1] + 4 * take_extension(s, suffix[1]) + (exceeds ? 2 : 0);
}

/* ---- Samples --------------------------------------------------------------------------------- */

static unsigned length_of(uint64_t value) { return value ? 64 - (unsigned)__builtin_clzll(value) : 0; }

/* 7.3.8: the samples of a quad with the bound U, without a branch on their significance; their E, 0 for those that are
 * not there. The greatest 2 mu - 1, or 1. */
static inline uint64_t take_samples(wvl_walk_forward *s, unsigned codeword, unsigned bound, unsigned exponents[4])
{
    uint64_t most = 1;
    for (unsigned n = 0; n < 4; n++) {
        unsigned is_there = codeword >> (4 + n) & 1, count = (bound - (codeword >> (8 + n) & 1)) & (0u - is_there);
        if (bound > WVL_WALK_HT_READY / 4) {
            wvl_walk_ht_refill_forward(s);
        }
        uint64_t odd = wvl_walk_ht_take_forward(s, count) | (uint64_t)(codeword >> (12 + n) & 1) << count | 1;
        exponents[n] = (64 - (unsigned)__builtin_clzll(odd)) & (0u - is_there);
        most = odd > most ? odd : most;
    }
    return most;
}

static unsigned greatest(unsigned a, unsigned b) { return a > b ? a : b; }

/* 7.3.7. */
static unsigned predict(const decoder *d, unsigned x, unsigned significance)
{
    const uint8_t *e = d->above + x;
    unsigned most = greatest(greatest(e[0], e[1]), greatest(e[2], e[3]));
    return (significance & (significance - 1)) && most > 2 ? most - 1 : 1;
}

/* Samples of the quad at column x; its lower ones' exponents go to the row. */
static int take_quad(decoder *d, unsigned x, unsigned codeword, unsigned u)
{
    const wvl_walk_ht_block *block = d->block;
    unsigned significance = significance_of(codeword), exponents[4];
    uint64_t most;
    unsigned outside = (x + 1 == block->width ? 12u : 0) | (2 * d->row + 1 == block->height ? 10u : 0);
    unsigned bound = predict(d, x, significance) + u;
    if (bound > block->skipped + 2) {
        return fail(d, WVL_WALK_HT_EXPONENT, bound, block->skipped + 2);
    }
    if (significance & outside) {
        return fail(d, WVL_WALK_HT_OUTSIDE, x, 2 * d->row);
    }
    if (bound > WIDEST) {
        d->is_unjudged = 1;
        return 0;
    }
    if (d->magsgn.left < 4 * bound) {
        wvl_walk_ht_refill_forward(&d->magsgn);
    }
    most = take_samples(&d->magsgn, codeword, bound, exponents);
    if (most >= d->limit) {
        return fail(d, WVL_WALK_HT_MAGNITUDE, length_of((most >> 1) + 1), block->skipped + 1);
    }
    d->most = most > d->most ? most : d->most;
    d->is_any |= significance != 0;
    d->below[x + 1] = (uint8_t)exponents[1];
    d->below[x + 2] = (uint8_t)exponents[3];
    if (d->map) {
        uint8_t *at = d->map + (size_t)2 * d->row * d->stride + x;
        for (unsigned n = 0; n < 4; n++) {
            if (significance >> n & 1) {
                at[(n & 1) * d->stride + (n >> 1)] = 1;
            }
        }
    }
    return 1;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Formulas of 7.3.5: bit 0 and bit 2 from the row above, or all from the quad to the left in the first row. */
static unsigned context_of(const decoder *d, unsigned x, unsigned left)
{
    const uint8_t *e = d->above + x;
    if (!d->row) {
        return left >> 1 | (left & 1);
    }
    return (unsigned)(e[0] || e[1]) | (left & 12 ? 2u : 0) | (e[2] || e[3] ? 4u : 0);
}

static int take_row(decoder *d)
{
    unsigned left = 0, u[2];
    for (unsigned x = 0; x < d->block->width; x += 4) {
        unsigned first, second = 0;
        int has_second = x + 2 < d->block->width;
        if (d->vlc.left < PAIR_BITS) {
            wvl_walk_ht_refill_backward(&d->vlc);
        }
        first = take_codeword(d, context_of(d, x, left));
        left = significance_of(first);
        if (has_second) {
            second = take_codeword(d, context_of(d, x + 2, left));
            left = significance_of(second);
        }
        take_residuals(d, first, second, u);
        if (!(first | second)) {
            memset(d->below + x + 1, 0, has_second ? 4 : 2);
        } else if (!take_quad(d, x, first, u[0]) || (has_second && !take_quad(d, x + 2, second, u[1]))) {
            return 0;
        }
    }
    return 1;
}

static void begin(decoder *d, const uint8_t *data, size_t bytes, unsigned scup)
{
    const uint8_t *suffix = data + bytes - scup;
    unsigned nibble = data[bytes - 2] >> 4, has_seven = (nibble & 7) == 7;
    d->magsgn = (wvl_walk_forward){.start = data, .at = data, .end = suffix, .fill = 0xFF};
    d->mel = (wvl_walk_mel){.at = suffix, .end = data + bytes};
    d->vlc = (wvl_walk_backward){.start = suffix,
                                 .at = data + bytes - 2,
                                 .end = data + bytes - 1,
                                 .bits = has_seven ? 7 : nibble,
                                 .left = has_seven ? 3 : 4};
    d->vlc.head = d->vlc.left;
    d->vlc.last = data[bytes - 2];
}

/* What makes all that follows meaningless comes before what was found in it. 0: nothing. */
static int find_cause(decoder *d, const uint8_t *data)
{
    uint64_t magsgn = wvl_walk_ht_taken_filler(d->magsgn.filler, d->magsgn.left),
             vlc = wvl_walk_ht_taken_filler(d->vlc.filler, d->vlc.left);
    if (d->magsgn.unstuffed) {
        d->found.at = (size_t)(d->magsgn.unstuffed - data);
        (void)fail(d, WVL_WALK_HT_MAGSGN_STUFFING, 0, 0);
    } else if (vlc) {
        d->found.at = (size_t)(d->vlc.start - data);
        (void)fail(d, WVL_WALK_HT_VLC_SHORT, (unsigned)vlc, 0);
    } else if (magsgn > wvl_walk_ht_room_after(d->magsgn.last)) { /* one byte 0xFF may be read behind the end */
        d->found.at = (size_t)(d->magsgn.end - data);
        (void)fail(d, WVL_WALK_HT_MAGSGN_SHORT, (unsigned)magsgn, 0);
    } else {
        return 0;
    }
    return 1;
}

/* The pass was read to its end: do its streams meet as they should? Encoders write a byte more behind 0xFF, or
 * where one stream has nothing to share with the other's last byte. */
static void judge_ends(decoder *d, const uint8_t *data, size_t bytes)
{
    const uint8_t *mel = d->mel.at, *vlc = wvl_walk_ht_end_backward(&d->vlc),
                  *magsgn = wvl_walk_ht_end_forward(&d->magsgn);
    const uint8_t *scup = data + bytes - 2, *tail = vlc < scup ? vlc : scup;
    if (vlc <= scup && *scup >> 4 == 15) {
        d->found.at = bytes - 2;
        (void)fail(d, WVL_WALK_HT_VLC_STUFFING, 0, 0);
    } else if (d->mel.unstuffed) {
        d->found.at = (size_t)(d->mel.unstuffed - data);
        (void)fail(d, WVL_WALK_HT_MEL_STUFFING, 0, 0);
    } else if (mel > vlc + 1) {
        d->found.at = (size_t)(vlc - data);
        (void)fail(d, WVL_WALK_HT_CLEANUP_OVERLAP, (unsigned)(mel - vlc), 0);
    } else if (magsgn < d->magsgn.end || mel + 1 < tail) {
        d->found.at = (size_t)((magsgn < d->magsgn.end ? magsgn : mel) - data);
        (void)fail(d, WVL_WALK_HT_CLEANUP_UNREAD, (unsigned)((d->magsgn.end - magsgn) + (mel < tail ? tail - mel : 0)),
                   0);
    }
}

wvl_walk_ht_finding wvl_check_decode_cleanup(const wvl_walk_ht_block *block, const uint8_t *data, size_t bytes,
                                             int is_refined, wvl_walk_ht_work *work, unsigned *bits)
{
    decoder d = {.block = block, .stride = block->width + 2, .most = 1, .limit = UINT64_MAX};
    int is_good = 1;
    if (block->skipped + 2 < WIDEST) {
        d.limit = (UINT64_C(1) << (block->skipped + 2)) - 1; /* mu has S_blk + 1 bits */
    }
    begin(&d, data, bytes, (unsigned)data[bytes - 1] << 4 | (data[bytes - 2] & 15));
    memset(work->exponents, 0, sizeof work->exponents);
    if (is_refined) {
        memset(work->map, 0, (size_t)d.stride * (block->height + 2));
        d.map = work->map + d.stride + 1;
    }
    for (d.row = 0; is_good && 2 * d.row < block->height; d.row++) {
        d.codewords = wvl_check_ht_codewords[d.row != 0];
        d.above = work->exponents[d.row & 1];
        d.below = work->exponents[~d.row & 1];
        is_good = take_row(&d) && !find_cause(&d, data);
    }
    if (!is_good && !d.is_unjudged) {
        d.found.at =
            d.found.fault >= WVL_WALK_HT_EXPONENT ? (size_t)(wvl_walk_ht_end_forward(&d.magsgn) - data) : d.found.at;
        (void)find_cause(&d, data);
    } else if (is_good) {
        judge_ends(&d, data, bytes);
    }
    *bits = d.is_any ? length_of((d.most >> 1) + 1) : 0;
    return d.found;
}
