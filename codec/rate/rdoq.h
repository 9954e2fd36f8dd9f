/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rate-distortion optimised quantisation of a block whose end is known. Samples just above the border of a quantiser cell cost more bits in the
 * upper cell than the error that the lower one adds is worth at the final slope: isolated ones go to zero, others one cell down. Only cells as
 * the decoder has them at the block's last pass count, with its values in the middle; lower planes are not looked at.
 *
 * Worth: a sample moves down when its added squared error is below slope times bits, the bits by how many of its neighbours are significant at
 * its own plane (a table, found by measurement: docs/results.md).
 */
#ifndef WVL_CODEC_RATE_RDOQ_H
#define WVL_CODEC_RATE_RDOQ_H

#include "codec/core/block.h"
#include "geom/handover.h"

/* Passes coded beyond the end: what bytes saved elsewhere may buy. */
#define WVL_RDOQ_MORE_PASSES 3u

typedef struct wvl_rdoq {
    void *samples;           /* a block's, copied: WVL_RDOQ_SAMPLES of 4 bytes */
    uint32_t *magnitudes;    /* WVL_RDOQ_CELLS: a block with a border of zeros */
} wvl_rdoq;
#define WVL_RDOQ_SAMPLES 4096u
#define WVL_RDOQ_CELLS 6156u /* 4 x 1024 has the longest border */

/* What the gains of the changed block do not see of the error: high * 2^64 + low squared magnitudes. */
typedef struct wvl_rdoq_error { uint64_t low, high; } wvl_rdoq_error;

/* Copies in's samples to r->samples, changes them for an end after end_passes at end_slope, and lets in point there; bound and max_passes become
 * those of the changed block. With end_passes 0 only max_passes is set. */
wvl_rdoq_error wvl_rdoq_change(const wvl_rdoq *r, wvl_block_input *in, const wvl_band_coding *band, uint32_t end_passes, uint32_t end_slope);
/* Makes out's energy that of the unchanged block. */
void wvl_rdoq_add_error(wvl_block_output *out, wvl_rdoq_error error);

#endif
