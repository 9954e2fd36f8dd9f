/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the HT block coder share. */
#pragma once

#include "codec/core/block.h"
#include "geom/plan.h"

#define WVL_HT_MAX_QUADS                                                                                               \
    1024u /* of a block: 2^12 samples, and odd sides only where the power of two above is not exceeded */
#define WVL_HT_MAX_QUADS_WIDE 512u
#define WVL_HT_MAX_COLUMNS                                                                                             \
    3200u /* of all stripes, one more at each side and a stripe above and below: 1026 * 3, 66 * 18, 6 * 258, ... */

/*
 * Bytes of the streams at their worst. VLC: 7 + 12 bits a quad and its twelve first ones, at least 15 bits in two
 * bytes. MEL: an event for every quad and one for every pair of the first row, six bits each. Both together stay below
 * the 4079 bytes that Scup can express.
 */
#define WVL_HT_VLC_BYTES 2600u
#define WVL_HT_MEL_BYTES 1040u

/*
 * A row of quads. Sample n of a quad: 0 top left, 1 bottom left, 2 top right, 3 bottom right.
 *
 * info of a quad: significance of its samples (4 bits) | context bits that it and its neighbours give the quad below
 * (bits 0 and 2 of 3) << 4 | kappa that they give it << 8 | greatest exponent << 16 | which exponents are the greatest
 * << 24.
 */
#define WVL_HT_ROOM 16u /* vector stores may go so far beyond the last quad */
typedef struct wvl_ht_row {
    uint32_t v[4 * (WVL_HT_MAX_QUADS_WIDE + WVL_HT_ROOM)]; /* 2 (mu - 1) + sign; anything where mu is 0 */
    uint32_t e[WVL_HT_MAX_QUADS_WIDE + 2 +
               WVL_HT_ROOM]; /* from 1: exponents E of the quad's samples, sample n in byte n; 0 beyond both ends */
    uint32_t info[WVL_HT_MAX_QUADS_WIDE + WVL_HT_ROOM];
    uint32_t *high; /* of samples of 64 bits: what of v does not fit */
} wvl_ht_row;

typedef struct wvl_ht_scratch {
    wvl_ht_row rows[2];
    uint32_t lower[2][WVL_HT_MAX_QUADS_WIDE + 2 +
                      WVL_HT_ROOM]; /* codec/ht/cleanup_lanes.h: from 1, of quads of two rows; 0 beyond both ends */
    uint8_t vlc[WVL_HT_VLC_BYTES + 8];
    uint8_t mel[WVL_HT_MEL_BYTES + 8];
    uint8_t plain_magsgn[2 * 4096 + 16], plain_vlc[WVL_HT_VLC_BYTES + 16]; /* codec/ht/plain.h; U at most 16 */
    uint8_t plain_events[(WVL_HT_MAX_QUADS + WVL_HT_MAX_QUADS_WIDE / 2) / 8 + 16];
    /* of refinement, by stripe column: four samples, the upper one in bit 0 */
    uint8_t significant[WVL_HT_MAX_COLUMNS], fresh[WVL_HT_MAX_COLUMNS], bit[WVL_HT_MAX_COLUMNS],
        negative[WVL_HT_MAX_COLUMNS];
    uint8_t refinement[WVL_HT_MAX_COLUMNS];
} wvl_ht_scratch;

/* What samples of 64 bits take beside. */
typedef struct wvl_ht_deep_scratch {
    wvl_ht_scratch usual;
    uint32_t high[2][4 * WVL_HT_MAX_QUADS_WIDE];
} wvl_ht_deep_scratch;

/* Lengths of the refinement segment with SigProp alone and with MagRef; what SigProp alone ends in, from byte `tail_at`
 * on. */
typedef struct wvl_ht_refinement {
    uint32_t sigprop_bytes, bytes, tail_at;
    uint8_t tail[2];
} wvl_ht_refinement;

/* Samples of a plane by the pass that codes them: SigProp, MagRef, or, where these leave a first bit out, the cleanup
 * pass of the next set. */
enum { WVL_HT_SIGPROP, WVL_HT_MAGREF, WVL_HT_REST, WVL_HT_PARTS };
/* Their number, and sums of magnitudes as core/gain.h wants them. */
typedef struct wvl_ht_sums {
    uint64_t sum[WVL_HT_PARTS], count[WVL_HT_PARTS];
} wvl_ht_sums;

/* Magnitudes are m = k 2^P + r, r < 2^P. The sum of m^2 of all, and sums and number of those with k > 0. */
typedef struct wvl_ht_squares {
    uint64_t m2, k2, kr, r, count;
} wvl_ht_squares;

typedef struct wvl_ht_kernels {
    /* Writes the cleanup segment of plane `plane` at `to` and returns its bytes. */
    uint32_t (*encode_cleanup)(wvl_ht_scratch *s, const wvl_block_input *in, unsigned plane, uint8_t *to);
    /* Writes the refinement segment of plane - 1. */
    wvl_ht_refinement (*encode_refinement)(wvl_ht_scratch *s, const wvl_block_input *in, unsigned plane,
                                           int with_magref, uint8_t *to);
    /* After encode_refinement: of that plane, P bits up. */
    void (*sum_plane)(const wvl_ht_scratch *s, const wvl_block_input *in, unsigned P, wvl_ht_sums *sums);
    void (*sum_squares)(const wvl_block_input *in, unsigned P, wvl_ht_squares *squares); /* of 16-bit samples */
} wvl_ht_kernels;
extern const wvl_ht_kernels wvl_ht_kernels_c;
/* The same as encode_cleanup for samples of 64 bits, whose scratch is a wvl_ht_deep_scratch. */
uint32_t wvl_ht_encode_deep(wvl_ht_scratch *s, const wvl_block_input *in, unsigned plane, uint8_t *to);
#ifdef WVL_HAVE_AVX2
extern const wvl_ht_kernels wvl_ht_kernels_avx2, wvl_ht_kernels_avx512;
extern const wvl_ht_kernels wvl_ht_kernels_avx2_slow_pext; /* refinement, which takes many bits apart, in plain C */
#endif
#ifdef WVL_HAVE_NEON
extern const wvl_ht_kernels wvl_ht_kernels_neon;
#endif

/* The sample at (x, y): magnitude, sign. */
static inline uint32_t wvl_ht_fetch_sample(const wvl_block_input *in, uint32_t x, uint32_t y, unsigned *negative)
{
    size_t i = (size_t)y * in->stride + x;
    uint32_t v =
        in->coef_bytes == 2 ? (uint32_t)((const uint16_t *)in->coefs)[i] << 16 : ((const uint32_t *)in->coefs)[i];
    *negative = v >> 31;
    return in->coef_bytes == 2 ? v >> 16 & 0x7FFF : v & 0x7FFFFFFF;
}

/* Distortion removed by the cleanup pass of a first set (core/gain.h), in quarters, saturated at 2^62; of samples of
 * any size, and of 16 bits. */
int64_t wvl_ht_measure_cleanup(const wvl_block_input *in, unsigned plane);
int64_t wvl_ht_measure_squares(const wvl_ht_squares *squares, unsigned P, int exact);
/* And by the parts of a plane. */
void wvl_ht_measure_plane(const wvl_ht_sums *sums, unsigned P, int exact, int64_t gains[WVL_HT_PARTS]);
