/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/rate/rdoq.h"

#include <string.h>

#include "codec/rate/hull.h"

__extension__ typedef unsigned __int128 uwide;

/* Quarters of a bit that a sample saves: significant neighbours counted twice beside and above or below it, once at the corners. */
enum { CLASSES = 5 };
static const uint8_t class_of[13] = {0, 1, 2, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4};
static const uint8_t bits_to_zero[CLASSES] = {22, 19, 14, 5, 0}, bits_to_lower[CLASSES] = {15, 7, 2, 0, 0};
#define MOST_RISE 3u /* planes above the last that are looked at */

/* 2^(e/256) in 1/65536, from nothing to 64. */
static uint32_t power_of_two(int32_t e)
{
    static const uint32_t roots[8] = {1518500250, 1276901417, 1170923762, 1121280436, 1097253708, 1085434106, 1079572136, 1076653033}; /* 2^(30 + 2^-i) */
    if (e < -16 * 256) {
        return 0;
    }
    if (e >= 6 * 256) {
        return 64u << 16;
    }
    uint32_t octaves = (uint32_t)(e + 16 * 256) >> 8, fraction = (uint32_t)(e + 16 * 256) & 255;
    uint64_t m = (uint64_t)1 << 30;
    for (unsigned i = 0; i < 8; i++) {
        m = fraction >> (7 - i) & 1 ? m * roots[i] >> 30 : m;
    }
    return (uint32_t)(m << octaves >> 30);
}

/* What a bit is worth in squared steps of the last plane, in 1/65536. last: its bit position. */
static uint32_t worth_of_bit(const wvl_band_coding *band, uint32_t slope, unsigned last)
{
    int32_t weight = wvl_rate_log2(band->weight_mantissa) + 256 * band->weight_exponent;
    return power_of_two((int32_t)slope - (int32_t)WVL_SLOPE_ZERO - 3 * 256 - weight - 512 * (int32_t)last);
}

/* A block in work, cells of its border included. */
typedef struct picture {
    uint32_t *cells;
    uint32_t width, height, pitch;
    uint32_t step;          /* of the last plane */
    unsigned type;          /* of the last pass: 0 significance, 1 refinement, 2 cleanup */
    uint32_t worth;
} picture;

static void load(const picture *p, const wvl_block_input *in, const void *samples)
{
    memset(p->cells, 0, (uint64_t)p->pitch * (p->height + 2) * sizeof *p->cells);
    for (uint32_t y = 0; y < p->height; y++) {
        uint32_t *row = &p->cells[(uint64_t)(y + 1) * p->pitch + 1];
        for (uint32_t x = 0; x < p->width; x++) {
            uint32_t at = y * in->stride + x;
            row[x] = in->coef_bytes == 2 ? ((const uint16_t *)samples)[at] & 0x7FFFu : ((const uint32_t *)samples)[at] & 0x7FFFFFFFu;
        }
    }
}

/* Twice the decoder's value of a sample that is significant from `border` on, a power of two times the step and at least two, and at its lower end. */
static uint64_t twice_middle(const picture *p, uint32_t border) { return 2 * (uint64_t)border + (p->type ? 1 : 2) * (uint64_t)p->step; }

/* (2m - a)^2, a at most 2m or little more. */
static uwide square_of(uint32_t m, uint64_t a)
{
    uint64_t twice = 2 * (uint64_t)m, d = twice > a ? twice - a : a - twice;
    return (uwide)d * d;
}

/* Twice the decoder's value of a sample lowered to one below `border`. */
static uint64_t twice_lowered(const picture *p, uint32_t border)
{
    return border == 2 * p->step ? 3 * (uint64_t)p->step : 2 * (uint64_t)border - (p->type ? 1 : 2) * (uint64_t)p->step;
}

/* Error of a changed sample that gains do not see, in quarters. */
static uwide find_error(const picture *p, uint32_t before, uint32_t after)
{
    uint64_t decoded = after ? twice_lowered(p, after + 1) : 0;
    return square_of(before, decoded) - square_of(after, decoded);
}

/* Puts the magnitudes into the copied samples, and sums their errors. The OR of them all. */
static uint32_t store(const picture *p, const wvl_block_input *in, void *samples, uwide *error)
{
    uint32_t bound = 0;
    for (uint32_t y = 0; y < p->height; y++) {
        const uint32_t *row = &p->cells[(uint64_t)(y + 1) * p->pitch + 1];
        for (uint32_t x = 0; x < p->width; x++) {
            uint32_t at = y * in->stride + x, now = row[x], before;
            bound |= now;
            if (in->coef_bytes == 2) {
                uint16_t *s = &((uint16_t *)samples)[at];
                before = *s & 0x7FFFu;
                *s = now ? (uint16_t)((*s & 0x8000u) | now) : 0;
            } else {
                uint32_t *s = &((uint32_t *)samples)[at];
                before = *s & 0x7FFFFFFFu;
                *s = now ? (*s & 0x80000000u) | now : 0;
            }
            *error += before == now ? 0 : find_error(p, before, now);
        }
    }
    return bound;
}

