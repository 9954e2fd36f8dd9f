/* SPDX-License-Identifier: BSD-2-Clause */
/* Which block coder a coding asks for; all codings of a plan ask for the same. */
#ifndef WVL_CODEC_TILE_BLOCKS_H
#define WVL_CODEC_TILE_BLOCKS_H

#include "codec/ht/ht.h"
#include "codec/t1/t1.h"

static inline const wvl_block_coder *wvl_tile_block_coder(const wvl_plan *plan)
{
    return plan->codings[0].style & WVL_STYLE_HT ? &wvl_ht_block_coder : &wvl_t1_block_coder;
}

#endif
