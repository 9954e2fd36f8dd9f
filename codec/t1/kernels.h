/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the block coder that have twins: bit-plane masks, the listing of passes, and the sums that distortion
 * needs. */
#pragma once

#include "base/cpu.h"
#include "codec/mq/mq.h"
#include "codec/t1/t1.h"

/* Samples of a block as inner bits of windows (fast.h): unit i * units + k holds columns 8 k.. of stripe i. */
typedef struct wvl_t1_masks {
    uint64_t *negative;
    uint64_t *planes; /* plane p, unit i at p * unit_count + i */
    uint32_t units, unit_count;
} wvl_t1_masks;

typedef struct wvl_t1_fast wvl_t1_fast;

typedef struct wvl_t1_kernels {
    /* Planes 0..planes - 1, above the fraction bits; bits beyond the block are 0. */
    void (*build_masks)(const wvl_t1_input *in, uint32_t planes, const wvl_t1_masks *masks);
    /* Sum of |m' - 2^P| over magnitudes that have a bit above P (core/gain.h), m' = m mod 2^(P+1). */
    uint64_t (*refinement_sum)(const wvl_t1_input *in, unsigned P);
    /* Sum of squares as high * 2^32 + low. */
    void (*square_sum)(const wvl_t1_input *in, uint64_t *low, uint64_t *high);
    /* Lists the symbols of a pass and returns their number. */
    size_t (*list_pass)(wvl_t1_fast *block, int kind, int raw, unsigned plane);
    /* wvl_mq_encode_lanes_c(), and how many codewords it takes, at most WVL_BLOCK_SEATS. */
    void (*encode_lanes)(wvl_mq *const mq[], const uint8_t *const symbols[], unsigned count, size_t symbol_count);
    unsigned lanes;
} wvl_t1_kernels;

size_t wvl_t1_list_pass_c(wvl_t1_fast *block, int kind, int raw, unsigned plane);
size_t wvl_t1_list_pass_avx2(wvl_t1_fast *block, int kind, int raw, unsigned plane);
size_t wvl_t1_list_pass_avx512(wvl_t1_fast *block, int kind, int raw, unsigned plane);

extern const wvl_t1_kernels wvl_t1_kernels_c;
extern const wvl_t1_kernels wvl_t1_kernels_avx2;
extern const wvl_t1_kernels wvl_t1_kernels_avx512;