static unsigned count_neighbours(const uint32_t *m, uint32_t pitch, uint32_t least)
{
    const uint32_t *above = m - pitch, *below = m + pitch;
    unsigned sides = (unsigned)(m[-1] >= least) + (m[1] >= least) + (*above >= least) + (*below >= least);
    unsigned corners = (unsigned)(above[-1] >= least) + (above[1] >= least) + (below[-1] >= least) + (below[1] >= least);
    return 2 * sides + corners;
}

/* A neighbour at `least` or above that stays there: those behind are settled, those ahead may still fall from one step above it. */
static int has_lasting_neighbour(const uint32_t *m, uint32_t pitch, uint32_t least, uint32_t step)
{
    const uint32_t *above = m - pitch, *below = m + pitch;
    uint32_t behind = wvl_max_u32(wvl_max_u32(above[-1], above[0]), wvl_max_u32(above[1], m[-1]));
    uint32_t ahead = wvl_max_u32(wvl_max_u32(below[-1], below[0]), wvl_max_u32(below[1], m[1]));
    return behind >= least || ahead >= least + step;
}

/* The sample at m, significant at `border`, rise planes above the last. */
static void change_sample(const picture *p, uint32_t *m, uint32_t border, unsigned rise)
{
    int is_coded = p->type == 2 || has_lasting_neighbour(m, p->pitch, 2 * p->step, p->step); /* in the last plane, when it is not significant before */
    if (!is_coded && (!rise || (rise == 1 && count_neighbours(m, p->pitch, 2 * p->step)))) {
        return;
    }
    uint64_t now = rise ? twice_middle(p, border) : 3 * (uint64_t)p->step, then = rise > 1 || (rise && is_coded) ? twice_lowered(p, border) : 0;
    unsigned kind = class_of[count_neighbours(m, p->pitch, border)], bits = then ? bits_to_lower[kind] : bits_to_zero[kind];
    uwide added = square_of(*m, then), spared = square_of(*m, now), limit = (uwide)p->worth * bits * p->step * p->step; /* 2^18 squared quarters */
    if (added < spared || (added - spared) << 16 < limit) {
        *m = then ? border - 1 : 0;
    }
}

static void change_plane(const picture *p, unsigned rise)
{
    uint32_t border = p->step << rise, end = border + p->step;
    for (uint32_t y = 0; y < p->height; y++) {
        uint32_t *row = &p->cells[(uint64_t)(y + 1) * p->pitch + 1];
        for (uint32_t x = 0; x < p->width; x++) {
            if (row[x] >= border && row[x] < end) {
                change_sample(p, &row[x], border, rise);
            }
        }
    }
}

wvl_rdoq_error wvl_rdoq_change(const wvl_rdoq *r, wvl_block_input *in, const wvl_band_coding *band, uint32_t end_passes, uint32_t end_slope)
{
    picture p = {.cells = r->magnitudes, .width = in->width, .height = in->height, .pitch = in->width + 2u};
    unsigned planes = wvl_bit_length(in->bound >> in->frac_bits), down = (end_passes + 1) / 3;
    in->max_passes = (uint8_t)(end_passes + WVL_RDOQ_MORE_PASSES);
    if (!end_passes) {
        return (wvl_rdoq_error){0, 0};
    }
    if (down >= planes || (in->reversible && down + 1 == planes)) {
        return (wvl_rdoq_error){0, 0}; /* exact at its last plane */
    }
    unsigned last = planes - 1 - down + in->frac_bits;
    p.step = 1u << last;
    p.type = (end_passes + 1) % 3;
    p.worth = worth_of_bit(band, end_slope, last);
    uwide error = 0;
    memcpy(r->samples, in->coefs, (uint64_t)in->stride * in->height * in->coef_bytes);
    load(&p, in, r->samples);
    unsigned rises = wvl_min_u32(MOST_RISE + 1, planes - (last - in->frac_bits));
    while (p.worth && rises-- > 0) {
        change_plane(&p, rises);
    }
    in->bound = store(&p, in, r->samples, &error);
    in->coefs = r->samples;
    /* Top planes may be empty now, and are not coded then. */
    unsigned fewer = 3 * (planes - wvl_bit_length(in->bound >> in->frac_bits));
    in->max_passes = (uint8_t)(end_passes + WVL_RDOQ_MORE_PASSES > fewer ? end_passes + WVL_RDOQ_MORE_PASSES - fewer : 1);
    error >>= 2;
    return (wvl_rdoq_error){(uint64_t)error, (uint64_t)(error >> 64)};
}

void wvl_rdoq_add_error(wvl_block_output *out, wvl_rdoq_error error)
{
    uwide sum = ((uwide)error.high << 64 | error.low) >> (2 * out->energy_shift);
    out->energy += (uint64_t)sum;
}
