/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/rate/rdoq.h"

#include <string.h>

#include "codec/rate/hull.h"

__extension__ typedef unsigned __int128 uwide;

/* Sixteenths of a bit by neighbours (wvl_rdoq_rule, D-rdoq-01): what a sample costs more in the upper cell. */
static const uint8_t bits_first[16] = {88, 76, 56, 20, 20, 32, 32, 16, 16, 16, 16, 16, 16, 16, 16, 16};
static const uint8_t bits_lower[16] = {60, 28, 8};
/* Bits of a pass against its entropy without contexts, in 1/256. */
enum { SHARE_NEAR = 294, SHARE_ABOVE = 269, SHARE_FAR = 180 };

/* 2^(e/256), e from 0 to 255, in 1/2^30. */
static uint64_t find_root(uint32_t e)
{
    static const uint32_t roots[8] = {1518500250, 1276901417, 1170923762, 1121280436, 1097253708, 1085434106, 1079572136, 1076653033}; /* 2^(30 + 2^-i) */
    uint64_t m = (uint64_t)1 << 30;
    for (unsigned i = 0; i < 8; i++) {
        m = e >> (7 - i) & 1 ? m * roots[i] >> 30 : m;
    }
    return m;
}

/* 2^(e/256) in 1/65536, from 2^-16 to 64. */
static uint32_t power_of_two(int32_t e)
{
    uint32_t held = (uint32_t)((e < -16 * 256 ? -16 * 256 : e > 6 * 256 ? 6 * 256 : e) + 16 * 256);
    return (uint32_t)(find_root(held & 255) << (held >> 8) >> 30);
}

/* What a bit is worth in squared magnitudes, as 256 log2. */
static int32_t find_worth(const wvl_band_coding *band, uint32_t slope)
{
    int32_t weight = wvl_rate_log2(band->weight_mantissa) + 256 * band->weight_exponent;
    return (int32_t)slope - (int32_t)WVL_SLOPE_ZERO - 3 * 256 - weight;
}

/* n log2 n in 1/256. */
static int64_t weigh_log(uint32_t n) { return n ? (int64_t)n * wvl_rate_log2(n) : 0; }

/* Entropy of n decisions of which k are 1, in 1/256 bit. */
static int64_t find_entropy(uint32_t n, uint32_t k) { return weigh_log(n) - weigh_log(k) - weigh_log(n - k); }

uint32_t wvl_rdoq_weigh(const wvl_rdoq_kernels *kernels, const wvl_block_input *in, const wvl_band_coding *band, uint32_t slope)
{
    int32_t least = (find_worth(band, slope) + 512) / 2; /* log2 of a step of which a bit is worth a quarter of the square */
    uint32_t n[4] = {(uint32_t)in->width * in->height, 0, 0, 0};
    least = least < 0 ? 0 : least;
    if (least >= 31 * 256 || !(in->bound >> (least / 256))) {
        return 1;
    }
    kernels->rank(in, (uint32_t)(find_root((uint32_t)least & 255) << (least / 256) >> 30), &n[1]);
    return 1 + (uint32_t)((find_entropy(n[0], n[1]) + find_entropy(n[1], n[2]) + find_entropy(n[2], n[3])) / 256) + n[1];
}

/* Where a block ends. */
typedef struct block_end {
    unsigned plane;  /* of its last pass, fraction bits counted */
    unsigned type;   /* of that pass: 0 significance, 1 refinement, 2 cleanup */
    uint32_t worth;  /* of a bit in squared steps of the plane, in 1/65536 */
    int is_last;     /* the plane below is out of reach */
} block_end;

#define LOG2_OF_A_FIFTH (-594)

/* The plane at which a bit is worth 0.2 to 0.8 squared steps: blocks end there or with the plane above. 0: all planes are worth it. */
static int find_plane(const wvl_block_input *in, const wvl_band_coding *band, uint32_t slope, block_end *end)
{
    int32_t worth = find_worth(band, slope), plane = (worth - LOG2_OF_A_FIFTH) >> 9;
    if (plane < 0 || plane > 29 || plane + 1 < (int32_t)in->frac_bits) {
        return 0;
    }
    end->plane = (unsigned)plane;
    end->worth = power_of_two(worth - 512 * plane);
    return 1;
}

/* n decisions of which k are 1, and k signs, in bits of 1/256. */
static int64_t guess_bits(uint32_t n, uint32_t k, int64_t share) { return find_entropy(n, k) * share / 256 + 256 * (int64_t)k; }

/* Error removed by samples of [1, 2) steps, 3 t - 9/4 each, in squared steps of 1/256. */
static int64_t sum_gains(uint32_t count, uint32_t fractions) { return 195 * (int64_t)count + 6 * (int64_t)fractions; }

/* A plane of which no pass would pay were a bit worth so much less, in 1/256, is no candidate: in large pictures, where some block always has a pass
 * just below the threshold for the last bytes. Nothing is lost up to 7/10, with 85/100 some pictures lost 0.08 dB. */
#define PLANE_REACH 170u

