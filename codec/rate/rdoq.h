/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rate-distortion optimised quantisation for the slope at which a block is going to end. Where the decoder will stop follows from the slope and the
 * block's own samples: at steps of which a bit is worth a quarter or so of the square. Samples near the border of one of its cells then go to the other
 * side where error + slope * bits is less there, as the decoder has them, in the middle of cells: those just above a border down, isolated ones to zero,
 * and those below the last step up to it where their neighbours make it likely.
 *
 * It changes bytes, so it depends on nothing but the samples and the slope. Bits by neighbours are a table, found by measurement (D-rdoq-01).
 */
#ifndef WVL_CODEC_RATE_RDOQ_H
#define WVL_CODEC_RATE_RDOQ_H

#include "codec/core/block.h"
#include "codec/rate/rdoq_kernels.h"
#include "geom/handover.h"

typedef struct wvl_rdoq {
    const wvl_rdoq_kernels *kernels;
    void *samples;           /* a block's, copied: as many, and as wide, as its own */
    uint8_t *levels;         /* wvl_rdoq_cells() of the largest block, at most WVL_RDOQ_CELLS */
    int8_t *fractions;       /* the same */
    int is_large;            /* the picture: fewer candidates beyond the end of a block do */
} wvl_rdoq;
/* Passes that are candidates beyond the end foreseen, at most: what bytes saved elsewhere may buy. */
#define WVL_RDOQ_MORE_PASSES 2u
/* How much less steep a picture ends that was quantised for its end. */
#define WVL_RDOQ_FALL 32u
/* A block is quantised well enough for slopes so near the one that it was quantised for. */
#define WVL_RDOQ_REACH 112u

#define WVL_RDOQ_SAMPLES 4096u
#define WVL_RDOQ_CELLS (34u * 1026u) /* 4 x 1024 has the longest border */
static inline uint32_t wvl_rdoq_cells(uint32_t width, uint32_t height) { return wvl_rdoq_pitch(width) * (height + 2); }

/* What the gains of the changed block do not see of the error, in squared magnitudes: high * 2^64 + low. */
typedef struct wvl_rdoq_error { uint64_t low, high; } wvl_rdoq_error;

/* About how many bits the block will take when it ends at the slope, in no unit; never 0. */
uint32_t wvl_rdoq_weigh(const wvl_rdoq_kernels *kernels, const wvl_block_input *in, const wvl_band_coding *band, uint32_t slope);
/* Copies in's samples to r->samples, changes them for an end at the slope (0: none; and none of the lowest band), and lets in point there; bound
 * and max_passes become those of the changed block. */
wvl_rdoq_error wvl_rdoq_change(const wvl_rdoq *r, wvl_block_input *in, const wvl_band_coding *band, uint32_t slope);
/* Makes out's energy that of the unchanged block. */
void wvl_rdoq_add_error(wvl_block_output *out, wvl_rdoq_error error);

#endif
