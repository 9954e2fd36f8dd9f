/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rate-distortion optimised quantisation for the slope at which a block is going to end. Where the decoder will stop
 * follows from the slope and the block's own samples: at steps of which a bit is worth a quarter or so of the square.
 * Samples near the border of one of its cells then go to the other side where error + slope * bits is less there, as
 * the decoder has them, in the middle of cells: those just above a border down, isolated ones to zero, and those below
 * the last step up to it where their neighbours make it likely.
 *
 * It changes bytes, so it depends on nothing but the samples and the slope. Bits by neighbours are a table, found by
 * measurement (D-rdoq-01).
 *
 * These are its rules, shared by host and device. The loops over samples are kernels of each
 * (codec/rate/rdoq_kernels.h).
 */
#pragma once

#include "codec/core/block.h"
#include "codec/core/hull.h"

/* Passes that are candidates beyond the end foreseen, at most: what bytes saved elsewhere may buy. */
#define WVL_RDOQ_MORE_PASSES 2u
/* How much less steep a picture ends that was quantised for its end. */
#define WVL_RDOQ_FALL 32u
/* A block is quantised well enough for slopes so near the one that it was quantised for. */
#define WVL_RDOQ_REACH 112u

/* ---- Samples --------------------------------------------------------------------------------- */

/*
 * A sample is split at a plane P of step S = 2^P: its level is 0 below S, then 1, 2, 3 for octaves from S on, and 4
 * from 8 S on; its fraction is how far it lies above the lower end of its octave (below 2 S: above S), in S / 128, held
 * to -128..127. Levels and fractions are bytes in rows of wvl_rdoq_pitch(width); those of a block begin at the second
 * byte of the second row, what surrounds levels is 0, and so is all beyond the block.
 */
#define WVL_RDOQ_WORDS 16u /* bits of the longest row */

WVL_HD uint32_t wvl_rdoq_pitch(uint32_t width) { return (width + 31) / 32 * 32 + 2; }

/* Samples below 2 S, those at a neighbour of 2 S or more first: how many, how many of them from S on, and the fractions
 * of these summed. */
typedef struct wvl_rdoq_sums {
    uint32_t near, near_fresh, near_fractions;
    uint32_t far, far_fresh, far_fractions;
    uint32_t above; /* samples from 2 S on */
} wvl_rdoq_sums;

/*
 * The fraction from which a sample stays in its cell, or below S goes up to it, by its neighbours: those at its level
 * (at S, below S) or above, counted twice beside and above or below it, once at the corners. -128: always, 127: never.
 */
typedef struct wvl_rdoq_rule {
    int8_t first[16];  /* below 2 S; with `needs` only at a neighbour from 2 S on, others are let alone */
    int8_t second[16]; /* from 2 S on */
    int8_t more[16];   /* from 4 S on */
    int8_t alone;      /* from 2 S on without a neighbour there, with `needs` */
    uint8_t needs;
} wvl_rdoq_rule;

WVL_HD void wvl_rdoq_split_sample(uint32_t m, unsigned plane, uint8_t *level, int8_t *fraction)
{
    uint32_t at = plane >= 7 ? m >> (plane - 7) : m << (7 - plane); /* in S / 128 */
    at = m >> plane > 15 ? 2047 : at;
    *level = (uint8_t)wvl_bit_length(at >> 7);
    int32_t f = (int32_t)at - (int32_t)wvl_max_u32(64u << *level, 128);
    *fraction = (int8_t)(f > 127 ? 127 : f);
}

/* Neighbours at `least` or above, weighted. */
WVL_HD unsigned wvl_rdoq_count_neighbours(const uint8_t *l, uint32_t pitch, unsigned least)
{
    const uint8_t *above = l - pitch, *below = l + pitch;
    unsigned sides = (unsigned)(l[-1] >= least) + (l[1] >= least) + (*above >= least) + (*below >= least);
    unsigned corners =
        (unsigned)(above[-1] >= least) + (above[1] >= least) + (below[-1] >= least) + (below[1] >= least);
    return 2 * sides + corners;
}

