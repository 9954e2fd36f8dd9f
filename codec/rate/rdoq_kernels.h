/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of optimised quantisation that look at every sample of a block, and have twins. */
#pragma once

#include "codec/core/rdoq.h"

typedef struct wvl_rdoq_kernels {
    /* Samples from `least` on, from 2 and from 4 times that on. */
    void (*rank)(const wvl_block_input *in, uint32_t least, uint32_t counts[3]);
    void (*split)(const wvl_block_input *in, unsigned plane, uint8_t *levels, int8_t *fractions);
    /* levels, fractions: of the whole block. */
    wvl_rdoq_sums (*count)(const uint8_t *levels, const int8_t *fractions, uint32_t width, uint32_t height);
    /* A row, at its first sample: bits of samples that move down, and up, from bit 0 of the first word. Levels become
     * what they are then, so that the row below sees them; within a row neighbours count as they were. */
    void (*move_row)(const wvl_rdoq_rule *rule, uint8_t *levels, const int8_t *fractions, uint32_t width,
                     uint64_t *down, uint64_t *up);
} wvl_rdoq_kernels;

extern const wvl_rdoq_kernels wvl_rdoq_kernels_c;
extern const wvl_rdoq_kernels wvl_rdoq_kernels_avx2;

/* The fastest that this processor runs; all give the same results. */
const wvl_rdoq_kernels *wvl_rdoq_fetch_kernels(void);
