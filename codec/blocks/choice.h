/* SPDX-License-Identifier: BSD-2-Clause */
/* Which block coder a coding asks for; all codings of a plan ask for the same. */
#ifndef WVL_CODEC_BLOCKS_CHOICE_H
#define WVL_CODEC_BLOCKS_CHOICE_H

#include "codec/core/block.h"
#include "geom/plan.h"

const wvl_block_coder *wvl_blocks_choose_coder(const wvl_plan *plan);
/* Of everything that is kept of a block: of HT blocks, where rate control chooses among them, the sets of all planes.
 */
uint64_t wvl_blocks_bound_bytes(const wvl_plan *plan, uint32_t width, uint32_t height, uint32_t planes, uint8_t style);

#endif