/* The fraction from which the sample stays or rises; 127 and -128 are no sample's that counts. n: its weighted
 * neighbours. has_near: one of them is at 2 S or more. */
WVL_HD int wvl_rdoq_choose_border(const wvl_rdoq_rule *rule, unsigned level, unsigned n, int has_near)
{
    int is_alone = rule->needs && !has_near;
    if (level > 2) {
        return rule->more[n];
    }
    if (level > 1) {
        return is_alone ? rule->alone : rule->second[n];
    }
    int let_alone = level ? -128 : 127;
    return is_alone ? let_alone : rule->first[n];
}

WVL_HD int wvl_rdoq_fetch_border(const wvl_rdoq_rule *rule, const uint8_t *l, uint32_t pitch)
{
    unsigned n = wvl_rdoq_count_neighbours(l, pitch, *l ? *l : 1);
    int has_near = !rule->needs || *l > 2 || wvl_rdoq_count_neighbours(l, pitch, 2);
    return wvl_rdoq_choose_border(rule, *l, n, has_near);
}

/* ---- Ends ------------------------------------------------------------------------------------ */

/* Bits of a pass against its entropy without contexts, in 1/256. */
enum { WVL_RDOQ_SHARE_NEAR = 294, WVL_RDOQ_SHARE_ABOVE = 269, WVL_RDOQ_SHARE_FAR = 180 };

/* 2^(e/256), e from 0 to 255, in 1/2^30. */
WVL_HD uint64_t wvl_rdoq_find_root(uint32_t e)
{
    static const uint32_t roots[8] = {1518500250, 1276901417, 1170923762, 1121280436,
                                      1097253708, 1085434106, 1079572136, 1076653033}; /* 2^(30 + 2^-i) */
    uint64_t m = (uint64_t)1 << 30;
    for (unsigned i = 0; i < 8; i++) {
        m = e >> (7 - i) & 1 ? m * roots[i] >> 30 : m;
    }
    return m;
}

/* 2^(e/256) in 1/65536, from 2^-16 to 64. */
WVL_HD uint32_t wvl_rdoq_power_of_two(int32_t e)
{
    int32_t least = e < -16 * 256 ? -16 * 256 : e;
    uint32_t held = (uint32_t)((least > 6 * 256 ? 6 * 256 : least) + 16 * 256);
    return (uint32_t)(wvl_rdoq_find_root(held & 255) << (held >> 8) >> 30);
}

/* Returns what a bit is worth in squared magnitudes, as 256 log2. */
WVL_HD int32_t wvl_rdoq_find_worth(const wvl_band_coding *band, uint32_t slope)
{
    int32_t weight = wvl_rate_log2(band->weight_mantissa) + 256 * band->weight_exponent;
    return (int32_t)slope - (int32_t)WVL_SLOPE_ZERO - 3 * 256 - weight;
}

/* n log2 n in 1/256. */
WVL_HD int64_t wvl_rdoq_weigh_log(uint32_t n) { return n ? (int64_t)n * wvl_rate_log2(n) : 0; }

/* Entropy of n decisions of which k are 1, in 1/256 bit. */
WVL_HD int64_t wvl_rdoq_find_entropy(uint32_t n, uint32_t k)
{
    return wvl_rdoq_weigh_log(n) - wvl_rdoq_weigh_log(k) - wvl_rdoq_weigh_log(n - k);
}

/* The least sample that counts at a slope, as 256 log2: a step of which a bit is worth a quarter of the square; at
 * least 0. */
WVL_HD int32_t wvl_rdoq_find_least(const wvl_band_coding *band, uint32_t slope)
{
    int32_t least = (wvl_rdoq_find_worth(band, slope) + 512) / 2;
    return least < 0 ? 0 : least;
}

/* About how many bits n[0] samples take of which n[1], n[2], n[3] are from the least, from 2 and from 4 times that on.
 */
WVL_HD uint32_t wvl_rdoq_weigh_counts(const uint32_t n[4])
{
    int64_t bits =
        wvl_rdoq_find_entropy(n[0], n[1]) + wvl_rdoq_find_entropy(n[1], n[2]) + wvl_rdoq_find_entropy(n[2], n[3]);
    return 1 + (uint32_t)(bits / 256) + n[1];
}

