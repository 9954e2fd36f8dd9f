/* SPDX-License-Identifier: BSD-2-Clause */
/* Stripes and sums of a plane in plain C, and the distortion that passes remove. */
#include "codec/ht/refine.h"

#include <string.h>

#include "codec/core/gain.h"

void wvl_ht_clear_stripes(wvl_ht_scratch *s, const wvl_block_input *in)
{
    size_t bytes = (in->width + (size_t)2) * ((in->height + 3u) / 4 + 2);
    memset(s->significant, 0, bytes);
    memset(s->fresh, 0, bytes);
    memset(s->bit, 0, bytes);
    memset(s->negative, 0, bytes);
}

void wvl_ht_load_stripes_c(wvl_ht_scratch *s, const wvl_block_input *in, unsigned shift)
{
    uint32_t pitch = in->width + 2u;
    wvl_ht_clear_stripes(s, in);
    for (uint32_t y = 0; y < in->height; y++) {
        for (uint32_t x = 0; x < in->width; x++) {
            uint32_t i = (y / 4 + 1) * pitch + x + 1;
            unsigned negative, row = y & 3;
            uint32_t magnitude = wvl_ht_fetch_sample(in, x, y, &negative);
            s->significant[i] |= (uint8_t)((magnitude >> shift != 0) << row);
            s->bit[i] |= (uint8_t)((magnitude >> (shift - 1) & 1) << row);
            s->negative[i] |= (uint8_t)(negative << row);
        }
    }
}

/* Which part of the plane a sample belongs to: it was significant, SigProp made it so, or its first bit is left for the
 * cleanup pass; or none. */
static int part_of(const wvl_ht_scratch *s, uint32_t i, unsigned row)
{
    unsigned own = s->significant[i] >> row & 1, fresh = s->fresh[i] >> row & 1, bit = s->bit[i] >> row & 1;
    if (own) {
        return WVL_HT_MAGREF;
    }
    if (fresh) {
        return WVL_HT_SIGPROP;
    }
    return bit ? WVL_HT_REST : -1;
}

void wvl_ht_sum_plane_c(const wvl_ht_scratch *s, const wvl_block_input *in, unsigned P, wvl_ht_sums *sums)
{
    uint64_t middle = UINT64_C(1) << P;
    memset(sums, 0, sizeof *sums);
    for (uint32_t y = 0; y < in->height; y++) {
        for (uint32_t x = 0; x < in->width; x++) {
            unsigned negative;
            uint64_t low = wvl_ht_fetch_sample(in, x, y, &negative) & (2 * middle - 1);
            int part = part_of(s, (y / 4 + 1) * (in->width + 2u) + x + 1, y & 3);
            if (part >= 0) {
                uint64_t from_middle = low > middle ? low - middle : middle - low;
                sums->sum[part] += part == WVL_HT_MAGREF ? from_middle : low;
                sums->count[part]++;
            }
        }
    }
}

static void load_stripes(wvl_ht_scratch *s, const wvl_block_input *in, unsigned shift)
{
    wvl_ht_load_stripes_c(s, in, shift);
}

#include "codec/ht/refine_code.h"

wvl_ht_refinement wvl_ht_encode_refinement_c(wvl_ht_scratch *s, const wvl_block_input *in, unsigned plane,
                                             int with_magref, uint8_t *to)
{
    return encode_refinement(s, in, plane, with_magref, to);
}

/* ---- Distortion ------------------------------------------------------------------------------ */

void wvl_ht_measure_plane(const wvl_ht_sums *sums, unsigned P, int exact, int64_t gains[WVL_HT_PARTS])
{
    gains[WVL_HT_SIGPROP] = wvl_gain_significant(sums->sum[WVL_HT_SIGPROP], sums->count[WVL_HT_SIGPROP], P, exact);
    gains[WVL_HT_MAGREF] = wvl_gain_refined(sums->sum[WVL_HT_MAGREF], sums->count[WVL_HT_MAGREF], P, exact);
    gains[WVL_HT_REST] = wvl_gain_significant(sums->sum[WVL_HT_REST], sums->count[WVL_HT_REST], P, exact);
}

__extension__ typedef __int128 wide;

/*
 * Cleanup: with k = m >> P the decoder puts a sample at (k + 1/2) 2^P, which removes (2k + 1) t - (k + 1/2)^2 of t = m
 * / 2^P; exact samples remove t^2. As quarters of 2^P: (8k + 4) m - (2k + 1)^2 2^P, and 4 m^2.
 */
int64_t wvl_ht_measure_cleanup(const wvl_block_input *in, unsigned plane)
{
    unsigned P = in->frac_bits + plane;
    int exact = in->reversible && P == 0;
    wide gain = 0;
    for (uint32_t y = 0; y < in->height; y++) {
        for (uint32_t x = 0; x < in->width; x++) {
            unsigned negative;
            uint64_t m = wvl_ht_fetch_sample(in, x, y, &negative), k = m >> P;
            if (k) {
                gain += exact ? (wide)(4 * m) * (wide)m
                              : (wide)(8 * k + 4) * (wide)m - ((wide)((2 * k + 1) * (2 * k + 1)) << P);
            }
        }
    }
    const wide most = (wide)1 << 62;
    return gain > most ? (int64_t)most : gain < -most ? -(int64_t)most : (int64_t)gain;
}

/* The same with m = k 2^P + r: (4 k^2 - 1) 2^P + 8 k r + 4 r. Magnitudes of 15 bits make less than 2^44. */
int64_t wvl_ht_measure_squares(const wvl_ht_squares *s, unsigned P, int exact)
{
    return exact ? (int64_t)(4 * s->m2) : (int64_t)(((4 * s->k2 - s->count) << P) + 8 * s->kr + 4 * s->r);
}

void wvl_ht_sum_squares_c(const wvl_block_input *in, unsigned P, wvl_ht_squares *squares)
{
    memset(squares, 0, sizeof *squares);
    for (uint32_t y = 0; y < in->height; y++) {
        for (uint32_t x = 0; x < in->width; x++) {
            unsigned negative;
            uint64_t m = wvl_ht_fetch_sample(in, x, y, &negative), k = m >> P, r = m & ((1u << P) - 1);
            squares->m2 += m * m;
            squares->k2 += k * k;
            squares->kr += k * r;
            squares->r += k ? r : 0;
            squares->count += k != 0;
        }
    }
}
