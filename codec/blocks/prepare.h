/* SPDX-License-Identifier: BSD-2-Clause */
/* From the coefficients of a block to what the block coder takes: described, regions of interest raised, steps changed,
 * quantised for a slope. */
#ifndef WVL_CODEC_BLOCKS_PREPARE_H
#define WVL_CODEC_BLOCKS_PREPARE_H

#include "codec/blocks/roi.h"
#include "codec/core/block.h"
#include "codec/rate/rdoq.h"
#include "geom/handover.h"

/* Room for the copies of one block (wvl_block_scratch). */
typedef struct wvl_prepare_room {
    uint32_t *copy;       /* of a block that lies in a region in part */
    const wvl_rdoq *rdoq; /* with plan->rate.rdoq; its samples alone where steps change */
} wvl_prepare_room;

/* What was done to the samples. */
typedef struct wvl_prepared {
    const wvl_band_coding *band;
    wvl_roi lift;
    wvl_rdoq_error error; /* that rdoq made */
    uint8_t is_changed;   /* samples are others, or passes at the end are no candidates (rdoq) */
} wvl_prepared;

/* The block as the backend delivered it. kernels: of the block coder. */
wvl_block_input wvl_prepare_describe(const wvl_plan *plan, const wvl_block_order *order, const wvl_coefs *coefs,
                                     const wvl_block_range *range, uint32_t block, const void *kernels);
/* Its magnitudes keep the bound that the plan proved. */
int wvl_prepare_is_bounded(const wvl_coefs *coefs, const wvl_block_range *range, const wvl_block_input *in);
/* Changes what `in` describes. slope: to quantise for (rdoq), 0: none. */
void wvl_prepare_block(const wvl_plan *plan, const wvl_block_order *order, const wvl_coefs *coefs,
                       const wvl_block_range *range, uint32_t block, uint32_t slope, const wvl_prepare_room *room,
                       wvl_block_input *in, wvl_prepared *prepared);

#endif
