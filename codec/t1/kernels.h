/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the block coder that look at all samples alike: bit-plane masks, and the sums that distortion needs. */
#ifndef WVL_T1_KERNELS_H
#define WVL_T1_KERNELS_H

#include "base/cpu.h"
#include "codec/t1/t1.h"

/* Samples of a block as masks in scan order: word i * words + k holds columns 16 k.. of stripe i, four bits a column, top row first. */
typedef struct wvl_t1_masks {
    uint64_t *negative;
    uint64_t *planes;    /* plane p, word i at p * word_count + i */
    uint32_t words, word_count;
} wvl_t1_masks;

typedef struct wvl_t1_kernels {
    /* Planes 0..planes - 1, above the fraction bits; words beyond the block are 0. */
    void (*build_masks)(const wvl_t1_input *in, uint32_t planes, const wvl_t1_masks *masks);
    /* Sum of |m' - 2^P| over magnitudes that have a bit above P (core/gain.h), m' = m mod 2^(P+1). */
    uint64_t (*refinement_sum)(const wvl_t1_input *in, unsigned P);
    /* Sum of squares as high * 2^32 + low. */
    void (*square_sum)(const wvl_t1_input *in, uint64_t *low, uint64_t *high);
} wvl_t1_kernels;

extern const wvl_t1_kernels wvl_t1_kernels_c;
extern const wvl_t1_kernels wvl_t1_kernels_avx2;

#endif
