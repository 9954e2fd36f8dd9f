/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of optimised quantisation that look at every sample of a block, and have twins.
 *
 * A sample is split at a plane P of step S = 2^P: its level is 0 below S, then 1, 2, 3 for octaves from S on, and 4 from 8 S on; its fraction is how far
 * it lies above the lower end of its octave (below 2 S: above S), in S / 128, held to -128..127. Levels and fractions are bytes in rows of
 * wvl_rdoq_pitch(width); those of a block begin at the second byte of the second row, what surrounds levels is 0, and so is all beyond the block.
 */
#ifndef WVL_CODEC_RATE_RDOQ_KERNELS_H
#define WVL_CODEC_RATE_RDOQ_KERNELS_H

#include "codec/core/block.h"

#define WVL_RDOQ_WORDS 16u /* bits of the longest row */

static inline uint32_t wvl_rdoq_pitch(uint32_t width) { return (width + 31) / 32 * 32 + 2; }

/* Samples below 2 S, those at a neighbour of 2 S or more first: how many, how many of them from S on, and the fractions of these summed. */
typedef struct wvl_rdoq_sums {
    uint32_t near, near_fresh, near_fractions;
    uint32_t far, far_fresh, far_fractions;
    uint32_t above;          /* samples from 2 S on */
} wvl_rdoq_sums;

/*
 * The fraction from which a sample stays in its cell, or below S goes up to it, by its neighbours: those at its level (at S, below S) or above, counted
 * twice beside and above or below it, once at the corners. -128: always, 127: never.
 */
typedef struct wvl_rdoq_rule {
    int8_t first[16];        /* below 2 S; with `needs` only at a neighbour from 2 S on, others are let alone */
    int8_t second[16];       /* from 2 S on */
    int8_t more[16];         /* from 4 S on */
    int8_t alone;            /* from 2 S on without a neighbour there, with `needs` */
    uint8_t needs;
} wvl_rdoq_rule;

typedef struct wvl_rdoq_kernels {
    /* Samples from `least` on, from 2 and from 4 times that on. */
    void (*rank)(const wvl_block_input *in, uint32_t least, uint32_t counts[3]);
    void (*split)(const wvl_block_input *in, unsigned plane, uint8_t *levels, int8_t *fractions);
    /* levels, fractions: of the whole block. */
    wvl_rdoq_sums (*count)(const uint8_t *levels, const int8_t *fractions, uint32_t width, uint32_t height);
    /* A row, at its first sample: bits of samples that move down, and up, from bit 0 of the first word. Levels become what they are then,
     * so that the row below sees them; within a row neighbours count as they were. */
    void (*move_row)(const wvl_rdoq_rule *rule, uint8_t *levels, const int8_t *fractions, uint32_t width, uint64_t *down, uint64_t *up);
} wvl_rdoq_kernels;

extern const wvl_rdoq_kernels wvl_rdoq_kernels_c;
extern const wvl_rdoq_kernels wvl_rdoq_kernels_avx2;

/* The fastest that this processor runs; all give the same results. */
const wvl_rdoq_kernels *wvl_rdoq_fetch_kernels(void);

#endif