/* Where a block ends. */
typedef struct wvl_rdoq_end {
    unsigned plane; /* of its last pass, fraction bits counted */
    unsigned type;  /* of that pass: 0 significance, 1 refinement, 2 cleanup */
    uint32_t worth; /* of a bit in squared steps of the plane, in 1/65536 */
    int is_last;    /* the plane below is out of reach */
} wvl_rdoq_end;

#define WVL_RDOQ_LOG2_OF_A_FIFTH (-594)

/* The plane at which a bit is worth 0.2 to 0.8 squared steps: blocks end there or with the plane above. 0: all planes
 * are worth it. */
WVL_HD int wvl_rdoq_find_plane(const wvl_block_input *in, const wvl_band_coding *band, uint32_t slope,
                               wvl_rdoq_end *end)
{
    int32_t worth = wvl_rdoq_find_worth(band, slope), plane = (worth - WVL_RDOQ_LOG2_OF_A_FIFTH) >> 9;
    if (plane < 0 || plane > 29 || plane + 1 < (int32_t)in->frac_bits) {
        return 0;
    }
    end->plane = (unsigned)plane;
    end->worth = wvl_rdoq_power_of_two(worth - 512 * plane);
    return 1;
}

/* n decisions of which k are 1, and k signs, in bits of 1/256. */
WVL_HD int64_t wvl_rdoq_guess_bits(uint32_t n, uint32_t k, int64_t share)
{
    return wvl_rdoq_find_entropy(n, k) * share / 256 + 256 * (int64_t)k;
}

/* Error removed by samples of [1, 2) steps, 3 t - 9/4 each, in squared steps of 1/256. */
WVL_HD int64_t wvl_rdoq_sum_gains(uint32_t count, uint32_t fractions)
{
    return 195 * (int64_t)count + 6 * (int64_t)fractions;
}

/* A plane of which no pass would pay were a bit worth so much less, in 1/256, is no candidate: in large pictures, where
 * some block always has a pass just below the threshold for the last bytes. Nothing is lost up to 7/10, with 85/100
 * some pictures lost 0.08 dB. */
#define WVL_RDOQ_PLANE_REACH 170u

/* The pass of the plane after which gains exceed what bits are worth by most; -1: none. */
WVL_HD int wvl_rdoq_find_pass(const int64_t bits[3], const int64_t gains[3], uint32_t worth)
{
    int64_t sum = 0, best = 0;
    int found = -1;
    for (int i = 0; i < 3; i++) {
        sum += gains[i] * 65536 - bits[i] * (int64_t)worth;
        found = sum > best ? i : found;
        best = sum > best ? sum : best;
    }
    return found;
}

/* Finds what the three passes of the plane are worth together up to each: the best one is the last, or the plane above
 * is. */
WVL_HD void wvl_rdoq_choose_pass(const wvl_rdoq_sums *s, wvl_rdoq_end *end)
{
    int64_t bits[3] = {wvl_rdoq_guess_bits(s->near, s->near_fresh, WVL_RDOQ_SHARE_NEAR),
                       (int64_t)WVL_RDOQ_SHARE_ABOVE * s->above,
                       wvl_rdoq_guess_bits(s->far, s->far_fresh, WVL_RDOQ_SHARE_FAR)};
    int64_t gains[3] = {wvl_rdoq_sum_gains(s->near_fresh, s->near_fractions), 64 * (int64_t)s->above,
                        wvl_rdoq_sum_gains(s->far_fresh, s->far_fractions)};
    int found = wvl_rdoq_find_pass(bits, gains, end->worth);
    end->is_last =
        found < 0 && wvl_rdoq_find_pass(bits, gains, (uint32_t)((uint64_t)end->worth * WVL_RDOQ_PLANE_REACH / 256)) < 0;
    end->type = found < 0 ? 2 : (unsigned)found;
    end->plane += found < 0;
    end->worth >>= found < 0 ? 2 : 0;
}