/* The pass of the plane after which gains exceed what bits are worth by most; -1: none. */
static int find_pass(const int64_t bits[3], const int64_t gains[3], uint32_t worth)
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

/* What the three passes of the plane are worth together up to each: the best one is the last, or the plane above is. */
static void choose_pass(const wvl_rdoq_sums *s, block_end *end)
{
    int64_t bits[3] = {guess_bits(s->near, s->near_fresh, SHARE_NEAR), (int64_t)SHARE_ABOVE * s->above, guess_bits(s->far, s->far_fresh, SHARE_FAR)};
    int64_t gains[3] = {sum_gains(s->near_fresh, s->near_fractions), 64 * (int64_t)s->above, sum_gains(s->far_fresh, s->far_fractions)};
    int found = find_pass(bits, gains, end->worth);
    end->is_last = found < 0 && find_pass(bits, gains, (uint32_t)((uint64_t)end->worth * PLANE_REACH / 256)) < 0;
    end->type = found < 0 ? 2 : (unsigned)found;
    end->plane += found < 0;
    end->worth >>= found < 0 ? 2 : 0;
}

/* (worth * bits / divisor) + offset in 1/128 of a step, held to a byte. */
static int8_t find_border(const block_end *end, uint32_t bits, uint32_t divisor, int32_t offset)
{
    int32_t border = (int32_t)((uint64_t)end->worth * bits / divisor) + offset;
    return (int8_t)(border > 127 ? 127 : border);
}

/*
 * A sample of t steps stays up where (t - lower value)^2 - (t - upper value)^2 > worth * bits. From nothing to 3/2: t > 3/4 + worth * bits / 3. From 2 on, values lie
 * half a step beside the border; before a refinement a whole one, but those below 2 are at 3/2 always. Divisors: 3/128, 1/128, ... in sixteenths of 1/65536.
 */
static wvl_rdoq_rule make_rule(const block_end *end)
{
    wvl_rdoq_rule rule;
    for (unsigned n = 0; n < 16; n++) {
        rule.first[n] = find_border(end, bits_first[n], 24576, -32);
        rule.second[n] = find_border(end, bits_lower[n], end->type ? 16384 : 24576, end->type ? 0 : 32);
        rule.more[n] = find_border(end, bits_lower[n], end->type ? 16384 : 32768, 0);
    }
    rule.alone = find_border(end, bits_first[0], end->type ? 40960 : 49152, end->type ? -96 : -64);
    rule.needs = end->type != 2;
    return rule;
}

/* ---- Moving samples ---------------------------------------------------------------------------------------------------------------- */

/* A block in work. */
typedef struct wvl_rdoq_block {
    const wvl_block_input *in;
    const block_end *end;
    void *samples;
    const uint8_t *levels;
    uint32_t pitch;
    uint32_t moved;         /* OR of magnitudes before */
    uwide error;            /* in quarters */
} moving_block;

/* (2m - a)^2, a at most 2m or little more. */
static uwide square_of(uint32_t m, uint64_t a)
{
    uint64_t twice = 2 * (uint64_t)m, d = twice > a ? twice - a : a - twice;
    return (uwide)d * d;
}

/* Twice the decoder's value of a sample moved from m down to `after`. */
static uint64_t twice_lowered(const moving_block *b, const uint8_t *level, uint32_t after)
{
    uint64_t step = (uint64_t)1 << b->end->plane, border = (uint64_t)after + 1;
    if (border > 2 * step) {
        return 2 * border - (b->end->type ? 1 : 2) * step;
    }
    const uint8_t *above = level - b->pitch, *below = level + b->pitch;
    int is_near = (above[-1] | above[0] | above[1] | level[-1] | level[1] | below[-1] | below[0] | below[1]) > 1;
    return after && (is_near || b->end->type == 2) ? 3 * step : 0;
}

static uint32_t move_sample(moving_block *b, const uint8_t *level, uint32_t before, int is_up)
{
    uint32_t step = 1u << b->end->plane, top = before ? 1u << (wvl_bit_length(before) - 1) : 0, after = is_up ? step : top == step ? 0 : top - 1;
    uint64_t decoded = is_up ? 3 * (uint64_t)step : twice_lowered(b, level, after);
    b->moved |= before | after;
    b->error += square_of(before, decoded) - square_of(after, decoded);
    return after;
}

static void move_samples(moving_block *b, uint32_t y, uint64_t bits, uint32_t first, int is_up)
{
    for (; bits; bits &= bits - 1) {
        uint32_t x = first + wvl_bit_length(bits & (0 - bits)) - 1, at = y * b->in->stride + x;
        const uint8_t *level = b->levels + (size_t)(y + 1) * b->pitch + 1 + x;
        if (b->in->coef_bytes == 2) {
            uint16_t *s = &((uint16_t *)b->samples)[at];
            uint32_t after = move_sample(b, level, *s & 0x7FFFu, is_up);
            *s = after ? (uint16_t)((*s & 0x8000u) | after) : 0;
        } else {
            uint32_t *s = &((uint32_t *)b->samples)[at];
            uint32_t after = move_sample(b, level, *s & 0x7FFFFFFFu, is_up);
            *s = after ? (*s & 0x80000000u) | after : 0;
        }
    }
}

