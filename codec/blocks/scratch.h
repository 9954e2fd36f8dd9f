/* SPDX-License-Identifier: BSD-2-Clause */
/* What one worker needs to code blocks: room for as many as are in work, no larger than the plan's largest block asks
 * for. */
#ifndef WVL_CODEC_BLOCKS_SCRATCH_H
#define WVL_CODEC_BLOCKS_SCRATCH_H

#include "codec/core/block.h"
#include "codec/core/hull.h"
#include "codec/rate/rdoq.h"
#include "geom/plan.h"

/* Contents irrelevant between calls. */
typedef struct wvl_block_scratch {
    void *coder; /* the block coder's */
    size_t coder_bytes;
    uint8_t *bytes[WVL_BLOCK_SEATS]; /* codewords */
    wvl_pass *passes[WVL_BLOCK_SEATS];
    wvl_hull *hulls;                   /* [WVL_BLOCK_SEATS] */
    uint32_t *copies[WVL_BLOCK_SEATS]; /* of blocks that lie in a region in part */
    wvl_rdoq rdoq[WVL_BLOCK_SEATS];    /* with plan->rate.rdoq; samples alone where blocks are rescaled */
} wvl_block_scratch;

void wvl_blocks_carve_scratch(const wvl_plan *plan, wvl_carver *carver, wvl_block_scratch *scratch);

#endif