/* (worth * bits / divisor) + offset in 1/128 of a step, held to a byte. */
WVL_HD int8_t wvl_rdoq_find_border(const wvl_rdoq_end *end, uint32_t bits, uint32_t divisor, int32_t offset)
{
    int32_t border = (int32_t)((uint64_t)end->worth * bits / divisor) + offset;
    return (int8_t)(border > 127 ? 127 : border);
}

/*
 * A sample of t steps stays up where (t - lower value)^2 - (t - upper value)^2 > worth * bits. From nothing to 3/2: t >
 * 3/4 + worth * bits / 3. From 2 on, values lie half a step beside the border; before a refinement a whole one, but
 * those below 2 are at 3/2 always. Divisors: 3/128, 1/128, ... in sixteenths of 1/65536.
 */
typedef struct wvl_rdoq_borders {
    int8_t first, second, more;
} wvl_rdoq_borders;

/* Entry n of each table. Entries from 7 on are the same. */
WVL_HD wvl_rdoq_borders wvl_rdoq_find_borders(const wvl_rdoq_end *end, unsigned n)
{
    /* Sixteenths of a bit by neighbours: what a sample costs more in the upper cell. */
    static const uint8_t bits_first[8] = {88, 76, 56, 20, 20, 32, 32, 16};
    static const uint8_t bits_lower[8] = {60, 28, 8};
    uint32_t k = wvl_min_u32(n, 7), lower = bits_lower[k];
    wvl_rdoq_borders borders = {wvl_rdoq_find_border(end, bits_first[k], 24576, -32),
                                wvl_rdoq_find_border(end, lower, 24576, 32),
                                wvl_rdoq_find_border(end, lower, 32768, 0)};
    if (end->type) {
        borders.second = borders.more = wvl_rdoq_find_border(end, lower, 16384, 0);
    }
    return borders;
}

/* The border of a sample from 2 S on without a neighbour there. */
WVL_HD int8_t wvl_rdoq_find_alone(const wvl_rdoq_end *end)
{
    return end->type ? wvl_rdoq_find_border(end, 88, 40960, -96) : wvl_rdoq_find_border(end, 88, 49152, -64);
}

/* Says whether only samples at a neighbour from 2 S on are in the last pass: it is not a cleanup pass. */
WVL_HD int wvl_rdoq_needs_near(const wvl_rdoq_end *end) { return end->type != 2; }

/* Entry n of the tables of a rule; n below 16. */
WVL_HD void wvl_rdoq_fill_rule(const wvl_rdoq_end *end, unsigned n, wvl_rdoq_rule *rule)
{
    wvl_rdoq_borders borders = wvl_rdoq_find_borders(end, n);
    rule->first[n] = borders.first;
    rule->second[n] = borders.second;
    rule->more[n] = borders.more;
    if (!n) {
        rule->alone = wvl_rdoq_find_alone(end);
        rule->needs = (uint8_t)wvl_rdoq_needs_near(end);
    }
}

WVL_HD wvl_rdoq_rule wvl_rdoq_make_rule(const wvl_rdoq_end *end)
{
    wvl_rdoq_rule rule;
    for (unsigned n = 0; n < 16; n++) {
        wvl_rdoq_fill_rule(end, n, &rule);
    }
    return rule;
}

/* Refinement takes a quarter of a squared step for a bit and a twentieth: as a bit's worth, and with 1.36 octaves on
 * top for ends foreseen too early. With two thirds of an octave some pictures lost 0.06 dB at low rates. */
#define WVL_RDOQ_REFINEMENT_REACH 40000u

/* Candidates beyond the end, what bytes saved elsewhere may buy: at most two, and none that lies behind a refinement
 * pass out of reach, or in a plane. */
WVL_HD int wvl_rdoq_count_more(const wvl_rdoq_end *end, int is_large)
{
    if (end->is_last && is_large) {
        return 0;
    }
    if (end->type == 0) {
        return end->worth <= WVL_RDOQ_REFINEMENT_REACH ? 2 : 0;
    }
    return end->type == 1 || end->worth <= WVL_RDOQ_REFINEMENT_REACH / 4 ? 2 : 1;
}