static uint32_t join_16(const uint16_t *row, uint32_t count)
{
    uint16_t all = 0;
    for (uint32_t i = 0; i < count; i++) {
        all |= row[i];
    }
    return all & 0x7FFFu;
}

static uint32_t join_32(const uint32_t *row, uint32_t count)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < count; i++) {
        all |= row[i];
    }
    return all & 0x7FFFFFFFu;
}

static uint32_t find_bound(const wvl_block_input *in)
{
    uint32_t bound = 0;
    for (size_t y = 0; y < in->height; y++) {
        bound |= in->coef_bytes == 2 ? join_16((const uint16_t *)in->coefs + y * in->stride, in->width) : join_32((const uint32_t *)in->coefs + y * in->stride, in->width);
    }
    return bound;
}

static void move_block(const wvl_rdoq *r, moving_block *b)
{
    const wvl_block_input *in = b->in;
    const wvl_rdoq_rule rule = make_rule(b->end);
    uint64_t down[WVL_RDOQ_WORDS], up[WVL_RDOQ_WORDS];
    for (uint32_t y = 0; y < in->height; y++) {
        size_t first = (size_t)(y + 1) * b->pitch + 1;
        r->kernels->move_row(&rule, &r->levels[first], &r->fractions[first], in->width, down, up);
        for (uint32_t x = 0; x < in->width; x += 64) {
            move_samples(b, y, down[x / 64], x, 0);
            move_samples(b, y, up[x / 64], x, 1);
        }
    }
}

/* Refinement takes a quarter of a squared step for a bit and a twentieth: as a bit's worth, and with 1.36 octaves on top for ends foreseen too early. With two thirds
 * of an octave some pictures lost 0.06 dB at low rates. */
#define REFINEMENT_REACH 40000u

/* Candidates beyond the end, what bytes saved elsewhere may buy: at most two, and none that lies behind a refinement pass out of reach, or in a plane. */
static int count_more(const block_end *end, int is_large)
{
    if (end->is_last && is_large) {
        return 0;
    }
    if (end->type == 0) {
        return end->worth <= REFINEMENT_REACH ? 2 : 0;
    }
    return end->type == 1 || end->worth <= REFINEMENT_REACH / 4 ? 2 : 1;
}

/* Passes up to the end, and candidates beyond. */
static uint8_t count_passes(const wvl_block_input *in, const block_end *end, int is_large)
{
    static const int before_cleanup[3] = {2, 1, 0};
    int planes = (int)wvl_bit_length(in->bound >> in->frac_bits), below = planes + (int)in->frac_bits - 1 - (int)end->plane;
    int passes = below < 0 ? 0 : below ? 3 * below + 1 - before_cleanup[end->type] : 1;
    return (uint8_t)(passes + count_more(end, is_large));
}

wvl_rdoq_error wvl_rdoq_change(const wvl_rdoq *r, wvl_block_input *in, const wvl_band_coding *band, uint32_t slope)
{
    block_end end = {0};
    /* Neighbours in the lowest band are alike, and cost far less than the table and the entropies say. */
    if (!slope || !in->orient || !find_plane(in, band, slope, &end)) {
        return (wvl_rdoq_error){0, 0};
    }
    if (!(in->bound >> end.plane)) {
        end.type = 2;
        in->max_passes = count_passes(in, &end, r->is_large);
        return (wvl_rdoq_error){0, 0};
    }
    r->kernels->split(in, end.plane, r->levels, r->fractions);
    wvl_rdoq_sums sums = r->kernels->count(r->levels, r->fractions, in->width, in->height);
    unsigned plane = end.plane;
    choose_pass(&sums, &end);
    in->max_passes = count_passes(in, &end, r->is_large);
    if (end.plane < in->frac_bits + (in->reversible ? 1u : 0u) || !(in->bound >> end.plane)) {
        return (wvl_rdoq_error){0, 0}; /* all that is left is exact, or in the last plane that there is */
    }
    if (end.plane != plane) {
        r->kernels->split(in, end.plane, r->levels, r->fractions);
    }
    memcpy(r->samples, in->coefs, ((size_t)in->stride * (in->height - 1u) + in->width) * in->coef_bytes);
    moving_block b = {in, &end, r->samples, r->levels, wvl_rdoq_pitch(in->width), 0, 0};
    move_block(r, &b);
    if (!b.moved) {
        return (wvl_rdoq_error){0, 0};
    }
    in->coefs = r->samples;
    in->bound = find_bound(in);
    in->max_passes = count_passes(in, &end, r->is_large);
    b.error >>= 2;
    return (wvl_rdoq_error){(uint64_t)b.error, (uint64_t)(b.error >> 64)};
}

void wvl_rdoq_add_error(wvl_block_output *out, wvl_rdoq_error error)
{
    uwide sum = ((uwide)error.high << 64 | error.low) >> (2 * out->energy_shift);
    out->energy += (uint64_t)sum;
}
