/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Regions of interest at the door of the block coder (Annex H; D-roi-01). Backends deliver coefficients as they are;
 * here those of the region are lifted by the shift s of the component's RGN.
 *
 * A block that lies in the region as a whole, or whose background is zero, is coded as it is: its codeword stands s
 * planes higher, and the s planes below, all zero, are not sent, so that it has as many empty planes above as without
 * the region. A block of both kinds is copied into 32 bits with the region's samples times 2^s. As s is not less than
 * Mb, planes from s on then hold the region alone and planes below the background alone.
 */
#pragma once

#include "codec/core/block.h"
#include "geom/handover_blocks.h"

enum { WVL_ROI_NONE = 0, WVL_ROI_WHOLE = 1, WVL_ROI_PART = 2 };

typedef struct wvl_roi {
    uint8_t kind;           /* WVL_ROI_* */
    uint8_t shift;          /* s */
    uint8_t frac_bits;      /* PART: of the copy */
    uint8_t lost_frac_bits; /* PART: number of further bits that the block has */
    uint8_t reversible;
    uint32_t count;  /* PART: samples of the region that are not zero */
    uint64_t energy; /* PART: what out->energy must be, see wvl_roi_settle_gains */
} wvl_roi;

/* The most planes with which a block is coded in a band of `planes` planes. */
unsigned wvl_roi_count_planes(const wvl_coding *coding, unsigned planes);
unsigned wvl_roi_find_planes(const wvl_plan *plan);
/* Samples that a copy has at most. */
uint32_t wvl_roi_count_samples(const wvl_plan *plan);
/* Of block `index` of the range's band, with `in` filled. PART: copy receives its samples, and `in` describes the copy.
 */
void wvl_roi_block(const wvl_plan *plan, const wvl_tile_plan *tile, const wvl_block_range *range, uint32_t index,
                   wvl_block_input *in, uint32_t *copy, wvl_roi *lift);
/*
 * PART: turns gains and energy of the coded copy into those of the block, in the units of its band. Passes at plane s
 * and above stand for planes from 0 on. Below s every sample of the region that is not zero is refined without use: a
 * decoder takes these bits off again.
 */
void wvl_roi_settle_gains(const wvl_roi *lift, wvl_block_output *out);