/* Passes up to the end, and candidates beyond. */
WVL_HD uint8_t wvl_rdoq_count_passes(const wvl_block_input *in, const wvl_rdoq_end *end, int is_large)
{
    int planes = (int)wvl_bit_length(in->bound >> in->frac_bits),
        below = planes + (int)in->frac_bits - 1 - (int)end->plane;
    int passes = below > 0 ? 3 * below + 1 - (2 - (int)end->type) : below == 0;
    return (uint8_t)(passes + wvl_rdoq_count_more(end, is_large));
}

/* ---- Moving samples -------------------------------------------------------------------------- */

/* (2m - a)^2, a at most 2m or little more. */
WVL_HD wvl_uwide wvl_rdoq_square_of(uint32_t m, uint64_t a)
{
    uint64_t twice = 2 * (uint64_t)m, d = twice > a ? twice - a : a - twice;
    return (wvl_uwide)d * d;
}

/* Says whether a neighbour is at 2 S or more. level: the sample's own, among its neighbours' as they are now. */
WVL_HD int wvl_rdoq_is_near(const uint8_t *level, uint32_t pitch)
{
    const uint8_t *above = level - pitch, *below = level + pitch;
    return (above[-1] | above[0] | above[1] | level[-1] | level[1] | below[-1] | below[0] | below[1]) > 1;
}

/* Twice the decoder's value of a sample that moves down to `after`. */
WVL_HD uint64_t wvl_rdoq_twice_lowered(const wvl_rdoq_end *end, uint32_t after, int is_near)
{
    uint64_t step = (uint64_t)1 << end->plane, border = (uint64_t)after + 1;
    if (border > 2 * step) {
        return 2 * border - (end->type ? 1 : 2) * step;
    }
    return after && (is_near || end->type == 2) ? 3 * step : 0;
}

/* A sample as it moves, down or up into the next cell. is_near: wvl_rdoq_is_near(), read when it moves down. Adds to
 * the error that gains do not see, in quarters. */
WVL_HD uint32_t wvl_rdoq_move_sample(const wvl_rdoq_end *end, uint32_t before, int is_up, int is_near, wvl_uwide *error)
{
    uint32_t step = 1u << end->plane, top = before ? 1u << (wvl_bit_length(before) - 1) : 0,
             lowered = top == step ? 0 : top - 1;
    uint32_t after = is_up ? step : lowered;
    uint64_t decoded = is_up ? 3 * (uint64_t)step : wvl_rdoq_twice_lowered(end, after, is_near);
    *error += wvl_rdoq_square_of(before, decoded) - wvl_rdoq_square_of(after, decoded);
    return after;
}

/* The error of a block (high * 2^64 + low) in the unit of its energy (wvl_block_output). */
WVL_HD uint64_t wvl_rdoq_scale_error(uint64_t low, uint64_t high, unsigned energy_shift)
{
    return (uint64_t)(((wvl_uwide)high << 64 | low) >> (2 * energy_shift));
}

/* ---- Coded again ----------------------------------------------------------------------------- */

/* Says whether a slope is farther off than `stale`. */
WVL_HD int wvl_rdoq_is_stale(uint32_t is, uint32_t should, uint32_t stale)
{
    return (is > should ? is - should : should - is) > stale;
}

/* Says whether a block was quantised for a slope far from the one at which the picture ended. */
WVL_HD int wvl_rdoq_is_far(uint32_t is, uint32_t should, int is_changed)
{
    return is > should ? is_changed && is - should > WVL_RDOQ_REACH : should - is > WVL_RDOQ_REACH;
}

/* The slope of the second coding: half way to the one found, since slopes fall where blocks are quantised for steeper
 * ones; a block that was left as it is finds a steeper one. */
WVL_HD uint32_t wvl_rdoq_find_next(uint32_t is, uint32_t found)
{
    uint32_t fallen = found > WVL_RDOQ_FALL ? found - WVL_RDOQ_FALL : 0;
    return is && found ? (is + found + 1) / 2 : fallen;
}
