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

/* Of everything that is kept of a block: of HT blocks, where rate control chooses among them, the sets of all planes. */
static inline uint64_t wvl_tile_block_bytes(const wvl_plan *plan, uint32_t width, uint32_t height, uint32_t planes, uint8_t style)
{
    const wvl_block_coder *coder = wvl_tile_block_coder(plan);
    uint64_t bytes = coder->bytes_bound(width, height, planes, style);
    for (uint32_t n = 1; plan->all_sets && n < planes; n++) {
        bytes += coder->bytes_bound(width, height, n, style);
    }
    return bytes;
}

/* Bands of a component follow its resolutions: one for the first, three for each of the others. */
static inline uint32_t wvl_tile_rate_group(const wvl_plan *plan, const wvl_tile_plan *tile, uint32_t component, uint32_t band)
{
    uint32_t first = tile->resolutions[tile->components[component].first_resolution].first_band;
    return wvl_plan_rate_group(plan, component, band == first ? 0 : (band - first - 1) / 3 + 1);
}

#endif
